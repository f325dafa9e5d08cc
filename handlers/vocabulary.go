package handlers

import (
	"slices"
	"sync"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record/catalogue"
)

// constant is an answer that is the same as long as the server runs: it is encoded once, with
// its entity tag.
func constant(body func() any) func() (Reply, error) {
	return sync.OnceValues(func() (Reply, error) {
		text, err := present.Encode(body())
		return Reply{Raw: text, Tag: etag(text)}, err
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
func (a *API) Licenses(*Call) (Reply, error) {
	if len(a.Choices().LicencesOff) > 0 {
		return a.offered(catalogue.PublicLicenses())
	}
	return publicLicenses()
}

// LicensesOwn adds those of the caller's institution.
func (a *API) LicensesOwn(c *Call, _ *bucket.Tx) (Reply, error) {
	if c.Account.InstitutionID == 0 {
		return a.Licenses(c)
	}
	if len(a.Choices().LicencesOff) > 0 {
		return a.offered(slices.Concat(catalogue.PublicLicenses(), catalogue.InstitutionLicenses()))
	}
	return ownLicenses()
}

// CategoriesAll lists the whole tree of categories, flat.
func (a *API) CategoriesAll(*Call) (Reply, error) { return allCategories() }

// CategoriesOwn lists the categories for the caller's institution, parents included.
func (a *API) CategoriesOwn(*Call, *bucket.Tx) (Reply, error) { return allCategories() }
