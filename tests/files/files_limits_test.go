package files

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// A link is stored when a browser may be sent there; the server never follows it (security.md
// H01, H04).
func TestFileLinks(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var visits atomic.Int64
	trap := &http.Server{ConnState: func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			visits.Add(1)
		}
	}}
	go trap.Serve(l)
	defer trap.Close()
	port := l.Addr().(*net.TCPAddr).Port

	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Elsewhere", "authors": [{"name": "Grace Hopper"}]}`)
	for _, link := range []string{
		"file:///etc/passwd", "gopher://127.0.0.1/", "data:text/html,x", "ftp://example.org/x", "javascript:alert(1)", "JavaScript://x/%0aalert(1)",
		"http://", "http:///x", "http://:80/x", "//example.org/x", "/etc/passwd", "example.org", "https://ada:pw@example.org/",
		"http://example.org/\r\nSet-Cookie: a=b", " http://example.org", "http:example.org", "https://exa mple.org/", "http://[::1", "http://a\x7fb/",
		"https://example.org/" + strings.Repeat("x", 8192),
	} {
		b, _ := json.Marshal(map[string]string{"link": link})
		s.Ada.Send("POST", at+"/files", string(b)).Refuses(422, "link")
	}
	links := []string{}
	for _, host := range []string{"127.0.0.1", "[::1]", "0.0.0.0", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "localhost.", "LOCALHOST"} {
		links = append(links, fmt.Sprintf("http://%s:%d/data.csv?token=own", host, port))
	}
	links = append(links, "http://169.254.169.254/latest/meta-data", "HTTPS://example.org/a?b=c#d", "https://example.org/ü ber/%20?q=é", "https://example.org")
	for i, link := range links {
		b, _ := json.Marshal(map[string]string{"link": link})
		s.Ada.Send("POST", at+"/files", string(b)).Is(201)
		f := s.Ada.Get(fmt.Sprintf("%s/files/%d", at, i+1)).Is(200).Object()
		if f["is_link_only"] != true || f["download_url"] != link || f["size"] != 0.0 || f["status"] != "available" || f["upload_url"] != nil || f["name"] == "" {
			t.Errorf("link %s became %v", link, f)
		}
		s.Ada.Do("POST", fmt.Sprintf("%s/files/%d", at, i+1), nil).Is(202)
	}
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	for i, link := range links {
		want := strings.NewReplacer("ü ", "%C3%BC%20", "é", "%C3%A9").Replace(link)
		for _, c := range []world.Client{s.Anon, s.Ada} {
			r := c.Get(fmt.Sprintf("/files/%d?private_link=alcove-secret&access_token=%s", i+1, c.Token)).Is(302)
			if r.Header.Get("Location") != want || r.Header.Get("Referrer-Policy") != "no-referrer" || strings.Contains(fmt.Sprint(r.Header)+string(r.Bytes), "secret") {
				t.Errorf("link %s answers %v", link, r.Header)
			}
		}
	}
	if list := s.Anon.Get("/v2/articles/1/files").List(); len(list) != len(links) || list[0]["download_url"] != links[0] {
		t.Errorf("public list %v", list)
	}
	if one := s.Anon.Get("/v2/articles/1").Object(); one["has_linked_file"] != true {
		t.Errorf("has_linked_file is %v", one["has_linked_file"])
	}
	if n := visits.Load(); n != 0 {
		t.Errorf("the server went to a link %d times", n)
	}
}

