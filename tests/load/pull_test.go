package load

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// pullCommand is alcove pull into the data directory of a server that is stopped.
func pullCommand(s *world.Server, args ...string) *exec.Cmd {
	return exec.Command("alcove", append([]string{"pull", "--data", s.Cfg.Data, "--doi-prefix", s.Cfg.DOIPrefix, "--account", "ada@example.org"}, args...)...)
}

// pulls runs alcove pull, without the server.
func pulls(s *world.Server, args ...string) (said string, err error) {
	s.Stop()
	defer s.Boot()
	b, err := pullCommand(s, args...).CombinedOutput()
	return string(b), err
}

// Items are pulled by every sort of address, with versions and files, and again only what changed.
func TestPull(t *testing.T) {
	t.Parallel()
	from, to := world.Start(t), second(t)
	for i := range 6 {
		manyVersions(from, []int{0, 3, 4, 6, 7, 8}[i])
	}
	manyItems(from, 0, 2)
	doi := from.Anon.Get("/v2/articles/4").Object()["doi"].(string)
	asked := []string{from.URL + "/v2/articles/3", from.Anon.Get("/v2/articles/5").Object()["url_public_html"].(string), doi, from.URL + "/v2/collections/1", from.URL + "/v2/collections/2"}
	args := append([]string{"--server", from.URL}, asked...)
	if said, err := pulls(to, append([]string{"--dry-run"}, args[:3]...)...); err != nil || !strings.Contains(said, "1 would be loaded") || !strings.Contains(said, "\n0 bytes of files") {
		t.Fatal(err, said)
	}
	said, err := pulls(to, args...)
	if err != nil || !strings.Contains(said, "7 loaded, 7 of them published, 0 refused") || strings.Contains(said, "\n0 bytes of files were") {
		t.Fatal(err, said)
	}
	if _, err := os.Stat(filepath.Join(to.Cfg.Data, "pull.files")); err == nil {
		t.Error("the notes are still there")
	}
	same := func(kind string, id int, but ...string) {
		t.Helper()
		was := fmt.Sprintf("/v2/%ss/%d", kind, id)
		list := to.Anon.Get("/v2/" + kind + "s?doi=" + from.Anon.Get(was).Is(200).Object()["doi"].(string)).Is(200).List()
		if len(list) != 1 {
			t.Fatalf("%s %d: %v", kind, id, list)
		}
		is := fmt.Sprintf("/v2/%ss/%d", kind, int64(list[0]["id"].(float64)))
		n := len(from.Anon.Get(was + "/versions").List())
		if got := len(to.Anon.Get(is + "/versions").List()); got != n {
			t.Fatalf("%s has %d versions, want %d", is, got, n)
		}
		for v := 1; v <= n; v++ {
			a, b := plain(from, fmt.Sprintf("%s/versions/%d", was, v)), plain(to, fmt.Sprintf("%s/versions/%d", is, v))
			for _, k := range but {
				delete(a, k)
				delete(b, k)
			}
			if !reflect.DeepEqual(a, b) {
				t.Errorf("%s %d version %d:\n%s\n%s", kind, id, v, asText(a), asText(b))
			}
			sameBytes(t, from, to, fmt.Sprintf("%s/versions/%d/files", was, v), fmt.Sprintf("%s/versions/%d/files", is, v), kind)
		}
	}
	for id := 1; id <= 5; id++ {
		same("article", id)
	}
	same("collection", 1)
	same("collection", 2)
	if said, err := pulls(to, args...); err != nil || !strings.Contains(said, "0 loaded, 0 of them published, 0 refused, 7 loaded before") || !strings.Contains(said, "\n0 bytes of files were transferred") {
		t.Fatal(err, said)
	}

	// Another version with a new file, and a correction of an older one.
	put(from.Ada, "/v2/account/articles/3", "new", "n.txt", "seventeen bytes!!")
	from.Ada.Send("PATCH", "/v2/account/articles/3", `{"title": "With another file", "tags": ["new"]}`).Is(205)
	from.Ada.Do("POST", "/v2/account/articles/3/publish", nil).Is(201)
	from.Ada.Send("PATCH", "/v2/account/articles/5/versions/1/", `{"title": "A corrected title"}`).Is(205)
	from.Ada.Send("PATCH", "/v2/account/collections/1", `{"description": "Said again"}`).Is(205)
	from.Ada.Do("POST", "/v2/account/collections/1/publish", nil).Is(201)
	said, err = pulls(to, args...)
	if err != nil || !strings.Contains(said, "3 loaded, 3 of them published, 0 refused, 4 loaded before") || !strings.Contains(said, "\n17 bytes of files were transferred") {
		t.Fatal(err, said)
	}
	same("article", 3)
	same("article", 5, "modified_date") // is when it was corrected here
	same("collection", 1)

	// A change made here is not lost.
	mine := to.Anon.Get("/v2/articles?doi=" + doi).List()[0]["id"].(float64)
	to.Ada.Send("PATCH", fmt.Sprintf("/v2/account/articles/%d", int(mine)), `{"title": "Changed here"}`).Is(205)
	from.Ada.Do("POST", "/v2/account/articles/4/publish", nil).Is(201)
	if said, err := pulls(to, args[:3]...); err != nil {
		t.Error(err, said)
	}
	if said, err := pulls(to, "--server", from.URL, doi); err == nil || !strings.Contains(said, "changed here") {
		t.Error(err, said)
	}
	to.Enter()
	if err := agrees(to, to.Ada.ID()); err != nil {
		t.Error(err)
	}
}

