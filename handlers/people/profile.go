package people

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/handlers/endpoint"
	"alcove/handlers/export"
	"alcove/record"
)

// The page of a person's own profile. It changes it by ProfileUpdate and PictureUpload, as the API does.

// Profile is what the person who is signed in has said of themselves.
type Profile struct {
	Account *record.Account
	Person  *record.Person
	Picture bool // there is one
}

// Profile reads that of the person.
func (a *People) Profile(c *endpoint.Call) (p Profile, err error) {
	err = a.DB.View(func(tx *bucket.Tx) (err error) {
		p, err = ReadProfile(c, tx)
		return err
	})
	return p, err
}

// ReadProfile reads it in a transaction.
func ReadProfile(c *endpoint.Call, tx *bucket.Tx) (p Profile, err error) {
	if p.Account, err = users.Accounts.Get(tx, c.Person().ID); err != nil {
		return p, err
	}
	p.Picture = users.Pictures.Has(tx, p.Account.PersonID)
	p.Person, err = users.People.Get(tx, p.Account.PersonID)
	return p, err
}

// ProfileSettings is a step that sets the language of the person's pages and mails, "" for the one that the browser
// prefers, and which notices are not sent.
func ProfileSettings(language string, muted string) endpoint.Step {
	return func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
		acc, err := users.Accounts.Get(tx, c.Account.ID)
		if err != nil || acc.Language == language && acc.Muted == muted {
			return endpoint.Reply{}, err
		}
		acc.Language, acc.Muted = language, muted
		return endpoint.Reply{}, users.Accounts.Put(tx, acc.ID, acc)
	}
}

// ProfilePictureRemove is a step that removes the picture of the person, if there is one.
func ProfilePictureRemove(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	err := users.Pictures.Delete(tx, c.Account.PersonID)
	if errors.Is(err, bucket.ErrNotFound) {
		err = nil
	}
	return endpoint.Reply{}, err
}

// exportsAtOnce is how many exports are written at a time: each reads the whole change log.
const exportsAtOnce = 2

// ProfileExport sends everything that the repository has of the person, with a page that index makes of what it is.
func (a *People) ProfileExport(c *endpoint.Call, index func([]export.File) ([]byte, error)) (endpoint.Reply, error) {
	made, err := a.exported(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	pieces := export.New(export.Options{
		DB: a.DB, Account: c.Person().ID, Made: made, Index: index,
		Enter: func() error {
			if a.exports.Add(1) > exportsAtOnce {
				a.exports.Add(-1)
				return record.ErrUnavailable
			}
			return nil
		},
		Leave: func() { a.exports.Add(-1) },
	})
	tag := endpoint.ETag(fmt.Appendf(nil, "export %d %d %s", c.Person().ID, a.DB.Sequence(), c.RequestID))
	return endpoint.Reply{
		Pieces: pieces, Tag: tag, Type: "application/zip", Name: fmt.Sprintf("account-%d.zip", c.Person().ID),
		Header: http.Header{"Cache-Control": {"private, no-store"}},
	}, nil
}

// exported are the parts of an export that are bounded: the account, and what opens it, by its names alone.
func (a *People) exported(c *endpoint.Call) ([]export.Made, error) {
	tokens, err := a.Tokens(c)
	if err != nil {
		return nil, err
	}
	sessions, err := a.Sessions(c)
	if err != nil {
		return nil, err
	}
	passkeys, err := a.Passkeys(c)
	if err != nil {
		return nil, err
	}
	logins, err := a.Logins(c)
	if err != nil {
		return nil, err
	}
	one := func(name string, records ...any) export.Made { return export.Made{Name: name, Records: records} }
	t, s, k, l := one("tokens"), one("sessions"), one("passkeys"), one("logins")
	for _, v := range tokens {
		t.Records = append(t.Records, map[string]any{"name": v.Name, "created": v.Created, "expires": v.Expires, "used": v.Used})
	}
	for _, v := range sessions {
		s.Records = append(s.Records, map[string]any{"browser": v.Agent, "created": v.Created, "used": v.Used, "ends": v.Ends})
	}
	for _, v := range passkeys {
		k.Records = append(k.Records, map[string]any{"name": v.Name, "created": v.Created, "used": v.Used})
	}
	for _, v := range logins {
		l.Records = append(l.Records, v.Login)
	}
	list := []export.Made{t, s, k, l}
	err = a.DB.View(func(tx *bucket.Tx) error {
		acc, err := users.Accounts.Get(tx, c.Person().ID)
		if err != nil {
			return err
		}
		person, err := users.People.Get(tx, acc.PersonID)
		if err != nil {
			return err
		}
		profile := one("profile", person)
		if p, err := users.Pictures.Get(tx, person.ID); err == nil {
			profile.Records = append(profile.Records, map[string]any{"picture": p})
		}
		grants, applications, connected := one("roles"), one("applications"), one("connected_applications")
		for row, err := range users.Grants.All(tx, bucket.Prefix(acc.ID)) {
			if err != nil {
				return err
			}
			grants.Records = append(grants.Records, row.Record)
		}
		for hit := range users.ApplicationsByAccount.Ascending(tx, bucket.SortKey(acc.ID)) {
			r, err := users.Applications.Get(tx, hit.Key)
			if err != nil {
				return err
			}
			applications.Records = append(applications.Records, map[string]any{"client_id": r.ID, "name": r.Name, "redirects": r.Redirects, "created": r.Created})
		}
		for hit := range users.AuthorizationsByAccount.Ascending(tx, bucket.SortKey(acc.ID)) {
			z, err := users.Authorizations.Get(tx, hit.Key)
			if err != nil {
				return err
			}
			connected.Records = append(connected.Records, map[string]any{"client_id": z.ClientID, "scope": z.Scope, "created": z.Created, "renewed": z.Renewed})
		}
		list = slices.Insert(list, 0, one("account", export.Account(acc)), profile, grants)
		list = append(list, applications, connected)
		return nil
	})
	return list, err
}
