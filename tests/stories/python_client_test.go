package stories

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"alcove/tests/disk"
	"alcove/tests/routes"
	"alcove/tests/stage"
	"alcove/tests/world"
)

var (
	pythonClient      = flag.String("python-client", "", "directory of the Python client that was made of the public description (make client-python)")
	publicDescription = flag.String("public-description", routes.PublicDocument, "the public description that it was made of")
)

// clientCall is one call that the Python client is to make.
type clientCall struct {
	Host      string            `json:"host"`
	Token     string            `json:"token"`
	Operation string            `json:"operation"`
	Values    map[string]any    `json:"path,omitempty"`
	Query     map[string]string `json:"query,omitempty"`
	Body      any               `json:"body,omitempty"`
	File      string            `json:"file,omitempty"`
	Name      string            `json:"name,omitempty"` // of the body, where it may be left out
}

// clientOutcome is what became of it.
type clientOutcome struct {
	Kind    string `json:"kind"`
	Status  int    `json:"status"`
	Message string `json:"message"`
}

// pythonCaller is a process that makes calls.
type pythonCaller struct {
	t   *testing.T
	in  *json.Encoder
	out *bufio.Scanner
}

func newPythonCaller(t *testing.T) *pythonCaller {
	t.Helper()
	cmd := exec.Command("python3", disk.Root("tools/pythonclient/call.py"), *pythonClient)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	scanner := bufio.NewScanner(out)
	scanner.Buffer(nil, 1<<20)
	return &pythonCaller{t, json.NewEncoder(in), scanner}
}

func (p *pythonCaller) call(c clientCall) (o clientOutcome) {
	p.t.Helper()
	if err := p.in.Encode(c); err != nil {
		p.t.Fatal(err)
	}
	if !p.out.Scan() {
		p.t.Fatalf("the Python client ended at %s: %v", c.Operation, p.out.Err())
	}
	if err := json.Unmarshal(p.out.Bytes(), &o); err != nil {
		p.t.Fatal(err)
	}
	return o
}

// notByServer are calls that no answer of a server can help, and why.
var notByServer = map[string]string{
	"account_institution_curations":             "the description has one entry where the answer is a list",
	"get_account_institution_curation_comments": "the description has one entry where the answer is a list",
	"private_projects_search":                   "the description does not say that it takes a token, so none is sent: 401",
	"private_project_note of a blank item":      "a blank project has no note: 404",
	"article_file_details of a blank item":      "a blank item has no file: 404",
}

// prepared are the values of addresses of what an operation needs that the stage does not have.
var prepared = map[string]func(*stage.Stage) map[string]any{
	"account_article_publish": func(s *stage.Stage) map[string]any {
		return map[string]any{"article_id": world.LastNumber(s.T, s.Ada.Article(`{"title": "Nothing else"}`))}
	},
	"private_project_delete": func(s *stage.Stage) map[string]any {
		return map[string]any{"project_id": world.LastNumber(s.T, s.Ada.Project("Nothing else"))}
	},
	"private_project_leave": func(s *stage.Stage) map[string]any {
		at := s.Ben.Project("Shared")
		s.Ben.Send("POST", at+"/collaborators", fmt.Sprintf(`{"user_id": %d, "role_name": "viewer"}`, s.Ada.ID())).Is(201)
		s.Ada.Get(at).Is(200)
		return map[string]any{"project_id": world.LastNumber(s.T, at)}
	},
	"file_download": func(s *stage.Stage) map[string]any { // the client reads every answer as text
		at := s.Ada.Article(`{"title": "A text", "authors": [{"name": "A B"}]}`)
		file := s.Ada.Upload(at, "a.txt", []byte("a text"))
		s.Ada.Do("POST", at+"/publish", nil).Is(201)
		return map[string]any{"file_id": world.LastNumber(s.T, file)}
	},
}

