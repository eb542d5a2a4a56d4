// SPDX-License-Identifier: GPL-2.0-or-later

package apk

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"sqmd/release/apk/adb"
)

// content is all that a package file holds, apart from signatures.
type content struct {
	info    Info
	tree    []directory
	scripts scripts
}

// scripts are shell programs by the slot of the scripts object, which says when apk runs them.
type scripts map[int]string

const (
	preInstall    = 2
	postInstall   = 3
	preDeinstall  = 4
	postDeinstall = 5
	preUpgrade    = 6
	postUpgrade   = 7
)

// scriptSlots are all of them. Slot 1, a trigger, would need a list of directories to watch.
var scriptSlots = []int{preInstall, postInstall, preDeinstall, postDeinstall, preUpgrade, postUpgrade}

// The slots of a package.
const (
	packageInfo    = 1
	packagePaths   = 2
	packageScripts = 3
)

// uidSize is the size in bytes of a package's unique id: the beginning of the SHA-256 of its body with zeros for it.
const uidSize = 20

func (c content) check() error {
	if err := c.info.check(); err != nil {
		return err
	}
	if err := checkTree(c.tree); err != nil {
		return err
	}
	size := uint64(0)
	for _, d := range c.tree {
		for _, f := range d.files {
			size += uint64(len(f.content))
		}
	}
	if size != c.info.InstalledSize {
		return fmt.Errorf("installed size is %d, the files have %d bytes", c.info.InstalledSize, size)
	}
	for _, s := range c.scripts {
		if !strings.HasPrefix(s, "#!/") {
			return errors.New("a script that does not name its shell")
		}
	}
	return nil
}

func (c content) encode() (adb.File, error) {
	if err := c.check(); err != nil {
		return adb.File{}, err
	}
	return c.lay(), nil
}

// lay stores the values in the order in which apk's own mkpkg does, so that both write the same bytes.
func (c content) lay() adb.File {
	w := adb.NewWriter()
	info := c.info.encode(w)
	paths := encodeTree(w, c.tree)
	var at int
	info[infoHash], at = w.Reserve(uidSize)

	slots := make(map[int]adb.Value)
	slots[packageInfo] = w.Object(info)
	slots[packagePaths] = w.Array(paths)
	slots[packageScripts] = c.scripts.encode(w)
	body := w.Body(w.Object(slots))
	sum := sha256.Sum256(body)
	copy(body[at:], sum[:uidSize])
	return adb.File{Schema: adb.Package, Body: body, Data: encodeData(c.tree)}
}

func (s scripts) encode(w *adb.Writer) adb.Value {
	slots := make(map[int]adb.Value)
	for _, i := range scriptSlots {
		slots[i] = w.Text(s[i])
	}
	return w.Object(slots)
}

// decode reads and checks a package.
func decode(f adb.File) (content, error) {
	if f.Schema != adb.Package {
		return content{}, fmt.Errorf("not a package but %q", string(f.Schema))
	}
	b, root := adb.NewBody(f.Body)
	c, uid := decodeContent(b, root, f.Data)
	checkUID(b, uid, f.Body)
	if err := b.Full(); err != nil {
		return content{}, err
	}
	return c, c.check()
}

// decodeContent also returns the unique id's value.
func decodeContent(b *adb.Body, root adb.Value, data [][]byte) (c content, uid adb.Value) {
	o := b.Object(root, packageInfo, packagePaths, packageScripts)
	info, slots := decodeInfo(b, o.Slot(packageInfo), infoHash)
	return content{
		info:    info,
		tree:    decodeTree(b, o.Slot(packagePaths), data),
		scripts: decodeScripts(b, o.Slot(packageScripts)),
	}, slots.Slot(infoHash)
}

func decodeScripts(b *adb.Body, v adb.Value) scripts {
	s := make(scripts)
	o := b.Object(v, scriptSlots...)
	for _, i := range scriptSlots {
		if v := o.Slot(i); v != 0 {
			s[i] = b.Text(v)
		}
	}
	return s
}

func checkUID(b *adb.Body, v adb.Value, body []byte) {
	uid := b.Blob(v)
	at, alone := b.Unshared(v, uid)
	if len(uid) != uidSize || !alone {
		b.Fail(errors.New("no unique id of its own"))
		return
	}
	h := sha256.New()
	h.Write(body[:at])
	h.Write(make([]byte, uidSize))
	h.Write(body[at+uidSize:])
	if [uidSize]byte(h.Sum(nil)) != [uidSize]byte(uid) {
		b.Fail(errors.New("the unique id is not that of the content: damaged"))
	}
}