// Limits count announced bytes, and give them back once (security.md F22, F16, I12).
func TestFileLimits(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.AccountQuota, c.MaxFileSize, c.FilesPerArticle = 100, 60, 3 })
	at := s.Ada.Article(`{"title": "At the limit"}`)
	if a := s.Ada.Get("/v2/account").Object(); a["maximum_file_size"] != 60.0 || a["quota"] != 100.0 || a["maximum_files_per_article"] != 3.0 {
		t.Errorf("account %v", a)
	}
	s.Ada.Send("POST", at+"/files", `{"name": "a", "size": 61}`).Refuses(422, "larger than this server accepts")
	big, _ := s.Ada.BeginAs(at, `{"name": "a", "size": 60}`)
	full := s.Ada.Send("POST", at+"/files", `{"name": "a", "size": 41}`).Refuses(422, "quota")
	if data := fmt.Sprint(full.Object()["data"]); data != "map[available:40 quota:100]" {
		t.Errorf("over the quota: %s", data)
	}
	small := s.Ada.Upload(at, "a", disk.Random(40, 1))
	s.Ada.Send("POST", at+"/files", `{"name": "a", "size": 1}`).Refuses(422, "quota")
	s.Ada.Send("POST", at+"/files", `{"name": "a", "size": 0}`).Is(201)
	s.Ada.Send("POST", at+"/files", `{"link": "https://example.org"}`).Refuses(422, "as many files")
	s.Ben.Send("POST", s.Ben.Article(`{"title": "Own quota"}`)+"/files", `{"name": "a", "size": 60}`).Is(201)
	if got := s.Ada.FileQuota(); got != "100+0=100" {
		t.Errorf("used %s", got)
	}
	var wait sync.WaitGroup
	var deleted atomic.Int64
	for range 8 {
		wait.Go(func() {
			req, _ := http.NewRequest("DELETE", s.URL+big, nil)
			req.Header.Set("Authorization", "token "+s.Ada.Token)
			if res, err := world.NoRedirects.Do(req); err == nil && res.StatusCode == 204 {
				deleted.Add(1)
			}
		})
	}
	wait.Wait()
	if got := s.Ada.FileQuota(); got != "40+0=40" || deleted.Load() != 1 {
		t.Errorf("used %s after %d deletions", got, deleted.Load())
	}
	if own := s.Ada.Get(at).Object(); own["size"] != 40.0 {
		t.Errorf("the size of the item is %v", own["size"])
	}
	// A limit that was lowered below what is used hinders only what takes more space.
	s.Stop()
	s.Cfg.AccountQuota = 30
	s.Boot()
	s.Ada.Send("POST", at+"/files", `{"name": "a", "size": 1}`).Refuses(422, "quota")
	s.Ada.Send("POST", at+"/files", `{"link": "https://example.org"}`).Is(201)
	s.Ada.Do("DELETE", small, nil).Is(204)
	if got := s.Ada.FileQuota(); got != "0+0=0" {
		t.Errorf("used %s in the end", got)
	}
}

// The detail has the first files, the list has all of them, page by page.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.FilesInDetail = 7 })
	at := s.Ada.Article(`{"title": "Many files", "authors": [{"name": "Grace Hopper"}]}`)
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			for range 13 {
				req, _ := http.NewRequest("POST", s.URL+at+"/files", strings.NewReader(`{"link": "https://example.org/x"}`))
				req.Header.Set("Authorization", "token "+s.Ada.Token)
				if res, err := world.NoRedirects.Do(req); err != nil || res.StatusCode != 201 {
					t.Error(err, res)
				} else {
					res.Body.Close()
				}
			}
		})
	}
	wait.Wait()
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	for _, c := range []struct {
		who  world.Client
		item string
	}{{s.Ada, at}, {s.Anon, "/v2/articles/1"}} {
		detail := c.who.Get(c.item).Is(200).Object()
		if files := detail["files"].([]any); len(files) != 7 || files[6].(map[string]any)["id"] != 7.0 {
			t.Errorf("%s shows %d files", c.item, len(files))
		}
		next := 1.0
		for page := 1; ; page++ {
			list := c.who.Get(fmt.Sprintf("%s/files?page=%d&page_size=100", c.item, page)).Is(200).List()
			for _, f := range list {
				if f["id"] != next {
					t.Fatalf("%s: file %v where %v should be", c.item, f["id"], next)
				}
				next++
			}
			if len(list) < 100 {
				break
			}
		}
		if all := c.who.Get(c.item + "/files").List(); next != 261 || len(all) != 260 {
			t.Errorf("%s: pages hold %v files, the list %d", c.item, next-1, len(all))
		}
		c.who.Get(c.item+"/files?page=0").Refuses(422, "page")
		c.who.Get(c.item+"/files?page_size=1001").Refuses(422, "page_size")
	}
}
