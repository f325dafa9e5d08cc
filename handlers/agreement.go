package handlers

import (
	"crypto/sha256"
	"encoding/hex"

	"alcove/bucket"
	"alcove/record"
)

// AgreementPage is the name of the operator's text that depositors are asked to accept.
const AgreementPage = "agreement"

// Agreement is the SHA-256 in hex of the text that a reader of a language is asked to accept, "" where there is none.
func (a *API) Agreement(language string) string {
	texts := a.Branding().Pages[AgreementPage]
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
func (a *API) AgreementAccepted(language string) Step {
	return func(c *Call, tx *bucket.Tx) (Reply, error) {
		acc, err := bucket.Accounts.Get(tx, c.Account.ID)
		if err != nil {
			return Reply{}, err
		}
		acc.Agreement = &record.Agreement{SHA256: a.Agreement(language), Language: language, AccountID: acc.ID, Accepted: tx.Now()}
		return Reply{}, bucket.Accounts.Put(tx, acc.ID, acc)
	}
}

// agreed notes with a working copy what its owner has accepted, for the version that it becomes. Where the operator asks
// for it, the text must be one of now; otherwise a version may be without, or have one of earlier.
func (a *API) agreed(tx *bucket.Tx, w *record.Working) error {
	w.Agreement = nil
	texts := a.Branding().Pages[AgreementPage]
	if len(texts) == 0 {
		return nil
	}
	acc, err := bucket.Accounts.Get(tx, w.AccountID)
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
