package people

import (
	"context"
	"iter"
	"slices"
	"strings"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/handlers/endpoint"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/record"
)

// PersonSearch is what a search of people asks for.
type PersonSearch struct {
	lists.Paging
	SearchFor     *string `json:"search_for"`
	ORCID         *string `json:"orcid"`
	InstitutionID *int64  `json:"institution_id"`
	GroupID       *int64  `json:"group_id"`
	IsActive      *bool   `json:"is_active"`
	IsPublic      *bool   `json:"is_public"`
}

// PersonSearch finds people that the caller may name as authors, by id.
// Every word looked for must begin a word of the name or of the ORCID iD.
func (a *People) PersonSearch(c *endpoint.Call, body *PersonSearch) (endpoint.Reply, error) {
	if err := longEnough(body.SearchFor); err != nil {
		return endpoint.Reply{}, err
	}
	w, err := body.Window(c.Query, lists.Others)
	if err != nil {
		return endpoint.Reply{}, err
	}
	list := []present.AuthorComplete{}
	err = a.DB.View(func(tx *bucket.Tx) error {
		ids, words := peopleLike(c, tx, body)
		groups, err := GroupAndBelow(tx, body.GroupID)
		if err != nil {
			return err
		}
		type holder struct {
			*record.Person
			account *record.Account
		}
		people := lists.Load(slices.Values(ids), func(id int64) (holder, error) {
			person, acc, err := personAndAccount(c, tx, id)
			return holder{person, acc}, err
		})
		named := lists.Keep(people, func(h holder) bool { return h.Named(words) && body.passes(h.Person, h.account, groups) })
		list, err = lists.Show(lists.PageOf(w, named), func(h holder) present.AuthorComplete { return a.Settings.AuthorComplete(h.Person, h.account) })
		return err
	})
	return endpoint.Reply{Body: list, Modified: c.Changed}, err
}

// peopleLike are the people, among those that the caller may see, of whose words one
// begins with the longest word looked for, by id; and all words looked for.
func peopleLike(c *endpoint.Call, tx *bucket.Tx, s *PersonSearch) (ids []int64, words []string) {
	if s.SearchFor != nil {
		words = record.NameWords(*s.SearchFor)
	}
	if s.ORCID != nil {
		words = append(words, record.NameWords(record.BareORCID(*s.ORCID))...)
	}
	longest := ""
	for _, w := range words {
		if len(w) > len(longest) {
			longest = w
		}
	}
	for _, seenBy := range []int64{record.Everyone, c.Account.ID} {
		for hit := range peopleOf(tx, seenBy, longest) {
			ids = append(ids, hit.Key)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), words
}

func peopleOf(tx *bucket.Tx, seenBy int64, word string) iter.Seq[bucket.Hit[int64]] {
	if word == "" {
		return users.PeopleSeen.Ascending(tx, bucket.SortKey(seenBy))
	}
	return users.PeopleByWord.Ascending(tx, append(bucket.SortKey(seenBy), record.IndexedWord(word)...))
}

// personAndAccount is a person that the caller may see, and the account whose profile
// it is, nil for a name only.
func personAndAccount(c *endpoint.Call, tx *bucket.Tx, id int64) (*record.Person, *record.Account, error) {
	person, err := c.VisiblePerson(tx, id, record.ErrPersonNotFound)
	if err != nil || person.AccountID == 0 {
		return person, nil, err
	}
	acc, err := users.Accounts.Get(tx, person.AccountID)
	return person, acc, err
}

// GroupAndBelow are the ids of a group and of the groups below it, nil when none is named.
func GroupAndBelow(tx *bucket.Tx, group *int64) (map[int64]bool, error) {
	if group == nil {
		return nil, nil
	}
	ids := map[int64]bool{*group: true}
	for grown := true; grown; {
		grown = false
		for row, err := range users.Groups.All(tx, nil) {
			if err != nil {
				return nil, err
			}
			if ids[row.Record.ParentID] && row.Record.ParentID != 0 && !ids[row.Key] {
				ids[row.Key], grown = true, true
			}
		}
	}
	return ids, nil
}

func (s *PersonSearch) passes(p *record.Person, acc *record.Account, groups map[int64]bool) bool {
	var of record.Account
	if acc != nil {
		of = *acc
	}
	return (s.ORCID == nil || record.BareORCID(*s.ORCID) == record.BareORCID(p.ORCID)) && lists.Is(s.InstitutionID, of.InstitutionID) &&
		(groups == nil || acc != nil && groups[acc.GroupID]) && (s.IsActive == nil || *s.IsActive == (acc != nil)) &&
		(s.IsPublic == nil || *s.IsPublic == p.Public)
}

// PersonRead is one person that the caller may name as an author.
func (a *People) PersonRead(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	person, acc, err := personAndAccount(c, tx, c.ID("author_id"))
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Body: a.Settings.AuthorComplete(person, acc), Modified: c.Changed}, nil
}

