package bucket

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"alcove/record"

	"pgregory.net/rapid"
)

// Sort keys order as their parts do, part by part.
func TestSortKeyOrder(t *testing.T) {
	day := time.Date(2026, 5, 6, 0, 0, 0, 0, time.UTC)
	ascending := [][]any{
		{int64(math.MinInt64)}, {int64(-256)}, {int64(-1)}, {0}, {int64(1)}, {255}, {int64(256)}, {int64(math.MaxInt64)},
		nil,
		{time.Time{}}, {time.Unix(-1, 0)}, {time.Unix(0, 0)}, {day.In(time.FixedZone("", 3600))}, {day.Add(time.Second)},
		nil,
		{""}, {"a"}, {"a b"}, {"aa"}, {"b"}, {"\u00e9"}, {"\U0001f600"},
		nil,
		{"a", 2}, {"a", 3}, {"aa", 1},
		nil,
		{int64(1), day.Add(time.Hour)}, {int64(2), day},
	}
	var before []byte
	for i, parts := range ascending {
		if parts == nil {
			before = nil
			continue
		}
		key := SortKey(parts...)
		if before != nil && bytes.Compare(before, key) >= 0 {
			t.Errorf("%v does not sort after %v", parts, ascending[i-1])
		}
		before = key
	}
	if !bytes.Equal(SortKey(5), SortKey(int64(5))) {
		t.Error("an int and an int64 have different sort keys")
	}
	if !bytes.HasPrefix(SortKey(int64(7), day), SortKey(int64(7))) {
		t.Error("the key of the first parts is not a prefix of the whole key")
	}
	defer func() {
		if recover() == nil {
			t.Error("a sort key of a float")
		}
	}()
	SortKey(1.5)
}

// No text is mistaken for a longer one that begins with it.
func TestFirst(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	write(t, db, func(tx *Tx) (err error) {
		for i, email := range []string{"ab@x", "A@x ", "a@x.org", "c@x\x00d"} {
			err = errors.Join(err, Accounts.Put(tx, int64(i+1), &record.Account{Email: email}))
		}
		return err
	})
	read(t, db, func(tx *Tx) error {
		for email, want := range map[string]int64{"a@x": 2, "ab@x": 1, "a@x.org": 3, "a": 0, "": 0, "b@x": 0, "c@x": 0, "c@x\x00d": 4} {
			got, ok := AccountsByEmail.First(tx, SortKey(email))
			if got != want || ok != (want != 0) {
				t.Errorf("%q is account %d, want %d", email, got, want)
			}
		}
		return nil
	})
}

// bytesIndex is an index whose sort keys are any bytes, to meet the edges of prefixes.
func bytesIndex() (*Table[int64, record.Token], *Index[int64]) {
	table := newTable[int64, record.Token]("tokens", intKeys).Unlogged()
	ix := table.AddIndex("account", 1, func(t *record.Token) []IndexEntry {
		return []IndexEntry{{Sort: fmt.Appendf(nil, "%s", decodeHex(t.Name)), Value: []byte(t.Name)}}
	})
	return table, ix
}

func decodeHex(s string) []byte {
	var b []byte
	fmt.Sscanf(s, "%x", &b)
	return b
}

