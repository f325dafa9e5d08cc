package access

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// Other accounts' records are refused before they are read, so that they cost as much as an
// unknown id. Its records are damaged here, which callers that may not see them do not notice.
func TestForeignIsNotRead(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	s.Harmed = "the records that must not be read are damaged"
	draft := s.Ada.Article(`{"title": "zqforeigndraft", "authors": [{"name": "A B"}]}`)
	file, _ := s.Ada.BeginAs(draft, `{"link": "https://example.org/zqforeignfile"}`)
	col := strings.TrimPrefix(s.Ada.Send("POST", "/v2/account/collections", `{"title": "zqforeigncollection"}`).Is(201).Header.Get("Location"), s.URL)
	s.Stop()
	path := filepath.Join(s.Cfg.Data, "alcove.db")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flipped := 0
	for _, word := range []string{`"zqforeigndraft"`, `/zqforeignfile"`, `"zqforeigncollection"`} {
		for at := 0; ; flipped++ {
			i := bytes.Index(b[at:], []byte(word))
			if i < 0 {
				break
			}
			at += i + 5
			b[at] ^= 1
		}
	}
	if flipped < 3 {
		t.Fatalf("%d records were found", flipped)
	}
	disk.WriteFile(t, path, b)
	s.Boot()
	draft, file, col = strings.TrimPrefix(draft, s.URL), strings.TrimPrefix(file, s.URL), strings.TrimPrefix(col, s.URL)
	fid := file[strings.LastIndexByte(file, '/')+1:]
	body := `{"title": "Changed", "authors": [{"name": "E F"}], "categories": [37], "articles": []}`
	for _, c := range []string{
		"GET " + draft, "PUT " + draft, "DELETE " + draft, "GET " + draft + "/authors", "PUT " + draft + "/authors", "GET " + draft + "/categories",
		"GET " + draft + "/files", "GET " + file, "DELETE " + file, "GET " + draft + "/embargo", "GET " + draft + "/private_links", "POST " + draft + "/publish",
		"GET " + col, "PUT " + col, "DELETE " + col, "GET " + col + "/articles", "GET " + col + "/authors", "POST " + col + "/publish",
		"GET /files/" + fid, "GET /articles/1",
	} {
		method, path, _ := strings.Cut(c, " ")
		foreign := s.Ben.Send(method, path, body)
		unknown := s.Ben.Send(method, strings.NewReplacer("/articles/1", "/articles/7777", "/collections/1", "/collections/7777", "/files/"+fid, "/files/7777").Replace(path), body)
		if foreign.StatusCode != 404 || foreign.StatusCode != unknown.StatusCode || string(foreign.Bytes) != string(unknown.Bytes) {
			t.Errorf("%s: %d %s, of an unknown id %d %s", c, foreign.StatusCode, foreign.Bytes, unknown.StatusCode, unknown.Bytes)
		}
	}
}
