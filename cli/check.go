package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/term"

	"alcove/blobs"
	"alcove/bucket"
	"alcove/handlers"
)

// checkTask begins a check of what is stored, or ends it; what is returned is how far it is.
type checkTask struct {
	Start bool  `json:"start"`
	Stop  bool  `json:"stop"`
	Rate  int64 `json:"rate"` // bytes a second, 0 for no bound
}

func (t checkTask) do(k *handlers.Checker) handlers.CheckReport {
	if t.Start {
		k.Start(t.Rate)
	}
	if t.Stop {
		k.Interrupt()
	}
	return k.Report()
}

// check reads again all that is stored, in the server when one runs, and otherwise here, and
// names what is damaged.
func check(ctx context.Context, c *command, args []string) error {
	fs := c.flags()
	read := settings(fs, "data")
	asJSON := jsonFlag(fs)
	rate := fs.Int64("rate", 0, "MiB of files that are read a second, 0 for as fast as it goes")
	if err := c.parse(fs, args, 0); err != nil {
		return err
	}
	if *rate < 0 || *rate > 1<<40 {
		return fmt.Errorf("%w: --rate is a number of MiB a second", errUsage)
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	if _, err := os.Stat(cfg.Data); err != nil {
		return fmt.Errorf("cannot use the data directory: %w", err)
	}
	report, err := checkData(ctx, cfg.Data, checkTask{Start: true, Rate: *rate << 20})
	if err != nil {
		return err
	}
	if *asJSON {
		err = printJSON(report)
	} else {
		err = printProblems(report)
	}
	switch {
	case err != nil:
		return err
	case report.State != handlers.CheckDone:
		return fmt.Errorf("the check ended early: %s", report.Error)
	case report.Found > 0:
		return fmt.Errorf("%d damaged", report.Found)
	}
	return nil
}

// checkData checks a data directory to the end.
func checkData(ctx context.Context, dir string, t checkTask) (handlers.CheckReport, error) {
	report, err := askChecker(ctx, dir, t)
	if err == nil {
		// The server is also asked to stop after the command was interrupted.
		ask := func(t checkTask) (handlers.CheckReport, error) { return askChecker(context.WithoutCancel(ctx), dir, t) }
		return watchCheck(ctx, ask)
	}
	if !errors.Is(err, errNoServer) {
		return report, err
	}
	db, err := bucket.Open(dir, bucket.Options{})
	if err != nil {
		return report, fmt.Errorf("cannot use the data directory %s: %w", dir, err)
	}
	defer db.Close()
	b, err := blobs.Open(dir)
	if err != nil {
		return report, err
	}
	defer b.Close()
	k := handlers.NewChecker(db, b)
	defer k.Stop()
	t.do(k)
	return watchCheck(ctx, func(t checkTask) (handlers.CheckReport, error) { return t.do(k), nil })
}

func askChecker(ctx context.Context, dir string, t checkTask) (report handlers.CheckReport, err error) {
	b, err := performRemote(ctx, dir, task{Check: &t})
	if err != nil {
		return report, err
	}
	return decoded[handlers.CheckReport](b)
}

// watchCheck waits for the end of a check, which it brings about when the command is
// interrupted, and shows on a terminal how far it is.
func watchCheck(ctx context.Context, ask func(checkTask) (handlers.CheckReport, error)) (handlers.CheckReport, error) {
	isTerminal := term.IsTerminal(int(os.Stderr.Fd()))
	again := time.NewTicker(200 * time.Millisecond)
	defer again.Stop()
	for {
		report, err := ask(checkTask{})
		if isTerminal {
			fmt.Fprintf(os.Stderr, "\r%d records, %d files of %d MiB, %d damaged ", report.Records, report.Blobs, report.Bytes>>20, report.Found)
		}
		if err != nil || report.State != handlers.CheckRunning {
			if isTerminal {
				fmt.Fprintln(os.Stderr)
			}
			return report, err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return ask(checkTask{Stop: true})
		}
	}
}

// printProblems prints a line for each record that is damaged and for each file whose bytes are.
func printProblems(r handlers.CheckReport) error {
	rows := [][]any{}
	for _, p := range r.Problems {
		if p.Kind == "record" {
			rows = append(rows, []any{p.Table, p.Key, "", "", p.Reason})
			continue
		}
		for _, f := range p.Files {
			rows = append(rows, []any{"bytes of file", f.File, f.Article, p.SHA256, p.Reason})
		}
		if more := p.Uses - len(p.Files); more > 0 {
			rows = append(rows, []any{"bytes of files", fmt.Sprintf("%d more", more), "", p.SHA256, p.Reason})
		}
	}
	if len(rows) > 0 {
		if err := printTable([]string{"WHAT", "ID", "ARTICLE", "BLOB", "PROBLEM"}, rows); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "%d records and %d different files of %d bytes were read\n", r.Records, r.Blobs, r.Bytes)
	return nil
}
