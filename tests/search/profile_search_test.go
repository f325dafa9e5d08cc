package search

import (
	"fmt"
	"strings"
	"testing"

	"alcove/config"
	"alcove/record"
	"alcove/tests/world"
)

// Under the profile searches and lists of own items take the orders of public ones, which
// generated clients send by themselves; without it the stated ones alone.
func TestProfileOwnOrders(t *testing.T) {
	t.Parallel()
	for name, profile := range map[string]func(*config.Config){"none": func(*config.Config) {}, "figshare": world.Figshare} {
		s := world.StartWithin(t, profile)
		kinds := []struct {
			path, orders string
			kind         int64
		}{
			{"/v2/account/articles", "created_date views shares downloads cites", record.KindArticle},
			{"/v2/account/collections", "created_date views shares cites", record.KindCollection},
			{"/v2/account/projects", "created_date views", record.KindProject},
		}
		for _, k := range kinds {
			for n := int64(1); n <= 4; n++ {
				at := s.Ada.Wrote(k.path, fmt.Sprintf(`{"title": "Number %d", "authors": [{"name": "A B"}], "funding": "A grant"}`, n))
				if n == 4 {
					break // a draft is not used
				}
				s.Ada.Do("POST", at+"/publish", nil).Is(201)
				s.Plant(k.kind, n, record.Counts{Views: n * 2 % 3, Shares: n * 2 % 3, Downloads: n * 2 % 3, Cites: n * 2 % 3}) // 2 1 0
			}
		}
		for _, k := range kinds {
			for _, order := range strings.Fields(k.orders) {
				for _, direction := range []string{"desc", "asc"} {
					want := map[string]string{"desc": "1 2 4 3", "asc": "3 4 2 1"}[direction]
					if order == "created_date" {
						want = map[string]string{"desc": "4 3 2 1", "asc": "1 2 3 4"}[direction]
					}
					for _, words := range []string{"", `, "search_for": "number"`} {
						r := s.Ada.Send("POST", k.path+"/search", fmt.Sprintf(`{"order": %q, "order_direction": %q%s}`, order, direction, words))
						if name == "none" && (order != "created_date" || k.kind != record.KindProject) {
							r.Refuses(400, "Invalid value received for order")
						} else if got := r.Is(200).Shown(); got != want {
							t.Errorf("%s, %s by %s %s shows %q, want %q", name, k.path, order, direction, got, want)
						}
						if order != "created_date" && r.Header.Get("Last-Modified") != "" {
							t.Errorf("%s by %s is dated, and counts move without a change", k.path, order)
						}
					}
					r := s.Ada.Get(fmt.Sprintf("%s?order=%s&order_direction=%s", k.path, order, direction))
					if name == "none" && order != "created_date" {
						r.Refuses(400, "Invalid value received for order")
					} else if got := r.Is(200).Shown(); got != want {
						t.Errorf("%s, %s?order=%s lists %q, want %q", name, k.path, order, got, want)
					}
					if name == "figshare" && k.kind != record.KindProject {
						body := fmt.Sprintf(`{"order": %q, "order_direction": %q}`, order, direction)
						if got := strings.Join(s.Ada.Walked("POST", k.path+"/search", body, 1), " "); got != want {
							t.Errorf("%s by %s %s is walked as %q, want %q", k.path, order, direction, got, want)
						}
					}
				}
			}
			for _, order := range []string{"size", "", "Views", "downloads"} {
				if order == "downloads" && k.kind == record.KindArticle {
					continue
				}
				s.Ada.Send("POST", k.path+"/search", fmt.Sprintf(`{"order": %q}`, order)).Refuses(400, "Invalid value received for order")
				s.Ada.Get(k.path+"?order="+order).Refuses(400, "Invalid value received for order")
			}
		}
	}
}

// Under the profile the bodies of searches may have whole numbers as texts of digits; nothing else
// becomes a number.
func TestProfileDigits(t *testing.T) {
	t.Parallel()
	plain, s := world.Start(t), world.Start(t, world.Figshare)
	paths := []string{"/v2/account/articles", "/v2/account/collections", "/v2/account/projects"}
	for _, path := range paths {
		for n := range 3 {
			s.Ada.Wrote(path, fmt.Sprintf(`{"title": "Number %d"}`, n+1))
		}
		for body, want := range map[string]string{
			`{"page": "2", "page_size": "2"}`: "1", `{"limit": "1", "offset": "1"}`: "2", `{"institution": "1"}`: "3 2 1", `{"institution": "2"}`: "", `{"group": "0"}`: "3 2 1",
			`{"group": "7"}`: "", `{"limit": 2, "group": null}`: "3 2",
		} {
			if got := s.Ada.Send("POST", path+"/search", body).Is(200).Shown(); got != want {
				t.Errorf("%s/search %s shows %q, want %q", path, body, got, want)
			}
		}
		for _, key := range []string{"page", "page_size", "limit", "offset", "institution", "group"} {
			for _, value := range []string{`""`, `"-1"`, `"1.0"`, `"01"`, `" 1"`, `"1e1"`, `"0x1"`, `"١"`, `"99999999999999999999"`, `["1"]`, `{"1": "1"}`, `true`} {
				s.Ada.Send("POST", path+"/search", `{"`+key+`": `+value+`}`).Refuses(422, key)
			}
			plain.Ada.Send("POST", path+"/search", `{"`+key+`": "1"}`).Refuses(422, key+" must be an integer")
		}
		s.Ada.Send("POST", path+"/search", `{"page": "101"}`).Refuses(map[bool]int{true: 422, false: 400}[strings.HasSuffix(path, "projects")], "Max page reached")
		s.Ada.Send("POST", path+"/search", `{"limit": "0"}`).Refuses(422, "limit")
	}
	if got := s.Ada.Send("POST", paths[0]+"/search", `{"item_type": "3"}`).Is(200).Shown(); got != "3 2 1" {
		t.Errorf("item_type as text shows %q", got)
	}
	plain.Ada.Send("POST", paths[0]+"/search", `{"item_type": "3"}`).Refuses(422, "item_type must be an integer")
	s.Ada.Send("POST", paths[0]+"/search", `{"search_for": 1234}`).Refuses(422, "search_for")
	s.Ada.Send("POST", paths[0], `{"title": "A title", "license": "1"}`).Refuses(422, "license")
}
