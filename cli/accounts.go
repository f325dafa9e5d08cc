package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"alcove/handlers"
)

func accountList(ctx context.Context, c *command, args []string) error {
	fs := c.flags()
	load := settings(fs, "data")
	asJSON := jsonFlag(fs)
	if err := c.parse(fs, args, 0); err != nil {
		return err
	}
	cfg, err := load()
	if err != nil {
		return err
	}
	list, err := ask[[]handlers.AccountLine](ctx, cfg.Data, task{Accounts: &struct{}{}})
	if err != nil {
		return err
	}
	return printAccounts(list, *asJSON)
}

func jsonFlag(fs *pflag.FlagSet) *bool {
	return fs.Bool("json", false, "print JSON instead of a table")
}

func printAccounts(list []handlers.AccountLine, asJSON bool) error {
	if asJSON {
		return printJSON(list)
	}
	var rows [][]any
	for _, a := range list {
		rows = append(rows, []any{a.ID, a.Email, a.Active, a.Admin, a.GroupID, a.Expires, a.Used, a.FirstName + " " + a.LastName})
	}
	return printTable([]string{"ID", "EMAIL", "ACTIVE", "ADMIN", "GROUP", "EXPIRES", "BYTES", "NAME"}, rows)
}

// editAccount runs a command that changes an account: register adds its flags and says
// which are required, and edit reads them.
func editAccount(ctx context.Context, c *command, args []string, needed []string, register func(*pflag.FlagSet), edit func(*handlers.AccountEdit) error) error {
	fs := c.flags()
	load := settings(fs, "data")
	account := accountFlag(fs)
	register(fs)
	if err := c.parse(fs, args, 0); err != nil {
		return err
	}
	if err := required(fs, append([]string{"account"}, needed...)...); err != nil {
		return err
	}
	cfg, err := load()
	if err != nil {
		return err
	}
	e := handlers.AccountEdit{Account: *account}
	if err := edit(&e); err != nil {
		return err
	}
	_, err = ask[handlers.AccountLine](ctx, cfg.Data, task{AccountEdit: &e})
	return err
}

func accountFlag(fs *pflag.FlagSet) *string {
	return fs.String("account", "", "e-mail address or id of the account")
}

func accountShow(ctx context.Context, c *command, args []string) error {
	fs := c.flags()
	load := settings(fs, "data")
	account, asJSON := accountFlag(fs), jsonFlag(fs)
	if err := c.parse(fs, args, 0); err != nil {
		return err
	}
	if err := required(fs, "account"); err != nil {
		return err
	}
	cfg, err := load()
	if err != nil {
		return err
	}
	a, err := ask[handlers.AccountLine](ctx, cfg.Data, task{AccountEdit: &handlers.AccountEdit{Account: *account}})
	if err != nil {
		return err
	}
	if *asJSON {
		return printJSON(a)
	}
	return printTable([]string{"FIELD", "VALUE"}, [][]any{
		{"id", a.ID}, {"email", a.Email}, {"first_name", a.FirstName}, {"last_name", a.LastName}, {"admin", a.Admin}, {"active", a.Active},
		{"disabled", a.Disabled}, {"expires", a.Expires}, {"group_id", a.GroupID}, {"institution_user_id", a.InstitutionUserID},
		{"quota", a.Quota}, {"used_quota", a.Used}, {"created_date", a.Created},
	})
}

func noFlags(*pflag.FlagSet) {}

func accountDisable(ctx context.Context, c *command, args []string) error {
	return editAccount(ctx, c, args, nil, noFlags, func(e *handlers.AccountEdit) error {
		e.Disabled = new(true)
		return nil
	})
}

func accountEnable(ctx context.Context, c *command, args []string) error {
	return editAccount(ctx, c, args, nil, noFlags, func(e *handlers.AccountEdit) error {
		e.Disabled = new(false)
		return nil
	})
}

func accountExpire(ctx context.Context, c *command, args []string) error {
	var at *string
	register := func(fs *pflag.FlagSet) {
		at = fs.String("at", "", "moment in UTC: 2030-01-31, 2030-01-31T12:00:00Z, or never")
	}
	return editAccount(ctx, c, args, []string{"at"}, register, func(e *handlers.AccountEdit) error {
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
	return time.Time{}, fmt.Errorf("%w: %q is neither a date nor a time nor never", errUsage, text)
}

func accountSetGroup(ctx context.Context, c *command, args []string) error {
	var group *int64
	register := func(fs *pflag.FlagSet) { group = fs.Int64("group", 0, "id of the group, 0 for none") }
	return editAccount(ctx, c, args, []string{"group"}, register, func(e *handlers.AccountEdit) error {
		e.GroupID = group
		return nil
	})
}

func accountSetAdmin(ctx context.Context, c *command, args []string) error {
	var off *bool
	register := func(fs *pflag.FlagSet) { off = fs.Bool("off", false, "make it an ordinary account again") }
	return editAccount(ctx, c, args, nil, register, func(e *handlers.AccountEdit) error {
		e.Admin = new(!*off)
		return nil
	})
}

func accountSetQuota(ctx context.Context, c *command, args []string) error {
	var quota *int64
	register := func(fs *pflag.FlagSet) { quota = fs.Int64("bytes", 0, "bytes, 0 for the configured quota") }
	return editAccount(ctx, c, args, []string{"bytes"}, register, func(e *handlers.AccountEdit) error {
		e.Quota = quota
		return nil
	})
}

func tokenList(ctx context.Context, c *command, args []string) error {
	fs := c.flags()
	load := settings(fs, "data")
	account := fs.String("account", "", "e-mail address or id of the account; without it all are listed")
	asJSON := jsonFlag(fs)
	if err := c.parse(fs, args, 0); err != nil {
		return err
	}
	cfg, err := load()
	if err != nil {
		return err
	}
	list, err := ask[[]handlers.TokenLine](ctx, cfg.Data, task{Tokens: &tokensOf{*account}})
	if err != nil {
		return err
	}
	if *asJSON {
		return printJSON(list)
	}
	var rows [][]any
	for _, t := range list {
		rows = append(rows, []any{t.ID, t.AccountID, t.Created, t.Expires, t.Name})
	}
	return printTable([]string{"ID", "ACCOUNT", "CREATED", "EXPIRES", "NAME"}, rows)
}

func tokenRevoke(ctx context.Context, c *command, args []string) error {
	fs := c.flags()
	load := settings(fs, "data")
	account := accountFlag(fs)
	id := fs.String("id", "", "id of the token, as token list shows it")
	all := fs.Bool("all", false, "end all tokens of the account")
	if err := c.parse(fs, args, 0); err != nil {
		return err
	}
	if err := required(fs, "account"); err != nil {
		return err
	}
	if (*id == "") == !*all {
		return fmt.Errorf("%w: it takes either --id or --all", errUsage)
	}
	cfg, err := load()
	if err != nil {
		return err
	}
	return printResult(ask[int](ctx, cfg.Data, task{TokenEnd: &handlers.TokenEnd{Account: *account, ID: *id}}))
}
