package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"alcove/cli/command"
	"alcove/cli/operate"
	"alcove/handlers/accounts"
	"alcove/handlers/items"
)

func accountList(ctx context.Context, c *command.Command, args []string) error {
	return list(ctx, c, args, "ID EMAIL ACTIVE ADMIN GROUP EXPIRES BYTES NAME", func(a operate.AccountLine) []any {
		return []any{a.ID, a.Email, a.Active, a.Admin, a.GroupID, a.Expires, a.Used, a.FirstName + " " + a.LastName}
	}, always(task{Accounts: &struct{}{}}))
}

// editAccount runs a command that changes an account: register adds its flags and says
// which are required, and edit reads them.
func editAccount(ctx context.Context, c *command.Command, args []string, needed string, register func(*pflag.FlagSet), edit func(*operate.AccountEdit) error) error {
	return onData(ctx, c, args, "account "+needed, func(fs *pflag.FlagSet) func(string) error {
		account := accountFlag(fs)
		register(fs)
		return func(dir string) error {
			e := operate.AccountEdit{Account: *account}
			if err := edit(&e); err != nil {
				return err
			}
			_, err := ask[operate.AccountLine](ctx, dir, task{AccountEdit: &e})
			return err
		}
	})
}

func accountFlag(fs *pflag.FlagSet) *string {
	return fs.String("account", "", "e-mail address or id of the account")
}

func accountShow(ctx context.Context, c *command.Command, args []string) error {
	return onData(ctx, c, args, "account", func(fs *pflag.FlagSet) func(string) error {
		account, asJSON := accountFlag(fs), command.JSONFlag(fs)
		return func(dir string) error {
			a, err := ask[operate.AccountLine](ctx, dir, task{AccountEdit: &operate.AccountEdit{Account: *account}})
			if err != nil {
				return err
			}
			if *asJSON {
				return command.PrintJSON(a)
			}
			return command.PrintTable([]string{"FIELD", "VALUE"}, [][]any{
				{"id", a.ID}, {"email", a.Email}, {"first_name", a.FirstName}, {"last_name", a.LastName}, {"orcid", a.ORCID}, {"admin", a.Admin}, {"active", a.Active},
				{"disabled", a.Disabled}, {"expires", a.Expires}, {"group_id", a.GroupID}, {"institution_user_id", a.InstitutionUserID},
				{"quota", a.Quota}, {"used_quota", a.Used}, {"created_date", a.Created},
			})
		}
	})
}

func noFlags(*pflag.FlagSet) {}

func accountDisable(ctx context.Context, c *command.Command, args []string) error {
	return editAccount(ctx, c, args, "", noFlags, func(e *operate.AccountEdit) error {
		e.Disabled = new(true)
		return nil
	})
}

func accountEnable(ctx context.Context, c *command.Command, args []string) error {
	return editAccount(ctx, c, args, "", noFlags, func(e *operate.AccountEdit) error {
		e.Disabled = new(false)
		return nil
	})
}

func accountExpire(ctx context.Context, c *command.Command, args []string) error {
	var at *string
	register := func(fs *pflag.FlagSet) {
		at = fs.String("at", "", "moment in UTC: 2030-01-31, 2030-01-31T12:00:00Z, or never")
	}
	return editAccount(ctx, c, args, "at", register, func(e *operate.AccountEdit) error {
		t, err := moment(*at)
		e.Expires = &t
		return err
	})
}

