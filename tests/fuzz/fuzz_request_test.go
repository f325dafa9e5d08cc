package main_test

import (
	stdmaps "maps"
	"slices"
	"strings"
	"testing"

	"alcove/tests/routes"
)

// oddHeaders are added to some of the seeds of FuzzRequest.
var oddHeaders = []string{
	"If-Match: \"x\", *", "If-None-Match: W/\"a\"", "If-Modified-Since: Mon, 02 Jan 2006 15:04:05 GMT", "Range: bytes=0-3,-1",
	"X-Cursor: 00000000-0000-0000-0000-000000000000", "X-Forwarded-For: 1.2.3.4, ::1", "Transfer-Encoding: chunked", "Content-Type: text/plain",
	"Accept: application/xml\nAccept-Encoding: gzip", "Origin: https://evil.example\nAccess-Control-Request-Method: PUT", "Cookie: a=b", "Content-Length: 5",
}

var oddQueries = []string{
	"?page=1&page_size=10", "?limit=3&offset=9999", "?order=views&order_direction=asc", "?published_since=2020-02-30", "?access_token={ada}", "?private_link={link}",
	"?private_link={collectionlink}", "?impersonate=2", "?token={ben}", "?doi=10.5072%2Falcove.1", "?handle=&group=1&item_type=3", "?storage=group&roles=owner,viewer", "?a=%00;b=%ff",
}

// Any bytes as method, address, headers and body, from any caller, are answered with a stated
// status, never 500 (security.md D24).
func FuzzRequest(f *testing.F) {
	z := newFuzzed(f, nil)
	for i, r := range routes.All() {
		body := routes.WithJSON[r.Method+" "+r.Path]
		at := z.Hide(z.At(r))
		f.Add(r.Method, at, "", []byte(body.Good), byte(1))
		f.Add(r.Method, at+oddQueries[i%len(oddQueries)], oddHeaders[i%len(oddHeaders)], []byte(body.Wrong), byte(i))
	}
	for _, h := range oddHeaders {
		f.Add("GET", "/files/"+z.Public[":file_id"], h, []byte("5\r\nhello\r\n0\r\n\r\n"), byte(0))
	}
	for _, q := range oddQueries {
		f.Add("GET", "/v2/articles"+q, "", []byte{}, byte(0))
		f.Add("GET", "/v2/account/projects"+q, "", []byte{}, byte(1))
	}
	f.Fuzz(func(t *testing.T, method, target, headers string, body []byte, who byte) {
		z.Send(t, rawRequest{Method: method, Target: target, Headers: headers, Body: body, Who: who})
	})
}

// A body is taken or refused as a whole, and the refusal is one of those stated (security.md
// D24).
func FuzzWriters(f *testing.F) {
	z := newFuzzed(f, nil)
	byName := map[string]routes.Route{}
	for _, r := range routes.All() {
		byName[r.Method+" "+r.Path] = r
	}
	names := slices.Sorted(stdmaps.Keys(routes.WithJSON))
	for i, name := range names {
		f.Add(byte(i), []byte(routes.WithJSON[name].Good))
		f.Add(byte(i), []byte(routes.WithJSON[name].Wrong))
	}
	for i, body := range []string{
		`{"title": "A \ud83d\ude00 title", "description": "<p>x</p>", "tags": ["a", "A"], "keywords": null, "references": ["https://a.example"], "categories": [1, 37], "authors": [{"id": 1}, {"name": "A B", "email": "a@b.example", "orcid_id": "0000-0002-1825-0097"}]}`,
		`{"title": "abc", "custom_fields": {"a": [1.0, "x"]}, "custom_fields_list": [{"name": "n", "value": true}], "defined_type": "dataset", "funding": "x", "funding_list": [{"title": "A grant"}], "license": 1, "doi": "10.1/x", "timeline": {"firstOnline": "2020-01-02"}, "related_materials": [{"identifier": "10.1/x", "identifier_type": "DOI", "relation": "Cites"}]}`,
		`{"is_embargoed": true, "embargo_type": "article", "embargo_date": "2999-01-01T00:00:00Z", "embargo_title": "t", "embargo_reason": "r", "embargo_options": [{"id": 0, "type": "logged_in"}]}`,
		`{"search_for": "a AND (b OR NOT :title: c)", "order": "views", "order_direction": "asc", "page": 1, "page_size": 100, "published_since": "2020-01-01", "resource_doi": "10.1/x"}`,
		`{"name": "a.txt", "size": 5, "md5": "5d41402abc4b2a76b9719d911017c592", "folder_path": "a/b"}`, `{"expires_date": "2999-01-01", "read_only": false}`,
		`{"resource_id": "x", "resource_doi": "10.1/x", "resource_link": "https://x.example", "resource_title": "t", "resource_version": 1}`, `{"articles": [2], "group_id": 1}`,
	} {
		for n := i; n < len(names); n += 8 {
			f.Add(byte(n), []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, n byte, body []byte) {
		r := byName[names[int(n)%len(names)]]
		before := z.Sequence()
		w := z.Send(t, rawRequest{Method: r.Method, Target: z.At(r), Headers: "", Body: body, Who: 1})
		again := len(z.Asked) == 1 // since before
		if w != nil && w.Code >= 400 && z.Sequence() != before && !again {
			t.Errorf("%s %s refused %q with %d, and changed the store", r.Method, r.Path, body, w.Code)
		}
		if w != nil && w.Code < 400 && !strings.Contains(r.Path, "/search") && len(body) > 0 && body[0] != '{' && !strings.ContainsRune(" \t\r\n", rune(body[0])) {
			t.Errorf("%s %s took %q", r.Method, r.Path, body)
		}
	})
}
