package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"alcove/cli/fetch"
	"alcove/cli/load"
)

// pullItems loads public items of other servers into a data directory that no server has open.
func pullItems(ctx context.Context, c *command, args []string) error {
	fs := c.flags()
	account := fs.String("account", "", "e-mail address or id of the account whose articles and collections they become")
	o := load.Options{Out: os.Stderr, Grows: true}
	fs.BoolVar(&o.DryRun, "dry-run", false, "only tell which would be refused, and what would be changed")
	fs.BoolVar(&o.AcceptWarnings, "accept-warnings", false, "publish also what the server warns of, or what cannot be taken whole, instead of stopping before")
	later := fs.Bool("index-later", false, "leave the search index to the next start of the server")
	from := serverFlags(fs)
	fs.DurationVar(&from.Silence, "silence", fetch.Silence, "how long a server may send nothing")
	read := settings(fs)
	if err := c.parse(fs, args, names); err != nil {
		return err
	}
	if err := required(fs, "account"); err != nil {
		return err
	}
	if from.Silence < time.Millisecond {
		return fmt.Errorf("%w: --silence must be longer", errUsage)
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
	notes, err := fetch.OpenNotes(cfg.Data)
	if err != nil {
		return err
	}
	p := puller{Options: o, from: from, files: fetch.Files{Blobs: s.blobs, Notes: notes}, done: map[string]error{}}
	bad := p.all(ctx, fs.Args())
	notes.Close(bad == nil && !o.DryRun)
	if o.DryRun || *later || ctx.Err() != nil || p.sum.Loaded == 0 {
		return bad
	}
	return errors.Join(bad, s.feedIndex(ctx, false, false))
}

// puller loads items of other servers.
type puller struct {
	load.Options
	from  *servers
	files fetch.Files
	sum   load.Summary
	done  map[string]error // by the origin of an item
	// loaded is called with each item that is here now, be it from before; nil for nothing.
	loaded func(context.Context, *fetch.Client, *fetch.Item) error
}

func (p *puller) all(ctx context.Context, items []string) error {
	defer p.from.close()
	for _, text := range items {
		ref, client, err := p.from.find(ctx, text)
		if err == nil {
			err = p.item(ctx, client, ref)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("stopped; the same command goes on where this one ended: %w", ctx.Err())
		}
		var whole *storeError
		if errors.As(err, &whole) {
			return err
		}
		if err != nil {
			p.sum.Refused++
			fmt.Fprintf(p.Out, "%s: %v\n", text, err)
		}
	}
	bytes := int64(0)
	for _, c := range p.from.clients {
		bytes += c.Fetched()
	}
	p.sum.Print(p.Out, p.DryRun)
	fmt.Fprintf(p.Out, "%d bytes of files were transferred\n", bytes)
	if p.sum.Refused > 0 {
		return fmt.Errorf("not everything was loaded: %d refused", p.sum.Refused)
	}
	return nil
}

// storeError is about the store and not about an item.
type storeError struct{ error }

func (e *storeError) Unwrap() error { return e.error }

// item loads an item, and before a collection its articles, once each.
func (p *puller) item(ctx context.Context, client *fetch.Client, ref fetch.Ref) error {
	it, err := client.Read(ctx, ref)
	if err != nil {
		return err
	}
	return p.take(ctx, client, ref, it)
}

// take is item of one that was read.
func (p *puller) take(ctx context.Context, client *fetch.Client, ref fetch.Ref, it *fetch.Item) error {
	if err, seen := p.done[it.Origin]; seen {
		return err
	}
	for _, m := range it.Members {
		if _, seen := p.done[m.Origin]; seen {
			continue
		}
		if err := p.item(ctx, client, fetch.Ref{Base: ref.Base, ID: m.ID}); err != nil {
			return fmt.Errorf("its article %d: %w", m.ID, err)
		}
	}
	refused := p.sum.Refused
	err := p.load(ctx, client, it)
	if err == nil && p.loaded != nil && p.sum.Refused == refused {
		err = p.loaded(ctx, client, it)
	}
	p.done[it.Origin] = err
	return err
}

func (p *puller) load(ctx context.Context, client *fetch.Client, it *fetch.Item) error {
	line, err := it.Line(fetch.Path)
	if err != nil {
		return err
	}
	for i := range it.Versions {
		if v := &it.Versions[i]; v.Withheld {
			it.Notes = append(it.Notes, fmt.Sprintf("the files of version %d are left out, as an embargo withholds them", v.Number))
		}
	}
	for _, n := range it.Notes {
		fmt.Fprintf(p.Out, "%s: %s\n", it.Origin, n)
	}
	if len(it.Notes) > 0 && !p.AcceptWarnings {
		return errors.New("it cannot be taken whole; --accept-warnings loads it nevertheless")
	}
	files := p.files
	files.Client = client
	files.Add(it)
	sum, err := load.One(ctx, p.Options, it.Origin, line, &files)
	if p.sum.Add(sum); err != nil {
		return &storeError{err}
	}
	return nil
}
