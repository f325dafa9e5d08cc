package record

import "time"

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
