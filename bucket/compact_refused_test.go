package bucket

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"alcove/bucket/bolt"
	"alcove/bucket/compaction"
	"alcove/bucket/damage"
	"alcove/bucket/identity"
	"alcove/bucket/kv"
	"alcove/bucket/lock"
)

// A compaction that cannot be made says why and changes nothing.
func TestCompactRefuses(t *testing.T) {
	onFile(t)
	t.Parallel()
	dir := t.TempDir()
	grown(t, dir)
	path := filepath.Join(dir, FileName)
	old := readFile(t, path)
	refused := func(what string, o compaction.Options, want error, words string) {
		t.Helper()
		_, err := Compact(t.Context(), dir, o)
		if !errors.Is(err, want) || !strings.Contains(fmt.Sprint(err), words) {
			t.Errorf("%s: %v", what, err)
		}
		if !bytes.Equal(readFile(t, path), old) {
			t.Errorf("%s: the file is another", what)
		}
	}
	refused("no room", compaction.Options{Floor: 1 << 60, Note: func(stage string, _, _ int64) { t.Errorf("it began with %s", stage) }}, kv.ErrNoSpace, "beside the old file the new one needs up to ")
	onlyDatabase(t, dir)

	reader, err := OpenToCheck(dir)
	if err != nil {
		t.Fatal(err)
	}
	refused("a check runs", compaction.Options{}, lock.ErrInUse, "")
	closeDB(t, reader)
	db := openDB(t, dir, Options{})
	old = readFile(t, path)
	refused("a server runs", compaction.Options{}, lock.ErrInUse, "")
	write(t, db, putPerson(3, "P"))
	hasPeople(t, db, 3, func(id int64) bool { return id != 2 })
	closeDB(t, db)
	old = readFile(t, path)

	if err := os.WriteFile(filepath.Join(dir, identity.Unfinished), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refused("a restore is not finished", compaction.Options{}, identity.ErrUnfinished, "")
	none := t.TempDir()
	if _, err := Compact(t.Context(), none, compaction.Options{}); !errors.Is(err, identity.ErrAbsent) {
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
	m := mustMeta(t, old)
	places := map[string]int64{"a page that leads to a commit": 16 + 40, "the root page": m.root*m.pageSize + 8, "the free list": m.freelist*m.pageSize + 16 + 9}
	at := map[string]string{"r:articles": "record", "d:articles": "document", "i:articles.created": "index entry", "log": "log entry", "meta": "setting", "r:people": "small record"}
	walk(t, old, func(bucket string, k, v []byte) {
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
	}, func(d bolt.Damage) { t.Error(d) })
	tried := 0
	for what, place := range places {
		dir := t.TempDir()
		path := filepath.Join(dir, FileName)
		bad := bytes.Clone(old)
		bad[place] ^= 4
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Compact(t.Context(), dir, compaction.Options{})
		if err == nil {
			if finds(t, bad) {
				t.Errorf("%s: nothing was found", what)
			}
			continue // the place was in a free page
		}
		tried++
		if !errors.Is(err, damage.ErrUnusable) && !strings.HasPrefix(err.Error(), "cannot open the database") && !strings.Contains(err.Error(), "checksum") || !strings.Contains(err.Error(), path) && what != "setting" {
			t.Errorf("%s: %v", what, err)
		}
		if b, err := bolt.Open(path, false); err == nil { // damage that the look before it has no time for
			if _, err := b.Compact(t.Context(), compaction.Options{Check: checkContents}); !errors.Is(err, damage.ErrUnusable) {
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
	s := newChecksumWalk(func(damage.Finding) { yes = true })
	walk(t, file, s.visit, func(bolt.Damage) { yes = true })
	s.end(map[string]bool{})
	return yes
}

// walk goes through all pages of a file.
func walk(t *testing.T, file []byte, visit bolt.Visitor, report func(bolt.Damage)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "copy")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := bolt.OpenDamaged(path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.Walk(t.Context(), visit, report); err != nil {
		t.Fatal(err)
	}
}

// pageOf is where a page says that the pages of a file are.
type pageOf struct{ pageSize, root, freelist, pages int64 }

// mustMeta reads what the newer of the first two pages of a file says, as bbolt writes it.
func mustMeta(t *testing.T, b []byte) pageOf {
	t.Helper()
	if len(b) < 80 || binary.NativeEndian.Uint32(b[16:]) != 0xED0CDAED {
		t.Fatal("the first page cannot be read")
	}
	size := int64(binary.NativeEndian.Uint32(b[16+8:]))
	meta := b[16:]
	number := func(at int) int64 { return int64(binary.NativeEndian.Uint64(meta[at:])) }
	first := number(48) // the number of the commit
	if meta = b[size+16:]; number(48) < first {
		meta = b[16:]
	}
	return pageOf{size, number(16), number(32), number(40)}
}

// halfName is the name of the file that Compact makes, and half where it is.
const halfName = ".new-db-compact"

func half(path string) string { return filepath.Join(filepath.Dir(path), halfName) }
