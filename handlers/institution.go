package handlers

import (
	"alcove/bucket"
	"alcove/handlers/accounts"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/record"
)

// Institution names the institution that runs the repository, as the configuration does.
type Institution struct {
	Name   string
	Domain string // may be empty
}

// InstitutionRead is the institution of the caller.
func (a *API) InstitutionRead(c *Call, tx *bucket.Tx) (Reply, error) {
	if c.Account.InstitutionID != accounts.InstitutionID {
		return Reply{}, record.ErrNoInstitution
	}
	return Reply{Body: present.NewInstitution(accounts.InstitutionID, a.Institution.Name, a.Institution.Domain)}, nil
}

// InstitutionGroups lists the groups that the caller administers, assigned and
// inherited.
func (a *API) InstitutionGroups(c *Call, tx *bucket.Tx) (Reply, error) {
	groups, err := accounts.GroupsWith(tx, c.Account, record.RoleAdministrator)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: a.Settings.Groups(groups), Modified: c.changed}, nil
}

// ItemTypes lists all types of items.
func (a *API) ItemTypes(c *Call) (Reply, error) {
	if group, err := c.Query.Integer("group_id"); err != nil {
		return Reply{}, err
	} else if group != nil && *group < 0 {
		return Reply{}, record.Wrong("group_id", "must not be negative")
	}
	return itemTypes()
}

var itemTypes = constant(func() any { return present.ItemTypes() })

// InstitutionArticles lists the articles of the institution or of the groups that the
// caller administers, whether they are public or not.
func (a *API) InstitutionArticles(c *Call, tx *bucket.Tx) (Reply, error) {
	r, err := c.adminScope(tx)
	if err != nil {
		return Reply{}, err
	}
	q, err := lists.NewInstitutionQuery(c.Query)
	if err != nil {
		return Reply{}, err
	}
	if q.Window, err = c.page(lists.PublicItems); err != nil {
		return Reply{}, err
	}
	list, err := lists.Show(q.Articles(tx, &r.Scope), a.Settings.OwnArticle)
	return Reply{Body: list, Modified: c.changed}, err
}
