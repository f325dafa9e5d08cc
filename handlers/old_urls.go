package handlers

import (
	"errors"
	"net/http"
	"strings"

	"alcove/bucket"
	"alcove/record"
)

// forward answers a request for an address at which readers found an item before it was
// here with the address that it has now: 301, to nowhere but this server. Other errors than
// that there is no such address stay what they are.
func (a *API) forward(c *Call, w *recorder, refused error) error {
	if !errors.Is(refused, record.ErrNotFound) || c.Method != http.MethodGet && c.Method != http.MethodHead {
		return refused
	}
	path := record.RequestedPath(c.request.URL)
	if strings.HasPrefix(path, "/v2/") {
		return refused
	}
	bare, _, _ := strings.Cut(path, "?")
	to := ""
	err := a.DB.View(func(tx *bucket.Tx) error {
		for _, p := range []string{path, bare} {
			id, ok := bucket.ArticlesByOldPath.First(tx, bucket.SortKey(p))
			if ok && bucket.PublicArticles.Has(tx, id) {
				to = a.Settings.API("/articles/%d", id)
				return nil
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if to == "" {
		return refused
	}
	w.Header()["Cache-Control"] = []string{"max-age=3600"} // the item may be withdrawn
	w.Header().Set("Location", to)
	a.write(c, w, http.StatusMovedPermanently, nil)
	return nil
}
