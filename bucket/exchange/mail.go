// Package exchange has the tables of what goes out to other systems and comes from them: mails and reports, registrations of
// DOIs, the storage root that preserves, and mirrors of other repositories.
package exchange

import (
	"alcove/bucket"
	"alcove/record"
)

var (
	// Outbox has the mails that wait to be sent.
	Outbox = bucket.ByID[record.Mail]("outbox").Unlogged()

	// OutboxByDue sorts mails by when they are tried next.
	OutboxByDue = Outbox.AddIndex("due", 1, func(m *record.Mail) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(m.Due)}}
	})
	// MailsWaiting is how many mails the outbox has.
	MailsWaiting = Outbox.AddNumber("number", 1, nil)
)

// Reports has the tables of articles that accounts asked for; the key is account id and report id.
var Reports = bucket.ByPair[record.Report]("reports")
