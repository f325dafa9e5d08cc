package articles

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"testing"

	"alcove/bucket"
	"alcove/bucket/counting"
	"alcove/bucket/published"
	"alcove/record"
	"alcove/tests/world"
)

var (
	allCursors = flag.Bool("all-cursors", false, "walk every order and filter by cursor, not some by chance")
	cursorSeed = flag.Uint64("cursor-seed", 1, "which ones")
)

// asking is one question that can be walked by cursor.
type asking struct{ method, path, body string }

func (q asking) String() string { return q.method + " " + q.path + " " + q.body }

// askings are all questions: the lists and searches of each kind, with and without words,
// in every order and direction, with every filter.
func askings() (list []asking) {
	dates := []string{"published_date", "created_date", "modified_date"}
	common := []string{"", "institution=1", "institution=2", "group=2", "published_since=2020-01-02", "modified_since=2020-01-10T05:00:00",
		"institution=1&group=1", "published_since=2020-01-02&modified_since=2020-01-10T05:00:00"}
	named := []string{"resource_doi=10.9999/R1", "resource_doi=https://doi.org/10.9999/R0", "doi=10.5072/alcove.5", "doi=10.5072/alcove.5.v1", "handle=20.500/h5", "resource_doi=10.9999/R1&group=2"}
	articles := append(append([]string{"item_type=3", "item_type=8&group=2", "project_id=1", "project_id=1&item_type=3"}, common...), named...)
	for _, at := range []struct {
		path    string
		orders  []string
		filters []string
	}{
		{"/v2/articles", append([]string{"views", "shares", "downloads", "cites"}, dates...), articles},
		{"/v2/collections", append([]string{"views", "shares", "cites"}, dates...), append(append([]string{}, common...), named...)},
		{"/v2/projects", append([]string{"views"}, dates...), common},
		{"/v2/projects/1/articles", append([]string{"views", "shares", "downloads", "cites"}, dates...), articles},
	} {
		for _, order := range at.orders {
			for _, direction := range []string{"asc", "desc"} {
				for _, filter := range at.filters {
					query := strings.Trim("order="+order+"&order_direction="+direction+"&"+filter, "&")
					list = append(list, asking{"GET", at.path + "?" + query, ""})
					if strings.HasSuffix(at.path, "/1/articles") {
						continue // what is in a project is not searched
					}
					for _, words := range []string{"", "item", "item NOT seventh", `:title: "item of"`} {
						body := world.AsBody(query)
						if words != "" {
							body = world.AsBody(query + "&search_for=" + words)
						}
						list = append(list, asking{"POST", at.path + "/search", body})
					}
				}
			}
		}
	}
	return list
}

const walkedItems = 24 // of each kind, that do not change

