package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"alcove/bucket/lock"
	"alcove/cli/command"
	"alcove/cli/export"
	"alcove/cli/operate"
	"alcove/config"
	"alcove/handlers"
)

// exportItems writes the items of a person, a group or all into folders, whether a server runs or not.
func exportItems(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	account := fs.String("account", "", "e-mail address or id of the account whose items are written")
	group := fs.Int64("group", 0, "id of the group whose items are written, and those of the groups below it")
	all := fs.Bool("all", false, "write the items of all accounts")
	read := command.Settings(fs)
	if err := c.Parse(fs, args, 1); err != nil {
		return err
	}
	chosen := 0
	for _, is := range []bool{*account != "", *group != 0, *all} {
		if is {
			chosen++
		}
	}
	if chosen != 1 {
		return fmt.Errorf("%w: it takes one of --account, --group and --all", command.ErrUsage)
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	if within(cfg.Data, fs.Arg(0)) {
		return fmt.Errorf("%w: %s is in the data directory; name another folder", command.ErrUsage, fs.Arg(0))
	}
	o := export.Options{Group: *group, Accounts: map[int64]any{}, Tell: func(text string) { fmt.Println(text) }}
	lines, err := ask[[]operate.AccountLine](ctx, cfg.Data, task{Accounts: &struct{}{}})
	if err != nil {
		return err
	}
	for _, l := range lines {
		o.Accounts[l.ID] = map[string]any{"id": l.ID, "email": l.Email, "first_name": l.FirstName, "last_name": l.LastName, "orcid": l.ORCID, "group_id": l.GroupID, "created_date": l.Created}
		if *account != "" && (strings.EqualFold(l.Email, *account) || fmt.Sprint(l.ID) == *account) {
			o.Account = l.ID
		}
	}
	if *account != "" && o.Account == 0 {
		return fmt.Errorf("cannot find an account %q", *account)
	}
	end, err := exportSource(cfg, &o)
	if err != nil {
		return err
	}
	defer end()
	if err := os.MkdirAll(fs.Arg(0), 0o700); err != nil {
		return fmt.Errorf("cannot make the folder: %w", err)
	}
	if o.Dir, err = os.OpenRoot(fs.Arg(0)); err != nil {
		return fmt.Errorf("cannot open the folder: %w", err)
	}
	defer o.Dir.Close()
	sum, err := export.Run(ctx, o)
	fmt.Fprintf(os.Stderr, "%d items were written, %d were there already, %d failed\n", sum.Written, sum.There, sum.Failed)
	if err == nil && sum.Failed > 0 {
		err = fmt.Errorf("%d items were not written", sum.Failed)
	}
	return err
}

// exportSource is where items are read: the server where one runs, and otherwise the data directory.
func exportSource(cfg config.Config, o *export.Options) (end func(), err error) {
	o.Blob = func(sum string) (io.ReadCloser, error) {
		if len(sum) != 64 || strings.Trim(sum, "0123456789abcdef") != "" {
			return nil, fmt.Errorf("%q names no bytes", sum)
		}
		return os.Open(filepath.Join(cfg.Data, "blobs", sum[:2], sum[2:]))
	}
	s := &Server{log: newLog(cfg, os.Stderr)}
	switch err := s.openForImport(cfg); {
	case errors.Is(err, lock.ErrInUse):
		s.close()
		o.Ask = func(ctx context.Context, q handlers.ExportQuery) (handlers.ItemExport, error) {
			return ask[handlers.ItemExport](ctx, cfg.Data, task{Export: &q})
		}
		return func() {}, nil
	case err != nil:
		s.close()
		return nil, err
	}
	o.Ask = func(_ context.Context, q handlers.ExportQuery) (handlers.ItemExport, error) {
		return s.api.ExportItems(q)
	}
	return s.close, nil
}

// within reports whether a path is a folder or below it.
func within(folder, path string) bool {
	real := func(p string) string {
		if abs, err := filepath.Abs(p); err == nil {
			p = abs
		}
		if at, err := filepath.EvalSymlinks(p); err == nil {
			p = at
		}
		return p
	}
	rel, err := filepath.Rel(real(folder), real(path))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
