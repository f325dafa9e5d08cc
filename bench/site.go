package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// siteGoals of a page with all items; growth is its p50 over that with few.
const (
	siteP50, siteP99 = 20.0, 100.0
	siteGrowth       = 1.25
	facetGrowth      = 2.0
	crawlerPace      = 50 // pages a second
	crawlerSlows     = 2.0
)

// site measures the pages that people open, and the API's answers to the same, in one interleaved run.
func site(args []string) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	s := settings{tree: ".."}
	f := flag.NewFlagSet("site", flag.ExitOnError)
	f.IntVar(&s.items, "items", 100_000, "how many items there are")
	f.IntVar(&s.small, "small", 1000, "how many there are in the repository that growth is measured from")
	f.IntVar(&s.rounds, "rounds", 9, "how many rounds")
	f.IntVar(&s.clients, "clients", 8, "how many connections read")
	f.DurationVar(&s.each, "each", 2*time.Second, "how long a measure takes in a round")
	f.StringVar(&s.texts, "texts", os.Getenv("BENCH_TEXTS"), "folder of *.tsv files, as for the other benchmarks")
	f.StringVar(&s.cache, "cache", filepath.Join(cache, "alcove-bench"), "where corpora are kept for the next run")
	f.StringVar(&s.out, "out", "RESULTS-site.md", "where the results are written")
	f.BoolVar(&s.reload, "reload", false, "load Alcove's data again")
	if err := f.Parse(args); err != nil {
		return err
	}
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	run := filepath.Join(s.cache, "run-site")
	if err := errors.Join(os.RemoveAll(run), os.MkdirAll(run, 0o700), os.MkdirAll(filepath.Join(s.cache, "bin"), 0o700)); err != nil {
		return fmt.Errorf("cannot make %s: %w", run, err)
	}
	defer os.RemoveAll(run)
	program := filepath.Join(s.cache, "bin", "alcove")
	say("building")
	if _, err := command(ctx, s.tree, "go", "build", "-trimpath", "-o", program, "."); err != nil {
		return err
	}
	h := &head{machine: machine(runtime.Version()), date: time.Now().UTC().Format("2 January 2006 15:04 UTC"), load: load(), items: s.items}
	large, few, err := s.corpora(ctx, h, program, "")
	if err != nil {
		return err
	}
	var list []measure
	var ours *alcove
	for _, c := range []struct {
		prefix, name, corpus string
		items                int
	}{{"", "site-large", large, s.items}, {small, "site-small", few, s.small}} {
		if err := os.WriteFile(filepath.Join(run, c.name+".toml"), []byte("page_rate = 0\n"), 0o600); err != nil {
			return fmt.Errorf("cannot write a configuration: %w", err)
		}
		a, err := startAlcove(ctx, c.name, run, c.corpus, program, nil, false, func(*alcove) error { return nil }, "--config", filepath.Join(run, c.name+".toml"))
		if err != nil {
			return err
		}
		defer func() { a.stop() }()
		if err := a.explore(c.items); err != nil {
			return err
		}
		if ours == nil {
			ours = a
		}
		pages, err := a.pages(c.prefix, c.corpus, s.clients)
		if err != nil {
			return err
		}
		if err := a.populate(ctx, program, people*c.items/s.items); err != nil {
			return err
		}
		mine, err := a.mine(ctx, program, c.prefix, s.clients)
		if err != nil {
			return err
		}
		list = append(append(list, pages...), mine...)
	}
	slices.SortStableFunc(list, func(a, b measure) int {
		return strings.Compare(strings.TrimPrefix(a.name, small), strings.TrimPrefix(b.name, small))
	})
	r, err := rounds(ctx, s.rounds, s.each, list, nil, ours)
	if err != nil {
		return err
	}
	quietly, crawled, err := ours.crawl(ctx, s.rounds, s.each, s.clients)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Benchmarks of pages\n\n%s. %s. %s, and %d accounts, load %s and %s.\n`go run . site`: %d items, and %d for growth; %d connections; %d rounds of %s a measure. No page is kept rendered; what the index has counted for a search is kept until something changes.\n\n",
		h.machine, h.date, h.corpus, people, h.load, load(), s.items, s.small, s.clients, s.rounds, s.each)
	siteTable(&b, r)
	ratio := summarise(ratios(crawled, quietly))
	fmt.Fprintf(&b, "\nA crawler that asks for %d pages a second: the API's p99 is %s ms without it, %s ms with it, %s times (goal ≤ %g).\n",
		crawlerPace, summarise(quietly), summarise(crawled), ratio, crawlerSlows)
	fmt.Fprint(os.Stderr, b.String())
	if err := os.WriteFile(s.out, []byte(b.String()), 0o644); err != nil {
		return fmt.Errorf("cannot write the results: %w", err)
	}
	return nil
}

// landing are the addresses of the pages of 500 articles.
func (a *alcove) landing() (list []string, err error) {
	for i := 0; i < len(a.ids); i += max(1, len(a.ids)/500) {
		one, err := a.get(fmt.Sprintf("/v2/articles/%d", a.ids[i]), "")
		if err != nil {
			return nil, err
		}
		var doc struct {
			URL string `json:"url_public_html"`
		}
		if err := json.Unmarshal(one.body, &doc); err != nil {
			return nil, fmt.Errorf("cannot read an article: %w", err)
		}
		list = append(list, strings.TrimPrefix(doc.URL, address))
	}
	return list, nil
}

