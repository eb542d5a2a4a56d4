// SPDX-License-Identifier: GPL-2.0-or-later

package ipk

import (
	"archive/tar"
	"bytes"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sqmd/release/bundle"
)

// parts are a package file before it is put together.
type parts struct {
	names         []string
	version       string
	format        tar.Format
	control, data []entry
	// tarball and file change bytes on the way: data.tar, the package file.
	tarball, file func([]byte) []byte
}

// ordinary are the parts of the small package.
func ordinary(t testing.TB) *parts {
	t.Helper()
	as := func(b []byte) []byte { return b }
	p := &parts{
		names:   []string{debianBinary, dataTar, controlTar},
		version: formatVersion, format: tar.FormatGNU, tarball: as, file: as,
	}
	members, err := outerMembers(write(t, small()))
	if err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]*[]entry{controlTar: &p.control, dataTar: &p.data} {
		b, err := gunzip(members[name], maxData)
		if err != nil {
			t.Fatal(err)
		}
		if *to, err = readTar(b); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// build is the package file.
func (p *parts) build(t testing.TB) []byte {
	t.Helper()
	content := map[string][]byte{
		"debian-binary":  []byte(p.version),
		"data.tar.gz":    compress(p.tarball(p.tar(t, p.data))),
		"control.tar.gz": compress(p.tar(t, p.control)),
	}
	var outer []entry
	for _, name := range p.names {
		outer = append(outer, regular(name, content[path.Base(name)]))
	}
	return p.file(compress(p.tar(t, outer)))
}

func (p *parts) tar(t testing.TB, entries []entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := *e.header
		h.Format = p.format
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// edit changes the content of an entry of the control archive.
func (p *parts) edit(name string, change func(string) string) {
	for i, e := range p.control {
		if e.header.Name == "./"+name {
			p.control[i] = regular("./"+name, []byte(change(string(e.content))))
			p.control[i].header.Mode = e.header.Mode
		}
	}
}

func regular(name string, content []byte) entry {
	return entry{&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(content)), ModTime: stamp()}, content}
}

func special(name string, change func(*tar.Header)) entry {
	e := regular(name, nil)
	change(e.header)
	return e
}

func (p *parts) add(name string, change func(*tar.Header)) {
	p.data = append(p.data, special(name, change))
}

func asIs(*tar.Header) {}

