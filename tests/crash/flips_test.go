package crash

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/bucket/damage"
	"alcove/check"
	"alcove/cli"
	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/routes"
	"alcove/tests/stage"
	"alcove/tests/world"
)

var (
	flipsDatabase = flag.Int("flips-database", 30, "bits to flip in a database")
	flipsBlobs    = flag.Int("flips-blobs", 14, "bits to flip in blobs")
	flipsSeed     = flag.Uint64("flips-seed", 6, "seed of the bits")
)

// flipWorld is a data directory with everything in it, and what a server answers from it.
type flipWorld struct {
	t       *testing.T
	cfg     config.Config
	good    string // the data directory
	work    string // a copy of it, for one flip
	token   string
	paths   []string // that are asked for
	answers map[string]answered
}

type answered struct {
	status int
	body   []byte
}

func newFlipWorld(t *testing.T) *flipWorld {
	s := stage.New(t)
	for i, size := range []int{1, 700, 40_000, 1 << 20, 1<<20 + 1, 2<<20 + 77, 300_000} {
		s.Ada.PublicFile(fmt.Sprintf("data%d.bin", i), disk.Random(size, uint64(100+i)))
	}
	for i := range 25 {
		id := s.Ada.Published(fmt.Sprintf("Item %d of many with a rather long title so that pages fill", i))
		if i%5 == 0 {
			at := fmt.Sprintf("/v2/account/articles/%d", id)
			s.Ada.Send("PUT", at, fmt.Sprintf(`{"title": "Item %d in its second version", "references": ["https://doi.org/10.1000/%d"]}`, i, i)).Is(205)
			s.Ada.Do("POST", at+"/publish", nil).Is(201)
		}
	}
	w := &flipWorld{t: t, cfg: s.Cfg, good: s.Cfg.Data, work: t.TempDir(), token: s.Ada.Token, answers: map[string]answered{}}
	for _, r := range routes.All() {
		if r.Method == "GET" && !strings.HasPrefix(r.Path, "/upload") && !strings.Contains(r.Path, "openapi") && !strings.Contains(r.Path, "docs") {
			w.paths = append(w.paths, s.At(r))
		}
	}
	for id := 1; id <= 34; id++ {
		w.paths = append(w.paths, fmt.Sprintf("/v2/articles/%d", id), fmt.Sprintf("/v2/articles/%d/versions", id), fmt.Sprintf("/v2/account/articles/%d", id), fmt.Sprintf("/v2/articles/%d/files", id))
	}
	for _, q := range []string{"?page_size=3", "?page_size=40&order=modified_date", "?item_type=3", "?order_direction=asc&limit=7&offset=5", "?group=1"} {
		w.paths = append(w.paths, "/v2/articles"+q)
	}
	w.paths = append(w.paths, "/oai?verb=ListRecords&metadataPrefix=oai_dc", "/v2/account/articles?page_size=50", "/v2/account/articles?order=published_date")
	slices.Sort(w.paths)
	first, rest := []string{"/v2/articles?order=views"}, []string{} // what tells counts, as every view of a page changes them
	for _, p := range slices.Compact(w.paths) {
		if strings.HasPrefix(p, "/stats/") {
			first = append(first, p)
		} else {
			rest = append(rest, p)
		}
	}
	w.paths = append(first, rest...)
	s.Stop()
	w.shorten()
	w.learn()
	return w
}

// shorten cuts off the pages of the database that were never used, which cost time.
func (w *flipWorld) shorten() {
	path := filepath.Join(w.good, bucket.FileName)
	b, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	le := binary.NativeEndian
	size := int64(le.Uint32(b[16+8:]))
	pages := max(le.Uint64(b[16+40:]), le.Uint64(b[size+16+40:]))
	if err := os.Truncate(path, int64(pages)*size); err != nil {
		w.t.Fatal(err)
	}
}

// learn asks twice, of two copies, and keeps what was answered the same way.
func (w *flipWorld) learn() {
	for range 2 {
		w.fresh()
		if err := w.serve(func(url string) {
			for _, p := range w.paths {
				status, body := w.ask(url, p)
				if have, asked := w.answers[p]; asked && (have.status != status || !bytes.Equal(have.body, body)) {
					w.t.Logf("%s is not the same each time", p)
					w.answers[p] = answered{}
					continue
				} else if !asked {
					w.answers[p] = answered{status, body}
				}
			}
		}); err != nil {
			w.t.Fatal(err)
		}
	}
	w.paths = slices.DeleteFunc(w.paths, func(p string) bool { return w.answers[p].status != 200 })
	if len(w.paths) < 120 {
		w.t.Fatalf("only %d answers can be compared", len(w.paths))
	}
}

