package handlers

import (
	"slices"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record/catalogue"
)

// Licenses lists the public licences (specification 4.8).
func (a *API) Licenses(c *Call, tx *bucket.PublicTx) (Reply, error) {
	return Reply{Body: present.Licenses(catalogue.PublicLicenses())}, nil
}

// LicensesOwn adds those of the caller's institution.
func (a *API) LicensesOwn(c *Call, tx *bucket.Tx) (Reply, error) {
	list := catalogue.PublicLicenses()
	if c.Account.InstitutionID != 0 {
		list = slices.Concat(list, catalogue.InstitutionLicenses())
	}
	return Reply{Body: present.Licenses(list)}, nil
}

// CategoriesAll lists the whole tree of categories, flat (specification 4.8).
func (a *API) CategoriesAll(c *Call, tx *bucket.PublicTx) (Reply, error) {
	return Reply{Body: present.AllCategories()}, nil
}

// CategoriesOwn lists the categories for the caller's institution, parents included.
func (a *API) CategoriesOwn(c *Call, tx *bucket.Tx) (Reply, error) {
	return Reply{Body: present.AllCategories()}, nil
}

// AccountRead is the caller's own account.
func (a *API) AccountRead(c *Call, tx *bucket.Tx) (Reply, error) {
	person, err := bucket.People.Get(tx, c.Account.PersonID)
	if err != nil {
		return Reply{}, err
	}
	return Reply{
		Body:     a.accountBody(c.Account, person),
		Modified: c.changed, // its quotas change with every file
	}, nil
}
