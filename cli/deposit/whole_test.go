package deposit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// contents are the files of a folder by their paths: of several parts, empty, equal ones, in folders whose names and
// the names of files have letters in both of their forms, and two of one name and content in different folders.
func contents() map[string]string {
	return map[string]string{
		"long.bin": strings.Repeat("0123456789", 4) + "end", "empty": "", "a/same.txt": "same", "b/same.txt": "same", "b/copy.txt": "same",
		"b/\u00fc/composed.txt": "x", "b/u\u0308/decomposed.txt": "y", "deep/er/and deeper/f": "z",
	}
}

// folder makes a folder that is an item, and options to deposit it.
func folder(t *testing.T) (*bench, WholeOptions) {
	b := newBench(t)
	for name, text := range contents() {
		b.write("survey/"+name, text)
	}
	o := b.options()
	o.Items = ""
	return b, WholeOptions{Options: o, Paths: []string{filepath.Join(b.dir, "survey")}, Publish: true,
		Words: Words{Title: "A survey", Authors: []string{"Ada"}, EmbargoUntil: "2027-01-01"}}
}

func (b *bench) state() string { return filepath.Join(b.dir, "survey.deposit-state") }

// whole runs the deposit, which must go well, and returns what became of it.
func (b *bench) whole(o WholeOptions) *Result {
	b.t.Helper()
	b.out.Reset()
	results, err := RunWhole(context.Background(), o)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		b.t.Fatalf("%v\n%s", err, b.out.String())
	}
	if len(b.strays) > 0 {
		b.t.Errorf("a token where none belongs, or none where one does: %v", b.strays)
	}
	return results[0]
}

// fails runs a deposit that must be refused with a text.
func (b *bench) fails(o WholeOptions, want string) {
	b.t.Helper()
	b.out.Reset()
	if _, err := RunWhole(context.Background(), o); err == nil || !strings.Contains(err.Error(), want) {
		b.t.Errorf("%v, want %q\n%s", err, want, b.out.String())
	}
}

// only is the one article that the server has.
func (b *bench) only() *article {
	b.t.Helper()
	if len(b.articles) != 1 {
		b.t.Fatalf("%d articles\n%s", len(b.articles), b.out.String())
	}
	for _, a := range b.articles {
		return a
	}
	return nil
}

// checkWhole fails unless the one article has exactly those files, each once.
func (b *bench) checkWhole(want map[string]string) error {
	a := b.only()
	got := map[string]string{}
	for _, f := range a.files {
		at := filepath.ToSlash(filepath.Join(f.folder, f.name))
		if _, twice := got[at]; twice || f.status != "available" {
			return fmt.Errorf("%q is there twice, or %q", at, f.status)
		}
		got[at] = string(f.content)
	}
	if !maps.Equal(got, want) {
		return fmt.Errorf("%d files: %q", len(got), slices.Sorted(maps.Keys(got)))
	}
	return nil
}

// Stopped at any request, the same command goes on: each part is sent once, the article is made once and is not
// public before its embargo is there.
func TestFolderStoppedAtEveryRequest(t *testing.T) {
	t.Parallel()
	for k, ended := 1, false; !ended; k++ {
		b, o := folder(t)
		ctx, cancel := context.WithCancel(context.Background())
		ended = true
		last := 0
		b.set(func(n int, r *http.Request) fault {
			if last = n; n == k {
				ended = false
				cancel()
			}
			return none
		})
		_, err := RunWhole(ctx, o)
		cancel()
		through := err == nil && last == k // its answer was read before anything was heard of the end
		if !ended && !through && !errors.Is(err, context.Canceled) {
			t.Fatalf("request %d: %v\n%s", k, err, b.out.String())
		}
		b.set(nil)
		b.whole(o)
		if err := b.checkWhole(contents()); err != nil {
			t.Fatalf("stopped at request %d: %v\n%s", k, err, b.out.String())
		}
		if a := b.only(); b.puts != 5+6 || a.version != 1 || a.bare {
			t.Fatalf("stopped at request %d: %d parts, version %d, without its embargo: %v", k, b.puts, a.version, a.bare)
		}
		if r := b.whole(o); !r.Nothing || r.Kept != 8 || !strings.Contains(b.out.String(), "Nothing to do: article") || b.puts != 11 {
			t.Errorf("again: %+v\n%s", r, b.out.String())
		}
		b.Close()
	}
}

// Killed at any request, with several files on their way and with the server having done what it was asked or not,
// the next run brings the item to its end.
func TestFolderKilledAtEveryRequest(t *testing.T) {
	t.Parallel()
	for _, did := range []bool{false, true} {
		for k, ended := 1, false; !ended; k += 2 {
			b, o := folder(t)
			o.Parallel = 3
			left := filepath.Join(b.dir, "left")
			ended = true
			b.set(func(n int, r *http.Request) fault {
				switch {
				case n < k:
					return none
				case n == k:
					ended = false
					text, err := os.ReadFile(b.state())
					if err == nil {
						err = os.WriteFile(left, text, 0o600)
					}
					if err != nil && !errors.Is(err, fs.ErrNotExist) {
						t.Error(err)
					}
					if did {
						return dropAfter
					}
				}
				return dropBefore
			})
			RunWhole(context.Background(), o)
			b.set(nil)
			if !ended {
				o.State = left
			}
			b.whole(o)
			if err := b.checkWhole(contents()); err != nil || b.only().version != 1 {
				t.Fatalf("killed at request %d (done %v): %v\n%s", k, did, err, b.out.String())
			}
			b.Close()
		}
	}
}

