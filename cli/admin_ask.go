package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/bucket/identity"
	"alcove/bucket/lock"
)

// ask carries a task out on the data directory, whether a server runs or not, and returns
// its result.
func ask[R any](ctx context.Context, dir string, t task) (result R, err error) {
	b, err := perform(ctx, dir, t)
	if err != nil {
		return result, err
	}
	return decoded[R](b)
}

func decoded[R any](b json.RawMessage) (result R, err error) {
	if err := json.Unmarshal(b, &result); err != nil {
		return result, fmt.Errorf("cannot read the result: %w", err)
	}
	return result, nil
}

func perform(ctx context.Context, dir string, t task) (json.RawMessage, error) {
	if err := identity.Admit(dir); err != nil {
		return nil, err
	}
	var result json.RawMessage
	var err error
	// A server may start or stop between two looks; a few rounds are enough.
	for range 10 {
		if result, err = performDirect(ctx, dir, t); !errors.Is(err, lock.ErrInUse) {
			return result, err
		}
		if result, err = performRemote(ctx, dir, t); !errors.Is(err, errNoServer) {
			return result, err
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, fmt.Errorf("cannot reach the server that uses %s", dir)
}

func performDirect(ctx context.Context, dir string, t task) (result json.RawMessage, err error) {
	db, err := bucket.Open(dir, bucket.Options{Existing: true})
	if err != nil {
		return nil, err
	}
	defer func() {
		if cerr := db.Close(); err == nil {
			err = cerr
		}
	}()
	return t.encoded(ctx, opened{dir: dir, db: db})
}

// maxResult bounds what is read of a server's answer, in bytes.
const maxResult = 256 << 20

func performRemote(ctx context.Context, dir string, t task) (json.RawMessage, error) {
	res, err := askServer(ctx, dir, "/task", t, 30*time.Second)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var o outcome
	if err := json.NewDecoder(io.LimitReader(res.Body, maxResult)).Decode(&o); err != nil {
		return nil, fmt.Errorf("cannot read the server's answer: %w", err)
	}
	if o.Error != "" {
		return nil, errors.New(o.Error)
	}
	return o.Result, nil
}

// askServer sends a body to a path of the admin socket. The whole answer must come within patience, 0 for any time.
func askServer(ctx context.Context, dir, at string, what any, patience time.Duration) (*http.Response, error) {
	path := filepath.Join(dir, socketName)
	if note, err := os.ReadFile(filepath.Join(dir, socketNote)); err == nil {
		path = strings.TrimSpace(string(note))
	}
	client := &http.Client{Timeout: patience, Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		},
	}}
	body, err := json.Marshal(what)
	if err != nil {
		return nil, fmt.Errorf("cannot ask the server: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://alcove"+at, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("cannot ask the server: %w", err)
	}
	res, err := client.Do(req)
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return nil, errNoServer
	}
	if err != nil {
		return nil, fmt.Errorf("cannot ask the server: %w", err)
	}
	return res, nil
}
