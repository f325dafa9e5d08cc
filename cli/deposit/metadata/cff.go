package metadata

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// citation reads a file of the Citation File Format 1.2, which is YAML.
func (f *Found) citation(text []byte) error {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return fmt.Errorf("bad YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return errors.New("it is empty")
	}
	v, err := plain(doc.Content[0], 0)
	if err != nil {
		return err
	}
	o, ok := v.(map[string]any)
	if !ok {
		return errors.New("it is not a mapping of keys to values")
	}
	f.set("title", f.text(o, "title"))
	f.set("description", Paragraphs(f.text(o, "abstract")))
	f.set("keywords", f.texts(o, "keywords"))
	switch of := f.text(o, "type"); of {
	case "", "software": // the format says that software is meant without it
		f.set("defined_type", "software")
	case "dataset":
		f.set("defined_type", of)
	default:
		f.doubt("%q is not a type of this format", of)
	}
	var authors []map[string]any
	for _, a := range f.objects(o, "authors") {
		if author := f.cited(a); author != nil {
			authors = append(authors, author)
		}
	}
	f.set("authors", authors)
	licences := f.texts(o, "license")
	if len(licences) == 0 {
		licences = f.texts(o, "license-url")
	} else if o["license-url"] != nil {
		f.leave("license-url")
	}
	switch len(licences) {
	case 0:
	case 1:
		f.set("license", licences[0])
	default:
		f.doubt("there are several licences to choose from (%s), and an item has one", strings.Join(licences, ", "))
	}
	f.rest(o, "", "cff-version", "message", "title", "abstract", "keywords", "type", "authors", "license", "license-url")
	return nil
}

// cited is a person, or an organisation, which has a name in one piece.
func (f *Found) cited(a map[string]any) map[string]any {
	given, family := f.text(a, "given-names"), f.text(a, "family-names")
	var author map[string]any
	switch name, alias := f.text(a, "name"), f.text(a, "alias"); {
	case given != "" || family != "":
		particle := f.text(a, "name-particle")
		if family == "" {
			particle, family = "", particle
		}
		author = person(given, particle, family, f.text(a, "name-suffix"))
	case name != "":
		author = organisation(name)
		f.withROR(author, f.text(a, "website"), "authors.website")
	case alias != "":
		author = person("", "", alias, "")
	default:
		f.doubt("an author has no name")
		return nil
	}
	f.withORCID(author, f.text(a, "orcid"))
	f.affiliate(author, f.text(a, "affiliation"), "", "")
	f.rest(a, "authors.", "given-names", "family-names", "name-particle", "name-suffix", "name", "alias", "orcid", "affiliation", map[bool]string{true: "website"}[author["kind"] != nil])
	return author
}

const maxDepth = 50 // of YAML

// plain is a node as JSON would give it, with every scalar as it is written.
func plain(n *yaml.Node, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("line %d: it is nested too deep", n.Line)
	}
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return nil, nil
		}
		return n.Value, nil
	case yaml.SequenceNode:
		list := []any{}
		for _, c := range n.Content {
			v, err := plain(c, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case yaml.MappingNode:
		o := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i].Value
			if _, twice := o[key]; twice {
				return nil, fmt.Errorf("line %d: %q stands twice", n.Content[i].Line, key)
			}
			v, err := plain(n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			o[key] = v
		}
		return o, nil
	}
	return nil, fmt.Errorf("line %d: references within YAML are not read: write the value there", n.Line)
}
