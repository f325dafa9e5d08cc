package deposit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"alcove/cli/sentence"
)

// tell says what will be done.
func (w *whole) tell(metadata []string) {
	if w.article == 0 {
		return
	}
	if w.plan.any() || len(metadata) > 0 {
		w.progress.line("Article %d: %s; %d as they are", w.article, w.plan.String(metadata), len(w.plan.keep))
	}
	for i, at := range w.plan.gone {
		if i == 100 {
			w.progress.line("  to be removed: %d more", len(w.plan.gone)-i)
			break
		}
		w.progress.line("  to be removed: %s", clean(at))
	}
}

// foresee says what a run would do.
func (w *whole) foresee() error {
	r := w.result
	r.Article, r.Kept = w.article, len(w.plan.keep)
	for _, s := range slices.Concat(w.plan.begun, w.plan.send) {
		r.Sent = append(r.Sent, s.String())
		w.progress.line("  would be sent: %s (%s)", clean(s.String()), sizeOf(s.size))
	}
	r.Removed = append(r.Removed, w.plan.gone...)
	what := "a new article"
	if w.article != 0 {
		what = fmt.Sprintf("article %d", w.article)
	}
	w.progress.line("  its metadata: %s", w.said.text)
	then := "left a draft"
	if w.publishes {
		then = "published"
	}
	w.progress.line("Nothing was sent. %s would go to %s, which would be %s.", number(len(r.Sent), "file"), what, then)
	return nil
}

// sendFiles sends what the server lacks, several files at a time.
func (w *whole) sendFiles(ctx context.Context) error {
	todo := slices.Concat(w.plan.begun, w.plan.send)
	w.result.Kept = len(w.plan.keep)
	if len(todo) == 0 {
		return nil
	}
	var bytes int64
	for _, s := range todo {
		bytes += s.size
	}
	uploads, err := w.uploads(todo)
	if err != nil {
		return err
	}
	w.progress.begin("Sending", true, len(todo), bytes)
	defer w.progress.end()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var mu sync.Mutex
	var failed []string
	queue := make(chan *upload)
	var workers sync.WaitGroup
	for range min(w.o.Parallel, len(uploads)) {
		workers.Go(func() {
			for u := range queue {
				err := w.file(ctx, u)
				mu.Lock()
				switch {
				case err == nil:
					w.result.Sent = append(w.result.Sent, u.local.label)
					w.progress.file()
				case ctx.Err() != nil:
				default:
					failed = append(failed, fmt.Sprintf("file %q: %s", u.local.label, sentence.Of(err)))
					if len(failed) == maxFailed || w.fatal(ctx, err) {
						stop(fmt.Errorf("file %q: %w", u.local.label, err))
					}
				}
				mu.Unlock()
			}
		})
	}
feed:
	for _, u := range uploads {
		select {
		case queue <- u:
		case <-ctx.Done():
			break feed
		}
	}
	close(queue)
	workers.Wait()
	slices.Sort(w.result.Sent)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if len(failed) > 0 {
		slices.Sort(failed)
		return errors.New(shorten(failed))
	}
	return nil
}

// maxFailed is after how many files that fail the others are not tried.
const maxFailed = 20

// uploads gives each file the number that the state file has for it, or a new one.
func (w *whole) uploads(todo []sending) ([]*upload, error) {
	numbers, next := map[string]int{}, 0
	files := w.state.entry(w.line.id).files
	for n, f := range files {
		numbers[path.Join(strings.Trim(f.folder, "/"), f.name)] = n
		next = max(next, n+1)
	}
	var list []*upload
	for _, s := range todo {
		n, known := numbers[s.String()]
		if !known {
			n = next
			next++
		}
		f := files[n]
		var recs []record
		if known && (f.done || f.md5 != s.md5 || f.size != s.size || f.id != 0 && f.id != s.id) {
			recs = append(recs, record{Op: opFileGone, Line: w.line.id, N: n})
			f = fileEntry{}
		}
		if s.id != 0 && f.id == 0 { // the upload that was begun is taken up
			if !f.creating {
				recs = append(recs, record{Op: opFile, Line: w.line.id, N: n, At: w.clock.now().UTC(), Name: s.name, Folder: s.folder, Size: s.size, MD5: s.md5})
			}
			recs = append(recs, record{Op: opFileCreated, Line: w.line.id, N: n, File: s.id})
		}
		for _, rec := range recs {
			if err := w.state.append(rec); err != nil {
				return nil, err
			}
		}
		list = append(list, &upload{line: w.line.id, article: w.article, n: n, size: s.size, md5: s.md5,
			local: localFile{label: s.String(), path: s.path, folder: s.folder, called: s.name, size: s.size}})
	}
	return list, nil
}

// removeFiles removes what the folder does not have any more, now that all it has is there.
func (w *whole) removeFiles(ctx context.Context) error {
	numbers := map[int64]int{}
	for n, f := range w.state.entry(w.line.id).files {
		numbers[f.id] = n
	}
	for _, f := range w.plan.remove {
		err := w.api.repeat(ctx, func(int) error {
			_, err := w.api.call(ctx, http.MethodDelete, fmt.Sprintf("/account/articles/%d/files/%d", w.article, f.ID), nil)
			return err
		})
		if err != nil && !notFound(err) {
			return fmt.Errorf("cannot remove %q: %w", f.Name, err)
		}
		if n, known := numbers[f.ID]; known {
			if err := w.state.append(record{Op: opFileGone, Line: w.line.id, N: n}); err != nil {
				return err
			}
		}
	}
	w.result.Removed = append(w.result.Removed, w.plan.gone...)
	return nil
}
