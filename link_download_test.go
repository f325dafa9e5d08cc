package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// A private file is downloaded with ?private_link=TOKEN. A link to anything else, and one that is
// expired or disabled, get the answer for an unknown file (security.md A15, B22).
func TestLinkDownload(t *testing.T) {
	s := start(t)
	article := s.Ada.article(`{"title": "With files", "authors": [{"name": "Grace Hopper"}]}`)
	file := lastNumber(t, s.Ada.upload(article, "a.txt", []byte("hello")))
	unfinished, _ := s.Ada.begin(article, "later.bin", []byte("later"))
	linked, _ := s.Ada.beginAs(article, `{"link": "https://example.org/data"}`)
	other := s.Ada.article(`{"title": "Another"}`)
	collection := s.Ada.newCollection("A collection")
	s.Ada.send("POST", collection+"/articles", fmt.Sprintf(`{"articles": [%d]}`, lastNumber(t, article))).is(201)
	token := s.Ada.link(article, "")
	expired, disabled := s.Ada.link(article, ""), s.Ada.link(article, "")
	s.expireLink(expired)
	s.Ada.do("DELETE", article+"/private_links/"+disabled, nil).is(204)
	get := func(who client, id int64, token string) *reply {
		return who.get(fmt.Sprintf("/files/%d?private_link=%s", id, token))
	}
	never := get(s.Anon, 999999, token).refuses(404, "File not found")
	for _, who := range []client{s.Anon, s.Ben} {
		r := get(who, file, token).is(200)
		if string(r.body) != "hello" || !strings.Contains(r.Header.Get("Cache-Control"), "no-store") {
			t.Errorf("the file is %q, Cache-Control %s", r.body, r.Header.Get("Cache-Control"))
		}
		if r := get(who, lastNumber(t, linked), token).is(302); r.Header.Get("Location") != "https://example.org/data" {
			t.Errorf("the linked file is at %s", r.Header.Get("Location"))
		}
		for _, c := range []struct {
			what  string
			file  int64
			token string
		}{
			{"an expired link", file, expired}, {"a disabled link", file, disabled}, {"no such link", file, strings.Repeat("0", 32)}, {"an empty token", file, ""},
			{"a link to another article", file, s.Ada.link(other, "")}, {"a link to a collection", file, s.Ada.link(collection, `{"read_only": false}`)},
			{"in upper case", file, strings.ToUpper(token) + "A"}, {"no hexadecimal digits", file, token[:31] + "g"},
			{"a file that is not whole", lastNumber(t, unfinished), token}, {"a linked file without a link", lastNumber(t, linked), expired},
		} {
			r := get(who, c.file, c.token)
			if r.StatusCode != 404 || string(r.body) != string(never.body) {
				t.Errorf("%s: %d %s", c.what, r.StatusCode, r.body)
			}
			sameHeaders(t, c.what, r.Header, never.Header)
		}
	}
	// The links of a file in a public version change nothing for readers, and what is
	// taken out of the working copy is no longer what the link opens.
	s.Ada.do("DELETE", unfinished, nil).is(204)
	s.Ada.do("POST", article+"/publish", nil).is(201)
	for _, tok := range []string{token, expired, "x"} {
		if r := get(s.Anon, file, tok).is(200); string(r.body) != "hello" {
			t.Errorf("a public file with a link is %q", r.body)
		}
	}
	draft := s.Ada.upload(article, "b.txt", []byte("draft"))
	if r := get(s.Anon, lastNumber(t, draft), token).is(200); string(r.body) != "draft" {
		t.Errorf("a new file of the working copy is %q", r.body)
	}
	s.Ada.do("DELETE", draft, nil).is(204)
	get(s.Anon, lastNumber(t, draft), token).refuses(404, "File not found")
	s.Anon.get(fmt.Sprintf("/files/%d?private_link=%s&private_link=%s", lastNumber(t, draft), token, expired)).refuses(400, "private_link")
	// A link opens nothing but its article and is never written to the log.
	for _, at := range []string{other, other + "/files", article + "/embargo", article + "/private_links", "/v2/account", "/v2/account/articles"} {
		if r := s.Anon.get(at + "?private_link=" + token); r.StatusCode != 401 && !strings.HasPrefix(at, other) || strings.HasPrefix(at, other) && r.StatusCode != 404 {
			t.Errorf("%s answered %d", at, r.StatusCode)
		}
	}
	s.Anon.get(fmt.Sprintf("/v2/articles/%d?private_link=%s", lastNumber(t, other), token)).refuses(404, "")
	if strings.Contains(s.logs.String(), token) {
		t.Error("the log has a link's token")
	}
}

// Under an embargo readers do not get the files, holders of a private link to the article do.
func TestLinkEmbargo(t *testing.T) {
	s := start(t)
	for _, kind := range []string{`"file", "embargo_date": "0"`, `"article", "embargo_date": "2099-01-01"`} {
		at := s.Ada.article(`{"title": "Under embargo", "authors": [{"name": "Grace Hopper"}]}`)
		file := fmt.Sprintf("/files/%d", lastNumber(t, s.Ada.upload(at, "a.txt", []byte("hello"))))
		s.Ada.send("PUT", at+"/embargo", `{"is_embargoed": true, "embargo_type": `+kind+`}`).is(205)
		s.Ada.do("POST", at+"/publish", nil).is(201)
		token := s.Ada.link(at, "")
		s.Anon.get(file).refuses(404, "File not found")
		if r := s.Anon.get(file + "?private_link=" + token).is(200); string(r.body) != "hello" {
			t.Errorf("embargo of %s: the file is %q", kind, r.body)
		}
		s.Ada.do("DELETE", at+"/private_links/"+token, nil).is(204)
		s.Anon.get(file+"?private_link="+token).refuses(404, "File not found")
	}
}

// Once disabling a link is acknowledged, it opens the file no more; until then every answer is
// the whole file or a refusal (security.md J10).
func TestLinkDisableWhileDownloading(t *testing.T) {
	t.Parallel()
	s := start(t)
	article := s.Ada.article(`{"title": "With a file"}`)
	file := lastNumber(t, s.Ada.upload(article, "a.bin", random(100_000, 1)))
	token := s.Ada.link(article, "")
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
	s.Ada.do("DELETE", article+"/private_links/"+token, nil).is(204)
	close(gone)
	readers.Wait()
}
