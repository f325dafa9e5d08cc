package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"alcove/cli/command"
	"alcove/cli/deposit"
	"alcove/cli/fetch"
	"alcove/cli/operate"
	"alcove/record"
)

// mirrorAdd notes items of other servers that are to be kept fresh.
func mirrorAdd(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	e := operate.MirrorEdit{}
	fs.StringVar(&e.Account, "account", "", "e-mail address or id of the account whose articles and collections they become")
	fs.BoolVar(&e.AcceptWarnings, "accept-warnings", false, "publish also what the server warns of, or what cannot be taken whole")
	from := &servers{clients: map[string]*fetch.Client{}}
	fs.StringVar(&from.server, "server", "", "address of the server that ids and DOIs are of, with or without /v2")
	fs.StringVar(&from.resolver, "resolver", "https://doi.org", "what is asked where a DOI leads when no server is named")
	fs.Var((*command.PathValue)(&from.CACert), "cacert", "PEM file of a certificate authority to trust besides the system's, read again each time")
	return changeMirrors(ctx, c, fs, args, func() (operate.MirrorEdit, error) {
		defer from.close()
		if err := command.Required(fs, "account"); err != nil {
			return e, err
		}
		if from.CACert != "" {
			_, err := deposit.ReadAuthorities(from.CACert)
			if err == nil {
				e.CACert, err = filepath.Abs(from.CACert)
			}
			if err != nil {
				return e, err
			}
		}
		for _, text := range fs.Args() {
			ref, led, err := from.mirrored(ctx, text)
			if err != nil {
				return e, fmt.Errorf("%s: %w", text, err)
			}
			if ref.MirrorHost() == "" {
				fmt.Fprintf(os.Stderr, "%s is kept fresh, and not shown below /mirror: its server does not have the API of figshare at /v2\n", ref)
			}
			if e.Addresses = append(e.Addresses, ref.String()); led {
				e.Led = append(e.Led, ref.String())
			}
		}
		return e, nil
	})
}

// mirrored is the item that a text means, and whether a DOI has led to its server. No server is asked about an address.
func (s *servers) mirrored(ctx context.Context, text string) (ref fetch.Ref, led bool, err error) {
	if ref, err = fetch.ParseRef(text); err != nil {
		return ref, false, err
	}
	if ref.Base == "" {
		ref.Base = s.server
	}
	if ref.DOI != "" {
		led = ref.Base == ""
		var client *fetch.Client
		if ref, client, err = s.find(ctx, text); err == nil && led {
			_, err = client.Read(ctx, ref) // which refuses a server inside
		}
		if err != nil {
			return ref, led, err
		}
	}
	if ref.Base == "" {
		return ref, false, errors.New("--server is to say of which server it is")
	}
	ref.Base, err = deposit.BaseURL(ref.Base)
	return ref, led, err
}

// mirrorRemove has them kept fresh no more.
func mirrorRemove(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	return changeMirrors(ctx, c, fs, args, func() (e operate.MirrorEdit, err error) {
		e.Remove = true
		for _, text := range fs.Args() {
			ref, err := fetch.ParseRef(text)
			if err == nil && ref.Base == "" {
				err = fmt.Errorf("%q does not say of which server it is; alcove mirror list has the addresses", text)
			}
			if err == nil {
				ref.Base, err = deposit.BaseURL(ref.Base)
			}
			if err != nil {
				return e, err
			}
			e.Addresses = append(e.Addresses, ref.String())
		}
		return e, nil
	})
}

func changeMirrors(ctx context.Context, c *command.Command, fs *pflag.FlagSet, args []string, edit func() (operate.MirrorEdit, error)) error {
	read := command.Settings(fs, "data")
	if err := c.Parse(fs, args, command.SomeTexts); err != nil {
		return err
	}
	e, err := edit()
	if err != nil {
		return err
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	_, err = perform(ctx, cfg.Data, task{MirrorEdit: &e})
	return err
}

func mirrorList(ctx context.Context, c *command.Command, args []string) error {
	return list(ctx, c, args, "ADDRESS ACCOUNT FRESH TRIED PROBLEM", func(m record.Mirror) []any {
		return []any{m.Address, m.Account, known(m.Read), known(m.Tried), m.Failure}
	}, always(task{Mirrors: &struct{}{}}))
}

// known is a moment, nil for none.
func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// mirrorRun reads all mirrors again, in the server when one runs and otherwise here.
func mirrorRun(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	later := fs.Bool("index-later", false, "leave the search index to the next start of the server, when none runs")
	read := command.Settings(fs)
	if err := c.Parse(fs, args, 0); err != nil {
		return err
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	begun, err := askMirrors(ctx, cfg.Data, mirrorTask{})
	if err == nil {
		r, err := watchMirrors(ctx, func() (mirrorReport, error) { return askMirrors(ctx, cfg.Data, mirrorTask{Round: begun.Round}) })
		if ctx.Err() != nil {
			return errors.New("stopped; the server goes on reading the mirrors")
		}
		if err != nil {
			return err
		}
		return r.tell()
	}
	if !errors.Is(err, errNoServer) {
		return err
	}
	s := &Server{log: newLog(cfg, os.Stderr)}
	defer s.close()
	if err := s.openForImport(cfg); err != nil {
		return err
	}
	j := newMirrorJob(s)
	begun = mirrorTask{}.do(j)
	j.running.Go(func() { j.round(ctx) })
	r, err := watchMirrors(context.WithoutCancel(ctx), func() (mirrorReport, error) { return mirrorTask{Round: begun.Round}.do(j), nil })
	j.stop()
	if err == nil {
		err = r.tell()
	}
	if ctx.Err() != nil {
		return fmt.Errorf("stopped; the same command goes on where this one ended: %w", ctx.Err())
	}
	if *later || r.Loaded == 0 {
		return err
	}
	return errors.Join(err, s.feedIndex(ctx, false, false))
}

func askMirrors(ctx context.Context, dir string, t mirrorTask) (r mirrorReport, err error) {
	b, err := performRemote(ctx, dir, task{MirrorRun: &t})
	if err != nil {
		return r, err
	}
	return decoded[mirrorReport](b)
}

// watchMirrors waits for the end of a round, and shows on a terminal how far it is.
func watchMirrors(ctx context.Context, ask func() (mirrorReport, error)) (mirrorReport, error) {
	show := progressLine()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		r, err := ask()
		over := err != nil || r.Over && r.Round > 0
		show(over, "%d of %d mirrors read, %d items loaded ", r.Read, r.Mirrors, r.Loaded)
		if over {
			return r, err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return r, ctx.Err()
		}
	}
}

// tell prints what came of a round.
func (r mirrorReport) tell() error {
	for _, f := range r.Failed {
		fmt.Fprintf(os.Stderr, "%s: %s\n", f.Address, f.Failure)
	}
	fmt.Fprintf(os.Stderr, "%d of %d mirrors are fresh; %d items were loaded, %d had not changed, %d bytes of files were transferred\n",
		r.Mirrors-len(r.Failed), r.Mirrors, r.Loaded, r.Already, r.Bytes)
	if r.Problem != "" {
		return errors.New(r.Problem)
	}
	if len(r.Failed) > 0 {
		return fmt.Errorf("%d of %d mirrors are not fresh", len(r.Failed), r.Mirrors)
	}
	return nil
}
