// Package deposit is the client behind "alcove deposit": it reads a file of JSON lines, one
// article a line, and deposits every article with its files through the public API of any
// compatible server. It imports nothing of the server.
//
// On disk it keeps one file, the state file, by default beside the input:
//
//	ITEMS.jsonl                 the input, only read
//	ITEMS.jsonl.deposit-state   append-only JSON lines, see record.go; flocked
//
// A step that must not happen twice (create an article, initiate a file,
// publish) is announced in the state file, synced, before the request is sent.
// A later run that finds such an announcement without its result first looks at
// the depositor's own list to learn what the server did, and only then goes on.
package deposit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// Options say what to deposit and where.
type Options struct {
	To        string // base address of the server, with or without /v2
	Token     string // the personal token; "" for that of TokenFile
	TokenFile string // the first line of this file is the personal token
	CACert    string // PEM file of further authorities to trust; "" for none
	// InsecureHTTP sends the token also over plain HTTP to another machine.
	InsecureHTTP bool

	Items    string // the JSON lines; paths of files are relative to its folder
	State    string // "" means Items + ".deposit-state"
	Parallel int    // items, and file parts, on their way at once; 0 means 4

	// AllowSecrets names files, by their paths in the item, that are sent although they hold a private key or a token.
	AllowSecrets []string

	FollowOutside  bool // read also files outside the folder of Items
	AcceptWarnings bool // publish also what the server has warned of

	Out        io.Writer // progress and summary; nil discards them
	IsTerminal bool      // Out is a terminal: draw a bar instead of lines

	// HTTPClient replaces the client that would be built, CACert included.
	// Redirects are never followed, whatever it says.
	HTTPClient *http.Client

	clock clock // the zero value is the real clock
}

// Summary counts the lines of the input by what became of them.
type Summary struct {
	Items     int       `json:"items"`            // lines that hold an article
	Deposited int       `json:"deposited"`        // brought to their end by this run, files included
	Published int       `json:"published"`        // of these, published by this run and public
	HandedIn  int       `json:"handed_in"`        // of these, handed in by this run and waiting for a review
	Held      int       `json:"held_by_embargo"`  // of these, published by this run and held by their embargo
	Already   int       `json:"already_complete"` // before this run, by the state file and by the server
	Remaining int       `json:"not_finished"`     // not begun or not finished because the run was stopped
	Failures  []Failure `json:"failures"`         // in the order of the input
}

// Failure is one line that could not be deposited.
type Failure struct {
	Line   int    `json:"line"` // from 1
	Key    string `json:"key"`  // the depositor's own id, "" when the line has none
	Reason string `json:"reason"`
}

// String names line, key and reason as the summary prints them.
func (f Failure) String() string {
	if f.Key == "" {
		return fmt.Sprintf("line %d: %s", f.Line, f.Reason)
	}
	return fmt.Sprintf("line %d (key %q): %s", f.Line, f.Key, f.Reason)
}

// depositor is one run.
type depositor struct {
	api    *client
	state  *state
	input  *input
	clock  clock
	report *report
	titles [64]sync.Mutex // by title: see lockTitle in create.go
	parts  chan struct{}  // one slot for each part on its way
	accept bool           // warnings
	// say tells something of a line at once.
	say      func(ln line, what string)
	progress *progress // nil where bytes are not shown
}

// Run deposits every line of o.Items of which the server lacks something.
// A line that fails does not stop the others. The error is not nil when a line
// failed, when the run was stopped through ctx, or when it could not go on at
// all: bad options, a refused token, an unreachable server, an unwritable state
// file. After any of these the same call goes on where this one ended.
func Run(ctx context.Context, o Options) (Summary, error) {
	if o.State == "" {
		o.State = o.Items + ".deposit-state"
	}
	if o.Parallel < 1 {
		o.Parallel = 4
	}
	if o.Out == nil {
		o.Out = io.Discard
	}
	o.clock = o.clock.orReal()

	api, err := newClient(o)
	if err != nil {
		return Summary{}, err
	}
	defer api.close()
	in, err := openInput(o.Items, o.FollowOutside)
	if err != nil {
		return Summary{}, err
	}
	defer in.close()
	st, err := openState(o.State, api.base)
	if err != nil {
		return Summary{}, err
	}
	defer st.close()

	d := &depositor{api: api, state: st, input: in, clock: o.clock, parts: make(chan struct{}, o.Parallel), accept: o.AcceptWarnings}
	d.report = newReport(o, api, in)
	d.say = d.report.say
	todo := d.sort()
	if err := d.secretsOf(ctx, todo, o.AllowSecrets); err != nil {
		return d.report.finish(), err
	}
	err = d.work(ctx, o.Parallel, todo)
	sum := d.report.finish()
	resume := "What is done is kept in " + o.State + "; the same command goes on from there, and deposits nothing twice."
	switch {
	case ctx.Err() != nil:
		fmt.Fprintf(o.Out, "Stopped. %s\n", resume)
		return sum, ctx.Err()
	case err != nil:
		fmt.Fprintln(o.Out, resume)
		return sum, err
	case len(sum.Failures) > 0:
		return sum, fmt.Errorf("%d of %d items failed", len(sum.Failures), sum.Items)
	}
	return sum, nil
}