// Scans yield exactly the entries that begin with a prefix, in either direction, also
// where the prefix ends in 0xff and has no next prefix of its length.
func TestScansWithPrefix(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	table, ix := bytesIndex()
	sorts := [][]byte{
		{}, {0}, {0, 0xff}, {1}, {1, 0xfe}, {1, 0xff}, {1, 0xff, 0}, {1, 0xff, 0xff}, {2}, {2, 0},
		{0xfe, 0xff}, {0xff}, {0xff, 0}, {0xff, 0xff}, {0xff, 0xff, 0xff, 1},
	}
	write(t, db, func(tx *Tx) (err error) {
		for i, s := range sorts {
			err = errors.Join(err, table.Put(tx, int64(i), &record.Token{Name: fmt.Sprintf("%x", s)}))
		}
		return err
	})
	key := func(i int) []byte { return join(sorts[i], intKeys.enc(int64(i))) }
	prefixes := append([][]byte{nil, {0xff, 0xff, 0xff}, {3}, {0xfd}, {0xff, 0xff, 0xff, 0xff}, {1, 0xff, 0xfe}}, sorts...)
	read(t, db, func(tx *Tx) error {
		for _, prefix := range prefixes {
			var want []int64
			for i := range sorts {
				if bytes.HasPrefix(key(i), prefix) {
					want = append(want, int64(i))
				}
			}
			slices.SortFunc(want, func(a, b int64) int { return bytes.Compare(key(int(a)), key(int(b))) })
			var got []int64
			for h := range ix.Ascending(tx, prefix) {
				if !bytes.Equal(h.Sort, sorts[h.Key]) || string(h.Value) != fmt.Sprintf("%x", sorts[h.Key]) {
					t.Errorf("entry %d has sort %x and value %s", h.Key, h.Sort, h.Value)
				}
				got = append(got, h.Key)
			}
			if !slices.Equal(got, want) {
				t.Errorf("ascending %x: %v, want %v", prefix, got, want)
			}
			got = nil
			for h := range ix.Descending(tx, prefix) {
				got = append(got, h.Key)
			}
			if slices.Reverse(want); !slices.Equal(got, want) {
				t.Errorf("descending %x: %v, want %v", prefix, got, want)
			}
			for range ix.Descending(tx, prefix) {
				break // a scan can be left early
			}
		}
		return nil
	})
}

// The lowest key above a prefix is above all keys with it and not above any other.
func TestAfter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 0xfe, 0xff}), 0, 4)
		prefix, key := few.Draw(t, "prefix"), few.Draw(t, "key")
		end := after(prefix)
		in := bytes.Compare(key, prefix) >= 0 && (end == nil || bytes.Compare(key, end) < 0)
		if in != bytes.HasPrefix(key, prefix) {
			t.Fatalf("after(%x) is %x: wrong for %x", prefix, end, key)
		}
	})
}

// A write transaction scans what it has written itself, also when it has just emptied
// whole pages of an index.
func TestScanAfterDeletes(t *testing.T) {
	const n = 600
	db := openDB(t, t.TempDir(), Options{})
	write(t, db, func(tx *Tx) (err error) {
		for id := int64(1); id <= n; id++ {
			err = errors.Join(err, Articles.Put(tx, id, &record.Article{Working: record.Working{AccountID: 5, Created: time.Unix(id, 0)}}))
		}
		return err
	})
	for _, gone := range [][2]int64{{200, 400}, {1, 300}, {300, n + 1}, {1, n}, {2, n + 1}, {1, n + 1}} {
		var up, down, want []int64
		err := db.Update(t.Context(), 1, func(tx *Tx) (err error) {
			up, down, want = nil, nil, nil
			for id := int64(1); id <= n; id++ {
				if id < gone[0] || id >= gone[1] {
					want = append(want, id)
				} else if err := Articles.Delete(tx, id); err != nil {
					return err
				}
			}
			for h := range ArticlesByCreated.Ascending(tx, SortKey(int64(5))) {
				up = append(up, h.Key)
			}
			for h := range ArticlesByCreated.Descending(tx, SortKey(int64(5))) {
				down = append(down, h.Key)
			}
			return errRefused // so that the next case finds all of them again
		})
		if !errors.Is(err, errRefused) {
			t.Fatal(err)
		}
		if slices.Reverse(down); !slices.Equal(up, want) || !slices.Equal(down, want) {
			t.Errorf("without %v: %d left, %d ascending, %d descending", gone, len(want), len(up), len(down))
		}
	}
}