// fresh makes the copy as the data directory is. The bytes of blobs and of the search index are
// shared with it until they are changed.
func (w *flipWorld) fresh() {
	w.t.Helper()
	if err := os.RemoveAll(w.work); err != nil {
		w.t.Fatal(err)
	}
	err := filepath.Walk(w.good, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(w.work, strings.TrimPrefix(path, w.good))
		switch {
		case info.IsDir():
			return os.MkdirAll(to, 0o700)
		case !info.Mode().IsRegular():
			return nil
		case strings.Contains(path, "/blobs/"), strings.HasSuffix(path, ".zap"):
			return os.Link(path, to)
		}
		b, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(to, b, 0o600)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// serve runs a server on the copy while fn runs. Its error is why there was none.
func (w *flipWorld) serve(fn func(url string)) error {
	cfg := w.cfg
	cfg.Data = w.work
	s, err := cli.StartServer(cfg, routes.NewRouter, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer s.Stop()
	fn(s.Config.BaseURL)
	return nil
}

// ask gets a path as Ada. A connection that is cut is no answer, of status 0. Addresses of the
// server itself are the same in all bodies.
func (w *flipWorld) ask(url, path string) (status int, body []byte) {
	req, err := http.NewRequest("GET", url+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "token "+w.token)
	res, err := world.NoRedirects.Do(req)
	if err != nil {
		return 0, nil
	}
	defer res.Body.Close()
	if body, err = io.ReadAll(res.Body); err != nil {
		return 0, nil
	}
	body = world.Undated(body)
	return res.StatusCode, bytes.ReplaceAll(body, []byte(url), []byte("http://server"))
}

// wrongAnswers are paths that were answered as if all were well, with something else.
func (w *flipWorld) wrongAnswers(url string) (wrong []string, refused int) {
	for _, p := range w.paths {
		status, body := w.ask(url, p)
		switch {
		case status == 200 && !bytes.Equal(body, w.answers[p].body):
			wrong = append(wrong, fmt.Sprintf("%s: %.2000s\n  and not %.2000s", p, body, w.answers[p].body))
		case status != 200:
			refused++
		}
	}
	return wrong, refused
}

// check runs alcove check on the copy.
func (w *flipWorld) check() check.Report {
	w.t.Helper()
	report, err := cli.CheckData(w.t.Context(), w.work, check.Request{Restart: true})
	if err != nil {
		w.t.Fatalf("cannot check: %v", err)
	}
	return report
}

// A bit that flips in any byte of the database that is in use is named by alcove check, at its
// place; and a server that runs on such a database answers what it answered before, or with an
// error, or does not start (security.md K15).
func TestFlippedDatabase(t *testing.T) {
	t.Parallel()
	w := newFlipWorld(t)
	database, err := os.ReadFile(filepath.Join(w.good, bucket.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if r := w.check(); r.Found != 0 || r.State != check.Done {
		t.Fatalf("what is whole: %+v", r)
	}
	used := usedOf(t, database)
	kinds := map[string][]usedBytes{}
	for _, u := range used {
		kinds[u.kind] = append(kinds[u.kind], u)
	}
	names := make([]string, 0, len(kinds))
	for name := range kinds {
		names = append(names, name)
	}
	sort.Strings(names)
	dice := rand.New(rand.NewPCG(*flipsSeed, 1))
	tally := map[string]int{}
	for n := range *flipsDatabase {
		u := pickUsed(dice, used)
		if n%2 == 0 { // each kind as often as any other, however few bytes it has
			u = pickUsed(dice, kinds[names[n/2%len(names)]])
		}
		at, bit := u.from+dice.Int64N(u.n), dice.IntN(8)
		what := fmt.Sprintf("flip %d, %v, byte %d, bit %d", n, u, at, bit)
		w.fresh()
		path := filepath.Join(w.work, bucket.FileName)
		flipped := bytes.Clone(database)
		flipped[at] ^= 1 << bit
		disk.WriteFile(t, path, flipped)
		r := w.check()
		tally[outcomeOf(r, u)]++
		tally["kind "+u.kind]++
		if o := outcomeOf(r, u); o != "named" {
			t.Errorf("%s: %s: %+v", what, o, r)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, flipped) {
			t.Fatalf("%s: the check has changed the database: %v", what, err)
		}
		err := w.serve(func(url string) {
			wrong, refused := w.wrongAnswers(url)
			for _, path := range wrong {
				t.Errorf("%s: wrong answer of %s", what, path)
			}
			tally["wrong"] += len(wrong)
			tally["answers"] += len(w.paths)
			tally["refused"] += refused
			tally["served"]++
		})
		if err != nil {
			tally["not started"]++
			if !strings.Contains(err.Error(), "alcove restore") && !strings.Contains(err.Error(), "cannot read record") {
				t.Errorf("%s: the server does not start, and says: %v", what, err)
			}
		}
	}
	t.Logf("seed %d, %d bytes in use of %d: %v", *flipsSeed, total(used), len(database), tally)
}

// pickUsed takes a run of bytes, each byte as likely as any other.
func pickUsed(dice *rand.Rand, used []usedBytes) usedBytes {
	at := dice.Int64N(total(used))
	for _, u := range used {
		if at -= u.n; at < 0 {
			return u
		}
	}
	panic("not reached")
}

func total(used []usedBytes) (n int64) {
	for _, u := range used {
		n += u.n
	}
	return n
}

// outcomeOf says whether a report names the place of some bytes: their page, or their bucket.
func outcomeOf(r check.Report, u usedBytes) string {
	_, table, ok := strings.Cut(u.bucket, ":")
	if !ok {
		table = u.bucket
	}
	for _, p := range r.Problems {
		if p.Page != nil && *p.Page == u.page || table != "" && p.Table == table || p.Page == nil && p.Table == "" && p.Kind == damage.OfPage && u.page < 2 {
			return "named"
		}
	}
	if r.Found > 0 {
		return "named elsewhere"
	}
	return "not named"
}
