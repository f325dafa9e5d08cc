package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// event is a run with all programs in it.
type event struct {
	*settings
	*head
	run, program string
	large, few   string // corpora

	ours     *alcove
	servers  []*server // all that run
	raw      *raw
	searches []searching
}

func (e *event) stop() {
	for _, s := range e.servers {
		s.stop()
	}
	if e.raw != nil {
		e.raw.close()
	}
	e.servers, e.raw = nil, nil
}

// after measures what the servers would disturb: loading in bulk, and profiles.
func (e *event) after(ctx context.Context, r *results) (err error) {
	say("profiling")
	if e.head.profiles, err = e.settings.profiles(ctx, e.run); err != nil {
		return err
	}
	if e.head.profiles == nil {
		e.notes = append(e.notes, "The tests of the tree could not be built, so there are no profiles")
	}
	say("loading in bulk")
	b, err := newBulk(ctx, e.program, e.large, filepath.Join(e.run, "bulk"))
	if err != nil {
		return err
	}
	defer b.close()
	err = b.rounds(ctx, max(1, e.settings.rounds/3), r)
	e.sized = b.sized
	e.notes = append(e.notes, b.said())
	return err
}

// measures starts all programs and says what will be measured.
func (e *event) measures(ctx context.Context, pocketBase string) (reads, writes []measure, err error) {
	var cert *certificate
	if e.tls {
		if cert, err = newCertificate(e.run); err != nil {
			return nil, nil, err
		}
	}
	few, err := e.start(ctx, "small", e.few, cert, e.small)
	if err != nil {
		return nil, nil, err
	}
	if e.ours, err = e.start(ctx, "alcove", e.large, cert, e.settings.items); err != nil {
		return nil, nil, err
	}
	e.full = e.ours.full
	e.readies, e.idle, e.smallIdle = e.ours.readies, e.ours.idle, few.idle
	e.inList = len(e.ours.answers["list"].body) / 10
	texts, err := draftsOf(e.large)
	if err != nil {
		return nil, nil, err
	}
	if err := e.ours.captureCreate(texts); err != nil {
		return nil, nil, err
	}
	plain, err := startBare(ctx, e.run, cert, e.ours.answers)
	if err != nil {
		return nil, nil, err
	}
	e.servers = append(e.servers, plain)
	reads = e.ours.reads("", e.clients)
	reads = append(reads, floor(plain, e.clients)...)
	reads = append(reads, few.reads(small, e.clients)...)
	besides(reads)
	web, err := startNginx(ctx, e.run, cert, e.ours.answers["list"].body)
	if err != nil {
		return nil, nil, err
	}
	if web == nil {
		e.notes = append(e.notes, "nginx is not installed and was left out")
	} else {
		e.servers = append(e.servers, web)
		reads = append(reads, fixed("nginx: list", web, e.clients, "/list", 200))
	}
	others, err := e.pocketBase(ctx, pocketBase)
	if err != nil {
		return nil, nil, err
	}
	reads = append(reads, others...)
	found, err := e.searching(few)
	if err != nil {
		return nil, nil, err
	}
	w := &writing{server: e.ours, bare: plain, texts: texts, scratch: filepath.Join(e.run, "scratch")}
	if w.store, err = newOneKey(filepath.Join(e.run, "onekey.db")); err != nil {
		return nil, nil, err
	}
	return append(reads, found...), w.measures(), nil
}

// start serves a corpus and looks around in it.
func (e *event) start(ctx context.Context, name, corpus string, cert *certificate, items int) (*alcove, error) {
	say("starting %s", name)
	inPlace := e.inPlace && name == "alcove"
	a, err := startAlcove(ctx, name, e.run, corpus, e.program, cert, inPlace, func(a *alcove) (err error) {
		if name != "alcove" {
			return nil
		}
		if e.disk, err = diskUse(a.data); err != nil {
			return err
		}
		say("measuring its buckets")
		if e.buckets, err = bucketShares(a.data); err != nil {
			return err
		}
		if e.raw, err = openRaw(a.data, filepath.Join(e.run, "bleve")); err != nil {
			return err
		}
		say("searching after starts")
		e.firsts, err = firstSearches(ctx, corpus, func() (*alcove, error) {
			return a, a.serve(ctx, name, e.run, e.program, cert)
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	e.servers = append(e.servers, a.server)
	return a, a.explore(items)
}

// pocketBase builds and starts PocketBase. Without it the run goes on.
func (e *event) pocketBase(ctx context.Context, program string) ([]measure, error) {
	say("building and filling PocketBase")
	if _, err := command(ctx, ".", "go", "build", "-o", program, "./pocketbase"); err != nil {
		e.notes = append(e.notes, "PocketBase could not be built and was left out")
		return nil, ctx.Err()
	}
	s, err := startPocketBase(ctx, e.run, e.large, program)
	if err != nil {
		return nil, err
	}
	e.servers = append(e.servers, s)
	e.notes = append(e.notes, "PocketBase has at most 20,000 of the items; its fast mode does not count them")
	return []measure{fixed("pocketbase: list, fast mode", s, e.clients, pbFast, 200), fixed("pocketbase: list", s, e.clients, pbList, 200)}, nil
}

// searching asks Alcove, Bleve and SQLite the same.
func (e *event) searching(few *alcove) (all []measure, err error) {
	say("filling SQLite")
	f, err := openFTS(e.large)
	if err != nil {
		return nil, err
	}
	w, err := readWords(e.large)
	if err != nil {
		return nil, err
	}
	fewer, err := readWords(e.few)
	if err != nil {
		return nil, err
	}
	for _, s := range searches(fewer, few.year) {
		if err := s.check(few); err != nil {
			return nil, err
		}
		all = append(all, s.ask(small, few))
	}
	e.searches = searches(w, e.ours.year)
	for _, s := range e.searches {
		if err := s.check(e.ours); err != nil {
			return nil, err
		}
		all = append(all, s.measures(e.ours, e.raw, f)...)
	}
	return all, nil
}

// report prints the results and writes them to a file.
func (e *event) report(r *results) error {
	f, err := os.Create(e.out)
	if err != nil {
		return fmt.Errorf("cannot write the results: %w", err)
	}
	defer f.Close()
	e.write(io.MultiWriter(os.Stdout, f), r, e.searches)
	if err := f.Close(); err != nil {
		return fmt.Errorf("cannot write the results: %w", err)
	}
	return nil
}
