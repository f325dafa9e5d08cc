package handlers

import (
	"slices"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/catalogue"
)

// CategoriesRead lists the categories of an own article (specification 4.4).
func (a *API) CategoriesRead(c *Call, tx *bucket.Tx) (Reply, error) {
	art, err := c.ownArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: present.Categories(art.Categories), Modified: art.Modified}, nil
}

// CategoriesAdd adds categories to an own article.
func (a *API) CategoriesAdd(c *Call, tx *bucket.Tx, body *record.CategoriesBody) (Reply, error) {
	return a.writeCategories(c, tx, body, true)
}

// CategoriesReplace gives an own article other categories.
func (a *API) CategoriesReplace(c *Call, tx *bucket.Tx, body *record.CategoriesBody) (Reply, error) {
	return a.writeCategories(c, tx, body, false)
}

func (a *API) writeCategories(c *Call, tx *bucket.Tx, body *record.CategoriesBody, add bool) (Reply, error) {
	art, err := c.ownArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	if err := body.Check(); err != nil {
		return Reply{}, err
	}
	ids, err := categories(*body.Categories)
	if err != nil {
		return Reply{}, err
	}
	if add {
		ids = unique(append(art.Categories, ids...))
	}
	art.Categories = ids
	if err := putArticle(tx, art); err != nil {
		return Reply{}, err
	}
	return Reply{Status: 205, Location: a.Settings.API("/account/articles/%d/categories", art.ID)}, nil
}

// CategoryDelete takes one category off an own article.
func (a *API) CategoryDelete(c *Call, tx *bucket.Tx) (Reply, error) {
	art, err := c.ownArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	i := slices.Index(art.Categories, c.ID("category_id"))
	if i < 0 {
		return Reply{}, record.ErrCategoryAbsent
	}
	art.Categories = slices.Delete(art.Categories, i, i+1)
	return Reply{Status: 204}, putArticle(tx, art)
}

// categories checks category ids and drops repetitions.
func categories(ids []int64) ([]int64, error) {
	for _, id := range ids {
		if _, ok := catalogue.CategoryByID(id); !ok {
			return nil, record.ErrCategoryUnknown
		}
	}
	return unique(ids), nil
}
