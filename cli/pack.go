package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"alcove/cli/command"
	"alcove/cli/deposit"
	"alcove/cli/fetch"
	"alcove/cli/load"
	"alcove/cli/own"
	"alcove/cli/pack"
	"alcove/cli/sentence"
)

// packItems writes public items with all their versions and files to packages.
func packItems(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	out := command.PathFlag(fs, "out", "folder for the packages, or the name of the only one, which ends with .zip")
	from := serverFlags(fs)
	read := command.Settings(fs, "data", "listen", "base-url", "tls")
	if err := c.Parse(fs, args, command.SomeTexts); err != nil {
		return err
	}
	if err := command.Required(fs, "out"); err != nil {
		return err
	}
	single := strings.HasSuffix(*out, ".zip")
	if single && fs.NArg() > 1 {
		return fmt.Errorf("%w: --out names one package, and there are %d items", command.ErrUsage, fs.NArg())
	}
	if from.server == "" {
		cfg, err := read()
		if err != nil {
			return err
		}
		if used, err := from.useLogin(cfg.Data); err != nil {
			return err
		} else if used {
			return packAll(ctx, from, *out, fs.Args())
		}
		at, err := net.ResolveTCPAddr("tcp", cfg.Listen)
		if err != nil {
			return fmt.Errorf("cannot understand the address %s: %w", cfg.Listen, err)
		}
		from.server = cfg.Resolve(at).BaseURL
		if ca := filepath.Join(cfg.Data, "tls", "ca.pem"); from.CACert == "" {
			if _, err := os.Stat(ca); err == nil {
				from.CACert = ca
			}
		}
	}
	return packAll(ctx, from, *out, fs.Args())
}

func packAll(ctx context.Context, from *servers, out string, items []string) error {
	p := packer{from: from, folder: out, names: map[string]string{}}
	if strings.HasSuffix(out, ".zip") {
		p.folder, p.only = filepath.Dir(out), filepath.Base(out)
	}
	return p.all(ctx, items)
}

// useLogin takes server and token of the login that is named, or of the default one where there is no data directory here.
func (s *servers) useLogin(data string) (bool, error) {
	if _, err := os.Stat(data); s.login == "" && err == nil {
		return false, nil
	}
	l, err := own.ReadLogins()
	if err != nil || s.login == "" && l.Default == "" {
		return false, err
	}
	found, err := (&own.Target{Login: s.login, To: s.server, TokenFile: s.TokenFile, Cacert: s.CACert, InsecureHTTP: s.InsecureHTTP}).Find()
	s.server, s.Token, s.CACert = found.Address, found.Token, found.CACert
	return true, err
}

// packer writes packages into a folder.
type packer struct {
	from   *servers
	folder string
	only   string // name of the only package, "" for those of the items
	dir    *os.Root
	names  map[string]string // origins by the names of their packages
}