// newWalk makes articles, collections and projects that filters and orders tell apart.
func newWalk(t *testing.T) *world.Server {
	s := world.StartWithin(t)
	made := func(c world.Client, path, body string) int64 {
		at := c.Send("POST", path, body).Is(201).Header.Get("Location")
		c.Do("POST", at+"/publish", nil).Is(201)
		return world.LastNumber(t, at)
	}
	words := []string{"first", "second", "seventh"}
	for n := range int64(walkedItems) {
		made(s.Root, "/v2/account/projects", fmt.Sprintf(`{"title": "Item of a project, %s", "funding": "Grant"}`, words[n%3]))
	}
	for n := range int64(walkedItems) {
		named := fmt.Sprintf(`{"title": "Item of a kind, %s", "authors": [{"name": "A B"}], "resource_doi": "10.9999/R%d"}`, words[n%3], n%2)
		made(s.Root, "/v2/account/articles", named)
		made(s.Root, "/v2/account/collections", named)
	}
	s.Alter(func(tx *bucket.Tx) error {
		for n := int64(1); n <= walkedItems; n++ {
			publication, modified := world.Day(1+int(n)%3, 0), world.Day(10, int(n)/2)
			err := world.AlterPublic(tx, n, func(h *record.PublicArticle, v *record.ArticleVersion) {
				h.Published, h.Modified, h.GroupID, h.ProjectID, v.Handle = publication, modified, n%4, n%2, fmt.Sprintf("20.500/h%d", n)
				h.Type = map[bool]int64{true: 8, false: 3}[n%3 == 0]
			})
			if err != nil {
				return err
			}
			c, err := published.Collections.Get(tx, n)
			if err != nil {
				return err
			}
			c.Published, c.Modified, c.GroupID = publication, modified, n%4
			if err := published.Collections.Put(tx, n, c); err != nil {
				return err
			}
			p, err := published.Projects.Get(tx, n)
			if err != nil {
				return err
			}
			p.Published, p.Modified, p.GroupID = publication, modified, n%4
			if err := published.Projects.Put(tx, n, p); err != nil {
				return err
			}
			for _, kind := range []int64{record.KindArticle, record.KindCollection, record.KindProject} {
				if err := counting.AddCounts(tx, bucket.Pair{A: kind, B: n}, record.Counts{Views: n % 4, Shares: n % 5, Downloads: n % 3, Cites: n % 2}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return s
}

// scribble publishes, changes and withdraws items among those of newWalk until done is
// closed.
func scribble(s *world.Server, seed uint64, done chan struct{}) {
	r := rand.New(rand.NewPCG(seed, 9))
	var mine []string
	for {
		select {
		case <-done:
			return
		default:
		}
		path := []string{"/v2/account/articles", "/v2/account/articles", "/v2/account/collections", "/v2/account/projects"}[r.IntN(4)]
		switch r.IntN(4) {
		case 0:
			body := `{"title": "Item of a writer", "authors": [{"name": "A B"}], "resource_doi": "10.9999/R1"}`
			if strings.HasSuffix(path, "projects") {
				body = `{"title": "Item of a writer", "funding": "Grant"}`
			}
			at := strings.TrimPrefix(s.Root.Send("POST", path, body).Is(201).Header.Get("Location"), s.URL)
			s.Root.Do("POST", at+"/publish", nil).Is(201)
			if mine = append(mine, at); len(mine) > 12 {
				mine = mine[1:] // the rest stay as they are
			}
		case 1:
			if len(mine) > 0 {
				i := r.IntN(len(mine))
				s.Root.Send("PATCH", mine[i], `{"title": "Item of a writer, changed"}`).Is(205)
				if !strings.Contains(mine[i], "/projects/") {
					s.Root.Do("POST", mine[i]+"/publish", nil).Is(201)
				}
			}
		case 2:
			if len(mine) > 0 {
				if i := r.IntN(len(mine)); strings.Contains(mine[i], "/articles/") {
					s.Root.Send("POST", mine[i]+"/unpublish", world.WhyWithdrawn).Is(204)
					mine = append(mine[:i], mine[i+1:]...)
				}
			}
		case 3:
			if len(mine) > 0 {
				at := mine[r.IntN(len(mine))]
				id := world.LastNumber(s.T, at)
				kind := map[bool]int64{true: record.KindArticle, false: record.KindCollection}[strings.Contains(at, "/articles/")]
				if strings.Contains(at, "/projects/") {
					kind = record.KindProject
				}
				s.Plant(kind, id, record.Counts{Views: int64(r.IntN(3)), Shares: 1, Downloads: 1})
				if kind == record.KindArticle { // into the middle of the order
					s.Alter(func(tx *bucket.Tx) error {
						return world.AlterPublic(tx, id, func(h *record.PublicArticle, _ *record.ArticleVersion) {
							h.Published, h.Modified, h.GroupID, h.ProjectID = world.Day(1+r.IntN(3), 0), world.Day(10, r.IntN(12)), int64(r.IntN(4)), int64(r.IntN(2))
						})
					})
				}
			}
		}
	}
}

// steady are the ids that do not change, in their order.
func steady(t *testing.T, ids []string) (list []string) {
	for _, id := range ids {
		if world.LastNumber(t, "/"+id) <= walkedItems {
			list = append(list, id)
		}
	}
	return list
}

// In every query and order, a walk by cursors while writers publish, change and withdraw shows
// every item that stays as it is exactly once, and all of them in their order. go test -run
// TestCursorProperty . -all-cursors walks all.
func TestCursorProperty(t *testing.T) {
	t.Parallel()
	s := newWalk(t)
	r := rand.New(rand.NewPCG(*cursorSeed, 8))
	list := askings()
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	if !*allCursors {
		list = list[:50]
	}
	want, shown := make([]string, len(list)), 0
	for i, q := range list {
		path, body := q.path+"&limit=1000", q.body
		if q.method == "POST" {
			path = q.path + "?limit=1000"
		}
		found := steady(t, strings.Fields(s.Anon.Send(q.method, path, body).Shown()))
		want[i], shown = fmt.Sprint(found), shown+len(found)
	}
	if shown < 2*len(list) {
		t.Errorf("%d questions show %d items; this shows nothing", len(list), shown)
	}
	done := make(chan struct{})
	var writers sync.WaitGroup
	for n := range uint64(2) {
		writers.Go(func() { scribble(s, n, done) })
	}
	for i, q := range list {
		size := 1 + r.IntN(7)
		if got := fmt.Sprint(steady(t, s.Anon.Walked(q.method, q.path, q.body, size))); got != want[i] {
			t.Errorf("%s by %d shows %s, want %s", q, size, got, want[i])
		}
	}
	close(done)
	writers.Wait()
}

// A cursor opens for its own query only, unchanged, and only where there are cursors.
func TestCursorsUnforgeable(t *testing.T) {
	t.Parallel()
	s := newWalk(t)
	r := rand.New(rand.NewPCG(*cursorSeed, 10))
	list, tries := askings(), 150
	if *allCursors {
		tries = 5000
	}
	// Neighbours differ in their words, those further on in a filter, a direction or an order.
	apart := []int{1, 2, 5, 10, 5 * 18, 10 * 18, 20 * 18, r.IntN(len(list))}
	for n := range tries {
		i := r.IntN(len(list))
		one, other := list[i], list[(i+apart[n%len(apart)])%len(list)]
		cursor := s.Anon.Send(one.method, one.path, one.body).Is(200).Header.Get("X-Cursor")
		s.Ben.Send(one.method, one.path, one.body, "X-Cursor", cursor).Is(200) // it has no owner
		if question(one) != question(other) {
			s.Anon.Send(other.method, other.path, other.body, "X-Cursor", cursor).Refuses(422, "X-Cursor is not a cursor of this query")
		}
	}
	for _, one := range list[:18*5] { // every filter with every other
		for _, other := range list[:18*5] {
			if one.method == "GET" && other.method == "GET" && question(one) != question(other) {
				s.Anon.Get(other.path, "X-Cursor", s.Anon.Get(one.path).Header.Get("X-Cursor")).Refuses(422, "X-Cursor is not a cursor of this query")
			}
		}
	}
	cursor := s.Anon.Get("/v2/articles?limit=3").Is(200).Header.Get("X-Cursor")
	const digits = "0123456789abcdef"
	for i := range cursor {
		if cursor[i] == '-' {
			continue
		}
		for bit := range 4 {
			b := []byte(cursor)
			b[i] = digits[strings.IndexByte(digits, b[i])^1<<bit]
			s.Anon.Get("/v2/articles?limit=3", "X-Cursor", string(b)).Refuses(422, "X-Cursor is not a cursor of this query")
		}
	}
	for _, path := range []string{"/v2/account/articles", "/v2/account/collections", "/v2/account/projects", "/v2/account/institution/articles"} {
		s.Root.Get(path, "X-Cursor", cursor).Refuses(422, "X-Cursor")
	}
	for _, path := range []string{"/v2/account/articles/search", "/v2/account/collections/search", "/v2/account/projects/search"} {
		s.Root.Send("POST", path, "{}", "X-Cursor", cursor).Refuses(422, "X-Cursor")
	}
}

// question is what a cursor is of: a search without words is the list.
func question(q asking) string {
	path, query, _ := strings.Cut(q.path, "?")
	body := q.body
	if q.method == "GET" {
		body = world.AsBody(query)
	}
	path = strings.TrimSuffix(path, "/search")
	if strings.HasSuffix(path, "/1/articles") { // the articles of a project are those of the filter
		path, body = "/v2/articles", strings.TrimSuffix(body, "}")+`, "project_id": 1}`
		if strings.Count(body, "project_id") == 2 {
			body = strings.TrimSuffix(body, `, "project_id": 1}`) + "}"
		}
	}
	fields := strings.Split(strings.Trim(body, "{}"), ", ")
	sorted := url.Values{}
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		sorted.Set(name, value)
	}
	if path == "/v2/projects" { // they have no identifiers
		sorted.Del(`"item_type"`)
	}
	return path + " " + sorted.Encode()
}
