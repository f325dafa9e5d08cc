package handlers

import (
	"errors"

	"alcove/bucket"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/catalogue"
)

// profileQuery names whose profile it is, for administrators.
type profileQuery struct {
	UserID            *int64  `json:"user_id"`
	InstitutionUserID *string `json:"institution_user_id"`
}

// ProfileUpdate changes the caller's own profile, or that of an account that the caller
// administers. Public items keep the names that they were published with.
func (a *API) ProfileUpdate(c *Call, tx *bucket.Tx, body *record.ProfileBody) (Reply, error) {
	acc, err := c.profiled(tx)
	if err != nil {
		return Reply{}, err
	}
	if err := body.Check(); err != nil {
		return Reply{}, err
	}
	if body.SourceIDs != nil {
		ids, warnings := record.CategoriesByCode(*body.SourceIDs)
		body.Fields, c.Warned = &ids, append(c.Warned, warnings...)
	} else if body.Fields != nil {
		for _, id := range *body.Fields {
			if _, ok := catalogue.CategoryByID(id); !ok {
				return Reply{}, record.Wrong("fields_of_interest", "names a category that does not exist")
			}
		}
	}
	person, err := bucket.People.Get(tx, acc.PersonID)
	if err != nil {
		return Reply{}, err
	}
	if err := body.Apply(acc, person); err != nil {
		return Reply{}, err
	}
	acc.Modified = tx.Now()
	err = errors.Join(bucket.Accounts.Put(tx, acc.ID, acc), bucket.People.Put(tx, person.ID, person))
	return Reply{Body: present.NewOutcome(c.Warned)}, err
}

// profiled is the account whose profile is meant: the one that the query names by the id of its
// person or by the institution's id, or the caller's own.
func (c *Call) profiled(tx *bucket.Tx) (*record.Account, error) {
	user, err := c.Query.Integer("user_id")
	if err != nil {
		return nil, err
	}
	code, coded := c.Query.Find("institution_user_id")
	if user == nil && !coded || user != nil && *user == c.Account.PersonID && !coded {
		return bucket.Accounts.Get(tx, c.Account.ID)
	}
	r, err := c.adminScope(tx)
	if err != nil {
		return nil, err
	}
	for hit := range bucket.AccountsByInstitution.Ascending(tx, bucket.SortKey(r.Institution)) {
		if !r.Includes(bucket.IndexedGroup(hit.Value)) {
			continue
		}
		acc, err := bucket.Accounts.Get(tx, hit.Key)
		if err != nil {
			return nil, err
		}
		if lists.Is(user, acc.PersonID) && (!coded || code != "" && acc.InstitutionUserID == code) {
			return acc, r.mayChange(tx, acc)
		}
	}
	return nil, record.ErrAccountNotFound
}