// FundingSearch is what a search of grants asks for.
type FundingSearch struct {
	SearchFor *string `json:"search_for"`
}

// FundingSearch finds the grants of the caller's items, each title once, those of the
// newest articles first. There is no register of grants.
func (a *People) FundingSearch(c *endpoint.Call, body *FundingSearch) (endpoint.Reply, error) {
	if err := longEnough(body.SearchFor); err != nil {
		return endpoint.Reply{}, err
	}
	var words []string
	if body.SearchFor != nil {
		words = record.NameWords(*body.SearchFor)
	}
	list := []present.Funding{}
	err := a.DB.View(func(tx *bucket.Tx) error {
		seen := map[string]bool{}
		for m, err := range itemsOf(c, tx) {
			if err != nil {
				return err
			}
			for _, title := range m.GrantTitles() {
				folded := record.FoldName(title)
				if seen[title] || slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(folded, w) }) {
					continue
				}
				seen[title] = true
				list = append(list, a.Settings.Funding(title))
			}
		}
		return nil
	})
	return endpoint.Reply{Body: list, Modified: c.Changed}, err
}

// PeopleAtOnce is how many new people one commit stores. A thousand take some 30 ms, for which all
// other writers wait.
const PeopleAtOnce = 200

// StorePeople stores people, a few in each commit, for the write that names them. Until then they
// are as people that no item names any more; undo removes them.
func StorePeople(c *endpoint.Call, refs []record.AuthorRef) (undo func(), err error) {
	db := c.Server.DB
	c.Stored = nil // it may run twice
	undo = func() {
		ctx := bucket.Frees(context.WithoutCancel(c.Context)) // also when the client is gone or the disk full
		for ids := range slices.Chunk(c.Stored, PeopleAtOnce) {
			_ = db.UpdateBy(ctx, c.By(), func(tx *bucket.Tx) error { // those that stay harm nothing
				for _, id := range ids {
					if err := users.People.Delete(tx, id); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	for few := range slices.Chunk(refs, PeopleAtOnce) {
		var ids []int64
		err := db.UpdateBy(c.Writing(), c.By(), func(tx *bucket.Tx) error {
			ids = ids[:0] // it may run twice
			for _, r := range few {
				id, err := c.NewPerson(tx, r)
				if err != nil {
					return err
				}
				ids = append(ids, id)
			}
			return nil
		})
		if err != nil {
			undo()
			return nil, err
		}
		c.Stored = append(c.Stored, ids...)
	}
	return undo, nil
}

// mostDescribed is how many of the caller's newest articles, collections and projects a
// search of grants looks at, each.
const mostDescribed = 1000

// itemsOf walks over what describes the caller's items: the newest articles, then the
// newest collections, then its own newest projects.
func itemsOf(c *endpoint.Call, tx *bucket.Tx) iter.Seq2[*record.Metadata, error] {
	mine := bucket.SortKey(c.Account.ID)
	return func(yield func(*record.Metadata, error) bool) {
		for id := range newest(working.ArticlesByCreated.Descending(tx, mine)) {
			art, err := working.Articles.Get(tx, id)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(&art.Metadata, nil) {
				return
			}
		}
		for id := range newest(working.CollectionsByCreated.Descending(tx, mine)) {
			col, err := working.Collections.Get(tx, id)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(&col.Metadata, nil) {
				return
			}
		}
		for at := range newest(working.MembersByAccount.Descending(tx, mine)) {
			p, err := working.Projects.Get(tx, at.A)
			if err != nil {
				yield(nil, err)
				return
			}
			if p.AccountID == c.Account.ID && !yield(p.Metadata(), nil) {
				return
			}
		}
	}
}

// newest are the keys that a walk meets first.
func newest[K any](hits iter.Seq[bucket.Hit[K]]) iter.Seq[K] {
	return func(yield func(K) bool) {
		met := 0
		for hit := range hits {
			if met++; met > mostDescribed || !yield(hit.Key) {
				return
			}
		}
	}
}
