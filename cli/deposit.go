package cli

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/term"

	"alcove/cli/deposit"
)

func depositItems(ctx context.Context, c *command, args []string) error {
	fs := c.flags()
	o := deposit.Options{Out: os.Stderr, IsTerminal: term.IsTerminal(int(os.Stderr.Fd()))}
	state := pathFlag(fs, "state", "file that remembers what was done (default: ITEMS.jsonl.deposit-state)")
	fs.IntVar(&o.Parallel, "parallel", 4, "how many items and file parts travel at once")
	linesFlags(fs, &o.AcceptWarnings, &o.FollowOutside)
	at := targetFlags(fs)
	if err := c.parse(fs, args, 1); err != nil {
		return err
	}
	if o.Parallel < 1 || o.Parallel > 64 {
		return fmt.Errorf("%w: --parallel must be from 1 to 64", errUsage)
	}
	found, err := at.withToken()
	if err != nil {
		return err
	}
	o.To, o.Token, o.CACert = found.Address, found.Token, found.CACert
	o.Items, o.State = fs.Arg(0), *state
	_, err = deposit.Run(ctx, o)
	return err
}
