package articles

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/counting"
	"alcove/record"
	"alcove/tests/world"
)

// The statistics as the public service documents them: addresses, shapes, defaults and refusals.
func TestStatistics(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	own := s.Ada.Article(`{"title": "Depths of a lake", "authors": [{"name": "A B"}], "categories": [37], "defined_type": "figure"}`)
	s.Ada.Do("POST", own+"/publish", nil).Is(201)
	id := world.LastNumber(t, own)
	author := int64(s.Ada.Get(own).Object()["authors"].([]any)[0].(map[string]any)["id"].(float64))
	now := time.Now().UTC()
	day := func(back int) time.Time {
		return time.Date(now.Year(), now.Month(), 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, -back)
	}
	for _, use := range []struct {
		back int
		record.Counts
	}{{0, record.Counts{Views: 3, Downloads: 2, Shares: 1}}, {1, record.Counts{Views: 5}}, {400, record.Counts{Views: 7, Downloads: 1}}} {
		s.Alter(func(tx *bucket.Tx) error {
			return counting.AddUse(tx, bucket.Pair{A: record.KindArticle, B: id}, day(use.back), "", record.Used{Counts: use.Counts})
		})
	}
	at := func(back int, layout string) string { return day(back).Format(layout) }
	months := fmt.Sprintf(`"%s": 7, "%s": 5, "%s": 3`, at(400, "2006-01"), at(1, "2006-01"), at(0, "2006-01"))
	since := "start_date=" + at(400, time.DateOnly)
	for _, tt := range []struct{ path, want string }{
		{"total/views/article/ID", `{"totals": 15}`},
		{"total/downloads/article/ID", `{"totals": 3}`},
		{"total/shares/article/ID", `{"totals": 1}`},
		{"total/cites/article/ID", `{"totals": 0}`},
		{"total/article/ID", `{"views": 15, "downloads": 3, "shares": 1, "cites": 0}`},
		{"total/views/author/AUTHOR", `{"totals": 15}`},
		{"total/author/AUTHOR", `{"views": 15, "downloads": 3, "shares": 1, "cites": 0}`},
		{"total/views/article/999", `{"totals": 0}`},
		{"total/group/999", `{"views": 0, "downloads": 0, "shares": 0, "cites": 0}`},
		{"timeline/day/views/article/ID", `{"timeline": {"` + at(0, time.DateOnly) + `": 3}}`},
		{"timeline/day/shares/article/ID", `{"timeline": {"` + at(0, time.DateOnly) + `": 1}}`},
		{"timeline/month/views/article/ID?" + since, `{"timeline": {` + months + `}}`},
		{"timeline/month/views/author/AUTHOR?" + since, `{"timeline": {` + months + `}}`},
		{"timeline/total/views/article/ID?" + since, `{"timeline": {"total": 15}}`},
		{"timeline/total/views/article/ID?" + since + "&end_date=" + at(1, time.DateOnly), `{"timeline": {"total": 12}}`},
		{"timeline/year/downloads/article/ID?" + since + "&end_date=" + at(400, time.DateOnly), `{"timeline": {"` + at(400, "2006") + `": 1}}`},
		{"timeline/total/views/article/ID?sub_item=category&sub_item_id=37", `{"timeline": {"total": 3}}`},
		{"timeline/total/views/article/ID?sub_item=category&sub_item_id=38", `{"timeline": {}}`},
		{"timeline/total/views/article/ID?sub_item=item_type&sub_item_id=figure", `{"timeline": {"total": 3}}`},
		{"timeline/total/views/article/ID?sub_item=item_type&sub_item_id=dataset", `{"timeline": {}}`},
		{"timeline/day/views/article/999", `{"timeline": {}}`},
		{"breakdown/total/views/article/ID", `{"breakdown": {"total": {"Unknown": {"Unknown": 3, "total": 3}}}}`},
		{"breakdown/total/views/article/ID?" + since, `{"breakdown": {"total": {"Unknown": {"Unknown": 7, "total": 7}}}}`}, // a year at most
		{"breakdown/month/views/article/ID?start_date=" + at(1, time.DateOnly) + "&end_date=" + at(1, time.DateOnly), `{"breakdown": {"` + at(1, "2006-01") + `": {"Unknown": {"Unknown": 5, "total": 5}}}}`},
		{"breakdown/day/views/project/999", `{"breakdown": {}}`},
		{"top/views/article", `{"top": {"ID": 15}}`},
		{"top/cites/article", `{"top": {}}`},
		{"top/downloads/author?count=1", `{"top": {"AUTHOR": 3}}`},
		{"top/downloads/collection", `{"top": {}}`},
		{"top/shares/project", `{"top": {}}`},
	} {
		fill := strings.NewReplacer("ID", fmt.Sprint(id), "AUTHOR", fmt.Sprint(author))
		if got := string(s.Anon.Get("/stats/" + fill.Replace(tt.path)).Is(200).Bytes); got != fill.Replace(tt.want) {
			t.Errorf("%s: %s, want %s", tt.path, got, fill.Replace(tt.want))
		}
	}
	for path, param := range map[string]string{
		"total/hugs/article/1": "counter", "total/views/hat/1": "item", "total/views/article/x": "item_id", "total/hat/1": "item", "total/article/0": "item_id",
		"timeline/week/views/article/1": "granularity", "timeline/day/hugs/article/1": "counter", "timeline/day/cites/article/1": "counter",
		"timeline/day/views/article/1?start_date=yesterday": "start_date", "breakdown/day/views/article/1?end_date=2020-02-31": "end_date",
		"timeline/day/views/group/1?sub_item=category&sub_item_id=1": "sub_item", "timeline/day/views/article/1?sub_item=referral&sub_item_id=1": "sub_item",
		"timeline/day/views/article/1?sub_item=category&sub_item_id=x": "sub_item_id", "top/hugs/article": "counter", "top/views/hat": "item",
		"top/views/article?count=0": "count", "top/views/article?count=1001": "count", "top/views/article?start_date=2020-01-01": "start_date",
	} {
		e := s.Anon.Get("/stats/" + path).Is(400).Object()
		if data, _ := e["data"].(map[string]any); e["code"] != "InvalidParams" || e["message"] != "Invalid or unsupported params: "+param || data["invalid_params"] != param || data["extra"] == nil {
			t.Errorf("%s: %v", path, e)
		}
	}
	hugs := string(s.Anon.Get("/stats/total/hugs/article/1").Is(400).Bytes)
	if want := `"data": {"extra": "Counter type not supported: hugs", "invalid_params": "counter"}`; !strings.Contains(hugs, want) {
		t.Errorf("%s, want %s", hugs, want)
	}
	missing := string(s.Anon.Get("/stats/timeline/month/views/group/1?sub_item=category&start_date=2014-01-01").Is(400).Bytes)
	for _, want := range []string{`"code": "MissingParams"`, `"message": "Missing required params: sub_item_id"`, `"missing_params": "sub_item_id"`,
		`"parameters": {"start_date": "2014-01-01", "sub_item": "category"}`, `"path": "/timeline/month/views/group/1"`} {
		if !strings.Contains(missing, want) {
			t.Errorf("%s, want %s", missing, want)
		}
	}
	s.Anon.Get("/stats/other/views/article/1").Is(404)
	s.Anon.Get("/stats/total/views/article/1/2").Is(404)
}

