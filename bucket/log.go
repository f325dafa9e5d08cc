package bucket

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"

	"alcove/bucket/changelog"
	"alcove/bucket/damage"
	"alcove/bucket/kv"
)

const logBucket = "log"

func decodeChange(k, v []byte) (changelog.Change, error) {
	v, err := open(logBucket, k, v)
	if err != nil {
		return changelog.Change{}, err
	}
	c, wrong := changelog.Decode(k, v)
	if wrong != "" {
		return changelog.Change{}, &damage.Error{Bucket: logBucket, Key: bytes.Clone(k), Reason: wrong}
	}
	return c, nil
}

func logSequence(b kv.Tx) uint64 { return b.Bucket(logBucket).Sequence() }

// chain is the end of the log while a transaction that writes appends to it, which no other
// does.
type chain struct {
	at     time.Time // that the entries are given
	known  bool      // last is known
	public bool      // an entry is of something public
	last   [32]byte  // hash of the last entry
}

// deferredLog is what an op has done to a record. It is a deferred write: its entry comes into the log in the
// order of the writes, before the commit.
type deferredLog struct {
	kind    string
	key     []byte
	what    changelog.Operation
	by      changelog.By
	payload []byte // the record after it, nil for a deletion
	sum     [32]byte
}

// note leaves a change for the log, or appends it at once where nothing is left for later.
func (tx *Tx) note(kind string, key []byte, what changelog.Operation, payload []byte) error {
	c := &deferredLog{kind: kind, key: key, what: what, by: tx.by, payload: payload}
	if tx.deferred != nil {
		tx.deferWrite(c, nil)
		return nil
	}
	tx.chain.at = tx.at
	return errors.Join(c.prepare(), c.append(tx.kv, &tx.chain))
}

func (c *deferredLog) prepare() error {
	if c.payload != nil {
		c.sum = payloadHash(c.payload)
	}
	return nil
}

func (c *deferredLog) apply(tx *Tx, _ *op) error { return c.append(tx.kv, &tx.deferred.chain) }

// append writes the entry of a change that is prepared.
func (c *deferredLog) append(b kv.Tx, to *chain) error {
	log := b.Bucket(logBucket)
	to.public = to.public || schema.public[c.kind]
	if !to.known {
		if k, v := kv.First(log.Descend(nil)); k != nil {
			to.last = changelog.Hash(k, v)
		}
		to.known = true
	}
	seq := log.Sequence() + 1
	if err := log.SetSequence(seq); err != nil {
		return fmt.Errorf("cannot number a change: %w", err)
	}
	// Key and entry stand in one piece, as the hash of the entry takes them.
	v := make([]byte, 0, 8+envelopeHead+changelog.MostBytes(c.kind, c.key))
	v = append(binary.BigEndian.AppendUint64(v, seq), noHead[:]...)
	entry := changelog.Change{
		Previous: to.last, Time: to.at, Actor: c.by.Account, Op: c.what, Record: c.sum, Table: c.kind, Key: c.key,
		Way: c.by.Way, For: c.by.For, Token: c.by.Token, Request: c.by.Request,
	}
	v = entry.Append(v)
	k, sealed := v[:8:8], v[8:]
	writeEnvelopeHead(logBucket, k, sealed)
	log.Grows()
	if err := log.Put(k, sealed); err != nil {
		return fmt.Errorf("cannot append a change: %w", err)
	}
	to.last = sha256.Sum256(v)
	return nil
}

// logged is for who is about to read the log: what was done so far in the transaction is in it.
func (tx *Tx) logged() error {
	if !tx.writable {
		return nil
	}
	return tx.flushPending()
}

// payloadHash is the hash of a record, as the log has it.
func payloadHash(payload []byte) [32]byte { return sha256.Sum256(payload) }

