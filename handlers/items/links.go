package items

import (
	"crypto/rand"
	"encoding/hex"
	"time"

	"alcove/bucket"
	"alcove/bucket/working"
	"alcove/record"
)

// MaxLinks is how many private links an item keeps. At the limit the oldest that is
// disabled or expired makes room for a new one.
const MaxLinks = 1000

// Links are the private links of an item, the oldest first.
func (k *Kind) Links(tx *bucket.Tx, item int64) ([]*record.PrivateLink, error) {
	var links []*record.PrivateLink
	for hit := range working.LinksByItem.Ascending(tx, bucket.SortKey(k.Path, item)) {
		l, err := working.PrivateLinks.Get(tx, hit.Key)
		if err != nil {
			return nil, err
		}
		links = append(links, l)
	}
	return links, nil
}

// NewLink stores a private link to an item. An anonymous one is refused where the item was ever
// public, because its authors can be found then.
func (k *Kind) NewLink(tx *bucket.Tx, w *record.Working, body *record.LinkBody) (*record.PrivateLink, error) {
	item := w.ID
	l := record.NewPrivateLink(NewLinkToken(), k.Path, item, tx.Now())
	if l.Anonymous = body.Anonymous != nil && *body.Anonymous; l.Anonymous && w.EverPublic() {
		return nil, record.ErrAnonymousPublic
	}
	if err := k.ApplyLink(l, body, tx.Latest()); err != nil {
		return nil, err
	}
	if err := k.checkLinkLimit(tx, item); err != nil {
		return nil, err
	}
	return l, working.PrivateLinks.Put(tx, l.Token, l)
}

// ApplyLink writes a body to a link. Only links to collections can let their holders
// edit; for articles read_only is taken and means nothing.
func (k *Kind) ApplyLink(l *record.PrivateLink, body *record.LinkBody, now time.Time) error {
	b := *body
	if !k.EditLinks {
		b.ReadOnly = nil
	}
	return b.Apply(l, now)
}

// checkLinkLimit makes sure that an item can have one more link.
func (k *Kind) checkLinkLimit(tx *bucket.Tx, item int64) error {
	links, err := k.Links(tx, item)
	if err != nil || len(links) < MaxLinks {
		return err
	}
	for _, l := range links {
		if !l.Active(tx.Latest()) {
			return working.PrivateLinks.Delete(tx, l.Token)
		}
	}
	return record.ErrTooManyLinks
}

// NewLinkToken is 128 random bits in hex.
func NewLinkToken() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
