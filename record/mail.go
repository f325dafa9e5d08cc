package record

import (
	"slices"
	"strings"
	"time"
)

// Mail is one that waits to be sent. It has no text and no secret: both are made when it is sent, so that
// the store never has an address that opens something.
type Mail struct {
	Kind      string    `json:"kind"`                 // MailReset and so on
	To        string    `json:"to"`                   // e-mail address
	AccountID int64     `json:"account_id,omitempty"` // of the person, 0 where there is none or it is not looked up yet
	ItemID    int64     `json:"item_id,omitempty"`    // of a notice: the project, review, article or file that it is about
	Said      string    `json:"said,omitempty"`       // of a notice: what became of it, such as the status of a review
	Admin     bool      `json:"admin,omitempty"`      // of an invitation: the account becomes an administrator
	NoFactor  bool      `json:"no_factor,omitempty"`  // of a reset: the second factor goes, too
	Language  string    `json:"language,omitempty"`   // of the text, "" for the usual one
	ProjectID int64     `json:"project_id,omitempty"` // of an invitation to a project, with the key of the member
	UserID    int64     `json:"user_id,omitempty"`
	GroupID   int64     `json:"group_id,omitempty"`   // of an invitation: the group that the account will be in
	FirstName string    `json:"first_name,omitempty"` // that the form of an invitation begins with
	LastName  string    `json:"last_name,omitempty"`
	Created   time.Time `json:"created"`
	Due       time.Time `json:"due"`             // of the next try
	Tries     int       `json:"tries,omitempty"` // that failed

	Title, From string `json:"-"` // of the project and its owner, read when it is sent
}

// Kinds of mails.
const (
	MailInvitation = "invitation" // To may begin an account
	MailReset      = "reset"      // the account of To, should there be one, gets a new password
	MailConfirm    = "confirm"    // To becomes the address of the account
	MailProject    = "project"    // To is told that it was invited to a project
	MailChanged    = "changed"    // told to To, which was the address of the account before
)

// Kinds of notices: mails on something that happened, which go to AccountID.
const (
	NoticeHandedIn = "review_handed_in"
	NoticeDecided  = "review_decided"
	NoticeEmbargo  = "embargo_ended"
	NoticeFile     = "file_failed"
)

// Notices are all kinds of notices.
var Notices = []string{NoticeHandedIn, NoticeDecided, NoticeEmbargo, NoticeFile}

// Mutable are the kinds of mails that a person can turn off.
var Mutable = append([]string{MailProject}, Notices...)

// Notice reports whether the mail is one.
func (m *Mail) Notice() bool { return slices.Contains(Notices, m.Kind) }

// Wants reports whether the account gets mails of a kind.
func (a *Account) Wants(kind string) bool { return !slices.Contains(strings.Split(a.Muted, ","), kind) }
