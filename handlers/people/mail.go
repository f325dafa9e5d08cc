package people

import (
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/handlers/accounts"
	"alcove/handlers/endpoint"
	"alcove/jobs"
	"alcove/record"
)

// mailsAnHour is how many mails an e-mail address is sent on request in an hour, and at once.
const mailsAnHour = 3

// Mails reports whether mail is configured.
func (a *People) Mails() bool { return a.Jobs.Mails() }

// AskForMail paces those who have mails sent. An address from which too much is asked has to wait; to an e-mail
// address to which too much was sent nothing more is, which is not told.
func (a *People) AskForMail(c *endpoint.Call, to string) (send bool, err error) {
	if !a.Mails() {
		return false, record.ErrNotFound
	}
	if wait := a.Rates().MailsFrom.Take(a.Caller(c), time.Now()); wait > 0 {
		return false, endpoint.TooMany(record.ErrTooManyWrong, wait)
	}
	return a.mailsTo.Take(record.FoldEmail(to), time.Now()) == 0, nil
}

// ForgotPassword has a link to set a new password sent to an e-mail address, where there is an account with it. The same is
// done and answered where there is none: that is found out when the mail is sent.
func (a *People) ForgotPassword(c *endpoint.Call, email, language string) error {
	send, err := a.AskForMail(c, email)
	if err != nil || !send {
		return err
	}
	return a.queueMail(c, record.Mail{Kind: record.MailReset, To: strings.TrimSpace(email), Language: language})
}

func (a *People) queueMail(c *endpoint.Call, m record.Mail) error {
	err := a.DB.UpdateBy(c.Context, changelog.By{}, func(tx *bucket.Tx) error { return jobs.QueueMail(tx, m) })
	if errors.Is(err, jobs.ErrOutboxFull) {
		return record.ErrUnavailable
	}
	return err
}

// EmailChange has a link sent to another e-mail address, which becomes that of the person when the link is used. Whether
// an account has it already is not told. The error is auth.ErrWrong where the password is not the right one.
func (a *People) EmailChange(c *endpoint.Call, password, email, language string) error {
	addr, err := mail.ParseAddress(email)
	if err != nil || addr.Address != email {
		return ErrEmailBad
	}
	if err := a.confirmPassword(c, password); err != nil {
		return err
	}
	send, err := a.AskForMail(c, email)
	if err != nil || !send {
		return err
	}
	return a.queueMail(c, record.Mail{Kind: record.MailConfirm, To: email, AccountID: c.Person().ID, Language: language})
}

// confirmPassword fails with auth.ErrWrong unless the password is that of the person. Wrong ones are paced.
func (a *People) confirmPassword(c *endpoint.Call, password string) error {
	return a.tryPassword(c, c.Person().Email, func() error {
		_, err := a.Auth.Check(c.Context, c.Person().Email, password)
		return err
	})
}

// ConfirmEmail uses up the link of the path, whose e-mail address becomes that of its account, and tells the old one.
func (a *People) ConfirmEmail(c *endpoint.Call, language string) error {
	err := a.Auth.UseChange(c.Context, c.Text("token"), func(tx *bucket.Tx, before string, acc *record.Account) error {
		if accounts.EmailTaken(tx, acc.Email) {
			return ErrEmailTaken
		}
		if !a.Mails() {
			return nil
		}
		return jobs.QueueMail(tx, record.Mail{Kind: record.MailChanged, To: before, AccountID: acc.ID, Language: language})
	})
	if errors.Is(err, auth.ErrLinkEnded) {
		return record.ErrNotFound
	}
	if err != nil && !errors.Is(err, ErrEmailTaken) {
		err = fmt.Errorf("cannot change an e-mail address: %w", err)
	}
	return err
}
