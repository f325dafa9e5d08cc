package handlers

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/bucket/working"
	"alcove/handlers/accounts"
	"alcove/handlers/endpoint"
	"alcove/jobs/doi"
	"alcove/record"
	"alcove/record/markup"
)

// DOIWork is how the registration of DOIs is.
type DOIWork struct {
	doi.Figures
	Registrar string // address of its API, "" where none is configured
	Lost      string // prefixes of DOIs that are given out and that nothing registers, "" for those for tests alone
}

// DOIWork is how the registration of DOIs is now.
func (a *API) DOIWork() (w DOIWork, err error) {
	w.Figures, err = doi.Numbers(a.DB)
	if a.DOIs != nil {
		w.Registrar = a.DOIs.Address
		return w, err
	}
	given := append(slices.Collect(maps.Values(a.Limits.GroupPrefixes)), a.Limits.DOIPrefix)
	given = slices.DeleteFunc(given, record.ForTests)
	slices.Sort(given)
	w.Lost = strings.Join(slices.Compact(given), ", ")
	return w, err
}

// TroubledDOI is a DOI of which the registrar is still to be told something, or that it refuses.
type TroubledDOI struct {
	record.Registration
	Title string // of its item in plain text, "" where that is not to be read
	Path  string // of the page of the item, "" where there is none
}

// TroubledDOIs are a number of them behind some that are skipped, that whose try failed last first, and whether there
// are more. They are for administrators of the institution.
func (a *API) TroubledDOIs(skip, n int) (list []TroubledDOI, more bool, err error) {
	err = a.DB.View(func(tx *bucket.Tx) error {
		found, rest, err := doi.Troubled(tx, skip, n)
		if err != nil {
			return err
		}
		more = rest
		for _, r := range found {
			one := TroubledDOI{Registration: r}
			if one.Title, one.Path, err = titleOf(tx, r.Kind, r.Item); err != nil {
				return err
			}
			list = append(list, one)
		}
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	for i := range list {
		one := &list[i]
		if one.Path != "" {
			continue
		}
		gone, err := a.Withdrawn(one.Kind, one.Item)
		if err != nil {
			return nil, false, err
		}
		if gone != nil {
			one.Title, one.Path = markup.Title(gone.Title).String(), itemPath(one.Kind, one.Item)
		}
	}
	return list, more, nil
}

// titleOf is the title of an item and the path of its page. An item that is not public has no page, and a title only
// where the institution lists it.
func titleOf(tx *bucket.Tx, kind, id int64) (title, path string, err error) {
	if kind == record.KindCollection {
		head, err := published.Collections.Get(tx, id)
		if err != nil {
			return "", "", unlessAbsent(err)
		}
		v, err := published.CollectionVersions.Get(tx, bucket.Pair{A: id, B: int64(head.Latest)})
		if err != nil {
			return "", "", unlessAbsent(err)
		}
		return markup.Title(v.Title).String(), itemPath(kind, id), nil
	}
	head, err := published.Articles.Get(tx, id)
	if err == nil {
		v, err := published.ArticleVersions.Get(tx, bucket.Pair{A: id, B: int64(head.Latest)})
		if err != nil {
			return "", "", unlessAbsent(err)
		}
		return markup.Title(v.Title).String(), itemPath(kind, id), nil
	}
	art, err := working.Articles.Get(tx, id)
	if err != nil || art.InstitutionID != accounts.InstitutionID {
		return "", "", unlessAbsent(err)
	}
	return markup.Title(art.Title).String(), "", nil
}

func unlessAbsent(err error) error {
	if errors.Is(err, bucket.ErrNotFound) {
		return nil
	}
	return err
}

// itemPath is an address of the page of an item, which leads to the one with its title.
func itemPath(kind, id int64) string {
	if kind == record.KindCollection {
		return "/collections/" + strconv.FormatInt(id, 10)
	}
	return "/articles/" + strconv.FormatInt(id, 10)
}

// RetryDOIs has a DOI tried again now, for "" all that wait or that the registrar refuses. A DOI of which nothing is
// stored is not found.
func (a *API) RetryDOIs(c *endpoint.Call, name string) error {
	if a.DOIs == nil {
		return record.ErrNotFound
	}
	n, err := doi.Retry(c.Context, a.DB, name, false)
	if err == nil && n == 0 && name != "" {
		return record.ErrNotFound
	}
	return err
}
