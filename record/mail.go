package record

import "time"

// Mail is one that waits to be sent. It has no text and no secret: both are made when it is sent, so that
// the store never has an address that opens something.
type Mail struct {
	Kind      string    `json:"kind"`                 // MailReset and so on
	To        string    `json:"to"`                   // e-mail address
	AccountID int64     `json:"account_id,omitempty"` // of the person, 0 where there is none or it is not looked up yet
	Admin     bool      `json:"admin,omitempty"`      // of an invitation: the account becomes an administrator
	NoFactor  bool      `json:"no_factor,omitempty"`  // of a reset: the second factor goes, too
	Language  string    `json:"language,omitempty"`   // of the text, "" for the usual one
	ProjectID int64     `json:"project_id,omitempty"` // of an invitation to a project, with the key of the member
	UserID    int64     `json:"user_id,omitempty"`
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
