// SPDX-License-Identifier: GPL-2.0-or-later

package installer

import (
	"bytes"
	"testing"

	"sqmd/release/apk"
)

// FuzzReadApk reads what may be no package: what it takes has a name and clean paths.
func FuzzReadApk(f *testing.F) {
	for _, version := range []string{"1.0.0-r1", "1.0.1-r1"} {
		var file bytes.Buffer
		if err := apk.Write(&file, sample(version), nil); err != nil {
			f.Fatal(err)
		}
		f.Add(file.Bytes())
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		p, err := readApk(bytes.NewReader(file))
		if err != nil {
			return
		}
		for _, one := range p.files {
			if one.Path == "" || one.Path[0] != '/' || one.Path == "/" {
				t.Errorf("a file goes to %q", one.Path)
			}
		}
	})
}
