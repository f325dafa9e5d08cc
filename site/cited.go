package site

import (
	"strings"

	"alcove/bucket"
	"alcove/handlers"
)

// citedMost is how many items that cite another are named on its page.
const citedMost = 20

// citedBy names the public items here that cite an item, which is a kind and an id.
func citedBy(tx *bucket.PublicTx, v *item, kind, id int64) error {
	if v.DOI.Text == "" {
		return nil
	}
	first, more, err := handlers.CitedBy(tx, kind, id, v.DOI.Text, citedMost)
	for _, c := range first {
		v.CitedBy = append(v.CitedBy, link{plainTitle(c.Title), c.Path})
	}
	if more > 0 {
		v.CitedMore = strings.Replace(v.MoreItems, "%s", v.Words.Number(more), 1)
	}
	return err
}
