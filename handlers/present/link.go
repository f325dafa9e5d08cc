package present

import "alcove/record"

// PrivateLink is a private link as its owner sees it.
type PrivateLink struct {
	ID           string  `json:"id"`
	IsActive     bool    `json:"is_active"`
	ExpiresDate  *string `json:"expires_date"`
	HTMLLocation string  `json:"html_location"`
	Anonymous    bool    `json:"anonymous"`
}

// CollectionLink is a private link of a collection.
type CollectionLink struct {
	PrivateLink
	ReadOnly bool `json:"read_only"`
}

// NewLink is the acknowledgement of a private link that was made.
type NewLink struct {
	Location
	HTMLLocation string   `json:"html_location"`
	Token        string   `json:"token"`
	Warnings     []string `json:"warnings"`
}

// PrivateLink is a link that is active or not.
func (s Settings) PrivateLink(l *record.PrivateLink, active bool) PrivateLink {
	return PrivateLink{ID: l.Token, IsActive: active, ExpiresDate: bare(l.Expires), HTMLLocation: s.linkPage(l.Token), Anonymous: l.Anonymous}
}

// CollectionLink is PrivateLink of a collection.
func (s Settings) CollectionLink(l *record.PrivateLink, active bool) CollectionLink {
	return CollectionLink{s.PrivateLink(l, active), l.ReadOnly}
}

// NewLink acknowledges a link; location is its address in the API.
func (s Settings) NewLink(l *record.PrivateLink, location string, warnings []string) NewLink {
	return NewLink{Location{location}, s.linkPage(l.Token), l.Token, list(warnings)}
}

// linkPage is the page that a link opens for people.
func (s Settings) linkPage(token string) string { return s.SiteURL + "/s/" + token }

// DOI is a DOI that was reserved.
type DOI struct {
	DOI string `json:"doi"`
}

// Handle is a handle that was reserved.
type Handle struct {
	Handle string `json:"handle"`
}
