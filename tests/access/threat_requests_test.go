package access

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"alcove/tests/routes"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// inside is what no answer says: where the program, its data and its parts are.
var inside = regexp.MustCompile(`(?i)goroutine|\.go:\d|panic|bbolt|bleve|scorch|runtime error|/tmp/|/root/|/home/|alcove\.db|SELECT |nil pointer|0x[0-9a-f]{8}`)

// Whatever is wrong with a request, the error says nothing of the server's inside, of other
// accounts, or of the secrets that came with it (security.md C17).
func TestThreatErrorTexts(t *testing.T) {
	t.Parallel()
	s := stage.New(t)
	bodies := []string{"{", "[]", `"x"`, `{"title": 5}`, `{"title": "\u0000"}`, `{"authors": [{"id": 99}], "categories": [1], "articles": [1, 99], "link": "file:///etc/passwd"}`,
		`{"search_for": ":title: ((((\"", "order": "nonsense", "group": "x", "resource_doi": "10.5072/alcove.1"}`, strings.Repeat(`{"a":`, 50)}
	queries := []string{"?page=x&order=nonsense", "?impersonate=99", "?search_for=((((&limit=-1", "?%zz"}
	asked := 0
	look := func(r *world.Reply, sent string) {
		t.Helper()
		if r.StatusCode < 400 {
			return
		}
		asked++
		text := string(r.Bytes) + fmt.Sprint(r.Header)
		if m := inside.FindString(strings.ReplaceAll(text, sent, "")); m != "" || strings.Contains(text, s.Cfg.Data) {
			t.Errorf("%s %s tells %q: %.300s", r.Request.Method, r.Request.URL.Path, m, r.Bytes)
		}
		for _, secret := range []string{s.Ada.Token, s.Ben.Token, "ben@example.org", "root@example.org", s.IDs[":link_id"]} {
			if strings.Contains(text, secret) {
				t.Errorf("%s %s tells %s: %.300s", r.Request.Method, r.Request.URL.Path, secret, r.Bytes)
			}
		}
	}
	for _, r := range routes.All() {
		for i, body := range bodies {
			c := s.Ada
			if i == 5 {
				c = s.Anon
			}
			look(c.Send(r.Method, s.At(r)+queries[i%len(queries)], body), body)
		}
	}
	if asked < 2*len(routes.All()) {
		t.Errorf("only %d errors were seen", asked)
	}
}

// Naming another account's private article or collection, by id, DOI or address, neither finds it
// nor tells whether it is there (security.md A08).
func TestThreatForeignResource(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	const secret = "Zqforeign"
	art := s.Ada.Article(fmt.Sprintf(`{"title": "%s article", "authors": [{"name": "%s author"}]}`, secret, secret))
	doi := s.Ada.Do("POST", art+"/reserve_doi", nil).Is(200).Object()["doi"].(string)
	col := strings.TrimPrefix(s.Ada.Send("POST", "/v2/account/collections", fmt.Sprintf(`{"title": "%s collection"}`, secret)).Is(201).Header.Get("Location"), s.URL)
	article, collection := world.LastNumber(t, art), world.LastNumber(t, col)
	mine := strings.TrimPrefix(s.Ben.Send("POST", "/v2/account/collections", `{"title": "Of Ben", "authors": [{"name": "Ben Tester"}], "categories": [37]}`).Is(201).Header.Get("Location"), s.URL)
	refusal := func(target string) string { // the id that was sent apart
		r := s.Ben.Send("POST", mine+"/articles", fmt.Sprintf(`{"articles": [%s]}`, target)).Is(422)
		return strings.ReplaceAll(string(r.Bytes), target, "N")
	}
	if a, b := refusal(fmt.Sprint(article)), refusal("999999"); a != b {
		t.Errorf("an article of another account is refused as %s, one that never was as %s", a, b)
	}
	for i, there := range []bool{true, false} {
		d, id := doi, collection
		if !there {
			d, id = "10.5072/alcove.999999", 999999
		}
		body, _ := json.Marshal(map[string]any{"resource_id": fmt.Sprint(id), "resource_doi": d, "resource_title": "As I call it", "resource_link": "https://doi.org/" + d, "resource_name": "Name", "resource_version": 1})
		r := s.Ben.Send("POST", mine+"/resource", string(body)).Is(205)
		if i == 0 && bytes.Contains(r.Bytes, []byte(secret)) {
			t.Errorf("it tells %s", r.Bytes)
		}
		s.Ben.Do("POST", mine+"/publish", nil).Is(201)
		for _, at := range []string{mine, fmt.Sprintf("/v2/collections/%d", world.LastNumber(t, mine)), "/v2/collections?resource_doi=" + d, "/v2/articles?resource_doi=" + d, "/v2/articles?doi=" + d} {
			if r := s.Ben.Get(at).Is(200); bytes.Contains(r.Bytes, []byte(secret)) {
				t.Errorf("%s tells %s", at, r.Bytes)
			}
		}
	}
	s.Ada.Get(art).Is(200)
}

