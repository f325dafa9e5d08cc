package record

import "time"

// Agreement is that a person has accepted the text that depositors are asked to accept.
type Agreement struct {
	SHA256    string    `json:"sha256"` // hex, of the text as it was read
	Language  string    `json:"language"`
	AccountID int64     `json:"account_id"` // who accepted it
	Accepted  time.Time `json:"accepted"`
}

// ErrAgreementNeeded refuses a publication in the name of an account that has not accepted the text of now.
var ErrAgreementNeeded = &Error{Class: Forbidden, Code: "AgreementNeeded", Message: "The deposit agreement of this repository has to be accepted before anything is published: publish this item, or any other, on its page once"}
