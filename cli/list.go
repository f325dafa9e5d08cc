package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/bucket/clock"
	"alcove/check"
	"alcove/cli/command"
	"alcove/record"
	"github.com/spf13/pflag"
)

// onData runs a command on a data directory. register adds the flags of the command and
// gives what is done once they are read; needed are the names of those that must be
// there, with spaces between.
func onData(ctx context.Context, c *command.Command, args []string, needed string, register func(*pflag.FlagSet) func(dir string) error) error {
	fs := c.Flags()
	load := command.Settings(fs, "data")
	run := register(fs)
	if err := c.Parse(fs, args, 0); err != nil {
		return err
	}
	if err := command.Required(fs, strings.Fields(needed)...); err != nil {
		return err
	}
	cfg, err := load()
	if err != nil {
		return err
	}
	return run(cfg.Data)
}

// list runs a command that shows what a task finds, a line each, as a table or as JSON.
// heading has the names of the columns, with spaces between.
func list[T any](ctx context.Context, c *command.Command, args []string, heading string, line func(T) []any, register func(*pflag.FlagSet) func() task) error {
	return onData(ctx, c, args, "", func(fs *pflag.FlagSet) func(string) error {
		wanted, asJSON := register(fs), command.JSONFlag(fs)
		return func(dir string) error {
			found, err := ask[[]T](ctx, dir, wanted())
			if err != nil {
				return err
			}
			if *asJSON {
				return command.PrintJSON(found)
			}
			var rows [][]any
			for _, f := range found {
				rows = append(rows, line(f))
			}
			return command.PrintTable(strings.Fields(heading), rows)
		}
	})
}

// always is a list without flags of its own.
func always(t task) func(*pflag.FlagSet) func() task {
	return func(*pflag.FlagSet) func() task { return func() task { return t } }
}

// removeByID runs a command that removes what a flag names.
func removeByID(ctx context.Context, c *command.Command, args []string, what string, end func(int64) task) error {
	return onData(ctx, c, args, what, func(fs *pflag.FlagSet) func(string) error {
		id := fs.Int64(what, 0, "id of the "+what)
		return func(dir string) error {
			_, err := perform(ctx, dir, end(*id))
			return err
		}
	})
}

// stateTask asks for the state of background work, or allows what it waits for.
type stateTask struct {
	Accept bool `json:"accept"`
}

func (t stateTask) sweep(ctx context.Context, db *bucket.DB) (record.SweepState, error) {
	if t.Accept {
		return check.AllowSweep(ctx, db)
	}
	return check.SweepStatus(db)
}

func (t stateTask) clock(ctx context.Context, db *bucket.DB) (clock.State, error) {
	if t.Accept {
		if err := db.AcceptClock(ctx); err != nil {
			return clock.State{}, err
		}
	}
	return db.Clock(), nil
}

// stateCommand runs a command that asks for the state of something and prints it.
func stateCommand[T any](ctx context.Context, c *command.Command, args []string, t task, print func(T) error) error {
	return onData(ctx, c, args, "", func(fs *pflag.FlagSet) func(string) error {
		asJSON := command.JSONFlag(fs)
		return func(dir string) error {
			state, err := ask[T](ctx, dir, t)
			if err != nil {
				return err
			}
			if *asJSON {
				return command.PrintJSON(state)
			}
			return print(state)
		}
	})
}

func sweepStatus(ctx context.Context, c *command.Command, args []string) error {
	return stateCommand(ctx, c, args, task{Sweep: &stateTask{}}, printSweep)
}

func sweepAllow(ctx context.Context, c *command.Command, args []string) error {
	return stateCommand(ctx, c, args, task{Sweep: &stateTask{Accept: true}}, printSweep)
}

func printSweep(s record.SweepState) error {
	last := any(s.Last)
	if s.Last.IsZero() {
		last = "never"
	}
	return command.PrintTable([]string{"LOOKED", "FILES", "REMOVED", "WAITING", "BYTES", "ALLOWED", "HELD"},
		[][]any{{last, s.Blobs, s.Removed, s.Waiting, s.WaitingBytes, s.Allowed, s.Held}})
}

func clockStatus(ctx context.Context, c *command.Command, args []string) error {
	return stateCommand(ctx, c, args, task{Clock: &stateTask{}}, printClock)
}

func clockAccept(ctx context.Context, c *command.Command, args []string) error {
	return stateCommand(ctx, c, args, task{Clock: &stateTask{Accept: true}}, printClock)
}

func printClock(k clock.State) error {
	state := map[string]string{clock.Behind: "behind", clock.Ahead: "far ahead"}[k.Doubt]
	if state == "" {
		state = "ok"
	} else {
		fmt.Fprintln(os.Stderr, "embargoes do not end, uploads do not expire and no bytes are removed until the clock is set right, or alcove clock accept says that it is")
	}
	last := any(k.Last)
	if k.Last.IsZero() {
		last = "never"
	}
	return command.PrintTable([]string{"STATE", "CLOCK", "LAST"}, [][]any{{state, k.Wall, last}})
}

// stateFigures are the metrics of the sweeper and the clock.
func (s *Server) stateFigures(t *exposition) {
	state, _ := check.SweepStatus(s.db) // of one that is damaged the sweeper tells
	t.family("alcove_sweep_last_seconds", "gauge", "When stored files were last looked at that no record names, in Unix seconds, 0 for never.")
	t.sample(seconds(state.Last))
	t.family("alcove_sweep_waiting_files", "gauge", "Stored files that are not removed because they are too many, see alcove sweep allow.")
	t.sample(float64(state.Waiting))
	t.family("alcove_sweep_waiting_bytes", "gauge", "Bytes of these.")
	t.sample(float64(state.WaitingBytes))
	k := s.db.Clock()
	t.family("alcove_clock_doubted", "gauge", "1 while the clock of the machine is behind the last change, or far ahead of it, and what time ends waits, see alcove clock accept.")
	t.sample(truth(k.Doubt != ""))
	t.family("alcove_clock_off_seconds", "gauge", "How far the clock of the machine is from the time of the store, to either side.")
	t.sample(k.Wall.Sub(s.db.Time()).Abs().Truncate(time.Second).Seconds())
}