// sort reports the lines that are bad, or not what they were when they were begun, and returns
// the rest.
func (d *depositor) sort() []line {
	var todo []line
	for _, ln := range d.input.lines {
		e := d.state.entry(ln.id)
		switch {
		case ln.err != nil:
			d.report.failed(ln, ln.err)
		case e.begun() && e.hash != ln.hash:
			d.report.failed(ln, e.changed())
		default:
			todo = append(todo, ln)
		}
	}
	return todo
}

// work deposits todo with n workers. A fatal error stops all of them and is
// returned; the failure of a line is only reported.
func (d *depositor) work(ctx context.Context, n int, todo []line) error {
	if len(todo) == 0 {
		return nil
	}
	if err := d.api.probe(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan line)
	var workers sync.WaitGroup
	for range min(n, len(todo)) {
		workers.Go(func() {
			for ln := range queue {
				d.one(ctx, ln, cancel)
			}
		})
	}
feed:
	for _, ln := range todo {
		select {
		case queue <- ln:
		case <-ctx.Done():
			break feed
		}
	}
	close(queue)
	workers.Wait()
	return context.Cause(ctx)
}

// one deposits a line and reports how it went. An error that would meet every
// other line too goes to stop.
func (d *depositor) one(ctx context.Context, ln line, stop context.CancelCauseFunc) {
	if ctx.Err() != nil {
		return
	}
	there, err := d.present(ctx, ln)
	if err == nil && there {
		d.report.already()
		return
	}
	var end outcome
	if err == nil {
		end, err = d.deposit(ctx, ln)
	}
	switch {
	case err == nil:
		d.report.deposited(ln, end)
	case ctx.Err() != nil:
		// The stop interrupted this line; it remains to be done.
	case d.fatal(ctx, err):
		stop(err)
	default:
		d.report.failed(ln, err)
	}
}

// outcome is what became of a line that was brought to its end.
type outcome struct {
	article   int64
	published bool
	waits     waiting
}

// deposit takes a line from wherever the state file says it is to its end.
func (d *depositor) deposit(ctx context.Context, ln line) (outcome, error) {
	it, err := d.input.load(ln)
	if err != nil {
		return outcome{}, err
	}
	if e := it.embargo; e != nil && !e.until.IsZero() && !e.until.After(d.api.serverTime()) && !d.state.entry(ln.id).begun() {
		return outcome{}, errors.New(`"embargo_date" has passed`)
	}
	article, err := d.create(ctx, ln, it)
	if err != nil {
		return outcome{}, err
	}
	end := outcome{article: article, published: it.publish}
	named := func(what string, err error) (outcome, error) {
		return end, fmt.Errorf("article %d: %s%w", article, what, err)
	}
	if err := d.addAuthors(ctx, article, it.authors); err != nil {
		return named("", err)
	}
	if err := d.describe(ctx, ln, it, article); err != nil {
		return named("", err)
	}
	for n, f := range it.files {
		if err := d.file(ctx, &upload{line: ln.id, article: article, n: n, local: f}); err != nil {
			return named(fmt.Sprintf("file %q: ", f.label), err)
		}
	}
	if it.publish && !d.state.entry(ln.id).published {
		if err := d.verify(ctx, ln, it, article); err != nil {
			return named("not published: ", err)
		}
		if err := d.publish(ctx, ln.id, article, 0); err != nil {
			return named("cannot publish: ", err)
		}
	}
	e := d.state.entry(ln.id)
	end.waits = e.waits
	for _, w := range e.warnings {
		d.say(ln, "warning: "+w)
	}
	return end, d.state.append(record{Op: opDone, Line: ln.id})
}

// fatal tells the errors that every other line would meet as well: a server
// that is not reached, a token that is not accepted, a state file that cannot be
// written.
func (d *depositor) fatal(ctx context.Context, err error) bool {
	var net *networkError
	var reply *replyError
	switch {
	case errors.Is(err, errState):
		return true
	case errors.As(err, &reply):
		return reply.Status == http.StatusUnauthorized
	case errors.As(err, &net):
		return errors.As(d.api.probeOnce(ctx), &net)
	}
	return false
}

// lookupDelay is how old an announced step must be before its absence from the
// server's lists is believed: a request whose connection was lost may still be
// at work on the other side.
const lookupDelay = 10 * time.Second
