package bucket

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
	"time"

	"alcove/bucket/kv"
)

// The change log says what happened to which record, in order. It feeds the search
// index, the audit trail, incremental backups and checks. An entry is stored under its
// sequence (8 bytes, big endian) in the envelope of records, because no other entry
// vouches for the last one. It holds
//
//	hash of the previous entry (32) | time, Unix nanoseconds (8) | actor (8) |
//	operation (1) | hash of the record after it (32) |
//	length of kind (1) | kind | length of key (2) | key |
//	and where there is one: way (1) | account (8), and for a request by HTTP: token (8) | request (8)
//
// with integers big endian. The hash of an entry is the SHA-256 of its sequence and its
// stored bytes, so removing, swapping or editing one breaks the chain. The first entry's
// previous hash, and the record hash of a deletion, are zero.
const logFixed = 32 + 8 + 8 + 1 + 32

// Operation is what a change did.
type Operation byte

// The operations of the change log.
const (
	Created Operation = 1
	Changed Operation = 2
	Deleted Operation = 3
)

func (o Operation) String() string {
	switch o {
	case Created:
		return "create"
	case Changed:
		return "change"
	case Deleted:
		return "delete"
	}
	return fmt.Sprintf("operation %d", byte(o))
}

// Change is one entry of the change log.
type Change struct {
	Sequence uint64
	Previous [32]byte // hash of the entry before
	Time     time.Time
	Actor    int64 // account, 0 for the server itself
	Op       Operation
	Record   [32]byte // SHA-256 of the record's JSON after it
	Table    string   // its name
	Key      []byte
	Way      Way   // how the actor came to act
	For      int64 // the account in whose name it did, where the way has one
	Token    TokenID
	Request  int64 // number of the request, 0 for none
}

// ID is the key read as an id: the whole of an integer key, the owner of a Pair.
func (c *Change) ID() int64 {
	if len(c.Key) < 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(c.Key))
}

// Version is the second number of a key that is a Pair, 0 for another.
func (c *Change) Version() int {
	if len(c.Key) != 16 {
		return 0
	}
	return int(binary.BigEndian.Uint64(c.Key[8:]))
}

const logBucket = "log"

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
	what    Operation
	by      By
	payload []byte // the record after it, nil for a deletion
	sum     [32]byte
}

