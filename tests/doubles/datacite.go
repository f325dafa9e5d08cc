package doubles

import (
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"alcove/config"
)

// DataCite is a double of DataCite's REST API, as its public description has it: HTTP Basic, the states draft,
// registered and findable, and what a DOI needs to be more than a draft. It is not the service itself.
type DataCite struct {
	Address, Account, password, passwordFile string

	mu      sync.Mutex
	dois    map[string]*RegisteredDOI
	asked   []string // "METHOD doi event", of requests that were let in
	scripts []Trouble
	always  *Trouble
	begun   int
	lets    []string // prefixes of DOIs that the account may have
}

// RegisteredDOI is what the double has of a DOI.
type RegisteredDOI struct {
	State, URL string
	Created    int            // how often it came to be
	Attributes map[string]any // as they were sent last
}

// Trouble is what happens to a request instead of an answer.
type Trouble struct {
	Status     int           // of the answer
	RetryAfter string        // its header
	Drop       bool          // the connection is cut after the request was carried out
	Slow       time.Duration // before the answer
	DOI        string        // only for this one, "" for any
	Method     string        // only of these requests, "" for any
}

// StartDataCite starts the double on a loopback port.
func StartDataCite(t *testing.T) *DataCite {
	t.Helper()
	d := &DataCite{Account: "EXAMPLE.ALCOVE", password: "a registrar's secret", dois: map[string]*RegisteredDOI{}, lets: []string{"10.1234/"}}
	d.passwordFile = filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(d.passwordFile, []byte(d.password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	d.Address = server.URL
	return d
}

// Used has a server register its DOIs, under the prefix 10.1234, at the double.
func (d *DataCite) Used(c *config.Config) {
	c.DOIPrefix = "10.1234/alcove"
	c.DOI = config.DOIs{Registrar: "datacite", Test: true, Address: d.Address, Account: d.Account, PasswordFile: d.passwordFile}
}

// Lets has the account take DOIs under another prefix, with its slash, too.
func (d *DataCite) Lets(prefix string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lets = append(d.lets, prefix)
}

// DOI is what the double has of one, nil for nothing.
func (d *DataCite) DOI(doi string) *RegisteredDOI {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r := d.dois[strings.ToLower(doi)]; r != nil {
		out := *r
		return &out
	}
	return nil
}

// Has gives the double a DOI.
func (d *DataCite) Has(doi string, r RegisteredDOI) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dois[strings.ToLower(doi)] = &r
}

// Lose has the double forget a DOI.
func (d *DataCite) Lose(doi string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.dois, strings.ToLower(doi))
}

// Begun is how many requests have begun.
func (d *DataCite) Begun() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.begun
}

// State is that of a DOI, "" for one that the double does not have.
func (d *DataCite) State(doi string) string {
	if r := d.DOI(doi); r != nil {
		return r.State
	}
	return ""
}

// Asked are the requests so far, each as "METHOD doi event".
func (d *DataCite) Asked() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.asked...)
}

// Next is what happens to the next requests, one after the other.
func (d *DataCite) Next(trouble ...Trouble) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.scripts = append(d.scripts, trouble...)
}

// Always is what happens to every request from now on, nil for nothing.
func (d *DataCite) Always(t *Trouble) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.always = t
}

func (d *DataCite) trouble(method, doi string) (t Trouble) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begun++
	if d.always != nil && (d.always.DOI == "" || d.always.DOI == doi) && (d.always.Method == "" || d.always.Method == method) {
		return *d.always
	}
	if len(d.scripts) > 0 {
		t, d.scripts = d.scripts[0], d.scripts[1:]
	}
	return t
}

func (d *DataCite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	doi, isDOI := strings.CutPrefix(r.URL.Path, "/dois/")
	trouble := d.trouble(r.Method, doi)
	if trouble.Slow > 0 {
		select {
		case <-time.After(trouble.Slow):
		case <-r.Context().Done():
			return
		}
	}
	if trouble.Status != 0 {
		if trouble.RetryAfter != "" {
			w.Header().Set("Retry-After", trouble.RetryAfter)
		}
		refuseDOI(w, trouble.Status, "", "Something went wrong.")
		return
	}
	account, password, _ := r.BasicAuth()
	if account != d.Account || subtle.ConstantTimeCompare([]byte(password), []byte(d.password)) != 1 {
		refuseDOI(w, http.StatusUnauthorized, "", "Bad credentials.")
		return
	}
	if !isDOI {
		refuseDOI(w, http.StatusNotFound, "", "The resource you are looking for doesn't exist.")
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	status, out, refused := d.carryOut(r, strings.ToLower(doi))
	if trouble.Drop {
		panic(http.ErrAbortHandler)
	}
	if refused != "" {
		source, title, _ := strings.Cut(refused, "|")
		refuseDOI(w, status, source, title)
		return
	}
	w.Header().Set("Content-Type", "application/vnd.api+json; charset=utf-8")
	w.WriteHeader(status)
	if out != nil {
		answer := map[string]any{}
		for k, v := range out.Attributes {
			answer[k] = v
		}
		answer["doi"], answer["state"], answer["url"] = strings.ToLower(doi), out.State, out.URL
		_ = json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"id": strings.ToLower(doi), "type": "dois", "attributes": answer}})
	}
}

