package site

import (
	"strings"

	"alcove/handlers/endpoint"
)

// suggestions are the links below a search box while something is written in it.
type suggestions struct {
	*Words
	Items, Authors, Tags []Choice
}

// Suggest gives links for the beginning of a search, as a piece of a page that the script puts below
// the box: to items with such a title, and to the work of authors and the items of tags that begin so.
func (s *Site) Suggest(c *endpoint.Call) (endpoint.Reply, error) {
	words, _ := c.Query.Find("q")
	found, err := s.api.Suggest(c, strings.TrimSpace(words))
	if err != nil {
		return endpoint.Reply{}, err
	}
	v := suggestions{Words: WordsOf(c)}
	for i := range found.Items {
		card := s.foundCard(v.Words, &found.Items[i], nil)
		v.Items = append(v.Items, Choice{Words: card.Plain, URL: card.URL})
	}
	for _, name := range found.Authors {
		v.Authors = append(v.Authors, Choice{Words: name, URL: asked{author: name, sort: newest}.url()})
	}
	for _, tag := range found.Tags {
		v.Tags = append(v.Tags, Choice{Words: tag, URL: asked{only: map[string]string{"tag": tag}, sort: newest}.url()})
	}
	page, err := executePart("suggest", "suggestions", v)
	if err != nil {
		return endpoint.Reply{}, err
	}
	h := s.header(c)
	h.Set("X-Robots-Tag", "noindex")
	return endpoint.Reply{Raw: page, Type: htmlType, Header: h, Public: true}, nil
}
