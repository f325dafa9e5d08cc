package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/exchange"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/handlers/items"
	"alcove/record"
)

// Mails wait in the outbox until a server has taken them. Those of a request are written there whether or not they
// will be sent, so that its time tells nothing.
const (
	mailEvery   = time.Second    // how often it is looked what is due
	mailLasts   = 48 * time.Hour // after which a mail that could not be sent is given up
	resetLasts  = 2 * time.Hour  // the same of one that a person waits for
	mailFirst   = time.Minute    // before the second try; each further one waits twice as long
	mailMost    = 4 * time.Hour  // at most
	mailsMost   = 10_000         // that wait
	unsaidEvery = time.Hour      // how often the log tells of notices that were dropped
	mailBatch   = 20             // sent one after the other before it is looked again
)

// ErrOutboxFull says that too many mails wait already.
var ErrOutboxFull = errors.New("too many mails wait to be sent")

// Outbox is what happened to mails since the start.
type Outbox struct{ sent, failed, dropped atomic.Int64 }

// MailFigures are the outbox in numbers.
type MailFigures struct {
	Waiting               int64
	Oldest                time.Duration // age of the one that waits longest, 0 for none
	Sent, Failed, Dropped int64         // since the start; a failed try is repeated, a dropped mail is not
	Unsaid                int64         // notices since the start that were not even stored, as too many mails waited
}

// Mails reports whether mail is configured.
func (j *Jobs) Mails() bool { return j.SMTP.Server != "" }

// QueueMail has a mail sent once the transaction is durable.
func QueueMail(tx *bucket.Tx, m record.Mail) error {
	if exchange.MailsWaiting.Sum(tx) >= mailsMost {
		return ErrOutboxFull
	}
	id, err := exchange.Outbox.NextID(tx)
	if err != nil {
		return err
	}
	m.Created, m.Due = tx.Now(), tx.Now()
	return exchange.Outbox.Put(tx, id, &m)
}

// MailFigures counts the outbox.
func (j *Jobs) MailFigures() (f MailFigures, err error) {
	f.Sent, f.Failed, f.Dropped = j.outbox.sent.Load(), j.outbox.failed.Load(), j.outbox.dropped.Load()
	f.Unsaid = j.Items.Unsaid()
	err = j.DB.View(func(tx *bucket.Tx) error {
		f.Waiting = exchange.MailsWaiting.Sum(tx)
		for row, err := range exchange.Outbox.All(tx, nil) { // ids ascend with time
			if err == nil {
				f.Oldest = max(0, tx.Latest().Sub(row.Record.Created))
			}
			return err
		}
		return nil
	})
	return f, err
}

// sendMails sends what is due until its context ends.
func (j *Jobs) sendMails(ctx context.Context) {
	if !j.Mails() {
		return
	}
	tick := time.NewTicker(mailEvery)
	defer tick.Stop()
	told, next := int64(0), time.Time{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := j.sendDue(ctx); err != nil && ctx.Err() == nil {
			j.Log.Error("cannot read the mails that wait", "error", err)
		}
		if n := j.Items.Unsaid(); n > told && time.Now().After(next) {
			j.Log.Error("people are not told of what has happened, as too many mails wait; look why the mail server takes none", "notices", n-told)
			told, next = n, time.Now().Add(unsaidEvery)
		}
	}
}

// sendDue tries each mail that is due once.
func (j *Jobs) sendDue(ctx context.Context) error {
	var due []int64
	err := j.DB.View(func(tx *bucket.Tx) error {
		for hit := range exchange.OutboxByDue.Ascending(tx, nil) {
			if len(due) == mailBatch || bucket.SortedTime(hit.Sort).After(tx.Latest()) {
				break
			}
			due = append(due, hit.Key)
		}
		return nil
	})
	for _, id := range due {
		if err != nil || ctx.Err() != nil {
			break
		}
		err = j.sendMail(ctx, id)
	}
	return err
}

