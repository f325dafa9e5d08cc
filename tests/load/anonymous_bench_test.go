package load

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/cli"
	"alcove/cli/operate"
	"alcove/config"
	"alcove/handlers"
	"alcove/tests/routes"
)

// BenchmarkAnonymous times public answers, none of them cached, beside a page of the list of
// articles: none may take more than ten times as long. There are 20,000 articles, all of them in
// one collection.
func BenchmarkAnonymous(b *testing.B) {
	const items = 20_000
	cfg := config.Default()
	cfg.Data, cfg.Listen, cfg.TLS, cfg.BaseURL = filepath.Join(b.TempDir(), "data"), "127.0.0.1:0", "off", hotURL
	fillHot(b, cfg.Data, items)
	var handler http.Handler
	s, err := cli.StartServer(cfg, func(h *handlers.API) http.Handler {
		handler = routes.NewRouter(h)
		return handler
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Stop()
	token, err := operate.AddToken(context.Background(), s.DB(), "a@example.org", "collection")
	if err != nil {
		b.Fatal(err)
	}
	at := "http://" + s.Address() + "/v2/account/collections"
	benchCall(b, "POST", at, token, `{"title": "All of them", "authors": [{"name": "A B"}], "articles": [1]}`)
	benchCall(b, "POST", at+"/1/publish", token, "")
	if err := s.DB().Update(context.Background(), 0, func(tx *bucket.Tx) error {
		key := bucket.Pair{A: 1, B: 1}
		v, err := published.CollectionVersions.Get(tx, key)
		if err != nil {
			return err
		}
		for v.Articles = nil; len(v.Articles) < items; {
			v.Articles = append(v.Articles, int64(len(v.Articles)+1))
		}
		return published.CollectionVersions.Put(tx, key, v)
	}); err != nil {
		b.Fatal(err)
	}
	benchCall(b, "POST", "http://"+s.Address()+"/v2/articles/search", "", `{"search_for": "tide"}`) // waits for the index
	for _, target := range []string{
		"GET /v2/articles", "GET /v2/articles?page_size=1000", "GET /v2/articles?page=900", "GET /v2/articles?order=views", "GET /v2/articles?item_type=8", "GET /v2/articles?group=77",
		"GET /v2/articles?published_since=1950-01-01&modified_since=1950-01-01", "GET /v2/articles/7", "GET /v2/articles/7/versions", "GET /v2/articles/7/versions/1",
		"GET /v2/collections", "GET /v2/collections/1", "GET /v2/collections/1/articles", "GET /v2/collections/1/articles?page=900", "GET /v2/collections/1/versions", "GET /v2/collections/1/versions/1",
		"GET /v2/projects", "GET /v2/licenses", "GET /v2/categories", "GET /v2/item_types", "GET /v2/openapi.json", "GET /v2/docs", "GET /healthz", "GET /readyz",
		`POST /v2/articles/search {}`, `POST /v2/articles/search {"search_for": "tide"}`, `POST /v2/articles/search {"search_for": "NOT nothing"}`,
		`POST /v2/articles/search {"search_for": "tide OR water OR came OR late OR high", "order": "views"}`, `POST /v2/articles/search {"search_for": "tide AND NOT zebra", "group": 77}`,
		`POST /v2/articles/search {"search_for": "` + strings.Repeat("tide OR ", 400) + `water"}`, `POST /v2/collections/search {"search_for": "them"}`, `POST /v2/projects/search {"search_for": "none"}`,
	} {
		method, path, _ := strings.Cut(target, " ")
		path, body, _ := strings.Cut(path, " ")
		b.Run(fmt.Sprintf("%.70s", target), func(b *testing.B) {
			turn := "?"
			if strings.Contains(path, "?") {
				turn = "&"
			}
			for n := 0; b.Loop(); n++ {
				r, err := http.NewRequest(method, hotURL+path+turn+"turn="+strconv.Itoa(n), io.NopCloser(strings.NewReader(body)))
				if err != nil {
					b.Fatal(err)
				}
				if r.ContentLength = int64(len(body)); body == "" {
					r.Body = http.NoBody
				}
				w := &quiet{http.Header{}}
				handler.ServeHTTP(w, r)
			}
		})
	}
}
