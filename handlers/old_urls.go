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
			item, ok := bucket.ByOldPath(tx, p)
			switch {
			case ok && item.A == bucket.KindArticle && bucket.PublicArticles.Has(tx, item.B):
				to = a.Settings.API("/articles/%d", item.B)
				return nil
			case ok && item.A == bucket.KindCollection && bucket.PublicCollections.Has(tx, item.B):
				to = a.Settings.API("/collections/%d", item.B)
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
