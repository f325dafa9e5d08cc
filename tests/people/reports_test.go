package people

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/bucket/working"
	"alcove/record"
	"alcove/tests/world"
)

// The public description, /account/articles/export: an account has a report made once a day, and
// lists those that it had made. The last 30 are kept.
func TestReports(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	if list := s.Ada.Get(world.ExportAt).Is(200).List(); len(list) != 0 {
		t.Errorf("%v", list)
	}
	s.Anon.Send("POST", world.ExportAt, "").Refuses(401, "Missing OAuth token")
	s.Ada.Send("POST", world.ExportAt+"?group_id=x", "").Refuses(422, "group_id")
	s.Ada.Get(world.ExportAt+"?group_id=x").Refuses(422, "group_id")
	for range 40 {
		s.Report(s.Ada, world.Day(1, 0))
	}
	made := s.Ada.Send("POST", world.ExportAt+"?group_id=7", "").Is(200).Object()
	at, _ := made["download_url"].(string)
	if made["status"] != "done" || made["account_id"] != float64(s.Ada.ID()) || made["group_id"] != 7.0 || made["id"] == nil || made["created_date"] == nil || len(made) != 6 ||
		!strings.HasPrefix(at, s.URL+"/v2/account/reports/") {
		t.Errorf("%v", made)
	}
	list := s.Ada.Get(world.ExportAt).Is(200).List()
	if len(list) != record.MaxReports || fmt.Sprint(list[0]) != fmt.Sprint(made) {
		t.Errorf("%d reports, the first %v", len(list), list[0])
	}
	if got := s.Ada.Get(world.ExportAt + "?group_id=7").List(); len(got) != 1 {
		t.Errorf("%v", got)
	}
	if got := s.Ben.Get(world.ExportAt).List(); len(got) != 0 {
		t.Errorf("another account lists %v", got)
	}
	s.Ada.Get(at).Is(200)
	s.Ben.Get(at).Refuses(404, "Report not found")
	s.Root.Get(at).Refuses(404, "Report not found")
	s.Anon.Get(at).Refuses(401, "")
	s.Ada.Get("/v2/account/reports/987654").Refuses(404, "Report not found")

	before := s.Sequence()
	r := s.Ada.Send("POST", world.ExportAt, "").Refuses(429, "once a day")
	var wait int
	if fmt.Sscan(r.Header.Get("Retry-After"), &wait); wait < 86_000 || wait > 86_400 || s.Sequence() != before {
		t.Errorf("Retry-After is %d", wait)
	}
	s.Ben.Send("POST", world.ExportAt, "").Is(200)
	s.Alter(func(tx *bucket.Tx) error {
		key := bucket.Pair{A: s.Ada.ID(), B: int64(made["id"].(float64))}
		r, err := exchange.Reports.Get(tx, key)
		if err != nil {
			return err
		}
		r.Created = r.Created.Add(-record.ReportEvery)
		return exchange.Reports.Put(tx, key, r)
	})
	if got := s.Ada.Send("POST", world.ExportAt, "").Is(200).Object(); got["group_id"] != nil {
		t.Errorf("%v", got)
	}
}

// A report is a table of the own articles as they are when it is downloaded, in which no cell is
// a formula (security.md D22). It is read in pieces, however many articles there are.
func TestReportTable(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	at := s.Ada.Article(`{"title": "=HYPERLINK(\"a\", b)", "authors": [{"name": "@Ada"}, {"name": "Ben"}], "tags": ["+1", "two \"words\""], "categories": [37]}`)
	table := s.URL + fmt.Sprintf("/v2/account/reports/%d", s.Report(s.Ada, world.Day(1, 0)))
	read := func(at string) [][]string {
		t.Helper()
		r := s.Ada.Get(at).Is(200)
		if kind := r.Header.Get("Content-Type"); kind != "text/csv; charset=utf-8" || !strings.HasPrefix(r.Header.Get("Content-Disposition"), "attachment; filename=\"report-") || r.Header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("%v", r.Header)
		}
		if lines := strings.Count(string(r.Bytes), "\n"); lines != strings.Count(string(r.Bytes), "\r\n") {
			t.Error("lines do not end with CR LF")
		}
		rows, err := csv.NewReader(strings.NewReader(string(r.Bytes))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	rows := read(table)
	cell := func(row []string, name string) string {
		for i, column := range rows[0] {
			if column == name {
				return row[i]
			}
		}
		return "no column"
	}
	if len(rows) != 2 {
		t.Fatalf("%v", rows)
	}
	for name, want := range map[string]string{
		"id": fmt.Sprint(world.LastNumber(t, at)), "title": `'=HYPERLINK("a", b)`, "authors": "'@Ada; Ben", "tags": `'+1; two "words"`, "status": "draft", "version": "", "published_date": "",
	} {
		if got := cell(rows[1], name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	tag := s.Ada.Get(table).Header.Get("ETag")
	s.Ada.Get(table, "If-None-Match", tag).Is(304)
	s.Ada.Send("PATCH", at, `{"title": "-1 title"}`).Is(205)
	s.Ada.Get(table, "If-None-Match", tag).Is(200)
	if got := cell(read(table)[1], "title"); got != "'-1 title" {
		t.Errorf("the title is %q", got)
	}

	// More than a piece, each article once.
	s.Ben.Article(`{"title": "Ben's"}`)
	s.Alter(func(tx *bucket.Tx) error {
		first, err := working.Articles.Get(tx, world.LastNumber(t, at))
		if err != nil {
			return err
		}
		for id := range int64(500) {
			more := *first
			more.ID, more.GroupID, more.Title = 10_000+id, id%2, fmt.Sprintf("Item %d", id)
			if err := working.Articles.Put(tx, more.ID, &more); err != nil {
				return err
			}
		}
		return nil
	})
	rows = read(table)
	seen := map[string]bool{}
	for _, row := range rows[1:] {
		if seen[row[0]] || strings.HasPrefix(cell(row, "title"), "Ben") {
			t.Errorf("%v", row)
		}
		seen[row[0]] = true
	}
	if len(rows) != 502 {
		t.Errorf("%d lines", len(rows))
	}
	one := s.Ada.Send("POST", world.ExportAt+"?group_id=1", "").Is(200).Object()["download_url"].(string)
	if rows := read(one); len(rows) != 251 {
		t.Errorf("%d lines of the group", len(rows))
	}
}
