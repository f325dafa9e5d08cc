package site

import "alcove/handlers/endpoint"

// robots keeps crawlers to the pages that each lead to something new: searches are endless, and what
// a private link or a token opens is for its holder. The list of all items is open to them.
const robots = `User-agent: *
Disallow: /search?
Disallow: /s/
Disallow: /upload/
Disallow: /v2/account
Disallow: /sign-in
Disallow: /account
Allow: /search?page=
`

// Robots says to crawlers where they may go (RFC 9309), and where all items are named.
func (s *Site) Robots(*endpoint.Call) (endpoint.Reply, error) {
	return endpoint.Reply{Raw: []byte(robots + "\nSitemap: " + s.api.Settings.SiteURL + "/sitemap.xml\n"), Type: "text/plain; charset=utf-8"}, nil
}
