package routes

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"

	"alcove/tests/disk"
)

var (
	PublicDocument   = disk.Root("../shared/reference/figshare-swagger-2024.json")
	conformanceTable = disk.Testdata("conformance.tsv")
)

// difference is a line of the table: an operation, a place in its answer, and the keyword
// that does not hold there, with the reason; * stands for all operations or places, and **/ for all places that end so.
type difference struct {
	Operation, Place, Keyword, reason string
	met                               bool
}

// readPublic is the public description of the API, nil where the file is not there.
func readPublic() (*openapi3.T, error) { return ReadPublicAt(PublicDocument) }

func ReadPublicAt(path string) (*openapi3.T, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var doc openapi2.T
	if err := json.Unmarshal(b, &doc); err != nil {
		return nil, err
	}
	public, err := openapi2conv.ToV3(&doc)
	if err != nil {
		return nil, err
	}
	seen := map[*openapi3.Schema]bool{}
	for _, s := range public.Components.Schemas {
		plain(s.Value, seen)
	}
	for _, item := range public.Paths.Map() {
		for _, o := range item.Operations() {
			for _, r := range o.Responses.Map() {
				if m := r.Value.Content.Get("application/json"); m != nil {
					plain(m.Schema.Value, seen)
				}
			}
		}
	}
	return public, nil
}

// plain puts the parts of a schema together, so that what does not hold is told by its
// place.
func plain(s *openapi3.Schema, seen map[*openapi3.Schema]bool) {
	if seen[s] {
		return
	}
	seen[s] = true
	for _, part := range s.AllOf {
		plain(part.Value, seen)
		if s.Properties == nil {
			s.Properties = openapi3.Schemas{}
		}
		for name, p := range part.Value.Properties {
			if s.Properties[name] == nil {
				s.Properties[name] = p
			}
		}
		for _, name := range part.Value.Required {
			if !slices.Contains(s.Required, name) {
				s.Required = append(s.Required, name)
			}
		}
	}
	s.AllOf = nil
	for _, p := range s.Properties {
		plain(p.Value, seen)
	}
	if s.Items != nil {
		plain(s.Items.Value, seen)
	}
	if values := s.AdditionalProperties.Schema; values != nil {
		plain(values.Value, seen)
	}
}

func readDifferences() ([]*difference, error) {
	b, err := os.ReadFile(conformanceTable)
	if err != nil {
		return nil, err
	}
	var list []*difference
	for n, line := range strings.Split(strings.TrimSuffix(string(b), "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 4 || slices.Contains(cells, "") {
			return nil, fmt.Errorf("%s:%d: four cells belong into a line", conformanceTable, n+1)
		}
		list = append(list, &difference{Operation: cells[0], Place: cells[1], Keyword: cells[2], reason: cells[3]})
	}
	return list, nil
}

func (c *conformance) differsFromPublic(r route, status int, value any) []string {
	if c.Public == nil {
		return nil
	}
	o := PublicOperation(c.Public, r)
	if o == nil {
		return nil // beyond the public API
	}
	name := r.Method + " " + r.Path
	said := o.Responses.Status(status)
	if said == nil {
		if c.Listed(name, "/", "status "+strconv.Itoa(status)) {
			return nil
		}
		return []string{"the public document: there is no such status"}
	}
	content := said.Value.Content.Get("application/json")
	if content == nil || content.Schema == nil {
		return nil // it does not say what the body is
	}
	var out []string
	for _, e := range Violations(content.Schema.Value.VisitJSON(value, openapi3.MultiErrors())) {
		if !c.Listed(name, e.Place, e.Keyword) {
			out = append(out, "the public document: "+e.Place+" "+e.Keyword+": "+e.Why)
		}
	}
	return out
}

var varying = regexp.MustCompile(`\{[^}]*\}`)

// PublicOperation is the operation of the public document that a route is, nil for none.
func PublicOperation(doc *openapi3.T, r route) *openapi3.Operation {
	want := varying.ReplaceAllString(Template(strings.TrimPrefix(r.Path, "/v2")), "{}")
	for path, item := range doc.Paths.Map() {
		if strings.TrimSuffix(varying.ReplaceAllString(path, "{}"), "/") == want {
			return item.GetOperation(r.Method)
		}
	}
	return nil
}

// Listed reports whether the table has a difference, and notes that it was met.
func (c *conformance) Listed(operation, place, keyword string) bool {
	found := false
	for _, d := range c.differences {
		at := d.Place == "*" || d.Place == place
		if end, ok := strings.CutPrefix(d.Place, "**/"); ok {
			at = strings.HasSuffix(place, "/"+end)
		}
		if (d.Operation == "*" || d.Operation == operation) && at && d.Keyword == keyword {
			d.met, found = true, true
		}
	}
	return found
}

// unmet are the listed differences that no answer has shown.
func (c *conformance) unmet() (list []string) {
	for _, d := range c.differences {
		if !d.met {
			list = append(list, fmt.Sprintf("%s lists a difference that no answer shows: %s %s %s", conformanceTable, d.Operation, d.Place, d.Keyword))
		}
	}
	return list
}