// note leaves a change for the log, or appends it at once where nothing is left for later.
func (tx *Tx) note(kind string, key []byte, what Operation, payload []byte) error {
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
	to.public = to.public || publicKinds[c.kind]
	if !to.known {
		if k, v := kv.First(log.Descend(nil)); k != nil {
			to.last = entryHash(k, v)
		}
		to.known = true
	}
	seq := log.Sequence() + 1
	if err := log.SetSequence(seq); err != nil {
		return fmt.Errorf("cannot number a change: %w", err)
	}
	// Key and entry stand in one piece, as the hash of the entry takes them.
	v := make([]byte, 0, 8+envelopeHead+logFixed+3+len(c.kind)+len(c.key)+byLength)
	v = binary.BigEndian.AppendUint64(v, seq)
	v = append(append(v, noHead[:]...), to.last[:]...)
	v = binary.BigEndian.AppendUint64(v, uint64(to.at.UnixNano()))
	v = binary.BigEndian.AppendUint64(v, uint64(c.by.Account))
	v = append(v, byte(c.what))
	v = append(v, c.sum[:]...)
	v = append(append(v, byte(len(c.kind))), c.kind...)
	v = c.by.append(append(binary.BigEndian.AppendUint16(v, uint16(len(c.key))), c.key...))
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

func entryHash(k, v []byte) [32]byte {
	h := sha256.New()
	h.Write(k)
	h.Write(v)
	return [32]byte(h.Sum(nil))
}

func decodeChange(k, v []byte) (Change, error) {
	bad := func(why string) (Change, error) {
		return Change{}, &DamagedError{logBucket, bytes.Clone(k), why}
	}
	v, err := open(logBucket, k, v)
	if err != nil {
		return Change{}, err
	}
	if len(k) != 8 || len(v) < logFixed+3 {
		return bad("it is too short")
	}
	c := Change{Sequence: binary.BigEndian.Uint64(k), Previous: [32]byte(v[:32])}
	c.Time = time.Unix(0, int64(binary.BigEndian.Uint64(v[32:]))).UTC()
	c.Actor = int64(binary.BigEndian.Uint64(v[40:]))
	c.Op = Operation(v[48])
	c.Record = [32]byte(v[49:81])
	rest := v[logFixed:]
	n := int(rest[0])
	if len(rest) < 1+n+2 {
		return bad("its kind is cut off")
	}
	c.Table = string(rest[1 : 1+n])
	rest = rest[1+n:]
	m := int(binary.BigEndian.Uint16(rest))
	if len(rest) < 2+m {
		return bad("its key is cut off")
	}
	c.Key = bytes.Clone(rest[2 : 2+m])
	var by By
	if !by.readWay(rest[2+m:]) {
		return bad("its end is none that this program knows")
	}
	c.Way, c.For, c.Token, c.Request = by.Way, by.For, by.Token, by.Request
	return c, nil
}

// Changes yields the entries of the log after a sequence, in order, and stops after the
// first error.
func Changes(tx *Tx, since uint64) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		if err := tx.logged(); err != nil {
			yield(Change{}, err)
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

// ErrChain says that the change log was altered.
var ErrChain = errors.New("the chain of the change log is broken")

// Head is a place in the change log: the sequence of an entry and its hash, which vouches
// for all entries before it. The zero value is the place before the first one.
type Head struct {
	Sequence uint64
	Hash     [32]byte
}

func (h Head) String() string { return fmt.Sprintf("%d:%x", h.Sequence, h.Hash) }

// ParseHead reads what String wrote.
func ParseHead(text string) (h Head, err error) {
	seq, sum, _ := strings.Cut(text, ":")
	h.Sequence, err = strconv.ParseUint(seq, 10, 63)
	b, wrong := hex.DecodeString(sum)
	if err != nil || wrong != nil || len(b) != len(h.Hash) || h.Sequence == 0 && h != (Head{}) {
		return Head{}, fmt.Errorf("cannot read %q as SEQUENCE:HASH, with 64 hex digits", text)
	}
	h.Hash = [32]byte(b)
	return h, nil
}

// MarshalText and UnmarshalText are String and ParseHead.
func (h Head) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText is ParseHead.
func (h *Head) UnmarshalText(b []byte) (err error) {
	*h, err = ParseHead(string(b))
	return err
}

// Entry is an entry of the change log with its hash.
type Entry struct {
	Change
	Hash [32]byte
}

// Entries is Changes with the hash of each entry.
func Entries(tx *Tx, since uint64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if err := tx.logged(); err != nil {
			yield(Entry{}, err)
			return
		}
		for k, v := range tx.kv.Bucket(logBucket).Ascend(intKeys.enc(int64(since + 1))) {
			c, err := decodeChange(k, v)
			if !yield(Entry{c, entryHash(k, v)}, err) || err != nil {
				return
			}
		}
	}
}

// EntriesBefore yields the entries of the log before a sequence, the newest first, and stops after the first error.
func EntriesBefore(tx *Tx, before uint64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if err := tx.logged(); err != nil {
			yield(Entry{}, err)
			return
		}
		for k, v := range tx.kv.Bucket(logBucket).Descend(intKeys.enc(int64(before))) {
			c, err := decodeChange(k, v)
			if !yield(Entry{c, entryHash(k, v)}, err) || err != nil {
				return
			}
		}
	}
}

// SequenceBefore is the sequence of the last entry before a moment, 0 when there is none.
// The times of the log never decrease, so it reads a few entries only.
func SequenceBefore(tx *Tx, at time.Time) (uint64, error) {
	if err := tx.logged(); err != nil {
		return 0, err
	}
	before, from := uint64(0), logSequence(tx.kv)+1 // the first at or after it is in between
	for before+1 < from {
		middle := before + (from-before)/2
		for c, err := range Changes(tx, middle-1) {
			if err != nil {
				return 0, err
			}
			if c.Sequence != middle {
				return 0, fmt.Errorf("%w: %d is missing", ErrChain, middle)
			}
			if c.Time.Before(at) {
				before = middle
			} else {
				from = middle
			}
			break
		}
		if middle != before && middle != from {
			return 0, fmt.Errorf("%w: %d is missing", ErrChain, middle)
		}
	}
	return before, nil
}

// FollowChain checks at most so many entries after a place, and returns the last of them.
// It is done when that is the end of the log. It fails with ErrChain, naming the sequence,
// where an entry does not follow from the one before it, and with a *DamagedError.
func FollowChain(tx *Tx, at Head, most int) (to Head, done bool, err error) {
	for e, err := range Entries(tx, at.Sequence) {
		if err != nil {
			return at, false, err
		}
		if e.Sequence != at.Sequence+1 || e.Previous != at.Hash {
			return at, false, fmt.Errorf("%w at sequence %d", ErrChain, e.Sequence)
		}
		at = Head{e.Sequence, e.Hash}
		if most--; most == 0 {
			break
		}
	}
	end := logSequence(tx.kv)
	if at.Sequence > end || at.Sequence < end && most > 0 {
		return at, false, fmt.Errorf("%w: it ends at %d and should end at %d", ErrChain, at.Sequence, end)
	}
	return at, at.Sequence == end, nil
}

// CheckChain reads the whole log and fails as FollowChain does.
func CheckChain(tx *Tx) error {
	_, _, err := FollowChain(tx, Head{}, math.MaxInt)
	return err
}
