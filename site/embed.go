package site

import (
	"strconv"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/record"
)

// embedPolicy is the Policy of a card that every site may frame. It has links and no script.
const embedPolicy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; frame-ancestors *; base-uri 'none'"

// embedded is the card of an item in a frame of another site.
type embedded struct {
	*Frame
	Card card
	DOI  Link
}

// EmbedArticle is the card of a public article, where the operator lets other sites show it.
func (s *Site) EmbedArticle(c *endpoint.Call) (endpoint.Reply, error) {
	return s.embed(c, func(tx *bucket.PublicTx) (item handlers.FoundItem, doi *string, err error) {
		doc, err := s.api.PublicSummary(tx, c.ID("id"))
		return handlers.FoundItem{Article: &doc}, doc.DOI, err
	})
}

// EmbedCollection is the card of a public collection.
func (s *Site) EmbedCollection(c *endpoint.Call) (endpoint.Reply, error) {
	return s.embed(c, func(tx *bucket.PublicTx) (item handlers.FoundItem, doi *string, err error) {
		doc, err := s.api.PublicCollectionDocument(tx, c.ID("id"))
		return handlers.FoundItem{Collection: &doc}, doc.DOI, err
	})
}

func (s *Site) embed(c *endpoint.Call, read func(tx *bucket.PublicTx) (handlers.FoundItem, *string, error)) (endpoint.Reply, error) {
	if !s.api.Branding().Embed {
		return endpoint.Reply{}, record.ErrNotFound
	}
	v := embedded{Frame: s.Frame(c)}
	err := s.api.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		item, doi, err := read(tx)
		if err != nil {
			return err
		}
		v.Card = s.foundCard(v.Words, &item, nil)
		if id := Text(doi); id != "" {
			if v.DOI.Text = id; s.api.Items.Leads(tx, id) {
				v.DOI.URL = resolver(id)
			}
		}
		return nil
	})
	if err != nil {
		return endpoint.Reply{}, Unknown(err)
	}
	v.Frame.Title, v.Frame.Hidden, v.Frame.Main = v.Card.Plain, true, v
	r, err := s.render(c, "embed", v.Frame)
	if err == nil {
		r.Header["Content-Security-Policy"] = []string{embedPolicy}
		r.Header["Cross-Origin-Resource-Policy"] = []string{"cross-origin"}
	}
	return r, err
}

// embedCode is what the page of another site has to say to show the card of an item, "" where that is off.
func (s *Site) embedCode(kind string, id int64) string {
	if !s.api.Branding().Embed {
		return ""
	}
	return `<iframe src="` + s.api.Settings.SiteURL + "/embed/" + kind + "/" + strconv.FormatInt(id, 10) + `" width="480" height="240" loading="lazy"></iframe>`
}
