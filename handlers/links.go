package handlers

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"time"

	"alcove/bucket"
	"alcove/record"
)

// maxLinks is how many private links an item keeps. At the limit the oldest that is
// disabled or expired makes room for a new one.
const maxLinks = 1000

// LinksRead lists the private links of an own item, the oldest first (specification 4.4
// and 4.7). Those that are expired or disabled are among them.
func (k *ItemKind) LinksRead(c *Call, tx *bucket.Tx) (Reply, error) {
	item, err := k.load(c, tx)
	if err != nil {
		return Reply{}, err
	}
	list, modified := []any{}, c.changed
	links, err := k.links(tx, item.Common().ID)
	for _, l := range links {
		list = append(list, k.linkForm(l, tx.Latest()))
		if t := l.Changed(tx.Latest()); t.After(modified) {
			modified = t
		}
	}
	return Reply{Body: list, Modified: modified}, err
}

func (k *ItemKind) links(tx *bucket.Tx, item int64) ([]*record.PrivateLink, error) {
	var links []*record.PrivateLink
	for hit := range bucket.LinksByItem.Ascending(tx, bucket.SortKey(k.path, item)) {
		l, err := bucket.PrivateLinks.Get(tx, hit.Key)
		if err != nil {
			return nil, err
		}
		links = append(links, l)
	}
	return links, nil
}

func (k *ItemKind) linkForm(l *record.PrivateLink, now time.Time) any {
	if k.editLinks {
		return k.api.Settings.CollectionLink(l, l.Active(now))
	}
	return k.api.Settings.PrivateLink(l, l.Active(now))
}

// LinkAdd makes a private link to an own item.
func (k *ItemKind) LinkAdd(c *Call, tx *bucket.Tx, body *record.LinkBody) (Reply, error) {
	item, err := k.load(c, tx)
	if err != nil {
		return Reply{}, err
	}
	l, err := k.newLink(tx, item.Common().ID, body)
	if err != nil {
		return Reply{}, err
	}
	at := k.linkAddress(l)
	k.warnOfReadOnly(c, body)
	return Reply{Status: 201, Location: at, Body: k.api.Settings.NewLink(l, at)}, nil
}

// warnOfReadOnly tells who makes a link to an article that nobody can edit by it anyway.
func (k *ItemKind) warnOfReadOnly(c *Call, body *record.LinkBody) {
	if !k.editLinks && body.ReadOnly != nil {
		c.warn("read_only", "links to articles only read")
	}
}

// newLink stores a private link to an item.
func (k *ItemKind) newLink(tx *bucket.Tx, item int64, body *record.LinkBody) (*record.PrivateLink, error) {
	l := record.NewPrivateLink(newLinkToken(), k.path, item, tx.Now())
	if err := k.applyLink(l, body, tx.Latest()); err != nil {
		return nil, err
	}
	if err := k.checkLinkLimit(tx, item); err != nil {
		return nil, err
	}
	return l, bucket.PrivateLinks.Put(tx, l.Token, l)
}

// applyLink writes a body to a link. Only links to collections can let their holders
// edit; for articles read_only is taken and means nothing.
func (k *ItemKind) applyLink(l *record.PrivateLink, body *record.LinkBody, now time.Time) error {
	b := *body
	if !k.editLinks {
		b.ReadOnly = nil
	}
	return b.Apply(l, now)
}

// checkLinkLimit makes sure that an item can have one more link.
func (k *ItemKind) checkLinkLimit(tx *bucket.Tx, item int64) error {
	links, err := k.links(tx, item)
	if err != nil || len(links) < maxLinks {
		return err
	}
	for _, l := range links {
		if !l.Active(tx.Latest()) {
			return bucket.PrivateLinks.Delete(tx, l.Token)
		}
	}
	return record.ErrTooManyLinks
}

// newLinkToken is 128 random bits in hex (decision 17).
func newLinkToken() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func (k *ItemKind) linkAddress(l *record.PrivateLink) string {
	return k.api.Settings.API("/account/%s/%d/private_links/%s", k.path, l.ItemID, l.Token)
}

// ownLink is the private link of the path when it belongs to the own item of the path.
func (k *ItemKind) ownLink(c *Call, tx *bucket.Tx) (*record.PrivateLink, error) {
	item, err := k.load(c, tx)
	if err != nil {
		return nil, err
	}
	l, err := bucket.PrivateLinks.Get(tx, c.Text("link_id"))
	if errors.Is(err, bucket.ErrNotFound) || err == nil && (l.Kind != k.path || l.ItemID != item.Common().ID) {
		return nil, k.linkAbsent
	}
	return l, err
}

// LinkRead is one private link of an own item.
func (k *ItemKind) LinkRead(c *Call, tx *bucket.Tx) (Reply, error) {
	l, err := k.ownLink(c, tx)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: k.linkForm(l, tx.Latest()), Modified: l.Changed(tx.Latest())}, nil
}

// LinkChange gives a private link another expiry, also one that has passed its old one.
// One that was disabled stays so and counts as absent.
func (k *ItemKind) LinkChange(c *Call, tx *bucket.Tx, body *record.LinkBody) (Reply, error) {
	l, err := k.ownLink(c, tx)
	if err != nil {
		return Reply{}, err
	}
	if l.Disabled {
		return Reply{}, k.linkAbsent
	}
	if err := k.applyLink(l, body, tx.Latest()); err != nil {
		return Reply{}, err
	}
	k.warnOfReadOnly(c, body)
	return Reply{Status: 205, Location: k.linkAddress(l)}, bucket.PrivateLinks.Put(tx, l.Token, l)
}

// LinkDelete disables a private link for good. From then on it opens nothing; the list
// still tells that it was there.
func (k *ItemKind) LinkDelete(c *Call, tx *bucket.Tx) (Reply, error) {
	l, err := k.ownLink(c, tx)
	if err != nil {
		return Reply{}, err
	}
	if l.Disabled {
		return Reply{}, k.linkAbsent
	}
	l.Disabled, l.Modified = true, tx.Now()
	return Reply{Status: 204}, bucket.PrivateLinks.Put(tx, l.Token, l)
}

// dropLinks removes the links of an item that is deleted.
func (k *ItemKind) dropLinks(tx *bucket.Tx, item int64) error {
	links, err := k.links(tx, item)
	if err != nil {
		return err
	}
	for _, l := range links {
		if err := bucket.PrivateLinks.Delete(tx, l.Token); err != nil {
			return err
		}
	}
	return nil
}