// sendMail tries a mail. The link in it is made now, and ends the one that a try before has made.
func (j *Jobs) sendMail(ctx context.Context, id int64) error {
	var m *record.Mail
	secret, late := "", false
	var notice *items.Notice
	err := j.DB.UpdateBy(ctx, changelog.By{}, func(tx *bucket.Tx) (err error) {
		if m, err = exchange.Outbox.Get(tx, id); err != nil {
			return err
		}
		lasts := mailLasts
		if m.Kind == record.MailReset || m.Kind == record.MailConfirm {
			lasts = resetLasts
		}
		late = tx.Latest().Sub(m.Created) > lasts
		wanted := !late
		if wanted {
			if m.Notice() {
				if notice, err = j.Items.NoticeOf(tx, m); notice != nil {
					m.To, m.Language = notice.To.Email, notice.To.Language
				}
				wanted = notice != nil
			} else {
				secret, wanted, err = linkOf(tx, m)
			}
			if err != nil {
				return err
			}
		}
		if !wanted {
			m = nil
			return exchange.Outbox.Delete(tx, id)
		}
		return nil
	})
	switch {
	case errors.Is(err, bucket.ErrNotFound):
		return nil
	case err != nil:
		return err
	case late:
		j.outbox.dropped.Add(1)
		j.Log.Error("a mail could not be sent in time and is given up", "mail", id)
		return nil
	case m == nil: // there is no account to send it to, or nothing to say
		return nil
	}
	address := ""
	if secret != "" {
		address = j.LinkAddress(secret)
	}
	subject, text := j.Letter(m, address, notice)
	sent := j.SMTP.send(ctx, message{fmt.Sprintf("%d.%d", id, m.Created.UnixNano()), m.To, subject, text})
	if ctx.Err() != nil {
		return nil // the server ends; it is tried again at the next start
	}
	wait := min(mailFirst<<min(m.Tries, 20), mailMost)
	m.Tries++
	ended := false
	err = j.DB.UpdateBy(bucket.Frees(ctx), changelog.By{}, func(tx *bucket.Tx) error {
		_, err := exchange.Outbox.Get(tx, id)
		if ended = errors.Is(err, bucket.ErrNotFound); ended {
			return nil // with the password of its account, while it was being sent
		}
		if sent == nil || refusedForGood(sent) {
			return exchange.Outbox.Delete(tx, id)
		}
		m.Due = tx.Now().Add(wait)
		return exchange.Outbox.Put(tx, id, m)
	})
	switch {
	case err != nil || ended:
	case sent == nil:
		j.outbox.sent.Add(1)
	case refusedForGood(sent):
		j.outbox.dropped.Add(1)
		j.Log.Error("a mail was refused and is given up", "mail", id, "kind", m.Kind, "error", withoutAddress(sent, m.To))
	default:
		j.outbox.failed.Add(1)
		j.Log.Warn("a mail could not be sent", "mail", id, "kind", m.Kind, "tries", m.Tries, "again_in", wait, "error", withoutAddress(sent, m.To))
	}
	return err
}

// linkOf makes the one-time link of a mail, and reports whether the mail is wanted still: to an address without an
// active account none is sent, and none to begin one that there is.
func linkOf(tx *bucket.Tx, m *record.Mail) (secret string, wanted bool, err error) {
	id, taken := users.AccountsByEmail.First(tx, bucket.SortKey(record.FoldEmail(m.To)))
	switch m.Kind {
	case record.MailInvitation:
		if taken {
			return "", false, nil
		}
		secret, err = auth.NewLink(tx, record.OneTimeLink{Email: m.To, Admin: m.Admin, GroupID: m.GroupID, FirstName: m.FirstName, LastName: m.LastName}, auth.InvitationLasts)
	case record.MailProject:
		if taken {
			acc, err := users.Accounts.Get(tx, id)
			if err != nil || !acc.Active(tx.Latest()) || !acc.Wants(m.Kind) {
				return "", false, err
			}
			m.Language = cmp.Or(acc.Language, m.Language)
		}
		wanted, err = readProject(tx, m)
		return "", wanted, err
	case record.MailReset:
		if !taken {
			return "", false, nil
		}
		acc, err := users.Accounts.Get(tx, id)
		if err != nil || !acc.Active(tx.Latest()) {
			return "", false, err
		}
		m.To = acc.Email // as the account has it, not as it was written in the form
		secret, err = auth.NewLink(tx, record.OneTimeLink{AccountID: id, Email: acc.Email, NoFactor: m.NoFactor}, auth.ResetLasts)
		return secret, err == nil, err
	case record.MailConfirm:
		acc, err := users.Accounts.Get(tx, m.AccountID)
		if err != nil || taken || !acc.Active(tx.Latest()) {
			return "", false, err
		}
		secret, err = auth.NewLink(tx, record.OneTimeLink{AccountID: m.AccountID, Email: m.To, Change: true}, auth.ResetLasts)
		return secret, err == nil, err
	}
	return secret, err == nil, err
}

// readProject reads what an invitation to a project says, and reports whether it still stands: one that was accepted
// or withdrawn does not.
func readProject(tx *bucket.Tx, m *record.Mail) (stands bool, err error) {
	if !working.ProjectMembers.Has(tx, bucket.Pair{A: m.ProjectID, B: m.UserID}) {
		return false, nil
	}
	p, err := working.Projects.Get(tx, m.ProjectID)
	if err != nil {
		return false, err
	}
	owner, err := users.Accounts.Get(tx, p.AccountID)
	if err != nil {
		return false, err
	}
	who, err := users.People.Get(tx, owner.PersonID)
	if err != nil {
		return false, err
	}
	m.Title, m.From = p.Title, who.FullName
	return true, nil
}

// withoutAddress is an error as the log may have it: without the address of the mail, also where the server names only what
// stands before its host.
func withoutAddress(err error, to string) string {
	local, _, _ := strings.Cut(to, "@")
	is := regexp.MustCompile(`(?i)` + regexp.QuoteMeta(to) + `|\b` + regexp.QuoteMeta(local) + `\b`)
	return is.ReplaceAllString(err.Error(), "(its address)")
}
