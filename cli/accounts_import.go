package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"
	"unicode/utf8"

	"alcove/cli/command"
	"alcove/cli/operate"
	"alcove/handlers/accounts"
)

const (
	mostPeople  = 20_000
	peopleBytes = 8 << 20
	// peopleAtOnce are invited in one transaction. A batch and its answer are far below what a server reads of a task.
	peopleAtOnce = 500
)

// accountImport invites the people of a CSV table. It begins only when no line is wrong, and leaves out who has an account
// or an invitation, so that it can be run again.
func accountImport(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	dry := fs.Bool("dry-run", false, "only tell what would be done")
	plain, asJSON := printFlag(fs), command.JSONFlag(fs)
	load := command.Settings(fs, "data")
	if err := c.Parse(fs, args, 1); err != nil {
		return err
	}
	cfg, err := load()
	if err != nil {
		return err
	}
	guests, err := readPeople(fs.Arg(0))
	if err != nil {
		return err
	}
	accounts.CheckGuests(guests)
	invite := func(dry bool) (all []accounts.Guest, err error) {
		for some := range slices.Chunk(guests, peopleAtOnce) {
			done, err := ask[[]accounts.Guest](ctx, cfg.Data, task{People: &operate.People{Guests: some, Dry: dry, Print: *plain}})
			if err != nil {
				return all, err
			}
			all = append(all, done...)
		}
		return all, nil
	}
	all, err := invite(true)
	if err != nil {
		return err
	}
	wrong := 0
	for _, g := range all {
		if g.Wrong != "" {
			wrong++
			fmt.Fprintf(os.Stderr, "%s:%d: %s\n", fs.Arg(0), g.Line, whyWrong(g))
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d lines are wrong; nobody was invited", wrong, len(all))
	}
	if !*dry {
		if all, err = invite(false); err != nil {
			return fmt.Errorf("%w; run it again: who was invited is left out then", err)
		}
	}
	if *asJSON {
		return command.PrintJSON(all)
	}
	rows, invited := [][]any{}, 0
	for _, g := range all {
		what := "an invitation waits to be sent"
		switch {
		case g.Known != 0:
			what = fmt.Sprintf("has the account %d", g.Known)
		case g.Invited:
			what = "has an invitation"
		case *dry:
			what = "would be invited"
		case g.Address != "":
			what = g.Address
		}
		if g.Pending() {
			invited++
		}
		rows = append(rows, []any{g.Line, g.Email, g.Group, what})
	}
	if err := command.PrintTable([]string{"LINE", "EMAIL", "GROUP", "WHAT"}, rows); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d people, %d invited now\n", len(all), map[bool]int{false: invited}[*dry])
	return nil
}

// readPeople reads the table.
func readPeople(name string) ([]accounts.Guest, error) {
	text, err := readBounded(name, peopleBytes)
	if err != nil {
		return nil, fmt.Errorf("cannot read the table: %w", err)
	}
	if !utf8.Valid(text) {
		line := 1
		for rest := text; len(rest) > 0; {
			r, n := utf8.DecodeRune(rest)
			if r == utf8.RuneError && n == 1 {
				break
			}
			if r == '\n' {
				line++
			}
			rest = rest[n:]
		}
		return nil, fmt.Errorf("%s:%d: it is not text in UTF-8; in a spreadsheet, save it as \"CSV UTF-8\"", name, line)
	}
	if bytes.HasPrefix(text, []byte("PK\x03\x04")) {
		return nil, fmt.Errorf("%s is a spreadsheet; save it as \"CSV UTF-8\"", name)
	}
	guests, err := accounts.ReadGuests(string(text), mostPeople)
	var broken *csv.ParseError
	switch {
	case errors.As(err, &broken):
		return nil, fmt.Errorf("%s:%d: it is not a line of a CSV table: %w", name, broken.Line, broken.Err)
	case err != nil:
		return nil, fmt.Errorf("%s:1: %w", name, err)
	case len(guests) == 0:
		return nil, fmt.Errorf("%s has no line with a person", name)
	case len(guests) > mostPeople:
		return nil, fmt.Errorf("%s has more than %d people; divide it", name, mostPeople)
	}
	return guests, nil
}

func whyWrong(g accounts.Guest) string {
	switch g.Wrong {
	case accounts.WrongMail:
		return fmt.Sprintf("%q is not an e-mail address", g.Email)
	case accounts.WrongName:
		return "a name is longer than 100 characters, or has some that cannot be printed"
	case accounts.WrongTwice:
		return fmt.Sprintf("%s stands in a line before this one, too", g.Email)
	}
	return fmt.Sprintf("%q is not the id or the name of one group (alcove group list)", g.Group)
}
