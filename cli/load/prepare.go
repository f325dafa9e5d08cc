package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"alcove/cli/deposit"
	"alcove/cli/sentence"
	"alcove/record"
)

// workers is how many lines are prepared, and files copied, at once.
const workers = 4

// prepareAll prepares the lines of a batch. The error is not about a line.
func prepareAll(ctx context.Context, s source, lines []*line) error {
	var next atomic.Int64
	var all sync.WaitGroup
	var first error
	var once sync.Once
	for range min(workers, len(lines)) {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil { // a server may run this
					once.Do(func() { first = fmt.Errorf("cannot go on: panic: %v", p) })
				}
			}()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(lines) {
					return
				}
				if lines[i].err != nil {
					continue
				}
				if err := prepare(ctx, s, lines[i]); err != nil {
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
func prepare(ctx context.Context, s source, ln *line) error {
	ready, err := s.Loader.Prepare(Bodies{
		Item: ln.Body, Collection: ln.Collection, Members: ln.Articles, Authors: ln.More, Embargo: ln.Embargo, Confidential: ln.Confidential, Resource: ln.Resource,
		Links: ln.Links, Project: ln.Project, Collections: ln.Collections, Moved: ln.Moved, Versions: versionsOf(ln.Versions),
	})
	if err != nil {
		ln.err = err
		return nil
	}
	ready.ID, ready.Hash, ready.Publish, ready.Accept = ln.ID, ln.Hash, ln.Publish, s.AcceptWarnings
	ready.Grows = s.Grows
	files := spans(ln.Files, ln.Versions)
	for _, f := range files {
		ready.Files = append(ready.Files, &LineFile{Body: fileBody(f.File), From: f.from, To: f.to})
	}
	if len(files) > 0 || s.DryRun && !ln.Collection { // a collection is checked behind the lines before it
		if ln.done, err = s.Loader.Check(ready); err != nil {
			return err
		}
		if ln.err = ln.done.Err; ln.err != nil {
			return nil
		}
	}
	ln.ready = ready
	if ln.done.Already || s.DryRun {
		return nil
	}
	for i, f := range files {
		if f.Link != "" || ready.Files[i].From < ln.done.Has {
			continue
		}
		err := keep(ctx, s, ready.Files[i], f.File)
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

// span is a file with the versions that have it: from the index of one to that behind the
// last. Both are 0 for a line without versions.
type span struct {
	deposit.File
	from, to int
}

// spans are the files of a line. One that a version has not and a later one has again is
// two.
func spans(files []deposit.File, versions []deposit.Version) (list []*span) {
	if len(versions) == 0 {
		for _, f := range files {
			list = append(list, &span{File: f})
		}
		return list
	}
	open := map[deposit.File]*span{} // that the version before had
	for i, v := range versions {
		these := v.Files
		if these == nil {
			these = files
		}
		next := map[deposit.File]*span{}
		for _, f := range these {
			f.Label = ""
			at := open[f]
			if at == nil || next[f] != nil {
				at = &span{File: f, from: i}
				list = append(list, at)
			}
			at.to, next[f] = i+1, at
		}
		open = next
	}
	for _, f := range list {
		if f.Label = f.Path; f.Link != "" {
			f.Label = f.Link
		}
	}
	return list
}

func versionsOf(versions []deposit.Version) (list []Version) {
	for _, v := range versions {
		list = append(list, Version{Which: v.Which, Item: v.Body, Embargo: v.Embargo, Members: v.Articles})
	}
	return list
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

func (e *unreadableError) Error() string {
	return fmt.Sprintf("file %q: %s", e.label, sentence.Of(e.err))
}

func keep(ctx context.Context, s source, body *LineFile, f deposit.File) error {
	r, err := s.files.Read(ctx, f.Path)
	if err != nil {
		return &unreadableError{f.Label, err}
	}
	defer r.Close()
	from := &watched{r: r}
	err = s.Loader.Keep(ctx, body, from)
	switch {
	case from.err != nil:
		return &unreadableError{f.Label, from.err}
	case errors.Is(err, ErrFileChanged):
		return &unreadableError{f.Label, err}
	}
	return err
}
