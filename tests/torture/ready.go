package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// readyGoal is how soon a server is ready after kill -9.
const readyGoal = 2 * time.Second

// runReady imports many items once, kills the server under load again and again, and
// measures how soon the next one is ready and answers its first search.
func runReady(ctx context.Context, b *bench) error {
	st, err := b.fresh(ctx, filepath.Join(b.dir, "data"))
	if err != nil {
		return err
	}
	defer func() { b.leave(st) }()
	st.o.shared = true
	lines := filepath.Join(b.dir, "items.jsonl")
	if err := writeItems(lines, b.items); err != nil {
		return err
	}
	if err := st.srv.Init(ctx); err != nil {
		return err
	}
	account, err := st.srv.Run(ctx, "account", "add", "--data", st.srv.Data, "--email", "bulk@example.org", "--first-name", "Bulk", "--last-name", "Items")
	if err != nil {
		return err
	}
	begun := time.Now()
	if _, err := st.srv.Run(ctx, "import", "--data", st.srv.Data, "--account", account, lines); err != nil {
		return err
	}
	b.notes = append(b.notes, fmt.Sprintf("%d items imported in %.1f s", b.items, time.Since(begun).Seconds()))
	if err := st.srv.Start(ctx); err != nil {
		return err
	}
	var slowest, slowestSearch time.Duration
	for n := 0; n < b.cycles && ctx.Err() == nil; n++ {
		err := st.under(ctx, b.span(st.r), func() error {
			st.o.broken.Store(true)
			st.srv.Kill()
			return nil
		})
		if err != nil {
			return err
		}
		begun := time.Now()
		if err := st.srv.Start(ctx); err != nil {
			return err
		}
		stranger := &client{base: st.srv.Base(), http: newTransport()}
		_, err = stranger.search("/articles/search", "glacier")
		searched := time.Since(begun)
		stranger.http.CloseIdleConnections()
		if err != nil {
			st.o.found(wrong, nil, "the first search: %v", err)
		}
		slowest, slowestSearch = max(slowest, st.srv.Ready()), max(slowestSearch, searched)
		st.o.count(func(t *tally) { t.Slowest = max(t.Slowest, st.srv.Ready()) })
		if searched > readyGoal {
			st.o.found(wrong, nil, "ready in %s, and the first search answered after %s: more than %s", st.srv.Ready(), searched, readyGoal)
		}
		st.o.broken.Store(false)
		st.o.verify(st.srv.Base(), false)
		if err := b.judge(st); err != nil {
			return err
		}
	}
	b.notes = append(b.notes, fmt.Sprintf("ready in %d ms and the first search answered after %d ms at most, since the start of the process",
		slowest.Milliseconds(), slowestSearch.Milliseconds()))
	return ctx.Err()
}

// writeItems writes lines for "alcove import".
func writeItems(path string, n int) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("cannot write items: %w", err)
	}
	out := bufio.NewWriter(f)
	w := newOracle(1, []string{""}, "").writers[0]
	for i := range n {
		line := encode(map[string]any{
			"key": fmt.Sprint(i), "title": fmt.Sprintf("bulk b%d %s", i, w.words(4)), "description": w.words(40),
			"tags": []string{w.words(1)}, "authors": []any{map[string]any{"name": "Bulk " + w.words(1)}},
			"defined_type": "dataset", "license": 1, "publish": true,
		})
		if _, err := out.Write(append(line, '\n')); err != nil {
			return errors.Join(fmt.Errorf("cannot write items: %w", err), f.Close())
		}
	}
	if err := errors.Join(out.Flush(), f.Close()); err != nil {
		return fmt.Errorf("cannot write items: %w", err)
	}
	return nil
}