var plainName = regexp.MustCompile(`^attachment; filename="([^"]*)"`)

// Names of files can neither leave the folder into which an archive is unpacked nor break the
// headers of a download (security.md G10, F12).
func TestThreatArchiveNames(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	names := []string{"../../etc/cron.d/x", "/abs", `a\..\..\b`, `C:\x`, "..", ".", "....//x", "a/../../b", "con", "x\r\nSet-Cookie: a=b", `"; filename=evil.exe`, "ünïcode\u202egpj.exe", "a\tb", strings.Repeat("n", 255), "~/.ssh/authorized_keys", "-rf"}
	at := s.Ada.Article(`{"title": "Names", "authors": [{"name": "Grace Hopper"}]}`)
	kept := []string{}
	folders := []string{"../..", "/etc", `..\..`, "a/../../..", "."}
	for i := range len(names) + len(folders) {
		name, folder := fmt.Sprintf("plain-%d", i), ""
		if i < len(names) {
			name = names[i]
		} else {
			folder = folders[i-len(names)]
		}
		b, _ := json.Marshal(map[string]any{"name": name, "size": 4, "folder_path": folder})
		r := s.Ada.Send("POST", at+"/files", string(b))
		if r.StatusCode == 422 {
			continue // an answer that stores nothing is as good
		}
		file := strings.TrimPrefix(r.Is(201).Header.Get("Location"), s.URL)
		upload := s.Ada.Get(file).Object()["upload_url"].(string)
		s.Anon.Do("PUT", upload+"/1", strings.NewReader(fmt.Sprintf("%04d", i))).Is(200)
		s.Ada.Do("POST", file, nil).Is(202)
		if f := s.Ada.Until(file, "available"); f["name"] != name {
			t.Errorf("%q came back as %q", name, f["name"])
		}
		kept = append(kept, name)
		r = s.Ada.Get(fmt.Sprintf("/files/%d", world.LastNumber(t, file))).Is(200)
		kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Disposition"))
		plain := plainName.FindStringSubmatch(r.Header.Get("Content-Disposition"))
		if err != nil || kind != "attachment" || params["filename"] == "" || len(r.Header["Set-Cookie"]) > 0 || plain == nil || strings.ContainsAny(plain[1], `/\`) || len(plain[1]) > 1 && plain[1][1] == ':' {
			t.Errorf("%q is sent as %q: %v", name, r.Header.Get("Content-Disposition"), err)
		}
	}
	if len(kept) < 8 {
		t.Fatalf("only %q are stored", kept)
	}
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	body := s.Anon.Get(fmt.Sprintf("/v2/articles/%d/download", world.LastNumber(t, at))).Is(200).Bytes
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range z.File {
		if !filepath.IsLocal(f.Name) || strings.Contains(f.Name, `\`) || strings.ContainsAny(f.Name, "\r\n\x00") || len(f.Name) > 1 && f.Name[1] == ':' || !f.Mode().IsRegular() || seen[strings.ToLower(f.Name)] {
			t.Errorf("the archive has %q with mode %v", f.Name, f.Mode())
		}
		seen[strings.ToLower(f.Name)] = true
	}
	if len(z.File) != len(kept) {
		t.Errorf("the archive has %d files of %d", len(z.File), len(kept))
	}
}
