package deposit

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// server is a small repository that speaks the part of the protocol a deposit
// needs, with its state in memory, and that can be told to fail.
type server struct {
	*httptest.Server
	t    *testing.T
	time *testTime

	mu       sync.Mutex
	skew     time.Duration // its clock minus the depositor's
	partSize int64
	nextID   int64
	articles map[int64]*article
	uploads  map[string]*file
	badMD5   func(name string) bool // compute a wrong md5 for these
	failing  func(name string) bool // give these the status "failed"
	lose     int                    // so many parts answer OK and are not kept
	lock     int                    // so many part requests answer 409
	strays   []string               // requests with a token where none belongs, or without

	account func(http.ResponseWriter) // answers GET /account; nil for a server that does not

	count int  // requests so far
	puts  int  // parts taken
	late  bool // the next request is heard twice, and answered once
	fault func(n int, r *http.Request) fault
}

// fault is what happens to one request.
type fault int

const (
	none       fault = iota
	dropBefore       // the connection is lost before anything is done
	dropAfter        // all is done, the reply is lost
	failBefore       // 500, nothing done
	failAfter        // 500 although all is done
	throttle         // 429 with Retry-After
)

type article struct {
	id      int64
	created time.Time
	body    map[string]json.RawMessage
	authors []string
	files   []*file
	version int
	embargo map[string]any
	bare    bool // was public without its embargo
}

type file struct {
	id                       int64
	name, folder, md5, token string
	size                     int64
	status, computed, reason string
	content                  []byte
	done                     []bool
}

const testToken = "s3cret-token-0123456789"

func newServer(t *testing.T) *server {
	s := &server{t: t, time: newTestTime(), partSize: 10, nextID: 100,
		articles: map[int64]*article{}, uploads: map[string]*file{},
		badMD5:  func(string) bool { return false },
		failing: func(string) bool { return false },
		fault:   func(int, *http.Request) fault { return none },
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v2/account/articles", s.list)
	mux.HandleFunc("GET /v2/account", func(w http.ResponseWriter, r *http.Request) {
		if s.account == nil {
			http.NotFound(w, r)
			return
		}
		s.account(w)
	})
	mux.HandleFunc("POST /v2/account/articles", s.create)
	mux.HandleFunc("GET /v2/account/articles/{id}", s.detail)
	mux.HandleFunc("PATCH /v2/account/articles/{id}", s.change)
	mux.HandleFunc("GET /v2/account/articles/{id}/embargo", s.showEmbargo)
	mux.HandleFunc("PUT /v2/account/articles/{id}/embargo", s.setEmbargo)
	mux.HandleFunc("GET /v2/account/articles/{id}/authors", s.listAuthors)
	mux.HandleFunc("POST /v2/account/articles/{id}/authors", s.addAuthors)
	mux.HandleFunc("POST /v2/account/articles/{id}/publish", s.publish)
	mux.HandleFunc("GET /v2/account/articles/{id}/files", s.listFiles)
	mux.HandleFunc("POST /v2/account/articles/{id}/files", s.initiate)
	mux.HandleFunc("GET /v2/account/articles/{id}/files/{file}", s.file)
	mux.HandleFunc("POST /v2/account/articles/{id}/files/{file}", s.complete)
	mux.HandleFunc("DELETE /v2/account/articles/{id}/files/{file}", s.remove)
	mux.HandleFunc("GET /upload/{token}", s.plan)
	mux.HandleFunc("PUT /upload/{token}/{n}", s.part)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.count++
		w.Header().Set("Date", s.now().UTC().Format(http.TimeFormat))
		what := s.fault(s.count, r)
		switch what {
		case dropBefore:
			panic(http.ErrAbortHandler)
		case failBefore:
			s.refuse(w, 500, "it broke")
			return
		case throttle:
			w.Header().Set("Retry-After", "7")
			s.refuse(w, 429, "slow down")
			return
		}
		if withToken := r.Header.Get("Authorization") == "token "+testToken; withToken == strings.HasPrefix(r.URL.Path, "/upload") {
			s.strays = append(s.strays, r.Method+" "+r.URL.Path)
			s.refuse(w, 401, "no")
			return
		}
		if s.late {
			s.late = false
			mux.ServeHTTP(httptest.NewRecorder(), r)
		}
		rec := httptest.NewRecorder()
		mux.ServeHTTP(rec, r)
		switch what {
		case dropAfter:
			panic(http.ErrAbortHandler)
		case failAfter:
			s.refuse(w, 500, "it broke late")
			return
		}
		for k, v := range rec.Header() {
			w.Header()[k] = v
		}
		w.WriteHeader(rec.Code)
		w.Write(rec.Body.Bytes())
	}))
	t.Cleanup(s.Close)
	return s
}

// set lets f choose the fault of each request from now on; nil ends all faults.
// It also orders what the test reads after it behind the requests before it.
func (s *server) set(f func(n int, r *http.Request) fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f == nil {
		f = func(int, *http.Request) fault { return none }
	}
	s.fault = f
}

func (s *server) now() time.Time { return s.time.now().Add(s.skew) }

