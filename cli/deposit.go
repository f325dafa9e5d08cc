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
	fs.StringVar(&o.To, "to", "", "base address of the server, with or without /v2")
	token := pathFlag(fs, "token-file", "file whose first line is the personal token")
	authority := pathFlag(fs, "cacert", "PEM file of a certificate authority to trust besides the system's")
	state := pathFlag(fs, "state", "file that remembers what was done (default: ITEMS.jsonl.deposit-state)")
	fs.IntVar(&o.Parallel, "parallel", 4, "how many items and file parts travel at once")
	linesFlags(fs, &o.AcceptWarnings, &o.FollowOutside)
	if err := c.parse(fs, args, 1); err != nil {
		return err
	}
	if err := required(fs, "to", "token-file"); err != nil {
		return err
	}
	if o.Parallel < 1 || o.Parallel > 64 {
		return fmt.Errorf("%w: --parallel must be from 1 to 64", errUsage)
	}
	o.Items, o.TokenFile, o.CACert, o.State = fs.Arg(0), *token, *authority, *state
	_, err := deposit.Run(ctx, o)
	return err
}
