package record

import "time"

// Orphan notes since when a blob is known to be named by no record.
type Orphan struct {
	Seen time.Time `json:"seen"`
}