var doiSyntax = regexp.MustCompile(`^10\.\d{4,5}/[-._;()/:a-zA-Z0-9*~$=]+$`)

func (d *DataCite) carryOut(r *http.Request, doi string) (status int, out *RegisteredDOI, refused string) {
	known := d.dois[doi]
	var body struct {
		Data struct {
			Type       string         `json:"type"`
			Attributes map[string]any `json:"attributes"`
		} `json:"data"`
	}
	event := ""
	if r.Method == http.MethodPut {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.Data.Type != "dois" {
			return http.StatusBadRequest, nil, "|You need to provide a payload following the JSONAPI spec"
		}
		event, _ = body.Data.Attributes["event"].(string)
	}
	d.asked = append(d.asked, strings.TrimSpace(r.Method+" "+doi+" "+event))
	switch r.Method {
	case http.MethodGet:
		if known == nil {
			return http.StatusNotFound, nil, "|The resource you are looking for doesn't exist."
		}
		return http.StatusOK, known, ""
	case http.MethodDelete:
		switch {
		case known == nil:
			return http.StatusNotFound, nil, "|The resource you are looking for doesn't exist."
		case known.State != "draft":
			return http.StatusMethodNotAllowed, nil, "|Method not allowed"
		}
		delete(d.dois, doi)
		return http.StatusNoContent, nil, ""
	case http.MethodPut:
	default:
		return http.StatusMethodNotAllowed, nil, "|Method not allowed"
	}
	if !doiSyntax.MatchString(doi) {
		return http.StatusUnprocessableEntity, nil, "doi|is invalid"
	}
	if !slices.ContainsFunc(d.lets, func(prefix string) bool { return strings.HasPrefix(doi, prefix) }) {
		return http.StatusForbidden, nil, "|You are not authorized to access this resource."
	}
	next := RegisteredDOI{State: "draft"}
	if status = http.StatusCreated; known != nil {
		next, status = *known, http.StatusOK
	} else {
		next.Created = 1
	}
	next.Attributes = map[string]any{}
	if known != nil {
		for k, v := range known.Attributes {
			next.Attributes[k] = v
		}
	}
	for k, v := range body.Data.Attributes {
		next.Attributes[k] = v
	}
	if url, _ := body.Data.Attributes["url"].(string); url != "" {
		next.URL = url
	}
	switch event {
	case "publish", "register":
		if missing := d.missing(&next); missing != "" {
			return http.StatusUnprocessableEntity, nil, missing + "|Can't be blank"
		}
		next.State = map[string]string{"publish": "findable", "register": "registered"}[event]
	case "hide":
		if next.State == "findable" {
			next.State = "registered"
		}
	}
	delete(next.Attributes, "event")
	d.dois[doi] = &next
	return status, &next, ""
}

// missing is what a DOI needs to be registered, and does not have.
func (d *DataCite) missing(r *RegisteredDOI) string {
	for _, list := range []string{"creators", "titles"} {
		if entries, _ := r.Attributes[list].([]any); len(entries) == 0 {
			return list
		}
	}
	types, _ := r.Attributes["types"].(map[string]any)
	year, _ := r.Attributes["publicationYear"].(float64)
	switch {
	case r.Attributes["publisher"] == nil || r.Attributes["publisher"] == "":
		return "publisher"
	case year < 1000:
		return "publicationYear"
	case types["resourceTypeGeneral"] == nil:
		return "types"
	case r.URL == "":
		return "url"
	}
	return ""
}

func refuseDOI(w http.ResponseWriter, status int, source, title string) {
	one := map[string]any{"title": title}
	if source != "" {
		one["source"] = source
	}
	w.Header().Set("Content-Type", "application/vnd.api+json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"errors": []any{one}})
}
