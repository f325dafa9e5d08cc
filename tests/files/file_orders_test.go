package files

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/handlers/endpoint"
	"alcove/record"
	"alcove/tests/routes"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// assorted makes an article of Ada's in a project of which Ben is a viewer, with files that
// orders and filters tell apart, and returns the lists of its files.
func assorted(s *world.Server) (inside, own string) {
	s.T.Helper()
	project := s.Ada.Project("A project")
	s.Ada.Invite(project, s.Ben, "viewer")
	inside, own = s.Ada.InProject(project, `{"title": "With files"}`)
	linked(s, world.LastNumber(s.T, own), 6)
	names := []string{"b.csv", "a.csv", "B.csv", "ä.csv", "a.csv", "10.csv"}
	sizes := []int64{30, 20, 1 << 45, 0, 20, 7}
	states := []record.FileStatus{record.FileAvailable, record.FileCreated, record.FileFailed, record.FileAvailable, record.FileAvailable, record.FileChecking}
	s.Alter(func(tx *bucket.Tx) error {
		for id := int64(1); id <= 6; id++ {
			f, err := files.Files.Get(tx, id)
			if err != nil {
				return err
			}
			f.Name, f.Size, f.Status = names[id-1], sizes[id-1], states[id-1]
			if err := files.Files.Put(tx, id, f); err != nil {
				return err
			}
		}
		return nil
	})
	return inside + "/files", own + "/files"
}

// The files of an article in a project have orders and filters, and so have those of an own
// article. Of a private link only whole files are listed.
func TestFileOrders(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	inside, own := assorted(s)
	link := s.Ada.Link(strings.TrimSuffix(own, "/files"), `{}`)
	for query, want := range map[string]string{
		"": "1 2 3 4 5 6", "order=id": "1 2 3 4 5 6", "order=id&order_direction=desc": "6 5 4 3 2 1", "order_direction=desc": "6 5 4 3 2 1",
		"order=name": "6 3 2 5 1 4", "order=name&order_direction=desc": "4 1 5 2 3 6",
		"order=size": "4 6 2 5 1 3", "order=size&order_direction=desc": "3 1 5 2 6 4",
		"name=a.csv": "2 5", "name=a.csv&order_direction=desc": "5 2", "name=A.csv": "", "name=a": "", "name=%C3%A4.csv": "4", "name=": "",
		"status=available": "1 4 5", "status=created": "2", "status=ic_failed": "3", "status=ic_checking": "6", "status=moving_to_final": "",
		"status=available&order=name": "5 1 4", "name=a.csv&status=available": "5", "order=name&limit=2&offset=1": "3 2", "order=size&page=2&page_size=4": "1 3",
	} {
		for _, at := range []string{inside, own} {
			if got := s.Ada.Get(at + "?" + query).Is(200).Shown(); got != want {
				t.Errorf("%s?%s lists %q, want %q", at, query, got, want)
			}
			for size := 1; size <= 3 && !strings.Contains(query, "page") && !strings.Contains(query, "offset"); size++ {
				if got := strings.Join(s.Ada.Walked("GET", at+"?"+query, "", size), " "); got != want {
					t.Errorf("%s?%s by %d shows %q, want %q", at, query, size, got, want)
				}
			}
		}
		if got := s.Ben.Get(inside + "?" + query).Is(200).Shown(); got != want {
			t.Errorf("a member lists %q of %s, want %q", got, query, want)
		}
		if strings.Contains(query, "page") || strings.Contains(query, "offset") {
			continue
		}
		whole := strings.Join(slices.DeleteFunc(strings.Fields(want), func(id string) bool { return strings.Contains("2 3 6", id) }), " ")
		if got := s.Anon.Get(own + "?private_link=" + link + "&" + query).Is(200).Shown(); got != whole {
			t.Errorf("a link lists %q of %s, want %q", got, query, whole)
		}
	}
	for _, at := range []string{inside, own} {
		for _, order := range []string{"", "Name", "created_date", "md5", "name,size"} {
			s.Ada.Get(at+"?order="+url.QueryEscape(order)).Refuses(400, "Invalid value received for order")
		}
		s.Ada.Get(at+"?order=name&order_direction=up").Refuses(422, "order_direction must be asc or desc")
		s.Ada.Get(at+"?status=whole").Refuses(422, "status")
		s.Ada.Get(at+"?name=a&name=a").Refuses(400, "name was sent more than once")
	}
}

// A cursor of an ordered list goes on where it was, also when the file that it names has gone, and
// is for no other order or filter.
func TestFileOrderCursors(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	inside, own := assorted(s)
	r := s.Ada.Get(inside + "?order=name&limit=3").Is(200)
	if got := r.Shown(); got != "6 3 2" {
		t.Fatalf("the first page is %q", got)
	}
	cursor := r.Header.Get("X-Cursor")
	for _, query := range []string{"", "?order=size", "?order=name&order_direction=desc", "?order=name&name=a.csv", "?order=name&status=available"} {
		s.Ada.Get(inside+query, "X-Cursor", cursor).Refuses(422, "X-Cursor is not a cursor of this query")
	}
	s.Ada.Do("DELETE", own+"/2", nil).Is(204)
	if got := s.Ada.Get(inside+"?order=name&limit=2", "X-Cursor", cursor).Is(200).Shown(); got != "5 1" {
		t.Errorf("the walk goes on with %q", got)
	}
}

// An order that a list does not have is refused wherever there is a list, never ignored.
func TestUnknownOrders(t *testing.T) {
	t.Parallel()
	s := stage.New(t)
	lists := 0
	for _, r := range routes.All() {
		if r.Method != "GET" || r.Access == endpoint.Upload {
			continue
		}
		at := s.At(r)
		got := s.Ada.Get(at)
		if got.StatusCode != 200 || !strings.HasPrefix(string(got.Bytes), "[") {
			continue
		}
		lists++
		for _, order := range []string{"size,name", "", "nothing"} {
			s.Ada.Get(at+"?order="+order).Refuses(400, "Invalid value received for order")
		}
	}
	if lists < 35 {
		t.Errorf("only %d lists were found", lists)
	}
	for _, who := range []world.Client{s.Anon, s.Ada} { // and again, when answers may be cached
		for range 3 {
			who.Get("/v2/categories").Is(200)
			who.Get("/v2/categories?order=title").Refuses(400, "Invalid value received for order")
		}
	}
}
