package record

import (
	"time"
)

// ClockState is what a store has seen of the machine's clock.
type ClockState struct {
	Seen  time.Time `json:"seen"`  // what it said last while it was believed
	Until time.Time `json:"until"` // changes dated up to then tell nothing of the time: a clock ran ahead; may be zero
	Gaps  []Gap     `json:"gaps"`  // oldest first, a bounded number
}

// Gap is a time in which no server ran, or that a clock skipped.
type Gap struct {
	End     time.Time `json:"end"`
	Seconds int64     `json:"seconds"`
}

// SweepState is what the sweeper of blobs has done last, and what it may do.
type SweepState struct {
	Last         time.Time `json:"last"`          // when it looked, zero for never
	Blobs        int64     `json:"blobs"`         // that there were
	Removed      int64     `json:"removed"`       // of them
	Waiting      int64     `json:"waiting"`       // that would have been removed, and were too many
	WaitingBytes int64     `json:"waiting_bytes"` // of them
	Allowed      int64     `json:"allowed"`       // that may be removed by the operator's word
	Held         bool      `json:"held"`          // nothing is removed without that word: the records were rebuilt
}

// Orphan notes since when a blob is known to be named by no record.
type Orphan struct {
	Seen time.Time `json:"seen"`
}

// Load notes that a line of a bulk load has become an article or a collection; the other id
// is 0.
type Load struct {
	ArticleID    int64  `json:"article_id"`
	CollectionID int64  `json:"collection_id,omitempty"`
	Hash         string `json:"hash"` // SHA-256 of the line, hex
}

// Preservation is an item whose object in the storage root of OCFL may not be what the item is now.
type Preservation struct {
	Turn  int64     `json:"turn"`            // how often it may have changed since
	Tries int       `json:"tries,omitempty"` // that failed
	Due   time.Time `json:"due,omitzero"`    // of the next one
	Error string    `json:"error,omitempty"` // of the last one
}

// PreservationState is how far the work with the storage root is.
type PreservationState struct {
	Dir      string `json:"dir"`              // into which everything public was taken, "" for none
	Sequence uint64 `json:"sequence"`         // of the change log, up to which items were looked at
	Halted   string `json:"halted,omitempty"` // why nothing is written, "" for no reason
}

// Kinds of erasures.
const (
	ErasePerson = "person"
	EraseFile   = "file"
)

// Erasure is what an operator has had erased, by ids and hashes: it has no words. It is applied again to every copy of the
// repository that was made before it and is restored.
type Erasure struct {
	ID        int64     `json:"id"`
	Kind      string    `json:"kind"`
	AccountID int64     `json:"account_id,omitempty"` // of a person
	Merged    []int64   `json:"merged,omitempty"`     // accounts that were merged into it, which go with it
	Files     []int64   `json:"files,omitempty"`      // whose records go
	Blobs     []string  `json:"blobs,omitempty"`      // SHA-256 in hex of bytes that go where no record names them any more
	Staged    []string  `json:"staged,omitempty"`     // names of uploads whose bytes go
	Begun     time.Time `json:"begun"`

	// Items of a person that were published when it was erased: a copy of before, in which they are drafts, keeps them.
	Articles    []int64 `json:"articles,omitempty"`
	Collections []int64 `json:"collections,omitempty"`

	Swept time.Time `json:"swept"` // records, stored bytes and the search index are gone; zero before
	Done  time.Time `json:"done"`  // free pages of the database, too; zero before
}

// Accounts are those that an erasure empties, the person's own first.
func (e *Erasure) Accounts() []int64 {
	if e.AccountID == 0 {
		return nil
	}
	return append([]int64{e.AccountID}, e.Merged...)
}
