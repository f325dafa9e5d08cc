package operate

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"time"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/users"
	"alcove/handlers/accounts"
	"alcove/jobs"
	"alcove/record"
)

// Operator is who gives a command on the machine itself: it is not subject to roles, and the change log has
// it as theirs.
var Operator = changelog.By{Way: changelog.Operator}

// AccountLine is what operators see of an account.
type AccountLine struct {
	ID                int64      `json:"id"`
	Email             string     `json:"email"`
	FirstName         string     `json:"first_name"`
	LastName          string     `json:"last_name"`
	ORCID             string     `json:"orcid"`
	Admin             bool       `json:"admin"`
	Active            bool       `json:"active"`
	Disabled          bool       `json:"disabled"`
	Expires           *time.Time `json:"expires"` // null for never
	GroupID           int64      `json:"group_id"`
	InstitutionUserID string     `json:"institution_user_id"`
	Quota             int64      `json:"quota"` // bytes, 0 for the configured one
	Used              int64      `json:"used_quota"`
	Created           time.Time  `json:"created_date"`
}

func accountLine(tx *bucket.Tx, a *record.Account) (AccountLine, error) {
	person, err := users.People.Get(tx, a.PersonID)
	if err != nil {
		return AccountLine{}, err
	}
	now := tx.Latest()
	l := AccountLine{
		ORCID: person.ORCID,
		ID:    a.ID, Email: a.Email, FirstName: a.FirstName, LastName: a.LastName, Admin: a.Admin, Active: a.Active(now), Disabled: a.Disabled,
		GroupID: a.GroupID, InstitutionUserID: a.InstitutionUserID, Quota: a.Quota, Used: a.Used(), Created: a.Created,
	}
	if !a.Expires.IsZero() {
		l.Expires = &a.Expires
	}
	return l, nil
}

// ListAccounts lists all accounts by id.
func ListAccounts(db *bucket.DB) ([]AccountLine, error) {
	lines := []AccountLine{}
	err := db.View(func(tx *bucket.Tx) error {
		for row, err := range users.Accounts.All(tx, nil) {
			if err != nil {
				return err
			}
			l, err := accountLine(tx, row.Record)
			if err != nil {
				return err
			}
			lines = append(lines, l)
		}
		return nil
	})
	return lines, err
}

