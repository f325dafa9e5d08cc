package record

import (
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

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
