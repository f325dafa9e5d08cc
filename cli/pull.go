package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"alcove/cli/command"
	"alcove/cli/deposit"
	"alcove/cli/fetch"
	"alcove/cli/load"
	"alcove/cli/sentence"
)

// pullItems loads public items of other servers, in the server that has the data directory open when one does.
func pullItems(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	t := loadTask{}
	later := t.flags(fs)
	fs.BoolVar(&t.AcceptWarnings, "accept-warnings", false, "publish also what the server warns of, or what cannot be taken whole, instead of stopping before")
	from := serverFlags(fs)
	fs.DurationVar(&from.Silence, "silence", fetch.Silence, "how long a server may send nothing")
	read := command.Settings(fs)
	if err := c.Parse(fs, args, command.SomeTexts); err != nil {
		return err
	}
	if err := command.Required(fs, "account"); err != nil {
		return err
	}
	if from.Silence < time.Millisecond {
		return fmt.Errorf("%w: --silence must be longer", command.ErrUsage)
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	if from.login != "" { // it is the caller's, and not the server's
		if _, err := from.useLogin(""); err != nil {
			return err
		}
	}
	for _, file := range []*string{&from.TokenFile, &from.CACert} {
		if *file != "" {
			if *file, err = filepath.Abs(*file); err != nil {
				return err
			}
		}
	}
	t.Pull = &pullTask{Items: fs.Args(), Trust: from.Options, Server: from.server, Resolver: from.resolver}
	return loadItems(ctx, cfg, t, *later)
}

// pullTask says what to pull, and from where.
type pullTask struct {
	Items    []string      `json:"items"`
	Trust    fetch.Options `json:"trust"`
	Server   string        `json:"server"`
	Resolver string        `json:"resolver"`
}

func (t *pullTask) do(ctx context.Context, s *Server, o load.Options) (load.Summary, error) {
	o.Grows = true
	notes, err := fetch.OpenNotes(s.Config.Data)
	if err != nil {
		return load.Summary{}, err
	}
	whole := false
	defer func() { notes.Close(whole) }()
	p := puller{
		Options: o, files: fetch.Files{Blobs: s.blobs, Notes: notes, Room: s.roomToLoad}, done: map[string]error{},
		from: &servers{Options: t.Trust, server: t.Server, resolver: t.Resolver, clients: map[string]*fetch.Client{}},
	}
	err = p.all(ctx, t.Items)
	whole = err == nil && !o.DryRun
	return p.sum, err
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
		if errors.As(err, &whole) || deposit.Unencrypted(err) {
			return err
		}
		if err != nil {
			p.sum.Refused++
			fmt.Fprintf(p.Out, "%s: %s\n", text, sentence.Of(err))
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
