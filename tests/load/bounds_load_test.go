package load

import (
	"flag"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/working"
	"alcove/record"
	"alcove/tests/disk"
	"alcove/tests/world"
)

var (
	listSeconds = flag.Int("list-seconds", 0, "for how long each list at its bound is changed while others write, 0 for not at all")
	checkItems  = flag.Int("check-items", 0, "how many items are checked with and without ten whose lists are long, 0 for none")
	idPairs     = flag.Int("id-pairs", 0, "how many pairs of foreign and unknown ids are asked for, 0 for none")
)

// Lists of a record at their bounds are changed wholly twice a second, while eight clients write
// and publish. Their slowest requests must not take more than four times as long as without it.
// make bench-bounds.
func TestListsUnderLoad(t *testing.T) {
	if *listSeconds == 0 {
		t.Skip("by make bench-bounds")
	}
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "An item of long lists", "authors": [{"name": "A B"}]}`)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	categories := s.Anon.Get("/v2/categories").List()
	many := func(n int, entry string) func(turn int) string {
		return func(turn int) string {
			var b strings.Builder
			for i := range n {
				if i > 0 {
					b.WriteByte(',')
				}
				b.WriteString(strings.ReplaceAll(entry, "#", fmt.Sprintf("%d-%d", turn, i)))
			}
			return "[" + b.String() + "]"
		}
	}
	for _, l := range []struct {
		key, path string
		list      func(turn int) string
	}{
		{"authors", at + "/authors", many(5000, `{"name": "Author N#"}`)},
		{"references", at, many(5000, `"https://example.org/#"`)},
		{"related_materials", at, many(5000, `{"identifier": "10.5555/#", "identifier_type": "DOI"}`)},
		{"tags", at, many(5000, `"tag #"`)},
		{"funding_list", at, many(1000, `{"title": "Grant #"}`)},
		{"custom_fields_list", at, many(5000, `{"name": "field #", "value": "x"}`)},
		{"categories", at + "/categories", func(turn int) string {
			var ids []string
			for i := range 1000 {
				ids = append(ids, fmt.Sprint(categories[(i+turn*1000)%len(categories)]["id"]))
			}
			return "[" + strings.Join(ids, ",") + "]"
		}},
	} {
		without := writers(s, time.Duration(*listSeconds)*time.Second)
		stop, done := make(chan struct{}), make(chan []time.Duration)
		go func() {
			var took []time.Duration
			tick := time.NewTicker(500 * time.Millisecond)
			defer tick.Stop()
			for turn := 0; ; turn++ {
				begun := time.Now()
				if r := s.Ada.Send("PUT", l.path, fmt.Sprintf(`{"title": "An item of long lists", %q: %s}`, l.key, l.list(turn))); r.StatusCode != 205 {
					t.Errorf("%s: %d %.200s", l.key, r.StatusCode, r.Bytes)
				}
				took = append(took, time.Since(begun))
				select {
				case <-stop:
					done <- took
					return
				case <-tick.C:
				}
			}
		}()
		with := writers(s, time.Duration(*listSeconds)*time.Second)
		close(stop)
		own := <-done
		slices.Sort(own)
		ratio := float64(with) / float64(without)
		t.Logf("%s: p99 of the others %v, without it %v: %.2f times; the change itself %v (median of %d)", l.key, with, without, ratio, own[len(own)/2], len(own))
		if ratio > 4 {
			t.Errorf("%s: others take %.2f times as long", l.key, ratio)
		}
	}
}

// writers are eight clients that make, change and publish items; what comes back is how long 99 of
// 100 of their requests take at most.
func writers(s *world.Server, d time.Duration) time.Duration {
	var mu sync.Mutex
	var all []time.Duration
	var wg sync.WaitGroup
	end := time.Now().Add(d)
	for n := range 8 {
		wg.Go(func() {
			var took []time.Duration
			timed := func(fn func()) {
				begun := time.Now()
				fn()
				took = append(took, time.Since(begun))
			}
			for i := 0; time.Now().Before(end); i++ {
				var at string
				timed(func() {
					at = s.Ben.Article(fmt.Sprintf(`{"title": "Item %d of writer %d", "authors": [{"name": "A B"}]}`, i, n))
				})
				timed(func() { s.Ben.Send("PATCH", at, `{"description": "Changed"}`).Is(205) })
				timed(func() { s.Ben.Do("POST", at+"/publish", nil).Is(201) })
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
		})
	}
	wg.Wait()
	slices.Sort(all)
	return all[len(all)*99/100]
}

// alcove check takes about as long with ten items whose lists are at their bounds as without. make
// bench-bounds.
func TestCheckOfLongLists(t *testing.T) {
	if *checkItems == 0 {
		t.Skip("by make bench-bounds")
	}
	s := world.Start(t)
	for done := 0; done < *checkItems; done += 2000 {
		s.Alter(func(tx *bucket.Tx) error {
			for i := range 2000 {
				id, err := working.Articles.NextID(tx)
				if err != nil {
					return err
				}
				art := &record.Article{Working: record.Working{
					ID: id, AccountID: s.Ada.ID(), Metadata: record.NewMetadata(), Authors: []int64{1}, Created: tx.Now(), Modified: tx.Now(),
				}}
				art.Title, art.Description = fmt.Sprintf("Item %d", done+i), strings.Repeat("Words of a description. ", 40)
				if err := working.Articles.Put(tx, id, art); err != nil {
					return err
				}
			}
			return nil
		})
	}
	checked := func() time.Duration {
		best := time.Hour
		for range 3 {
			begun := time.Now()
			if report, status := s.Checked("--rate", "0"); status != 0 {
				t.Fatalf("status %d: %+v", status, report)
			}
			best = min(best, time.Since(begun))
		}
		return best
	}
	without := checked()
	for n := range 10 {
		at := s.Ada.Article(fmt.Sprintf(`{"title": "Long lists %d"}`, n))
		for list, entry := range map[string]string{"tags": `"tag #"`, "references": `"https://example.org/%d/#"`} {
			s.Ada.Send("PATCH", at, fmt.Sprintf(`{%q: %s}`, list, world.JSONList(5000, strings.ReplaceAll(entry, "%d", fmt.Sprint(n))))).Is(205)
		}
		s.Ada.Send("PUT", at+"/authors", `{"authors": `+world.JSONList(5000, fmt.Sprintf(`{"name": "Author %d N#"}`, n))+`}`).Is(205)
		s.Ada.Do("POST", at+"/publish", nil).Is(201)
	}
	with := checked()
	ratio := float64(with) / float64(without)
	t.Logf("%d items: %v, with ten whose lists are long %v: %.2f times", *checkItems, without, with, ratio)
	if ratio > 1.5 {
		t.Errorf("the check takes %.2f times as long", ratio)
	}
}

// Time does not tell whether an id belongs to another account or was never given. Pairs of
// requests, in an order by chance, on ten routes; the statistic is Wilcoxon's signed rank, which
// neither outliers nor the noise of a shared machine move. make bench-ids.
func TestForeignTakesAsLong(t *testing.T) {
	if *idPairs == 0 {
		t.Skip("by make bench-ids")
	}
	s := world.Start(t)
	var tags []string
	for i := range 500 {
		tags = append(tags, fmt.Sprintf(`"a tag of some length %d"`, i))
	}
	const few = 40 // of each; ids that were never given have as many digits
	for range few {
		at := s.Ada.Article(`{"title": "A foreign item", "tags": [` + strings.Join(tags, ",") + `]}`)
		s.Ada.BeginAs(at, `{"link": "https://example.org/data"}`)
		s.Ada.Send("POST", "/v2/account/collections", `{"title": "A foreign collection", "tags": [`+strings.Join(tags, ",")+`]}`).Is(201)
		s.Ada.Project("A foreign project")
	}
	routes := []string{
		"GET /v2/account/articles/%d", "GET /v2/account/articles/%d/authors", "GET /v2/account/articles/%d/files",
		"GET /v2/account/articles/%d/private_links", "DELETE /v2/account/articles/%d", "GET /v2/account/collections/%d",
		"GET /v2/account/collections/%d/articles", "GET /v2/account/projects/%d", "GET /files/%d", "GET /articles/%d",
	}
	ask := func(route string, id int) time.Duration {
		method, path, _ := strings.Cut(fmt.Sprintf(route, id), " ")
		req, _ := http.NewRequest(method, s.URL+path, nil)
		req.Header.Set("Authorization", "token "+s.Ben.Token)
		begun := time.Now()
		res, err := world.NoRedirects.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var body [512]byte
		for {
			if _, err := res.Body.Read(body[:]); err != nil {
				break
			}
		}
		took := time.Since(begun)
		res.Body.Close()
		if res.StatusCode != 404 {
			t.Fatalf("%s %d: %d", route, id, res.StatusCode)
		}
		return took
	}
	dice := disk.Random(*idPairs, 42)
	of := make([][]float64, len(routes))
	var all []float64
	for i := range *idPairs {
		n, k := i%len(routes), 10+i/len(routes)%(few-10)
		var foreign, unknown time.Duration
		if dice[i]&1 == 0 {
			foreign = ask(routes[n], k)
			unknown = ask(routes[n], k+few)
		} else {
			unknown = ask(routes[n], k+few)
			foreign = ask(routes[n], k)
		}
		d := float64(foreign - unknown)
		of[n], all = append(of[n], d), append(all, d)
	}
	for n, route := range routes {
		t.Logf("%-45s z = %6.2f, median %v", route, signedRank(of[n]), middle(of[n]))
	}
	z := signedRank(all)
	t.Logf("%d pairs on %d routes: z = %.2f, median difference %v", len(all), len(routes), z, middle(all))
	if math.Abs(z) > 4 {
		t.Errorf("time tells a foreign id from an unknown one: z = %.2f", z)
	}
}

func middle(d []float64) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return time.Duration(d[len(d)/2])
}

// signedRank is the z of Wilcoxon's signed rank test of differences.
func signedRank(d []float64) float64 {
	d = slices.DeleteFunc(slices.Clone(d), func(x float64) bool { return x == 0 })
	slices.SortFunc(d, func(a, b float64) int {
		switch {
		case math.Abs(a) < math.Abs(b):
			return -1
		case math.Abs(a) > math.Abs(b):
			return 1
		}
		return 0
	})
	w, n := 0.0, float64(len(d))
	for i, x := range d {
		if x > 0 {
			w += float64(i + 1)
		}
	}
	return (w - n*(n+1)/4) / math.Sqrt(n*(n+1)*(2*n+1)/24)
}
