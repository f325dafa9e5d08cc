package record

import (
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// FoldEmail is the form in which addresses are compared: without space around them and
// in lower case.
func FoldEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// AccountBody is the body of an account create. A nil field was not sent.
type AccountBody struct {
	Email             *string `json:"email"`
	FirstName         *string `json:"first_name"`
	LastName          *string `json:"last_name"`
	GroupID           *int64  `json:"group_id"`
	InstitutionUserID *string `json:"institution_user_id"`
	SymplecticUserID  *string `json:"symplectic_user_id"`
	Quota             *int64  `json:"quota"`
	IsActive          *bool   `json:"is_active"`
}

// Check refuses values that break a rule (422).
func (b *AccountBody) Check() error {
	switch {
	case b.Email == nil:
		return Wrong("email", "is required")
	case b.LastName == nil || blankText(*b.LastName):
		return Wrong("last_name", "is required")
	}
	if err := CheckEmail(*b.Email); err != nil {
		return err
	}
	first := ""
	set(&first, b.FirstName)
	for _, f := range []struct {
		name string
		text *string
		most int
	}{{"first_name", b.FirstName, maxName}, {"last_name", b.LastName, maxName}, {"institution_user_id", b.InstitutionUserID, 50}, {"symplectic_user_id", b.SymplecticUserID, 50}} {
		if f.text != nil && longer(*f.text, f.most) {
			return Wrong(f.name, "must have at most "+strconv.Itoa(f.most)+" characters")
		}
	}
	if longer(first+*b.LastName, maxName) {
		return Wrong("last_name", "must have at most 255 characters together with first_name")
	}
	if b.Quota != nil && *b.Quota < 0 {
		return Wrong("quota", "must not be negative")
	}
	return nil
}

// Account is the account that the body asks for, without ids. It must follow Check.
func (b *AccountBody) Account() *Account {
	a := &Account{Email: strings.TrimSpace(*b.Email)}
	set(&a.FirstName, b.FirstName)
	set(&a.LastName, b.LastName)
	set(&a.GroupID, b.GroupID)
	set(&a.InstitutionUserID, b.InstitutionUserID)
	set(&a.SymplecticUserID, b.SymplecticUserID)
	set(&a.Quota, b.Quota)
	a.FirstName, a.LastName = strings.TrimSpace(a.FirstName), strings.TrimSpace(a.LastName)
	a.Disabled = b.IsActive != nil && !*b.IsActive
	return a
}

// CheckEmail refuses what is not a bare e-mail address of 3 to 150 characters.
func CheckEmail(email string) error {
	addr, err := mail.ParseAddress(email)
	if err != nil || addr.Address != strings.TrimSpace(email) || longer(addr.Address, 150) {
		return Wrong("email", "must be an e-mail address of at most 150 characters")
	}
	return nil
}

// AccountChange is the body of an account update.
type AccountChange struct {
	GroupID  *int64 `json:"group_id"`
	IsActive *bool  `json:"is_active"`
}

// GroupRoles is a body that names roles under the ids of groups.
type GroupRoles struct{ Grants []Grant }

// bind reads the whole body: its keys are ids, not names of fields.
func (g *GroupRoles) bind(n *node, at *spot) error {
	if len(n.keys) == 0 {
		return Wrong("The body", "must name roles under the id of a group")
	}
	for i, k := range n.keys {
		id, err := strconv.ParseInt(k, 10, 64)
		if err != nil || id < 1 || strconv.FormatInt(id, 10) != k {
			return Wrong(shorten(k, 64), "must be the id of a group")
		}
		kid := n.kids[i]
		if kid.kind != '[' || len(kid.kids) == 0 {
			return Wrong(k, "must be a list of ids of roles")
		}
		grant := Grant{GroupID: id}
		for _, r := range kid.kids {
			role, err := strconv.ParseInt(string(r.raw), 10, 64)
			if r.kind != '0' || err != nil {
				return Wrong(k, "must be a list of ids of roles")
			}
			if _, known := RoleByID(role); !known {
				return Wrong(k, "names a role that does not exist")
			}
			grant.Add(role)
		}
		g.Grants = append(g.Grants, grant)
	}
	return nil
}

// Add adds a role and keeps the order. It reports whether the role was not there.
func (g *Grant) Add(role int64) bool {
	at, found := slices.BinarySearch(g.Roles, role)
	if !found {
		g.Roles = slices.Insert(g.Roles, at, role)
	}
	return !found
}

// Remove takes a role away. It reports whether the role was there.
func (g *Grant) Remove(role int64) bool {
	at, found := slices.BinarySearch(g.Roles, role)
	if found {
		g.Roles = slices.Delete(g.Roles, at, at+1)
	}
	return found
}

// Take removes a key from the body, so that what binds the rest does not meet it. An
// integer is returned, absent is nil, anything else is an error (422).
func (b *Body) Take(key string) (*int64, error) {
	if b.root == nil {
		return nil, nil
	}
	i := slices.Index(b.root.keys, key)
	if i < 0 {
		return nil, nil
	}
	kid := b.root.kids[i]
	b.root = &node{
		kind: '{', raw: b.root.raw,
		keys: slices.Delete(slices.Clone(b.root.keys), i, i+1),
		kids: slices.Delete(slices.Clone(b.root.kids), i, i+1),
	}
	if kid.kind == 'n' {
		return nil, nil
	}
	n, err := strconv.ParseInt(string(kid.raw), 10, 64)
	if kid.kind != '0' || err != nil || !isInteger(kid.raw) {
		return nil, Wrong(key, "must be an integer")
	}
	return &n, nil
}

func blankText(s string) bool { return strings.TrimSpace(s) == "" }

func longer(s string, n int) bool { return utf8.RuneCountInString(s) > n }

// Login is an identity at another service that an account signs in with; its key in the store is made of issuer and
// subject. Nothing in it is secret.
type Login struct {
	AccountID int64     `json:"account_id"`
	Provider  string    `json:"provider"` // its name in the configuration
	Issuer    string    `json:"issuer"`
	Subject   string    `json:"subject"`
	Shown     string    `json:"shown"` // what the person knows the identity by
	Created   time.Time `json:"created"`
	Used      time.Time `json:"used"`

	// Given to the account by the service, and taken back when it says so no more:
	Admin bool        `json:"admin,omitempty"`
	Roles []GivenRole `json:"roles,omitempty"`
}

// GivenRole is a role in a group.
type GivenRole struct {
	GroupID int64 `json:"group_id"`
	RoleID  int64 `json:"role_id"`
}

// Agreement is that a person has accepted the text that depositors are asked to accept.
type Agreement struct {
	SHA256    string    `json:"sha256"` // hex, of the text as it was read
	Language  string    `json:"language"`
	AccountID int64     `json:"account_id"` // who accepted it
	Accepted  time.Time `json:"accepted"`
}

// ErrAgreementNeeded refuses a publication in the name of an account that has not accepted the text of now.
var ErrAgreementNeeded = &Error{Class: Forbidden, Code: "AgreementNeeded", Message: "The deposit agreement of this repository has to be accepted before anything is published: publish this item, or any other, on its page once"}

// Access is a request that an operator may want to look up later: one that was refused, one that
// an administrator's token made, or one that changed something.
type Access struct {
	At      time.Time `json:"at"`
	Method  string    `json:"method"`
	Route   string    `json:"route"`   // the pattern, "-" where no route was found
	IDs     string    `json:"ids"`     // of the path, as "id=7 file_id=9"
	Status  int       `json:"status"`  // of the answer
	Account int64     `json:"account"` // as which the call acted, 0 for none
	Actor   int64     `json:"actor"`   // whose token it was, 0 for none
	Token   string    `json:"token"`   // id of the token, empty for none
	Address string    `json:"address"` // of the client, shortened as the configuration says
	Count   int       `json:"count"`   // requests that this stands for: more than 1 where an address was refused often
}

// Scope says how much of an account a token opens. Each one opens what those before it do.
type Scope string

// The scopes. A personal token has ScopeAll, stored as "".
const (
	ScopeRead   Scope = "read"   // reading
	ScopeUpload Scope = "upload" // making and changing drafts and their files
	ScopeAll    Scope = "all"
)

// Scopes are all of them, the narrowest first.
var Scopes = []Scope{ScopeRead, ScopeUpload, ScopeAll}

// Opens reports whether the scope is as wide as a call needs.
func (s Scope) Opens(needed Scope) bool {
	return s == "" || slices.Index(Scopes, s) >= slices.Index(Scopes, needed)
}
