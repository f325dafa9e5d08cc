package handlers

import (
	"log/slog"
	"time"
)

// RequestLine is what the log says of a request that was answered.
type RequestLine struct {
	Method, Route  string
	Status         int
	Bytes, Millis  int64
	Request        string // its id
	Remote         string // the address of the client
	Account, Actor int64  // whom the call acts as, 0 for nobody, and who holds the token
}

// RequestLog is a log's handler that writes the lines of requests quicker than their records.
type RequestLog interface {
	// HandleRequest writes what Handle would write of line.Record(at, slog.LevelInfo). It reports
	// false when it has written nothing.
	HandleRequest(at time.Time, line *RequestLine) bool
}

// Record is the line for any handler.
func (l *RequestLine) Record(at time.Time, level slog.Level) slog.Record {
	r := slog.NewRecord(at, level, "request", 0)
	r.AddAttrs(slog.String("method", l.Method), slog.String("route", l.Route), slog.Int("status", l.Status), slog.Int64("bytes", l.Bytes),
		slog.Int64("ms", l.Millis), slog.String("request", l.Request), slog.String("remote", l.Remote))
	if l.Account != 0 || l.Actor != 0 {
		r.AddAttrs(slog.Int64("account", l.Actor))
		if l.Actor != l.Account {
			r.AddAttrs(slog.Int64("as", l.Account))
		}
	}
	return r
}
