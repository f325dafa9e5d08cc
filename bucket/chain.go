package bucket

import (
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
	"time"
)

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
