package pages

import (
	"encoding/json"
	"encoding/xml"
	"html"
	"io"
	"regexp"
	"strings"

	"alcove/tests/world"
)

// assessed is what a client finds that begins with the address of a page and follows it by machine.
type assessed struct {
	s        *world.Server
	page     string
	header   []string          // links, parted at every comma as F-UJI parts them
	tags     map[string]string // meta elements by name
	data     map[string]any    // JSON-LD in the page
	file     map[string]any    // the first distribution in it
	rdf      map[string]bool   // namespaces of elements of what is given for application/rdf+xml
	datacite string            // what is given for DataCite's JSON
}

var (
	metaTag = regexp.MustCompile(`<meta (?:name|property)="([^"]*)" content="([^"]*)">`)
	ldBlock = regexp.MustCompile(`(?s)<script type="application/ld\+json">(.*?)</script>`)
)

// assess reads the page at a path, and by Accept what else is at its address.
func assess(s *world.Server, path string) *assessed {
	s.T.Helper()
	a := &assessed{s: s, page: publicSite + path, tags: map[string]string{}, rdf: map[string]bool{}}
	r := s.Anon.Get(path, "Accept", "text/html, application/xhtml+xml").Is(200)
	a.header = strings.Split(strings.Join(r.Header.Values("Link"), ","), ",")
	for rel, list := range headLinks(string(r.Bytes)) {
		for _, address := range list {
			a.header = append(a.header, "<"+address+`>; rel="`+rel+`"`)
		}
	}
	for _, m := range metaTag.FindAllStringSubmatch(string(r.Bytes), -1) {
		a.tags[html.UnescapeString(m[1])] = html.UnescapeString(m[2])
	}
	block := ldBlock.FindSubmatch(r.Bytes)
	if block == nil || json.Unmarshal(block[1], &a.data) != nil {
		s.T.Fatalf("%s has no JSON-LD", path)
	}
	if list, _ := a.data["distribution"].([]any); len(list) > 0 {
		a.file, _ = list[0].(map[string]any)
	}
	described := s.Anon.Get(path, "Accept", "application/rdf+xml, text/rdf;q=0.5, application/xml;q=0.1, text/xml;q=0.1").Is(200)
	if described.Header.Get("Content-Type") == "application/rdf+xml" {
		a.namespaces(described.Bytes)
	}
	given := s.Anon.Get(path, "Accept", "application/vnd.datacite.datacite+json").Is(200)
	if given.Header.Get("Content-Type") == "application/vnd.datacite.datacite+json" && json.Valid(given.Bytes) {
		a.datacite = string(given.Bytes)
	}
	return a
}

// namespaces notes those that elements of a document in XML are in.
func (a *assessed) namespaces(document []byte) {
	d := xml.NewDecoder(strings.NewReader(string(document)))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			a.s.T.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			a.rdf[e.Name.Space] = true
		}
	}
}

// links are the addresses in the header by a relation: one that is empty where there is none.
func (a *assessed) links(rel string) (list []string) {
	for _, l := range a.header {
		address, rest, _ := strings.Cut(l, ">")
		if strings.Contains(rest, `rel="`+rel+`"`) {
			list = append(list, strings.TrimPrefix(strings.TrimSpace(address), "<"))
		}
	}
	if list == nil {
		list = []string{""}
	}
	return list
}

// linked reports whether a link of a relation has a media type.
func (a *assessed) linked(rel, media string) bool {
	for _, l := range a.header {
		if strings.Contains(l, `rel="`+rel+`"`) && strings.Contains(l, `type="`+media+`"`) {
			return true
		}
	}
	return false
}

// identifier is the address of the identifier in the JSON-LD.
func (a *assessed) identifier() string {
	value, _ := a.data["identifier"].(map[string]any)
	address, _ := value["url"].(string)
	return address
}

func (a *assessed) fileURL() string {
	address, _ := a.file["contentUrl"].(string)
	return address
}

// answered reports whether there is something at each address.
func (a *assessed) answered(addresses ...string) bool {
	for _, address := range addresses {
		path, here := strings.CutPrefix(address, publicSite)
		if !here {
			return false
		}
		if r := a.s.Anon.Get(path); r.StatusCode != 200 || len(r.Bytes) == 0 {
			return false
		}
	}
	return true
}

// sent is how many bytes an address says that it has, and of which media type.
func (a *assessed) sent(address string) (length, media string) {
	r := a.s.Anon.Do("HEAD", strings.TrimPrefix(address, publicSite), nil).Is(200)
	media, _, _ = strings.Cut(r.Header.Get("Content-Type"), ";")
	return r.Header.Get("Content-Length"), media
}

// related counts the works that the item is related to in the JSON-LD, and tells by which properties there are some with
// an address.
func (a *assessed) related() (n int, by map[string]bool) {
	by = map[string]bool{}
	for _, property := range []string{"isPartOf", "sameAs", "subjectOf", "isBasedOn", "citation"} {
		works, _ := a.data[property].([]any)
		for _, w := range works {
			n++
			work, _ := w.(map[string]any)
			address, _ := work["@id"].(string)
			by[property] = by[property] || strings.HasPrefix(address, "https://") && work["url"] == address
		}
	}
	return n, by
}

// filled reports whether an object has a value that says something for each key.
func filled(o map[string]any, keys ...string) bool {
	for _, k := range keys {
		switch v := o[k].(type) {
		case string:
			if v == "" {
				return false
			}
		case []any:
			if len(v) == 0 {
				return false
			}
		case map[string]any:
			if name, _ := v["name"].(string); name == "" {
				return false
			}
		default:
			return false
		}
	}
	return true
}