func TestReadTolerates(t *testing.T) {
	for name, change := range map[string]func(*parts){
		"as written":    func(*parts) {},
		"other order":   func(p *parts) { slices.Reverse(p.names) },
		"no dot":        func(p *parts) { p.names = []string{"control.tar.gz", "data.tar.gz"} },
		"ustar":         func(p *parts) { p.format = tar.FormatUSTAR },
		"padded as GNU": func(p *parts) { p.tarball = func(b []byte) []byte { return append(b, make([]byte, 10240)...) } },
		"no directories": func(p *parts) {
			p.data = slices.DeleteFunc(p.data, func(e entry) bool { return e.header.Typeflag == tar.TypeDir })
		},
		"unsorted": func(p *parts) { slices.Reverse(p.data) },
		"name of root": func(p *parts) {
			for _, e := range p.data {
				e.header.Uname, e.header.Gname = "root", "root"
			}
		},
		"inner names without dot": func(p *parts) {
			for _, e := range append(p.data[1:], p.control[1:]...) {
				e.header.Name = strings.TrimPrefix(e.header.Name, "./")
			}
		},
		"other fields": func(p *parts) {
			p.edit("control", func(s string) string { return "URL: https://example.org\nMaintainer:\n" + s })
		},
		"blank lines": func(p *parts) { p.edit("control", func(s string) string { return "\n" + s + "\n\n" }) },
		"loose lists": func(p *parts) {
			p.edit("control", func(s string) string {
				return strings.Replace(s, "kmod-ifb, kmod", " kmod-ifb  ,kmod", 1)
			})
		},
		"time of the files": func(p *parts) {
			p.edit("control", func(s string) string { return strings.Replace(s, fieldTime, "X", 1) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := ordinary(t)
			change(p)
			got, err := Read(bytes.NewReader(p.build(t)))
			if err != nil {
				t.Fatal(err)
			}
			want := small()
			slices.Sort(want.Conffiles)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	control := func(change func(string) string) func(*parts) {
		return func(p *parts) { p.edit("control", change) }
	}
	replace := func(old, new string) func(*parts) {
		return control(func(s string) string { return strings.Replace(s, old, new, 1) })
	}
	data := func(name string, change func(*tar.Header)) func(*parts) {
		return func(p *parts) { p.add(name, change) }
	}
	for name, c := range map[string]struct {
		change func(*parts)
		want   string
	}{
		"ar":             {func(p *parts) { p.file = func([]byte) []byte { return []byte("!<arch>\ndebian-binary   ") } }, "not gzipped"},
		"empty":          {func(p *parts) { p.file = func([]byte) []byte { return nil } }, "not gzipped"},
		"cut short":      {func(p *parts) { p.file = func(b []byte) []byte { return b[:len(b)-1] } }, "unexpected EOF"},
		"more after":     {func(p *parts) { p.file = func(b []byte) []byte { return append(b, 0) } }, "1 bytes after"},
		"damaged":        {func(p *parts) { p.file = func(b []byte) []byte { b[len(b)-5] ^= 1; return b } }, "checksum"},
		"two gzip parts": {func(p *parts) { p.file = func(b []byte) []byte { return append(b, b...) } }, "after the end"},
		"not a tar":      {func(p *parts) { p.file = func([]byte) []byte { return compress(make([]byte, 100)) } }, "cut short"},
		"old tar": {func(p *parts) {
			p.tarball = func(b []byte) []byte { return append(bytes.Repeat([]byte("x"), blockSize), b...) }
		}, "neither a GNU nor a ustar header"},
		"no end":       {func(p *parts) { p.tarball = func(b []byte) []byte { return b[:len(b)-2*blockSize] } }, "cut short"},
		"no content":   {func(p *parts) { p.tarball = func(b []byte) []byte { return b[:len(b)-3*blockSize] } }, "cut short"},
		"goes on":      {func(p *parts) { p.tarball = func(b []byte) []byte { return append(b, 1) } }, "goes on after its end"},
		"bad checksum": {func(p *parts) { p.tarball = func(b []byte) []byte { b[0] = '/'; return b } }, "invalid tar header"},
		"gnu times": {data("./x", func(h *tar.Header) { h.AccessTime = h.ModTime }),
			"GNU header with times"},
		"pax":           {func(p *parts) { p.format = tar.FormatPAX; p.add("./ü", asIs) }, "PAX header"},
		"base 256":      {data("./x", func(h *tar.Header) { h.Uid = 1 << 30 }), "base 256"},
		"hard link":     {data("./x", func(h *tar.Header) { h.Typeflag = tar.TypeLink; h.Linkname = "./usr/sbin/sqmd" }), "type '1'"},
		"device":        {data("./x", func(h *tar.Header) { h.Typeflag = tar.TypeChar }), "type '3'"},
		"fifo":          {data("./x", func(h *tar.Header) { h.Typeflag = tar.TypeFifo }), "type '6'"},
		"file as link":  {data("./x", func(h *tar.Header) { h.Linkname = "y" }), "with a link's target"},
		"nowhere":       {data("./x", func(h *tar.Header) { h.Typeflag = tar.TypeSymlink }), "link to nowhere"},
		"owner":         {data("./x", func(h *tar.Header) { h.Uid = 1000 }), "belongs to 1000:0"},
		"group":         {data("./x", func(h *tar.Header) { h.Gid = 1 }), "belongs to 0:1"},
		"owner of dir":  {data("./x/", func(h *tar.Header) { h.Typeflag = tar.TypeDir; h.Gid = 1 }), "belongs to 0:1"},
		"setuid":        {data("./x", func(h *tar.Header) { h.Mode = 0o4755 }), "only permission bits"},
		"traversal":     {data("./../x", asIs), "not clean"},
		"dotdot":        {data("..", asIs), "not clean"},
		"inner dots":    {data("./a/../x", asIs), "not clean"},
		"absolute":      {data("/etc/x", asIs), "not clean"},
		"dir outside":   {data("../x/", func(h *tar.Header) { h.Typeflag = tar.TypeDir }), "not clean"},
		"twice":         {data("usr/sbin/sqmd", asIs), "is there twice"},
		"below a link":  {data("./usr/sbin/sqm/x", asIs), "is a directory and something else"},
		"dir on a link": {data("./usr/sbin/sqm/", func(h *tar.Header) { h.Typeflag = tar.TypeDir }), "is a directory and something else"},
		"file as root":  {data("./", func(h *tar.Header) { h.Typeflag = tar.TypeSymlink; h.Linkname = "x" }), "not absolute and clean"},
		"line break":    {data("./a\nb", asIs), "control character"},

		"no data":          {func(p *parts) { p.names = []string{controlTar} }, "no data.tar.gz"},
		"no control":       {func(p *parts) { p.names = []string{dataTar} }, "no control.tar.gz"},
		"no control file":  {func(p *parts) { p.control = nil }, "no control file"},
		"two stanzas":      {control(func(s string) string { return s + "\n" + s }), "2 stanzas"},
		"no stanza":        {control(func(string) string { return "\n" }), "0 stanzas"},
		"field twice":      {control(func(s string) string { return "Package: sqmd\n" + s }), "field Package is there twice"},
		"continues":        {control(func(s string) string { return " x\n" + s }), "line 1: \" x\" continues no field"},
		"no colon":         {control(func(s string) string { return s + "x\n" }), "is not \"Field: value\""},
		"no name":          {replace("Package: sqmd\n", ""), "no name"},
		"no architecture":  {replace("Architecture: mips_24kc\n", ""), "no architecture"},
		"no description":   {replace("Description: Smart queue management\n", "Description:\n"), "no title"},
		"limit":            {replace("kmod-ifb", "kmod-ifb (>= 5)"), "dependency \"kmod-ifb (>= 5)\""},
		"time":             {replace("1700000000", "soon"), "not a number of seconds"},
		"late":             {replace("1700000000", "170000000000"), "between 1970 and 2242"},
		"size":             {replace("Installed-Size: ", "Installed-Size: -"), "not a number of bytes"},
		"carriage returns": {control(func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }), "control character"},
		"other script": {func(p *parts) { p.control = append(p.control, regular("./preinst", []byte("x"))) },
			"\"preinst\" in the control archive is not one of OpenWrt's"},
		"other postinst": {func(p *parts) { p.edit("postinst", func(s string) string { return s + "x" }) },
			"\"postinst\" in the control archive is not one of OpenWrt's"},
		"huge control": {func(p *parts) {
			p.edit("control", func(s string) string { return s + " " + strings.Repeat("x", maxControl) })
		}, "unpacks to more than 1048576 bytes"},
		"bomb": {func(p *parts) {
			p.file = func([]byte) []byte { return compress(make([]byte, maxPackage+maxControl+1)) }
		},
			"unpacks to more than"},
		"huge file": {func(p *parts) { p.file = func([]byte) []byte { return make([]byte, maxPackage+1) } }, "more than 67108864 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			p := ordinary(t)
			c.change(p)
			_, err := Read(bytes.NewReader(p.build(t)))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestCheckFinds(t *testing.T) {
	replace := func(old, new string) func(*parts) {
		return func(p *parts) {
			p.edit("control", func(s string) string { return strings.Replace(s, old, new, 1) })
		}
	}
	for name, c := range map[string]struct {
		change func(*parts)
		want   string
	}{
		"order":       {func(p *parts) { slices.Reverse(p.names) }, "package holds [\"./control.tar.gz\""},
		"gzip header": {func(p *parts) { p.file = func(b []byte) []byte { b[4] = 1; return b } }, "has a name, a comment or a time"},
		"version":     {func(p *parts) { p.version = "3.0\n" }, "debian-binary is \"3.0\\n\""},
		"inner dot":   {func(p *parts) { p.data[1].header.Name = "etc/" }, "etc/ comes first or without ./"},
		"no root":     {func(p *parts) { p.data = p.data[1:] }, "./etc/ comes first"},
		"no directory": {func(p *parts) { p.data = slices.Delete(p.data, 1, 2) },
			"/etc/config has no directory"},
		"order of files": {func(p *parts) { p.data[3], p.data[4] = p.data[4], p.data[3] }, "/etc/config/sqm comes after /etc/config/sqmd"},
		"time":           {func(p *parts) { p.data[3].header.ModTime = time.Unix(1, 0) }, "./etc/config/sqm is of 1970"},
		"user name":      {func(p *parts) { p.data[3].header.Uname = "build" }, "belongs to \"build\":\"\""},
		"mode of dir":    {func(p *parts) { p.data[1].header.Mode = 0o700 }, "./etc/ has mode 700, not 755"},
		"mode of script": {func(p *parts) { p.control[3].header.Mode = 0o644 }, "postinst has mode 644, not 755"},
		"mode of control": {func(p *parts) {
			for _, e := range p.control[1:3] {
				e.header.Mode = 0o755
			}
		}, "conffiles has mode 755, not 644"},
		"no prerm": {func(p *parts) {
			p.control = slices.DeleteFunc(p.control, func(e entry) bool { return e.header.Name == "./prerm" })
		}, "lacks postinst or prerm"},
		"size":        {replace("Installed-Size: 8", "Installed-Size: 9"), "Installed-Size is 9704, but data.tar has 8704 bytes"},
		"epoch":       {replace("1700000000", "1700000001"), "SourceDateEpoch is 2023-11-14 22:13:21"},
		"field order": {replace("Section: net\n", "Section: net\nURL: x\n"), "control is not in the order or the form"},
		"conffiles unsorted": {func(p *parts) {
			p.edit("conffiles", func(string) string { return "/etc/config/sqmd\n/etc/config/sqm\n" })
		}, "conffiles are not sorted lines"},
		"conffiles cut": {func(p *parts) {
			p.edit("conffiles", func(s string) string { return strings.TrimSuffix(s, "\n") })
		}, "conffiles are not sorted lines"},
		"conffile not shipped": {func(p *parts) {
			p.edit("conffiles", func(s string) string { return s + "/etc/passwd\n" })
		}, "not among the package's regular files"},
		"unreadable": {func(p *parts) { p.names = nil }, "no control.tar.gz"},
		"unwritable": {replace("Package: sqmd", "Package: a b"), "checking package"},
	} {
		t.Run(name, func(t *testing.T) {
			p := ordinary(t)
			c.change(p)
			err := Check(p.build(t))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if err := Check(ordinary(t).build(t)); err != nil {
		t.Error(err)
	}
}

func TestUnpackGivesTheControlArchive(t *testing.T) {
	c, err := Unpack(bytes.NewReader(write(t, small())))
	if err != nil {
		t.Fatal(err)
	}
	want := []bundle.File{
		{Path: "/conffiles", Mode: 0o644, Content: []byte("/etc/config/sqm\n/etc/config/sqmd\n")},
		{Path: "/control", Mode: 0o644, Content: []byte(smallControl)},
		{Path: "/postinst", Mode: 0o755, Content: []byte(postinstText)},
		{Path: "/postinst-pkg", Mode: 0o755, Content: []byte("echo installed\n")},
		{Path: "/prerm", Mode: 0o755, Content: []byte(prermText)},
		{Path: "/prerm-pkg", Mode: 0o755, Content: []byte("echo going\n")},
	}
	if diff := cmp.Diff(want, c.Control); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(small().Files, c.Data, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

const smallControl = `Package: sqmd
Version: 1.2.3-r1
Depends: kmod-ifb, kmod-sched-cake
Conflicts: qos-scripts
Provides: sqm
Source: feeds/packages/net/sqmd
SourceName: sqmd
License: GPL-2.0-or-later
Section: net
SourceDateEpoch: 1700000000
Architecture: mips_24kc
Installed-Size: 8704
Description: Smart queue management
 Shapes what
 comes and goes.
`

func FuzzRead(f *testing.F) {
	f.Add(write(f, small()))
	f.Add(compress(nil))
	f.Add([]byte("!<arch>\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		_, err := Read(bytes.NewReader(file))
		if Check(file) == nil && err != nil {
			t.Error(err)
		}
	})
}

// FuzzTars goes below the gzip layers, where most changes are only a wrong checksum.
func FuzzTars(f *testing.F) {
	add := func(p *parts) { f.Add(p.tar(f, p.control), p.tar(f, p.data)) }
	add(ordinary(f))
	ustar := ordinary(f)
	ustar.format = tar.FormatUSTAR
	add(ustar)
	pax := ordinary(f)
	pax.format = tar.FormatPAX
	pax.add("./ü", asIs)
	add(pax)
	long := ordinary(f)
	long.add("./"+strings.Repeat("long/", 30), func(h *tar.Header) { h.Typeflag = tar.TypeDir })
	long.add("./link", func(h *tar.Header) { h.Typeflag = tar.TypeSymlink; h.Linkname = strings.Repeat("../", 50) + "x" })
	add(long)

	f.Fuzz(func(t *testing.T, control, data []byte) {
		var c Contents
		var errControl, errData error
		c.Control, _, errControl = treeFiles(control)
		c.Data, c.Time, errData = treeFiles(data)
		if errControl != nil || errData != nil {
			return
		}
		got, err := c.bundle()
		if err != nil {
			return
		}
		file := write(t, got)
		if err := Check(file); err != nil {
			t.Error(err)
		}
		again, err := Read(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, again, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
}
