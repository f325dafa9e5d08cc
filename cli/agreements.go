package cli

import (
	"context"
	"fmt"
	"strconv"

	"alcove/cli/command"
	"alcove/cli/operate"
)

// agreements tells what was accepted for the versions of an article.
func agreements(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	read := command.Settings(fs, "data")
	asJSON := command.JSONFlag(fs)
	if err := c.Parse(fs, args, 1); err != nil {
		return err
	}
	article, err := strconv.ParseInt(fs.Arg(0), 10, 64)
	if err != nil || article < 1 {
		return fmt.Errorf("%w: ITEM is the id of an article", command.ErrUsage)
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	list, err := ask[[]operate.VersionAgreement](ctx, cfg.Data, task{Agreements: &article})
	if err != nil {
		return err
	}
	if *asJSON {
		return command.PrintJSON(list)
	}
	var rows [][]any
	for _, v := range list {
		row := []any{v.Version, "none", "", "", ""}
		if g := v.Agreement; g != nil {
			row = []any{v.Version, g.SHA256, g.Language, g.AccountID, g.Accepted}
		}
		rows = append(rows, row)
	}
	return command.PrintTable([]string{"VERSION", "SHA256", "LANGUAGE", "ACCOUNT", "ACCEPTED"}, rows)
}
