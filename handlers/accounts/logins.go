package accounts

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/record"
)

const (
	loginsEach = 20  // that an account may have
	loginID    = 16  // characters of the key of a login that name it among those of the account
	mostName   = 200 // characters
	mostShown  = 254
)

var (
	// ErrNoAccount says that an identity at another service belongs to no active account, and may not begin one.
	ErrNoAccount = errors.New("no active account belongs to this identity")
	// ErrOtherAccount says that an identity belongs to another account.
	ErrOtherAccount = errors.New("another account has this identity")
	// ErrLastWay says that an account could be signed in to no more.
	ErrLastWay = errors.New("the account has no other way to sign in")
	// ErrLogins says that an account has as many logins as it may have.
	ErrLogins = errors.New("the account has too many logins")
)

func loginKey(issuer, subject string) string {
	sum := sha256.Sum256([]byte(issuer + "\x00" + subject))
	return hex.EncodeToString(sum[:])
}

// Enter is the account of an identity: the one that is connected with it, the one with its address where that may be, or a
// new one where that may be. Otherwise the error is ErrNoAccount. It gets what the identity gives it.
func Enter(tx *bucket.Tx, id auth.Identity) (int64, error) {
	key := loginKey(id.Issuer, id.Subject)
	l, err := users.Logins.Get(tx, key)
	if errors.Is(err, bucket.ErrNotFound) {
		l = &record.Login{Issuer: id.Issuer, Subject: id.Subject, Created: tx.Now()}
		l.AccountID, err = unconnected(tx, id)
	}
	if err != nil {
		return 0, err
	}
	acc, err := users.Accounts.Get(tx, l.AccountID)
	if err != nil {
		return 0, err
	}
	if !acc.Active(tx.Latest()) {
		return 0, ErrNoAccount
	}
	return acc.ID, keepLogin(tx, key, l, acc, id)
}

// unconnected is the account that an identity is connected with from now on.
func unconnected(tx *bucket.Tx, id auth.Identity) (int64, error) {
	if id.Email == "" {
		return 0, ErrNoAccount
	}
	if known, ok := users.AccountsByEmail.First(tx, bucket.SortKey(record.FoldEmail(id.Email))); ok {
		acc, err := users.Accounts.Get(tx, known)
		if err != nil {
			return 0, err
		}
		if !id.LinkMail || acc.Admin && !id.Admin || loginsOf(tx, known) >= loginsEach {
			return 0, ErrNoAccount // an administrator is one by an address no more than by a claim
		}
		return known, nil
	}
	if !id.Create || len(id.Email) > mostShown {
		return 0, ErrNoAccount
	}
	acc := &record.Account{Email: id.Email, FirstName: cut(id.FirstName, mostName), LastName: cut(id.LastName, mostName), InstitutionID: InstitutionID}
	if acc.FirstName == "" && acc.LastName == "" {
		acc.LastName, _, _ = strings.Cut(id.Email, "@")
	}
	return acc.ID, Store(tx, acc)
}

// cut is a text without what cannot be shown, and not too long.
func cut(text string, most int) string {
	r := []rune(strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool { return r < ' ' || r == 0x7f }), " "))
	return strings.TrimSpace(string(r[:min(len(r), most)]))
}

func loginsOf(tx *bucket.Tx, account int64) int {
	return len(bucket.Keys(users.LoginsByAccount.Ascending(tx, bucket.SortKey(account))))
}

