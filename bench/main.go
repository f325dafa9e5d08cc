// Command bench measures Alcove against what else there is, in one interleaved run:
//
//	go run . [-items 20000] [-rounds 9] [-texts DIR]
//
// It builds Alcove from the tree around it and starts it as users do. Beside it run the bare
// net/http handler with the same answers, nginx with them as files, PocketBase with the same
// items, and in this process Bleve alone on a copy of Alcove's index and SQLite's FTS5. It keeps,
// in the folder -cache:
//
//	bin/                  alcove and pocketbase, built
//	20000-real-1/         a corpus: how many items, of what texts, of which form
//	    items.jsonl       the items; words.json, what to search for
//	    data/, token      Alcove loaded with them
//	    pb/, fts.db       the other programs loaded with them
//	run-20000/            what a run needs, removed after it
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type settings struct {
	items, small, rounds, clients int
	each                          time.Duration
	texts, cache, out             string
	tree, alcove                  string
	tls, prepare, reload, inPlace bool
	short                         bool
}

func main() {
	log.SetFlags(0)
	if len(os.Args) > 1 && os.Args[1] == "bare" {
		log.Fatal(bare(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "floor" {
		log.Fatal(partsFloor(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "files" {
		if err := files(os.Args[2:]); err != nil {
			log.Fatal("bench files: ", err)
		}
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "site" {
		if err := site(os.Args[2:]); err != nil {
			log.Fatal("bench site: ", err)
		}
		return
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	var s settings
	flag.IntVar(&s.items, "items", 20000, "how many items there are")
	flag.IntVar(&s.small, "small", 1000, "how many there are in the repository that growth is measured from")
	flag.IntVar(&s.rounds, "rounds", 9, "how many rounds")
	flag.DurationVar(&s.each, "each", 400*time.Millisecond, "how long a measure takes in a round")
	flag.IntVar(&s.clients, "clients", 32, "how many connections read pages and articles")
	flag.StringVar(&s.texts, "texts", os.Getenv("BENCH_TEXTS"), "folder of *.tsv files, a name first and a sentence last in each line (or $BENCH_TEXTS); generated texts when empty")
	flag.StringVar(&s.cache, "cache", filepath.Join(cache, "alcove-bench"), "where corpora are kept for the next run")
	flag.StringVar(&s.out, "out", "RESULTS.md", "where the results are written")
	flag.StringVar(&s.tree, "tree", "..", "the source of Alcove")
	flag.StringVar(&s.alcove, "alcove", "", "a built program to measure instead of that of the tree")
	flag.BoolVar(&s.prepare, "prepare", false, "make and load what a run needs, SQLite and PocketBase first, and end")
	flag.BoolVar(&s.reload, "reload", false, "load Alcove's data again, after a change of the store's format or of the import; all else is kept")
	flag.BoolVar(&s.short, "short", false, "leave out the bulk loads and the profiles")
	flag.BoolVar(&s.inPlace, "in-place", false, "write to the corpus itself instead of a copy: a run takes no more disk, and leaves a few thousand items more behind")
	flag.BoolVar(&s.tls, "tls", false, "let Alcove, the bare handler and nginx speak TLS")
	flag.Parse()
	if s.items < 1000 || s.small < 100 || s.rounds < 1 || s.clients < 1 {
		log.Fatal("bench: at least 1000 items, 100 in the small repository, a round and a client are needed")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := s.run(ctx); err != nil {
		log.Fatal("bench: ", err)
	}
}

func (s *settings) run(ctx context.Context) error {
	run, bin := s.runFolder(), filepath.Join(s.cache, "bin")
	if err := os.RemoveAll(run); err != nil {
		return fmt.Errorf("cannot clear the last run: %w", err)
	}
	for _, dir := range []string{run, bin} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("cannot make %s: %w", dir, err)
		}
	}
	defer os.RemoveAll(run)
	program := s.alcove
	if program == "" {
		program = filepath.Join(bin, "alcove")
		say("building")
		if _, err := command(ctx, s.tree, "go", "build", "-trimpath", "-o", program, "."); err != nil {
			return err
		}
	}
	h := &head{title: "Benchmarks", machine: machine(runtime.Version()), date: time.Now().UTC().Format("2 January 2006 15:04 UTC"),
		commands: strings.Join(append([]string{"go run ."}, os.Args[1:]...), " "), load: load(), items: s.items}
	if busy, err := strconv.ParseFloat(h.load, 64); err != nil || busy > 0.5 {
		h.notes = append(h.notes, "**Taken on a machine that others used at the same time**: trust the ratios, and no time by itself")
	}
	pocketBase := filepath.Join(bin, "pocketbase")
	large, few, err := s.corpora(ctx, h, program, pocketBase)
	if err != nil || s.prepare {
		return err
	}
	e := &event{settings: s, head: h, run: run, program: program, large: large, few: few}
	defer e.stop()
	reads, writes, err := e.measures(ctx, pocketBase)
	if err != nil {
		return err
	}
	r, err := rounds(ctx, s.rounds, s.each, reads, writes, e.ours)
	if err != nil {
		return err
	}
	h.load += " and " + load()
	if !s.short {
		e.stop() // what follows has the machine for itself
		if err := e.after(ctx, r); err != nil {
			return err
		}
	}
	return e.report(r)
}

// runFolder is another one for each number of items, so that a long run and a short one
// leave each other alone.
func (s *settings) runFolder() string { return filepath.Join(s.cache, fmt.Sprint("run-", s.items)) }

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
