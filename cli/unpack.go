package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"alcove/cli/load"
	"alcove/cli/pack"
)

// unpackItems loads packages into a data directory that no server has open.
func unpackItems(ctx context.Context, c *command, args []string) error {
	fs := c.flags()
	account := fs.String("account", "", "e-mail address or id of the account whose articles and collections they become")
	o := load.Options{Out: os.Stderr}
	fs.BoolVar(&o.DryRun, "dry-run", false, "only verify the packages, and tell which would be refused, and what would be changed")
	fs.BoolVar(&o.AcceptWarnings, "accept-warnings", false, "publish also what the server warns of, instead of stopping before")
	later := fs.Bool("index-later", false, "leave the search index to the next start of the server")
	read := settings(fs)
	if err := c.parse(fs, args, some); err != nil {
		return err
	}
	if err := required(fs, "account"); err != nil {
		return err
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	s := &Server{log: newLog(cfg, os.Stderr)}
	defer s.close()
	if err := s.openForImport(cfg); err != nil {
		return err
	}
	if o.Loader, err = load.NewLoader(s.api, *account, cfg.DOI.TakenOver...); err != nil {
		return err
	}
	sum, bad := unpack(ctx, o, fs.Args())
	if o.DryRun || *later || ctx.Err() != nil {
		return bad
	}
	if sum.Loaded == 0 {
		return bad
	}
	return errors.Join(bad, s.feedIndex(ctx, false, false))
}

// unpack loads packages: those of articles first, as collections name them.
func unpack(ctx context.Context, o load.Options, files []string) (sum load.Summary, err error) {
	broken := 0
	for _, collections := range []bool{false, true} {
		for _, file := range files {
			p, err := pack.Open(file)
			if err != nil {
				if !collections { // it is told once
					broken++
					fmt.Fprintln(o.Out, err)
				}
				continue
			}
			var one load.Summary
			if p.Collection == collections {
				one, err = unpackOne(ctx, o, file, p)
			}
			p.Close()
			if sum.Add(one); err != nil {
				return sum, err
			}
		}
	}
	sum.Refused += broken
	sum.Print(o.Out, o.DryRun)
	if sum.Refused > 0 {
		return sum, fmt.Errorf("%d of %d packages were refused", sum.Refused, len(files))
	}
	return sum, nil
}

func unpackOne(ctx context.Context, o load.Options, file string, p *pack.Package) (load.Summary, error) {
	sum, err := load.One(ctx, o, file, p.Line, p)
	if err != nil || !o.DryRun || sum.Refused > 0 {
		return sum, err
	}
	if err := p.Verify(ctx); err != nil {
		if ctx.Err() != nil {
			return sum, ctx.Err()
		}
		fmt.Fprintf(o.Out, "%s: %v\n", file, err)
		return load.Summary{Lines: 1, Refused: 1}, nil
	}
	return sum, nil
}