const asBrowser = "Accept: text/html\r\nUser-Agent: bot\r\n"

// pages are the pages of one Alcove and the API's answers to the same, by their names after a prefix.
func (a *alcove) pages(prefix, corpus string, clients int) ([]measure, error) {
	w, err := readWords(corpus)
	if err != nil {
		return nil, err
	}
	landing, err := a.landing()
	if err != nil {
		return nil, err
	}
	turn := func() int { return int(serial.Add(1)) }
	of := func(list []word) string { return list[turn()%len(list)].Text }
	ask := func(name string, next requests) measure {
		t := trial{server: a.server, clients: clients, next: next, want: 200}
		return measure{prefix + name, t.run}
	}
	return []measure{
		ask("article: page", func() []byte { return get(landing[turn()%len(landing)], asBrowser) }),
		ask("article: API", func() []byte { return get(a.another(), robot) }),
		ask("home: page", always(get("/", asBrowser))),
		ask("home: API", func() []byte { return get(pageTarget+since+unseen(), robot) }),
		ask("search without words: page", func() []byte { return get(fmt.Sprintf("/search?page=%d", turn()%20+1), asBrowser) }),
		ask("search for a word: page", func() []byte { return get("/search?q="+url.QueryEscape(of(w.Medium)), asBrowser) }),
		ask("search for a word: API", func() []byte {
			return post("/v2/articles/search", robot, fmt.Sprintf(`{"search_for": %q, "page_size": 20}`, of(w.Medium)))
		}),
		ask("search for a common word: page", func() []byte { return get("/search?q="+url.QueryEscape(of(w.Common)), asBrowser) }),
		ask("search for a word, never made before: page", func() []byte {
			return get("/search?q="+url.QueryEscape(of(w.Medium)+" AND :published_after: "+unseen()), asBrowser)
		}),
		ask("facet of a word: page", func() []byte { return get("/search?type=dataset&q="+url.QueryEscape(of(w.Medium)), asBrowser) }),
	}, nil
}

// crawl measures the API's p99 with and without a crawler beside it, round after round.
func (a *alcove) crawl(ctx context.Context, n int, d time.Duration, clients int) (quietly, crawled []float64, err error) {
	landing, err := a.landing()
	if err != nil {
		return nil, nil, err
	}
	api := trial{server: a.server, clients: clients, next: func() []byte { return get(a.another(), robot) }, want: 200}
	for range n {
		without, err := api.run(ctx, d)
		if err != nil {
			return nil, nil, err
		}
		crawler, end := context.WithCancel(ctx)
		var done sync.WaitGroup
		var failed error
		done.Go(func() { failed = a.crawler(crawler, landing) })
		with, err := api.run(ctx, d)
		end()
		done.Wait()
		if err := errors.Join(err, failed); err != nil {
			return nil, nil, err
		}
		quietly, crawled = append(quietly, without.p99), append(crawled, with.p99)
	}
	return quietly, crawled, nil
}

// crawler asks for pages of items and, at each tenth, of a search, until it is told to end.
func (a *alcove) crawler(ctx context.Context, landing []string) error {
	c, err := a.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	tick := time.NewTicker(time.Second / crawlerPace)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		page := landing[n%len(landing)]
		if n%10 == 9 {
			page = fmt.Sprintf("/search?page=%d", n/10%20+1)
		}
		if _, err := c.do(get(page, asBrowser), false); err != nil {
			return fmt.Errorf("the crawler: %w", err)
		}
	}
}

// siteTable writes the measures with their goals.
func siteTable(out io.Writer, r *results) {
	fmt.Fprintf(out, "| what | p50 ms | p99 ms | with few items, p50 ms | growth of p50 | page / API, p50 | met here |\n|---|---|---|---|---|---|---|\n")
	for _, name := range r.names {
		if strings.HasPrefix(name, small) {
			continue
		}
		now, few := r.values(name, p50), r.values(small+name, p50)
		growth, late := summarise(ratios(now, few)), summarise(r.values(name, p99))
		over := "–"
		kind, page := strings.CutSuffix(name, ": page")
		if api := r.values(kind+": API", p50); page && len(api) > 0 {
			over = summarise(ratios(now, api)).String()
		}
		met := "–"
		if page {
			most := siteGrowth
			if strings.HasPrefix(name, "search") || strings.HasPrefix(name, "facet") {
				most = facetGrowth
			}
			if strings.HasPrefix(name, "people") { // a search reads a line of each account, and few have no page 100
				most = math.Inf(1)
			}
			met = said(summarise(now).median <= siteP50 && late.median <= siteP99 && growth.median <= most)
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %s |\n", name, summarise(now), late, summarise(few), growth, over, met)
	}
	fmt.Fprintf(out, "\nGoals of pages: p50 ≤ %g ms, p99 ≤ %g ms, growth from few items ≤ %g, of pages with facets ≤ %g.\n", siteP50, siteP99, siteGrowth, facetGrowth)
}
