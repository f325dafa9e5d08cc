package articles

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"alcove/tests/stage"
	"alcove/tests/world"
)

// The refusals of every list and search with pages, and the answer at the far end.
func TestPagingBounds(t *testing.T) {
	t.Parallel()
	s := stage.New(t)
	const far = "Max page reached. Please narrow down your search"
	project, in := "/v2/account/projects/"+s.Project[":id"], "/v2/account/projects/"+s.Project[":id"]+"/articles/"+s.Project[":article_id"]
	for _, list := range []struct {
		at     string
		pages  string // the last page that there can be
		size   string // the most in a page
		beyond int    // the refusal of what lies farther
	}{
		{"GET /v2/articles", "5000", "1000", 400},
		{"POST /v2/articles/search", "5000", "1000", 400},
		{"GET /v2/articles/" + s.Public[":id"] + "/files", "5000", "1000", 422},
		{"GET /v2/articles/" + s.Public[":id"] + "/versions/1/files", "5000", "1000", 422},
		{"GET /v2/account/articles", "100", "1000", 400},
		{"POST /v2/account/articles/search", "100", "100", 400},
		{"GET /v2/account/articles/" + s.IDs[":id"] + "/files", "5000", "1000", 422},
		{"GET /v2/projects", "5000", "1000", 422},
		{"POST /v2/projects/search", "5000", "1000", 422},
		{"GET /v2/projects/" + s.Project[":id"] + "/articles", "5000", "1000", 422},
		{"GET /v2/account/projects", "100", "1000", 422},
		{"POST /v2/account/projects/search", "100", "100", 422},
		{"GET " + project + "/articles", "5000", "1000", 422},
		{"GET " + project + "/notes", "5000", "1000", 422},
		{"GET " + in + "/files", "5000", "1000", 422},
		{"GET /v2/collections", "5000", "1000", 400},
		{"POST /v2/collections/search", "5000", "1000", 400},
		{"GET /v2/collections/" + s.Collection[":id"] + "/articles", "5000", "1000", 400},
		{"GET /v2/account/collections", "100", "1000", 400},
		{"POST /v2/account/collections/search", "100", "100", 400},
		{"GET /v2/account/collections/" + s.Collection[":id"] + "/articles", "5000", "1000", 400},
		{"GET /v2/account/institution/articles", "5000", "1000", 400},
		{"GET /v2/account/institution/accounts", "5000", "1000", 422},
		{"GET /v2/account/institution/reviews", "5000", "1000", 422},
		{"GET /v2/account/institution/review/" + s.IDs[":review_id"] + "/comments", "5000", "1000", 422},
	} {
		method, at, _ := strings.Cut(list.at, " ")
		ask := func(query string) *world.Reply {
			if method == "GET" {
				return s.Ada.Get(at + "?" + query)
			}
			body := strings.NewReplacer("=", `": `, "&", `, "`).Replace(query)
			return s.Ada.Send("POST", at, `{"`+body+`}`)
		}
		for _, mixed := range []string{"page=1&limit=10", "page=1&offset=0", "page_size=10&limit=10", "page_size=10&offset=0"} {
			ask(mixed).Refuses(422, "Use either page and page_size or limit and offset")
		}
		for _, size := range []string{"0", "-1", list.size + "1"} {
			ask("page_size="+size).Refuses(422, "page_size must be from 1 to "+list.size)
			ask("limit="+size).Refuses(422, "limit must be from 1 to "+list.size)
		}
		ask("page=0").Refuses(422, "page must be at least 1")
		ask("offset=-1").Refuses(422, "offset must not be negative")
		for _, tooFar := range []string{"page=" + list.pages + "1", "offset=5001", "page_size=" + list.size + "&page=" + list.pages, "page=9223372036854775807"} {
			if list.size == "100" && strings.HasPrefix(tooFar, "page_size") {
				continue // 100 pages of 100 stand in the next line
			}
			ask(tooFar).Refuses(list.beyond, far)
		}
		ask("page_size=100&page=91").Refuses(list.beyond, far) // 9,000 without a cursor
		ask("page_size=100&page=90").Is(200)
		ask("page_size=1&page=" + list.pages).Is(200)
		ask("limit=" + list.size + "&offset=5000").Is(200)
	}
}

