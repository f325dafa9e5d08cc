package bucket

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
	"time"

	"alcove/bucket/changelog"
	"alcove/bucket/damage"
	"alcove/bucket/kv"
	"alcove/record"
)

// The log tells who did what to which record, in order, and what it was afterwards.
func TestChanges(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 800, time.UTC)
	db := openDB(t, t.TempDir(), Options{Clock: func() time.Time { return now }})
	steps := []struct {
		actor int64
		fn    func(*Tx) error
	}{
		{7, putPerson(1, "One")},
		{0, putPerson(1, "Uno")},
		{8, func(tx *Tx) error { return Tokens.Put(tx, "abc", &record.Token{AccountID: 8}) }},
		{9, func(tx *Tx) error { return ArticleVersions.Put(tx, Pair{4, 2}, &record.ArticleVersion{ArticleID: 4}) }},
		{9, func(tx *Tx) error { return Parts.Put(tx, Pair{4, 2}, &record.Part{CRC32C: 1}) }}, // not in the log
		{7, func(tx *Tx) error { return People.Delete(tx, 1) }},
	}
	for _, s := range steps {
		if err := db.Update(t.Context(), s.actor, s.fn); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Second)
	}
	want := []struct {
		actor int64
		op    changelog.Operation
		kind  string
		key   []byte
		id    int64
		at    int
	}{
		{7, changelog.Created, "people", intKeys.enc(1), 1, 7},
		{0, changelog.Changed, "people", intKeys.enc(1), 1, 8},
		{8, changelog.Created, "tokens", []byte("abc"), 0, 9},
		{9, changelog.Created, "article_versions", pairKeys.enc(Pair{4, 2}), 4, 10},
		{7, changelog.Deleted, "people", intKeys.enc(1), 1, 12},
	}
	read(t, db, func(tx *Tx) error {
		i := 0
		for c, err := range tx.Changes(0) {
			if err != nil {
				return err
			}
			w := want[i]
			if c.Sequence != uint64(i+1) || c.Actor != w.actor || c.Op != w.op || c.Table != w.kind ||
				!bytes.Equal(c.Key, w.key) || c.ID() != w.id || c.Time.Second() != w.at || c.Time.Nanosecond() != 800 {
				t.Errorf("change %d is %+v, want %+v", i+1, c, w)
			}
			i++
		}
		if i != len(want) {
			t.Errorf("%d changes, want %d", i, len(want))
		}
		var rest []uint64
		for c, err := range tx.Changes(3) {
			if err != nil {
				return err
			}
			rest = append(rest, c.Sequence)
		}
		if fmt.Sprint(rest) != "[4 5]" {
			t.Errorf("changes after 3: %v", rest)
		}
		payload, err := encode(&record.Token{AccountID: 8})
		if err != nil {
			return err
		}
		for c := range tx.Changes(2) {
			if c.Record != sha256.Sum256(payload) {
				t.Error("the hash of the record is not that of its JSON")
			}
			break
		}
		return tx.CheckChain()
	})
	if db.Sequence() != 5 {
		t.Errorf("sequence %d, want 5", db.Sequence())
	}
}

// Whatever is altered in a log, the check says so, and it fails at the first entry that
// shows it.
func TestAlteredLog(t *testing.T) {
	const n = 6
	key := func(seq int) []byte { return intKeys.enc(int64(seq)) }
	edit := func(seq, at int) func(kv.Bucket) error {
		return func(b kv.Bucket) error {
			v := bytes.Clone(b.Get(key(seq)))
			v[len(v)+at] ^= 1
			return b.Put(key(seq), v)
		}
	}
	// forge seals an entry again, as an attacker would that knows the format.
	forge := func(b kv.Bucket, seq int, stored []byte) error {
		return b.Put(key(seq), encodeEnvelope("log", key(seq), stored[envelopeHead:]))
	}
	tests := []struct {
		name   string
		alter  func(kv.Bucket) error
		broken bool
	}{
		{"untouched", func(kv.Bucket) error { return nil }, false},
		{"first removed", func(b kv.Bucket) error { return b.Delete(key(1)) }, true},
		{"middle removed", func(b kv.Bucket) error { return b.Delete(key(3)) }, true},
		{"last removed", func(b kv.Bucket) error { return b.Delete(key(n)) }, true},
		{"all removed", func(b kv.Bucket) error {
			var err error
			for seq := 1; seq <= n; seq++ {
				err = errors.Join(err, b.Delete(key(seq)))
			}
			return err
		}, true},
		{"two swapped", func(b kv.Bucket) error {
			v2, v3 := bytes.Clone(b.Get(key(2))), bytes.Clone(b.Get(key(3)))
			return errors.Join(b.Put(key(2), v3), b.Put(key(3), v2))
		}, true},
		{"one repeated", func(b kv.Bucket) error { return b.Put(key(4), bytes.Clone(b.Get(key(3)))) }, true},
		{"one more", func(b kv.Bucket) error { return b.Put(key(n+1), bytes.Clone(b.Get(key(n)))) }, true},
		{"first edited", edit(1, -1), true},
		{"middle edited", edit(3, -1), true},
		{"actor of the last edited", edit(n, -(8 + 2 + 6 + 1 + 32 + 1 + 1)), true},
		{"key of the last edited", edit(n, -1), true},
		{"middle edited by a forger", func(b kv.Bucket) error {
			v := bytes.Clone(b.Get(key(3)))
			v[len(v)-1] ^= 1
			return forge(b, 3, v)
		}, true},
		{"two swapped by a forger", func(b kv.Bucket) error {
			v2, v3 := bytes.Clone(b.Get(key(2))), bytes.Clone(b.Get(key(3)))
			return errors.Join(forge(b, 2, v3), forge(b, 3, v2))
		}, true},
		{"one added by a forger", func(b kv.Bucket) error {
			return errors.Join(b.SetSequence(b.Sequence()+1), forge(b, n+1, bytes.Clone(b.Get(key(n)))))
		}, true},
		{"one cut short", func(b kv.Bucket) error { return b.Put(key(3), bytes.Clone(b.Get(key(3))[:40])) }, true},
	}
	db := openDB(t, t.TempDir(), Options{})
	write(t, db, func(tx *Tx) (err error) {
		for id := int64(1); id <= n; id++ {
			err = errors.Join(err, putPerson(id, "P")(tx))
		}
		return err
	})
	for _, test := range tests {
		b, err := db.kv.Begin(true)
		if err != nil {
			t.Fatal(err)
		}
		if err := test.alter(b.Bucket(logBucket)); err != nil {
			t.Fatal(err)
		}
		err = (&Tx{kv: b}).CheckChain()
		var damaged *damage.Error
		if found := errors.Is(err, changelog.ErrChain) || errors.As(err, &damaged); found != test.broken || (err != nil) != test.broken {
			t.Errorf("%s: %v", test.name, err)
		}
		b.Rollback()
	}
}

