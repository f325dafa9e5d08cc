package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// The bare server is net/http and nothing else: what every Go server pays. It is this
// program again, started as
//
//	bench bare LISTEN DIR [CERT KEY]
//
// A file DIR/NAME is an answer of Alcove. At /NAME stands that very answer, with its status,
// every header line and its body; at /log/NAME the same with one line in a log; at /body/NAME the
// status and the body alone, as a handler that only writes would do. Bodies posted to /durable
// are stored before the answer, as DIR/created says.
func bare(args []string) error {
	if len(args) != 2 && len(args) != 4 {
		return errors.New("usage: bench bare LISTEN DIR [CERT KEY]")
	}
	out, err := os.Create(filepath.Join(args[1], "..", "bare.lines"))
	if err != nil {
		return fmt.Errorf("cannot write a log: %w", err)
	}
	mux, err := bareMux(args[1], slog.New(slog.NewJSONHandler(&gathered{to: out}, nil)))
	if err != nil {
		return err
	}
	s := &http.Server{Addr: args[0], Handler: mux}
	if len(args) == 4 {
		return s.ListenAndServeTLS(args[2], args[3])
	}
	return s.ListenAndServe()
}

func bareMux(dir string, log *slog.Logger) (*http.ServeMux, error) {
	mux := http.NewServeMux()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return nil, fmt.Errorf("cannot look for answers: %w", err)
	}
	for _, path := range names {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("cannot read an answer: %w", err)
		}
		var a kept
		if err := json.Unmarshal(text, &a); err != nil {
			return nil, fmt.Errorf("cannot read the answer %s: %w", path, err)
		}
		for name, values := range a.Header {
			a.lines = append(a.lines, headerLine{name, values})
		}
		name := filepath.Base(path)
		mux.HandleFunc("/"+name, a.whole)
		mux.HandleFunc("/body/"+name, a.bodyAlone)
		if name == "created" {
			d, err := newDurable(filepath.Join(dir, "..", "bare.posted"), &a)
			if err != nil {
				return nil, err
			}
			mux.Handle("POST /durable", d)
		}
		mux.HandleFunc("/log/"+name, func(w http.ResponseWriter, r *http.Request) {
			a.whole(w, r)
			log.Info("request", "method", r.Method, "path", r.URL.Path, "status", a.Status, "bytes", len(a.Body),
				"duration", "0.000051", "remote", r.RemoteAddr, "id", a.Header.Get("X-Request-Id"))
		})
	}
	return mux, nil
}

// kept is an answer in a file.
type kept struct {
	Status int
	Header http.Header // Date is not among them: every server says its own
	Body   []byte

	lines []headerLine // Header as a list, which is quicker to go through
}

type headerLine struct {
	name   string
	values []string
}

func (a *kept) whole(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	for _, l := range a.lines {
		h[l.name] = l.values
	}
	w.WriteHeader(a.Status)
	w.Write(a.Body)
}

func (a *kept) bodyAlone(w http.ResponseWriter, _ *http.Request) {
	if len(a.Body) == 0 {
		w.WriteHeader(a.Status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(a.Body)
}

// gathered writes lines to a file 32 KiB at a time. Its contents are lost when the process ends:
// they are not read.
type gathered struct {
	to      *os.File
	lock    sync.Mutex
	waiting []byte
}

func (g *gathered) Write(line []byte) (n int, err error) {
	g.lock.Lock()
	defer g.lock.Unlock()
	if g.waiting = append(g.waiting, line...); len(g.waiting) > 32<<10 {
		_, err = g.to.Write(g.waiting)
		g.waiting = g.waiting[:0]
	}
	return len(line), err
}

// startBare serves answers, by their names, under the same certificate as Alcove.
func startBare(ctx context.Context, dir string, cert *certificate, answers map[string]answer) (*server, error) {
	folder := filepath.Join(dir, "answers")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("cannot keep the answers: %w", err)
	}
	for name, a := range answers {
		header := a.header.Clone()
		header.Del("Date")
		text, err := json.Marshal(kept{Status: a.status, Header: header, Body: a.body})
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), text, 0o600)
		}
		if err != nil {
			return nil, fmt.Errorf("cannot keep the answers: %w", err)
		}
	}
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find this program: %w", err)
	}
	listen, err := freeAddress()
	if err != nil {
		return nil, err
	}
	args := []string{"bare", listen, folder}
	if cert != nil {
		args = append(args, cert.cert, cert.key)
	}
	s, err := startServer(ctx, dir, "bare", listen, "/list", cert != nil, program, args...)
	if err != nil {
		return nil, err
	}
	for name, a := range answers {
		got, err := s.ask(get("/"+name, ""))
		if err == nil {
			err = sameBytes(a, got)
		}
		if err != nil {
			s.stop()
			return nil, fmt.Errorf("the bare handler of %s does not write what Alcove writes: %w", name, err)
		}
	}
	return s, nil
}

// sameBytes fails unless two answers are the same on the wire: the status, the body, and
// the header lines but for the values of Date and X-Request-Id, whose lengths count.
func sameBytes(want, got answer) error {
	if want.status != got.status || string(want.body) != string(got.body) {
		return fmt.Errorf("status %d with a body of %d bytes, not %d with %d", got.status, len(got.body), want.status, len(want.body))
	}
	a, b := lines(want.header), lines(got.header)
	if !slices.Equal(a, b) {
		return fmt.Errorf("header lines %q, not %q", b, a)
	}
	return nil
}

func lines(h http.Header) (all []string) {
	for name, values := range h {
		for _, v := range values {
			if name == "Date" || name == "X-Request-Id" {
				v = strings.Repeat("x", len(v))
			}
			all = append(all, name+": "+v)
		}
	}
	slices.Sort(all)
	return all
}
