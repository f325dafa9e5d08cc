package files

import (
	"fmt"
	"testing"
	"time"

	"alcove/tests/stage"
	"alcove/tests/world"
)

// A change of every file of an item reads and decodes them before the transaction, for which all
// other writers wait. A few records are decoded there: the item, its account, a version, and the
// 1,000 files that the detail of a public version shows.
func TestManyFilesReadAhead(t *testing.T) {
	t.Parallel()
	s, _, _ := stage.NewReviewed(t)
	s.Enter()
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
		if got := s.Anon.Get(path + "/files?page_size=1000").List(); len(got) != min(want, 1000) {
			t.Errorf("%s has %d files", path, len(got))
		}
	}

	at := s.Ada.Article(`{"title": "Many files", "authors": [{"name": "A B"}]}`) // in a group without reviews
	linked(s, 1, 1500)
	step("a first version", func() { s.Ada.Do("POST", at+"/publish", nil).Is(201) })
	count("/v2/articles/1", 1500)
	for _, f := range s.Ada.Get(at + "/files?page_size=800").Is(200).List() {
		s.Ada.Do("DELETE", fmt.Sprintf("%s/files/%.0f", at, f["id"]), nil).Is(204)
	}
	step("a version without 800 of them", func() { s.Ada.Do("POST", at+"/publish", nil).Is(201) })
	count("/v2/articles/1", 700)
	step("unpublishing it", func() { s.Ada.Send("POST", at+"/unpublish", world.WhyWithdrawn).Is(204) })
	step("deleting it", func() { s.Ada.Do("DELETE", at, nil).Is(204) })

	at = s.Ada.Article(`{"title": "Held files", "authors": [{"name": "A B"}]}`)
	linked(s, 2, 1500)
	s.Ada.Embargo(at, "article", time.Now().AddDate(1, 0, 0).Format(time.DateOnly))
	step("an embargo on the item", func() { s.Ada.Do("POST", at+"/publish", nil).Is(201) })
	step("lifting it", func() { s.Ada.Do("DELETE", at+"/embargo", nil).Is(204) })
	count("/v2/articles/2", 1500)

	at = s.Ada.Article(`{"title": "Hidden files", "authors": [{"name": "A B"}]}`)
	linked(s, 3, 1500)
	text, _ := world.InSeconds(4)
	s.Ada.Embargo(at, "file", text)
	step("an embargo on the files", func() { s.Ada.Do("POST", at+"/publish", nil).Is(201) })
	step("its end", func() {
		s.Eventually("the files appear", func() bool { return len(s.Anon.Get("/v2/articles/3/files?page_size=1000").List()) == 1000 })
	})

	at = s.Ben.Article(`{"title": "Reviewed files", "authors": [{"name": "A B"}]}`)
	linked(s, 4, 1500)
	step("handing it in", func() { s.Ben.Do("POST", at+"/publish", nil).Is(201) })
	step("approving it", func() { s.Ada.Decide(1, "approved", "Good").Is(200) })
	count("/v2/articles/4", 1500)
}
