package deposit

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The files that are left out are told, and those that cannot be deposited are refused, all at once, before anything is sent.
func TestFolderLeavesOut(t *testing.T) {
	t.Parallel()
	b, o := folder(t)
	for _, name := range []string{".git/config", ".DS_Store", "a/Thumbs.db", ".hidden", "inner.deposit-state", "a/~$report.docx", ".zarr/.zarray"} {
		b.write("survey/"+name, "x")
	}
	b.write("outside.txt", "x")
	in := func(name string) string { return filepath.Join(b.dir, "survey", name) }
	for _, err := range []error{os.Mkdir(in("nothing"), 0o755), os.Symlink("long.bin", in("link")), os.Symlink("../b", in("a/to b"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := contents()
	want["link"] = want["long.bin"]
	r := b.whole(o)
	var left []string
	for _, l := range r.LeftOut {
		left = append(left, l.Path+": "+l.Why)
	}
	if err := b.checkWhole(want); err != nil || strings.Join(left, "\n") != strings.Join([]string{".DS_Store: of macOS", ".git: of git", ".hidden: hidden",
		".zarr: hidden", "a/Thumbs.db: of Windows", "a/to b: a link to a folder that is deposited in its own place", "a/~$report.docx: the lock of an office program",
		"inner.deposit-state: a state file of a deposit", "nothing: an empty folder"}, "\n") {
		t.Errorf("%v\n%s", err, strings.Join(left, "\n"))
	}
	for name, to := range map[string]string{"away": "../outside.txt", "far": "..", "broken": "no such file"} {
		if err := os.Symlink(to, in(name)); err != nil {
			t.Fatal(err)
		}
	}
	b.write("survey/bad\xff", "x")
	sent := b.count
	b.fails(o, `"away": the link leads out of the folder, where nothing is read without --follow-outside; "bad\xff": the name is not in UTF-8, and cannot be told to a server: rename it; `+
		`"broken": the link leads nowhere: remove it; "far": the link leads out of the folder`)
	for _, name := range []string{"bad\xff", "broken"} {
		if err := os.Remove(in(name)); err != nil {
			t.Fatal(err)
		}
	}
	o.FollowOutside = true
	b.fails(o, `"far/survey": a link leads back to a folder that it is in`)
	if b.count != sent+2 { // both looked whether the token is right
		t.Errorf("%d requests", b.count-sent)
	}
	if err := os.Remove(in("far")); err != nil {
		t.Fatal(err)
	}
	want["away"], want[".hidden"], want[".zarr/.zarray"] = "x", "x", "x"
	o.Hidden, o.NewVersion = true, b.only().id
	b.whole(o)
	if err := b.checkWhole(want); err != nil {
		t.Error(err)
	}
}

// Files that were named one by one, or matched, are one item, which has a title.
func TestFilesAreOneItem(t *testing.T) {
	t.Parallel()
	b, o := folder(t)
	for _, name := range []string{"one.csv", "two.csv", "Thumbs.db"} {
		b.write(name, name)
	}
	in := func(name string) string { return filepath.Join(b.dir, name) }
	o.Paths = []string{in("*.csv"), in("Thumbs.db")}
	r := b.whole(o)
	if err := b.checkWhole(map[string]string{"one.csv": "one.csv", "two.csv": "two.csv"}); err != nil || len(r.LeftOut) != 1 {
		t.Errorf("%v %+v", err, r)
	}
	if !b.whole(o).Nothing {
		t.Error("it was sent again")
	}
	states, _ := filepath.Glob(in("A-survey-*.deposit-state"))
	if len(states) != 1 {
		t.Errorf("state files: %v", states)
	}
	b.write("other/one.csv", "x")
	for want, paths := range map[string][]string{
		"would have the same name in the item": {in("one.csv"), in("other/one.csv")},
		"is a folder, and":                     {in("one.csv"), in("survey")},
		"nothing matches":                      {in("*.tsv")},
		"there is no file and no folder":       {in("nothing here")},
		"was named twice":                      {in("one.csv"), in("one.csv")},
		"--title is for one item: write the titles of several folders into a table (alcove.csv)": {in("survey"), in("other")},
	} {
		o.Paths = paths
		b.fails(o, want)
	}
	o.Words.Title, o.Paths = "", []string{in("one.csv")}
	b.fails(o, "has no title")
}

// Several folders are an item each, by the rows of a table beside them. One that fails does not stop the others.
func TestFoldersByTable(t *testing.T) {
	t.Parallel()
	b, o := folder(t)
	b.write("run 1/a", "1")
	b.write("run 2/a", "2")
	b.write("run 3/a", "3")
	o.Words = Words{}
	o.Paths = []string{filepath.Join(b.dir, "run *")}
	b.write("alcove.csv", "folder;title;authors;keywords;embargo_until\nrun 1;First run;Ada Lovelace 0000-0002-1825-0097;a;\nrun 2;Second run;\"Ada; Bob\";\"a; b\";2027-01-01\n")
	b.fails(o, "run 3 has no title")
	bodies := map[string]string{}
	for _, a := range b.articles {
		bodies[string(a.body["title"])] = string(a.body["authors"]) + string(a.body["keywords"]) + fmt.Sprint(a.embargo["embargo_date"], len(a.files), a.version)
	}
	if !maps.Equal(bodies, map[string]string{`"First run"`: `[{"name":"Ada Lovelace","orcid_id":"0000-0002-1825-0097"}]["a"]<nil> 1 1`, `"Second run"`: `[{"name":"Ada"},{"name":"Bob"}]["a","b"]2027-01-011 1`}) {
		t.Errorf("%v", bodies)
	}
}

// Progress is of bytes, with speed and time left, and of parts of a file; without a terminal it is plain lines.
func TestFolderProgress(t *testing.T) {
	t.Parallel()
	for _, terminal := range []bool{false, true} {
		b, o := folder(t)
		b.write("survey/long.bin", strings.Repeat("0123456789", 4000))
		b.partSize = 10_000
		o.IsTerminal, o.Parallel = terminal, 1 // one part after the other, so that lines come at known bytes
		b.set(func(_ int, r *http.Request) fault {
			if r.Method == "PUT" && strings.HasPrefix(r.URL.Path, "/upload/") {
				b.time.mu.Lock()
				b.time.at = b.time.at.Add(11 * time.Second)
				b.time.mu.Unlock()
			}
			return none
		})
		b.whole(o)
		said := b.out.String()
		if !terminal && (strings.ContainsAny(said, "\r\x1b") || !regexp.MustCompile(`Sending 7 of 8 files, [123]0.0 kB of 40.0 kB, \d+ B/s, (\d+m)?\d+s left\n`).MatchString(said)) {
			t.Errorf("%q", said)
		}
		if terminal && (!strings.Contains(said, "Sending 0 of 8 files") || !strings.Contains(said, "40 kB")) {
			t.Errorf("%q", said)
		}
	}
}
