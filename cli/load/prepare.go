package load

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"alcove/cli/deposit"
	"alcove/handlers"
	"alcove/record"
)

// workers is how many lines are prepared, and files copied, at once.
const workers = 4

// prepareAll prepares the lines of a batch. The error is not about a line.
func prepareAll(ctx context.Context, o Options, lines []*line) error {
	var next atomic.Int64
	var all sync.WaitGroup
	var first error
	var once sync.Once
	for range min(workers, len(lines)) {
		all.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(lines) {
					return
				}
				if lines[i].err != nil {
					continue
				}
				if err := prepare(ctx, o, lines[i]); err != nil {
					once.Do(func() { first = err })
					return
				}
			}
		})
	}
	all.Wait()
	if first == nil {
		first = ctx.Err()
	}
	return first
}

// prepare reads the body of a line and copies its files, once the rules let it in; in a
// dry run it only asks the rules. The error is not about the line.
func prepare(ctx context.Context, o Options, ln *line) error {
	ready, err := o.Loader.Prepare(ln.Body, ln.More)
	if err != nil {
		ln.err = err
		return nil
	}
	ready.ID, ready.Hash, ready.Publish = ln.ID, ln.Hash, ln.Publish
	for _, f := range ln.Files {
		ready.Files = append(ready.Files, &handlers.LoadFile{Body: fileBody(f)})
	}
	if len(ln.Files) > 0 || o.DryRun {
		if ln.done, err = o.Loader.Check(ready); err != nil {
			return err
		}
		if ln.err = ln.done.Err; ln.err != nil || o.DryRun {
			return nil
		}
	}
	ln.ready = ready
	if ln.done.Already {
		return nil
	}
	for i, f := range ln.Files {
		if f.Link != "" {
			continue
		}
		err := keep(ctx, o.Loader, ready.Files[i], f)
		switch unreadable := (*unreadableError)(nil); {
		case errors.As(err, &unreadable):
			ln.ready, ln.err = nil, err
			return nil
		case err != nil:
			return fmt.Errorf("line %d: %w", ln.Number, err)
		}
	}
	return nil
}

// fileBody is how the API would be told of a file.
func fileBody(f deposit.File) record.FileBody {
	b := record.FileBody{Folder: &f.Folder}
	if f.Link != "" {
		b.Link = &f.Link
	} else {
		b.Name, b.Size = &f.Name, &f.Size
	}
	return b
}

// unreadableError is about a file of a line.
type unreadableError struct {
	label string
	err   error
}

func (e *unreadableError) Error() string { return fmt.Sprintf("file %q: %v", e.label, e.err) }

func keep(ctx context.Context, to *handlers.Loader, body *handlers.LoadFile, f deposit.File) error {
	r, err := os.Open(f.Path)
	if err != nil {
		return &unreadableError{f.Label, err}
	}
	defer r.Close()
	source := &watched{r: r}
	err = to.Keep(ctx, body, source)
	switch {
	case source.err != nil:
		return &unreadableError{f.Label, source.err}
	case errors.Is(err, handlers.ErrFileChanged):
		return &unreadableError{f.Label, err}
	}
	return err
}
