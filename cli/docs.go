package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"alcove/cli/command"
	"alcove/docs"
)

// printDocs lists the pages of the documentation, or prints one.
func printDocs(_ context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	if err := c.Parse(fs, args, command.AnyTexts); err != nil {
		return err
	}
	pages := docs.Pages()
	if fs.NArg() == 0 {
		rows := [][]any{}
		for _, p := range pages {
			rows = append(rows, []any{p.Name, p.Title})
		}
		return command.PrintTable([]string{"PAGE", "WHAT"}, rows)
	}
	if fs.NArg() > 1 {
		return fmt.Errorf("%w: it takes one page at most", command.ErrUsage)
	}
	wanted := strings.TrimSuffix(fs.Arg(0), ".md")
	all := &cobra.Command{}
	for _, p := range pages {
		if p.Name == wanted {
			fmt.Print(p.Text)
			return nil
		}
		all.AddCommand(&cobra.Command{Use: p.Name, Run: func(*cobra.Command, []string) {}}) // cobra knows how alike names are
	}
	text := fmt.Sprintf("there is no page %q; alcove docs lists them", fs.Arg(0))
	if near := command.Suggest(all, wanted); len(near) > 0 {
		text = fmt.Sprintf("there is no page %q; did you mean %s?", fs.Arg(0), strings.Join(near, " or "))
	}
	return fmt.Errorf("%w: %s", command.ErrUsage, text)
}

// writeManual writes the manual pages into a directory.
func writeManual(_ context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	if err := c.Parse(fs, args, command.SomePaths); err != nil {
		return err
	}
	if fs.NArg() > 1 {
		return fmt.Errorf("%w: it takes one directory", command.ErrUsage)
	}
	return command.Manual(commands(nil), fs.Arg(0))
}