func (p *packer) all(ctx context.Context, items []string) (err error) {
	defer p.from.close()
	if err := os.MkdirAll(p.folder, 0o700); err != nil {
		return fmt.Errorf("cannot make the folder of the packages: %w", err)
	}
	if p.dir, err = os.OpenRoot(p.folder); err != nil {
		return fmt.Errorf("cannot open the folder of the packages: %w", err)
	}
	defer p.dir.Close()
	failed := 0
	for _, text := range items {
		ref, client, err := p.from.find(ctx, text)
		if err == nil {
			err = p.item(ctx, client, ref)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if deposit.Unencrypted(err) { // every item would meet it
			return err
		}
		if err != nil {
			failed++
			fmt.Fprintf(os.Stderr, "%s: %s\n", text, sentence.Of(err))
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d items were not packed", failed, len(items))
	}
	return nil
}

// item packs an item, and into a folder with a collection its articles as well: without them it cannot be loaded.
func (p *packer) item(ctx context.Context, client *fetch.Client, ref fetch.Ref) error {
	it, err := client.Read(ctx, ref)
	if err != nil {
		return err
	}
	name := p.only
	if name == "" {
		name = pack.Name(it)
		for _, m := range it.Members {
			if err := p.item(ctx, client, fetch.Ref{Base: ref.Base, ID: m.ID}); err != nil {
				return fmt.Errorf("its article %d: %w", m.ID, err)
			}
		}
	}
	switch origin := p.names[name]; origin {
	case it.Origin:
		return nil
	case "":
		p.names[name] = it.Origin
	default:
		return fmt.Errorf("%s is the name of the package of %s already: give it another folder", name, origin)
	}
	if err := pack.Write(ctx, p.dir, name, it, client); err != nil {
		return err
	}
	for i := range it.Versions {
		if v := &it.Versions[i]; v.Withheld {
			it.Notes = append(it.Notes, fmt.Sprintf("version %d is packed without its files, which an embargo withholds", v.Number))
		}
	}
	for _, n := range it.Notes {
		fmt.Fprintf(os.Stderr, "%s: %s\n", name, n)
	}
	fmt.Println(filepath.Join(p.folder, name))
	return nil
}

// servers are the clients of a command by the address of their server.
type servers struct {
	fetch.Options
	server   string        // that of ids and DOIs, "" for none
	login    string        // the name of a login that stands for it
	resolver string        // what tells where a DOI leads, when no server is named
	guide    *fetch.Client // of the resolver
	clients  map[string]*fetch.Client
}

// serverFlags are the flags of commands that read items of other servers.
func serverFlags(fs *pflag.FlagSet) *servers {
	s := &servers{clients: map[string]*fetch.Client{}}
	fs.StringVar(&s.server, "server", "", "address of the server that ids and DOIs are of, with or without /v2")
	fs.StringVar(&s.login, "login", "", "name of a login (alcove login) whose server and token are used")
	fs.StringVar(&s.resolver, "resolver", "https://doi.org", "what is asked where a DOI leads when no server is named")
	fs.Var((*command.PathValue)(&s.TokenFile), "token-file", "file whose first line is a personal token of the server, for what it shows only to some")
	fs.Var((*command.PathValue)(&s.CACert), "cacert", "PEM file of a certificate authority to trust besides the system's")
	own.InsecureFlag(fs, &s.InsecureHTTP)
	return s
}

// find is the item that a text means, and the client of its server.
func (s *servers) find(ctx context.Context, text string) (fetch.Ref, *fetch.Client, error) {
	ref, err := fetch.ParseRef(text)
	if err == nil && s.login != "" && s.Token == "" {
		_, err = s.useLogin("")
	}
	if err != nil {
		return ref, nil, err
	}
	if ref.Base == "" {
		ref.Base = s.server
	}
	var client *fetch.Client
	switch {
	case ref.Base != "":
		client, err = s.client(ctx, ref.Base)
	case ref.DOI != "":
		ref, client, err = s.led(ctx, ref.DOI)
	default:
		err = fmt.Errorf("--server is to say of which server it is")
	}
	if err != nil {
		return ref, nil, err
	}
	ref, err = client.Resolve(ctx, ref)
	return ref, client, err
}

// client is the client of the server at an address.
func (s *servers) client(ctx context.Context, base string) (*fetch.Client, error) {
	if client := s.clients[base]; client != nil {
		return client, nil
	}
	o := s.Options
	if own.SameServer(base, s.server) != nil {
		o.Token = "" // a login's, which is for its own server
	}
	client, err := fetch.New(ctx, base, o)
	if err == nil {
		s.clients[base] = client
	}
	return client, err
}

// led is where the resolver leads a DOI. No person has named that server, so it may be none that the resolver could not be,
// and gets no token.
func (s *servers) led(ctx context.Context, doi string) (fetch.Ref, *fetch.Client, error) {
	if s.guide == nil {
		o := s.Options
		o.Token, o.TokenFile = "", ""
		guide, err := fetch.New(ctx, s.resolver, o)
		if err != nil {
			return fetch.Ref{}, nil, err
		}
		s.guide = guide
	}
	ref, err := s.guide.Lead(ctx, doi)
	if err != nil {
		return ref, nil, err
	}
	client := s.clients[ref.Base]
	if client == nil {
		client = s.guide.Beyond(ref.Base)
		s.clients[ref.Base] = client
	}
	return ref, client, nil
}

func (s *servers) close() {
	for _, c := range s.clients {
		c.Close()
	}
}

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
