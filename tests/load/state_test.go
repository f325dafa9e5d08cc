package load

import (
	"crypto/md5"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"alcove/config"
	"alcove/tests/world"
)

var (
	stateSequences = flag.Int("state-sequences", 12, "how many sequences of calls TestState plays")
	stateSteps     = flag.Int("state-steps", 60, "how many actions a sequence of TestState has on average")
	stateSeed      = flag.Uint64("state-seed", 1, "of the sequences of TestState; 0 takes another each time")
)

// run is a sequence of calls to a server, and what the model says of them.
type run struct {
	*rapid.T
	s       *world.Server
	m       *model
	made    int      // names that were given
	history []string // calls and their statuses
}

// In any sequence of calls the server answers each with the stated status, and afterwards shows
// every caller what the model shows, in every list, search, detail and file. It is stopped and
// started in between.
func TestState(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]any{
		"rapid.checks": *stateSequences, "rapid.steps": *stateSteps, "rapid.seed": *stateSeed, "rapid.nofailfile": true, "rapid.shrinktime": "20s",
	} {
		if err := flag.Set(name, fmt.Sprint(value)); err != nil {
			t.Fatal(err)
		}
	}
	n, calls := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		dir := filepath.Join(t.TempDir(), "data")
		s := world.Start(t, func(c *config.Config) { c.Data = dir })
		defer func() {
			s.Stop()
			s.CheckStore()
			os.RemoveAll(dir)
		}()
		r := &run{T: rt, s: s, m: newModel()}
		rt.Repeat(map[string]func(*rapid.T){
			"create article": r.createArticle, "change article": r.changeArticle, "authors": r.authors, "delete article": r.deleteArticle,
			"publish": r.publish, "publish again": r.publish, "publish once more": r.publish, "unpublish": r.unpublish, "upload": r.upload, "begin upload": r.beginUpload, "delete file": r.deleteFile,
			"embargo": r.embargo, "hold": r.hold, "hold again": r.hold, "lift embargo": r.liftEmbargo, "confidentiality": r.confidentiality, "lift confidentiality": r.liftConfidentiality,
			"private link": r.privateLink, "disable link": r.disableLink,
			"create collection": r.createCollection, "collect": r.collect, "publish collection": r.publishCollection, "delete collection": r.deleteCollection,
			"unpublish collection": r.unpublishCollection, "unpublish project": r.unpublishProject,
			"create project": r.createProject, "invite": r.invite, "create in project": r.createInProject, "publish project": r.publishProject, "delete project": r.deleteProject,
			"restart": r.restart,
		})
		r.compare()
		calls += len(r.history)
	})
	t.Logf("%d sequences, %d calls that change something", n, calls)
}

// client calls as one of the model's accounts.
func (r *run) client(who person) world.Client {
	return []world.Client{r.s.Ada, r.s.Ben, r.s.Anon}[who]
}

// call sends a request and returns its answer, whose faults end the sequence.
func (r *run) call(who person, method, path, body string) (int, []byte, http.Header) {
	r.Helper()
	if !strings.HasPrefix(path, "http") {
		path = r.s.URL + path
	}
	req, err := http.NewRequest(method, path, strings.NewReader(body))
	if err != nil {
		r.Fatal(err)
	}
	if token := r.client(who).Token; token != "" {
		req.Header.Set("Authorization", "token "+token)
	}
	res, err := world.NoRedirects.Do(req)
	if err != nil {
		r.Fatalf("%v\n%s", err, r.told())
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 500 {
		r.Fatalf("%s %s answered %d %s, %v\n%s", method, path, res.StatusCode, b, err, r.told())
	}
	return res.StatusCode, b, res.Header
}

// change makes a call that may change something and must have a status.
func (r *run) change(want int, who person, method, path, body string) ([]byte, http.Header) {
	r.Helper()
	got, b, h := r.call(who, method, path, body)
	r.history = append(r.history, fmt.Sprintf("%d %s %s %s -> %d", who, method, path, body, got))
	if got != want {
		r.Fatalf("it answered %d, and should answer %d: %s\n%s", got, want, b, r.told())
	}
	return b, h
}

// told lists what was done.
func (r *run) told() string { return strings.Join(r.history, "\n") }

// get reads JSON that must be there.
func (r *run) get(who person, path string, to any) {
	r.Helper()
	r.ask(who, "GET", path, "", to)
}

func (r *run) ask(who person, method, path, body string, to any) {
	r.Helper()
	got, b, _ := r.call(who, method, path, body)
	if got != 200 {
		r.Fatalf("%s %s answered %d to %d: %s\n%s", method, path, got, who, b, r.told())
	}
	if err := json.Unmarshal(b, to); err != nil {
		r.Fatalf("%s: %v: %s", path, err, b)
	}
}

// status checks the status of a read.
func (r *run) status(want int, who person, path string) {
	r.Helper()
	if got, b, _ := r.call(who, "GET", path, ""); got != want {
		r.Fatalf("GET %s answered %d to %d, and should answer %d: %.300s\n%s", path, got, who, want, b, r.told())
	}
}

// idOf gives the id at the end of a Location.
func (r *run) idOf(h http.Header) (id int) {
	r.Helper()
	at := h.Get("Location")
	if _, err := fmt.Sscan(at[strings.LastIndexByte(at, '/')+1:], &id); err != nil {
		r.Fatalf("Location %q: %v", at, err)
	}
	return id
}

// mostItems is how many articles, collections and projects there are at most at a time: few,
// so that much happens to each.
const mostItems = 3

var stateWords = []string{"marble", "copper", "violet", "walnut", "saffron", "juniper"}

func (r *run) words(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(stateWords), 1, 3).Draw(t, "words"), " ")
}

func (r *run) who(t *rapid.T) person {
	return rapid.SampledFrom([]person{ada, ada, ben}).Draw(t, "who")
}

// whoOf is the owner of something, and now and then the other.
func (r *run) whoOf(t *rapid.T, owner person) person {
	if rapid.IntRange(0, 7).Draw(t, "the other") == 7 {
		return ben - owner
	}
	return owner
}

// pick chooses one of the items there are, nil when there are none.
func pick[T any](t *rapid.T, items map[int]*T) *T {
	ids := idsWhere(items, func(*T) bool { return true })
	if len(ids) == 0 {
		return nil
	}
	return items[rapid.SampledFrom(ids).Draw(t, "id")]
}

// either is a status for the owner, or 404 for another who is not told of it.
func either(who, owner person, status int) int {
	if who != owner {
		return 404
	}
	return status
}

func sumOf(data string) string { return fmt.Sprintf("%x", md5.Sum([]byte(data))) }
