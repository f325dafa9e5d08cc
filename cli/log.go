package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"alcove/config"
	"alcove/handlers"
)

// newLog is the log that a configuration asks for. Lines up to the level Info may wait for more,
// a tenth of a second at most; those above go out at once, with all before them, and a server
// that stops waits for none. Only a process that is killed loses lines.
func newLog(cfg config.Config, w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.LogLevel)); err != nil {
		panic(fmt.Sprintf("log level %q passed the check of the configuration", cfg.LogLevel))
	}
	out := &lines{to: w}
	h := &lineHandler{out: out, level: level, json: cfg.LogFormat == "json"}
	o := &slog.HandlerOptions{Level: level}
	if h.json {
		h.Handler = slog.NewJSONHandler(out, o)
	} else {
		h.Handler = slog.NewTextHandler(out, o)
	}
	return slog.New(h)
}

const (
	linesWait = 100 * time.Millisecond
	linesRoom = 32 << 10 // bytes that wait at most
)

// lines gathers lines for a writer. Its methods are safe for concurrent use.
type lines struct {
	to      io.Writer
	mu      sync.Mutex
	waiting []byte
	spare   []byte // a room for those that come next
	due     bool   // a flush will come

	writing sync.Mutex // held by the goroutine that writes to the writer; taken while mu is held, so that lines keep their order
}

// Write takes a line. Lines that the writer cannot take are lost: there is nowhere to report it.
func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	l.waiting = append(l.waiting, line...)
	if len(l.waiting) > linesRoom {
		l.write()
		return len(line), nil
	}
	if !l.due {
		l.due = true
		time.AfterFunc(linesWait, func() {
			l.mu.Lock()
			l.due = false
			l.write()
		})
	}
	l.mu.Unlock()
	return len(line), nil
}

// flushLog writes what waits in a log that newLog made.
func flushLog(log *slog.Logger) {
	if h, ok := log.Handler().(*lineHandler); ok {
		h.out.flush()
	}
}

// flush writes all lines that were taken before.
func (l *lines) flush() {
	l.mu.Lock()
	l.write()
}

// write passes on what waits, when what was passed on before has been written. The lock mu is
// held, and given back before the writer is waited for: other goroutines may go on with their
// lines.
func (l *lines) write() {
	l.writing.Lock()
	text := l.waiting
	l.waiting, l.spare = l.spare[:0], nil
	l.mu.Unlock()
	if len(text) > 0 {
		_, _ = l.to.Write(text)
	}
	l.writing.Unlock() // first: who has mu may be waiting for it
	l.mu.Lock()
	l.spare = text
	l.mu.Unlock()
}

// lineHandler writes the very lines of slog's own handler, and those that need no quoting,
// as the ones of requests, in a fraction of its time.
type lineHandler struct {
	slog.Handler
	out   *lines
	level slog.Level
	json  bool

	second second
}

// second is the text of the last second that a line was written in: of the time only the
// milliseconds differ between most lines and the ones before them.
type second struct{ last atomic.Pointer[secondText] }

type secondText struct {
	at         int64 // Unix seconds
	in         *time.Location
	head, tail string // around the digits of the milliseconds
}

// append appends a time as slog's text handler writes it.
func (s *second) append(b []byte, t time.Time) []byte {
	have := s.last.Load()
	if have == nil || have.at != t.Unix() || have.in != t.Location() {
		have = &secondText{t.Unix(), t.Location(), t.Format("2006-01-02T15:04:05."), t.Format("Z07:00")}
		s.last.Store(have)
	}
	ms := t.Nanosecond() / int(time.Millisecond)
	b = append(b, have.head...)
	b = append(b, byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10))
	return append(b, have.tail...)
}

func (h *lineHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= h.level }

func (h *lineHandler) Handle(ctx context.Context, r slog.Record) error {
	var room [512]byte
	if line, ok := h.plain(room[:0], &r); ok {
		_, err := h.out.Write(line)
		return err
	}
	err := h.Handler.Handle(ctx, r)
	if r.Level > slog.LevelInfo {
		h.out.flush()
	}
	return err
}

// HandleRequest writes the line of a request that was answered without a fault, unless it
// has to be made the long way.
func (h *lineHandler) HandleRequest(at time.Time, r *handlers.RequestLine) bool {
	if !bare(r.Method) || !bare(r.Route) || !bare(r.Request) || !bare(r.Remote) {
		return false
	}
	var room [512]byte
	l := h.begin(room[:0], at, "request")
	l.text("method", r.Method)
	l.text("route", r.Route)
	l.number("status", int64(r.Status))
	l.number("bytes", r.Bytes)
	l.number("ms", r.Millis)
	l.text("request", r.Request)
	l.text("remote", r.Remote)
	if r.Account != 0 || r.Actor != 0 {
		l.number("account", r.Actor)
		if r.Actor != r.Account {
			l.number("as", r.Account)
		}
	}
	_, err := h.out.Write(l.end())
	return err == nil
}

// plain appends the line of a record at the level Info; false when it has to be made the
// long way.
func (h *lineHandler) plain(b []byte, r *slog.Record) ([]byte, bool) {
	if r.Level != slog.LevelInfo || r.Time.IsZero() || !bare(r.Message) {
		return nil, false
	}
	l, plain := h.begin(b, r.Time, r.Message), true
	r.Attrs(func(a slog.Attr) bool {
		switch a.Value.Kind() {
		case slog.KindInt64:
			l.number(a.Key, a.Value.Int64())
		case slog.KindString:
			l.text(a.Key, a.Value.String())
			plain = plain && bare(a.Value.String())
		default:
			plain = false
		}
		plain = plain && bare(a.Key)
		return plain
	})
	return l.end(), plain
}

// plainLine is a line that is put together of names and texts that need no quoting.
type plainLine struct {
	b    []byte
	json bool
}

// begin begins a line of the level Info with its time and message.
func (h *lineHandler) begin(b []byte, at time.Time, message string) plainLine {
	if h.json {
		b = append(b, `{"time":"`...)
		b = append(at.AppendFormat(b, time.RFC3339Nano), `","level":"INFO","msg":"`...)
		return plainLine{append(append(b, message...), '"'), true}
	}
	b = append(h.second.append(append(b, "time="...), at), " level=INFO msg="...)
	return plainLine{append(b, message...), false}
}

func (l *plainLine) name(key string) {
	if l.json {
		l.b = append(append(append(l.b, `,"`...), key...), `":`...)
		return
	}
	l.b = append(append(append(l.b, ' '), key...), '=')
}

func (l *plainLine) text(key, value string) {
	l.name(key)
	if l.json {
		l.b = append(append(append(l.b, '"'), value...), '"')
		return
	}
	l.b = append(l.b, value...)
}

func (l *plainLine) number(key string, value int64) {
	l.name(key)
	l.b = strconv.AppendInt(l.b, value, 10)
}

func (l *plainLine) end() []byte {
	if l.json {
		l.b = append(l.b, '}')
	}
	return append(l.b, '\n')
}

// bare reports whether a text needs no quotes in a text line and no escapes in JSON.
func bare(s string) bool {
	for i := range len(s) {
		if !bareBytes[s[i]] {
			return false
		}
	}
	return s != ""
}

var bareBytes = func() (bare [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/:.-_*[]") {
		bare[c] = true
	}
	return bare
}()
