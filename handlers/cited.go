package handlers

import (
	"fmt"

	"alcove/bucket"
	"alcove/record"
)

// Citing is a public item that cites another. Path leads to its page.
type Citing struct{ Title, Path string }

// CitedBy is the first of the public items whose latest version names a DOI, without a version, and
// how many more there are. The item itself is left out.
func CitedBy(tx *bucket.PublicTx, kind, id int64, doi string, most int) (first []Citing, more int, err error) {
	var keys []bucket.Pair
	sort := bucket.SortKey(record.ItemDOI(doi))
	for hit := range bucket.CitationsByDOI.Ascending(tx, sort) {
		switch {
		case hit.Key == bucket.Pair{A: kind, B: id} || len(hit.Sort) != len(sort):
		case len(keys) < most:
			keys = append(keys, hit.Key)
		default:
			more++
		}
	}
	for _, key := range keys {
		citing, err := citing(tx, key)
		if err != nil {
			return nil, 0, err
		}
		first = append(first, citing)
	}
	return first, more, nil
}

// citing reads the title of the latest public version of an item.
func citing(tx *bucket.PublicTx, key bucket.Pair) (Citing, error) {
	if key.A == bucket.KindArticle {
		head, err := bucket.PublicArticles.Get(tx, key.B)
		if err != nil {
			return Citing{}, err
		}
		v, err := bucket.ArticleVersions.Get(tx, bucket.Pair{A: key.B, B: int64(head.Latest)})
		if err != nil {
			return Citing{}, err
		}
		return Citing{v.Title, fmt.Sprintf("/articles/%d", key.B)}, nil
	}
	head, err := bucket.PublicCollections.Get(tx, key.B)
	if err != nil {
		return Citing{}, err
	}
	v, err := bucket.CollectionVersions.Get(tx, bucket.Pair{A: key.B, B: int64(head.Latest)})
	if err != nil {
		return Citing{}, err
	}
	return Citing{v.Title, fmt.Sprintf("/collections/%d", key.B)}, nil
}
