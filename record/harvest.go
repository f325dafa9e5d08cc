package record

import (
	"strconv"
	"time"
)

// CollectionSet is the set of all collections.
const CollectionSet = "collections"

// Sets are the sets in which the article is harvested: its categories, its group, its type and the month of its
// publication, under the names that they have on the public service.
func (a *PublicArticle) Sets() []string {
	return sets(a.Categories, a.GroupID, "item_type_"+strconv.FormatInt(a.Type, 10), a.Published)
}

// Sets are those of a collection.
func (c *PublicCollection) Sets() []string {
	return sets(c.Categories, c.GroupID, CollectionSet, c.Published)
}

func sets(categories []int64, group int64, kind string, published time.Time) (list []string) {
	for _, id := range categories {
		list = append(list, "category_"+strconv.FormatInt(id, 10))
	}
	if group != 0 {
		list = append(list, "portal_"+strconv.FormatInt(group, 10))
	}
	return append(list, kind, published.UTC().Format("month_year_1_2006"))
}

// ChangedAt is when the item changed for readers. One that was stored before that was noted has the time that it shows.
func (a *PublicArticle) ChangedAt() time.Time { return noted(a.Changed, a.Modified) }

// ChangedAt is the same of a collection.
func (c *PublicCollection) ChangedAt() time.Time { return noted(c.Changed, c.Modified) }

func noted(changed, modified time.Time) time.Time {
	if changed.IsZero() {
		return modified
	}
	return changed
}
