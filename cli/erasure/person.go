package erasure

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/cli/operate"
	"alcove/handlers/items"
	"alcove/record"
)

// personal finds what there is of a person beside the account.
type personal struct {
	account *record.Account
	person  *record.Person
	erasure *record.Erasure // nil before there is one
}

// wipe deletes a record, or takes the words out of it. It may be run twice.
type wipe func(tx *bucket.Tx) error

func drop[K comparable, R any](t *bucket.Table[K, R], key K) wipe {
	return func(tx *bucket.Tx) error { return operate.Absent(t.Delete(tx, key)) }
}

// dropped are the records of a table that are the person's.
func dropped[K comparable, R any](tx *bucket.Tx, t *bucket.Table[K, R], is func(K, *R) bool) (list []wipe, err error) {
	for row, err := range t.All(tx, nil) {
		if err != nil {
			return nil, err
		}
		if is(row.Key, row.Record) {
			list = append(list, drop(t, row.Key))
		}
	}
	return list, nil
}

// each calls do for each kind of records that an erasure takes away. They stand in no index by person, or are few, so that all
// of a table are looked at: it is done once.
func (p personal) each(tx *bucket.Tx, do func(kind string, list []wipe) error) (err error) {
	id, mail := p.account.ID, record.FoldEmail(p.account.Email)
	var all error
	note := func(kind string, list []wipe, err error) {
		if all = errors.Join(all, err); all == nil {
			all = do(kind, list)
		}
	}
	var list []wipe
	if users.Pictures.Has(tx, p.person.ID) {
		note("picture", []wipe{drop(users.Pictures, p.person.ID)}, nil)
	}
	for _, key := range bucket.Keys(users.SessionsByAccount.Ascending(tx, bucket.SortKey(id))) {
		list = append(list, drop(users.Sessions, key))
	}
	note("sessions", list, nil)
	list = nil
	for _, key := range bucket.Keys(users.TokensByAccount.Ascending(tx, bucket.SortKey(id))) {
		list = append(list, func(tx *bucket.Tx) error {
			return errors.Join(operate.Absent(users.TokenUses.Delete(tx, key)), operate.Absent(users.Tokens.Delete(tx, key)))
		})
	}
	note("tokens", list, nil)
	list, err = dropped(tx, users.Applications, func(_ string, a *record.Application) bool { return a.AccountID == id })
	note("applications", list, err)
	list, err = dropped(tx, users.Passkeys, func(_ string, k *record.Passkey) bool { return k.AccountID == id })
	note("passkeys", list, err)
	list, err = dropped(tx, users.Logins, func(_ string, l *record.Login) bool { return l.AccountID == id })
	note("sign-in at other services", list, err)
	list, err = dropped(tx, users.SecondFactors, func(k int64, _ *record.SecondFactor) bool { return k == id })
	note("second factor", list, err)
	list, err = dropped(tx, users.Challenges, func(_ string, c *record.Challenge) bool { return c.AccountID == id })
	note("challenges", list, err)
	list, err = dropped(tx, users.OneTimeLinks, func(_ string, l *record.OneTimeLink) bool {
		return l.AccountID == id || record.FoldEmail(l.Email) == mail
	})
	note("one-time links", list, err)
	list, err = dropped(tx, exchange.Outbox, func(_ int64, m *record.Mail) bool { return m.AccountID == id || record.FoldEmail(m.To) == mail })
	note("mails that wait", list, err)
	list, err = dropped(tx, users.Accesses, func(_ int64, a *record.Access) bool { return a.Account == id || a.Actor == id })
	note("requests that were noted", list, err)
	list, err = dropped(tx, exchange.Reports, func(k bucket.Pair, _ *record.Report) bool { return k.A == id })
	note("reports", list, err)
	list, err = dropped(tx, users.Grants, func(k bucket.Pair, _ *record.Grant) bool { return k.A == id })
	note("roles", list, err)
	list, err = dropped(tx, working.ProjectNotes, func(_ int64, n *record.ProjectNote) bool { return n.AccountID == id })
	note("notes in projects", list, err)
	list = nil
	for row, err := range exchange.Mirrors.All(tx, nil) {
		if err != nil {
			return err
		}
		if row.Record.Account == id {
			list = append(list, func(tx *bucket.Tx) error { return operate.Absent(operate.RemoveMirror(tx, row.Key)) })
		}
	}
	note("mirrors, of which the items stay", list, nil)
	list, err = p.memberships(tx, mail)
	note("memberships and invitations", list, err)
	list, err = p.comments(tx)
	note("comments on reviews, of which the text goes", list, err)
	list, err = p.names(tx)
	note("names of co-authors that nothing names any more", list, err)
	return all
}

// memberships are those in projects of others, and invitations of the mail address.
func (p personal) memberships(tx *bucket.Tx, mail string) (list []wipe, err error) {
	for row, err := range working.ProjectMembers.All(tx, nil) {
		if err != nil {
			return nil, err
		}
		m, key := row.Record, row.Key
		if m.AccountID != p.account.ID && (m.Email == "" || record.FoldEmail(m.Email) != mail) || m.Role == record.ProjectOwner {
			continue
		}
		list = append(list, func(tx *bucket.Tx) error {
			m, err := working.ProjectMembers.Get(tx, key)
			if err != nil {
				return operate.Absent(err)
			}
			project, err := working.Projects.Get(tx, key.A)
			if err != nil {
				return err
			}
			return items.DropMember(tx, project, m)
		})
	}
	return list, nil
}

