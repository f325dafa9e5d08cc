package articles

import (
	"fmt"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/tests/world"
)

// Withdrawing looks at each author once, however many versions name it: it reads few more records than there are authors and
// versions, and changes each author once.
func TestWithdrawalLooksAtEachAuthorOnce(t *testing.T) {
	t.Parallel()
	const authors, versions = 300, 20
	s := world.StartWithin(t)
	names := make([]string, authors)
	for i := range names {
		names[i] = fmt.Sprintf(`{"name": "Author Number%d"}`, i)
	}
	at := s.Ada.Article(`{"title": "Many versions"}`)
	s.Ada.Send("PUT", at+"/authors", `{"authors": [`+strings.Join(names, ",")+`]}`).Is(205)
	for range versions {
		s.Ada.Do("POST", at+"/publish", nil).Is(201)
	}
	author := fmt.Sprintf("/v2/account/authors/%v", s.Ada.Get(at + "/authors").Is(200).List()[0]["id"])
	s.Ben.Get(author).Is(200)
	decoded, from := s.DB().Decoded(), s.DB().Sequence()
	s.Ada.Send("POST", at+"/unpublish", world.WhyWithdrawn).Is(204)
	if n := s.DB().Decoded() - decoded; n > 2*authors+5*versions {
		t.Errorf("%d records were read", n)
	}
	changes := 0
	err := s.DB().View(func(tx *bucket.Tx) error {
		for c, err := range tx.Changes(from) {
			if err != nil {
				return err
			}
			if c.Table == "people" {
				changes++
			}
		}
		return nil
	})
	if err != nil || changes != authors {
		t.Errorf("%d changes of %d authors, %v", changes, authors, err)
	}
	s.Ben.Get(author).Is(404)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Ben.Get(author).Is(200)
}
