package site

import (
	"encoding/json"
	"errors"
	"html/template"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/markup"
)

// card is an item in a list.
type card struct {
	*Words
	Title   template.HTML
	Plain   string // the title without marks
	URL     string
	Type    string
	Authors string
	Date    Day
	Text    string // the beginning of the description
	// Fragment is another part of it instead, with the words of a search marked.
	Fragment []piece
	Files    string // how many, and their size; "" for none
	Thumb    string // address of a small picture, "" for none
	State    State
}

// Day is a date for people, with the one for machines.
type Day struct{ Words, Machine string }

// State is a badge that says, in words, what keeps readers from the files; blank where nothing does.
type State struct{ Kind, Words string }

const cardText = 220 // characters

// cards are the items of a list that the API has answered, in its order, each as its own page shows
// it. One that is not public is left out.
func (s *Site) cards(tx bucket.Reader, w *Words, list endpoint.Reply) (cards []card, err error) {
	var listed []struct {
		ID int64 `json:"id"`
	}
	if err := json.Unmarshal(list.Raw, &listed); err != nil {
		return nil, err
	}
	for _, l := range listed {
		doc, err := s.api.PublicSummary(tx, l.ID)
		if errors.Is(err, record.ErrArticleUnknown) {
			continue
		}
		if err != nil {
			return nil, err
		}
		cards = append(cards, s.foundCard(w, &handlers.FoundItem{Article: &doc}, nil))
	}
	return cards, nil
}

func (s *Site) articleCard(w *Words, doc *present.ArticleSummary) card {
	c := card{
		Words: w, Title: markup.Title(Text(doc.Title)).HTML(), Plain: markup.Title(Text(doc.Title)).String(), URL: s.Local(doc.URLPublicHTML),
		Type: w.Types[doc.DefinedType], Authors: names(doc.Authors, 4), Date: w.ReadDay(Text(doc.PublishedDate)),
		Thumb: s.Local(Text(doc.Thumb)), State: w.StateOf(doc.IsConfidential, doc.IsEmbargoed, Text(doc.EmbargoDate)),
	}
	if n := len(doc.Files); n > 0 && n < s.api.Settings.FilesInDetail {
		c.Files = w.Count(n, w.OneFile, w.ManyFiles) + ", " + w.Bytes(doc.Size)
	} else if n > 0 {
		c.Files = w.Bytes(doc.Size)
	}
	return c
}

// StateOf is what an item says of its files.
func (w *Words) StateOf(confidential, embargoed bool, until string) State {
	switch {
	case confidential:
		return State{"closed", w.Confidential}
	case embargoed && until != "":
		return State{"embargo", w.EmbargoUntilDay(until)}
	case embargoed:
		return State{"embargo", w.EmbargoForever}
	}
	return State{}
}

// EmbargoUntilDay says until when an embargo holds.
func (w *Words) EmbargoUntilDay(date string) string {
	return strings.Replace(w.EmbargoUntil, "%s", w.ReadDay(date).Words, 1)
}

// ReadDay is a date of the API in words, blank for none.
func (w *Words) ReadDay(stamp string) Day {
	if len(stamp) < len(time.DateOnly) {
		return Day{}
	}
	t, err := time.Parse(time.DateOnly, stamp[:len(time.DateOnly)])
	if err != nil {
		return Day{}
	}
	return Day{w.Day(t), stamp}
}

// DayOf is the day of a moment in words, blank for none.
func (w *Words) DayOf(t time.Time) Day {
	if t.IsZero() {
		return Day{}
	}
	return Day{w.Day(t), t.UTC().Format(time.DateOnly)}
}

// names are the first of some authors.
func names(authors []present.Author, most int) string {
	var list []string
	for i, a := range authors {
		if i == most {
			return strings.Join(list, ", ") + " et al."
		}
		list = append(list, a.FullName)
	}
	return strings.Join(list, ", ")
}

// Text is a text of the API, "" for null.
func Text(t *string) string {
	if t == nil {
		return ""
	}
	return *t
}