// Sums of authors and groups follow what is published, withdrawn, moved and named, and a restart finds them. An item
// that is not public has no numbers.
func TestStatisticsFollow(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	group := s.Group("Limnology", 0)
	other := s.Group("Botany", 0)
	body := fmt.Sprintf(`{"title": "Depths of a lake", "group_id": %d, "authors": [{"name": "A B"}]}`, group)
	one, two := s.Root.Article(body), s.Root.Article(body)
	for _, own := range []string{one, two} {
		s.Root.Do("POST", own+"/publish", nil).Is(201)
	}
	first, second := world.LastNumber(t, one), world.LastNumber(t, two)
	author := func(own string) int64 {
		return int64(s.Root.Get(own).Object()["authors"].([]any)[0].(map[string]any)["id"].(float64))
	}
	a, b := author(one), author(two)
	use := func(id, n int64) {
		s.Alter(func(tx *bucket.Tx) error {
			return counting.AddUse(tx, bucket.Pair{A: record.KindArticle, B: id}, tx.Now(), "", record.Used{Counts: record.Counts{Views: n}})
		})
	}
	use(first, 3)
	use(second, 5)
	want := func(when string, totals map[string]int64, articles, others int64) {
		t.Helper()
		for round := range 2 {
			for of, n := range totals {
				if got := string(s.Anon.Get("/stats/total/views/" + of).Is(200).Bytes); got != fmt.Sprintf(`{"totals": %d}`, n) {
					t.Errorf("%s, %s: %s, want %d", when, of, got, n)
				}
			}
			got := string(s.Anon.Send("POST", "/stats/count/articles", fmt.Sprintf(`{"groups": [{"id": %d}, {"id": %d}]}`, group, other)).Is(200).Bytes)
			if want := fmt.Sprintf(`{"%d": %d, "%d": %d}`, group, articles, other, others); got != want {
				t.Errorf("%s: %s, want %s", when, got, want)
			}
			if round == 0 {
				s.Restart()
			}
		}
	}
	of := func(kind string, id int64) string { return fmt.Sprint(kind, "/", id) }
	want("published", map[string]int64{of("group", group): 8, of("group", other): 0, of("author", a): 3, of("author", b): 5}, 2, 0)

	s.Root.Send("PATCH", one, fmt.Sprintf(`{"authors": [{"id": %d}, {"id": %d}]}`, a, b)).Is(205)
	s.Root.Do("POST", one+"/publish", nil).Is(201)
	want("with another author", map[string]int64{of("group", group): 8, of("author", a): 3, of("author", b): 8}, 2, 0)
	use(first, 1)
	want("used again", map[string]int64{of("group", group): 9, of("author", a): 4, of("author", b): 9}, 2, 0)

	s.Root.Send("POST", two+"/unpublish", world.WhyWithdrawn).Is(204)
	want("withdrawn", map[string]int64{of("article", second): 0, of("group", group): 4, of("author", a): 4, of("author", b): 4}, 1, 0)
	if got := string(s.Anon.Get(fmt.Sprint("/stats/timeline/total/views/article/", second)).Is(200).Bytes); got != `{"timeline": {}}` {
		t.Errorf("of a withdrawn article %s", got)
	}
	if got, want := string(s.Anon.Get("/stats/top/views/article").Is(200).Bytes), fmt.Sprintf(`{"top": {"%d": 4}}`, first); got != want {
		t.Errorf("the articles are %s, want %s", got, want)
	}
	if got, want := string(s.Anon.Get(fmt.Sprint("/stats/timeline/total/views/group/", group)).Is(200).Bytes), `{"timeline": {"total": 9}}`; got != want {
		t.Errorf("the group was used %s, want %s", got, want) // what happened stays
	}
	use(second, 100) // not public: not counted
	s.Root.Do("POST", two+"/publish", nil).Is(201)
	want("published again", map[string]int64{of("article", second): 5, of("group", group): 9, of("author", b): 9}, 2, 0)

	s.Root.Send("PATCH", one, fmt.Sprintf(`{"group_id": %d}`, other)).Is(205)
	want("moved, not published", map[string]int64{of("group", group): 9, of("group", other): 0}, 2, 0)
	s.Root.Do("POST", one+"/publish", nil).Is(201)
	want("moved", map[string]int64{of("group", group): 5, of("group", other): 4}, 1, 1)
	s.Root.Send("PATCH", fmt.Sprint(one, "/versions/3"), fmt.Sprintf(`{"authors": [{"id": %d}]}`, a)).Is(205)
	want("corrected", map[string]int64{of("author", a): 4, of("author", b): 5}, 1, 1)

	for path, code := range map[string]string{`{}`: "MissingParams", `{"groups": [{}]}`: "InvalidParams", `{"groups": [{"id": 0}]}`: "InvalidParams"} {
		if e := s.Anon.Send("POST", "/stats/count/articles", path).Is(400).Object(); e["code"] != code {
			t.Errorf("%s: %v", path, e)
		}
	}
	s.Anon.Send("POST", "/stats/count/articles", `{"groups": 1}`).Is(422)
	s.Anon.Send("POST", "/stats/count/articles", `{"groups": [`+strings.Repeat(`{"id": 1}, `, 1000)+`{"id": 1}]}`).Is(400)
}