// An unknown order is 400 where the list has orders, and a direction other than asc and desc 422.
func TestPagingOrder(t *testing.T) {
	s := stage.New(t)
	for _, at := range []string{
		"GET /v2/articles", "POST /v2/articles/search", "POST /v2/account/articles/search", "GET /v2/projects", "POST /v2/projects/search",
		"GET /v2/account/projects", "POST /v2/account/projects/search", "GET /v2/account/projects/" + s.Project[":id"] + "/articles",
		"GET /v2/collections", "POST /v2/collections/search", "GET /v2/account/collections", "POST /v2/account/collections/search",
		"GET /v2/account/institution/articles",
	} {
		method, at, _ := strings.Cut(at, " ")
		for _, c := range []struct {
			key, value, message string
			status              int
		}{
			{"order", "size", "Invalid value received for order", 400},
			{"order_direction", "up", "order_direction must be asc or desc", 422},
		} {
			if method == "GET" {
				s.Ada.Get(at+"?"+c.key+"="+c.value).Refuses(c.status, c.message)
			} else {
				s.Ada.Send("POST", at, `{"`+c.key+`": "`+c.value+`"}`).Refuses(c.status, c.message)
			}
		}
	}
}

// A client that follows the links to the next page (RFC 8288) sees each item once, whichever parameters it began with.
func TestListNext(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for range 5 {
		s.Ada.Published("Rain")
	}
	next := regexp.MustCompile(`^<([^<>]+)>; rel="next"$`)
	for _, c := range []struct {
		at   string
		want string // the number of items of each page
	}{
		{"/v2/articles?page_size=2&order_direction=asc", "2 2 1"},
		{"/v2/articles?limit=2&order=modified_date", "2 2 1"},
		{"/v2/articles?limit=3&offset=1", "3 1"},
		{"/v2/articles?page=2&page_size=2", "2 1"},
		{"/v2/articles?page_size=5", "5 0"}, // a full page does not know that it is the last
		{"/v2/articles", "5"},
		{"/v2/collections?page_size=2", "0"},
		{"/v2/articles?limit=1&offset=5000", "0"},
		{"/v2/articles?page_size=1000&page=9", "0"},
	} {
		seen, sizes := map[any]bool{}, []string{}
		for at := c.at; at != ""; {
			r := s.Anon.Get(at).Is(200)
			list := r.List()
			sizes = append(sizes, fmt.Sprint(len(list)))
			for _, one := range list {
				if seen[one["id"]] {
					t.Errorf("%s: %v is on two pages", c.at, one["id"])
				}
				seen[one["id"]] = true
			}
			at = ""
			if link := next.FindStringSubmatch(r.Header.Get("Link")); link != nil {
				at = strings.TrimPrefix(link[1], s.URL)
			}
		}
		if got := strings.Join(sizes, " "); got != c.want {
			t.Errorf("%s: pages of %s items, want %s", c.at, got, c.want)
		}
	}
	r := s.Ada.Get("/v2/articles?page_size=2&access_token=" + s.Ada.Token)
	if link := r.Header.Get("Link"); !strings.Contains(link, "page=2") || strings.Contains(link, s.Ada.Token) {
		t.Errorf("with a token in the address the link is %q", link)
	}
	if link := s.Anon.Do("GET", "/v2/articles?page_size=2", nil, "X-Cursor", r.Header.Get("X-Cursor")).Is(200).Header.Get("Link"); link != "" {
		t.Errorf("with a cursor the link is %q", link)
	}
	if link := s.Anon.Send("POST", "/v2/articles/search", `{"page_size": 2}`).Is(200).Header.Get("Link"); link != "" {
		t.Errorf("a search has the link %q", link)
	}
}
