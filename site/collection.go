package site

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/handlers/described"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
)

// Collection is the page of a public collection, at /collections/{title}/{id}, with a version behind
// it for any but the newest. Another title leads to the right one, and /collections/{id} too.
func (s *Site) Collection(c *endpoint.Call) (endpoint.Reply, error) {
	if c.Text("third") == "linkset" {
		return s.BesideCollection(c)
	}
	return s.landing(c, record.KindCollection, s.collection)
}

// landing is the page of an item at an address /{kind}/{title}/{id}/{version}, of which /{kind}/{id}
// is a short form. An address that the item had on another server leads to the present one.
func (s *Site) landing(c *endpoint.Call, kind int64, show func(*endpoint.Call, *bucket.PublicTx) (endpoint.Reply, error)) (r endpoint.Reply, err error) {
	moved, err := s.api.Moved(c)
	if err != nil || moved != "" {
		return r, errors.Join(err, record.ErrNotFound) // the adapter leads to where it is now
	}
	id, version := c.Text("second"), c.Text("third")
	if id == "" {
		id = c.Text("first")
	}
	if !c.Named("id", id) || version != "" && !c.Named("version", version) {
		return r, record.ErrNotFound
	}
	err = s.api.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		r, err = show(c, tx)
		return err
	})
	if err != nil {
		return s.orWithdrawn(c, kind, Unknown(err))
	}
	return r, nil
}

// led leads to the page of an item when the call has another address of it.
func (s *Site) led(c *endpoint.Call, page string) (r endpoint.Reply, elsewhere bool) {
	if PathOf(c) == decoded(page) {
		return r, false
	}
	if at := c.Address(); at.RawQuery != "" {
		page += "?" + at.RawQuery
	}
	return endpoint.Reply{Status: 302, Location: page, Public: true}, true
}

// collectionDocument is what the API answers of a collection, in the keys that articles have too,
// and of the version of the address where asked.
func (s *Site) collectionDocument(c *endpoint.Call, tx *bucket.PublicTx, asked bool) (doc present.ArticleComplete, r endpoint.Reply, err error) {
	read := s.api.PublicCollectionRead
	if asked {
		read = s.api.PublicCollectionVersion
	}
	if r, err = read(c, tx); err != nil {
		return doc, r, err
	}
	from, ready := r.Body.(present.CollectionComplete)
	if !ready {
		if err = json.Unmarshal(r.Raw, &from); err != nil {
			return doc, r, err
		}
	}
	doc = described.Collection(s.api.Settings, &from)
	return doc, r, nil
}

func (s *Site) collection(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	asked := c.Text("third") != ""
	doc, answer, err := s.collectionDocument(c, tx, asked)
	if err != nil {
		return endpoint.Reply{}, err
	}
	page, newest := s.Local(doc.URLPublicHTML), ""
	if newest = page; asked {
		page += "/" + strconv.Itoa(doc.Version)
		latest, _, err := s.collectionDocument(c, tx, false)
		if err != nil {
			return endpoint.Reply{}, err
		}
		newest = s.Local(latest.URLPublicHTML)
	}
	if r, elsewhere := s.led(c, page); elsewhere {
		return r, nil
	}
	v := s.begin(c, &doc)
	v.Kind, v.API = v.CollectionKind, s.api.Settings.API("/collections/%d/versions/%d", doc.ID, doc.Version)
	list, err := s.api.PublicCollectionVersions(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	var numbers []int
	versions, _ := list.Body.([]present.CollectionVersion)
	for _, version := range versions {
		numbers = append(numbers, version.Version)
	}
	v.versions(numbers, newest)
	if err := citedBy(tx, v, record.KindCollection, doc.ID); err != nil {
		return endpoint.Reply{}, err
	}
	if !v.Old {
		err = s.members(c, tx, v, page, func(query string) (endpoint.Reply, error) { return s.api.PublicCollectionArticles(c.Asking(query), tx) })
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	it := described.Item(s.api.Settings, "collection", &doc, s.api.Settings.SiteURL+page, s.api.Items.LeadsIn(tx))
	if r, other, err := s.negotiated(c, tx, it, asked, answer); other || err != nil {
		return r, err
	}
	s.describe(v, it, s.signs(it, asked, nil))
	s.sharing(c, v, "collections", doc.ID, page)
	return s.shown(c, v, page, answer)
}

// members shows a page of the items that an item consists of.
func (s *Site) members(c *endpoint.Call, tx *bucket.PublicTx, v *item, page string, list func(query string) (endpoint.Reply, error)) error {
	n := 1
	if asked, ok := c.Query.Find("page"); ok {
		var err error
		if n, err = strconv.Atoi(asked); err != nil || n < 1 || n > maxPage {
			return record.ErrNotFound
		}
	}
	found, err := list(fmt.Sprintf("limit=%d&offset=%d", pageSize+1, (n-1)*pageSize))
	if err != nil {
		return err
	}
	cards, err := s.cards(tx, v.Words, found)
	if err != nil {
		return err
	}
	v.Page, v.Parts = n, true
	at := func(n int) string {
		if n == 1 {
			return page
		}
		return page + "?page=" + strconv.Itoa(n)
	}
	if n > 1 {
		v.Previous = at(n - 1)
	}
	if len(cards) > pageSize {
		cards = cards[:pageSize]
		if n < maxPage {
			v.Next = at(n + 1)
		}
	}
	v.Members = cards
	return nil
}

// versions are the links to all versions, of which the list has the lowest first.
func (v *item) versions(numbers []int, newest string) {
	v.numbers = numbers
	for i := len(numbers) - 1; i >= 0; i-- {
		to := newest
		if i < len(numbers)-1 {
			to += "/" + strconv.Itoa(numbers[i])
		}
		v.All = append(v.All, Choice{strings.Replace(v.Version, "%d", strconv.Itoa(numbers[i]), 1), to, numbers[i] == v.Number})
	}
	if len(v.All) > 0 && !v.All[0].Chosen {
		v.Old, v.Newest = true, Choice{strings.Replace(v.NewestVersion, "%d", strconv.Itoa(numbers[len(numbers)-1]), 1), newest, false}
	}
}
