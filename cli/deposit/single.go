package deposit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Client makes single calls as a deposit makes its many: with its token, its patience, and nothing sent twice that must not
// be done twice.
type Client struct{ c *client }

// NewClient is a client of the server that o names.
func NewClient(o Options) (*Client, error) {
	o.Parallel, o.clock = 1, o.clock.orReal()
	c, err := newClient(o)
	if err != nil {
		return nil, err
	}
	return &Client{c}, nil
}

// Close ends the connections that are kept open.
func (c *Client) Close() { c.c.close() }

// Read reads a path of the API, behind /v2, into out.
func (c *Client) Read(ctx context.Context, path string, out any) error {
	return c.c.get(ctx, path, out)
}

// Change makes a call that changes something, with a body unless it is nil, and reads the reply into out unless that is nil.
// It returns what the server warns of.
func (c *Client) Change(ctx context.Context, method, path string, body, out any) (warnings []string, err error) {
	var text []byte
	if body != nil {
		if text, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("cannot make the request: %w", err)
		}
	}
	err = c.c.onceOnly(ctx, func() error {
		r, err := c.c.call(ctx, method, path, text)
		if err != nil {
			return err
		}
		warnings, _ = r.warnings()
		for _, line := range r.header.Values("X-Warnings") {
			if line = clean(line); !slices.Contains(warnings, line) {
				warnings = append(warnings, line)
			}
		}
		if out != nil {
			return r.decode(out)
		}
		return nil
	})
	return warnings, err
}

// Status is the status of a reply that was a refusal, and 0 for any other error.
func Status(err error) int {
	var reply *replyError
	if errors.As(err, &reply) {
		return reply.Status
	}
	return 0
}

// Refused reports whether an error says that the token is not accepted.
func Refused(err error) bool {
	s := Status(err)
	return s == http.StatusUnauthorized || s == http.StatusForbidden && strings.Contains(strings.ToLower(err.Error()), "token")
}

// Clean makes text of a server fit for one line of output.
func Clean(text string) string { return clean(text) }
