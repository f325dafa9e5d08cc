package access

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"go.etcd.io/bbolt"

	"alcove/bucket"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/tests/routes"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// foreignWorld has items of Ada, an administrator of a faculty, and of Cyd, a member of another
// one that asks for reviews. Cyd's records are damaged: a request that reads one gets a 500.
type foreignWorld struct {
	*world.Server
	own     map[string]string   // by kind
	foreign map[string][]string // by kind
}

const neverGiven = "7777" // an id that was not given

// paramKinds says what a parameter of a path names, or why nothing private: "".
var paramKinds = map[string]string{
	"article_id": "article", "file_id": "file", "author_id": "person", "user_id": "person", "note_id": "note",
	"review_id": "review", "account_id": "account", "group_id": "group", "report_id": "report", "custom_field_id": "field",

	"version": "", "version_id": "", "host": "", "format": "", "name": "", "second": "", "third": "", "fourth": "", "preview_id": "", // of an item that was found
	"category_id": "", "role_id": "", "institution_string_id": "", // all of them are public
	"link_id": "", "token": "", "part": "", // secrets: too many to be tried one by one
}

func newForeignWorld(t *testing.T) *foreignWorld {
	s, cyd := stage.NewInstitution(t)
	s.AsksForReview(3, true)
	w := &foreignWorld{s, map[string]string{"version": "1", "version_id": "1", "second": "versions", "third": "1", "preview_id": "1"}, map[string][]string{}}
	last := func(at string) string { return at[strings.LastIndexByte(at, '/')+1:] }
	idOf := func(r *world.Reply) string { return fmt.Sprint(int64(r.Is(200).Object()["id"].(float64))) }
	harm := map[string][]string{} // tables, and the ids of records in them

	project := s.Ada.Project("Own")
	_, at := s.Ada.InProject(project, `{"title": "Own", "authors": [{"name": "A B"}]}`)
	file, _ := s.Ada.BeginAs(at, `{"link": "https://example.org/own"}`)
	s.Ada.Send("PUT", at+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2099-01-01", "embargo_options": [{"id": 1}]}`).Is(205)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	w.own["project"], w.own["article"], w.own["file"] = last(project), last(at), last(file)
	w.own["collection"] = last(s.Ada.NewCollection("Own"))
	w.own["account"], w.own["group"] = fmt.Sprint(s.Ben.ID()), "1"
	w.own["field"] = fmt.Sprint(s.Field(record.Field{GroupID: 1, Name: "Own", Type: record.FieldLargeList, Options: []string{"a"}}))
	s.Ada.Published("Everybody's") // whose author every account may name

	draft := cyd.Article(`{"title": "Draft", "authors": [{"name": "Nobody Else's"}]}`)
	of, _ := cyd.BeginAs(draft, `{"link": "https://example.org/draft"}`)
	waits := cyd.Article(`{"title": "Waits", "authors": [{"name": "Another"}]}`)
	waiting := cyd.Upload(waits, "waits.txt", []byte("for its review"))
	cyd.Do("POST", waits+"/publish", nil).Is(201)
	project = cyd.Project("Foreign")
	_, inside := cyd.InProject(project, `{"title": "In a project"}`)
	note := cyd.Send("POST", project+"/notes", `{"text": "Foreign"}`).Is(201)
	person := fmt.Sprint(int64(cyd.Get(draft + "/authors").Is(200).List()[0]["id"].(float64)))
	field := fmt.Sprint(s.Field(record.Field{GroupID: 3, Name: "Foreign", Type: record.FieldLargeList, Options: []string{"a"}}))
	w.foreign = map[string][]string{
		"article": {last(draft), last(waits), last(inside)}, "file": {last(of), last(waiting)}, "collection": {last(cyd.NewCollection("Foreign"))},
		"project": {last(project)}, "note": {last(note.Header.Get("Location"))}, "person": {person}, "review": {"1"}, "account": {fmt.Sprint(cyd.ID())},
		"group": {"3"}, "report": {idOf(cyd.Send("POST", world.ExportAt, ""))}, "field": {field},
	}
	for kind, table := range map[string]string{
		"article": "articles", "file": "files", "collection": "collections", "project": "projects", "note": "project_notes", "person": "people",
		"review": "reviews", "account": "accounts", "field": "fields",
	} {
		harm[table] = w.foreign[kind]
	}
	harm["submissions"] = harm["reviews"]

	s.Harmed = "the records that must not be read are damaged"
	s.Stop()
	db, err := bbolt.Open(filepath.Join(s.Cfg.Data, bucket.FileName), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(func(tx *bbolt.Tx) error {
		for table, ids := range harm {
			b := tx.Bucket([]byte("r:" + table))
			for _, id := range ids {
				var n int64
				fmt.Sscan(id, &n)
				key := binary.BigEndian.AppendUint64(nil, uint64(n))
				v := slices.Clone(b.Get(key))
				if v == nil {
					return fmt.Errorf("there is no record %s of %s", id, table)
				}
				for i := len(v) - 12; i < len(v); i++ { // more than what is put right when it is read
					v[i] ^= 1
				}
				if err := b.Put(key, v); err != nil {
					return err
				}
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s.Boot()
	w.Server = s.Quiet() // which lets a 500 pass
	w.Ada, w.Anon = world.Client{Server: w.Server, Token: s.Ada.Token}, world.Client{Server: w.Server, Token: ""}
	if r := (world.Client{Server: w.Server, Token: cyd.Token}).Get(draft); r.StatusCode != 500 {
		t.Fatalf("a damaged record is answered with %d", r.StatusCode)
	}
	return w
}

// same sends a request that names what is foreign, and one that names what was never there. Both
// are refused; but groups are no secret, and some bodies may name any.
func (w *foreignWorld) same(t *testing.T, kind, what string, send func(id string) *world.Reply, foreign string) {
	t.Helper()
	f, u := send(foreign), send(neverGiven)
	if f.StatusCode < 400 && kind != "group" || f.StatusCode >= 500 || f.StatusCode != u.StatusCode || string(f.Bytes) != string(u.Bytes) {
		t.Errorf("%s, foreign %s: %d %s, of an unknown id %d %s", what, foreign, f.StatusCode, f.Bytes, u.StatusCode, u.Bytes)
	}
}

// Each route whose address holds an id decides from an index whether the caller may see what it
// names, so that a foreign id costs what one costs that was never given.
func TestForeignRoutes(t *testing.T) {
	t.Parallel()
	w := newForeignWorld(t)
	tried := 0
	for _, r := range routes.All() {
		if strings.HasPrefix(r.Path, "/stats/") {
			continue // numbers of what is not public are 0 (TestStatistics)
		}
		parts := strings.Split(r.Path, "/")
		for i, part := range parts {
			name, is := strings.CutPrefix(part, ":")
			if !is {
				continue
			}
			kind, known := paramKinds[name]
			if name == "id" || name == "first" {
				kind, known = strings.TrimSuffix(parts[i-1], "s"), true
			}
			if !known {
				t.Errorf("%s %s: nothing is said of :%s", r.Method, r.Path, name)
				continue
			}
			if kind == "" {
				continue
			}
			who := []world.Client{w.Ada}
			if r.Access != endpoint.Account {
				who = append(who, w.Anon)
			}
			if w.foreign[kind] == nil {
				t.Errorf("%s %s: there is nothing foreign of the kind %s", r.Method, r.Path, kind)
			}
			for _, foreign := range w.foreign[kind] {
				for _, c := range who {
					tried++
					w.same(t, kind, r.Method+" "+r.Path+" of :"+name, func(id string) *world.Reply {
						path := w.path(parts, i, id)
						switch {
						case strings.HasSuffix(path, "/items/upload"):
							return c.Form(path, "external_file", "a\nb\n")
						case strings.HasSuffix(path, "/picture") && r.Method == "POST":
							return c.Form(path, "profile_picture", "none")
						case r.Method == "GET" || r.Method == "DELETE":
							return c.Send(r.Method, path, "")
						}
						body := `{}`
						if strings.HasPrefix(path, "/v2/account/institution/roles/") {
							body = `{"1": [2]}`
						}
						return c.Send(r.Method, path, body)
					}, foreign)
				}
			}
		}
	}
	if tried < 150 {
		t.Errorf("%d requests were tried", tried)
	}
}

// path is an address with an id in one place, and what is Ada's before it.
func (w *foreignWorld) path(parts []string, at int, id string) string {
	parts = slices.Clone(parts)
	for i, part := range parts {
		name, is := strings.CutPrefix(part, ":")
		kind := paramKinds[name]
		if name == "id" || name == "first" {
			kind = strings.TrimSuffix(parts[i-1], "s")
		}
		switch {
		case !is:
		case i == at:
			parts[i] = id
		case i < at && w.own[kind] != "":
			parts[i] = w.own[kind]
		case w.own[name] != "":
			parts[i] = w.own[name]
		default:
			parts[i] = "1"
		}
	}
	return strings.Join(parts, "/")
}

// foreignBodies are bodies with an id, by the place of the id in them.
var foreignBodies = map[string]struct{ kind, body string }{
	"authors[].id": {"person", `{"title": "A title", "authors": [{"id": %s}]}`},
	"articles[]":   {"article", `{"title": "A title", "articles": [%s]}`},
	"group_id":     {"group", `{"title": "A title", "group_id": %s, "email": "new@example.org", "first_name": "N", "last_name": "W"}`},
	"file_id":      {"file", `{"file_id": %s}`},
	"user_id":      {"person", `{"user_id": %s, "role_name": "viewer"}`},

	"embargo_options[].group_ids[]": {"group", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2099-01-01", "embargo_options": [{"id": 1, "group_ids": [%s]}]}`},
}

// publicNumbers are the numbers in bodies that name no record of an account.
var publicNumbers = []string{
	"categories[]", "fields_of_interest[]", "license", "quota", "resource_version", "size", "version",
	"funding_list[].id", "related_materials[].id", // which are taken and mean nothing
	"embargo_options[].id", // which the institution lists
	"groups[].id",          // of which the public articles are counted
}

// The same holds for ids in bodies. Searches name no record: their ids are tested on what they
// find.
func TestForeignBodies(t *testing.T) {
	t.Parallel()
	w := newForeignWorld(t)
	doc, _, err := routes.Described(present.Settings{BaseURL: "https://repo.example.org", DownloadURL: "https://files.example.org", UploadURL: "https://repo.example.org/upload"})
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, r := range routes.All() {
		if r.About.IsPage() {
			continue
		}
		o := doc.Paths.Value(routes.Template(r.Path)).GetOperation(r.Method)
		if o.RequestBody == nil || strings.HasSuffix(r.Path, "/search") {
			continue
		}
		media := o.RequestBody.Value.Content.Get("application/json")
		if media == nil || media.Schema == nil {
			continue
		}
		for _, place := range numbersIn(media.Schema, "", 0) {
			if slices.Contains(publicNumbers, place) {
				continue
			}
			c, known := foreignBodies[place]
			if !known {
				t.Errorf("%s %s: nothing is said of %s in its body", r.Method, r.Path, place)
			}
			for _, foreign := range w.foreign[c.kind] {
				tried++
				w.same(t, c.kind, r.Method+" "+r.Path+" with "+place, func(id string) *world.Reply {
					parts := strings.Split(r.Path, "/")
					return w.Ada.Send(r.Method, w.path(parts, len(parts), id), fmt.Sprintf(c.body, id))
				}, foreign)
			}
		}
	}
	if tried < 40 {
		t.Errorf("%d requests were tried", tried)
	}
}

// numbersIn are the places of numbers in a body.
func numbersIn(ref *openapi3.SchemaRef, at string, depth int) (places []string) {
	s := ref.Value
	if s == nil || depth > 6 {
		return nil
	}
	for _, list := range []openapi3.SchemaRefs{s.AllOf, s.AnyOf, s.OneOf} {
		for _, more := range list {
			places = append(places, numbersIn(more, at, depth+1)...)
		}
	}
	if s.Type.Includes("integer") {
		places = append(places, at)
	}
	if s.Items != nil {
		places = append(places, numbersIn(s.Items, at+"[]", depth+1)...)
	}
	for name, of := range s.Properties {
		places = append(places, numbersIn(of, strings.TrimPrefix(at+"."+name, "."), depth+1)...)
	}
	return places
}