// NewAccount is what the operator says of a new account.
type NewAccount struct {
	Email     string `json:"email"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Admin     bool   `json:"admin"`
	Password  string `json:"password"` // empty for none
}

// AddAccount stores a new account with its person, and returns the account's id.
func AddAccount(ctx context.Context, db *bucket.DB, n NewAccount) (id int64, err error) {
	addr, err := mail.ParseAddress(n.Email)
	if err != nil || addr.Address != strings.TrimSpace(n.Email) {
		return 0, fmt.Errorf("cannot add the account: %q is not an e-mail address", n.Email)
	}
	n.FirstName, n.LastName = strings.TrimSpace(n.FirstName), strings.TrimSpace(n.LastName)
	if n.FirstName == "" || n.LastName == "" {
		return 0, errors.New("cannot add the account: it needs a first and a last name")
	}
	password := ""
	if n.Password != "" {
		if len([]rune(n.Password)) < auth.MinPassword {
			return 0, fmt.Errorf("cannot add the account: the password must have at least %d characters", auth.MinPassword)
		}
		if auth.Common(n.Password, n.Email) {
			return 0, errors.New("cannot add the account: the password is one of those that are tried first")
		}
		password = auth.HashPassword(n.Password)
	}
	err = db.UpdateBy(ctx, Operator, func(tx *bucket.Tx) error {
		if accounts.EmailTaken(tx, addr.Address) {
			return fmt.Errorf("cannot add the account: there is one with the address %s already", addr.Address)
		}
		acc := &record.Account{
			Email: addr.Address, FirstName: n.FirstName, LastName: n.LastName, Password: password, Admin: n.Admin,
			InstitutionID: accounts.InstitutionID,
		}
		err := accounts.Store(tx, acc)
		id = acc.ID
		return err
	})
	return id, err
}

// AccountEdit is a change to the account with an e-mail address or id. A nil field stays.
type AccountEdit struct {
	Account  string     `json:"account"`
	Disabled *bool      `json:"disabled"`
	Expires  *time.Time `json:"expires"` // the zero time for never
	GroupID  *int64     `json:"group_id"`
	Admin    *bool      `json:"admin"`
	Quota    *int64     `json:"quota"`

	Email     *string `json:"email"`
	FirstName *string `json:"first_name"`
	LastName  *string `json:"last_name"`
	ORCID     *string `json:"orcid"` // "" for none
}

// ChangeAccount changes an account and returns what it is afterwards. Where mails are sent the old e-mail address is told
// of another one.
func ChangeAccount(ctx context.Context, db *bucket.DB, e AccountEdit, mails bool) (line AccountLine, err error) {
	err = db.UpdateBy(ctx, Operator, func(tx *bucket.Tx) error {
		acc, err := accounts.Find(tx, e.Account)
		if err != nil {
			return err
		}
		before := acc.Email
		if err := accounts.Change(tx, acc, accounts.Edit{
			Disabled: e.Disabled, Expires: e.Expires, GroupID: e.GroupID, Admin: e.Admin, Quota: e.Quota,
			Email: e.Email, FirstName: e.FirstName, LastName: e.LastName, ORCID: e.ORCID,
		}); err != nil {
			return err
		}
		if mails && acc.Email != before {
			if err := jobs.QueueMail(tx, record.Mail{Kind: record.MailChanged, To: before, AccountID: acc.ID, Language: acc.Language}); err != nil {
				return err
			}
		}
		line, err = accountLine(tx, acc)
		return err
	})
	return line, err
}

// TokenLine is what operators see of a token. The id is the beginning of the key under
// which it is stored, which opens nothing.
type TokenLine struct {
	ID        string     `json:"id"`
	AccountID int64      `json:"account_id"`
	Name      string     `json:"name"`
	Created   time.Time  `json:"created_date"`
	Expires   *time.Time `json:"expires"`
}

// ListTokens lists the tokens of the account with an e-mail address or id, of all when
// none is named, by account and age.
func ListTokens(db *bucket.DB, account string) ([]TokenLine, error) {
	lines := []TokenLine{}
	err := db.View(func(tx *bucket.Tx) error {
		of := int64(0)
		if account != "" {
			acc, err := accounts.Find(tx, account)
			if err != nil {
				return err
			}
			of = acc.ID
		}
		for row, err := range users.Tokens.All(tx, nil) {
			if err != nil {
				return err
			}
			t := row.Record
			if of != 0 && t.AccountID != of {
				continue
			}
			l := TokenLine{ID: row.Key[:min(auth.TokenID, len(row.Key))], AccountID: t.AccountID, Name: t.Name, Created: t.Created}
			if !t.Expires.IsZero() {
				l.Expires = &t.Expires
			}
			lines = append(lines, l)
		}
		return nil
	})
	slices.SortStableFunc(lines, func(a, b TokenLine) int {
		if a.AccountID != b.AccountID {
			return int(a.AccountID - b.AccountID)
		}
		return a.Created.Compare(b.Created)
	})
	return lines, err
}

// AddToken makes a personal token for the account with an e-mail address or id, and
// returns it: it is not stored and cannot be shown again.
func AddToken(ctx context.Context, db *bucket.DB, account, name string) (token string, err error) {
	err = db.UpdateBy(ctx, Operator, func(tx *bucket.Tx) error {
		acc, err := accounts.Find(tx, account)
		if err != nil {
			return err
		}
		token, err = auth.MakeToken(tx, acc.ID, name, time.Time{})
		return err
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// TokenEnd names tokens to revoke: one of an account by its id, or all.
type TokenEnd struct {
	Account string `json:"account"`
	ID      string `json:"id"` // empty for all
}

// RevokeTokens ends tokens and returns how many. The next request with one is refused;
// requests under way come to their end.
func RevokeTokens(ctx context.Context, db *bucket.DB, e TokenEnd) (n int, err error) {
	err = db.UpdateBy(ctx, Operator, func(tx *bucket.Tx) error {
		n = 0
		acc, err := accounts.Find(tx, e.Account)
		if err != nil {
			return err
		}
		var keys []string
		for hit := range users.TokensByAccount.Ascending(tx, bucket.SortKey(acc.ID)) {
			if e.ID == "" || hit.Key[:min(auth.TokenID, len(hit.Key))] == e.ID {
				keys = append(keys, hit.Key)
			}
		}
		if len(keys) == 0 && e.ID != "" {
			return fmt.Errorf("cannot find a token %q of that account", e.ID)
		}
		for _, k := range keys {
			if err := users.Tokens.Delete(tx, k); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, err
}
