package main

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/record"
)

const exportAt = "/v2/account/articles/export"

// report stores a report of a client's, as if it had been made at a time.
func (s *server) report(c client, created time.Time) (id int64) {
	s.t.Helper()
	account := c.id()
	s.alter(func(tx *bucket.Tx) (err error) {
		if id, err = bucket.Reports.NextID(tx); err != nil {
			return err
		}
		return bucket.Reports.Put(tx, bucket.Pair{A: account, B: id}, &record.Report{ID: id, AccountID: account, Created: created})
	})
	return id
}

// The public description, /account/articles/export: an account has a report made once a day, and
// lists those that it had made. The last 30 are kept.
func TestReports(t *testing.T) {
	t.Parallel()
	s := start(t)
	if list := s.Ada.get(exportAt).is(200).list(); len(list) != 0 {
		t.Errorf("%v", list)
	}
	s.Anon.send("POST", exportAt, "").refuses(401, "Missing OAuth token")
	s.Ada.send("POST", exportAt+"?group_id=x", "").refuses(422, "group_id")
	s.Ada.get(exportAt+"?group_id=x").refuses(422, "group_id")
	for range 40 {
		s.report(s.Ada, day(1, 0))
	}
	made := s.Ada.send("POST", exportAt+"?group_id=7", "").is(200).object()
	at, _ := made["download_url"].(string)
	if made["status"] != "done" || made["account_id"] != float64(s.Ada.id()) || made["group_id"] != 7.0 || made["id"] == nil || made["created_date"] == nil || len(made) != 6 ||
		!strings.HasPrefix(at, s.URL+"/v2/account/reports/") {
		t.Errorf("%v", made)
	}
	list := s.Ada.get(exportAt).is(200).list()
	if len(list) != record.MaxReports || fmt.Sprint(list[0]) != fmt.Sprint(made) {
		t.Errorf("%d reports, the first %v", len(list), list[0])
	}
	if got := s.Ada.get(exportAt + "?group_id=7").list(); len(got) != 1 {
		t.Errorf("%v", got)
	}
	if got := s.Ben.get(exportAt).list(); len(got) != 0 {
		t.Errorf("another account lists %v", got)
	}
	s.Ada.get(at).is(200)
	s.Ben.get(at).refuses(404, "Report not found")
	s.Root.get(at).refuses(404, "Report not found")
	s.Anon.get(at).refuses(401, "")
	s.Ada.get("/v2/account/reports/987654").refuses(404, "Report not found")

	before := s.DB().Sequence()
	r := s.Ada.send("POST", exportAt, "").refuses(429, "once a day")
	var wait int
	if fmt.Sscan(r.Header.Get("Retry-After"), &wait); wait < 86_000 || wait > 86_400 || s.DB().Sequence() != before {
		t.Errorf("Retry-After is %d", wait)
	}
	s.Ben.send("POST", exportAt, "").is(200)
	s.alter(func(tx *bucket.Tx) error {
		key := bucket.Pair{A: s.Ada.id(), B: int64(made["id"].(float64))}
		r, err := bucket.Reports.Get(tx, key)
		if err != nil {
			return err
		}
		r.Created = r.Created.Add(-record.ReportEvery)
		return bucket.Reports.Put(tx, key, r)
	})
	if got := s.Ada.send("POST", exportAt, "").is(200).object(); got["group_id"] != nil {
		t.Errorf("%v", got)
	}
}

// A report is a table of the own articles as they are when it is downloaded, in which no cell is
// a formula (security.md D22). It is read in pieces, however many articles there are.
func TestReportTable(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "=HYPERLINK(\"a\", b)", "authors": [{"name": "@Ada"}, {"name": "Ben"}], "tags": ["+1", "two \"words\""], "categories": [37]}`)
	table := s.URL + fmt.Sprintf("/v2/account/reports/%d", s.report(s.Ada, day(1, 0)))
	read := func(at string) [][]string {
		t.Helper()
		r := s.Ada.get(at).is(200)
		if kind := r.Header.Get("Content-Type"); kind != "text/csv; charset=utf-8" || !strings.HasPrefix(r.Header.Get("Content-Disposition"), "attachment; filename=\"report-") || r.Header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("%v", r.Header)
		}
		if lines := strings.Count(string(r.body), "\n"); lines != strings.Count(string(r.body), "\r\n") {
			t.Error("lines do not end with CR LF")
		}
		rows, err := csv.NewReader(strings.NewReader(string(r.body))).ReadAll()
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
		"id": fmt.Sprint(lastNumber(t, at)), "title": `'=HYPERLINK("a", b)`, "authors": "'@Ada; Ben", "tags": `'+1; two "words"`, "status": "draft", "version": "", "published_date": "",
	} {
		if got := cell(rows[1], name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	tag := s.Ada.get(table).Header.Get("ETag")
	s.Ada.get(table, "If-None-Match", tag).is(304)
	s.Ada.send("PATCH", at, `{"title": "-1 title"}`).is(205)
	s.Ada.get(table, "If-None-Match", tag).is(200)
	if got := cell(read(table)[1], "title"); got != "'-1 title" {
		t.Errorf("the title is %q", got)
	}

	// More than a piece, each article once.
	s.Ben.article(`{"title": "Ben's"}`)
	s.alter(func(tx *bucket.Tx) error {
		first, err := bucket.Articles.Get(tx, lastNumber(t, at))
		if err != nil {
			return err
		}
		for id := range int64(500) {
			more := *first
			more.ID, more.GroupID, more.Title = 10_000+id, id%2, fmt.Sprintf("Item %d", id)
			if err := bucket.Articles.Put(tx, more.ID, &more); err != nil {
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
	one := s.Ada.send("POST", exportAt+"?group_id=1", "").is(200).object()["download_url"].(string)
	if rows := read(one); len(rows) != 251 {
		t.Errorf("%d lines of the group", len(rows))
	}
}
