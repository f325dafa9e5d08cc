package access

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/tests/disk"
	"alcove/tests/routes"
	"alcove/tests/world"
)

// caller has an account, a private link to the item, both, or neither. An account is known by a token or by a session.
type caller struct {
	name    string
	token   string
	session string // secret of one of the account, which stands for the token on pages, and wherever there is none
	site    string // where its browser says that a request comes from (Sec-Fetch-Site)
	like    string // the caller that it gets the same as, "" for the one of its name
	link    func(*planted) map[string]string
	prepare func(*world.Server) // what must have happened before the call
}

// row is the name of the caller in the table.
func (c caller) row() string { return cmp.Or(c.like, c.name) }

// matrixServer is a server on a copy of the plot. Requests go to its handler directly, without
// a connection: there are some fifty thousand.
type matrixServer struct {
	*world.Server
	plot    *plot
	caller  caller
	handler http.Handler
	route   routes.Route      // that is tried
	nevers  map[string]string // answers for ids that never were
}

// newWorld starts a world for a caller.
func (p *plot) newWorld(t *testing.T, who caller) *matrixServer {
	t.Helper()
	w := &matrixServer{plot: p, caller: who, nevers: map[string]string{}}
	w.fresh(t)
	t.Cleanup(func() {
		w.Stop()
		w.CheckStore()
	})
	return w
}

// fresh starts the world again, as it was planted.
func (w *matrixServer) fresh(t *testing.T) {
	t.Helper()
	if w.Server != nil {
		w.Stop()
		os.RemoveAll(w.Cfg.Data)
	}
	w.Server = &world.Server{T: t, Cfg: w.plot.cfg, Logs: nil}
	w.Cfg.Data = t.TempDir()
	for _, part := range []string{"pages", bucket.FileName, "blobs", "uploads", "index"} {
		disk.CopyTree(t, w.plot.cfg.Data+"/"+part, w.Cfg.Data+"/"+part)
	}
	router := func(h *handlers.API) http.Handler {
		w.handler = routes.NewRouter(h)
		return w.handler
	}
	w.BootWith(router, slog.New(slog.DiscardHandler))
	if w.caller.prepare != nil {
		w.caller.prepare(w.Server)
	}
}

// heard is what a request got.
type heard struct {
	*httptest.ResponseRecorder
	path string
}

// text is the answer with its headers, for a search in it.
func (a heard) text() string {
	b := strings.Builder{}
	for _, values := range a.Header() {
		for _, v := range values {
			b.WriteString(v + "\n")
		}
	}
	return b.String() + a.body()
}

// body is the body without the address that was asked for, which the page of a refusal has in its
// links to other languages.
func (a heard) body() string {
	return strings.ReplaceAll(a.Body.String(), fmt.Sprintf(`href="%s?lang=`, a.path), `href="?lang=`)
}

// told is all that an answer tells: another one for which it is the same cannot be told
// from it.
func (a heard) told() string {
	return fmt.Sprint(a.Code, "\n", world.ErrorHeaders(a.Header()), "\n", a.body())
}

// bySession reports whether the caller is known by its session on the route.
func (w *matrixServer) bySession() bool {
	return w.caller.session != "" && (w.caller.token == "" || w.route.Access == endpoint.Session)
}

// send sends a request as the caller of the world, with its link to the item if it has one.
func (w *matrixServer) send(method, path, link, body string, headers ...string) heard {
	if link != "" {
		path += map[bool]string{false: "?", true: "&"}[strings.Contains(path, "?")] + "private_link=" + link
	}
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.Host = "localhost"
	switch {
	case w.bySession():
		req.Header.Set("Cookie", "__Host-alcove="+w.caller.session)
		req.Header.Set("Sec-Fetch-Site", cmp.Or(w.caller.site, "same-origin"))
	case w.caller.token != "":
		req.Header.Set("Authorization", "token "+w.caller.token)
	}
	if _, is := routes.WithForm[routeName(w.route)]; is {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	if strings.HasPrefix(path, "/s/") {
		req.Header.Set("Accept", "text/html")
	}
	a := heard{httptest.NewRecorder(), path}
	w.handler.ServeHTTP(a, req)
	return a
}
