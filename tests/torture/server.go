package main

import (
	"context"
	"encoding/json"
	"fmt"

	"alcove/tests/child"
)

// server is the program under test.
type server struct{ *child.Server }

// newServer is a server that does not run yet.
func newServer(bin, data, log string) (*server, error) {
	s, err := child.New(bin, data, log)
	return &server{s}, err
}

// people makes accounts in the data directory, while no server runs, and returns a token
// of each.
func (s *server) people(ctx context.Context, n int) ([]string, error) {
	var tokens []string
	for i := range n {
		email := fmt.Sprintf("writer%d@example.org", i)
		token, err := s.Signed(ctx, email, "Writer", fmt.Sprint(i))
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, token)
	}
	return tokens, nil
}

// harmed is what the indexes of the running server had that was of no use when they were
// opened; empty for nothing.
func (s *server) harmed(ctx context.Context) string {
	out, err := s.Run(ctx, "index", "status", "--json", "--data", s.Data)
	if err != nil {
		return err.Error()
	}
	var sides []struct {
		Name    string `json:"index"`
		Failed  int    `json:"failed"`
		Problem string `json:"problem"`
	}
	if err := json.Unmarshal([]byte(out), &sides); err != nil || len(sides) != 2 {
		return fmt.Sprintf("the status of the index cannot be read: %v: %s", err, out)
	}
	for _, side := range sides {
		if side.Failed > 0 {
			return fmt.Sprintf("the %s index was found of no use %d times: %s", side.Name, side.Failed, side.Problem)
		}
	}
	return ""
}

// check runs "alcove check" on the data directory, in the server when it runs, and
// returns what it has found; empty when all is whole.
func (s *server) check(ctx context.Context) string {
	out, err := s.Run(ctx, "check", "--json", "--data", s.Data)
	if err == nil {
		return ""
	}
	return fmt.Sprintf("%v: %.3000s", err, out)
}
