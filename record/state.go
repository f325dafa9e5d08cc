package record

import "time"

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
