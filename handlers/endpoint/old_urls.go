package endpoint

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/bucket/working"
	"alcove/record"
)

// forward answers a request for an address at which readers found an item before it was
// here with the address that it has now: 301, to nowhere but this server. Other errors than
// that there is no such address stay what they are.
func (a *Server) forward(c *Call, w *recorder, refused error) error {
	if errors.Is(refused, record.ErrSignInNeeded) && c.Browser() {
		return a.leadToSignIn(c, w)
	}
	if !errors.Is(refused, record.ErrNotFound) || c.Method != http.MethodGet && c.Method != http.MethodHead {
		return refused
	}
	path := record.RequestedPath(c.Request.URL)
	if strings.HasPrefix(path, "/v2/") {
		return refused
	}
	to, err := a.Moved(c)
	if err != nil {
		return err
	}
	if to == "" {
		return refused
	}
	w.Header()["Cache-Control"] = []string{"max-age=3600"} // the item may be withdrawn
	w.Header()["Vary"] = []string{"Accept"}
	w.Header().Set("Location", to)
	a.write(c, w, http.StatusMovedPermanently, nil)
	return nil
}

// Moved is the address of the public item that readers found elsewhere at the path of a request: of
// its page for a browser, otherwise in the API. It is "" where there is none.
func (a *Server) Moved(c *Call) (to string, err error) {
	path := record.RequestedPath(c.Request.URL)
	bare, _, _ := strings.Cut(path, "?")
	err = a.DB.View(func(tx *bucket.Tx) error {
		for _, p := range []string{path, bare} {
			item, ok := working.ByOldPath(tx, p)
			switch {
			case ok && item.A == record.KindArticle && published.Articles.Has(tx, item.B):
				if to = a.Settings.API("/articles/%d", item.B); c.Browser() {
					to = a.Settings.SiteURL + "/articles/" + strconv.FormatInt(item.B, 10)
				}
				return nil
			case ok && item.A == record.KindCollection && published.Collections.Has(tx, item.B):
				to = a.Settings.API("/collections/%d", item.B)
				return nil
			}
		}
		return nil
	})
	return to, err
}
