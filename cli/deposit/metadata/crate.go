package metadata

import (
	"errors"
	"strings"

	"alcove/record"
)

// graph are the entities of an RO-Crate by their ids.
type graph map[string]map[string]any

// crate reads the metadata document of an RO-Crate 1.1 or 1.2: what the root says.
func (f *Found) crate(top map[string]any) error {
	g := graph{}
	for _, e := range f.objects(top, "@graph") {
		if id, _ := e["@id"].(string); id != "" {
			g[id] = e
		}
	}
	root := g.root()
	if root == nil {
		return errors.New("it has no root: the entity that the one of the document itself is about")
	}
	f.set("title", f.text(root, "name"))
	f.set("description", Paragraphs(f.text(root, "description")))
	var authors []map[string]any
	for _, key := range []string{"author", "creator"} {
		if key == "creator" && len(authors) > 0 {
			if root[key] != nil {
				f.leave(key)
			}
			break
		}
		for _, v := range list(root[key]) {
			if a := f.crateAuthor(g, v); a != nil {
				authors = append(authors, a)
			}
		}
	}
	f.set("authors", authors)
	var keywords []string
	for _, k := range f.texts(root, "keywords") { // one text may have several
		for _, word := range strings.FieldsFunc(k, func(r rune) bool { return r == ',' || r == ';' }) {
			if word = strings.TrimSpace(word); word != "" {
				keywords = append(keywords, word)
			}
		}
	}
	f.set("keywords", keywords)
	for _, v := range list(root["license"]) {
		name := f.crateLicence(g, v)
		switch {
		case name == "":
			f.doubt("the licence is not understood")
		case f.Body["license"] != nil:
			f.doubt("there is a further licence, %q, and an item has one", name)
		default:
			f.set("license", name)
		}
	}
	var references []string
	for _, v := range list(root["citation"]) {
		if id := idOf(v); strings.HasPrefix(id, "http://") || strings.HasPrefix(id, "https://") {
			references = append(references, id)
		} else {
			f.leave("citation")
		}
	}
	f.set("references", references)
	for _, key := range []string{"conditionsOfAccess", "isAccessibleForFree", "embargoEnd"} {
		if s, _ := scalar(root[key]); root[key] != nil && s != "true" {
			f.doubt("it restricts the access: %q", key)
		}
	}
	f.rest(root, "", "@id", "@type", "name", "description", "author", "creator", "keywords", "license", "citation", "hasPart", "conformsTo",
		"conditionsOfAccess", "isAccessibleForFree", "embargoEnd")
	return nil
}

// root is the entity that the one of the document is about.
func (g graph) root() map[string]any {
	for id, e := range g {
		if base := id[strings.LastIndexByte(id, '/')+1:]; base == CrateName || base == "ro-crate-metadata.jsonld" {
			if r := g[idOf(e["about"])]; r != nil {
				return r
			}
		}
	}
	return g["./"]
}

// idOf is the id in a reference, or a text that stands for it.
func idOf(v any) string {
	if o, ok := v.(map[string]any); ok {
		v = o["@id"]
	}
	s, _ := v.(string)
	return s
}

func (f *Found) crateAuthor(g graph, v any) map[string]any {
	id := idOf(v)
	e := g[id]
	if e == nil {
		if _, isRef := v.(map[string]any); isRef || id == "" {
			f.doubt("an author is not described: %q", id)
			return nil
		}
		return keysOf(record.ReadName(id))
	}
	given, family, name := f.text(e, "givenName"), f.text(e, "familyName"), f.text(e, "name")
	var author map[string]any
	switch {
	case isOrganisation(e) && name != "":
		author = organisation(name)
	case family != "":
		author = person(given, "", family, f.text(e, "honorificSuffix"))
	case name != "":
		author = keysOf(record.ReadName(name))
	default:
		f.doubt("an author has no name: %q", id)
		return nil
	}
	if strings.Contains(id, "orcid.org/") {
		f.withORCID(author, id)
	} else if strings.Contains(id, "ror.org/") {
		f.withROR(author, id, "author.@id")
	}
	for _, v := range list(e["affiliation"]) {
		of := idOf(v)
		if known := g[of]; known != nil {
			ror := ""
			if strings.Contains(of, "ror.org/") {
				ror = of
			}
			f.affiliate(author, f.text(known, "name"), ror, "author.affiliation.@id")
		} else if text, ok := scalar(v); ok {
			f.affiliate(author, text, "", "")
		} else {
			f.leave("author.affiliation")
		}
	}
	f.rest(e, "author.", "@id", "@type", "name", "givenName", "familyName", "honorificSuffix", "affiliation")
	return author
}

// isOrganisation reports whether an entity is an organisation of any kind that schema.org has.
func isOrganisation(e map[string]any) bool {
	for _, v := range list(e["@type"]) {
		of, _ := v.(string)
		for _, end := range []string{"Organization", "Organisation", "Corporation", "Consortium", "NGO", "Project"} {
			if strings.HasSuffix(of, end) {
				return true
			}
		}
	}
	return false
}

// crateLicence is the address or the name of a licence.
func (f *Found) crateLicence(g graph, v any) string {
	id := idOf(v)
	e := g[id]
	for _, name := range []string{id, f.text(e, "url"), f.text(e, "identifier"), f.text(e, "name")} {
		if name != "" && !strings.HasPrefix(name, "#") {
			return name
		}
	}
	return ""
}
