package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	blobdir "alcove/blobs/dir"
	"alcove/bucket"
	"alcove/bucket/lock"
	"alcove/cli/command"
	"alcove/cli/deposit"
	"alcove/cli/load"
	"alcove/cli/sentence"
	"alcove/config"
	"alcove/handlers"
	"github.com/spf13/pflag"
	"golang.org/x/term"
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
	if errors.Is(err, lock.ErrInUse) {
		return fmt.Errorf("a server uses %s; stop it, import, and start it again (alcove deposit works while it runs)%w", cfg.Data, silent{lock.ErrInUse})
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

// loadTask asks for items to be loaded; one of Pull and Unpack is set. It is carried out by the command, or by the server
// that has the data directory open.
type loadTask struct {
	Account        string    `json:"account"`
	DryRun         bool      `json:"dry_run"`
	AcceptWarnings bool      `json:"accept_warnings"`
	Pull           *pullTask `json:"pull"`
	Unpack         []string  `json:"unpack"` // absolute paths of packages
}

// loadPath is where the admin socket takes a loadTask. The reply is a stream of loadLine; the last one is over.
const loadPath = "/load"

// loadLine is what the command is to print, or how the work ended.
type loadLine struct {
	Out   string `json:"out"`
	Over  bool   `json:"over"`
	Error string `json:"error"`
}

// loadItems carries a task out, in the server when one runs and otherwise here.
func loadItems(ctx context.Context, cfg config.Config, t loadTask, later bool) error {
	err := loadRemote(ctx, cfg.Data, t)
	if !errors.Is(err, errNoServer) {
		return err
	}
	s := &Server{log: newLog(cfg, os.Stderr)}
	defer s.close()
	if err := s.openForImport(cfg); err != nil {
		return err
	}
	sum, bad := t.do(ctx, s, os.Stderr)
	if t.DryRun || later || ctx.Err() != nil || sum.Loaded == 0 {
		return bad
	}
	return errors.Join(bad, s.feedIndex(ctx, false, false))
}

// do loads, and prints to out what a person is to know.
func (t loadTask) do(ctx context.Context, s *Server, out io.Writer) (sum load.Summary, err error) {
	o := load.Options{Out: out, DryRun: t.DryRun, AcceptWarnings: t.AcceptWarnings}
	if o.Loader, err = load.NewLoader(s.api, t.Account, s.Config.DOI.TakenOver...); err != nil {
		return sum, err
	}
	if t.Pull != nil {
		return t.Pull.do(ctx, s, o)
	}
	return unpack(ctx, o, t.Unpack, s.roomToLoad)
}

// loadRemote has the server carry a task out, and prints what it says as it comes.
func loadRemote(ctx context.Context, dir string, t loadTask) error {
	res, err := askServer(ctx, dir, loadPath, t, 0)
	if err == nil {
		defer res.Body.Close()
		lines := json.NewDecoder(res.Body)
		for {
			var l loadLine
			if err = lines.Decode(&l); err != nil {
				break
			}
			fmt.Fprint(os.Stderr, l.Out)
			if l.Over && l.Error != "" {
				return errors.New(l.Error)
			}
			if l.Over {
				return nil
			}
		}
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("stopped; the same command goes on where this one ended: %w", ctx.Err())
	case errors.Is(err, errNoServer):
		return err
	}
	return fmt.Errorf("the server ended before it had loaded everything; the same command goes on where this one ended: %w", err)
}

// loading is what a server loads for commands and mirrors: one after another, as they share the notes of what was read.
type loading struct {
	turn    chan struct{} // full while something is loaded
	ctx     context.Context
	halt    context.CancelFunc
	mu      sync.Mutex
	over    bool
	running sync.WaitGroup
}

func newLoading() *loading {
	l := &loading{turn: make(chan struct{}, 1)}
	l.ctx, l.halt = context.WithCancel(context.Background())
	return l
}

// enter waits for the turn to load; leave gives it up.
func (l *loading) enter(ctx context.Context, waits func()) error {
	select {
	case l.turn <- struct{}{}:
		return nil
	default:
	}
	waits()
	select {
	case l.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *loading) leave() { <-l.turn }

// begin notes that a task runs, unless the server is stopping.
func (l *loading) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.running.Add(1)
	}
	return !l.over
}

// stop ends what is loaded, and waits for it.
func (l *loading) stop() {
	l.mu.Lock()
	l.over = true
	l.mu.Unlock()
	l.halt()
	l.running.Wait()
}

// errStopping is what a command is told whose work ended with the server.
var errStopping = errors.New("the server was stopped; the same command goes on where this one ended, with the server or without")

// serveLoad answers a command that loads. The end of its connection ends the work.
func (s *Server) serveLoad(w http.ResponseWriter, r *http.Request) {
	var t loadTask
	err := json.NewDecoder(io.LimitReader(r.Body, 16<<20)).Decode(&t)
	// The deadline for reading would otherwise end the work as if the command had gone.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	out := &loadOut{w: w, e: json.NewEncoder(w)}
	out.e.SetEscapeHTML(false)
	switch {
	case err != nil:
	case !s.loading.begin():
		err = errStopping
	default:
		defer s.loading.running.Done() // once the command has been told
		err = s.loadFor(r.Context(), t, out)
	}
	last := loadLine{Over: true}
	if err != nil {
		last.Error = sentence.Of(err)
	}
	out.send(last)
}

// loadFor carries out the task of a command. A panic becomes its error.
func (s *Server) loadFor(ctx context.Context, t loadTask, out *loadOut) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.loading.ctx, func() {
		_ = http.NewResponseController(out.w).SetWriteDeadline(time.Now().Add(time.Second)) // to a command that does not read
		cancel()
	})()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("cannot go on: panic: %v", p)
			s.log.Error("panic in the background", "work", "load", "panic", p)
		}
		if s.loading.ctx.Err() != nil && err != nil {
			err = errStopping
		}
	}()
	if err := s.loading.enter(ctx, func() { fmt.Fprintln(out, "waiting until other items are loaded") }); err != nil {
		return err
	}
	defer s.loading.leave()
	sum, err := t.do(ctx, s, out)
	if sum.Loaded > 0 && !t.DryRun {
		s.api.Jobs.EndEmbargoesSoon() // an item may have brought one along
	}
	return err
}

// loadOut sends to a command what it is to print.
type loadOut struct {
	w http.ResponseWriter
	e *json.Encoder
}

func (o *loadOut) Write(b []byte) (int, error) {
	o.send(loadLine{Out: string(b)})
	return len(b), nil
}

func (o *loadOut) send(l loadLine) {
	_ = o.e.Encode(l) // to a command that has gone away
	_ = http.NewResponseController(o.w).Flush()
}

// roomy are files that are only read while the disk has room for them.
type roomy struct {
	deposit.Files
	room func() (int64, error)
}

func (f roomy) Read(ctx context.Context, path string) (io.ReadCloser, error) {
	size, err := f.Size(path)
	if err != nil {
		return nil, err
	}
	room, err := f.room()
	if err == nil && size > room {
		err = fmt.Errorf("the disk has no room for its %d bytes beside disk_reserve", size)
	}
	if err != nil {
		return nil, err
	}
	return f.Files.Read(ctx, path)
}

// flags are those of all commands that load items.
func (t *loadTask) flags(fs *pflag.FlagSet) (later *bool) {
	fs.StringVar(&t.Account, "account", "", "e-mail address or id of the account whose articles and collections they become")
	fs.BoolVar(&t.DryRun, "dry-run", false, "only tell which would be refused, and what would be changed")
	return fs.Bool("index-later", false, "leave the search index to the next start of the server, when none runs")
}
