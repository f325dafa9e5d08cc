package cli

import (
	"fmt"
	"io"
	"log/slog"

	"alcove/config"
)

// newLog is the log that a configuration asks for, slog's own. Each line is written at once.
func newLog(cfg config.Config, w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.LogLevel)); err != nil {
		panic(fmt.Sprintf("log level %q passed the check of the configuration", cfg.LogLevel))
	}
	o := &slog.HandlerOptions{Level: level}
	if cfg.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}
