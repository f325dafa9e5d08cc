package record

import "time"

// PrivateLink opens an item to every client that knows its token, without an account, until it
// expires or is disabled. Disabling is for good.
type PrivateLink struct {
	Token    string `json:"token"` // 32 hex digits, shown again in lists
	Kind     string `json:"kind"`  // articles or collections
	ItemID   int64  `json:"item_id"`
	ReadOnly bool   `json:"read_only"` // false lets its holder edit a collection
	Disabled bool   `json:"disabled"`
	// Anonymous withholds who made the item. It is said when the link is made, and stays.
	Anonymous bool `json:"anonymous,omitempty"`

	// Application is the client_id of the application that made the link, and AccountID the account it acted for. Both
	// are blank for links that a person or a personal token made.
	Application string `json:"application,omitempty"`
	AccountID   int64  `json:"account_id,omitempty"`

	Expires  time.Time `json:"expires"`
	Created  time.Time `json:"created"`
	Modified time.Time `json:"modified"`
}

// linkDays is how many days a link lives by default.
const linkDays = 365

// NewPrivateLink is a link to an item, made now and read-only, with the usual lifetime.
func NewPrivateLink(token, kind string, item int64, now time.Time) *PrivateLink {
	return &PrivateLink{
		Token: token, Kind: kind, ItemID: item, ReadOnly: true,
		Expires: now.AddDate(0, 0, linkDays), Created: now, Modified: now,
	}
}

// Active reports whether the link opens anything at a time.
func (l *PrivateLink) Active(now time.Time) bool { return !l.Disabled && now.Before(l.Expires) }

// Changed is when what the link shows last changed: it was written, or it expired.
func (l *PrivateLink) Changed(now time.Time) time.Time {
	if !l.Disabled && !now.Before(l.Expires) && l.Expires.After(l.Modified) {
		return l.Expires
	}
	return l.Modified
}

// LinkBody is the body of a private link create or update.
type LinkBody struct {
	ExpiresDate *string `json:"expires_date"`
	ReadOnly    *bool   `json:"read_only"`
	Anonymous   *bool   `json:"anonymous"`
}

// Apply writes what was sent to a link. It refuses an expiry that is no date, or is not
// in the future, another anonymity than the link was made with, and an anonymous link that lets
// edit (422), before it changes anything.
func (b *LinkBody) Apply(l *PrivateLink, now time.Time) error {
	switch {
	case b.Anonymous != nil && *b.Anonymous != l.Anonymous:
		return Wrong("anonymous", "is said when a link is made, and stays; make another link")
	case l.Anonymous && b.ReadOnly != nil && !*b.ReadOnly:
		return Wrong("read_only", "must be true for an anonymous link")
	}
	if b.ExpiresDate != nil {
		t, ok := Moment(*b.ExpiresDate)
		if !ok {
			return Wrong("expires_date", "must be a date in the form YYYY-MM-DD or YYYY-MM-DDThh:mm:ss")
		}
		if t = t.Truncate(time.Second); !t.After(now) {
			return Wrong("expires_date", "must be in the future")
		}
		l.Expires = t
	}
	set(&l.ReadOnly, b.ReadOnly)
	l.Modified = now
	return nil
}
