package people

import (
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/facts"
	"alcove/bucket/users"
	"alcove/handlers/accounts"
	"alcove/handlers/endpoint"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/catalogue"
)

// AccountSearch is what a list or search of accounts asks for.
type AccountSearch struct {
	lists.Paging
	SearchFor         *string `json:"search_for"`
	IsActive          *int64  `json:"is_active"`
	InstitutionUserID *string `json:"institution_user_id"`
	Email             *string `json:"email"`
	IDAtMost          *int64  `json:"id_lte"`
	IDAtLeast         *int64  `json:"id_gte"`
}

// AccountList lists the accounts that the caller administers, by id.
func (a *People) AccountList(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	return a.accounts(c, tx, AccountSearch{})
}

// AccountSearch is AccountList with its filters in a body.
func (a *People) AccountSearch(c *endpoint.Call, body *AccountSearch) (r endpoint.Reply, err error) {
	err = a.DB.View(func(tx *bucket.Tx) error {
		r, err = a.accounts(c, tx, *body)
		return err
	})
	return r, err
}

func (a *People) accounts(c *endpoint.Call, tx *bucket.Tx, s AccountSearch) (endpoint.Reply, error) {
	r, err := ScopeOf(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := s.complete(c.Query); err != nil {
		return endpoint.Reply{}, err
	}
	w, err := s.Window(c.Query, lists.Others)
	if err != nil {
		return endpoint.Reply{}, err
	}
	list := []present.ShortAccount{}
	passing := func(yield func(*record.Account, error) bool) {
		for hit := range users.AccountsByInstitution.Ascending(tx, bucket.SortKey(r.Institution)) {
			if !r.Includes(facts.IndexedGroup(hit.Value)) {
				continue
			}
			acc, err := users.Accounts.Get(tx, hit.Key)
			if (err != nil || s.passes(acc, tx.Latest())) && !yield(acc, err) {
				return
			}
		}
	}
	for acc, err := range lists.PageOf(w, passing) {
		if err != nil {
			return endpoint.Reply{}, err
		}
		person, err := users.People.Get(tx, acc.PersonID)
		if err != nil {
			return endpoint.Reply{}, err
		}
		list = append(list, a.Settings.ShortAccount(acc, person, acc.Active(tx.Latest()), a.Items.Quota(acc)))
	}
	return endpoint.Reply{Body: list, Modified: c.Changed}, nil
}

// complete merges what the query says into a body and checks it.
func (s *AccountSearch) complete(q lists.Query) error {
	q.Text("search_for", &s.SearchFor)
	q.Text("institution_user_id", &s.InstitutionUserID)
	q.Text("email", &s.Email)
	for name, to := range map[string]**int64{"is_active": &s.IsActive, "id_lte": &s.IDAtMost, "id_gte": &s.IDAtLeast} {
		if err := q.Number(name, to); err != nil {
			return err
		}
	}
	if s.IsActive != nil && *s.IsActive != 0 && *s.IsActive != 1 {
		return record.Wrong("is_active", "must be 0 or 1")
	}
	return longEnough(s.SearchFor)
}

// longEnough refuses words that are too few to search for, and too many.
func longEnough(words *string) error {
	switch {
	case words == nil:
		return nil
	case utf8.RuneCountInString(strings.TrimSpace(*words)) < lists.MinSearch:
		return record.Wrong("search_for", "must have at least "+strconv.Itoa(lists.MinSearch)+" characters")
	case len(*words) > maxNameSearch:
		return record.Wrong("search_for", "must have at most "+strconv.Itoa(maxNameSearch)+" bytes")
	}
	return nil
}

// maxNameSearch bounds what is looked for among names, in bytes.
const maxNameSearch = 1024

func (s *AccountSearch) passes(a *record.Account, now time.Time) bool {
	if s.IsActive != nil && (*s.IsActive == 1) != a.Active(now) ||
		s.InstitutionUserID != nil && *s.InstitutionUserID != a.InstitutionUserID ||
		s.Email != nil && record.FoldEmail(*s.Email) != record.FoldEmail(a.Email) ||
		s.IDAtMost != nil && a.ID > *s.IDAtMost || s.IDAtLeast != nil && a.ID < *s.IDAtLeast {
		return false
	}
	return s.SearchFor == nil || accounts.Named(a, *s.SearchFor)
}

// accountBody is an account with the limits that hold for it.
func (a *People) accountBody(acc *record.Account, person *record.Person) present.Account {
	body := a.Settings.Account(acc, person, a.Items.Quota(acc), a.Items.MaxFile(acc))
	body.FilesPerArticle = a.Items.Room().FilesPerArticle
	return body
}

// InstitutionAccountRead is one account that the caller administers.
func (a *People) InstitutionAccountRead(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	acc, _, err := Administered(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	person, err := users.People.Get(tx, acc.PersonID)
	if err != nil {
		return endpoint.Reply{}, err
	}
	body := a.accountBody(acc, person)
	body.Active = present.Flag(acc.Active(tx.Latest()))
	return endpoint.Reply{Body: body, Modified: c.Changed}, nil
}

// UserRead is the person of an account that the caller administers.
func (a *People) UserRead(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	acc, _, err := Administered(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	person, err := users.People.Get(tx, acc.PersonID)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Body: a.Settings.User(person, acc.Active(tx.Latest())), Modified: c.Changed}, nil
}

// AccountCreate makes an account in what the caller administers. No one is sent a
// message; the operator hands out a token.
func (a *People) AccountCreate(c *endpoint.Call, tx *bucket.Tx, body *record.AccountBody) (endpoint.Reply, error) {
	r, err := ScopeOf(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := body.Check(); err != nil {
		return endpoint.Reply{}, err
	}
	acc := body.Account()
	acc.InstitutionID = r.Institution
	if err := r.CheckGroup(acc.GroupID); err != nil {
		return endpoint.Reply{}, err
	}
	if accounts.EmailTaken(tx, acc.Email) {
		return endpoint.Reply{}, record.Wrong("email", "belongs to another account")
	}
	if err := accounts.Store(tx, acc); err != nil {
		return endpoint.Reply{}, err
	}
	at := a.Settings.API("/account/institution/accounts/%d", acc.ID)
	return endpoint.Reply{Status: 201, Location: at, Body: present.CreatedAccount{AccountID: acc.ID}}, nil
}

// AccountChange moves an account to another group, and disables or enables it. Its items
// stay in the groups where they are.
func (a *People) AccountChange(c *endpoint.Call, tx *bucket.Tx, body *record.AccountChange) (endpoint.Reply, error) {
	acc, r, err := Changeable(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if body.GroupID != nil && *body.GroupID != acc.GroupID {
		if err := r.CheckGroup(*body.GroupID); err != nil {
			return endpoint.Reply{}, err
		}
		acc.GroupID = *body.GroupID
	}
	if body.IsActive != nil {
		if !*body.IsActive && (acc.ID == c.Account.ID || acc.ID == c.Actor) {
			return endpoint.Reply{}, record.ErrOwnAccount
		}
		acc.Disabled = !*body.IsActive
	}
	if acc.Disabled {
		if err := auth.EndAccess(tx, acc.ID); err != nil {
			return endpoint.Reply{}, err
		}
	}
	acc.Modified = tx.Now()
	at := a.Settings.API("/account/institution/accounts/%d", acc.ID)
	return endpoint.Reply{Status: 205, Location: at, Body: present.NewUpdated(at, c.Warned)}, users.Accounts.Put(tx, acc.ID, acc)
}

// ProfileQuery names whose profile it is, for administrators.
type ProfileQuery struct {
	UserID            *int64  `json:"user_id"`
	InstitutionUserID *string `json:"institution_user_id"`
}

// ProfileUpdate changes the caller's own profile, or that of an account that the caller
// administers. Public items keep the names that they were published with.
func (a *People) ProfileUpdate(c *endpoint.Call, tx *bucket.Tx, body *record.ProfileBody) (endpoint.Reply, error) {
	acc, err := profiled(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := body.Check(); err != nil {
		return endpoint.Reply{}, err
	}
	if body.SourceIDs != nil {
		ids, warnings := record.CategoriesByCode(*body.SourceIDs)
		body.Fields, c.Warned = &ids, append(c.Warned, warnings...)
	} else if body.Fields != nil {
		for _, id := range *body.Fields {
			if _, ok := catalogue.CategoryByID(id); !ok {
				return endpoint.Reply{}, record.Wrong("fields_of_interest", "names a category that does not exist")
			}
		}
	}
	person, err := users.People.Get(tx, acc.PersonID)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := body.Apply(acc, person); err != nil {
		return endpoint.Reply{}, err
	}
	acc.Modified = tx.Now()
	err = errors.Join(users.Accounts.Put(tx, acc.ID, acc), users.People.Put(tx, person.ID, person))
	return endpoint.Reply{Body: present.NewOutcome(c.Warned)}, err
}

// profiled is the account whose profile is meant: the one that the query names by the id of its
// person or by the institution's id, or the caller's own.
func profiled(c *endpoint.Call, tx *bucket.Tx) (*record.Account, error) {
	user, err := c.Query.Integer("user_id")
	if err != nil {
		return nil, err
	}
	code, coded := c.Query.Find("institution_user_id")
	if user == nil && !coded || user != nil && *user == c.Account.PersonID && !coded {
		return users.Accounts.Get(tx, c.Account.ID)
	}
	r, err := ScopeOf(c, tx)
	if err != nil {
		return nil, err
	}
	for hit := range users.AccountsByInstitution.Ascending(tx, bucket.SortKey(r.Institution)) {
		if !r.Includes(facts.IndexedGroup(hit.Value)) {
			continue
		}
		acc, err := users.Accounts.Get(tx, hit.Key)
		if err != nil {
			return nil, err
		}
		if lists.Is(user, acc.PersonID) && (!coded || code != "" && acc.InstitutionUserID == code) {
			return acc, r.MayChange(tx, acc)
		}
	}
	return nil, record.ErrAccountNotFound
}

// AccountRead is the caller's own account.
func (a *People) AccountRead(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	person, err := users.People.Get(tx, c.Account.PersonID)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{
		Body:     a.accountBody(c.Account, person),
		Modified: c.Changed, // its quotas change with every file
	}, nil
}
