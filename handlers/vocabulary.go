package handlers

import (
	"slices"
	"sync"

	"alcove/bucket"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/catalogue"
)

// constant is an answer that is the same as long as the server runs: it is encoded once, with
// its entity tag.
func constant(body func() any) func() (endpoint.Reply, error) {
	return sync.OnceValues(func() (endpoint.Reply, error) {
		text, err := present.Encode(body())
		return endpoint.Reply{Raw: text, Tag: endpoint.ETag(text)}, err
	})
}

var (
	publicLicenses = constant(func() any { return present.Licenses(catalogue.PublicLicenses()) })
	ownLicenses    = constant(func() any {
		return present.Licenses(slices.Concat(catalogue.PublicLicenses(), catalogue.InstitutionLicenses()))
	})
	allCategories = constant(func() any { return present.AllCategories() })
)

// Licenses lists the public licences.
func (a *API) Licenses(*endpoint.Call) (endpoint.Reply, error) {
	if len(a.Choices().LicencesOff) > 0 {
		return a.offered(catalogue.PublicLicenses())
	}
	return publicLicenses()
}

// LicensesOwn adds those of the caller's institution.
func (a *API) LicensesOwn(c *endpoint.Call, _ *bucket.Tx) (endpoint.Reply, error) {
	if c.Account.InstitutionID == 0 {
		return a.Licenses(c)
	}
	if len(a.Choices().LicencesOff) > 0 {
		return a.offered(slices.Concat(catalogue.PublicLicenses(), catalogue.InstitutionLicenses()))
	}
	return ownLicenses()
}

// CategoriesAll lists the whole tree of categories, flat.
func (a *API) CategoriesAll(*endpoint.Call) (endpoint.Reply, error) { return allCategories() }

// CategoriesOwn lists the categories for the caller's institution, parents included.
func (a *API) CategoriesOwn(*endpoint.Call, *bucket.Tx) (endpoint.Reply, error) {
	return allCategories()
}

// ItemTypes lists all types of items.
func (a *API) ItemTypes(c *endpoint.Call) (endpoint.Reply, error) {
	if group, err := c.Query.Integer("group_id"); err != nil {
		return endpoint.Reply{}, err
	} else if group != nil && *group < 0 {
		return endpoint.Reply{}, record.Wrong("group_id", "must not be negative")
	}
	if off := a.Choices().TypesOff; len(off) > 0 {
		types := present.ItemTypes()
		for i := range types {
			types[i].IsSelectable = types[i].IsSelectable && !slices.Contains(off, types[i].ID)
		}
		return endpoint.Reply{Body: types}, nil
	}
	return itemTypes()
}

var itemTypes = constant(func() any { return present.ItemTypes() })
