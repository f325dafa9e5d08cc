package bucket

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"alcove/bucket/damage"
	"alcove/bucket/kv"
	"alcove/record"
)

// Every flipped bit of a stored record is an error that names the record, and never
// another record's content.
func TestFlippedBits(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	write(t, db, putPerson(5, "Ada \"<b>\" Lovelace"))
	key := intKeys.enc(5)
	var stored []byte
	read(t, db, func(tx *Tx) error {
		stored = bytes.Clone(tx.bucket("r:people").Get(key))
		return nil
	})
	for i := range stored {
		for bit := range 8 {
			bad := bytes.Clone(stored)
			bad[i] ^= 1 << bit
			_, err := People.Any.decode(key, bad)
			var damaged *damage.Error
			if !errors.As(err, &damaged) {
				t.Fatalf("byte %d, bit %d: got %v, want a *DamagedError", i, bit, err)
			}
			if damaged.Bucket != "r:people" || !bytes.Equal(damaged.Key, key) {
				t.Fatalf("byte %d: the error names %s %x", i, damaged.Bucket, damaged.Key)
			}
		}
	}
	for n := range stored {
		var damaged *damage.Error
		if _, err := People.Any.decode(key, stored[:n]); !errors.As(err, &damaged) {
			t.Fatalf("cut after %d bytes: got %v, want a *DamagedError", n, err)
		}
	}
}

// Damage that is on the disk is met by every way of reading and writing.
func TestDamagedRecord(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	write(t, db, func(tx *Tx) error {
		return errors.Join(putPerson(1, "One")(tx), putPerson(2, "Two")(tx), putPerson(3, "Three")(tx))
	})
	rawBucket(t, db, "r:people", func(b kv.Bucket) error {
		v := bytes.Clone(b.Get(intKeys.enc(2)))
		v[len(v)-2] ^= 0x10
		return b.Put(intKeys.enc(2), v)
	})
	var damaged *damage.Error
	read(t, db, func(tx *Tx) error {
		if _, err := People.Get(tx, 2); !errors.As(err, &damaged) || !strings.Contains(err.Error(), "record 2 of r:people") {
			t.Errorf("Get: %v", err)
		}
		rows := 0
		for row, err := range People.All(tx, nil) {
			if err == nil {
				rows++
				if row.Key != 1 {
					t.Errorf("All goes on to %d after the damage", row.Key)
				}
			} else if !errors.As(err, &damaged) {
				t.Errorf("All: %v", err)
			}
		}
		if rows != 1 {
			t.Errorf("All yields %d whole records before the damage, want 1", rows)
		}
		if p, err := People.Get(tx, 3); err != nil || p.FullName != "Three" {
			t.Errorf("the record beside it: %v, %v", p, err)
		}
		return nil
	})
	if err := db.Update(t.Context(), 1, putPerson(2, "New")); !errors.As(err, &damaged) {
		t.Errorf("Put over damage: %v", err)
	}
	err := db.Update(t.Context(), 1, func(tx *Tx) error { return People.Delete(tx, 2) })
	if !errors.As(err, &damaged) {
		t.Errorf("Delete of damage: %v", err)
	}
}

// A record that landed under another key or in another table is damage.
func TestMovedRecord(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	write(t, db, func(tx *Tx) error {
		return errors.Join(
			putPerson(1, "One")(tx), putPerson(2, "Two")(tx),
			Tokens.Put(tx, "aa", &record.Token{AccountID: 1}))
	})
	var stored, token []byte
	read(t, db, func(tx *Tx) error {
		stored = bytes.Clone(tx.bucket("r:people").Get(intKeys.enc(1)))
		token = bytes.Clone(tx.bucket("r:tokens").Get([]byte("aa")))
		return nil
	})
	rawBucket(t, db, "r:people", func(b kv.Bucket) error { return b.Put(intKeys.enc(2), stored) })
	rawBucket(t, db, "r:accounts", func(b kv.Bucket) error { return b.Put(intKeys.enc(1), stored) })
	rawBucket(t, db, "r:tokens", func(b kv.Bucket) error {
		return errors.Join(b.Put([]byte("a"), token), b.Put([]byte("aaa"), token))
	})
	read(t, db, func(tx *Tx) error {
		_, another := People.Get(tx, 2)
		_, table := Accounts.Get(tx, 1)
		_, shorter := Tokens.Get(tx, "a")
		_, longer := Tokens.Get(tx, "aaa")
		for name, err := range map[string]error{"another key": another, "another table": table, "a shorter key": shorter, "a longer key": longer} {
			var damaged *damage.Error
			if !errors.As(err, &damaged) {
				t.Errorf("%s: got %v, want a *DamagedError", name, err)
			}
		}
		if _, err := People.Get(tx, 99); !errors.Is(err, ErrNotFound) {
			t.Errorf("a key without a record: %v", err)
		}
		return nil
	})
}

// An entry of an index whose key a flipped bit has changed is damage for a reader that asks for it: to be told that it
// is not there would let downloads go that an article switches off.
func TestMovedEntry(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	write(t, db, func(tx *Tx) error {
		return PublicArticles.Put(tx, 4, &record.PublicArticle{ID: 4, Latest: 1, DownloadDisabled: true})
	})
	has := func() (off bool, err error) {
		err = db.ViewPublic(func(tx *PublicTx) error {
			off = PublicWithoutDownloads.Holds(tx, nil, 4)
			return nil
		})
		return off, err
	}
	if off, err := has(); err != nil || !off {
		t.Fatal(off, err)
	}
	bucket := PublicWithoutDownloads.ix.bucketName()
	rawBucket(t, db, bucket, func(b kv.Bucket) error {
		v := bytes.Clone(b.Get(intKeys.enc(4)))
		return errors.Join(b.Delete(intKeys.enc(4)), b.Put(intKeys.enc(5), v))
	})
	off, err := has()
	if damaged := new(damage.Error); !errors.As(err, &damaged) {
		t.Errorf("an entry that was moved: %v, %v", off, err)
	}
}