// Changes yields the entries of the log after a sequence, in order, and stops after the
// first error.
func (tx *Tx) Changes(since uint64) iter.Seq2[changelog.Change, error] {
	return func(yield func(changelog.Change, error) bool) {
		if err := tx.logged(); err != nil {
			yield(changelog.Change{}, err)
			return
		}
		for k, v := range tx.kv.Bucket(logBucket).Ascend(intKeys.enc(int64(since + 1))) {
			c, err := decodeChange(k, v)
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// Entries is Changes with the hash of each entry.
func (tx *Tx) Entries(since uint64) iter.Seq2[changelog.Entry, error] {
	return func(yield func(changelog.Entry, error) bool) {
		if err := tx.logged(); err != nil {
			yield(changelog.Entry{}, err)
			return
		}
		for k, v := range tx.kv.Bucket(logBucket).Ascend(intKeys.enc(int64(since + 1))) {
			c, err := decodeChange(k, v)
			if !yield(changelog.Entry{Change: c, Hash: changelog.Hash(k, v)}, err) || err != nil {
				return
			}
		}
	}
}

// EntriesBefore yields the entries of the log before a sequence, the newest first, and stops after the first error.
func (tx *Tx) EntriesBefore(before uint64) iter.Seq2[changelog.Entry, error] {
	return func(yield func(changelog.Entry, error) bool) {
		if err := tx.logged(); err != nil {
			yield(changelog.Entry{}, err)
			return
		}
		for k, v := range tx.kv.Bucket(logBucket).Descend(intKeys.enc(int64(before))) {
			c, err := decodeChange(k, v)
			if !yield(changelog.Entry{Change: c, Hash: changelog.Hash(k, v)}, err) || err != nil {
				return
			}
		}
	}
}

// SequenceBefore is the sequence of the last entry before a moment, 0 when there is none.
// The times of the log never decrease, so it reads a few entries only.
func (tx *Tx) SequenceBefore(at time.Time) (uint64, error) {
	if err := tx.logged(); err != nil {
		return 0, err
	}
	before, from := uint64(0), logSequence(tx.kv)+1 // the first at or after it is in between
	for before+1 < from {
		middle := before + (from-before)/2
		for c, err := range tx.Changes(middle - 1) {
			if err != nil {
				return 0, err
			}
			if c.Sequence != middle {
				return 0, fmt.Errorf("%w: %d is missing", changelog.ErrChain, middle)
			}
			if c.Time.Before(at) {
				before = middle
			} else {
				from = middle
			}
			break
		}
		if middle != before && middle != from {
			return 0, fmt.Errorf("%w: %d is missing", changelog.ErrChain, middle)
		}
	}
	return before, nil
}

// FollowChain checks at most so many entries after a place, and returns the last of them.
// It is done when that is the end of the log. It fails with ErrChain, naming the sequence,
// where an entry does not follow from the one before it, and with a *DamagedError.
func (tx *Tx) FollowChain(at changelog.Head, most int) (to changelog.Head, done bool, err error) {
	for e, err := range tx.Entries(at.Sequence) {
		if err != nil {
			return at, false, err
		}
		if e.Sequence != at.Sequence+1 || e.Previous != at.Hash {
			return at, false, fmt.Errorf("%w at sequence %d", changelog.ErrChain, e.Sequence)
		}
		at = changelog.Head{Sequence: e.Sequence, Hash: e.Hash}
		if most--; most == 0 {
			break
		}
	}
	end := logSequence(tx.kv)
	if at.Sequence > end || at.Sequence < end && most > 0 {
		return at, false, fmt.Errorf("%w: it ends at %d and should end at %d", changelog.ErrChain, at.Sequence, end)
	}
	return at, at.Sequence == end, nil
}

// CheckChain reads the whole log and fails as FollowChain does.
func (tx *Tx) CheckChain() error {
	_, _, err := tx.FollowChain(changelog.Head{}, math.MaxInt)
	return err
}

// LogEnd is the sequence of the last entry of the change log.
func (tx *Tx) LogEnd() uint64 { return logSequence(tx.kv) }

// LogHead is the last entry of the change log.
func (tx *Tx) LogHead() (changelog.Head, error) {
	for e, err := range tx.EntriesBefore(tx.LogEnd() + 1) {
		return changelog.Head{Sequence: e.Sequence, Hash: e.Hash}, err
	}
	return changelog.Head{}, nil
}

// InLog reports whether a place is one of the change log.
func (tx *Tx) InLog(h changelog.Head) (bool, error) {
	if h.Sequence == 0 {
		return true, nil
	}
	for e, err := range tx.Entries(h.Sequence - 1) {
		return err == nil && e.Sequence == h.Sequence && e.Hash == h.Hash, err
	}
	return false, nil
}

// LastPublicChange is the time of the last committed change of what is public, zero when there was
// none. Private changes do not move it, so that lists tell nothing of them. After a start it may be
// later than that change, when very many private ones followed it.
func (db *DB) LastPublicChange() time.Time {
	if n := db.public.Load(); n != 0 {
		return time.Unix(0, n).UTC()
	}
	return time.Time{}
}

// publicLooked is how many entries of the log a start looks at for the last public change.
const publicLooked = 100_000

// readPublicChange looks for the last public change from the end of the log. An entry that is damaged
// is passed over: a check names it, and the store is opened all the same.
func (db *DB) readPublicChange(b kv.Tx) {
	n := 0
	for k, v := range b.Bucket(logBucket).Descend(nil) {
		n++
		if change, err := decodeChange(k, v); err == nil && (schema.public[change.Table] || n >= publicLooked) {
			db.public.Store(change.Time.UnixNano())
			return
		}
	}
}