// Which files each index has, and what moves them from one to another.
func TestFileIndexes(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	const article, publish, checking, open = "article", "publish", "checking", "open"
	indexes := map[string]*Index[int64]{
		article: FilesByArticle, publish: FilesToPublish, checking: FilesChecking, open: FilesOpen,
	}
	for _, test := range []struct {
		f  record.File
		in []string
	}{
		{record.File{Status: record.FileCreated}, []string{article, open, publish}},
		{record.File{Status: record.FileChecking}, []string{article, checking, publish}},
		{record.File{Status: record.FileMoving}, []string{article, checking, publish}},
		{record.File{Status: record.FileAvailable}, []string{article, publish}},
		{record.File{Status: record.FileAvailable, Added: 1}, []string{article}},
		{record.File{Status: record.FileAvailable, Added: 1, Dropped: true}, []string{publish}},
		{record.File{Status: record.FileAvailable, Added: 1, Dropped: true, Removed: 2}, nil},
		{record.File{Status: record.FileFailed}, []string{article, publish}},
	} {
		test.f.ArticleID, test.f.Token, test.f.SHA256 = 7, "t", "s"
		write(t, db, func(tx *Tx) error { return Files.Put(tx, 5, &test.f) })
		read(t, db, func(tx *Tx) error {
			var in []string
			for name, ix := range indexes {
				for range ix.Ascending(tx, nil) {
					in = append(in, name)
				}
			}
			if slices.Sort(in); !slices.Equal(in, test.in) {
				t.Errorf("%+v is in %v, want %v", test.f, in, test.in)
			}
			token, _ := FilesByToken.First(tx, SortKey("t"))
			blob, _ := FilesByBlob.First(tx, SortKey("s"))
			if token != 5 || blob != 5 {
				t.Errorf("found by token: %d, by blob: %d", token, blob)
			}
			return nil
		})
	}
	write(t, db, func(tx *Tx) error { return Files.Put(tx, 5, &record.File{}) })
	read(t, db, func(tx *Tx) error {
		for name, ix := range map[string]*Index[int64]{"token": FilesByToken, "blob": FilesByBlob} {
			for h := range ix.Ascending(tx, nil) {
				t.Errorf("a file without a %s is found by %x", name, h.Sort)
			}
		}
		return nil
	})
}

// An entry whose place stays has the value of the latest record.
func TestIndexValueChanges(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	for _, latest := range []int{1, 2, 2, 3} {
		write(t, db, func(tx *Tx) error {
			return PublicArticles.Put(tx, 1, &record.PublicArticle{ID: 1, Latest: latest, Published: time.Unix(9, 0)})
		})
		read(t, db, func(tx *Tx) error {
			for h := range PublicByPublished.Ascending(tx, nil) {
				if got := IndexedFacts(h.Value).Version; got != int64(latest) {
					t.Errorf("version %d, want %d", got, latest)
				}
			}
			return nil
		})
	}
}

// The public readings of an index are those of the private one.
func TestPublicScans(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	write(t, db, func(tx *Tx) (err error) {
		for id := int64(1); id <= 3; id++ {
			err = errors.Join(err,
				PublicArticles.Put(tx, id, &record.PublicArticle{ID: id, Latest: int(10 * id), Published: time.Unix(100-id, 0)}),
				PublicFiles.Put(tx, id, &record.PublicFile{ID: id, ArticleID: 9}))
		}
		return err
	})
	err := db.ViewPublic(func(tx *PublicTx) error {
		var got, walked []int64
		for h := range PublicByPublished.Ascending(tx, nil) {
			got = append(got, h.Key, IndexedFacts(h.Value).Version)
		}
		for h := range PublicByPublished.Descending(tx, SortKey(time.Unix(98, 0))) {
			got = append(got, h.Key)
		}
		for _, up := range []bool{true, false} { // from a place that there is, and from one in between
			for _, from := range [][]byte{join(SortKey(time.Unix(98, 0)), intKeys.enc(2)), join(SortKey(time.Unix(98, 0)), intKeys.enc(1))} {
				for h := range PublicByPublished.Walk(tx, nil, from, up) {
					walked = append(walked, h.Key)
				}
				walked = append(walked, 0)
			}
		}
		if want := []int64{2, 1, 0, 2, 1, 0, 2, 3, 0, 3, 0}; !slices.Equal(walked, want) {
			t.Errorf("walked %v, want %v", walked, want)
		}
		if f, ok := ArticleFacts(tx, 2); !ok || f.Version != 20 || !f.Published.Equal(time.Unix(98, 0)) {
			t.Errorf("facts of 2: %+v, %v", f, ok)
		}
		if _, ok := ArticleFacts(tx, 9); ok {
			t.Error("there are facts of nothing")
		}
		for row, err := range PublicFiles.All(tx, nil) {
			got = append(got, row.Record.ArticleID)
			if err != nil {
				return err
			}
		}
		if want := []int64{3, 30, 2, 20, 1, 10, 2, 9, 9, 9}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if tx.Now().Location() != time.UTC || tx.Now().Nanosecond() != 0 {
			t.Errorf("Now is %v", tx.Now())
		}
		a, err := PublicArticles.Get(tx, 2)
		if err == nil && a.Latest != 20 {
			t.Errorf("article 2: %+v", a)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
