package record

import (
	"encoding/json"
	"time"
)

// Mirror is an item of another repository that an operator has kept fresh here, with the articles of a collection.
type Mirror struct {
	Address        string    `json:"address"` // of the item at its repository
	Account        int64     `json:"account"` // whose items they become
	CACert         string    `json:"cacert"`  // file of a certificate authority to trust besides the system's
	AcceptWarnings bool      `json:"accept_warnings"`
	Led            bool      `json:"led"`     // a DOI led to its server, which no person has named
	Tried          time.Time `json:"tried"`   // when it was last looked at, zero for never
	Read           time.Time `json:"read"`    // when it was last fresh, zero for never
	Failure        string    `json:"failure"` // of the last look, "" where it went well
}

// Mirrored is an item as another repository shows it, beside the item here that has its bytes.
type Mirrored struct {
	Host      string          `json:"host"` // of the API there, with its port
	Kind      string          `json:"kind"` // articles or collections
	ID        int64           `json:"id"`   // there
	Item      int64           `json:"item"` // its id here
	By        []string        `json:"by"`   // addresses of the mirrors that bring it
	Latest    int64           `json:"latest"`
	Published time.Time       `json:"published"`
	Versions  json.RawMessage `json:"versions"`          // as the repository lists them
	Members   []int64         `json:"members,omitempty"` // ids there of the articles of a collection
}

// MirroredVersion is a version of such an item.
type MirroredVersion struct {
	Document json.RawMessage `json:"document"`        // as the repository has it
	Files    []int64         `json:"files,omitempty"` // by their ids there
}

// MirroredFile is a file of such versions.
type MirroredFile struct {
	Here     int64           `json:"here"`     // its id here
	Document json.RawMessage `json:"document"` // as the repository lists it
}
