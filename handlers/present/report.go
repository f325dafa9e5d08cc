package present

import "alcove/record"

// AccountReport is a report in the list of an account's reports.
type AccountReport struct {
	ID          int64   `json:"id"`
	AccountID   int64   `json:"account_id"`
	Created     *string `json:"created_date"`
	Status      string  `json:"status"` // always done: it is read when it is downloaded
	DownloadURL string  `json:"download_url"`
	GroupID     *int64  `json:"group_id"`
}

// AccountReport is a report.
func (s Settings) AccountReport(r *record.Report) AccountReport {
	return AccountReport{r.ID, r.AccountID, stamp(r.Created), "done", s.API("/account/reports/%d", r.ID), s.id(r.GroupID)}
}