// Every operation of the client that openapi-generator makes of the public description, called
// against a server with profile = "figshare": with items that have everything, and those that can
// be asked about items that have only a title. Whatever the client raises is a null that it does
// not take, or a value of another type. An operation that this server does not have is 404.
func TestPythonClient(t *testing.T) {
	if *pythonClient == "" {
		t.Skip("make client-python makes the client and runs this")
	}
	public, err := routes.ReadPublicAt(*publicDescription)
	if err != nil || public == nil {
		t.Fatalf("%s: %v", *publicDescription, err)
	}
	caller := newPythonCaller(t)
	var table []string
	counts := map[string]int{}
	note := func(operation string, o clientOutcome) {
		kind := o.Kind
		if because := notByServer[operation]; because != "" && kind != "answered" {
			kind, o.Kind = "beyond the server", ""
			o.Message = because
		}
		if kind == "refused" {
			kind = fmt.Sprintf("refused %d", o.Status)
		}
		counts[kind]++
		if kind != "answered" {
			table = append(table, fmt.Sprintf("%-50s %s %.160s", operation, kind, o.Message))
		}
		if o.Kind == "raised" {
			t.Errorf("%s raised %s", operation, o.Message)
		}
	}
	staged, blanks := stage.New(t, world.Figshare), stage.New(t, world.Figshare)
	blank := blankItems(blanks)
	operations := 0
	for path, item := range public.Paths.Map() {
		for method, o := range item.Operations() {
			operations++
			r := routeOf(method, path)
			if r == nil {
				missing := clientOutcome{"no operation of this server", 404, method + " " + path}
				note(o.OperationID, missing)
				continue
			}
			s := staged
			if method != "GET" && !strings.HasSuffix(path, "/search") {
				s = stage.New(t, world.Figshare)
			}
			c := callAt(s, r, path, o)
			if prepare := prepared[o.OperationID]; prepare != nil {
				c.Values = prepare(s)
			}
			note(o.OperationID, caller.call(c))
			for prefix, ids := range blank {
				if s == staged && strings.HasPrefix(r.Path, prefix+"/:id") && strings.Count(r.Path, "/:") <= len(ids) {
					c := callAt(blanks, r, path, o)
					c.Values = valuesOf(r.Path, path, routes.FillPath(r.Path, ids))
					note(o.OperationID+" of a blank item", caller.call(c))
				}
			}
		}
	}
	slices.Sort(table)
	t.Logf("%d operations, %v\n%s", operations, counts, strings.Join(table, "\n"))
	if operations < 130 || counts["answered"] < operations {
		t.Errorf("%d operations, %d calls answered", operations, counts["answered"])
	}
}

// routeOf is the route of an operation of the public description, nil where there is none.
func routeOf(method, path string) *routes.Route {
	for _, r := range routes.All() {
		if r.Method == method && samePath(r.Path, "/v2"+strings.TrimSuffix(path, "/")) {
			return &r
		}
	}
	return nil
}

// samePath compares a path of the route table with one of a description.
func samePath(pattern, path string) bool {
	ours, theirs := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(ours) != len(theirs) {
		return false
	}
	for i := range ours {
		if strings.HasPrefix(ours[i], ":") != strings.HasPrefix(theirs[i], "{") || !strings.HasPrefix(ours[i], ":") && ours[i] != theirs[i] {
			return false
		}
	}
	return true
}

// valuesOf are the parts of an address by the names that the public description has for them.
func valuesOf(pattern, path, address string) map[string]any {
	values := map[string]any{}
	parts := strings.Split(strings.TrimPrefix(address, "/v2"), "/")
	for i, name := range strings.Split(strings.TrimSuffix(path, "/"), "/") {
		if strings.HasPrefix(name, "{") {
			var n int64
			if _, err := fmt.Sscan(parts[i], &n); err == nil && fmt.Sprint(n) == parts[i] {
				values[strings.Trim(name, "{}")] = n
			} else {
				values[strings.Trim(name, "{}")] = parts[i]
			}
		}
	}
	return values
}

// callAt is the call of an operation at the stage: a body is the example of our description.
func callAt(s *stage.Stage, r *routes.Route, path string, o *openapi3.Operation) clientCall {
	s.T.Helper()
	c := clientCall{Host: s.URL + "/v2", Token: s.Ada.Token, Operation: o.OperationID, Values: valuesOf(r.Path, path, s.At(*r))}
	doc, err := routes.Conforming()
	if err != nil {
		s.T.Fatal(err)
	}
	for _, p := range o.Parameters {
		if p.Value.In == "query" && p.Value.Required {
			c.Query = map[string]string{"resource_id": "R", "filename": "a.png"}
		}
	}
	ours := doc.Ours.Paths.Value(routes.Template(r.Path)).GetOperation(r.Method)
	if ours.RequestBody == nil || o.RequestBody == nil {
		return c
	}
	if form := ours.RequestBody.Value.Content.Get("multipart/form-data"); form != nil {
		c.Name = form.Schema.Value.Required[0]
		c.File = filepath.Join(s.T.TempDir(), "a.csv")
		disk.WriteFile(s.T, c.File, []byte("UniqueID,Email,LastName\nnew,new@example.org,New\n"))
	}
	if media := ours.RequestBody.Value.Content.Get("application/json"); media != nil {
		c.Body = media.Example
		c.Name = "search"
		if strings.Contains(path, "private_links") {
			c.Name = "private_link"
		}
	}
	return c
}
