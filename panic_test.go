package main

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"alcove/cli"
	"alcove/handlers"
)

// A fault of the server is 500 on every route, with the three fields and nothing of the cause,
// which stands in the log under the request's id. The server goes on.
func TestPanicAnswered(t *testing.T) {
	s := newStage(t)
	s.Stop()
	const cause = "what went wrong"
	broken := func(h *handlers.API) http.Handler {
		table := routes(h)
		for i := range table {
			table[i].Endpoint = handlers.Plain(func(*handlers.Call) (handlers.Reply, error) {
				if i%2 == 0 {
					panic(cause)
				}
				return handlers.Reply{}, errors.New(cause)
			})
		}
		return newMux(h, table)
	}
	var err error
	if s.Server, err = cli.StartServer(s.cfg, broken, slog.New(slog.NewTextHandler(s.logs, nil))); err != nil {
		t.Fatal(err)
	}
	s.URL = s.Server.Config.BaseURL
	var ids []string
	for _, r := range allRoutes() {
		req, err := http.NewRequest(r.Method, s.URL+s.at(r), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "token "+s.Ada.token)
		res, err := noRedirects.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		suite.saw(t, req, res, body)
		(&reply{res, t, body}).refuses(500, "Internal server error")
		if strings.Contains(string(body), cause) {
			t.Errorf("%s %s tells %s", r.Method, r.Path, body)
		}
		ids = append(ids, res.Header.Get("X-Request-Id"))
	}
	s.Stop()
	log := s.logs.String()
	for _, id := range ids {
		if id == "" || !strings.Contains(log, id) {
			t.Errorf("request %q is not in the log", id)
		}
	}
	if n := strings.Count(log, cause); n < len(ids) {
		t.Errorf("the log tells %d causes of %d", n, len(ids))
	}
}
