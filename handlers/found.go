package handlers

import (
	"context"
	"encoding/json"
	"time"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/handlers/endpoint"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/index"
	"alcove/record"
)

// Marks finds the words of a search in a text.
type Marks = index.Marks

// FoundItem is a public item. Exactly one of the documents is there.
type FoundItem struct {
	Article    *present.ArticleSummary
	Collection *present.CollectionComplete
	Project    *present.ProjectComplete
}

// place is an item of a kind in an order.
type place struct {
	kind int // in kinds
	lists.Entry
}

// placeOf is where a match is read.
func placeOf(hit index.Ranked) place {
	kind := map[index.Kind]int{index.Article: 0, index.Collection: 1, index.Project: 2}[hit.Kind]
	return place{kind, lists.Entry{Position: lists.Position{ID: uint64(hit.ID)}}}
}

// foundItem is what the API shows of an item.
func (a *API) foundItem(tx *bucket.PublicTx, p place) (item FoundItem, err error) {
	id := int64(p.ID)
	switch p.kind {
	case 0:
		doc, err := a.PublicSummary(tx, id)
		return FoundItem{Article: &doc}, err
	case 1:
		doc, err := a.PublicCollectionDocument(tx, id)
		return FoundItem{Collection: &doc}, err
	}
	project, err := published.Projects.Get(tx, id)
	if err != nil {
		return item, err
	}
	doc := a.Settings.PublicProjectDetail(project)
	return FoundItem{Project: &doc}, nil
}

// PublicCollectionDocument is the latest public version of a collection as the API shows it.
func (a *API) PublicCollectionDocument(tx *bucket.PublicTx, id int64) (out present.CollectionComplete, err error) {
	head, ok := published.CollectionFacts.Facts(tx, id)
	if !ok {
		return out, record.ErrCollectionNotFound
	}
	doc, err := a.Items.CollectionDocs.Full(tx, bucket.Pair{A: id, B: head.Version})
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(doc.Full, &out)
}

// Suggested is what a text that is being written may come to.
type Suggested struct {
	Items         []FoundItem // with its words in their titles
	Tags, Authors []string
}

const (
	suggested       = 4 // of each
	suggestPatience = time.Second
	maxBegun        = 200 // bytes of a text that something is suggested for
)

// Suggest finds titles, tags and authors of public items for the beginning of a search. It suggests
// nothing while the index is behind, and for a text that is too short or too long.
func (a *API) Suggest(c *endpoint.Call, text string) (out *Suggested, err error) {
	out = &Suggested{}
	if len(text) < lists.MinSearch || len(text) > maxBegun || a.reach(c.Context, index.PublicItems, suggestPatience) != nil {
		return out, nil
	}
	ctx, cancel := context.WithTimeout(c.Context, suggestPatience)
	defer cancel()
	titles, err := a.Index.Match(ctx, index.PublicItems, index.InTitles(text))
	if err != nil {
		return nil, err
	}
	best := index.Top(titles, suggested)
	out.Tags, out.Authors = index.Suggestions(titles, text, suggested)
	if err := titles.Close(); err != nil {
		return nil, err
	}
	err = a.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		for _, hit := range best {
			item, err := a.foundItem(tx, placeOf(hit))
			if err != nil {
				continue // withdrawn since, or damaged: there are other suggestions
			}
			out.Items = append(out.Items, item)
		}
		return nil
	})
	return out, err
}
