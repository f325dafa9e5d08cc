package main_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"alcove/handlers"
	"alcove/tests/disk"
	"alcove/tests/routes"
	"alcove/tests/stage"
)

// fuzzed is a staged server that a fuzz target asks without a connection. Every now and then it
// starts again on a copy of the stage, so that the writes of one input do not shape all later
// ones.
type fuzzed struct {
	*stage.Stage
	handler http.Handler
	kept    string // the data directory as it was staged
	faults  *faults
	Asked   []rawRequest // since the last start
}

// rawRequest is a request, as the parts that a fuzzer changes.
type rawRequest struct {
	Method, Target string
	Headers        string // lines
	Body           []byte
	Who            byte // no account, Ada, Ben, Root
}

func (a rawRequest) String() string {
	return fmt.Sprintf("%d: %q %.300q, headers %.300q, body %.2000q", a.Who%4, a.Method, a.Target, a.Headers, a.Body)
}

const (
	fuzzFresh = 2000             // requests between two starts
	fuzzLong  = 20 * time.Second // in which a request must be answered, on a busy machine
	fuzzStuck = 50 * time.Second // publishing waits for checks, half a minute at most
)

// newFuzzed stages a server. prepare may add to the stage.
func newFuzzed(f *testing.F, prepare func(*stage.Stage)) *fuzzed {
	f.Helper()
	z := &fuzzed{Stage: stage.New(f), kept: filepath.Join(f.TempDir(), "kept")}
	if prepare != nil {
		prepare(z.Stage)
	}
	z.Stop()
	disk.CopyTree(f, z.Cfg.Data, z.kept)
	z.fresh(f)
	return z
}

// fresh starts the server on a copy of what was staged.
func (z *fuzzed) fresh(t testing.TB) {
	t.Helper()
	was := z.T
	z.T = t // of a fuzz target only its own may be used
	defer func() { z.T = was }()
	if z.Asked != nil {
		z.Stop()
	}
	z.Asked, z.faults = []rawRequest{}, &faults{}
	if err := os.RemoveAll(z.Cfg.Data); err != nil {
		t.Fatal(err)
	}
	disk.CopyTree(t, z.kept, z.Cfg.Data)
	router := func(h *handlers.API) http.Handler {
		z.handler = routes.NewRouter(h)
		return z.handler
	}
	z.BootWith(router, slog.New(z.faults))
}

// Hide writes names for the secrets of the stage, which differ in every process; show puts them
// back.
func (z *fuzzed) Hide(text string) string { return z.secrets(false).Replace(text) }

func (z *fuzzed) show(text string) string { return z.secrets(true).Replace(text) }

func (z *fuzzed) secrets(show bool) *strings.Replacer {
	var pairs []string
	for name, secret := range map[string]string{"{upload}": z.IDs[":token"], "{link}": z.IDs[":link_id"], "{collectionlink}": z.Collection[":link_id"], "{ada}": z.Ada.Token, "{ben}": z.Ben.Token} {
		if show {
			pairs = append(pairs, name, secret)
		} else {
			pairs = append(pairs, secret, name)
		}
	}
	return strings.NewReplacer(pairs...)
}

// Request is what the server of net/http would hand to the handler, nil where it would
// refuse by itself.
func (z *fuzzed) Request(a rawRequest) *http.Request {
	head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\n", a.Method, z.show(a.Target))
	for line := range strings.SplitSeq(z.show(a.Headers), "\n") {
		if strings.Trim(line, "\r ") != "" {
			head += strings.TrimRight(line, "\r") + "\r\n"
		}
	}
	if token := []string{"", z.Ada.Token, z.Ben.Token, z.Root.Token}[a.Who%4]; token != "" {
		head += "Authorization: token " + token + "\r\n"
	}
	lower := strings.ToLower(head)
	if len(a.Body) > 0 && !strings.Contains(lower, "\ncontent-length:") && !strings.Contains(lower, "\ntransfer-encoding:") {
		head += fmt.Sprintf("Content-Length: %d\r\n", len(a.Body))
	}
	r, err := http.ReadRequest(bufio.NewReader(io.MultiReader(strings.NewReader(head+"\r\n"), bytes.NewReader(a.Body))))
	if err != nil || r.RequestURI == "*" || r.Header.Get("Expect") != "" || len(head) > 32<<10 {
		return nil
	}
	for _, values := range r.Header {
		for _, v := range values {
			if strings.ContainsFunc(v, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
				return nil
			}
		}
	}
	r.RemoteAddr = "192.0.2.7:4711"
	return r
}

