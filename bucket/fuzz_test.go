package bucket

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"alcove/bucket/changelog"
	"alcove/bucket/damage"
	"alcove/record"
)

// reread decodes what lies under a key, and gives the JSON of the record.
func (t *AnyTable) reread(k, v []byte) ([]byte, error) {
	r, err := t.decode(k, v)
	if err != nil {
		return nil, err
	}
	if t.cacheable() {
		t.entriesOf(r) // no record is such that its places in the indexes cannot be told
	}
	return encode(r)
}

// Whatever bytes lie under a key, reading them gives a record that stays the
// same when it is stored again, or an error that names the key.
func FuzzRecord(f *testing.F) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	tables, key := schema.tables, bytes.Repeat([]byte{0, 0, 0, 0, 0, 0, 0, 5}, 2)
	for _, r := range []any{
		&record.Account{ID: 5, Email: "a@b.example", Created: now}, &record.Article{Working: record.Working{ID: 5, AccountID: 1, Created: now}}, &record.File{ID: 5, ArticleID: 2, Size: 3, Added: 1},
		&record.PrivateLink{Kind: "article", ItemID: 5, Created: now}, &record.ArticleVersion{ArticleID: 5, Metadata: record.NewMetadata(), Version: 1}, &record.Part{},
	} {
		text, err := encode(r)
		if err != nil {
			f.Fatal(err)
		}
		for n := range byte(len(tables)) {
			f.Add(n, key, text, true)
		}
	}
	f.Add(byte(0), []byte{}, []byte{envelopeFormat, 0, 0, 0, 0, '{', '}'}, false)
	f.Add(byte(3), key, []byte(`{"ID":1e3,"Created":"x","Authors":[null],"Custom":{"a":[`), true)
	f.Fuzz(func(t *testing.T, n byte, key, payload []byte, sealed bool) {
		table := tables[int(n)%len(tables)]
		v := payload
		if sealed {
			v = encodeEnvelope(table.bucketName(), key, payload)
		}
		once, err := table.reread(key, v)
		var damaged *damage.Error
		if err != nil {
			if !errors.As(err, &damaged) || damaged.Bucket != table.bucketName() || !bytes.Equal(damaged.Key, key) {
				t.Fatalf("%s: %v", table.bucketName(), err)
			}
			return
		}
		twice, err := table.reread(key, encodeEnvelope(table.bucketName(), key, once))
		if err != nil || !sameJSON(once, twice) {
			t.Fatalf("%s: %s becomes %s, %v", table.bucketName(), once, twice, err)
		}
	})
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// An entry of the change log is read as it was written, or not at all.
func FuzzChange(f *testing.F) {
	key := intKeys.enc(7)
	entry := make([]byte, 32+8+8+1+32)
	entry[48] = byte(changelog.Changed)
	whole := append(append(append(entry, 6), "people"...), 0, 8, 0, 0, 0, 0, 0, 0, 0, 5)
	f.Add(key, whole, true)
	f.Add(key, append(bytes.Clone(whole), 1, 0, 0, 0, 0, 0, 0, 0, 9), true)
	f.Add(key, whole[:len(whole)-3], true)
	f.Add(key, entry, true)
	f.Add(key[:3], whole, true)
	f.Add(key, encodeEnvelope(logBucket, key, whole), false)
	f.Fuzz(func(t *testing.T, key, payload []byte, sealed bool) {
		v := payload
		if sealed {
			v = encodeEnvelope(logBucket, key, payload)
		}
		c, err := decodeChange(key, v)
		var damaged *damage.Error
		if err != nil {
			if !errors.As(err, &damaged) {
				t.Fatal(err)
			}
			return
		}
		if c.Op.String() == "" || c.ID() < 0 && len(c.Key) < 8 {
			t.Fatalf("%+v", c)
		}
		back := c.Append(nil)
		if !bytes.Equal(back, v[envelopeHead:]) {
			t.Fatalf("%x was read as %+v", payload, c)
		}
	})
}

// A rendered document is read as it was stored, or as damaged, never as parts
// of it or with what follows it.
func FuzzDocs(f *testing.F) {
	key := pairKeys.enc(Pair{5, 1})
	f.Add([]byte(`{"id": 5}`), []byte(`{"id": 5, "files": []}`), uint64(3), 20, byte(1))
	f.Add([]byte{}, []byte{}, uint64(0), 0, byte(0))
	f.Add([]byte("x"), bytes.Repeat([]byte("y"), 300), uint64(1)<<63, 9, byte(255))
	db := openDB(f, f.TempDir(), Options{})
	f.Fuzz(func(t *testing.T, list, full []byte, settings uint64, at int, flip byte) {
		if _, err := ArticleDocs.read(key, list, true); err == nil && len(list) < docsHead+2*partHead {
			t.Fatalf("%x was read", list)
		}
		var v []byte
		write(t, db, func(tx *Tx) error {
			if err := ArticleDocs.Put(tx, Pair{5, 1}, Doc{Settings: settings, List: list, Full: full}); err != nil {
				return err
			}
			v = bytes.Clone(tx.bucket(ArticleDocs.bucketName()).Get(key))
			return nil
		})
		doc, err := ArticleDocs.read(key, v, true)
		if err != nil || !bytes.Equal(doc.List, list) || !bytes.Equal(doc.Full, full) || doc.Settings != settings || doc.ListSum != SumOf(list) || doc.FullSum != SumOf(full) {
			t.Fatalf("%q and %q came back as %+v, %v", list, full, doc, err)
		}
		if flip == 0 {
			return
		}
		at = int(uint(at) % uint(len(v)))
		v[at] ^= flip
		doc, err = ArticleDocs.read(key, v, true)
		if settingsByte := at >= 1 && at < 9; err == nil && !settingsByte {
			t.Fatalf("byte %d changed, and %+v was read", at, doc)
		}
	})
}
