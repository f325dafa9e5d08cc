package files

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// A private file is downloaded with ?private_link=TOKEN. A link to anything else, and one that is
// expired or disabled, get the answer for an unknown file (security.md A15, B22).
func TestLinkDownload(t *testing.T) {
	s := world.StartWithin(t)
	article := s.Ada.Article(`{"title": "With files", "authors": [{"name": "Grace Hopper"}]}`)
	file := world.LastNumber(t, s.Ada.Upload(article, "a.txt", []byte("hello")))
	unfinished, _ := s.Ada.Begin(article, "later.bin", []byte("later"))
	linked, _ := s.Ada.BeginAs(article, `{"link": "https://example.org/data"}`)
	other := s.Ada.Article(`{"title": "Another"}`)
	collection := s.Ada.NewCollection("A collection")
	s.Ada.Send("POST", collection+"/articles", fmt.Sprintf(`{"articles": [%d]}`, world.LastNumber(t, article))).Is(201)
	token := s.Ada.Link(article, "")
	expired, disabled := s.Ada.Link(article, ""), s.Ada.Link(article, "")
	s.ExpireLink(expired)
	s.Ada.Do("DELETE", article+"/private_links/"+disabled, nil).Is(204)
	get := func(who world.Client, id int64, token string) *world.Reply {
		return who.Get(fmt.Sprintf("/files/%d?private_link=%s", id, token))
	}
	never := get(s.Anon, 999999, token).Refuses(404, "File not found")
	for _, who := range []world.Client{s.Anon, s.Ben} {
		r := get(who, file, token).Is(200)
		if string(r.Bytes) != "hello" || !strings.Contains(r.Header.Get("Cache-Control"), "no-store") {
			t.Errorf("the file is %q, Cache-Control %s", r.Bytes, r.Header.Get("Cache-Control"))
		}
		if r := get(who, world.LastNumber(t, linked), token).Is(302); r.Header.Get("Location") != "https://example.org/data" {
			t.Errorf("the linked file is at %s", r.Header.Get("Location"))
		}
		for _, c := range []struct {
			what  string
			file  int64
			token string
		}{
			{"an expired link", file, expired}, {"a disabled link", file, disabled}, {"no such link", file, strings.Repeat("0", 32)}, {"an empty token", file, ""},
			{"a link to another article", file, s.Ada.Link(other, "")}, {"a link to a collection", file, s.Ada.Link(collection, `{"read_only": false}`)},
			{"in upper case", file, strings.ToUpper(token) + "A"}, {"no hexadecimal digits", file, token[:31] + "g"},
			{"a file that is not whole", world.LastNumber(t, unfinished), token}, {"a linked file without a link", world.LastNumber(t, linked), expired},
		} {
			r := get(who, c.file, c.token)
			if r.StatusCode != 404 || string(r.Bytes) != string(never.Bytes) {
				t.Errorf("%s: %d %s", c.what, r.StatusCode, r.Bytes)
			}
			world.SameHeaders(t, c.what, r.Header, never.Header)
		}
	}
	// The links of a file in a public version change nothing for readers, and what is
	// taken out of the working copy is no longer what the link opens.
	s.Ada.Do("DELETE", unfinished, nil).Is(204)
	s.Ada.Do("POST", article+"/publish", nil).Is(201)
	for _, tok := range []string{token, expired, "x"} {
		if r := get(s.Anon, file, tok).Is(200); string(r.Bytes) != "hello" {
			t.Errorf("a public file with a link is %q", r.Bytes)
		}
	}
	draft := s.Ada.Upload(article, "b.txt", []byte("draft"))
	if r := get(s.Anon, world.LastNumber(t, draft), token).Is(200); string(r.Bytes) != "draft" {
		t.Errorf("a new file of the working copy is %q", r.Bytes)
	}
	s.Ada.Do("DELETE", draft, nil).Is(204)
	get(s.Anon, world.LastNumber(t, draft), token).Refuses(404, "File not found")
	s.Anon.Get(fmt.Sprintf("/files/%d?private_link=%s&private_link=%s", world.LastNumber(t, draft), token, expired)).Refuses(400, "private_link")
	// A link opens nothing but its article and is never written to the log.
	for _, at := range []string{other, other + "/files", article + "/embargo", article + "/private_links", "/v2/account", "/v2/account/articles"} {
		if r := s.Anon.Get(at + "?private_link=" + token); r.StatusCode != 401 && !strings.HasPrefix(at, other) || strings.HasPrefix(at, other) && r.StatusCode != 404 {
			t.Errorf("%s answered %d", at, r.StatusCode)
		}
	}
	s.Anon.Get(fmt.Sprintf("/v2/articles/%d?private_link=%s", world.LastNumber(t, other), token)).Refuses(404, "")
	if strings.Contains(s.Logs.String(), token) {
		t.Error("the log has a link's token")
	}
}

// Under an embargo readers do not get the files, holders of a private link to the article do.
func TestLinkEmbargo(t *testing.T) {
	s := world.Start(t)
	for _, kind := range []string{`"file", "embargo_date": "0"`, `"article", "embargo_date": "2099-01-01"`} {
		at := s.Ada.Article(`{"title": "Under embargo", "authors": [{"name": "Grace Hopper"}]}`)
		file := fmt.Sprintf("/files/%d", world.LastNumber(t, s.Ada.Upload(at, "a.txt", []byte("hello"))))
		s.Ada.Send("PUT", at+"/embargo", `{"is_embargoed": true, "embargo_type": `+kind+`}`).Is(205)
		s.Ada.Do("POST", at+"/publish", nil).Is(201)
		token := s.Ada.Link(at, "")
		s.Anon.Get(file).Refuses(404, "File not found")
		if r := s.Anon.Get(file + "?private_link=" + token).Is(200); string(r.Bytes) != "hello" {
			t.Errorf("embargo of %s: the file is %q", kind, r.Bytes)
		}
		s.Ada.Do("DELETE", at+"/private_links/"+token, nil).Is(204)
		s.Anon.Get(file+"?private_link="+token).Refuses(404, "File not found")
	}
}

// Once disabling a link is acknowledged, it opens the file no more; until then every answer is
// the whole file or a refusal (security.md J10).
func TestLinkDisableWhileDownloading(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	article := s.Ada.Article(`{"title": "With a file"}`)
	file := world.LastNumber(t, s.Ada.Upload(article, "a.bin", disk.Random(100_000, 1)))
	token := s.Ada.Link(article, "")
	at := fmt.Sprintf("%s/files/%d?private_link=%s", s.URL, file, token)
	var readers sync.WaitGroup
	gone := make(chan struct{})
	for range 4 {
		readers.Go(func() {
			for {
				var late bool
				select {
				case <-gone:
					late = true
				default:
				}
				res, err := http.Get(at)
				if err != nil {
					t.Error(err)
					return
				}
				n, _ := res.Body.Read(make([]byte, 1))
				res.Body.Close()
				if res.StatusCode == 404 {
					return
				}
				if late || res.StatusCode != 200 || res.ContentLength != 100_000 || n != 1 {
					t.Errorf("disabled before: %t, answered %d with %d bytes", late, res.StatusCode, res.ContentLength)
					return
				}
			}
		})
	}
	s.Ada.Do("DELETE", article+"/private_links/"+token, nil).Is(204)
	close(gone)
	readers.Wait()
}