// Send asks the server. Whatever it is asked, it answers, in time, with what is stated, and
// nothing in it breaks. An answer is nil where none was due.
func (z *fuzzed) Send(t *testing.T, a rawRequest) *httptest.ResponseRecorder {
	t.Helper()
	stuck := time.AfterFunc(fuzzStuck, func() {
		debug.SetTraceback("all")
		panic(fmt.Sprintf("%v is not answered\n%s", a, z.before()))
	})
	defer stuck.Stop()
	if len(z.Asked) >= fuzzFresh {
		z.fresh(t)
	}
	r := z.Request(a)
	if r == nil {
		return nil
	}
	z.Asked = append(z.Asked, a)
	w, begin := httptest.NewRecorder(), time.Now()
	aborted := z.serve(w, r)
	if took := time.Since(begin); took > fuzzLong {
		t.Errorf("%v: took %v", a, took)
	}
	if lines := z.faults.take(); lines != "" || aborted {
		t.Fatalf("%v: %s\n%s", a, lines, z.before())
	}
	switch full := w.Code == 503 || w.Code == 507; {
	case w.Code >= 500 && !full:
		t.Fatalf("%v: answered %d %s\n%s", a, w.Code, w.Body, z.before())
	case w.Code >= 400 && r.Method != "HEAD":
		page := strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") // a form that is shown again
		oauth := strings.HasPrefix(r.URL.Path, "/v2/token")                    // RFC 6749, 5.2
		if why := refusal(w.Body.Bytes()); why != "" && !page && !oauth {
			t.Fatalf("%v: answered %d, %s: %s", a, w.Code, why, w.Body)
		}
	}
	if kind := w.Header().Get("Content-Type"); strings.HasPrefix(kind, "application/json") && w.Body.Len() > 0 && !json.Valid(w.Body.Bytes()) {
		t.Fatalf("%v: answered %d with what is no JSON: %.500q", a, w.Code, w.Body)
	}
	return w
}

// serve reports whether the handler broke off.
func (z *fuzzed) serve(w http.ResponseWriter, r *http.Request) (aborted bool) {
	defer func() {
		if p := recover(); p != nil {
			if p != http.ErrAbortHandler {
				panic(p)
			}
			aborted = true
		}
	}()
	z.handler.ServeHTTP(w, r)
	return false
}

// before lists the last requests: one input alone may not be all that a failure needs.
func (z *fuzzed) before() string {
	last := z.Asked[max(0, len(z.Asked)-20):]
	var text strings.Builder
	fmt.Fprintf(&text, "the last of %d requests:\n", len(z.Asked))
	for _, a := range last {
		fmt.Fprintln(&text, a)
	}
	return text.String()
}

// refusal says what is wrong with the body of an error, if anything is.
func refusal(body []byte) string {
	var e struct {
		Message, Code *string
		Data          map[string]any
	}
	var all map[string]any
	if json.Unmarshal(body, &e) != nil || json.Unmarshal(body, &all) != nil || len(all) != 3 || e.Message == nil || *e.Message == "" || e.Code == nil || e.Data == nil {
		return "which is not message, code and data"
	}
	return ""
}

// faults are the lines of a log that say that something broke: all errors but those of
// requests, whose statuses tell the same.
type faults struct {
	mu    sync.Mutex
	lines []string
}

func (l *faults) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelError }

func (l *faults) WithAttrs([]slog.Attr) slog.Handler { return l }

func (l *faults) WithGroup(string) slog.Handler { return l }

func (l *faults) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "request" {
		return nil
	}
	line := r.Message
	r.Attrs(func(a slog.Attr) bool {
		line += " " + a.String()
		return true
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	return nil
}

func (l *faults) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := strings.Join(l.lines, "\n")
	l.lines = nil
	return text
}
