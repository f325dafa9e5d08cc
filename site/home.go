package site

import (
	"alcove/bucket"
	"alcove/handlers"
	"alcove/record/catalogue"
)

type home struct {
	*frame
	Newest  []card
	Types   []choice
	Address string // address of the API, for the first deposit
}

// choice is a link that narrows a search.
type choice struct {
	Words, URL string
	Chosen     bool
}

const newestCards = 6

// Home is the first page: what the repository is, and its newest items.
func (s *Site) Home(c *handlers.Call) (handlers.Reply, error) {
	f := s.frame(c)
	list, err := s.api.PublicArticleList(c.Unasked())
	if err != nil {
		return handlers.Reply{}, err
	}
	newest, err := s.cards(f.Words, list)
	if err != nil {
		return handlers.Reply{}, err
	}
	types, err := s.types(f.Words)
	if err != nil {
		return handlers.Reply{}, err
	}
	f.OwnBox, f.About, f.Canonical = true, f.HomeLead, s.api.Settings.SiteURL+"/"
	f.Main = home{f, newest[:min(len(newest), newestCards)], types, s.api.Settings.BaseURL}
	return s.render(c, "home", f)
}

// types are the types that some public item has.
func (s *Site) types(w *Words) (list []choice, err error) {
	err = s.api.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		for _, t := range catalogue.ItemTypes() {
			for range bucket.PublicByType.Walk(tx, bucket.SortKey(t.ID), nil, false) {
				list = append(list, choice{Words: w.Types[t.ID], URL: "/search?type=" + t.URLName})
				break
			}
		}
		return nil
	})
	return list, err
}
