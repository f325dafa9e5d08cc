package site

import (
	"strings"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/record/markup"
)

// citedMost is how many items that cite another are named on its page.
const citedMost = 20

// partOfMost is how many collections that have an item are named on its page.
const partOfMost = 10

// partOf names the public collections that an article stands in.
func partOf(tx *bucket.PublicTx, v *item, article int64) error {
	first, more, err := handlers.PartOf(tx, article, partOfMost)
	for _, c := range first {
		v.PartOf = append(v.PartOf, Link{markup.Title(c.Title).String(), c.Path})
	}
	if more > 0 {
		v.PartOfMore = strings.Replace(v.MoreItems, "%s", v.Words.Number(more), 1)
	}
	return err
}

// citedBy names the public items here that cite an item, which is a kind and an id.
func citedBy(tx *bucket.PublicTx, v *item, kind, id int64) error {
	if v.DOI.Text == "" {
		return nil
	}
	first, more, err := handlers.CitedBy(tx, kind, id, v.DOI.Text, citedMost)
	for _, c := range first {
		v.CitedBy = append(v.CitedBy, Link{markup.Title(c.Title).String(), c.Path})
	}
	if more > 0 {
		v.CitedMore = strings.Replace(v.MoreItems, "%s", v.Words.Number(more), 1)
	}
	return err
}
