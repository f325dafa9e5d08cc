package handlers

import (
	"context"
	"time"

	"alcove/bucket"
	"alcove/index"
)

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
func (a *API) Suggest(c *Call, text string) (out *Suggested, err error) {
	out = &Suggested{}
	if len(text) < minSearch || len(text) > maxBegun || a.reach(c.Context, index.PublicItems, suggestPatience) != nil {
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
