package cli

import (
	"alcove/cli/command"
	"context"
	"strings"

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