// stalling passes requests on to a server, counts those of files, and holds the last of them.
type stalling struct {
	http.Handler
	mu      sync.Mutex
	files   map[string]int
	holds   int // which request of a file does not get an answer, 0 for none
	reached chan struct{}
	ended   atomic.Int32 // requests without an answer that have been given up
}

func (s *stalling) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/files/") {
		s.mu.Lock()
		s.files[r.URL.Path]++
		n := len(s.files)
		held := n == s.holds
		s.mu.Unlock()
		if held {
			close(s.reached)
			<-r.Context().Done()
			s.ended.Add(1)
			return
		}
	}
	s.Handler.ServeHTTP(w, r)
}

// A pull that was killed goes on, and reads only the files that it lacks.
func TestPullKilled(t *testing.T) {
	t.Parallel()
	from, to := world.Start(t), second(t)
	at := from.Ada.Article(`{"title": "Many files", "authors": [{"name": "A B"}]}`)
	for i := range 5 {
		from.Ada.Upload(at, fmt.Sprintf("%d.bin", i), disk.Random(100_000+i, uint64(i+1)))
	}
	from.Ada.Do("POST", at+"/publish", nil).Is(201)
	proxy, address := heldAt(t, from, 4)
	to.Stop()
	cmd := pullCommand(to, address+"/v2/articles/1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-proxy.reached
	cmd.Process.Kill()
	cmd.Wait()
	proxy.mu.Lock()
	proxy.holds = 0
	proxy.mu.Unlock()
	b, err := pullCommand(to, address+"/v2/articles/1").CombinedOutput()
	if err != nil || !strings.Contains(string(b), "1 loaded, 1 of them published") {
		t.Fatal(err, string(b))
	}
	proxy.mu.Lock()
	defer proxy.mu.Unlock()
	for i := 1; i <= 5; i++ {
		want := 1
		if i == 4 {
			want = 2
		}
		if got := proxy.files[fmt.Sprintf("/files/%d", i)]; got != want {
			t.Errorf("file %d was asked for %d times, want %d", i, got, want)
		}
	}
	to.Boot()
	sameBytes(t, from, to, "/v2/articles/1/versions/1/files", "/v2/articles/2/versions/1/files", "article")
}

// rewriting has a server tell its addresses as those of the one before it.
func rewriting(h http.Handler, was, is string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/files/") {
			h.ServeHTTP(w, r)
			return
		}
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		w.Header().Set("Content-Type", rec.Header().Get("Content-Type"))
		w.WriteHeader(rec.Code)
		fmt.Fprint(w, strings.ReplaceAll(rec.Body.String(), was, is))
	})
}

// hostile is a server with one article, whose answers a test changes.
type hostile struct {
	URL     string
	answers atomic.Value // a map[string]http.HandlerFunc, by paths
}

// answer has the server answer some paths otherwise than it does by itself, and no other.
func (h *hostile) answer(by map[string]http.HandlerFunc) { h.answers.Store(by) }

func startHostile(t *testing.T, start func(http.Handler) *httptest.Server) (*hostile, *httptest.Server) {
	h := &hostile{}
	h.answer(nil)
	server := start(h)
	t.Cleanup(server.Close)
	h.URL = server.URL
	return h, server
}

func (h *hostile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f := h.answers.Load().(map[string]http.HandlerFunc)[r.URL.Path]; f != nil {
		f(w, r)
		return
	}
	switch r.URL.Path {
	case "/v2/articles/1/versions":
		fmt.Fprint(w, `[{"version": 1}]`)
	case "/v2/articles/1/versions/1":
		fmt.Fprint(w, `{"id": 1, "title": "An article", "authors": [{"full_name": "A B"}], "defined_type_name": "dataset", "license": {"value": 1}, "published_date": "2020-01-01T00:00:00Z"}`)
	case "/v2/articles/1/versions/1/files":
		fmt.Fprintf(w, `[{"id": 1, "name": "a.txt", "size": 5, "download_url": "%s/file", "computed_md5": "5d41402abc4b2a76b9719d911017c592"}]`, h.URL)
	case "/file":
		fmt.Fprint(w, "hello")
	default:
		w.WriteHeader(404)
	}
}

