package routes

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	stdmaps "maps"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"alcove/handlers"
	"alcove/handlers/present"
	"alcove/record"
)

// Answers that the suite sees are held against two documents: the one that the server
// publishes of itself, which they must match to the letter, and the public description of
// the API that it speaks, from which they differ only as tests/testdata/conformance.tsv says.

// conformance is both documents, and what was held against them.
type conformance struct {
	Ours, Public *openapi3.T // public is nil where the file is not there
	differences  []*difference

	Mu   sync.Mutex
	held map[string]int // answers, by what they have in common
}

const (
	bodiesHeld = 3       // different ones of a test, route and status
	largeBody  = 1 << 16 // bytes
)

var Conforming = sync.OnceValues(func() (*conformance, error) {
	c := &conformance{held: map[string]int{}}
	var err error
	if c.Ours, _, err = Described(present.Settings{BaseURL: "https://repo.example.org"}); err != nil {
		return nil, err
	}
	for _, s := range c.Ours.Components.Schemas {
		if len(s.Value.Required) > 0 { // what answers hold: a key too many is a mistake
			s.Value.AdditionalProperties.Has = openapi3.Ptr(false)
		}
		for _, p := range s.Value.Properties {
			takesNull(p.Value)
			if values := p.Value.AdditionalProperties.Schema; values != nil {
				takesNull(values.Value)
			}
		}
	}
	if c.Public, err = readPublic(); c.Public == nil {
		return c, err
	}
	c.differences, err = readDifferences()
	return c, err
})

// takesNull lets a schema that says nothing of the type take null, as the standard has it and the
// library has not.
func takesNull(s *openapi3.Schema) {
	if s.Type == nil && len(s.AnyOf)+len(s.AllOf) == 0 {
		s.Nullable = true
	}
}

// conforms holds an answer of a route against both documents.
func (w *exchangeLog) conforms(t testing.TB, r route, req *http.Request, res *http.Response, body []byte) {
	t.Helper()
	c, err := Conforming()
	if err != nil {
		return // TestConformanceSees tells
	}
	for _, wrong := range c.differs(t.Name(), r, req, res, body) {
		t.Errorf("the answer %d to %s %s differs from %s", res.StatusCode, r.Method, r.Path, wrong)
	}
}

func (c *conformance) differs(test string, r route, req *http.Request, res *http.Response, body []byte) []string {
	if res.StatusCode == http.StatusRequestHeaderFieldsTooLarge {
		return nil // from Go's server, before there is a route
	}
	if r.About.IsPage() || strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") && !strings.HasPrefix(r.Path, "/v2/") && r.Method == http.MethodGet {
		return nil // a page: tests/pages has what is promised of them
	}
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if c.enough(test, r, res, body) {
		return nil
	}
	o := c.Ours.Paths.Value(Template(r.Path)).GetOperation(r.Method)
	answer, problem := promised(o, res)
	switch {
	case problem != "":
		return []string{"our document: " + problem}
	case res.StatusCode >= 300 && res.StatusCode < 400, req.Method == http.MethodHead:
		return nil
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	content := answer.Content[kind]
	if content == nil {
		content = answer.Content["*/*"]
	}
	if (content == nil) != (kind == "") || content == nil && len(body) > 0 {
		return []string{fmt.Sprintf("our document: %d bytes of %q where it has %v", len(body), kind, slices.Sorted(stdmaps.Keys(answer.Content)))}
	}
	if kind != "application/json" || content.Schema == nil {
		return nil
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return []string{"JSON: " + err.Error()}
	}
	var out []string
	for _, e := range Violations(content.Schema.Value.VisitJSON(value, openapi3.MultiErrors())) {
		out = append(out, "our document: "+e.Place+" "+e.Keyword+": "+e.Why)
	}
	if res.StatusCode < 300 {
		out = append(out, c.accepted(o, req)...)
		if req.URL == nil || !req.URL.Query().Has("private_link") { // it shows the keys of the public detail, of which the public document does not know
			out = append(out, c.differsFromPublic(r, res.StatusCode, value)...)
		}
	}
	return out
}

