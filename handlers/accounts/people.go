package accounts

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/facts"
	"alcove/bucket/users"
	"alcove/record"
)

// The states of accounts that a list can ask for.
const (
	StateActive        = "active"
	StateDisabled      = "disabled" // or ended
	StateAdministrator = "administrator"
)

// Filter narrows a list of accounts. The zero value of a field asks for all.
type Filter struct {
	Words string
	State string
	Group int64
}

// List is some of the accounts of an institution by id, those of groups that are included: most of them behind
// skip others. It reports whether there are more.
func List(tx *bucket.Tx, institution int64, includes func(group int64) bool, f Filter, skip, most int) (list []*record.Account, more bool, err error) {
	words, now := foldedWords(f.Words), tx.Latest()
	for hit := range users.AccountsByInstitution.Ascending(tx, bucket.SortKey(institution)) {
		if group := facts.IndexedGroup(hit.Value); !includes(group) || f.Group != 0 && group != f.Group {
			continue
		}
		if f.Words != "" || f.State != "" {
			if facts := facts.ReadAccountFacts(hit.Value); !f.may(&facts, now) || !hasAll(facts.Text, words) {
				continue
			}
		}
		if f.State == "" && skip > 0 {
			skip--
			continue
		}
		acc, err := users.Accounts.Get(tx, hit.Key)
		if err != nil {
			return nil, false, err
		}
		if !f.passes(acc, now) {
			continue
		}
		if skip > 0 {
			skip--
			continue
		}
		if len(list) == most {
			return list, true, nil
		}
		list = append(list, acc)
	}
	return list, false, nil
}

// may reports whether an account may be in the state that is asked for, by the second.
func (f *Filter) may(a *facts.AccountFacts, now time.Time) bool {
	switch f.State {
	case StateActive:
		return !a.Disabled && (a.Ends == 0 || now.Unix() <= a.Ends)
	case StateDisabled:
		return a.Disabled || a.Ends != 0 && now.Unix() >= a.Ends
	case StateAdministrator:
		return a.Admin
	}
	return true
}

func (f *Filter) passes(a *record.Account, now time.Time) bool {
	switch f.State {
	case StateActive:
		if !a.Active(now) {
			return false
		}
	case StateDisabled:
		if a.Active(now) {
			return false
		}
	case StateAdministrator:
		if !a.Admin {
			return false
		}
	}
	return true
}

// Named reports whether each of some words is in the name, the address or the institution's id of an account.
func Named(a *record.Account, words string) bool {
	return hasAll(a.SearchText(), foldedWords(words))
}

// foldedWords are words in the two forms in which they are looked for.
func foldedWords(words string) (list [][2]string) {
	for _, word := range strings.Fields(words) {
		list = append(list, [2]string{strings.ToLower(word), record.FoldName(word)})
	}
	return list
}

func hasAll(text string, words [][2]string) bool {
	for _, word := range words {
		if !strings.Contains(text, word[0]) && !strings.Contains(text, word[1]) {
			return false
		}
	}
	return true
}

// Edit is a change to an account. A nil field stays.
type Edit struct {
	Disabled *bool
	Expires  *time.Time // the zero time for never
	GroupID  *int64     // 0 for none
	Admin    *bool
	Quota    *int64 // bytes, 0 for the configured one

	// Fields of a person's own profile: names, and with "" for none an ORCID iD.
	FirstName, LastName, ORCID *string
	Email                      *string
}

// Change changes an account and stores it. One that is disabled is signed out everywhere; with another e-mail address it
// stays signed in, as when the person changes that, and the one-time links to the old one end.
func Change(tx *bucket.Tx, acc *record.Account, e Edit) error {
	before := *acc
	if e.GroupID != nil {
		if *e.GroupID != 0 {
			if _, err := FindGroup(tx, *e.GroupID); err != nil {
				return err
			}
		}
		acc.GroupID = *e.GroupID
	}
	if e.Quota != nil {
		if *e.Quota < 0 {
			return errors.New("cannot set the quota: it must not be negative")
		}
		acc.Quota = *e.Quota
	}
	if e.Disabled != nil {
		acc.Disabled = *e.Disabled
		if acc.Disabled {
			if err := auth.EndAccess(tx, acc.ID); err != nil {
				return err
			}
		}
	}
	if e.Admin != nil {
		acc.Admin = *e.Admin
	}
	if e.Expires != nil {
		acc.Expires = e.Expires.UTC().Truncate(time.Second)
	}
	if err := e.person(tx, acc); err != nil {
		return err
	}
	if e.Email != nil {
		if err := changeEmail(tx, acc, strings.TrimSpace(*e.Email)); err != nil {
			return err
		}
	}
	if *acc == before {
		return nil
	}
	acc.Modified = tx.Now()
	return users.Accounts.Put(tx, acc.ID, acc)
}

// person applies what a profile has too.
func (e *Edit) person(tx *bucket.Tx, acc *record.Account) error {
	if e.FirstName == nil && e.LastName == nil && e.ORCID == nil {
		return nil
	}
	body := record.ProfileBody{FirstName: e.FirstName, LastName: e.LastName, ORCID: e.ORCID}
	if err := body.Check(); err != nil {
		return err
	}
	person, err := users.People.Get(tx, acc.PersonID)
	if err != nil {
		return err
	}
	if err := body.Apply(acc, person); err != nil {
		return err
	}
	return users.People.Put(tx, person.ID, person)
}

// changeEmail gives an account another e-mail address, and what that was invited to.
func changeEmail(tx *bucket.Tx, acc *record.Account, email string) error {
	if email == acc.Email {
		return nil
	}
	if err := record.CheckEmail(email); err != nil {
		return err
	}
	if record.FoldEmail(email) != record.FoldEmail(acc.Email) && EmailTaken(tx, email) {
		return fmt.Errorf("cannot change the e-mail address: another account has %s", email)
	}
	acc.Email = email
	if err := auth.EndLinks(tx, acc.ID); err != nil {
		return err
	}
	return ClaimInvitations(tx, acc)
}