// A flipped bit anywhere in an entry is found when the entry is read, also in the last
// one, which no other entry vouches for yet.
func TestFlippedBitsInLog(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	write(t, db, putPerson(1, "One"))
	var k, v []byte
	read(t, db, func(tx *Tx) error {
		k, v = kv.First(tx.kv.Bucket(logBucket).Descend(nil))
		k, v = bytes.Clone(k), bytes.Clone(v)
		return nil
	})
	if _, err := decodeChange(k, v); err != nil {
		t.Fatal(err)
	}
	for i := range v {
		bad := bytes.Clone(v)
		bad[i] ^= 4
		var damaged *damage.Error
		if _, err := decodeChange(k, bad); !errors.As(err, &damaged) {
			t.Fatalf("byte %d of %d: got %v, want a *DamagedError", i, len(v), err)
		}
	}
	for n := range v {
		if _, err := decodeChange(k, v[:n]); err == nil {
			t.Fatalf("an entry cut after %d bytes is read", n)
		}
	}
}

// Whatever the clock does, the times of the log never decrease, also not over a restart.
func TestClockBackwards(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	offsets := []int{10, 5, 20, -3000, 21, 0, 7, 22}
	var now time.Time
	dir := t.TempDir()
	o := Options{Clock: func() time.Time { return now }}
	db := openDB(t, dir, o)
	if !db.LastChange().IsZero() {
		t.Errorf("LastChange of an empty store is %v", db.LastChange())
	}
	for i, s := range offsets {
		now = start.Add(time.Duration(s) * time.Second)
		write(t, db, func(tx *Tx) error {
			if seconds := tx.Now().Sub(start); seconds < 0 {
				return fmt.Errorf("the transaction is at %v", seconds)
			}
			return putPerson(int64(i+1), "P")(tx)
		})
		if i == 3 {
			closeDB(t, db)
			db = openDB(t, dir, o)
		}
	}
	read(t, db, func(tx *Tx) error {
		var seconds []int
		for c, err := range tx.Changes(0) {
			if err != nil {
				return err
			}
			seconds = append(seconds, int(c.Time.Sub(start)/time.Second))
		}
		if fmt.Sprint(seconds) != "[10 10 20 20 21 21 21 22]" {
			t.Errorf("times of the log: %v", seconds)
		}
		return nil
	})
	if !db.LastChange().Equal(start.Add(22 * time.Second)) {
		t.Errorf("LastChange is %v", db.LastChange())
	}
}

// Changed wakes those who wait for the next commit, who then see its sequence.
func TestChanged(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	before, changed := db.Sequence(), db.Changed()
	select {
	case <-changed:
		t.Fatal("changed before anything was written")
	default:
	}
	seen := make(chan uint64)
	go func() {
		<-changed
		seen <- db.Sequence()
	}()
	if err := db.Update(context.Background(), 1, putPerson(1, "One")); err != nil {
		t.Fatal(err)
	}
	if got := <-seen; got != before+1 {
		t.Errorf("sequence %d after %d", got, before)
	}
	if err := db.Update(context.Background(), 1, func(*Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	select {
	case <-db.Changed():
		t.Error("an Update that wrote nothing was announced")
	default:
	}
}

// Entries name tables and keys of every length that fits.
func TestChangeLengths(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	long := string(bytes.Repeat([]byte("k"), 64))
	write(t, db, func(tx *Tx) error {
		return errors.Join(Tokens.Put(tx, "k", &record.Token{}), Tokens.Put(tx, long, &record.Token{}))
	})
	read(t, db, func(tx *Tx) error {
		var keys []string
		for c, err := range tx.Changes(0) {
			if err != nil {
				return err
			}
			keys = append(keys, string(c.Key))
		}
		if fmt.Sprint(keys) != fmt.Sprint([]string{"k", long}) {
			t.Errorf("keys %v", keys)
		}
		return nil
	})
	if c := (&changelog.Change{Key: binary.BigEndian.AppendUint64(nil, 12)}); c.ID() != 12 {
		t.Errorf("ID is %d", c.ID())
	}
}