func (s *server) refuse(w http.ResponseWriter, status int, message string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"message": %q, "code": "x", "data": {}}`, message)
}

func (s *server) answer(w http.ResponseWriter, status int, v any) {
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		s.t.Error(err)
	}
}

func (s *server) find(w http.ResponseWriter, r *http.Request) (*article, *file) {
	id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
	a := s.articles[id]
	if a == nil {
		s.refuse(w, 404, "Article not found")
		return nil, nil
	}
	if r.PathValue("file") == "" {
		return a, nil
	}
	for _, f := range a.files {
		if fmt.Sprint(f.id) == r.PathValue("file") {
			return a, f
		}
	}
	s.refuse(w, 404, "File not found")
	return nil, nil
}

func (s *server) list(w http.ResponseWriter, r *http.Request) {
	page, _ := strconv.Atoi(r.FormValue("page"))
	size, _ := strconv.Atoi(r.FormValue("page_size"))
	if page*size > retrievable {
		s.refuse(w, 400, "Max page reached. Please narrow down your search")
		return
	}
	var all []*article
	for _, a := range s.articles {
		all = append(all, a)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].id > all[j].id })
	list := []any{}
	for i := (page - 1) * size; i < min(page*size, len(all)); i++ {
		list = append(list, map[string]any{"id": all[i].id, "title": all[i].body["title"],
			"created_date": all[i].created.UTC().Format("2006-01-02T15:04:05Z")})
	}
	s.answer(w, 200, list)
}

func (s *server) create(w http.ResponseWriter, r *http.Request) {
	a := &article{created: s.now()}
	if err := json.NewDecoder(r.Body).Decode(&a.body); err != nil {
		s.refuse(w, 400, "bad JSON")
		return
	}
	var authors []struct{ Name string }
	json.Unmarshal(a.body["authors"], &authors)
	if len(authors) > 10 {
		s.refuse(w, 422, "too many authors")
		return
	}
	for _, x := range authors {
		a.authors = append(a.authors, x.Name)
	}
	if a.body["title"] == nil || strings.Contains(string(a.body["title"]), "refused") {
		s.refuse(w, 422, "Invalid value for title")
		return
	}
	s.nextID++
	a.id = s.nextID
	s.articles[a.id] = a
	s.answer(w, 201, map[string]any{"entity_id": a.id, "location": fmt.Sprintf("%s/v2/account/articles/%d", s.URL, a.id), "warnings": a.warnings()})
}

// warnings are given for titles that ask for them.
func (a *article) warnings() []string {
	if strings.Contains(string(a.body["title"]), "doubtful") {
		return []string{"that is doubtful"}
	}
	return []string{}
}

func (s *server) change(w http.ResponseWriter, r *http.Request) {
	if a, _ := s.find(w, r); a != nil {
		var body map[string]json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			s.refuse(w, 400, "bad JSON")
			return
		}
		maps.Copy(a.body, body)
		s.answer(w, 205, map[string]any{"location": "x", "warnings": a.warnings()})
	}
}

func (s *server) showEmbargo(w http.ResponseWriter, r *http.Request) {
	if a, _ := s.find(w, r); a != nil {
		s.answer(w, 200, a.embargo)
	}
}

func (s *server) setEmbargo(w http.ResponseWriter, r *http.Request) {
	a, _ := s.find(w, r)
	if a == nil {
		return
	}
	if a.embargo = map[string]any{}; json.NewDecoder(r.Body).Decode(&a.embargo) != nil {
		s.refuse(w, 400, "bad JSON")
		return
	}
	s.answer(w, 205, map[string]any{"location": "x", "warnings": []string{}})
}

func (s *server) detail(w http.ResponseWriter, r *http.Request) {
	a, _ := s.find(w, r)
	if a == nil {
		return
	}
	out := map[string]any{"id": a.id, "title": a.body["title"], "description": nil, "tags": []any{},
		"created_date": a.created.UTC().Format("2006-01-02T15:04:05Z"), "version": a.version, "is_public": a.version > 0}
	for _, name := range []string{"description", "tags"} {
		if v := a.body[name]; v != nil {
			out[name] = v
		}
	}
	custom := []any{}
	var fields map[string]any
	json.Unmarshal(a.body["custom_fields"], &fields)
	for k, v := range fields {
		custom = append(custom, map[string]any{"name": k, "value": v})
	}
	out["custom_fields"] = custom
	files := []any{}
	for _, f := range a.files {
		files = append(files, f.id)
	}
	out["files"] = files
	out["authors"] = a.authorList()
	s.answer(w, 200, out)
}

func (a *article) authorList() []any {
	list := []any{}
	for i, n := range a.authors {
		list = append(list, map[string]any{"id": i + 1, "full_name": n})
	}
	return list
}

func (s *server) listAuthors(w http.ResponseWriter, r *http.Request) {
	if a, _ := s.find(w, r); a != nil {
		s.answer(w, 200, a.authorList())
	}
}

func (s *server) addAuthors(w http.ResponseWriter, r *http.Request) {
	a, _ := s.find(w, r)
	if a == nil {
		return
	}
	var body struct{ Authors []struct{ Name string } }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Authors) > 10 {
		s.refuse(w, 422, "no")
		return
	}
	for _, x := range body.Authors {
		a.authors = append(a.authors, x.Name)
	}
	s.answer(w, 205, map[string]any{"location": "x", "warnings": []string{}})
}

func (s *server) publish(w http.ResponseWriter, r *http.Request) {
	a, _ := s.find(w, r)
	if a == nil {
		return
	}
	if len(a.authors) == 0 {
		s.refuse(w, 400, "Missing mandatory field for publication - authors")
		return
	}
	if a.embargo == nil && strings.Contains(string(a.body["title"]), "embargo") {
		a.bare = true
	}
	a.version++
	s.answer(w, 201, map[string]any{"location": fmt.Sprintf("%s/v2/articles/%d", s.URL, a.id), "warnings": []string{}})
}

// testTime is a clock that only waiting moves.
type testTime struct {
	mu sync.Mutex
	at time.Time
}

func newTestTime() *testTime { return &testTime{at: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)} }

func (c *testTime) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *testTime) sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
	return ctx.Err()
}

func (c *testTime) clock() clock { return clock{now: c.now, sleep: c.sleep} }
