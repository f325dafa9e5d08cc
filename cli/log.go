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
)

// newLog is the log that a configuration asks for. Lines up to the level Info may wait for
// others, a tenth of a second at most; those above go out at once, with all before them,
// and a server that stops waits for none. Only a process that is killed loses lines.
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
	due     bool // a flush will come
}

// Write takes a line. What the writer cannot take is lost: there is nowhere to report it.
func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, line...)
	switch {
	case len(l.waiting) > linesRoom:
		l.write()
	case !l.due:
		l.due = true
		time.AfterFunc(linesWait, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.due = false
			l.write()
		})
	}
	return len(line), nil
}

// flushLog writes what waits in a log that newLog made.
func flushLog(log *slog.Logger) {
	if h, ok := log.Handler().(*lineHandler); ok {
		h.out.flush()
	}
}

func (l *lines) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.write()
}

// write passes on what waits. The lock is held.
func (l *lines) write() {
	if len(l.waiting) > 0 {
		_, _ = l.to.Write(l.waiting)
		l.waiting = l.waiting[:0]
	}
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

// plain appends the line of a record at the level Info; false when it has to be made the
// long way.
func (h *lineHandler) plain(b []byte, r *slog.Record) ([]byte, bool) {
	if r.Level != slog.LevelInfo || r.Time.IsZero() || !bare(r.Message) {
		return nil, false
	}
	quote, colon, comma := "", "=", " "
	if h.json {
		quote, colon, comma = `"`, `":`, `,"`
		b = append(b, `{"`...)
	}
	name := func(key string) { b = append(append(b, key...), colon...) }
	text := func(s string) { b = append(append(append(b, quote...), s...), quote...) }
	name(slog.TimeKey)
	b = append(b, quote...)
	if h.json {
		b = r.Time.AppendFormat(b, time.RFC3339Nano)
	} else {
		b = h.second.append(b, r.Time)
	}
	b = append(append(b, quote...), comma...)
	name(slog.LevelKey)
	text("INFO")
	b = append(b, comma...)
	name(slog.MessageKey)
	text(r.Message)
	plain := true
	r.Attrs(func(a slog.Attr) bool {
		b = append(b, comma...)
		name(a.Key)
		switch a.Value.Kind() {
		case slog.KindInt64:
			b = strconv.AppendInt(b, a.Value.Int64(), 10)
		case slog.KindString:
			text(a.Value.String())
			plain = plain && bare(a.Value.String())
		default:
			plain = false
		}
		plain = plain && bare(a.Key)
		return plain
	})
	if h.json {
		b = append(b, '}')
	}
	return append(b, '\n'), plain
}

// bare reports whether a text needs no quotes in a text line and no escapes in JSON.
func bare(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9',
			c == '/', c == ':', c == '.', c == '-', c == '_', c == '*', c == '[', c == ']':
		default:
			return false
		}
	}
	return s != ""
}
