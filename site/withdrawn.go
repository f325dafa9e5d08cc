package site

import (
	"errors"
	"html/template"
	"strings"

	"alcove/handlers/endpoint"
	"alcove/record"
	"alcove/record/markup"
)

type withdrawn struct {
	*Frame
	Heading template.HTML
	Authors string
	Date    Day // of its publication
	When    string
	DOI     Link
	Reason  string
}

// orWithdrawn answers 410 instead of a refusal with 404 for an item that readers once knew.
func (s *Site) orWithdrawn(c *endpoint.Call, kind int64, refused error) (endpoint.Reply, error) {
	if !errors.Is(refused, record.ErrNotFound) {
		return endpoint.Reply{}, refused
	}
	known, err := s.api.Withdrawn(kind, c.ID("id"))
	if err != nil || known == nil {
		return endpoint.Reply{}, errors.Join(err, refused)
	}
	f := s.Frame(c)
	f.Title, f.Hidden = markup.Title(known.Title).String(), true
	if f.Title == "" {
		f.Title = f.ErrorTitle(410)
	}
	v := withdrawn{
		Frame: f, Heading: markup.Title(known.Title).HTML(), Authors: strings.Join(known.Authors, ", "), Date: f.DayOf(known.Published),
		When: strings.Replace(f.WithdrawnOn, "%s", f.Day(known.At), 1), DOI: Link{Text: known.DOI}, Reason: known.Reason,
	}
	if v.Heading == "" {
		v.Heading = template.HTML(template.HTMLEscapeString(f.Title))
	}
	f.Main = v
	r, err := s.render(c, "withdrawn", f)
	r.Status = 410
	return r, err
}
