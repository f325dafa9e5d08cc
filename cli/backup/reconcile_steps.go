package backup

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/users"
	"alcove/bucket/withdrawn"
	"alcove/bucket/working"
	"alcove/handlers/items"
	"alcove/record"
)

func comparePairs(a, b bucket.Pair) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) }

// gone adds a step for each record that was deleted later and is there again. do deletes it.
func gone[K comparable, R any](y *reconciler, t *bucket.Table[K, R], kind, what string, keys map[K]bool, order func(a, b K) int, name func(K) string, do func(*bucket.Tx, K, *R) error) {
	for _, k := range slices.SortedFunc(maps.Keys(keys), order) {
		y.steps = append(y.steps, reconcileStep{kind, name(k), func(tx *bucket.Tx) (string, error) {
			r, err := t.Get(tx, k)
			if errors.Is(err, bucket.ErrNotFound) {
				return "", nil
			}
			if err == nil {
				err = do(tx, k, r)
			}
			return what, err
		}})
	}
}

// narrower adds a step for each record that was written later and is there. do brings over what was
// narrowed, and says what that was, or nothing.
func narrower[K comparable, R any](y *reconciler, then *bucket.Tx, t *bucket.Table[K, R], kind string, keys map[K]bool, order func(a, b K) int, name func(K) string, do func(tx *bucket.Tx, is, later *R) (string, error)) error {
	for _, k := range slices.SortedFunc(maps.Keys(keys), order) {
		later, err := t.Lookup(then, k)
		if errors.Is(err, bucket.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		y.steps = append(y.steps, reconcileStep{kind, name(k), func(tx *bucket.Tx) (string, error) {
			is, err := t.Get(tx, k)
			if errors.Is(err, bucket.ErrNotFound) {
				return "", nil
			}
			if err != nil {
				return "", err
			}
			return do(tx, is, later)
		}})
	}
	return nil
}

// compare adds the steps for what a later copy has news of. Withdrawals come first, because
// only what is not public can be erased.
func (y *reconciler) compare(then *bucket.Tx, n *laterChanges) error {
	number := func(id int64) string { return fmt.Sprint(id) }
	pair := func(p bucket.Pair) string { return fmt.Sprint(p.A, "/", p.B) }
	beginning := func(n int) func(string) string { return func(s string) string { return s[:min(n, len(s))] } }
	byID, byName := cmp.Compare[int64], cmp.Compare[string]
	d := &n.deleted

	for _, id := range slices.Sorted(maps.Keys(n.erasures)) {
		e, err := withdrawn.Erasures.Lookup(then, id)
		if err != nil {
			return err
		}
		y.erasures = append(y.erasures, e)
	}
	err := y.withdrawn(then, n.tombstones)
	gone(y, users.Tokens, "tokens", "revoked", d.tokens, byName, beginning(auth.TokenID), func(tx *bucket.Tx, k string, _ *record.Token) error {
		return users.Tokens.Delete(tx, k)
	})
	gone(y, working.PrivateLinks, "private_links", "revoked", d.links, byName, beginning(linkID), func(tx *bucket.Tx, k string, _ *record.PrivateLink) error {
		return working.PrivateLinks.Delete(tx, k)
	})
	gone(y, users.Applications, "applications", "deleted", d.applications, byName, beginning(auth.TokenID), func(tx *bucket.Tx, k string, _ *record.Application) error {
		return users.Applications.Delete(tx, k)
	})
	gone(y, users.Grants, "grants", "revoked", d.grants, comparePairs, pair, func(tx *bucket.Tx, k bucket.Pair, _ *record.Grant) error {
		return users.Grants.Delete(tx, k)
	})
	gone(y, working.ProjectMembers, "project_members", "revoked", d.members, comparePairs, pair, y.dropMember)
	gone(y, users.AddressRanges, "address_ranges", "revoked", d.nets, byID, number, func(tx *bucket.Tx, k int64, _ *record.AddressRange) error {
		return users.AddressRanges.Delete(tx, k)
	})
	gone(y, working.Articles, "articles", "erased", d.articles, byID, number, func(tx *bucket.Tx, _ int64, art *record.Article) error {
		_, err := y.items.DeleteArticle(tx, art)
		return err
	})
	gone(y, files.Files, "files", "erased", d.files, byID, number, y.dropFile)
	gone(y, working.Collections, "collections", "erased", d.collections, byID, number, y.dropCollection)
	gone(y, working.ProjectNotes, "project_notes", "erased", d.notes, byID, number, func(tx *bucket.Tx, k int64, _ *record.ProjectNote) error {
		return working.ProjectNotes.Delete(tx, k)
	})
	gone(y, working.Projects, "projects", "erased", d.projects, byID, number, func(tx *bucket.Tx, _ int64, p *record.Project) error {
		if p.Published != nil {
			if err := items.WithdrawProject(tx, p, p.AccountID, record.Withdrawal{}); err != nil {
				return err
			}
		}
		_, err := y.items.DeleteProject(tx, p)
		return err
	})
	return errors.Join(err,
		narrower(y, then, working.Projects, "projects", n.projects, byID, number, func(tx *bucket.Tx, is, later *record.Project) (string, error) {
			if later.Published != nil || is.Published == nil {
				return "", nil
			}
			if err := items.WithdrawProject(tx, is, later.AccountID, record.Withdrawal{}); err != nil {
				return "", err
			}
			return "withdrawn", items.PutProject(tx, is)
		}),
		narrower(y, then, users.Accounts, "accounts", n.accounts, byID, number, narrowAccount),
		narrower(y, then, working.PrivateLinks, "private_links", n.links, byName, beginning(linkID), narrowLink),
		narrower(y, then, users.Applications, "applications", n.applications, byName, beginning(auth.TokenID), func(tx *bucket.Tx, is, later *record.Application) (string, error) {
			if is.Secret == later.Secret {
				return "", nil
			}
			is.Secret = later.Secret // the old one may have been given up for a reason
			return "its secret is the later one", users.Applications.Put(tx, is.ID, is)
		}),
		narrower(y, then, users.Grants, "grants", n.grants, comparePairs, pair, narrowGrant),
		narrower(y, then, working.ProjectMembers, "project_members", n.members, comparePairs, pair, y.narrowMember),
		narrower(y, then, working.Articles, "articles", n.articles, byID, number, func(tx *bucket.Tx, is, later *record.Article) (string, error) {
			return takeVersions(&is.Working, &later.Working, func() error { return working.Articles.Put(tx, is.ID, is) })
		}),
		narrower(y, then, working.Collections, "collections", n.collections, byID, number, func(tx *bucket.Tx, is, later *record.Collection) (string, error) {
			if later.Withdrawn && is.Public() {
				is.Taken = max(is.Taken, later.Version, later.Taken)
				if err := y.items.WithdrawCollection(tx, is, later.AccountID, record.Withdrawal{}); err != nil {
					return "", err
				}
				return "withdrawn", working.Collections.Put(tx, is.ID, is)
			}
			return takeVersions(&is.Working, &later.Working, func() error { return working.Collections.Put(tx, is.ID, is) })
		}),
	)
}

// takeVersions notes the numbers of versions that were given later.
func takeVersions(is, later *record.Working, put func() error) (string, error) {
	taken := max(later.Version, later.Taken)
	if taken < is.NextVersion() {
		return "", nil
	}
	is.Taken = taken
	return fmt.Sprintf("the next version is %d", is.NextVersion()), put()
}

// withdrawn adds a step for each article of which versions were withdrawn later that are public again.
func (y *reconciler) withdrawn(then *bucket.Tx, tombstones map[bucket.Pair]bool) error {
	for _, k := range slices.SortedFunc(maps.Keys(tombstones), comparePairs) {
		tomb, err := withdrawn.Tombstones.Lookup(then, k)
		if err != nil {
			return err
		}
		y.steps = append(y.steps, reconcileStep{"articles", fmt.Sprint(k.A), func(tx *bucket.Tx) (string, error) {
			art, err := working.Articles.Get(tx, k.A)
			if errors.Is(err, bucket.ErrNotFound) || err == nil && (!art.Public() || art.Version > tomb.Version) {
				return "", nil
			}
			if err != nil {
				return "", err
			}
			return "withdrawn", y.items.Withdraw(tx, art, tomb.By, tomb.Withdrawal)
		}})
	}
	return nil
}

func (y *reconciler) dropMember(tx *bucket.Tx, k bucket.Pair, m *record.ProjectMember) error {
	p, err := working.Projects.Get(tx, m.ProjectID)
	if err != nil {
		return err
	}
	if m.Role == record.ProjectOwner { // it goes with the project
		return nil
	}
	return items.DropMember(tx, p, m)
}

// dropFile takes a file out of a draft. One that is public here was withdrawn with its article.
func (y *reconciler) dropFile(tx *bucket.Tx, _ int64, f *record.File) error {
	if f.Dropped || f.Added > 0 {
		return nil
	}
	art, err := working.Articles.Get(tx, f.ArticleID)
	if err != nil {
		return err
	}
	return items.DetachFile(tx, art, f)
}

func (y *reconciler) dropCollection(tx *bucket.Tx, _ int64, col *record.Collection) error {
	return y.items.DeleteCollection(tx, col, col.AccountID)
}

// earlier reports whether an end, zero for never, comes before another.
func earlier(end, than time.Time) bool { return !end.IsZero() && (than.IsZero() || end.Before(than)) }

func narrowAccount(tx *bucket.Tx, is, later *record.Account) (string, error) {
	before := *is
	is.Disabled = is.Disabled || later.Disabled
	is.Admin = is.Admin && later.Admin
	if earlier(later.Expires, is.Expires) {
		is.Expires = later.Expires
	}
	if is.Password != "" { // the old one may have been given up for a reason
		is.Password = later.Password
	}
	if *is == before {
		return "", nil
	}
	what := "its rights, its end or its password are the later ones"
	if is.Disabled && !before.Disabled {
		what = "disabled"
	}
	return what, users.Accounts.Put(tx, is.ID, is)
}

func narrowLink(tx *bucket.Tx, is, later *record.PrivateLink) (string, error) {
	before := *is
	is.Disabled, is.ReadOnly = is.Disabled || later.Disabled, is.ReadOnly || later.ReadOnly
	if earlier(later.Expires, is.Expires) {
		is.Expires = later.Expires
	}
	if *is == before {
		return "", nil
	}
	what := "narrowed"
	if is.Disabled {
		what = "revoked"
	}
	return what, working.PrivateLinks.Put(tx, is.Token, is)
}

func narrowGrant(tx *bucket.Tx, is, later *record.Grant) (string, error) {
	n := len(is.Roles)
	is.Roles = slices.DeleteFunc(is.Roles, func(role int64) bool { return !slices.Contains(later.Roles, role) })
	switch key := (bucket.Pair{A: is.AccountID, B: is.GroupID}); len(is.Roles) {
	case n:
		return "", nil
	case 0:
		return "revoked", users.Grants.Delete(tx, key)
	default:
		return "narrowed", users.Grants.Put(tx, key, is)
	}
}

func (y *reconciler) narrowMember(tx *bucket.Tx, is, later *record.ProjectMember) (string, error) {
	if later.Role >= is.Role && later.Declined == is.Declined || is.Role == record.ProjectOwner {
		return "", nil
	}
	is.Role, is.Declined = min(is.Role, later.Role), is.Declined || later.Declined
	return "narrowed", working.ProjectMembers.Put(tx, items.MemberKey(is), is)
}
