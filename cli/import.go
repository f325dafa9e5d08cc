package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"golang.org/x/term"

	blobdir "alcove/blobs/dir"
	"alcove/bucket"
	"alcove/cli/command"
	"alcove/cli/load"
	"alcove/config"
	"alcove/handlers"
)

// importItems loads articles and collections into a data directory that no server has open.
func importItems(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	account := fs.String("account", "", "e-mail address or id of the account whose articles and collections they become")
	o := load.Options{Out: os.Stderr, IsTerminal: term.IsTerminal(int(os.Stderr.Fd()))}
	fs.BoolVar(&o.Strict, "strict", false, "end at the first line that is refused")
	fs.BoolVar(&o.DryRun, "dry-run", false, "only tell which lines would be refused, each by itself, and what would be changed")
	later := fs.Bool("index-later", false, "leave the search index to the next start of the server")
	command.LinesFlags(fs, &o.AcceptWarnings, &o.FollowOutside)
	read := command.Settings(fs)
	if err := c.Parse(fs, args, 1); err != nil {
		return err
	}
	if err := command.Required(fs, "account"); err != nil {
		return err
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	o.Items = fs.Arg(0)
	s := &Server{log: newLog(cfg, os.Stderr)}
	defer s.close()
	if err := s.openForImport(cfg); err != nil {
		return err
	}
	if o.Loader, err = load.NewLoader(s.api, *account, cfg.DOI.TakenOver...); err != nil {
		return err
	}
	start := time.Now()
	sum, bad := load.Run(ctx, o)
	if sum.Loaded > 0 && !o.DryRun {
		fmt.Fprintf(os.Stderr, "%.0f items a second\n", float64(sum.Loaded)/time.Since(start).Seconds())
	}
	if o.DryRun || *later || ctx.Err() != nil {
		return bad
	}
	return errors.Join(bad, s.feedIndex(ctx, o.IsTerminal, false))
}

// silent is an error that is told from others, and adds nothing to what is said.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (s silent) Unwrap() error { return s.error }

// openForImport opens what loading needs, under the settings of serve: documents that are
// rendered under different ones are rendered again when the server starts.
func (s *Server) openForImport(cfg config.Config) (err error) {
	s.db, err = bucket.Open(cfg.Data, bucket.Options{Existing: true, Repository: cfg.Repository})
	if errors.Is(err, bucket.ErrInUse) {
		return fmt.Errorf("a server uses %s; stop it, import, and start it again (alcove deposit works while it runs)%w", cfg.Data, silent{bucket.ErrInUse})
	}
	if err != nil {
		return unusable(cfg.Data, err)
	}
	if s.blobs, err = blobdir.Open(cfg.Data); err != nil {
		return err
	}
	s.blobs.Clock(s.db.Time)
	at, err := net.ResolveTCPAddr("tcp", cfg.Listen)
	if err != nil {
		return fmt.Errorf("cannot understand the address %s: %w", cfg.Listen, err)
	}
	s.Config = cfg.Resolve(at)
	s.api = handlers.New(s.options())
	return nil
}