// COUNTER's metrics of requests as they come, stored by day, and there after a restart.
func TestCounterMetrics(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	const agent, person = "User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	type place struct{ item, file, page string }
	rows := []struct {
		name string
		use  func(p place)
		want record.Used
	}{
		{"a page, its record and an export", func(p place) {
			s.Anon.Get(p.page, agent, person).Is(200)
			s.Anon.Get(p.item, agent, person).Is(200)
			s.Anon.Get(strings.Replace(p.item, "/v2", "/export", 1)+"/1/ris", agent, person+" 2").Is(200)
		}, record.Used{Counts: record.Counts{Views: 1}, Regular: record.Metrics{TotalInvestigations: 2, UniqueInvestigations: 2}}},
		{"not modified", func(p place) {
			tag := s.Anon.Do("HEAD", p.item, nil, agent, person).Is(200).Header.Get("ETag")
			s.Anon.Get(p.item, agent, person, "If-None-Match", tag).Is(304)
			tag = s.Anon.Do("HEAD", p.file, nil, agent, person).Is(200).Header.Get("ETag")
			s.Anon.Get(p.file, agent, "curl/8", "If-None-Match", tag).Is(304)
		}, record.Used{Regular: record.Metrics{TotalInvestigations: 1, UniqueInvestigations: 1},
			Machine: record.Metrics{TotalInvestigations: 1, UniqueInvestigations: 1, TotalRequests: 1, UniqueRequests: 1}}},
		{"ranges", func(p place) {
			s.Anon.Get(p.file, agent, person, "Range", "bytes=0-1").Is(206)
			s.Anon.Get(p.file, agent, person, "Range", "bytes=2-").Is(206)
			s.Anon.Get(p.file, agent, person+" 2", "Range", "bytes=2-").Is(206)
		}, record.Used{Counts: record.Counts{Downloads: 1}, Regular: record.Metrics{TotalInvestigations: 1, UniqueInvestigations: 1, TotalRequests: 1, UniqueRequests: 1}}},
		{"HEAD, robots, the owner and what is refused", func(p place) {
			s.Anon.Do("HEAD", p.file, nil, agent, person).Is(200)
			s.Anon.Get(p.file, agent, "Examplebot/1").Is(200)
			s.Ada.Get(p.file, agent, person).Is(200)
			s.Anon.Get(p.file, agent, person, "If-Match", `"other"`).Is(412)
		}, record.Used{}},
		{"a file and an archive by a script", func(p place) {
			s.Anon.Get(p.file, agent, "python-requests/2").Is(200)
			s.Anon.Get(p.item+"/download", agent, "python-requests/2").Is(200)
		}, record.Used{Counts: record.Counts{Downloads: 2}, Machine: record.Metrics{TotalInvestigations: 2, UniqueInvestigations: 1, TotalRequests: 2, UniqueRequests: 1}}},
	}
	var ids []int64
	for _, row := range rows {
		own := s.Ada.Article(fmt.Sprintf(`{"title": %q, "authors": [{"name": "A B"}]}`, row.name))
		file := s.Ada.Upload(own, "bytes.txt", []byte(row.name))
		s.Ada.Do("POST", own+"/publish", nil).Is(201)
		id := world.LastNumber(t, own)
		page := strings.TrimPrefix(s.Ada.Get(own).Object()["url_public_html"].(string), s.URL)
		for time.Now().UTC().Minute() == 59 && time.Now().Second() > 50 { // the hour would end between
			time.Sleep(time.Second)
		}
		row.use(place{fmt.Sprint("/v2/articles/", id), fmt.Sprint("/files/", world.LastNumber(t, file)), page})
		ids = append(ids, id)
	}
	s.Restart()
	for i, row := range rows {
		var got record.Used
		err := s.DB().View(func(tx *bucket.Tx) error {
			months, err := counting.Usage(tx, bucket.Pair{A: record.KindArticle, B: ids[i]}, 0)
			for number, m := range months {
				views, downloads := m.Sum()
				got.Views, got.Downloads = got.Views+views, got.Downloads+downloads
				for to, days := range map[*record.Metrics]record.MetricDays{&got.Regular: m.Regular, &got.Machine: m.Machine} {
					*to = to.Plus(days.Within(record.Days{To: time.Now().AddDate(0, 0, 1)}, number))
				}
			}
			return err
		})
		if err != nil || got != row.want {
			t.Errorf("%s: %+v (%v), want %+v", row.name, got, err, row.want)
		}
	}
}

