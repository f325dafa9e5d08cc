package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"alcove/cli/command"
	"alcove/cli/load"
	"alcove/cli/pack"
	"alcove/cli/sentence"
)

// unpackItems loads packages, in the server that has the data directory open when one does.
func unpackItems(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	t := loadTask{}
	later := t.flags(fs)
	fs.BoolVar(&t.AcceptWarnings, "accept-warnings", false, "publish also what the server warns of, instead of stopping before")
	read := command.Settings(fs)
	if err := c.Parse(fs, args, command.SomePaths); err != nil {
		return err
	}
	if err := command.Required(fs, "account"); err != nil {
		return err
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	for _, file := range fs.Args() {
		if file, err = filepath.Abs(file); err != nil {
			return err
		}
		t.Unpack = append(t.Unpack, file)
	}
	return loadItems(ctx, cfg, t, *later)
}

// unpack loads packages: those of articles first, as collections name them.
func unpack(ctx context.Context, o load.Options, files []string, room func() (int64, error)) (sum load.Summary, err error) {
	broken := 0
	for _, collections := range []bool{false, true} {
		for _, file := range files {
			p, err := pack.Open(file)
			if errors.Is(err, os.ErrPermission) {
				err = fmt.Errorf("%w: while the server runs, its user reads the package", err)
			}
			if err != nil {
				if !collections { // it is told once
					broken++
					fmt.Fprintln(o.Out, sentence.Of(err))
				}
				continue
			}
			var one load.Summary
			if p.Collection == collections {
				one, err = unpackOne(ctx, o, file, p, room)
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

func unpackOne(ctx context.Context, o load.Options, file string, p *pack.Package, room func() (int64, error)) (load.Summary, error) {
	sum, err := load.One(ctx, o, file, p.Line, roomy{p, room})
	if err != nil || !o.DryRun || sum.Refused > 0 {
		return sum, err
	}
	if err := p.Verify(ctx); err != nil {
		if ctx.Err() != nil {
			return sum, ctx.Err()
		}
		fmt.Fprintf(o.Out, "%s: %s\n", file, sentence.Of(err))
		return load.Summary{Lines: 1, Refused: 1}, nil
	}
	return sum, nil
}
