package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// corpora makes what a run needs and is not there yet, and returns the folders of the two
// corpora. Alcove is loaded last: a change of its store leaves everything else as it is.
func (s *settings) corpora(ctx context.Context, h *head, program, pocketBase string) (large, small string, err error) {
	c, err := newCorpus(s.texts)
	if err != nil {
		return "", "", err
	}
	h.corpus = fmt.Sprintf("%d articles with %s texts, seeded", s.items, c.t.kind)
	folder := func(items int) string {
		return filepath.Join(s.cache, fmt.Sprintf("%d-%s-1", items, c.t.kind))
	}
	large, small = folder(s.items), folder(s.small)
	for _, items := range []int{s.small, s.items} {
		if c, err = newCorpus(s.texts); err != nil { // each from the first of the seed
			return "", "", err
		}
		say("corpus of %d items in %s", items, folder(items))
		if err := c.write(folder(items), items); err != nil {
			return "", "", err
		}
	}
	if s.prepare {
		if err := s.others(ctx, large, pocketBase); err != nil {
			return "", "", err
		}
	}
	for _, items := range []int{s.small, s.items} {
		if err := s.load(ctx, h, folder(items), program, items); err != nil {
			return "", "", err
		}
	}
	return large, small, nil
}

// others fills the programs beside Alcove.
func (s *settings) others(ctx context.Context, corpus, pocketBase string) error {
	say("filling SQLite")
	f, err := openFTS(corpus)
	if err != nil {
		return err
	}
	say("building and filling PocketBase")
	if _, err := command(ctx, ".", "go", "build", "-o", pocketBase, "./pocketbase"); err != nil {
		return errors.Join(err, f.db.Close())
	}
	web, err := startPocketBase(ctx, s.runFolder(), corpus, pocketBase)
	if err == nil {
		web.stop()
	}
	return errors.Join(err, f.db.Close())
}

// load fills Alcove with a corpus, again when that was asked for.
func (s *settings) load(ctx context.Context, h *head, dir, program string, items int) error {
	if s.reload {
		if err := os.RemoveAll(filepath.Join(dir, "token")); err != nil {
			return fmt.Errorf("cannot load again: %w", err)
		}
	}
	say("loading %s", dir)
	took, err := loadAlcove(ctx, dir, program)
	if took > 0 {
		rate := fmt.Sprintf("%.0f a second, the index with them", float64(items)/took.Seconds())
		say("%s", rate)
		if err := os.WriteFile(filepath.Join(dir, "loaded"), []byte(rate), 0o600); err != nil {
			return fmt.Errorf("cannot note the rate: %w", err)
		}
	}
	if rate, err := os.ReadFile(filepath.Join(dir, "loaded")); err == nil {
		h.notes = append(h.notes, fmt.Sprintf("When the corpus of %d items was loaded, on a machine in an unknown state: %s", items, rate))
	}
	return err
}
