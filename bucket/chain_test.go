package bucket

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"alcove/bucket/changelog"
	"alcove/bucket/damage"
	"alcove/bucket/kv"
)

// A caller that did not act by a token of its own is in the log with how; an entry of one that did is what
// it was before there were ways.
func TestChangesBy(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	const wayLength, byLength = 1 + 8, 1 + 8 + 8 + 8
	by := []changelog.By{{Account: 7}, {Account: 7, Way: changelog.AsOther, For: 8}, {Account: 9, Way: changelog.ByLink}, {Way: changelog.Operator}, {Way: changelog.Operator, For: 1 << 40}, {},
		{Account: 7, Token: changelog.TokenID{1}, Request: 5}, {Account: 7, Way: changelog.AsOther, For: 8, Token: changelog.TokenID{7: 2}}, {Account: 9, Way: changelog.ByLink, Request: 1 << 60}}
	for i, b := range by {
		if err := db.UpdateBy(t.Context(), b, putPerson(int64(i+1), "P")); err != nil {
			t.Fatal(err)
		}
	}
	read(t, db, func(tx *Tx) error {
		n := 0
		for c, err := range tx.Changes(0) {
			if err != nil {
				return err
			}
			if got := (changelog.By{Account: c.Actor, Way: c.Way, For: c.For, Token: c.Token, Request: c.Request}); got != by[n] || c.ID() != int64(n+1) {
				t.Errorf("change %d is by %+v, want %+v", n+1, got, by[n])
			}
			n++
		}
		plain, as := tx.kv.Bucket(logBucket).Get(intKeys.enc(1)), tx.kv.Bucket(logBucket).Get(intKeys.enc(2))
		if want := envelopeHead + 32 + 8 + 8 + 1 + 32 + 1 + len("people") + 2 + 8; n != len(by) || len(plain) != want || len(as) != want+wayLength {
			t.Errorf("%d changes, the entries have %d and %d bytes, want %d", n, len(plain), len(as), want)
		}
		bad := bytes.Clone(as[envelopeHead:])
		bad[len(bad)-wayLength] = byte(changelog.Plain)
		none := append(bytes.Clone(as[envelopeHead:]), make([]byte, byLength-wayLength)...) // neither token nor request
		for _, v := range [][]byte{bad, append(bytes.Clone(as[envelopeHead:]), 0), bad[:len(bad)-1], none} {
			if _, err := decodeChange(intKeys.enc(2), encodeEnvelope("log", intKeys.enc(2), v)); err == nil {
				t.Errorf("an entry that ends in %x is read", v[len(v)-wayLength:])
			}
		}
		return tx.CheckChain()
	})
}

// An attacker that rewrites the log to its end, hashes and all, passes the check of the chain,
// and not that of a head from before; the chain is the same checked in pieces of any size.
func TestPublishedHead(t *testing.T) {
	const n = 9
	db := openDB(t, t.TempDir(), Options{})
	for id := int64(1); id <= n; id++ {
		write(t, db, putPerson(id, "P"))
	}
	heads := map[uint64]changelog.Head{}
	read(t, db, func(tx *Tx) error {
		for most := 1; most <= n+1; most++ {
			at, done, err := changelog.Head{}, false, error(nil)
			for !done && err == nil {
				if at, done, err = tx.FollowChain(at, most); most == 1 {
					heads[at.Sequence] = at
				}
			}
			if err != nil || at != heads[n] {
				t.Errorf("in pieces of %d it ends at %v: %v", most, at, err)
			}
		}
		return nil
	})
	for _, h := range heads {
		if again, err := changelog.ParseHead(h.String()); err != nil || again != h {
			t.Errorf("%v is read as %v: %v", h, again, err)
		}
	}
	b, err := db.kv.Begin(true)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Rollback()
	if err := rewrite(b, 4, n); err != nil {
		t.Fatal(err)
	}
	tx := &Tx{kv: b}
	if err := tx.CheckChain(); err != nil {
		t.Fatalf("the forged log is not whole: %v", err)
	}
	for seq, h := range heads {
		at, _, err := tx.FollowChain(changelog.Head{}, int(seq))
		if seq > 0 && (err != nil || (at == h) != (seq < 4)) {
			t.Errorf("the forger is seen by the head at %d: %v, %v", seq, at != h, err)
		}
		if _, _, err := tx.FollowChain(h, math.MaxInt); (err == nil) != (seq < 4 || seq == n) {
			t.Errorf("going on from the head at %d: %v", seq, err)
		}
	}
}

