package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/bucket/identity"
	"alcove/cli/command"
	"alcove/index"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// indexTask is what an operator asks of the search index: how it is, or to be built again.
type indexTask struct {
	Rebuild bool `json:"rebuild"`
}

// do asks an open index and never waits: a rebuild takes longer than a call may.
func (t indexTask) do(ix *index.Index) []index.Report {
	if t.Rebuild {
		ix.StartRebuild()
	}
	return ix.Reports()
}

func indexStatus(ctx context.Context, c *command.Command, args []string) error {
	return list(ctx, c, args, "INDEX STATE DOCUMENTS POSITION LAG BYTES SECONDS BUILT FAILED PROGRESS PROBLEM", func(r index.Report) []any {
		return []any{r.Name, r.State, r.Documents, r.Position, r.Lag, r.Bytes, int64(r.Seconds), r.Built, r.Failed, progress(r), r.Problem}
	}, always(task{Index: &indexTask{}}))
}

// progress is how far an index that is being built is.
func progress(r index.Report) string {
	if r.State != index.Building || r.Adding == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", r.Added, r.Adding)
}

// indexRebuild has the index built again, in the server when one runs, and otherwise here,
// and waits until that is done.
func indexRebuild(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	read := command.Settings(fs, "data")
	background := fs.Bool("background", false, "do not wait for the server that runs")
	if err := c.Parse(fs, args, 0); err != nil {
		return err
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	if err := identity.Admit(cfg.Data); err != nil {
		return err
	}
	isTerminal := term.IsTerminal(int(os.Stderr.Fd()))
	_, err = performRemote(ctx, cfg.Data, task{Index: &indexTask{Rebuild: true}})
	if err == nil && !*background {
		reports := func() ([]index.Report, error) {
			return ask[[]index.Report](ctx, cfg.Data, task{Index: &indexTask{}})
		}
		err = watchIndex(ctx, reports, isTerminal)
	}
	if !errors.Is(err, errNoServer) {
		return err
	}
	db, err := bucket.Open(cfg.Data, bucket.Options{Existing: true})
	if err != nil {
		return unusable(cfg.Data, err)
	}
	s := &Server{db: db, log: newLog(cfg, os.Stderr)}
	s.Config.Data = cfg.Data
	defer s.close()
	return s.feedIndex(ctx, isTerminal, true)
}

// feedIndex brings the search index to the end of the change log, after it was built again
// when that is asked for.
func (s *Server) feedIndex(ctx context.Context, isTerminal, again bool) (err error) {
	if s.index, err = index.Open(s.Config.Data, s.db, index.Options{Log: slog.New(slog.DiscardHandler)}); err != nil {
		return err
	}
	if again {
		s.index.StartRebuild()
	}
	reports := func() ([]index.Report, error) { return s.index.Reports(), nil }
	if err := watchIndex(ctx, reports, isTerminal); err != nil {
		return fmt.Errorf("the search index is not ready; the next start goes on with it: %w", err)
	}
	return nil
}

// watchIndex shows how an index is brought on, and returns when it is live and has reached
// the end of the change log as it was at the first look. It gives up when there is a
// problem and nothing moves for half a minute.
func watchIndex(ctx context.Context, reports func() ([]index.Report, error), isTerminal bool) error {
	const look, patience = 200 * time.Millisecond, 30 * time.Second
	again := time.NewTicker(look)
	defer again.Stop()
	var bar *progressbar.ProgressBar
	if isTerminal {
		bar = progressbar.NewOptions(1, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetDescription("search index"),
			progressbar.OptionShowCount(), progressbar.OptionClearOnFinish())
		defer func() {
			_ = bar.Exit()
			fmt.Fprintln(os.Stderr)
		}()
	}
	end, moved, before := uint64(0), time.Now(), uint64(0)
	for {
		list, err := reports()
		if err != nil {
			return err
		}
		left, problems := uint64(0), []string{}
		for _, r := range list {
			if end == 0 {
				end = r.Position + r.Lag
			}
			if r.State != index.Live {
				left += uint64(max(r.Adding-r.Added, 1))
			}
			if r.Position < end {
				left += end - r.Position
			}
			if r.Problem != "" {
				problems = append(problems, r.Name+": "+r.Problem)
			}
		}
		if left == 0 {
			return nil
		}
		if left != before {
			moved, before = time.Now(), left
		}
		if len(problems) > 0 && time.Since(moved) > patience {
			return errors.New(strings.Join(problems, "; "))
		}
		if bar != nil {
			bar.ChangeMax64(max(bar.GetMax64(), int64(left)))
			_ = bar.Set64(bar.GetMax64() - int64(left))
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
