package record

import "time"

// Bounds of reports.
const (
	MaxReports  = 30             // of an account; older ones go
	ReportEvery = 24 * time.Hour // how often an account may have one made
)

// Report is a table of an account's articles. Its contents are read when it is downloaded.
type Report struct {
	ID        int64     `json:"id"`
	AccountID int64     `json:"account_id"`
	GroupID   int64     `json:"group_id"` // whose articles are in it, 0 for all
	Created   time.Time `json:"created"`
}
