package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"alcove/bucket"
	"alcove/bucket/compaction"
	"alcove/bucket/lock"
	"alcove/cli/command"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// compact writes the database of a data directory again, without its free pages.
func compact(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	read := command.Settings(fs, "data", "disk-floor")
	asJSON := command.JSONFlag(fs)
	if err := c.Parse(fs, args, 0); err != nil {
		return err
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	show, clear := compactBar()
	r, err := bucket.Compact(ctx, cfg.Data, compaction.Options{Floor: cfg.DiskFloor, Note: show})
	clear()
	switch {
	case errors.Is(err, lock.ErrInUse):
		return fmt.Errorf("a server or another command uses %s; stop it, compact, and start it again", cfg.Data)
	case err != nil:
		return err
	case *asJSON:
		return command.PrintJSON(r)
	}
	fmt.Printf("%s had %d bytes, %d of them in free pages, and has %d now\n", bucket.FileName, r.Before, r.Free, r.After)
	return nil
}

// compactBar shows on a terminal how far compacting is, until clear.
func compactBar() (show func(stage string, done, all int64), clear func()) {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return nil, func() {}
	}
	const steps = 1000
	begins := map[string]int64{compaction.StageLook: 0, compaction.StageCopy: 200, compaction.StageCompare: 750, compaction.StageReplace: 990}
	ends := map[string]int64{compaction.StageLook: 200, compaction.StageCopy: 750, compaction.StageCompare: 990, compaction.StageReplace: steps}
	bar := progressbar.NewOptions(steps, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionClearOnFinish())
	var shown time.Time
	show = func(stage string, done, all int64) {
		if done > 0 && time.Since(shown) < 200*time.Millisecond {
			return
		}
		shown = time.Now()
		bar.Describe(fmt.Sprintf("%s: %d of %d MiB", stage, done>>20, all>>20))
		_ = bar.Set64(begins[stage] + (ends[stage]-begins[stage])*done/max(1, all))
	}
	return show, func() {
		_ = bar.Exit()
		fmt.Fprintln(os.Stderr)
	}
}

// databaseFigures are the metrics of the database's file.
func (s *Server) databaseFigures(t *exposition) {
	free, size := s.db.Free()
	t.family("alcove_store_bytes", "gauge", "Bytes of the database.")
	t.sample(float64(size))
	t.family("alcove_store_free_bytes", "gauge", "Those of its pages that nothing uses; alcove compact gives them back.")
	t.sample(float64(free))
}

// tellFree tells in the log when compacting is worth the stop.
func (s *Server) tellFree() {
	if s.db.WorthCompacting() {
		free, size := s.db.Free()
		s.log.Warn("more than half of the database is free pages, which each commit lists; stop the server and run alcove compact", "bytes", size, "free", free)
	}
}
