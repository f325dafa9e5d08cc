package bolt

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"alcove/bucket/kv"
)

// grown makes a file with some buckets of some pages, and free pages.
func grown(t *testing.T, path string) {
	t.Helper()
	s, err := Make(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for round := range 3 {
		err := kv.Update(s, func(tx kv.Tx) error {
			for b := range 8 {
				bucket, err := tx.Create(fmt.Sprint("bucket", b))
				if err != nil {
					return err
				}
				for k := range 300 {
					if round == 2 && k < 50 {
						err = bucket.Delete(fmt.Appendf(nil, "key%04d", k))
					} else {
						err = bucket.Put(fmt.Appendf(nil, "key%04d", k), bytes.Repeat([]byte{byte(round)}, 100+k))
					}
					if err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A bit of the head of a page that flips costs no entry of another page: the room that the head
// claims belongs to others. The free list holds no entries, so that its head costs none.
func TestHeadCostsOnlyItsPage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	grown(t, path)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h, err := readHeads(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	m, ok := h.newest()
	if !ok {
		t.Fatal("no meta")
	}
	read := func(file []byte) (entries, found int) {
		t.Helper()
		err := walkFile(t.Context(), bytes.NewReader(file), m, nil, func(bucket string, k, v []byte) {
			if bucket != "" {
				entries++
			}
		}, func(Damage) { found++ })
		if err != nil {
			t.Fatal(err)
		}
		return entries, found
	}
	want, found := read(file)
	if want < 1000 || found > 0 {
		t.Fatalf("%d entries, %d findings", want, found)
	}
	flips := func(page uint64, fn func(at int64, bit int)) {
		for at := int64(page) * m.pageSize; at < int64(page)*m.pageSize+pageHead; at++ {
			for bit := range 8 {
				file[at] ^= 1 << bit
				fn(at-int64(page)*m.pageSize, bit)
				file[at] ^= 1 << bit
			}
		}
	}
	flips(m.freelist, func(at int64, bit int) {
		if n, found := read(file); n != want || found == 0 {
			t.Errorf("byte %d, bit %d of the free list: %d entries of %d, %d findings", at, bit, n, want, found)
		}
	})
	for page := uint64(2); page < m.pages; page++ {
		b := file[int64(page)*m.pageSize:]
		if native.Uint64(b) != page || native.Uint16(b[8:]) != leafFlag || native.Uint32(b[12:]) > 0 {
			continue
		}
		b[12] ^= 4 // as if four more pages belonged to it
		if n, _ := read(file); n != want {
			t.Errorf("page %d costs %d entries", page, want-n)
		}
		b[12] ^= 4
	}
}
