package site

import (
	"html/template"
	"net/url"
	"strconv"

	"alcove/handlers/endpoint"
	"alcove/record"
)

// shared is how a reader passes an item on.
type shared struct {
	Action  string       // address that counts it
	Address string       // to pass on, "" before it was asked for
	Mail    template.URL // opens a message with it
	Embed   string       // HTML for the pages of others, "" where they may not show items
}

// ShareArticle is the endpoint of the button on the page of an article.
func (s *Site) ShareArticle(c *endpoint.Call) (endpoint.Reply, error) {
	return s.share(c, record.KindArticle, "/articles/dataset/_/")
}

// ShareCollection is the endpoint of the button on the page of a collection.
func (s *Site) ShareCollection(c *endpoint.Call) (endpoint.Reply, error) {
	return s.share(c, record.KindCollection, "/collections/_/")
}

func (s *Site) share(c *endpoint.Call, kind int64, pages string) (endpoint.Reply, error) {
	id := c.ID("id")
	err := s.api.Share(c, kind, id)
	return endpoint.Reply{Status: 303, Location: pages + strconv.FormatInt(id, 10) + "?share=1#share"}, err // which leads on to the title
}

// sharing is what the page of an item shows of it: the button, and behind it the address.
func (s *Site) sharing(c *endpoint.Call, v *item, kind string, id int64, page string) {
	v.Share = &shared{Action: "/share/" + kind + "/" + strconv.FormatInt(id, 10)}
	if Asked(c, "share") != "1" {
		return
	}
	address := v.DOI.URL
	if address == "" {
		address = s.api.Settings.SiteURL + page
	}
	v.Hidden = true
	v.Share.Address, v.Share.Embed = address, s.embedCode(kind, id)
	v.Share.Mail = template.URL("mailto:?subject=" + url.PathEscape(v.Title) + "&body=" + url.PathEscape(address))
}
