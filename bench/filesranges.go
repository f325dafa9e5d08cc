package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

const rangePiece = 64 << 10

// rangeClients is how many connections take ranges at once. With one alone most of what is measured
// is how a server waits for its next request.
const rangeClients = 8

// ranges takes pieces of 64 KiB at places of chance, on several connections and then on one.
func (r *filesRun) ranges(ctx context.Context, ours, nginx *server) error {
	header, err := r.rangeHeader(ctx, ours)
	if err != nil {
		return err
	}
	floor, err := r.startFloor(ctx, header)
	if err != nil {
		return err
	}
	defer floor.stop()
	if err := r.sameRange(ctx, ours.base()+"/files/1", floor.base()+"/bare"); err != nil {
		return err
	}
	for _, how := range []struct {
		what    string
		clients int
	}{{"64 KiB ranges", rangeClients}, {"64 KiB ranges one after another", 1}} {
		for _, c := range []struct {
			name string
			s    *server
			url  string
		}{
			{"nginx", nginx, nginx.base() + "/large"},
			{"bare handler", floor, floor.base() + "/bare"},
			{"net/http.ServeFile", floor, floor.base() + "/large"},
			{"Alcove", ours, ours.base() + "/files/1"},
		} {
			if err := r.takeRanges(ctx, how.what+", "+c.name, c.s, c.url, how.clients); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeRanges measures a server that some clients take ranges from.
func (r *filesRun) takeRanges(ctx context.Context, what string, s *server, url string, clients int) error {
	const count = 8000
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	wall, cpu, err := r.timed(s, func() error {
		failed := make([]error, clients)
		var all sync.WaitGroup
		for i := range clients {
			all.Go(func() { failed[i] = r.takeSome(ctx, client, url, uint64(i), count/clients) })
		}
		all.Wait()
		return errors.Join(failed...)
	})
	if err != nil {
		return err
	}
	r.results.add(what+", a second", count/wall.Seconds())
	r.results.add(what+", server CPU µs each", float64(cpu.Microseconds())/count)
	return nil
}

func (r *filesRun) takeSome(ctx context.Context, client *http.Client, url string, seed uint64, count int) error {
	places := rand.New(rand.NewPCG(1, seed))
	for range count {
		res, err := askRange(ctx, client, url, places.Int64N(r.size-rangePiece))
		if err != nil {
			return err
		}
		n, err := io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if err != nil || n != rangePiece || res.StatusCode != http.StatusPartialContent {
			return fmt.Errorf("a range was answered with %d and %d bytes: %w", res.StatusCode, n, err)
		}
	}
	return nil
}

// askRange asks for the piece at one offset.
func askRange(ctx context.Context, client *http.Client, url string, at int64) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", at, at+rangePiece-1))
	return client.Do(req)
}

// rangeHeader keeps the header lines with which Alcove answers a range, and tells the file.
func (r *filesRun) rangeHeader(ctx context.Context, ours *server) (string, error) {
	res, err := askRange(ctx, http.DefaultClient, ours.base()+"/files/1", 0)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	res.Header.Del("Date") // every server says its own
	text, err := json.Marshal(res.Header)
	path := filepath.Join(r.dir, "range.json")
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("cannot keep the header lines: %w", err)
	}
	return path, nil
}

// sameRange fails unless two servers answer a range with the same header lines and bytes.
func (r *filesRun) sameRange(ctx context.Context, one, other string) error {
	var got [2]answer
	for i, url := range []string{one, other} {
		res, err := askRange(ctx, http.DefaultClient, url, r.size/3)
		if err != nil {
			return err
		}
		got[i].status, got[i].header = res.StatusCode, res.Header
		got[i].body, err = io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			return err
		}
	}
	if err := sameBytes(got[0], got[1]); err != nil {
		return fmt.Errorf("the bare handler does not send a range as Alcove does: %w", err)
	}
	return nil
}

// bareRanges is what a range of a file costs with net/http and nothing else: the file stays open,
// all header lines but one are made, and the system moves the bytes.
type bareRanges struct {
	header http.Header
	size   int64
	files  chan *os.File // one for each client, as their offsets matter
}

func newBareRanges(path, header string) (*bareRanges, error) {
	b := &bareRanges{files: make(chan *os.File, rangeClients)}
	text, err := os.ReadFile(header)
	if err == nil {
		err = json.NewDecoder(bytes.NewReader(text)).Decode(&b.header)
	}
	for range rangeClients {
		var file *os.File
		if err == nil {
			file, err = os.Open(path)
		}
		if err == nil {
			b.size, err = file.Seek(0, io.SeekEnd)
			b.files <- file
		}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot prepare the bare handler: %w", err)
	}
	return b, nil
}

func (b *bareRanges) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	from, to, _ := strings.Cut(strings.TrimPrefix(q.Header.Get("Range"), "bytes="), "-")
	first, bad := strconv.ParseInt(from, 10, 64)
	last, worse := strconv.ParseInt(to, 10, 64)
	if bad != nil || worse != nil || first > last || last >= b.size {
		http.Error(w, "no such range", http.StatusBadRequest)
		return
	}
	h := w.Header()
	for name, values := range b.header {
		h[name] = values
	}
	h["Content-Range"] = []string{"bytes " + strconv.FormatInt(first, 10) + "-" + strconv.FormatInt(last, 10) + "/" + strconv.FormatInt(b.size, 10)}
	h["Content-Length"] = []string{strconv.FormatInt(last-first+1, 10)}
	w.WriteHeader(http.StatusPartialContent)
	file := <-b.files
	defer func() { b.files <- file }()
	if _, err := file.Seek(first, io.SeekStart); err == nil {
		_, _ = io.CopyN(w, file, last-first+1) // what does not arrive whole the client notices
	}
}
