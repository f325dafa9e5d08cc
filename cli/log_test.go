package cli

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"alcove/config"
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