// keepLogin stores a login that is used, and gives the account what the identity gives it now, and no more.
func keepLogin(tx *bucket.Tx, key string, l *record.Login, acc *record.Account, id auth.Identity) error {
	before := *acc
	if l.Admin && !id.Admin {
		acc.Admin, l.Admin = false, false
		if err := auth.EndAccess(tx, acc.ID); err != nil {
			return err
		}
	}
	if id.Admin && !acc.Admin {
		acc.Admin, l.Admin = true, true
	}
	if id.Group != 0 && users.Groups.Has(tx, id.Group) {
		acc.GroupID = id.Group
	}
	if *acc != before {
		acc.Modified = tx.Now()
		if err := users.Accounts.Put(tx, acc.ID, acc); err != nil {
			return err
		}
	}
	var kept []record.GivenRole
	for _, r := range l.Roles {
		if slices.Contains(id.Roles, r) {
			kept = append(kept, r)
		} else if _, err := Revoke(tx, acc.ID, r.GroupID, r.RoleID); err != nil {
			return err
		}
	}
	grants, err := GrantsOf(tx, acc.ID)
	if err != nil {
		return err
	}
	for _, r := range id.Roles {
		has := slices.ContainsFunc(grants, func(g *record.Grant) bool {
			return g.GroupID == r.GroupID && slices.Contains(g.Roles, r.RoleID)
		})
		if has || !users.Groups.Has(tx, r.GroupID) { // granted by a person, who alone takes it away
			continue
		}
		if err := Grant(tx, acc.ID, r.GroupID, r.RoleID); err != nil {
			return err
		}
		kept = append(kept, r)
	}
	l.AccountID, l.Provider, l.Shown, l.Used, l.Roles = acc.ID, id.Provider, cut(id.Shown, mostShown), tx.Now(), kept
	return users.Logins.Put(tx, key, l)
}

// Connect lets an account be signed in to by an identity. An authenticated ORCID iD becomes that of its person, who has
// none yet.
func Connect(tx *bucket.Tx, account int64, id auth.Identity) error {
	key := loginKey(id.Issuer, id.Subject)
	l, err := users.Logins.Get(tx, key)
	switch {
	case errors.Is(err, bucket.ErrNotFound):
		if loginsOf(tx, account) >= loginsEach {
			return ErrLogins
		}
		l = &record.Login{Issuer: id.Issuer, Subject: id.Subject, Created: tx.Now()}
	case err != nil:
		return err
	case l.AccountID != account:
		return ErrOtherAccount
	}
	acc, err := users.Accounts.Get(tx, account)
	if err != nil {
		return err
	}
	if id.ORCID != "" {
		p, err := users.People.Get(tx, acc.PersonID)
		if err != nil {
			return err
		}
		if p.ORCID == "" {
			p.ORCID = id.ORCID
			if err := users.People.Put(tx, p.ID, p); err != nil {
				return err
			}
		}
	}
	return keepLogin(tx, key, l, acc, id)
}

// Login is a login of an account.
type Login struct {
	ID string // names it among those of the account
	record.Login
}

// Logins are those of an account, the oldest first.
func Logins(tx *bucket.Tx, account int64) (all []Login, err error) {
	for _, key := range bucket.Keys(users.LoginsByAccount.Ascending(tx, bucket.SortKey(account))) {
		l, err := users.Logins.Get(tx, key)
		if err != nil {
			return nil, err
		}
		all = append(all, Login{key[:loginID], *l})
	}
	return all, nil
}

// Disconnect removes a login of an account with what it has given, unless it is the only way to sign in. One that is not there
// is left.
func Disconnect(tx *bucket.Tx, account int64, id string) error {
	keys := bucket.Keys(users.LoginsByAccount.Ascending(tx, bucket.SortKey(account)))
	at := slices.IndexFunc(keys, func(key string) bool { return key[:loginID] == id })
	if at < 0 {
		return nil
	}
	acc, err := users.Accounts.Get(tx, account)
	if err != nil {
		return err
	}
	if acc.Password == "" && len(keys) == 1 && len(bucket.Keys(users.PasskeysByAccount.Ascending(tx, bucket.SortKey(account)))) == 0 {
		return ErrLastWay
	}
	l, err := users.Logins.Get(tx, keys[at])
	if err != nil {
		return err
	}
	if err := keepLogin(tx, keys[at], l, acc, auth.Identity{Provider: l.Provider, Shown: l.Shown}); err != nil {
		return err
	}
	return users.Logins.Delete(tx, keys[at])
}
