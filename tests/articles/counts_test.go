package articles

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/config"
	"alcove/record"
	"alcove/tests/world"
)

// counted are the counts of an item in the store.
func counted(s *world.Server, kind, id int64) (c record.Counts) {
	s.T.Helper()
	err := s.DB().View(func(tx *bucket.Tx) error {
		got, err := published.Counts.Get(tx, bucket.Pair{A: kind, B: id})
		if errors.Is(err, bucket.ErrNotFound) {
			return nil
		}
		if err == nil {
			c = *got
		}
		return err
	})
	if err != nil {
		s.T.Fatal(err)
	}
	return c
}

// sortedIDs are ids by a count, the highest first, ties by id.
func sortedIDs(ids []int64, of func(int64) int64) string {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b int64) int { return slices.Compare([]int64{of(b), b}, []int64{of(a), a}) })
	return strings.Trim(fmt.Sprint(ids), "[]")
}

// Which requests count as a view and as a download, and which do not. The orders follow, and all
// of it is there after a restart.
func TestWhatCounts(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t, func(c *config.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	const agent, robot = "User-Agent", "Mozilla/5.0 (compatible; Examplebot/2.1)"
	type place struct{ item, file, own string }
	rows := []struct {
		name string
		use  func(p place)
		want record.Counts
	}{
		{"nothing", func(place) {}, record.Counts{}},
		{"three visitors", func(p place) {
			for _, a := range []string{"A", "B", "curl/8"} {
				s.Anon.Get(p.item, agent, a).Is(200)
			}
		}, record.Counts{Views: 3}},
		{"two addresses", func(p place) {
			s.Anon.Get(p.item, agent, "A", "X-Forwarded-For", "192.0.2.1").Is(200)
			s.Anon.Get(p.item, agent, "A", "X-Forwarded-For", "192.0.2.2").Is(200)
			s.Anon.Get(p.item, agent, "A", "X-Forwarded-For", "198.51.100.1, 192.0.2.2").Is(200)
		}, record.Counts{Views: 2}},
		{"one visitor, many views", func(p place) {
			for _, path := range []string{p.item, p.item, p.item + "/versions/1", p.item + "/"} {
				s.Anon.Get(path, agent, "A").Is(200)
				s.Ben.Get(path, agent, "A").Is(200)
			}
		}, record.Counts{Views: 1}},
		{"an older version", func(p place) {
			s.Ada.Do("POST", p.own+"/publish", nil).Is(201)
			s.Anon.Get(p.item+"/versions/1", agent, "A").Is(200)
		}, record.Counts{Views: 1}},
		{"robots", func(p place) {
			s.Anon.Get(p.item, agent, robot).Is(200)
			s.Anon.Get(p.file, agent, robot).Is(200)
		}, record.Counts{}},
		{"HEAD", func(p place) {
			s.Anon.Do("HEAD", p.item, nil).Is(200)
			s.Anon.Do("HEAD", p.file, nil).Is(200)
		}, record.Counts{}},
		{"not modified", func(p place) {
			r := s.Anon.Get(p.item, agent, "A").Is(200)
			s.Anon.Get(p.item, agent, "B", "If-None-Match", r.Header.Get("ETag")).Is(304)
			r = s.Anon.Get(p.file, agent, "A").Is(200)
			s.Anon.Get(p.file, agent, "B", "If-None-Match", r.Header.Get("ETag")).Is(304)
		}, record.Counts{Views: 1, Downloads: 1}},
		{"refused", func(p place) {
			s.Anon.Get(p.item, agent, "A", "If-Match", `"other"`).Is(412)
			s.Anon.Get(p.file, agent, "A", "If-Match", `"other"`).Is(412)
			s.Anon.Get(p.file, agent, "A", "Range", "bytes=100-").Is(416)
			s.Anon.Get(p.item+"/versions/9", agent, "A").Is(404)
		}, record.Counts{}},
		{"other addresses", func(p place) {
			for _, path := range []string{p.item + "/versions", p.item + "/files", p.item + "/versions/1/embargo", "/v2/articles"} {
				s.Anon.Get(path, agent, "A").Is(200)
			}
			s.Ada.Get(p.own, agent, "A").Is(200)
			s.Ada.Get(p.own+"/versions/1", agent, "A").Is(200)
		}, record.Counts{}},
		{"downloads", func(p place) {
			for _, path := range []string{p.file, p.file, "/ndownloader" + p.file, strings.Replace(p.file, "/files/", "/v2/file/download/", 1)} {
				s.Anon.Get(path, agent, "A").Is(200)
			}
			s.Ben.Get(p.file, agent, "B").Is(200)
		}, record.Counts{Downloads: 2}},
		{"ranges", func(p place) {
			s.Anon.Get(p.file, agent, "A", "Range", "bytes=0-1").Is(206)
			s.Anon.Get(p.file, agent, "A", "Range", "bytes=2-").Is(206)
			s.Anon.Get(p.file, agent, "B", "Range", "bytes=2-").Is(206)
			s.Anon.Get(p.item+"/download", agent, "C", "Range", "bytes=2-").Is(206)
		}, record.Counts{Downloads: 1}},
		{"the owner", func(p place) {
			s.Ada.Get(p.file, agent, "A").Is(200)
			s.Ada.Get(p.item+"/download", agent, "A").Is(200)
			s.Ada.Get(p.own+"/download", agent, "A").Is(200)
		}, record.Counts{}},
		{"archives", func(p place) {
			for _, path := range []string{p.item + "/download", p.item + "/versions/1/download", strings.TrimPrefix(p.item, "/v2") + "/versions/1"} {
				s.Anon.Get(path, agent, "A").Is(200)
			}
			s.Anon.Get(p.file, agent, "A").Is(200)
		}, record.Counts{Downloads: 2}},
		{"files elsewhere", func(p place) {
			s.Ada.Send("POST", p.own+"/files", `{"link": "https://example.org/x"}`).Is(201)
			s.Ada.Do("POST", p.own+"/publish", nil).Is(201)
			for _, f := range s.Anon.Get(p.item + "/files").List() {
				if f["is_link_only"] == true {
					s.Anon.Get(fmt.Sprint("/files/", f["id"]), agent, "A").Is(302)
				}
			}
		}, record.Counts{}},
		{"downloads switched off", func(p place) {
			s.Ada.Send("PATCH", p.own, `{"download_disabled": true}`).Is(205)
			s.Ada.Do("POST", p.own+"/publish", nil).Is(201)
			s.Anon.Get(p.file, agent, "A").Is(403)
			s.Ada.Get(p.file, agent, "A").Is(200)
		}, record.Counts{}},
	}
	var ids []int64
	want := map[int64]record.Counts{}
	for _, row := range rows {
		own := s.Ada.Article(fmt.Sprintf(`{"title": %q, "authors": [{"name": "A B"}]}`, row.name))
		file := s.Ada.Upload(own, "bytes.txt", []byte(row.name))
		s.Ada.Do("POST", own+"/publish", nil).Is(201)
		id := world.LastNumber(t, own)
		row.use(place{fmt.Sprint("/v2/articles/", id), fmt.Sprint("/files/", world.LastNumber(t, file)), own})
		ids, want[id] = append(ids, id), row.want
	}
	s.Restart()
	for i, row := range rows {
		if got := counted(s, record.KindArticle, ids[i]); got != row.want {
			t.Errorf("%s: %+v, want %+v", row.name, got, row.want)
		}
	}
	orders := map[string]func(int64) int64{
		"views":     func(id int64) int64 { return want[id].Views },
		"downloads": func(id int64) int64 { return want[id].Downloads },
		"shares":    func(int64) int64 { return 0 },
	}
	for order, of := range orders {
		if got, want := s.Anon.Get("/v2/articles?limit=50&order="+order).Shown(), sortedIDs(ids, of); got != want {
			t.Errorf("by %s the list is %s, want %s", order, got, want)
		}
	}
	// Withdrawn, an item has no place; published again it goes on where it was.
	id := ids[1]
	own := fmt.Sprint("/v2/account/articles/", id)
	before := s.Anon.Get("/v2/articles?limit=50&order=views").Shown()
	s.Ada.Send("POST", own+"/unpublish", world.WhyWithdrawn).Is(204)
	for order := range orders {
		if got := strings.Fields(s.Anon.Get("/v2/articles?limit=50&order=" + order).Shown()); slices.Contains(got, fmt.Sprint(id)) || len(got) != len(ids)-1 {
			t.Errorf("by %s without article %d: %v", order, id, got)
		}
	}
	s.Ada.Do("POST", own+"/publish", nil).Is(201)
	if got := s.Anon.Get("/v2/articles?limit=50&order=views").Shown(); got != before {
		t.Errorf("after publishing again %s, want %s", got, before)
	}
	s.Anon.Get(fmt.Sprint("/v2/articles/", id), agent, "Later").Is(200)
	s.Eventually("a view that is stored by itself", func() bool { return counted(s, record.KindArticle, id).Views == 4 })
	s.Ada.Send("POST", own+"/unpublish", world.WhyWithdrawn).Is(204)
	s.Ada.Do("DELETE", own, nil).Is(204)
	if got := counted(s, record.KindArticle, id); got != (record.Counts{}) {
		t.Errorf("what was deleted still has %+v", got)
	}
}

// A withheld item is no citation, and neither is a public one in the name of an embargoed
// version.
func TestEmbargoesDoNotCount(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	withheld := s.Ada.Article(`{"title": "Withheld files", "authors": [{"name": "A B"}]}`)
	file := fmt.Sprint("/files/", world.LastNumber(t, s.Ada.Upload(withheld, "x", []byte("xx"))))
	s.Ada.Send("PUT", withheld+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "0"}`).Is(205)
	s.Ada.Do("POST", withheld+"/publish", nil).Is(201)
	s.Anon.Get(file).Is(404)
	s.Ada.Get(file).Is(200)
	s.Anon.Get("/v2/articles/1/download").Is(404)
	s.Anon.Get("/v2/articles/1").Is(200)
	waits := s.Ada.Article(`{"title": "Withheld", "authors": [{"name": "A B"}]}`)
	s.Ada.Send("PUT", waits+"/embargo", `{"is_embargoed": true, "embargo_type": "article", "embargo_date": "2999-01-01"}`).Is(205)
	s.Ada.Do("POST", waits+"/publish", nil).Is(201)
	s.Anon.Get("/v2/articles/2").Is(404)
	s.Restart()
	for id, want := range []record.Counts{1: {Views: 1}, 2: {}} {
		if got := counted(s, record.KindArticle, int64(id)); got != want {
			t.Errorf("article %d has %+v, want %+v", id, got, want)
		}
	}
	for _, order := range []string{"views", "shares", "downloads", "cites"} {
		if got := s.Anon.Get("/v2/articles?order=" + order).Shown(); got != "1" {
			t.Errorf("by %s the list is %q", order, got)
		}
	}
}

// Collections and projects have some of the orders, and no other ones.
func TestCountedKinds(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for _, k := range []struct {
		kind     int64
		name     string
		orders   []string
		refused  []string
		versions bool
	}{
		{record.KindCollection, "collections", []string{"views", "shares", "cites"}, []string{"downloads", "Views", "likes"}, true},
		{record.KindProject, "projects", []string{"views"}, []string{"shares", "downloads", "cites"}, false},
	} {
		at, public := "/v2/account/"+k.name, "/v2/"+k.name
		for n := range 3 {
			own := strings.TrimPrefix(s.Ada.Send("POST", at, fmt.Sprintf(`{"title": "Number %d", "authors": [{"name": "A B"}]}`, n)).Is(201).Header.Get("Location"), s.URL)
			s.Ada.Do("POST", own+"/publish", nil)
		}
		for n := range 3 {
			s.Anon.Get(public+"/2", "User-Agent", fmt.Sprint("A", n)).Is(200)
		}
		s.Anon.Get(public+"/1", "User-Agent", "A").Is(200)
		if k.versions {
			s.Anon.Get(public+"/1/versions/1", "User-Agent", "B").Is(200)
			s.Anon.Get(public+"/1/versions", "User-Agent", "C").Is(200)
		}
		s.Anon.Get(public+"/1/articles", "User-Agent", "D").Is(200)
		s.Restart()
		for _, order := range k.orders {
			want := map[string]string{"views": "2 1 3"}[order]
			if want == "" {
				want = "3 2 1"
			}
			if got := s.Anon.Get(public + "?order=" + order).Shown(); got != want {
				t.Errorf("%s by %s: %s, want %s", k.name, order, got, want)
			}
			if got := s.Anon.Send("POST", public+"/search", fmt.Sprintf(`{"search_for": "Number", "order": %q}`, order)).Shown(); got != want {
				t.Errorf("found %s by %s: %s, want %s", k.name, order, got, want)
			}
		}
		for _, order := range k.refused {
			s.Anon.Get(public+"?order="+order).Refuses(400, "Invalid value received for order")
		}
	}
	s.Ada.Get("/v2/account/collections?order=views").Refuses(400, "Invalid value received for order")
	s.Ada.Send("POST", "/v2/account/articles/search", `{"order": "views"}`).Refuses(400, "Invalid value received for order")
}
