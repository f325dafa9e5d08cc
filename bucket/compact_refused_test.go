package bucket

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whoever cannot compact says why and changes nothing.
func TestCompactRefuses(t *testing.T) {
	onFile(t)
	t.Parallel()
	dir := t.TempDir()
	grown(t, dir)
	path := filepath.Join(dir, FileName)
	old := readFile(t, path)
	refused := func(what string, o Compaction, want error, words string) {
		t.Helper()
		_, err := Compact(t.Context(), dir, o)
		if !errors.Is(err, want) || !strings.Contains(fmt.Sprint(err), words) {
			t.Errorf("%s: %v", what, err)
		}
		if !bytes.Equal(readFile(t, path), old) {
			t.Errorf("%s: the file is another", what)
		}
	}
	refused("no room", Compaction{Floor: 1 << 60, Note: func(stage string, _, _ int64) { t.Errorf("it began with %s", stage) }}, ErrNoSpace, "beside the old file the new one needs up to ")
	onlyDatabase(t, dir)

	reader, err := OpenToCheck(dir)
	if err != nil {
		t.Fatal(err)
	}
	refused("a check runs", Compaction{}, ErrInUse, "")
	closeDB(t, reader)
	db := openDB(t, dir, Options{})
	old = readFile(t, path)
	refused("a server runs", Compaction{}, ErrInUse, "")
	write(t, db, putPerson(3, "P"))
	hasPeople(t, db, 3, func(id int64) bool { return id != 2 })
	closeDB(t, db)
	old = readFile(t, path)

	if err := os.WriteFile(filepath.Join(dir, Unfinished), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refused("a restore is not finished", Compaction{}, ErrUnfinished, "")
	none := t.TempDir()
	if _, err := Compact(t.Context(), none, Compaction{}); !errors.Is(err, ErrAbsent) {
		t.Errorf("without a database: %v", err)
	}
	if list, _ := os.ReadDir(none); len(list) > 0 {
		t.Errorf("without a database it made %v", list)
	}
}

// Damage of any kind is told with the words of other commands, and changes nothing.
func TestCompactDamaged(t *testing.T) {
	onFile(t)
	t.Parallel()
	good := t.TempDir()
	grown(t, good)
	old := readFile(t, filepath.Join(good, FileName))
	h, err := readHeads(bytes.NewReader(old))
	if err != nil {
		t.Fatal(err)
	}
	m, _ := h.newest()
	places := map[string]int64{"a page that leads to a commit": h.page[0] + pageHead + 40, "the root page": int64(m.root)*m.pageSize + 8, "the free list": int64(m.freelist)*m.pageSize + pageHead + 9}
	at := map[string]string{"r:articles": "record", "d:articles": "document", "i:articles.created": "index entry", "log": "log entry", "meta": "setting", "r:people": "small record"}
	err = walkFile(t.Context(), bytes.NewReader(old), m, nil, func(bucket string, k, v []byte) {
		if what := at[bucket]; what != "" && places[what] == 0 && len(v) > 4 {
			copy := v[len(v)/2:]
			for from := int64(2) * m.pageSize; ; { // free pages have older copies of some
				i := bytes.Index(old[from:], append(bytes.Clone(k), v...))
				if i < 0 {
					i = bytes.Index(old[from:], v)
				}
				if i < 0 {
					break
				}
				from += int64(i) + 1
				places[what] = from - 1 + int64(len(v)-len(copy))
			}
		}
	}, func(f Finding) { t.Error(f) })
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for what, place := range places {
		dir := t.TempDir()
		path := filepath.Join(dir, FileName)
		bad := bytes.Clone(old)
		bad[place] ^= 4
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Compact(t.Context(), dir, Compaction{})
		if err == nil {
			if finds(t, bad) {
				t.Errorf("%s: nothing was found", what)
			}
			continue // the place was in a free page
		}
		tried++
		if !errors.Is(err, ErrUnusable) && !strings.HasPrefix(err.Error(), "cannot open the database") && !strings.Contains(err.Error(), "checksum") || !strings.Contains(err.Error(), path) && what != "setting" {
			t.Errorf("%s: %v", what, err)
		}
		if b, err := openBolt(path); err == nil { // damage that the look before it has no time for
			c := &compaction{ctx: t.Context(), path: path, old: b, file: b.File}
			if err := c.run(); !errors.Is(err, ErrUnusable) {
				t.Errorf("%s, in a large file: %v", what, err)
			}
			b.Close()
		}
		if !bytes.Equal(readFile(t, path), bad) {
			t.Errorf("%s: the file is another", what)
		}
		onlyDatabase(t, dir)
	}
	if tried < 8 {
		t.Errorf("only %d of %v were damaged", tried, places)
	}
}

// finds reports whether a full check of a file finds something.
func finds(t *testing.T, file []byte) (yes bool) {
	t.Helper()
	h, err := readHeads(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	m, _ := h.newest()
	s := newChecksumWalk(func(Finding) { yes = true })
	if err := walkFile(t.Context(), bytes.NewReader(file), m, nil, s.visit, func(Finding) { yes = true }); err != nil {
		t.Fatal(err)
	}
	s.end(map[string]bool{})
	return yes
}

// A new file that has not the same as the old one does not take its place.
func TestCompactCompares(t *testing.T) {
	onFile(t)
	t.Parallel()
	type entry struct{ bucket, k, v string }
	sequence := string(make([]byte, bucketHead))
	list := []entry{{"", "r:a", sequence}, {"r:a", "1", "one"}, {"r:a", "2", "two"}, {"", "r:b", sequence}, {"r:b", "1", "other"}}
	read := func(list []entry) *contents {
		s := newContents()
		for _, e := range list {
			s.visit(e.bucket, []byte(e.k), []byte(e.v))
		}
		return s
	}
	if why := read(list).differ(read(list)); why != "" {
		t.Error(why)
	}
	counted := strings.Repeat("\x01", bucketHead)
	for what, other := range map[string][]entry{
		"a value":          {list[0], list[1], {"r:a", "2", "twO"}, list[3], list[4]},
		"a key":            {list[0], list[1], {"r:a", "3", "two"}, list[3], list[4]},
		"a shift":          {list[0], list[1], {"r:a", "2t", "wo"}, list[3], list[4]},
		"an entry less":    {list[0], list[1], list[3], list[4]},
		"an entry more":    append(list[:len(list):len(list)], entry{"r:b", "2", ""}),
		"a bucket less":    list[:3],
		"a bucket more":    append(list[:len(list):len(list)], entry{"", "r:c", sequence}),
		"another sequence": {list[0], list[1], list[2], {"", "r:b", counted}, list[4]},
		"another bucket":   {list[0], list[1], list[2], {"", "r:c", sequence}, {"r:c", "1", "other"}},
	} {
		if why := read(list).differ(read(other)); why == "" {
			t.Errorf("%s: nothing is said to differ", what)
		}
	}
}
