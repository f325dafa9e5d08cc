package load

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"

	"alcove/record"
	"alcove/tests/doubles"
	"alcove/tests/world"
)

// An item that another repository goes on publishing is read and found here, and is not ours to have registered, harvested or
// listed for crawlers, also when it is withdrawn; unless the prefix of its DOI was taken over.
func TestImportOrigin(t *testing.T) {
	t.Parallel()
	for _, taken := range []bool{false, true} {
		t.Run(fmt.Sprint("taken over ", taken), func(t *testing.T) {
			t.Parallel()
			d := doubles.StartDataCite(t)
			s := world.Start(t, d.Used)
			const line = `{"key": %q, "title": "From elsewhere", "authors": [{"name": "A B"}], "doi": %q%s, "published_date": "2015-01-01", "publish": true%s}`
			const origin = `, "origin": "https://data.example.org/v2/articles/7"`
			file := s.Lines(fmt.Sprintf(line, "foreign", "10.1234/foreign", origin, ""), fmt.Sprintf(line, "col", "10.1234/col", origin, `, "kind": "collection", "articles": ["foreign"]`),
				fmt.Sprintf(line, "own", "10.1234/own", "", ""))
			flags := []string{}
			if taken {
				flags = append(flags, "--doi-taken-over", "10.5281,10.1234")
			}
			if said, err := bring(s, "import", file, flags...); err != nil {
				t.Fatal(err, said)
			}
			s.Eventually("our own DOI is registered", func() bool { return d.State("10.1234/own") == record.DOIFindable })
			state, live, pages := "", 1, 1
			if taken {
				state, live, pages = record.DOIFindable, 3, 2
			}
			for _, doi := range []string{"10.1234/foreign", "10.1234/col"} {
				if taken {
					s.Eventually(doi, func() bool { return d.State(doi) == state })
				} else if got := d.State(doi); got != "" {
					t.Errorf("%s is %s", doi, got)
				}
			}
			listed := func() (n, gone int) {
				b := string(s.Anon.Get("/v2/oai?verb=ListIdentifiers&metadataPrefix=oai_dc").Is(200).Bytes)
				return strings.Count(b, "<header"), strings.Count(b, `status="deleted"`)
			}
			if n, gone := listed(); n != live || gone != 0 {
				t.Errorf("%d items are harvested, %d of them deleted", n, gone)
			}
			one := string(s.Anon.Get("/v2/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:127.0.0.1:article/1").Is(200).Bytes)
			if strings.Contains(one, "idDoesNotExist") == taken {
				t.Errorf("GetRecord: %s", one)
			}
			for page, want := range map[string]int{"articles-1": pages, "collections-1": pages - 1} {
				b := s.Anon.Get("/sitemap/" + page + ".xml.gz").Is(200).Bytes
				z, err := gzip.NewReader(bytes.NewReader(b))
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(z)
				if got := strings.Count(string(text), "<loc>"); err != nil || got != want {
					t.Errorf("%s has %d pages, want %d", page, got, want)
				}
			}
			if got := s.Anon.Get("/v2/articles?doi=10.1234/foreign").Is(200).List(); len(got) != 1 {
				t.Errorf("%v", got)
			}
			s.Ada.Send("POST", "/v2/account/articles/1/unpublish", `{"reason": "Not ours after all"}`).Is(204)
			if n, gone := listed(); taken && (n != 3 || gone != 1) || !taken && (n != 1 || gone != 0) {
				t.Errorf("after a withdrawal %d items are harvested, %d of them deleted", n, gone)
			}
		})
	}
	s := world.Start(t)
	if said, err := bring(s, "import", s.Lines(`{"title": "Odd", "authors": [{"name": "A"}], "origin": "file:///etc/passwd", "published_date": "2015-01-01", "publish": true}`)); err == nil || !strings.Contains(said, "origin") {
		t.Error(err, said)
	}
}
