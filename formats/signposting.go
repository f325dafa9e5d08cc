package formats

import (
	"encoding/json"
	"strings"
)

// Link is a typed link of a page (FAIR Signposting Profile, level 2).
type Link struct{ Rel, URL, Type, Profile string }

// Media types of linksets (RFC 9264).
const (
	LinksetJSON = "application/linkset+json"
	LinksetText = "application/linkset"
)

// Signs returns all typed links of the page of an item. at returns the address of a form.
func Signs(from Item, at func(Format) string) (links []Link) {
	it := from.clean()
	put := func(rel, address, media, profile string) {
		if address != "" {
			links = append(links, Link{rel, address, media, profile})
		}
	}
	put("cite-as", it.where(), "", "")
	put("type", "https://schema.org/"+it.kind().schema, "", "")
	put("type", "https://schema.org/AboutPage", "", "")
	for _, a := range it.Authors {
		if a.ORCID != "" {
			put("author", a.orcidURL(), "", "")
		}
	}
	put("license", it.licenseAddress(), "", "")
	for _, f := range all {
		if !f.Citation() {
			put("describedby", at(f), f.Media, f.Profile)
		}
	}
	put("item", it.Package, "application/zip", roCrate)
	for _, f := range it.Files {
		put("item", f.URL, f.MIME, "")
	}
	return links
}

// HeaderMost bounds the bytes of a Link header with its name. nginx refuses an answer whose head is longer than 4 KiB,
// unless it is configured otherwise.
const HeaderMost = 2560

// inHeader lists the links of a Link header, the most important first: up to most of a relation and media type.
// The others stand in the head of the page and in its linkset.
var inHeader = []struct {
	rel, media string // any media type if empty
	most       int
}{
	{"cite-as", "", 1}, {"linkset", "", 2}, {"describes", "", 1}, {"collection", "", 1}, {"type", "", 2}, {"license", "", 1},
	{"describedby", "application/vnd.datacite.datacite+json", 1}, {"describedby", ldJSON, 1}, {"author", "", 10},
	{"describedby", "application/rdf+xml", 1},
}

// commas are written otherwise in links, because some readers of headers part them there.
var commas = strings.NewReplacer(",", "%2C")

// write is a link as it stands in a header; of an anchor, "" where it is the page that the header is of.
func (l Link) write(anchor string) string {
	s := "<" + commas.Replace(l.URL) + `>; rel="` + l.Rel + `"`
	for _, a := range [][2]string{{"type", l.Type}, {"profile", l.Profile}, {"anchor", anchor}} {
		if a[1] != "" {
			s += "; " + a[0] + `="` + commas.Replace(quotes.Replace(a[1])) + `"`
		}
	}
	return s
}

var quotes = strings.NewReplacer(`"`, "", `\`, "")

// Header returns the value of a Link header: as many of the links as inHeader names and HeaderMost allows.
func Header(links []Link) string {
	var parts []string
	left := HeaderMost - len("Link: \r\n")
	for _, want := range inHeader {
		n := 0
		for _, l := range links {
			if n == want.most {
				break
			}
			if l.Rel != want.rel || want.media != "" && l.Type != want.media {
				continue
			}
			n++
			if text := l.write(""); len(text)+len(", ") <= left {
				parts, left = append(parts, text), left-len(text)-len(", ")
			}
		}
	}
	return strings.Join(parts, ", ")
}

// Linkset returns the links of a page in a media type of linksets, with the links from its files and forms back to it.
func Linkset(page string, links []Link, media string) string {
	if media == LinksetText {
		var b strings.Builder
		for i, l := range links {
			if i > 0 {
				b.WriteString(",\n")
			}
			b.WriteString(l.write(page))
			if back := back(l.Rel); back != "" {
				b.WriteString(",\n" + Link{back, page, "text/html", ""}.write(commas.Replace(l.URL)))
			}
		}
		return b.String() + "\n"
	}
	target := func(l Link) map[string]any {
		return filled(map[string]any{"href": l.URL, "type": l.Type, "profile": l.Profile})
	}
	context := map[string]any{"anchor": page}
	set := []map[string]any{context}
	for _, l := range links {
		list, _ := context[l.Rel].([]map[string]any)
		context[l.Rel] = append(list, target(l))
		if back := back(l.Rel); back != "" {
			set = append(set, map[string]any{"anchor": l.URL, back: []map[string]any{target(Link{"", page, "text/html", ""})}})
		}
	}
	text, err := json.Marshal(map[string]any{"linkset": set})
	if err != nil {
		return "{}" // no value here can be refused
	}
	return string(text) + "\n"
}

// back is the relation from what a link leads to, to the page.
func back(rel string) string {
	return map[string]string{"item": "collection", "describedby": "describes"}[rel]
}
