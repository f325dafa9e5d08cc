package people

import (
	"crypto/sha256"
	"encoding/hex"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/handlers/endpoint"
	"alcove/record"
)

// Agreement is the SHA-256 in hex of the text that a reader of a language is asked to accept, "" where there is none.
func (a *People) Agreement(language string) string {
	texts := a.Branding().Pages[endpoint.AgreementPage]
	text, there := texts[language]
	if !there {
		text, there = texts[""]
	}
	if !there {
		for _, text = range texts { // in the only language that it has
			there = true
		}
	}
	if !there {
		return ""
	}
	return agreementSum(text)
}

func agreementSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// AgreementAccepted is a step that notes that the person has accepted the text of a language.
func (a *People) AgreementAccepted(language string) endpoint.Step {
	return func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
		acc, err := users.Accounts.Get(tx, c.Account.ID)
		if err != nil {
			return endpoint.Reply{}, err
		}
		acc.Agreement = &record.Agreement{SHA256: a.Agreement(language), Language: language, AccountID: acc.ID, Accepted: tx.Now()}
		return endpoint.Reply{}, users.Accounts.Put(tx, acc.ID, acc)
	}
}

// Agreed notes with a working copy what its owner has accepted, for the version that it becomes. Where the operator asks
// for it, the text must be one of now; otherwise a version may be without, or have one of earlier.
func (a *People) Agreed(tx *bucket.Tx, w *record.Working) error {
	w.Agreement = nil
	texts := a.Branding().Pages[endpoint.AgreementPage]
	if len(texts) == 0 {
		return nil
	}
	acc, err := users.Accounts.Get(tx, w.AccountID)
	if err != nil {
		return err
	}
	w.Agreement = acc.Agreement
	if !a.Limits.AgreementNeeded {
		return nil
	}
	for _, text := range texts {
		if acc.Agreement != nil && acc.Agreement.SHA256 == agreementSum(text) {
			return nil
		}
	}
	return record.ErrAgreementNeeded
}
