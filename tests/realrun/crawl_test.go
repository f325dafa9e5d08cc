package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// strange is a server with one article and one file, whose search knows some words.
func strange(t *testing.T, article, note, file string, known ...string) *site {
	mux := http.NewServeMux()
	say := func(pattern, text string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) })
	}
	say("GET /v2/openapi.json", `{"paths": {"/v2/articles": {"get": {}}, "/v2/articles/{id}": {"get": {}},
		"/files/{file_id}": {"get": {}}, "/v2/account/articles": {"post": {}}}}`)
	say("GET /v2/{kind}", "[]")
	say("GET /files/2", file)
	mux.HandleFunc("GET /v2/articles/1", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Note", note)
		fmt.Fprint(w, article)
	})
	mux.HandleFunc("POST /v2/{kind}/search", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		for _, word := range known {
			if r.PathValue("kind") == "articles" && strings.Contains(string(body), word) {
				fmt.Fprint(w, `[{"id": 1}]`)
				return
			}
		}
		fmt.Fprint(w, "[]")
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return newSite(server.URL)
}

// A crawl sees what leaks, wherever it stands, and knows when it is blind.
func TestCrawl(t *testing.T) {
	h := &hoard{words: newWords(), articles: []int64{1}, files: map[int64][]int64{1: {2}}}
	secret, title := h.hide("a draft"), h.show("the title of an item")
	key := strings.Repeat("0a", 16)
	h.keep(key, "a private link")
	tests := []struct {
		name                string
		article, note, file string
		known               []string
		want                string
	}{
		{"nothing wrong", title, "", "bytes", []string{title}, ""},
		{"a body", title + secret, "", "", []string{title}, "GET /v2/articles/1 shows a draft"},
		{"in capitals", title + strings.ToUpper(secret), "", "", []string{title}, "GET /v2/articles/1 shows a draft"},
		{"a header", title, secret, "", []string{title}, "GET /v2/articles/1 in X-Note shows a draft"},
		{"a file", title, "", secret, []string{title}, "GET /files/2 shows a draft"},
		{"a token", title, "", "?private_link=" + key, []string{title}, "GET /files/2 shows a private link"},
		{"a search", title, "", "", []string{title, secret}, "POST /v2/articles/search for it shows a draft"},
		{"a blind reader", "", "", "", []string{title}, "no address shows strangers the title of an item"},
		{"a blind search", title, "", "", nil, "no search finds the title of an item"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			clear(h.seen)
			got, err := strange(t, tt.article, tt.note, tt.file, tt.known...).crawl(context.Background(), h)
			if err != nil {
				t.Fatal(err)
			}
			if all := strings.Join(got, "\n"); tt.want == "" && all != "" || !strings.Contains(all, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// Every gap of an address is filled with what belongs there.
func TestAddresses(t *testing.T) {
	c := &crawler{hoard: &hoard{articles: []int64{1, 2}, collections: []int64{3}, projects: []int64{4}, files: map[int64][]int64{1: {5}, 2: {6}}}}
	for pattern, want := range map[string]string{
		"/v2/licenses":                                    "/v2/licenses",
		"/v2/articles/{id}/versions/{version}":            "/v2/articles/1/versions/1 /v2/articles/1/versions/2 /v2/articles/2/versions/1 /v2/articles/2/versions/2",
		"/v2/articles/{id}/files/{file_id}":               "/v2/articles/1/files/5 /v2/articles/1/files/5 /v2/articles/2/files/6 /v2/articles/2/files/5",
		"/files/{file_id}":                                "/files/5 /files/6",
		"/v2/collections/{id}/articles":                   "/v2/collections/3/articles",
		"/v2/account/projects/{id}/articles/{article_id}": "/v2/account/projects/4/articles/1",
		"/upload/{token}":                                 "/upload/1",
		"/articles/{id}/versions/{version}":               "/articles/1/versions/1 /articles/1/versions/2 /articles/2/versions/1 /articles/2/versions/2",
	} {
		if got := strings.Join(c.addresses(pattern), " "); got != want {
			t.Errorf("%s\n is %s\nnot %s", pattern, got, want)
		}
	}
}
