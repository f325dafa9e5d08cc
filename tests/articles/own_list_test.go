package articles

import (
	"fmt"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/bucket/working"
	"alcove/record"
	"alcove/tests/world"
)

// Own collections are listed like public ones, with their filters and orders, but the newest
// first by default.
func TestOwnCollectionList(t *testing.T) {
	s := world.StartWithin(t)
	for n := 1; n <= 4; n++ {
		at := strings.TrimPrefix(s.Ada.Send("POST", "/v2/account/collections",
			fmt.Sprintf(`{"title": "Number %d", "authors": [{"name": "Grace Hopper"}]}`, n)).Is(201).Header.Get("Location"), s.URL)
		if n < 4 {
			s.Ada.Do("POST", at+"/publish", nil).Is(201)
		}
	}
	s.Ben.Send("POST", "/v2/account/collections", `{"title": "Somebody else's"}`).Is(201)
	s.Alter(func(tx *bucket.Tx) error {
		for n := int64(1); n <= 4; n++ {
			err := alterCollection(tx, n, func(c *record.Collection) {
				c.Created, c.Modified, c.GroupID = world.Day(1, int(n)), world.Day(10, int(5-n)), n%2*7
				if c.Published != nil {
					at := world.Day(int(3+n%3), 0) // 2 at day 5, 1 at day 4, 3 at day 3
					c.Published = &at
				}
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	for query, want := range map[string]string{
		"": "4 3 2 1", "order=created_date": "4 3 2 1", "order=created_date&order_direction=asc": "1 2 3 4", "order_direction=asc": "1 2 3 4",
		"order=modified_date": "1 2 3 4", "order=modified_date&order_direction=asc": "4 3 2 1",
		"order=published_date": "2 1 3 4", "order=published_date&order_direction=asc": "3 1 2 4",
		"limit=2&offset=1": "3 2", "page=2&page_size=3": "1", "group=7": "3 1", "group=7&order_direction=asc&limit=1&offset=1": "3",
		"group=1": "", "institution=1": "4 3 2 1", "institution=2": "", "published_since=2020-01-04": "2 1", "published_since=2020-01-06": "",
		"modified_since=2020-01-10T03:00:00Z": "2 1", "item_type=3": "4 3 2 1", "unknown=x": "4 3 2 1",
	} {
		if got := s.Ada.Get("/v2/account/collections?" + query).Is(200).Shown(); got != want {
			t.Errorf("%s lists %q, want %q", query, got, want)
		}
	}
	for query, message := range map[string]string{
		"order_direction=up": "order_direction must be asc or desc", "published_since=soon": "published_since must be a date",
		"modified_since=1": "modified_since must be a date", "group=x": "group must be an integer", "institution=1.5": "institution must be an integer",
	} {
		s.Ada.Get("/v2/account/collections?"+query).Refuses(422, message)
	}
	for _, order := range []string{"size", "", "Created_date", "title"} {
		s.Ada.Get("/v2/account/collections?order="+order).Refuses(400, "Invalid value received for order")
	}
}

func alterCollection(tx *bucket.Tx, id int64, change func(*record.Collection)) error {
	c, err := working.Collections.Get(tx, id)
	if err != nil {
		return err
	}
	change(c)
	return working.Collections.Put(tx, id, c)
}
