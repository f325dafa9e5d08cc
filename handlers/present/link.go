package present

import "alcove/record"

// PrivateLink is a private link as its owner sees it.
type PrivateLink struct {
	ID           *string `json:"id"`
	IsActive     bool    `json:"is_active"`
	ExpiresDate  *string `json:"expires_date"`
	HTMLLocation *string `json:"html_location"`
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

// PrivateLink is a link that is active or not. A link opens its item to everyone who has its token, and may let them
// edit, so the token and the page are null for a scope that may not make links.
func (s Settings) PrivateLink(l *record.PrivateLink, active bool, scope record.Scope) PrivateLink {
	out := PrivateLink{IsActive: active, ExpiresDate: bare(l.Expires), Anonymous: l.Anonymous}
	if scope.Opens(record.ScopeAll) {
		page := s.linkPage(l.Token)
		out.ID, out.HTMLLocation = &l.Token, &page
	}
	return out
}

// CollectionLink is PrivateLink of a collection.
func (s Settings) CollectionLink(l *record.PrivateLink, active bool, scope record.Scope) CollectionLink {
	return CollectionLink{s.PrivateLink(l, active, scope), l.ReadOnly}
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
