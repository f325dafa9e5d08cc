package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"alcove/config"
	"alcove/handlers"
)

// Every line is the one that slog's own handler writes.
func TestLogLines(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 30, 5, 120_450_000, time.FixedZone("", 3600))
	for _, format := range []string{"text", "json"} {
		var ours, theirs bytes.Buffer
		log := newLog(config.Config{LogFormat: format, LogLevel: "info"}, &ours)
		var want slog.Handler = slog.NewTextHandler(&theirs, nil)
		if format == "json" {
			want = slog.NewJSONHandler(&theirs, nil)
		}
		for _, level := range []slog.Level{slog.LevelInfo, slog.LevelWarn, slog.LevelError, slog.LevelInfo + 1} {
			for _, text := range []string{
				"", "request", "/v2/articles/:id", "127.0.0.1", "::1", "a b", "a=b", `a"b`, "ü", "\n", "<b>", "-", "\x00", "\xff", "a,b", "{}", "[::1]:80", "null", "*",
			} {
				for _, attrs := range [][]slog.Attr{
					nil,
					{slog.String("route", text), slog.Int("status", 200), slog.Int64("ms", -7)},
					{slog.String(text, "value")},
					{slog.Any("error", errors.New(text)), slog.Duration("took", time.Second), slog.Bool("yes", true), slog.Float64("f", 1e21), slog.Uint64("u", 1)},
					{slog.Group("g", slog.Int("a", 1)), slog.Time("at", at), slog.Any("nothing", nil)},
				} {
					for _, message := range []string{"request", text} {
						r := slog.NewRecord(at, level, message, 0)
						r.AddAttrs(attrs...)
						if err := errors.Join(log.Handler().Handle(context.Background(), r), want.Handle(context.Background(), r)); err != nil {
							t.Fatal(err)
						}
						flushLog(log)
						if ours.String() != theirs.String() {
							t.Errorf("%s, %q %q: the line is\n%swant\n%s", format, message, text, &ours, &theirs)
						}
						ours.Reset()
						theirs.Reset()
					}
				}
			}
		}
	}
}

// The line of a request is the one that slog's own handler writes of its record, or none.
func TestRequestLines(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 30, 5, 120_450_000, time.FixedZone("", 3600))
	for _, format := range []string{"text", "json"} {
		var ours, theirs bytes.Buffer
		log := newLog(config.Config{LogFormat: format, LogLevel: "info"}, &ours)
		var want slog.Handler = slog.NewTextHandler(&theirs, nil)
		if format == "json" {
			want = slog.NewJSONHandler(&theirs, nil)
		}
		for _, text := range []string{"GET", "", "/v2/articles/:id", "2001:db8::1", "a b", `a"b`, "ü", "a=b", "\n"} {
			for n := range int64(4) {
				line := handlers.RequestLine{Method: text, Route: text, Status: 404, Bytes: 12345, Millis: n, Request: text, Remote: text, Account: n / 2, Actor: n}
				if !log.Handler().(handlers.RequestLog).HandleRequest(at, &line) {
					continue
				}
				if err := want.Handle(context.Background(), line.Record(at, slog.LevelInfo)); err != nil {
					t.Fatal(err)
				}
			}
		}
		flushLog(log)
		if ours.String() != theirs.String() || bytes.Count(ours.Bytes(), []byte("\n")) != 12 {
			t.Errorf("%s: the lines are\n%swant\n%s", format, &ours, &theirs)
		}
	}
}

// Lines of many goroutines come out whole, and each goroutine's in their order.
func TestLogKeepsOrder(t *testing.T) {
	out := &page{}
	log := newLog(config.Config{LogFormat: "text", LogLevel: "info"}, out)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for n := range 2000 {
				log.Info("line", "g", g, "n", n)
			}
		})
	}
	all.Wait()
	flushLog(log)
	next := [4]int{}
	for line := range strings.Lines(out.text.String()) {
		var g, n int
		_, rest, _ := strings.Cut(line, "msg=line ")
		if _, err := fmt.Sscanf(rest, "g=%d n=%d", &g, &n); err != nil || next[g] != n {
			t.Fatalf("after %d lines of goroutine %d comes %q (%v)", next[g], g, line, err)
		}
		next[g]++
	}
	if next != [4]int{2000, 2000, 2000, 2000} {
		t.Errorf("there are %v lines", next)
	}
}

// page is what a log has written. Its methods are safe for concurrent use.
type page struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *page) lines() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return bytes.Count(p.text.Bytes(), []byte("\n"))
}

// Lines wait a tenth of a second at most, and none behind an error.
func TestLogWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &page{}
		log := newLog(config.Config{LogFormat: "text", LogLevel: "info"}, out)
		want := func(n int, when string) {
			t.Helper()
			if got := out.lines(); got != n {
				t.Errorf("%d lines are written %s, want %d", got, when, n)
			}
		}
		log.Info("one")
		want(0, "at once")
		<-time.After(linesWait)
		synctest.Wait()
		want(1, "after a while")
		log.Info("two")
		log.Error("three")
		want(3, "with an error")
		log.Debug("hidden")
		log.Info("four")
		flushLog(log)
		want(4, "at the end")
		<-time.After(linesWait) // for the timer, which ends with the test otherwise
	})
}
