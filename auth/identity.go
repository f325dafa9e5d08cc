package auth

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"alcove/record"
)

// Said is what another service says of a person who has signed in there.
type Said struct {
	Provider, Issuer, Subject string
	Email                     string
	Verified                  bool // the service has checked that the address is the person's
	FirstName, LastName       string
	Claims                    Claims
}

// Claims are what else it says, each by its name; what is inside of others has a name with dots, such as realm_access.roles.
type Claims map[string][]string

// Bounds of what is kept of claims.
const mostClaims, mostClaimValues, mostClaim = 500, 1000, 1024

// NewClaims are those of a decoded JSON object. Only texts, numbers and truths are kept, and lists of them.
func NewClaims(object map[string]any) Claims {
	c := Claims{}
	c.add("", object, 4)
	return c
}

func (c Claims) add(name string, value any, depth int) {
	one := func(text string) {
		if len(text) <= mostClaim && len(c[name]) < mostClaimValues && (c[name] != nil || len(c) < mostClaims) {
			c[name] = append(c[name], text)
		}
	}
	switch v := value.(type) {
	case string:
		one(v)
	case float64:
		one(strconv.FormatFloat(v, 'f', -1, 64))
	case bool:
		one(strconv.FormatBool(v))
	case []any:
		for _, of := range v {
			if _, object := of.(map[string]any); !object && depth > 0 {
				c.add(name, of, 0)
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if of := key; depth > 0 {
				if name != "" {
					of = name + "." + key
				}
				c.add(of, v[key], depth-1)
			}
		}
	}
}

// First is the first value of a claim, "" for none.
func (c Claims) First(name string) string {
	if len(c[name]) == 0 {
		return ""
	}
	return c[name][0]
}

// Rule is what a value of a claim gives a person.
type Rule struct {
	Claim, Value string
	Create       bool  // an account, where there is none
	Group        int64 // in which the account is, and has the role; 0 for none
	Role         int64 // 0 for none
	Admin        bool
}

// Admission says what becomes of people that another service knows.
type Admission struct {
	LinkMail bool     // one with the verified address of an account gets that account
	Create   bool     // one without an account gets one, with an address or a claim that is listed
	Domains  []string // of addresses that count for either
	Rules    []Rule
}

// Identity is what a person may do here by what another service has said.
type Identity struct {
	Provider, Issuer, Subject, Shown string
	Email                            string // verified, of a domain that counts; "" for none
	FirstName, LastName              string
	ORCID                            string // the iD that the service has authenticated, "" for none
	LinkMail, Create                 bool
	Group                            int64 // 0 where nothing says
	Admin                            bool
	Roles                            []record.GivenRole
}

// Judge applies the configuration to what a service has said.
func (a Admission) Judge(s Said) Identity {
	id := Identity{Provider: s.Provider, Issuer: s.Issuer, Subject: s.Subject, FirstName: s.FirstName, LastName: s.LastName}
	if id.Shown = s.Subject; s.Email != "" {
		id.Shown = s.Email
	}
	_, domain, _ := strings.Cut(record.FoldEmail(s.Email), "@")
	counts := s.Verified && domain != "" && slices.ContainsFunc(a.Domains, func(d string) bool { return strings.EqualFold(d, domain) })
	if s.Verified {
		id.Email = strings.TrimSpace(s.Email)
	}
	id.LinkMail = a.LinkMail && counts
	id.Create = a.Create && counts
	for _, r := range a.Rules {
		if !slices.Contains(s.Claims[r.Claim], r.Value) {
			continue
		}
		id.Create = id.Create || a.Create && r.Create && id.Email != ""
		id.Admin = id.Admin || r.Admin
		if r.Group == 0 {
			continue
		}
		if id.Group == 0 {
			id.Group = r.Group
		}
		if given := (record.GivenRole{GroupID: r.Group, RoleID: r.Role}); r.Role != 0 && !slices.Contains(id.Roles, given) {
			id.Roles = append(id.Roles, given)
		}
	}
	return id
}
