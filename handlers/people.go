package handlers

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/mail"
	"strings"

	"golang.org/x/crypto/argon2"

	"alcove/bucket"
	"alcove/record"
)

// NewAccount is what the operator says of a new account.
type NewAccount struct {
	Email     string `json:"email"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Admin     bool   `json:"admin"`
	Password  string `json:"password"` // empty for none
}

// InstitutionID is the institution that every account belongs to (decision 24).
const InstitutionID = 1

// minPassword is the least number of characters of a password.
const minPassword = 12

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
		if len([]rune(n.Password)) < minPassword {
			return 0, fmt.Errorf("cannot add the account: the password must have at least %d characters", minPassword)
		}
		password = hashPassword(n.Password)
	}
	err = db.UpdateBy(ctx, operator, func(tx *bucket.Tx) error {
		if emailTaken(tx, addr.Address) {
			return fmt.Errorf("cannot add the account: there is one with the address %s already", addr.Address)
		}
		acc := &record.Account{
			Email: addr.Address, FirstName: n.FirstName, LastName: n.LastName, Password: password, Admin: n.Admin,
			InstitutionID: InstitutionID,
		}
		err := storeAccount(tx, acc)
		id = acc.ID
		return err
	})
	return id, err
}

func emailTaken(tx *bucket.Tx, email string) bool {
	_, taken := bucket.AccountsByEmail.First(tx, bucket.SortKey(record.FoldEmail(email)))
	return taken
}

// storeAccount stores a new account, to which it gives an id, with its person.
func storeAccount(tx *bucket.Tx, acc *record.Account) (err error) {
	acc.Created, acc.Modified = tx.Now(), tx.Now()
	if acc.ID, err = bucket.Accounts.NextID(tx); err != nil {
		return err
	}
	if acc.PersonID, err = bucket.People.NextID(tx); err != nil {
		return err
	}
	person := &record.Person{
		ID: acc.PersonID, AccountID: acc.ID, CreatedBy: acc.ID, FullName: strings.TrimSpace(acc.FirstName + " " + acc.LastName),
		FirstName: acc.FirstName, LastName: acc.LastName,
	}
	if err := bucket.People.Put(tx, person.ID, person); err != nil {
		return err
	}
	if err := bucket.Accounts.Put(tx, acc.ID, acc); err != nil {
		return err
	}
	return claimInvitations(tx, acc)
}

// AddToken makes a personal token for the account with an e-mail address or id, and
// returns it: it is not stored and cannot be shown again.
func AddToken(ctx context.Context, db *bucket.DB, account, name string) (token string, err error) {
	token = newToken()
	err = db.UpdateBy(ctx, operator, func(tx *bucket.Tx) error {
		acc, err := findAccount(tx, account)
		if err != nil {
			return err
		}
		return bucket.Tokens.Put(tx, TokenKey(token), &record.Token{AccountID: acc.ID, Name: name, Created: tx.Now()})
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

func findAccount(tx *bucket.Tx, account string) (*record.Account, error) {
	id, ok := bucket.AccountsByEmail.First(tx, bucket.SortKey(record.FoldEmail(account)))
	if !ok && isID(account) {
		if _, err := fmt.Sscan(account, &id); err == nil {
			ok = bucket.Accounts.Has(tx, id)
		}
	}
	if !ok {
		return nil, fmt.Errorf("cannot find an account %q", account)
	}
	return bucket.Accounts.Get(tx, id)
}

// newToken is a secret of 256 random bits; the prefix lets people and scanners know it.
func newToken() string {
	var b [32]byte
	rand.Read(b[:])
	return "alc_" + hex.EncodeToString(b[:])
}

// Parameters of argon2id (RFC 9106; OWASP's smaller recommendation).
const (
	argonTime, argonMemory, argonLanes = 2, 19 << 10, 1
	argonKey, argonSalt                = 32, 16
)

// hashPassword is the argon2id hash of a password in PHC form.
func hashPassword(password string) string {
	salt := make([]byte, argonSalt)
	rand.Read(salt)
	key := argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonLanes, argonKey)
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonLanes, b64(salt), b64(key))
}
