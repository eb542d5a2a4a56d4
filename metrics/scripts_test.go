// SPDX-License-Identifier: GPL-2.0-or-later

package metrics

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sqmd/daemon"
)

// fakeSQMD puts a program sqmd in PATH that prints text for `sqmd status
// --openmetrics` and fails as sqmd does when a queue is not shaped.
func fakeSQMD(t *testing.T, text string) {
	t.Helper()
	dir := t.TempDir()
	answer := filepath.Join(dir, "answer")
	program := "#!/bin/sh\n[ \"$*\" = 'status --openmetrics' ] || exit 2\ncat '" + answer + "'\nexit 1\n"
	write(t, answer, text)
	write(t, filepath.Join(dir, "sqmd"), program)
	if err := os.Chmod(filepath.Join(dir, "sqmd"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func textfile(target string) ([]byte, error) {
	return exec.Command("sh", "../contrib/prometheus/sqmd-textfile.sh", target).CombinedOutput()
}

// TestTextfile holds that the file has all samples as sqmd wrote them, and
// nothing that the text format 0.0.4 does not know.
func TestTextfile(t *testing.T) {
	for name, r := range reports() {
		t.Run(name, func(t *testing.T) {
			text := written(t, r)
			fakeSQMD(t, text)
			dir := filepath.Join(t.TempDir(), "prometheus")
			target := filepath.Join(dir, "sqmd.prom")
			if out, err := textfile(target); err != nil || len(out) > 0 {
				t.Fatalf("%v: %s", err, out)
			}
			if diff := cmp.Diff(textFormat(t, r), read(t, target)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			files, err := os.ReadDir(dir)
			if err != nil || len(files) != 1 {
				t.Errorf("left behind: %v, %v", files, err)
			}
			if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o644 {
				t.Errorf("%v, %v", info, err)
			}
		})
	}
}

// textFormat is the report in the format 0.0.4: the golden text with each
// family's metadata under the name of its samples.
func textFormat(t *testing.T, r daemon.Report) string {
	t.Helper()
	text := written(t, r)
	for _, f := range checked(t, r).families {
		for _, what := range []string{"TYPE", "HELP"} {
			text = strings.Replace(text, "# "+what+" "+f.name+" ", "# "+what+" "+f.sampleName()+" ", 1)
		}
		text = strings.Replace(text, "# UNIT "+f.name+" "+f.unit+"\n", "", 1)
	}
	return text
}

// TestTextfileWithoutAnswer holds that old numbers do not survive.
func TestTextfileWithoutAnswer(t *testing.T) {
	whole := written(t, cakeReport())
	for name, answer := range map[string]string{"nothing": "", "half": whole[:len(whole)/2], "no end": strings.TrimSuffix(whole, "# EOF\n")} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			target := filepath.Join(dir, "sqmd.prom")
			write(t, target, whole)
			fakeSQMD(t, answer)
			out, err := textfile(target)
			if err == nil || !bytes.Contains(out, []byte("no whole answer")) {
				t.Errorf("%v: %s", err, out)
			}
			if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
				t.Errorf("left behind: %v, %v", files, err)
			}
		})
	}
}

// collectd is the exec script as collectd runs it. gone ends collectd, not the
// script; but told then ends with the script, or fails after a while.
func collectd(t *testing.T, file string) (told *bufio.Scanner, gone func()) {
	t.Helper()
	c := exec.Command("sh", "-c", `sh "$@" & read -r line`, "sh", "../contrib/collectd/sqmd-collectd.sh", file)
	c.Env = append(os.Environ(), "COLLECTD_HOSTNAME=router", "COLLECTD_INTERVAL=1.000")
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdout = writer
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	reader.SetReadDeadline(time.Now().Add(time.Minute))
	gone = func() {
		in.Close()
		c.Wait()
	}
	t.Cleanup(func() {
		gone()
		reader.Close()
	})
	return bufio.NewScanner(reader), gone
}

// prom is a file as the textfile script writes it, of a given time.
func prom(t *testing.T, path string, r daemon.Report, unix int64) {
	t.Helper()
	draft := path + ".draft"
	write(t, draft, textFormat(t, r))
	if err := os.Chtimes(draft, time.Unix(unix, 0), time.Unix(unix, 0)); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(draft, path); err != nil {
		t.Fatal(err)
	}
}

// TestCollectd compares what collectd is told with golden files, and holds that
// the script does not outlive collectd.
func TestCollectd(t *testing.T) {
	for name, r := range reports() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "sqmd.prom")
			prom(t, file, r, 1700000000)
			told, gone := collectd(t, file)
			got := ""
			for told.Scan() {
				got += told.Text() + "\n"
				gone()
			}
			if err := told.Err(); err != nil {
				t.Fatalf("the script goes on: %v", err)
			}
			golden := filepath.Join("testdata", name+".collectd")
			if *update {
				write(t, golden, got)
			}
			if diff := cmp.Diff(read(t, golden), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", golden, diff)
			}
		})
	}
}

// TestCollectdTellsOnce holds that numbers are told when they are new, with the
// time at which they were written, and that a file that goes away is no end.
func TestCollectdTellsOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sqmd.prom")
	told, _ := collectd(t, file)
	for unix := int64(1700000000); unix < 1700000002; unix++ {
		prom(t, file, reports()["empty"], unix)
		told.Scan()
		want := fmt.Sprintf(`PUTVAL "router/sqmd/gauge-all_shaped" interval=60 %d:1`, unix)
		if got := told.Text(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}
