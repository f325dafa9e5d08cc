package formats

import (
	"mime"
	"strconv"
	"strings"
)

// Chosen is what a client is given at the page of an item: one of the three.
type Chosen struct {
	Page    bool
	Linkset string // its media type
	Format  Format
}

// bibliography is the media type that asks for a citation, in the style that its parameter names.
const bibliography = "text/x-bibliography"

// offer is a representation of the page of an item.
type offer struct {
	media, profile, style string
	Chosen
}

var offers = func() (list []offer) {
	for _, media := range []string{"text/html", "application/xhtml+xml"} {
		list = append(list, offer{media: media, Chosen: Chosen{Page: true}})
	}
	for _, f := range all {
		if f.Citation() {
			list = append(list, offer{media: bibliography, style: f.Name, Chosen: Chosen{Format: f}})
			continue
		}
		for _, media := range append([]string{f.Media}, strings.Fields(f.Aliases)...) {
			list = append(list, offer{media: media, profile: f.Profile, Chosen: Chosen{Format: f}})
		}
	}
	for _, media := range []string{LinksetJSON, LinksetText} {
		list = append(list, offer{media: media, Chosen: Chosen{Linkset: media}})
	}
	return list
}()

// mostRanges is how many media ranges are read.
const mostRanges = 100

// Negotiate finds what an Accept header prefers (RFC 9110, 12.5.1), false where it takes nothing that there is.
// Without one, and where a page is as welcome as another form that is not named more closely, it is the page.
func Negotiate(accept string) (Chosen, bool) {
	type mediaRange struct {
		media  string
		params map[string]string
		q      float64
	}
	var ranges []mediaRange
	for _, part := range parts(accept) {
		media, params, err := mime.ParseMediaType(part)
		if err != nil || !strings.Contains(media, "/") || len(ranges) == mostRanges {
			continue
		}
		q := 1.0
		if text, ok := params["q"]; ok {
			if q, err = strconv.ParseFloat(text, 64); err != nil || !(q >= 0 && q <= 1) {
				continue
			}
		}
		ranges = append(ranges, mediaRange{media, params, q})
	}
	if len(ranges) == 0 {
		return Chosen{Page: true}, true
	}
	best, bestQ, bestFit := Chosen{}, 0.0, -1
	for _, o := range offers {
		q, fit := 0.0, -1
		for _, r := range ranges {
			if f := o.fits(r.media, r.params); f > fit {
				q, fit = r.q, f
			}
		}
		if q > bestQ || q == bestQ && q > 0 && fit > bestFit {
			best, bestQ, bestFit = o.Chosen, q, fit
		}
	}
	return best, bestQ > 0
}

// fits is how closely a media range names the offer, -1 where it does not.
func (o offer) fits(media string, params map[string]string) int {
	top, _, _ := strings.Cut(o.media, "/")
	switch media {
	case "*/*":
		return 0
	case top + "/*":
		return 1
	case o.media:
	default:
		return -1
	}
	if style, ok := params["style"]; ok && o.style != "" {
		if !strings.EqualFold(style, o.style) {
			return -1
		}
		return 3
	}
	if profile, ok := params["profile"]; ok {
		for _, p := range strings.Fields(profile) {
			if o.profile != "" && (p == o.profile || strings.HasPrefix(p, o.profile+"/")) {
				return 3
			}
		}
		return -1
	}
	return 2
}

// parts are the elements of a list in a header; a comma between quotes parts none.
func parts(list string) (out []string) {
	quoted, begin := false, 0
	for i := range len(list) {
		switch c := list[i]; {
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			out, begin = append(out, list[begin:i]), i+1
		}
	}
	return append(out, list[begin:])
}