// moment reads a date or time; the zero time is never.
func moment(text string) (time.Time, error) {
	if text == "never" {
		return time.Time{}, nil
	}
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(form, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%w: %q is neither a date nor a time nor never", command.ErrUsage, text)
}

func accountSetGroup(ctx context.Context, c *command.Command, args []string) error {
	var group *int64
	register := func(fs *pflag.FlagSet) { group = fs.Int64("group", 0, "id of the group, 0 for none") }
	return editAccount(ctx, c, args, "group", register, func(e *operate.AccountEdit) error {
		e.GroupID = group
		return nil
	})
}

func accountSetAdmin(ctx context.Context, c *command.Command, args []string) error {
	var off *bool
	register := func(fs *pflag.FlagSet) { off = fs.Bool("off", false, "make it an ordinary account again") }
	return editAccount(ctx, c, args, "", register, func(e *operate.AccountEdit) error {
		e.Admin = new(!*off)
		return nil
	})
}

func accountSetQuota(ctx context.Context, c *command.Command, args []string) error {
	var quota *int64
	register := func(fs *pflag.FlagSet) {
		quota = command.SizeFlag(fs, "bytes", 1, "how much, such as 50GiB or a number of bytes; 0 for the configured quota")
	}
	return editAccount(ctx, c, args, "bytes", register, func(e *operate.AccountEdit) error {
		e.Quota = quota
		return nil
	})
}

// accountChange changes what a person says of itself, for one who cannot, or whose address has gone.
func accountChange(ctx context.Context, c *command.Command, args []string) error {
	return onData(ctx, c, args, "account", func(fs *pflag.FlagSet) func(string) error {
		account := accountFlag(fs)
		said := map[string]*string{
			"email":      fs.String("email", "", "another e-mail address, which the person signs in with from now on"),
			"first-name": fs.String("first-name", "", "first name"),
			"last-name":  fs.String("last-name", "", "last name"),
			"orcid":      fs.String("orcid", "", `ORCID iD, "" for none`),
		}
		return func(dir string) error {
			given := func(name string) *string {
				if fs.Changed(name) {
					return said[name]
				}
				return nil
			}
			e := operate.AccountEdit{Account: *account, Email: given("email"), FirstName: given("first-name"), LastName: given("last-name"), ORCID: given("orcid")}
			if e.Email == nil && e.FirstName == nil && e.LastName == nil && e.ORCID == nil {
				return fmt.Errorf("%w: it takes at least one of --email, --first-name, --last-name and --orcid", command.ErrUsage)
			}
			_, err := ask[operate.AccountLine](ctx, dir, task{AccountEdit: &e})
			return err
		}
	})
}

func accountHandOver(ctx context.Context, c *command.Command, args []string) error {
	return handOver(ctx, c, args, false)
}

func accountMerge(ctx context.Context, c *command.Command, args []string) error {
	return handOver(ctx, c, args, true)
}

func handOver(ctx context.Context, c *command.Command, args []string, merge bool) error {
	return onData(ctx, c, args, "account to", func(fs *pflag.FlagSet) func(string) error {
		account := accountFlag(fs)
		to := fs.String("to", "", "e-mail address or id of the account that gets it all")
		dry := fs.Bool("dry-run", false, "only tell what would go")
		return func(dir string) error {
			o, err := ask[items.Owned](ctx, dir, task{HandOver: &operate.HandOver{From: *account, To: *to, Merge: merge, Dry: *dry}})
			if err != nil {
				return err
			}
			return command.PrintTable([]string{"ARTICLES", "COLLECTIONS", "PROJECTS"}, [][]any{{o.Articles, o.Collections, o.Projects}})
		}
	})
}

func tokenList(ctx context.Context, c *command.Command, args []string) error {
	return list(ctx, c, args, "ID ACCOUNT CREATED EXPIRES NAME", func(t operate.TokenLine) []any {
		return []any{t.ID, t.AccountID, t.Created, t.Expires, t.Name}
	}, func(fs *pflag.FlagSet) func() task {
		account := fs.String("account", "", "e-mail address or id of the account; without it all are listed")
		return func() task { return task{Tokens: &tokensOf{*account}} }
	})
}

func tokenRevoke(ctx context.Context, c *command.Command, args []string) error {
	return onData(ctx, c, args, "account", func(fs *pflag.FlagSet) func(string) error {
		account := accountFlag(fs)
		id := fs.String("id", "", "id of the token, as token list shows it")
		all := fs.Bool("all", false, "end all tokens of the account")
		return func(dir string) error {
			if (*id == "") == !*all {
				return fmt.Errorf("%w: it takes either --id or --all", command.ErrUsage)
			}
			return printResult(ask[int](ctx, dir, task{TokenEnd: &operate.TokenEnd{Account: *account, ID: *id}}))
		}
	})
}

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
