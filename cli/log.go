package cli

import (
	"fmt"
	"io"
	"log/slog"

	"alcove/config"
)

// newLog is the log that a configuration asks for, slog's own. Each line is written at once.
func newLog(cfg config.Config, w io.Writer) *slog.Logger {
	log, _ := newLeveledLog(cfg, w)
	return log
}

// newLeveledLog is newLog with its level, which can be set while it is written.
func newLeveledLog(cfg config.Config, w io.Writer) (*slog.Logger, *slog.LevelVar) {
	level := new(slog.LevelVar)
	setLevel(level, cfg)
	o := &slog.HandlerOptions{Level: level}
	if cfg.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, o)), level
	}
	return slog.New(slog.NewTextHandler(w, o)), level
}

func setLevel(level *slog.LevelVar, cfg config.Config) {
	if err := level.UnmarshalText([]byte(cfg.LogLevel)); err != nil {
		panic(fmt.Sprintf("log level %q passed the check of the configuration", cfg.LogLevel))
	}
}
