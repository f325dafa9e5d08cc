package access

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/tests/routes"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// A fault of the server is 500 on every route, with the three fields and nothing of the cause,
// which stands in the log under the request's id. The server goes on.
func TestPanicAnswered(t *testing.T) {
	s := stage.New(t)
	signedIn := s.SignedIn(s.Member("Lovelace"), world.Password).Scripts()
	s.Stop()
	const cause = "what went wrong"
	broken := func(h *handlers.API) http.Handler {
		table := routes.Table(h)
		for i := range table {
			table[i].Endpoint = endpoint.Plain(func(*endpoint.Call) (endpoint.Reply, error) {
				if i%2 == 0 {
					panic(cause)
				}
				return endpoint.Reply{}, errors.New(cause)
			})
		}
		return routes.NewMux(h, table)
	}
	s.BootWith(broken, slog.New(slog.NewTextHandler(s.Logs, nil)))
	var ids []string
	for _, r := range routes.All() {
		req, err := http.NewRequest(r.Method, s.URL+s.At(r), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "token "+s.Ada.Token)
		if r.Access == endpoint.Session {
			req.Header.Set("Cookie", signedIn.Session)
		}
		res, err := world.NoRedirects.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		routes.Suite.Saw(t, req, res, body)
		(&world.Reply{Response: res, T: t, Bytes: body}).Refuses(500, "Internal server error")
		if strings.Contains(string(body), cause) {
			t.Errorf("%s %s tells %s", r.Method, r.Path, body)
		}
		ids = append(ids, res.Header.Get("X-Request-Id"))
	}
	s.Stop()
	log := s.Logs.String()
	for _, id := range ids {
		if id == "" || !strings.Contains(log, id) {
			t.Errorf("request %q is not in the log", id)
		}
	}
	if n := strings.Count(log, cause); n < len(ids) {
		t.Errorf("the log tells %d causes of %d", n, len(ids))
	}
}