// A draft follows its folder. Once it is public, changes need --new-version, which keeps what is equal.
func TestFolderChanges(t *testing.T) {
	t.Parallel()
	b, o := folder(t)
	want := contents()
	change := func(name, text string) {
		want[name] = text
		b.write("survey/"+name, text)
	}
	remove := func(name string) {
		delete(want, name)
		if err := os.Remove(filepath.Join(b.dir, "survey", name)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(r *Result, sent, kept int, removed ...string) {
		t.Helper()
		if err := b.checkWhole(want); err != nil || len(r.Sent) != sent || r.Kept != kept || !slices.Equal(r.Removed, removed) {
			t.Errorf("%v: %+v", err, r)
		}
	}
	o.Publish = false
	check(b.whole(o), 8, 0)
	other := &file{id: 7, name: "by others.txt", status: "available"}
	b.only().files = append(b.only().files, other) // put there in the browser
	want["by others.txt"] = ""
	change("a/same.txt", "not the same")
	change("new.txt", "new")
	remove("empty")
	o.Words.Keywords = []string{"k"}
	check(b.whole(o), 2, 6, "empty")
	if a := b.only(); string(a.body["keywords"]) != `["k"]` || a.version != 0 {
		t.Errorf("%s, version %d", a.body["keywords"], a.version)
	}
	o.Publish = true
	if r := b.whole(o); r.State != "public" || len(r.Sent) > 0 || b.only().version != 1 {
		t.Errorf("%+v", r)
	}
	change("a/same.txt", "not the same either")
	remove("b/copy.txt")
	id := b.only().id
	b.fails(o, fmt.Sprintf("article %d is published, and the folder is not like it any more (1 file changed; 1 file gone): a new version takes the changes, with --new-version %d", id, id))
	o.NewVersion = id + 1
	b.fails(o, "by its state file this is article")
	o.NewVersion, o.DryRun = id, true
	if r := b.whole(o); len(r.Sent) != 1 || r.Kept != 6 || !slices.Equal(r.Removed, []string{"b/copy.txt", "by others.txt"}) || !strings.Contains(b.out.String(), "would be sent: a/same.txt") {
		t.Errorf("%+v\n%s", r, b.out.String())
	}
	o.DryRun = false
	delete(want, "by others.txt")
	check(b.whole(o), 1, 6, "b/copy.txt", "by others.txt")
	if a := b.only(); a.version != 2 {
		t.Errorf("version %d", a.version)
	}
	if r := b.whole(o); !r.Nothing || b.only().version != 2 {
		t.Errorf("%+v", r)
	}
	// Without its state file the item is recognised by its id, and is not made public again for nothing.
	if err := os.Remove(b.state()); err != nil {
		t.Fatal(err)
	}
	o.Words.EmbargoUntil, o.Words.Keywords = "", nil
	if r := b.whole(o); !r.Nothing || b.only().version != 2 {
		t.Errorf("%+v\n%s", r, b.out.String())
	}
	change("newer.txt", "newer")
	o.Publish = false
	check(b.whole(o), 1, 7)
	if b.only().version != 2 {
		t.Error("it was made public")
	}
	o.Publish = true
	if b.whole(o); b.only().version != 3 {
		t.Error("it was not made public")
	}
	o.NewVersion = 999
	o.State = filepath.Join(b.dir, "another")
	b.fails(o, "there is no article 999 among yours")
}

// A warning of the server stops publishing, in this run and in a later one. An unchanged file is not read again.
func TestFolderWarnings(t *testing.T) {
	t.Parallel()
	b, o := folder(t)
	o.Words.Title, o.Publish = "A doubtful survey", false
	if r := b.whole(o); !slices.Equal(r.Warnings, []string{"that is doubtful"}) {
		t.Errorf("%+v", r)
	}
	b.write("survey/more.txt", "more")
	o.Publish = true
	b.fails(o, "is there and complete, and not published: the server warns: that is doubtful; with --accept-warnings")
	if b.only().version != 0 {
		t.Error("it is public")
	}
	o.AcceptWarnings = true
	b.whole(o)
	if b.only().version != 1 {
		t.Error("it is not public")
	}
	path := filepath.Join(b.dir, "survey/long.bin")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	b.write("survey/long.bin", strings.Repeat("?", int(info.Size())))
	if err := os.Chtimes(path, time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if r := b.whole(o); !r.Nothing {
		t.Errorf("%+v", r)
	}
}

// A value of the metadata that is not understood is told, and nothing is sent that is to be published.
func TestFolderDoubts(t *testing.T) {
	t.Parallel()
	b, o := folder(t)
	o.Words = Words{}
	b.fails(o, "has no title: say it with --title, or in alcove.json, datacite.json, CITATION.cff, ro-crate-metadata.json")
	b.write("survey/CITATION.cff", "cff-version: 1.2.0\nmessage: cite it\ntitle: By its citation\nauthors:\n  - family-names: L\n    given-names: Ada\n    email: a@example.org\nlicense: [MIT, Apache-2.0]\n")
	b.fails(o, "nothing was sent, because of what was not understood: there are several licences to choose from (MIT, Apache-2.0)")
	if _, err := os.Stat(b.state()); !errors.Is(err, fs.ErrNotExist) || len(b.articles) > 0 {
		t.Error("it left something", err)
	}
	o.Publish = false
	r := b.whole(o)
	want := contents()
	text, _ := os.ReadFile(filepath.Join(b.dir, "survey/CITATION.cff"))
	want["CITATION.cff"] = string(text)
	if err := b.checkWhole(want); err != nil || r.Title != "By its citation" || len(r.Doubts) != 1 || !slices.Equal(r.NotUsed, []string{"authors.email"}) ||
		!strings.Contains(b.out.String(), "not understood: there are several licences") || !strings.Contains(b.out.String(), "says it itself: authors.email") {
		t.Errorf("%v: %+v\n%s", err, r, b.out.String())
	}
}