// A server that lies or means harm is refused with a reason, and nothing of it is loaded.
func TestPullHostile(t *testing.T) {
	t.Parallel()
	h, server := startHostile(t, httptest.NewServer)
	to := second(t)
	to.Stop()
	const versions, one, files, file = "/v2/articles/1/versions", "/v2/articles/1/versions/1", "/v2/articles/1/versions/1/files", "/file"
	text := func(s string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, s) }
	}
	leads := func(to string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
	}
	endless := func(w http.ResponseWriter, _ *http.Request) {
		piece := []byte(strings.Repeat("x", 64<<10))
		for {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	}
	listed := func(more string) func(http.ResponseWriter, *http.Request) {
		return text(fmt.Sprintf(`[{"id": 1, "name": "a.txt", "size": 5, "download_url": "%s/file", "computed_md5": "5d41402abc4b2a76b9719d911017c592"%s}]`, h.URL, more))
	}
	for _, c := range []struct {
		name, path, why string
		answer          func(http.ResponseWriter, *http.Request)
	}{
		{"a loop", versions, "redirects more than 5 times", leads(versions)},
		{"a loop of a file", file, "redirects more than 5 times", leads(file)},
		{"a way inside", versions, "is a private address", leads("http://10.0.0.1/v2/articles")},
		{"a way to the cloud", file, "is a link-local address", leads("http://169.254.169.254/latest/meta-data")},
		{"a way to nowhere", file, "is a special address", leads("http://0.0.0.0/x")},
		{"a way to a disk", file, "no address of http or https", leads("file:///etc/passwd")},
		{"a file inside", files, "is a private address", listed(`, "download_url": "http://192.168.0.1/x"`)},
		{"a file of a disk", files, "no address of http or https", listed(`, "download_url": "file:///etc/passwd"`)},
		{"a longer file", file, "7 bytes, and 5 were announced", text("hello!!")},
		{"a longer file without a length", file, "more than the 5 bytes", func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush()
			fmt.Fprint(w, "hello!!")
		}},
		{"a shorter file", file, "3 bytes, and 5 were announced", text("hel")},
		{"a shorter file without a length", file, "3 bytes, and 5 were announced", func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush()
			fmt.Fprint(w, "hel")
		}},
		{"other bytes", file, "another MD5", text("hellO")},
		{"an endless file", file, "more than the 5 bytes", endless},
		{"an endless answer", versions, "is longer than 16 MiB", endless},
		{"silence", versions, "sent nothing for too long", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		{"silence in a file", file, "sent nothing for too long", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "he")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}},
		{"a million versions", versions, "it has 1000000 versions, and at most 1000", text("[" + strings.Repeat(`{"version":1},`, 999_999) + `{"version":1}]`)},
		{"a gap", versions, "not counted one by one", text(`[{"version": 1}, {"version": 3}]`)},
		{"a version below", versions, "not counted one by one", text(`[{"version": -1}]`)},
		{"no version", versions, "no public version", text(`[]`)},
		{"another item", one, "answers with the item 2", text(`{"id": 2, "title": "Another"}`)},
		{"no JSON", one, "not the JSON", text(`{"id": 1`)},
		{"no MD5", files, "no MD5", listed(`, "computed_md5": ""`)},
		{"a size below", files, "size of -1 bytes", listed(`, "size": -1`)},
		{"a size beyond", files, "larger than this server accepts", listed(`, "size": 1125899906842624`)},
		{"a link that runs", files, "link", listed(`, "is_link_only": true, "download_url": "javascript:alert(1)"`)},
		{"a file twice", files, "listed twice", text(`[{"id": 1}, {"id": 1}]`)},
		{"a title that is none", one, "title", text(`{"id": 1, "title": "", "authors": [{"full_name": "A B"}], "published_date": "2020-01-01T00:00:00Z"}`)},
		{"a day to come", one, "must not be in the future", text(`{"id": 1, "title": "An article", "authors": [{"full_name": "A B"}], "published_date": "2999-01-01T00:00:00Z"}`)},
		{"nothing", versions, "answers 404", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }},
	} {
		h.answer(map[string]http.HandlerFunc{c.path: c.answer})
		b, err := pullCommand(to, "--silence", "2s", server.URL+"/v2/articles/1").CombinedOutput()
		if err == nil || !strings.Contains(string(b), c.why) || !strings.Contains(string(b), "0 loaded, 0 of them published, 1 refused") {
			t.Errorf("%s: %v %s", c.name, err, b)
		}
	}
	h.answer(nil)
	b, err := pullCommand(to, server.URL+"/v2/articles/1").CombinedOutput()
	if err != nil || !strings.Contains(string(b), "1 loaded, 1 of them published") || !strings.Contains(string(b), "\n5 bytes of files") {
		t.Error(err, string(b))
	}
	to.Boot()
	if list := to.Ada.Get("/v2/account/articles").Is(200).List(); len(list) != 2 {
		t.Errorf("%d articles", len(list))
	}
}
