// Package load is behind "alcove import": it brings the lines of a file to a store that
// no server has open, many in one commit, with the rules of the API. An item that was loaded is
// noted in the store, in the commit that loads it, so that a run that was ended at any
// moment can be repeated.
package load

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"

	"alcove/cli/deposit"
)

// These go into one commit at most: lines, and bytes of their items. A line that is
// longer goes alone.
const (
	maxLines = 500
	maxBytes = 4 << 20
)

// Options say what to load.
type Options struct {
	Items  string // the JSON lines; paths of files are relative to its folder
	Loader *Loader
	Strict bool // end at the first line that is refused
	DryRun bool // only tell what would be refused, and kept otherwise than it is given
	Grows  bool // items that were loaded before get the versions that they lack

	FollowOutside  bool // read also files outside the folder of Items
	AcceptWarnings bool // publish also what the API warns of

	Out        io.Writer // progress and refusals; nil discards them
	IsTerminal bool      // Out is a terminal: draw a bar instead of lines
}

// Summary counts the lines of the input by what became of them.
type Summary struct {
	Lines     int // that were read, blank ones left out
	Loaded    int // that became items; in a dry run, that would
	Published int // of these: published and public
	HandedIn  int // of these: handed in, and waiting for a review
	Held      int // of these: published, and held by their embargo
	Already   int // loaded by an earlier run, or by an earlier line
	Refused   int
	Warned    int // loaded, with something left out
}

// Run loads every line of o.Items that was not loaded before, in order. A line that is
// refused leaves nothing behind and does not stop the others, unless o.Strict is set. The
// error is not nil when a line was refused, when ctx ended the run, or when it cannot go
// on. After any of these the same call goes on where this one ended.
func Run(ctx context.Context, o Options) (Summary, error) {
	if o.Out == nil {
		o.Out = io.Discard
	}
	f, err := os.Open(o.Items)
	if err != nil {
		return Summary{}, fmt.Errorf("cannot read the items: %w", err)
	}
	defer f.Close()
	in, err := deposit.OpenFolder(filepath.Dir(o.Items), o.FollowOutside)
	if err != nil {
		return Summary{}, err
	}
	defer in.Close()
	info, err := f.Stat()
	if err != nil {
		return Summary{}, fmt.Errorf("cannot read the items: %w", err)
	}
	// Little stays alive from one commit to the next, so the collector may come less often.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	r := newReport(o, info.Size())
	err = run(ctx, source{o, f, in}, r)
	sum := r.finish()
	return sum, ended(ctx, sum, err)
}

// One loads a single line, whose files are in in, and tells what became of it under a name. It is Run for commands that
// make lines themselves.
func One(ctx context.Context, o Options, name string, line []byte, in deposit.Files) (Summary, error) {
	o.IsTerminal = false
	r := newReport(o, int64(len(line)))
	r.name = name
	err := run(ctx, source{o, bytes.NewReader(line), in}, r)
	return r.sum, err
}

// ended is the error that a run ends with.
func ended(ctx context.Context, sum Summary, err error) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("stopped; the same command goes on where this one ended: %w", ctx.Err())
	case err != nil:
		return err
	case sum.Refused > 0:
		return fmt.Errorf("%d of %d lines were refused", sum.Refused, sum.Lines)
	}
	return nil
}

// run reads the next lines while those before them are committed.
func run(ctx context.Context, s source, r *report) error {
	ctx, cancel := context.WithCancel(ctx)
	// One batch waits, so that lines are read while a commit waits for the disk.
	batches := make(chan batch, 1)
	go func() { // ends with the input or with ctx
		defer close(batches)
		defer func() {
			if p := recover(); p != nil { // a server may run this
				batches <- batch{err: fmt.Errorf("cannot go on: panic: %v", p)}
			}
		}()
		gather(ctx, s, batches)
	}()
	defer func() {
		cancel()
		for range batches { // until the reader has ended
		}
	}()
	for b := range batches {
		if b.err != nil {
			return b.err
		}
		stop, err := commit(ctx, s.Options, b, r)
		if err != nil || stop {
			return err
		}
	}
	return ctx.Err()
}

// source is what is loaded.
type source struct {
	Options
	lines io.Reader
	files deposit.Files
}

// batch is what goes into one commit, or the error that ends the run.
type batch struct {
	lines []*line
	err   error
}

// line is one line on its way.
type line struct {
	deposit.Line
	ready *Line // nil when it is refused
	err   error // why it is refused
	done  Loaded
}

// gather reads lines, prepares them, and sends them on.
func gather(ctx context.Context, s source, to chan<- batch) {
	send := func(b batch) bool {
		if b.err == nil {
			b.err = prepareAll(ctx, s, b.lines)
		}
		select {
		case to <- b:
			return b.err == nil
		case <-ctx.Done():
			return false
		}
	}
	var b batch
	size := 0
	for ln, err := range deposit.Lines(s.lines, s.files) {
		if err != nil {
			send(batch{err: err})
			return
		}
		if len(b.lines) == maxLines || len(b.lines) > 0 && size+len(ln.Body) > maxBytes {
			if !send(b) {
				return
			}
			b, size = batch{}, 0
		}
		b.lines = append(b.lines, &line{Line: ln, err: ln.Err})
		size += len(ln.Body)
	}
	if len(b.lines) > 0 {
		send(b)
	}
}

// foresee checks the collections of a dry run, which may have articles of the lines before
// them.
func foresee(l *Loader, lines []*line) (err error) {
	for _, ln := range lines {
		switch {
		case ln.ready == nil:
			continue
		case ln.Collection:
			if ln.done, err = l.Check(ln.ready); err != nil {
				return err
			}
			ln.err = ln.done.Err
		case !ln.done.Already:
			l.Expect(ln.ready)
		}
	}
	return nil
}

// commit loads a batch and reports it. With stop the run has to end.
func commit(ctx context.Context, o Options, b batch, r *report) (stop bool, err error) {
	lines := b.lines
	if o.Strict {
		for i, ln := range lines {
			if ln.err != nil {
				lines, stop = lines[:i+1], true
				break
			}
		}
	}
	if o.DryRun {
		if err := foresee(o.Loader, lines); err != nil {
			return true, err
		}
	} else {
		var todo []*Line
		var of []*line
		for _, ln := range lines {
			if ln.ready != nil {
				todo, of = append(todo, ln.ready), append(of, ln)
			}
		}
		done, err := o.Loader.Load(ctx, todo, o.Strict)
		if err != nil {
			return true, err
		}
		for i, d := range done {
			of[i].done, of[i].err = d, d.Err
		}
	}
	for _, ln := range lines {
		r.line(ln)
		if o.Strict && ln.err != nil {
			return true, nil
		}
	}
	return stop, nil
}
