package main

import (
	"fmt"
	"testing"
	"time"
)

// A change of every file of an item reads and decodes them before the transaction, for which all
// other writers wait. A few records are decoded there: the item, its account, a version, and the
// 1,000 files that the detail of a public version shows.
func TestManyFilesReadAhead(t *testing.T) {
	t.Parallel()
	s, _, _ := newReviewed(t)
	const few = 1100
	var begun uint64
	step := func(what string, do func()) {
		t.Helper()
		begun = s.DB().Decoded()
		do()
		n := s.DB().Decoded() - begun
		t.Logf("%s: %d records", what, n)
		if n > few {
			t.Errorf("%s: %d records were decoded while others waited", what, n)
		}
	}
	count := func(path string, want int) {
		t.Helper()
		if got := s.Anon.get(path + "/files?page_size=1000").list(); len(got) != min(want, 1000) {
			t.Errorf("%s has %d files", path, len(got))
		}
	}

	at := s.Ada.article(`{"title": "Many files", "authors": [{"name": "A B"}]}`) // in a group without reviews
	s.linked(1, 1500)
	step("a first version", func() { s.Ada.do("POST", at+"/publish", nil).is(201) })
	count("/v2/articles/1", 1500)
	for _, f := range s.Ada.get(at + "/files?page_size=800").is(200).list() {
		s.Ada.do("DELETE", fmt.Sprintf("%s/files/%.0f", at, f["id"]), nil).is(204)
	}
	step("a version without 800 of them", func() { s.Ada.do("POST", at+"/publish", nil).is(201) })
	count("/v2/articles/1", 700)
	step("unpublishing it", func() { s.Ada.send("POST", at+"/unpublish", whyWithdrawn).is(204) })
	step("deleting it", func() { s.Ada.do("DELETE", at, nil).is(204) })

	at = s.Ada.article(`{"title": "Held files", "authors": [{"name": "A B"}]}`)
	s.linked(2, 1500)
	s.Ada.embargo(at, "article", time.Now().AddDate(1, 0, 0).Format(time.DateOnly))
	step("an embargo on the item", func() { s.Ada.do("POST", at+"/publish", nil).is(201) })
	step("lifting it", func() { s.Ada.do("DELETE", at+"/embargo", nil).is(204) })
	count("/v2/articles/2", 1500)

	at = s.Ada.article(`{"title": "Hidden files", "authors": [{"name": "A B"}]}`)
	s.linked(3, 1500)
	text, _ := inSeconds(4)
	s.Ada.embargo(at, "file", text)
	step("an embargo on the files", func() { s.Ada.do("POST", at+"/publish", nil).is(201) })
	step("its end", func() {
		s.eventually("the files appear", func() bool { return len(s.Anon.get("/v2/articles/3/files?page_size=1000").list()) == 1000 })
	})

	at = s.Ben.article(`{"title": "Reviewed files", "authors": [{"name": "A B"}]}`)
	s.linked(4, 1500)
	step("handing it in", func() { s.Ben.do("POST", at+"/publish", nil).is(201) })
	step("approving it", func() { s.Ada.decide(1, "approved", "Good").is(200) })
	count("/v2/articles/4", 1500)
}
