package handlers

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
)

// ReportList is the reports of the caller, the newest first, of all groups or of one.
func (a *API) ReportList(c *Call, tx *bucket.Tx) (Reply, error) {
	group, err := c.Query.Integer("group_id")
	if err != nil {
		return Reply{}, err
	}
	reports, err := reportsOf(tx, c.Account.ID)
	if err != nil {
		return Reply{}, err
	}
	list := []present.AccountReport{}
	for _, r := range slices.Backward(reports) {
		if group == nil || *group == r.GroupID {
			list = append(list, a.Settings.AccountReport(r))
		}
	}
	return Reply{Body: list, Modified: c.changed}, nil
}

// ReportCreate makes a report of the caller's articles, or of those in a group. It is done at once.
func (a *API) ReportCreate(c *Call, tx *bucket.Tx) (Reply, error) {
	group, err := c.Query.Integer("group_id")
	if err != nil {
		return Reply{}, err
	}
	reports, err := reportsOf(tx, c.Account.ID)
	if err != nil {
		return Reply{}, err
	}
	if n := len(reports); n > 0 {
		if wait := waits(tx, reports[n-1].Created, record.ReportEvery); wait > 0 {
			return Reply{}, tooMany(record.ErrReportSoon, wait)
		}
	}
	for _, old := range reports[:max(0, len(reports)-record.MaxReports+1)] {
		if err := bucket.Reports.Delete(tx, bucket.Pair{A: c.Account.ID, B: old.ID}); err != nil {
			return Reply{}, err
		}
	}
	r := &record.Report{AccountID: c.Account.ID, Created: tx.Clock()}
	if group != nil {
		r.GroupID = *group
	}
	if r.ID, err = bucket.Reports.NextID(tx); err != nil {
		return Reply{}, err
	}
	return Reply{Body: a.Settings.AccountReport(r)}, bucket.Reports.Put(tx, bucket.Pair{A: r.AccountID, B: r.ID}, r)
}

// waits is how long it is until something may be done again, by the clock. An action by a clock
// that ran ahead of it delays nothing.
func waits(tx *bucket.Tx, done time.Time, every time.Duration) time.Duration {
	if passed := tx.Clock().Sub(done); passed >= 0 {
		return every - passed
	}
	return 0
}

// reportsOf is the reports of an account, the oldest first.
func reportsOf(tx *bucket.Tx, account int64) (list []*record.Report, err error) {
	for row, err := range bucket.Reports.All(tx, bucket.Prefix(account)) {
		if err != nil {
			return nil, err
		}
		list = append(list, row.Record)
	}
	return list, nil
}

// ReportRead sends the table of a report of the caller's. Its tag changes with every change of the
// repository, since the articles are read while it is sent.
func (a *API) ReportRead(c *Call) (Reply, error) {
	var r *record.Report
	err := a.DB.View(func(tx *bucket.Tx) (err error) {
		r, err = bucket.Reports.Get(tx, bucket.Pair{A: c.Account.ID, B: c.ID("report_id")})
		if errors.Is(err, bucket.ErrNotFound) {
			return record.ErrReportNotFound
		}
		return err
	})
	if err != nil {
		return Reply{}, err
	}
	tag := etag(fmt.Appendf(nil, "report %d %d", r.ID, a.DB.Sequence()))
	return Reply{Table: &articleTable{api: a, report: r}, Tag: tag, Modified: c.changed,
		Type: "text/csv; charset=utf-8", Name: fmt.Sprintf("report-%d.csv", r.ID)}, nil
}
