package record

import "time"

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