// comments are those that the person has written. Their places stay, as others refer to them.
func (p personal) comments(tx *bucket.Tx) (list []wipe, err error) {
	for row, err := range working.ReviewComments.All(tx, nil) {
		if err != nil {
			return nil, err
		}
		if row.Record.AccountID != p.account.ID || row.Record.Text == "" {
			continue
		}
		key := row.Key
		list = append(list, func(tx *bucket.Tx) error {
			c, err := working.ReviewComments.Get(tx, key)
			if err != nil {
				return operate.Absent(err)
			}
			r, err := working.Reviews.Get(tx, key.A)
			if err != nil {
				return err
			}
			if r.Resolution == c.Text {
				r.Resolution = ""
				if err := working.Reviews.Put(tx, r.ID, r); err != nil {
					return err
				}
			}
			c.Text = ""
			return working.ReviewComments.Put(tx, key, c)
		})
	}
	return list, nil
}

// names are people that the person has named by name and that neither something public nor any working copy, but for drafts that
// go, names.
func (p personal) names(tx *bucket.Tx) (list []wipe, err error) {
	mine := bucket.Keys(users.PeopleSeen.Ascending(tx, bucket.SortKey(p.account.ID)))
	if len(mine) == 0 {
		return nil, nil
	}
	used := map[int64]bool{}
	note := func(w *record.Working, kept bool) {
		if w.AccountID != p.account.ID || kept || wasPublished(w) {
			for _, id := range w.Authors {
				used[id] = true
			}
		}
	}
	for row, err := range working.Articles.All(tx, nil) {
		if err != nil {
			return nil, err
		}
		note(&row.Record.Working, p.erasure != nil && slices.Contains(p.erasure.Articles, row.Key))
	}
	for row, err := range working.Collections.All(tx, nil) {
		if err != nil {
			return nil, err
		}
		note(&row.Record.Working, p.erasure != nil && slices.Contains(p.erasure.Collections, row.Key))
	}
	for _, id := range mine {
		person, err := users.People.Get(tx, id)
		if err != nil {
			return nil, err
		}
		if !used[id] && !person.Public && person.AccountID == 0 {
			list = append(list, drop(users.People, id))
		}
	}
	return list, nil
}

// wasPublished reports whether an item is or was public: what was cited stays.
func wasPublished(w *record.Working) bool { return w.Version > 0 || w.Withdrawn }

// articles are those of the person that were never published, and the others.
func (p personal) articles(tx *bucket.Tx) (drafts, published []int64, err error) {
	for hit := range working.ArticlesByCreated.Ascending(tx, bucket.SortKey(p.account.ID)) {
		art, err := working.Articles.Get(tx, hit.Key)
		if err != nil {
			return nil, nil, err
		}
		if wasPublished(&art.Working) || p.erasure != nil && slices.Contains(p.erasure.Articles, art.ID) {
			published = append(published, art.ID)
		} else {
			drafts = append(drafts, art.ID)
		}
	}
	return drafts, published, nil
}

func (p personal) collections(tx *bucket.Tx) (drafts, published []int64, err error) {
	for hit := range working.CollectionsByCreated.Ascending(tx, bucket.SortKey(p.account.ID)) {
		col, err := working.Collections.Get(tx, hit.Key)
		if err != nil {
			return nil, nil, err
		}
		if wasPublished(&col.Working) || p.erasure != nil && slices.Contains(p.erasure.Collections, col.ID) {
			published = append(published, col.ID)
		} else {
			drafts = append(drafts, col.ID)
		}
	}
	return drafts, published, nil
}

// shut ends what the person can do, at once and before everything else.
func shut(tx *bucket.Tx, id int64) error {
	acc, err := users.Accounts.Get(tx, id)
	if err != nil {
		return operate.Absent(err)
	}
	acc.Disabled, acc.Admin, acc.Modified = true, false, tx.Now()
	return errors.Join(users.Accounts.Put(tx, id, acc), auth.EndAccess(tx, id))
}

// blank takes the words out of the account and the person. It comes last, as the address in it finds others.
func blank(tx *bucket.Tx, id int64) error {
	acc, err := users.Accounts.Get(tx, id)
	if err != nil {
		return operate.Absent(err)
	}
	person, err := users.People.Get(tx, acc.PersonID)
	if err != nil {
		return err
	}
	acc.Email = ErasedMail(id)
	acc.FirstName, acc.LastName, acc.Password, acc.InstitutionUserID, acc.SymplecticUserID, acc.Language, acc.Muted = "", "", "", "", "", "", ""
	acc.Disabled, acc.Admin, acc.Modified = true, false, tx.Now()
	if person.Profile = nil; !person.Public {
		*person = record.Person{ID: person.ID, AccountID: person.AccountID, CreatedBy: person.CreatedBy}
	}
	return errors.Join(users.Accounts.Put(tx, id, acc), users.People.Put(tx, person.ID, person))
}

// ErasedMail is the address of an account that was erased: none that mail goes to (RFC 2606).
func ErasedMail(account int64) string {
	return "erased-" + strconv.FormatInt(account, 10) + "@erased.invalid"
}

// whoIs is the account that an erasure names, nil where there is none or nothing of it is left.
func whoIs(tx *bucket.Tx, id int64) (*personal, error) {
	acc, err := users.Accounts.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	person, err := users.People.Get(tx, acc.PersonID)
	if err != nil {
		return nil, fmt.Errorf("cannot find the person of account %d: %w", id, err)
	}
	return &personal{acc, person, nil}, nil
}