// enough reports whether as many answers like this one were held as are wanted: of the
// same test each body once and a few in all, of long ones, which are lists of the
// vocabulary, one in a whole run.
func (c *conformance) enough(test string, r route, res *http.Response, body []byte) bool {
	like := fmt.Sprint(r.Method, r.Path, res.StatusCode)
	most := 1
	if len(body) < largeBody {
		like, most = like+test, bodiesHeld
		exactly := fmt.Sprint(like, sha256.Sum256(body))
		if c.held[exactly]++; c.held[exactly] > 1 {
			return true
		}
	}
	c.held[like]++
	return c.held[like] > most
}

// promised is what our document says of a status, and what is wrong with the answer's
// status and headers by it.
func promised(o *openapi3.Operation, res *http.Response) (*openapi3.Response, string) {
	said := o.Responses.Status(res.StatusCode)
	if said == nil {
		switch res.StatusCode {
		case 413, 429, 431, 500, 503, 507: // any answer may be one of these
			said = o.Responses.Default()
		default:
			return nil, fmt.Sprintf("there is no such status: %s", res.Status)
		}
	}
	for _, name := range []string{"Location", "X-Cursor"} {
		if _, told := said.Value.Headers[name]; told != (res.Header.Get(name) != "") {
			return nil, fmt.Sprintf("%s is %q", name, res.Header.Get(name))
		}
	}
	if _, told := said.Value.Headers["X-Warnings"]; !told && res.Header.Get("X-Warnings") != "" {
		return nil, "X-Warnings is not told of"
	}
	return said.Value, ""
}

// accepted holds the body of a request that was accepted against our document.
func (c *conformance) accepted(o *openapi3.Operation, req *http.Request) []string {
	if o.RequestBody == nil || req.GetBody == nil {
		return nil
	}
	content := o.RequestBody.Value.Content.Get("application/json")
	if content == nil {
		return nil
	}
	b, err := req.GetBody()
	if err != nil {
		return nil
	}
	var value any
	if json.NewDecoder(b).Decode(&value) != nil {
		return nil // no body where it may be left out
	}
	var out []string
	sent, _ := value.(map[string]any)
	for _, e := range Violations(content.Schema.Value.VisitJSON(value, openapi3.MultiErrors())) {
		if text, ok := sent[strings.TrimPrefix(e.Place, "/")].(string); ok && e.Keyword == "type" && strings.HasSuffix(req.URL.Path, "/search") && len(strings.Trim(text, "0123456789")) == 0 {
			continue // under the profile of the public service, which takes more than it describes (TestProfileDigits)
		}
		out = append(out, "our document by the body that was accepted: "+e.Place+" "+e.Keyword+": "+e.Why)
	}
	return out
}

// violation is a keyword of a schema that does not hold at a place of a body, in which *
// stands for the positions in lists.
type violation struct{ Place, Keyword, Why string }

func Violations(err error) (list []violation) {
	switch e := err.(type) {
	case nil:
	case openapi3.MultiError:
		for _, one := range e {
			list = append(list, Violations(one)...)
		}
	case *openapi3.SchemaError:
		place := ""
		for _, part := range e.JSONPointer() {
			if _, err := strconv.Atoi(part); err == nil {
				part = "*"
			}
			place += "/" + part
		}
		keyword := e.SchemaField
		if e.Value == nil {
			keyword = "null"
		}
		list = append(list, violation{place, keyword, e.Reason})
	default:
		list = append(list, violation{"/", "", err.Error()})
	}
	return list
}

// Described is the document of an API, read by a library that knows the standard.
func Described(s present.Settings) (*openapi3.T, []byte, error) {
	d, err := handlers.Description(s, record.Lists{Authors: 5000}, forHandlers(All()))
	if err != nil {
		return nil, nil, err
	}
	b, err := d.OpenAPI()
	if err != nil {
		return nil, nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(b)
	return doc, b, err
}

// Template is a path of the route table in the form of OpenAPI.
func Template(path string) string {
	return regexp.MustCompile(`:([a-z_]+)`).ReplaceAllString(path, "{$1}")
}