// rewrite gives the entry at a sequence another actor, and all entries from there on to the
// last the hashes that go with it.
func rewrite(b kv.Tx, seq, last int64) (err error) {
	log := b.Bucket(logBucket)
	for i := seq; i <= last; i++ {
		k := intKeys.enc(i)
		v := bytes.Clone(log.Get(k)[envelopeHead:])
		if i == seq {
			v[47] ^= 1
		} else {
			sum := changelog.Hash(intKeys.enc(i-1), log.Get(intKeys.enc(i-1)))
			copy(v, sum[:])
		}
		err = errors.Join(err, log.Put(k, encodeEnvelope("log", k, v)))
	}
	return err
}

// The last entry before any moment is found, also between and beyond the entries, and where
// several have the same time.
func TestSequenceBefore(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	start := now
	db := openDB(t, t.TempDir(), Options{Clock: func() time.Time { return now }})
	seconds := []int{1, 1, 1, 4, 6, 6, 9}
	for i, s := range seconds {
		now = start.Add(time.Duration(s) * time.Second)
		write(t, db, putPerson(int64(i+1), "P"))
	}
	read(t, db, func(tx *Tx) error {
		for s := -1; s <= 11; s++ {
			want := uint64(0)
			for _, at := range seconds {
				if at < s {
					want++
				}
			}
			if got, err := tx.SequenceBefore(start.Add(time.Duration(s) * time.Second)); err != nil || got != want {
				t.Errorf("before second %d is %d, want %d: %v", s, got, want, err)
			}
		}
		return nil
	})
	b, err := db.kv.Begin(true)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Rollback()
	if err := errors.Join(b.Bucket(logBucket).Delete(intKeys.enc(4)), b.Bucket(logBucket).Delete(intKeys.enc(5))); err != nil {
		t.Fatal(err)
	}
	if _, err := (&Tx{kv: b}).SequenceBefore(start.Add(5 * time.Second)); !errors.Is(err, changelog.ErrChain) {
		t.Errorf("of a log with a hole: %v", err)
	}
}

// The key of a private link opens it, so neither an error nor a report names it.
func TestKeysThatAreSecrets(t *testing.T) {
	secret := "0123456789abcdef0123456789abcdef"
	e := &damage.Error{Bucket: PrivateLinks.Any.bucketName(), Key: []byte(secret), Reason: "its checksum is wrong"}
	for _, text := range []string{e.Error(), e.KeyText()} {
		if bytes.Contains([]byte(text), []byte(secret)) || bytes.Contains([]byte(text), fmt.Appendf(nil, "%x", secret)) {
			t.Errorf("it is told: %s", text)
		}
	}
	for _, of := range []string{"accounts.email", "one_time_links.email", "project_members.email", "files.token", "private_links.item"} {
		if text := (damage.Finding{Of: damage.OfIndex, Bucket: "i:" + of, Key: []byte(secret)}).KeyText(); !strings.HasPrefix(text, "sha256-") {
			t.Errorf("the key of an entry of %s is told: %s", of, text)
		}
	}
	if text := (damage.Finding{Of: damage.OfIndex, Bucket: "i:accounts.admin", Key: []byte(secret)}).KeyText(); text != secret {
		t.Errorf("the key of an entry that opens nothing is told as %s", text)
	}
	for _, table := range Tables() { // whatever is added: what sorts by mail addresses
		for _, name := range table.indexNames() {
			if strings.HasSuffix(name, ".email") && !damage.Secret(name) {
				t.Errorf("the keys of %s are told", name)
			}
		}
	}
}
