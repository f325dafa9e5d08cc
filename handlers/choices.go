package handlers

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/handlers/accounts"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/catalogue"
)

// heldChoices are the choices of administrators in memory: every page shows the banner, and a page may be made within
// a transaction.
type heldChoices struct {
	mu  sync.Mutex // of reading them again
	now atomic.Pointer[record.Choices]
}

// Choices are what administrators of the institution have chosen. They are not to be changed.
func (a *API) Choices() *record.Choices {
	if held := a.choices.now.Load(); held != nil {
		return held
	}
	return &record.Choices{}
}

// readChoices reads them into memory.
func (a *API) readChoices() error {
	a.choices.mu.Lock()
	defer a.choices.mu.Unlock()
	return a.DB.View(func(tx *bucket.Tx) error {
		stored, err := choicesOf(tx)
		if err == nil {
			a.choices.now.Store(stored)
		}
		return err
	})
}

func choicesOf(tx *bucket.Tx) (*record.Choices, error) {
	stored, err := users.Choices.Get(tx, accounts.InstitutionID)
	if errors.Is(err, bucket.ErrNotFound) {
		return &record.Choices{}, nil
	}
	return stored, err
}

// Choose is a step that changes the choices.
func (a *API) Choose(change func(*record.Choices)) endpoint.Step {
	return func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
		stored, err := choicesOf(tx)
		if err != nil {
			return endpoint.Reply{}, err
		}
		change(stored)
		stored.Modified = tx.Now()
		after := func() {
			if err := a.readChoices(); err != nil {
				a.Log.Error("cannot read the choices of administrators", "error", err)
			}
		}
		return endpoint.Reply{After: after}, users.Choices.Put(tx, accounts.InstitutionID, stored)
	}
}

// offered answers with those of some licences that are offered.
func (a *API) offered(all []catalogue.License) (endpoint.Reply, error) {
	chosen := a.Choices()
	text, err := present.Encode(present.Licenses(slices.DeleteFunc(all, func(l catalogue.License) bool { return !chosen.OffersLicence(l.Value) })))
	return endpoint.Reply{Raw: text, Tag: endpoint.ETag(text)}, err
}