// An item counts for its authors up to a number of them: each view would write something for each.
func TestStatisticsOfManyAuthors(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	people := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(`{"name": "Author %d"}`, i)
		}
		return `{"title": "By many", "authors": [` + strings.Join(list, ", ") + `]}`
	}
	for n, want := range map[int]int64{record.MostCounted: 7, record.MostCounted + 1: 0} {
		own := s.Root.Article(people(10))
		for i := 10; i < n; i += 10 { // a body has ten at most
			s.Root.Send("POST", own+"/authors", people(min(10, n-i))).Is(205)
		}
		s.Root.Do("POST", own+"/publish", nil).Is(201)
		id := world.LastNumber(t, own)
		s.Alter(func(tx *bucket.Tx) error {
			return counting.AddUse(tx, bucket.Pair{A: record.KindArticle, B: id}, tx.Now(), "", record.Used{Counts: record.Counts{Views: 7}})
		})
		authors := s.Anon.Get(fmt.Sprint("/v2/articles/", id)).Is(200).Object()["authors"].([]any)
		if len(authors) != n {
			t.Fatalf("it has %d authors, want %d", len(authors), n)
		}
		for _, of := range []string{fmt.Sprintf("author/%.0f", authors[n-1].(map[string]any)["id"])} {
			if got := s.Anon.Get("/stats/total/views/" + of).Is(200).Object()["totals"]; got != float64(want) {
				t.Errorf("of %d authors the last has %v views, want %d", n, got, want)
			}
		}
		if got := s.Anon.Get(fmt.Sprint("/stats/total/views/article/", id)).Is(200).Object()["totals"]; got != 7.0 {
			t.Errorf("with %d authors the item has %v views", n, got)
		}
	}
}
