// Torture kills a server, cuts its power and lies to it, again and again, while several
// people write to it over HTTP, and after each restart reads back all that was
// acknowledged.
//
//	torture kill   kill -9 at random moments under load, in a start, while an index is built
//	torture first  kill -9 in the very first start of an empty directory
//	torture term   SIGTERM under load
//	torture power  power cuts of a loop-mounted file system (Linux, as root)
//	torture lies   power cuts while every fsync only says that it was done: losses must be seen
//	torture rewind kill -9 and an older database put in its place: losses must be seen
//	torture eio    the n-th fsync, write or rename fails under load (Linux, with strace)
//	torture diskfull  a small file system is filled up under load (Linux, as root)
//	torture ready  how soon a server with 100,000 items is ready after kill -9
//
// It exits 1 after anything that was lost, half done or wrong, which it tells with all that
// was done to the item, and keeps its folder then. Everything else that it writes is in one
// temporary folder, and what it mounts is mounted in a name space of its own, so that
// nothing of it is left even when it is killed.
//
// An oracle (oracle.go) knows the promises: it makes the load and judges it. A mode is a function
// that starts a server (server.go), lets the oracle load it, does its harm, starts the server
// again and lets the oracle verify. To add one, write
//
//	func runMine(ctx context.Context, b *bench) error {
//		st, err := b.fresh(ctx, filepath.Join(b.dir, "data"))  // accounts, server not running
//		defer b.leave(st)                                      // kills it, adds up its tally
//		for range b.cycles {
//			err := st.srv.Start(ctx)          // st.srv.Wrap, .Env and .Args may be set before
//			st.under(ctx, b.span(st.r), harm) // load; harm runs in the middle of it
//			st.srv.Kill()
//			err = b.again(ctx, st)            // start, verify, check, count the cycle
//		}
//	}
//
// and its line in modes. harm may set st.o.broken or st.o.allowed first.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// modes are the ways to torture.
var modes = map[string]func(context.Context, *bench) error{
	"kill":  runKill,
	"first": runFirst,
	"term":  runTerm,
	"power": runPower,
	"lies":  runLies,
	"ready": runReady,

	"eio":      runEIO,
	"diskfull": runDiskFull,

	"rewind": runRewind,
}

// mounts are the modes that mount something, and are run as root.
var mounts = map[string]bool{"power": true, "lies": true, "diskfull": true}

// settings are the flags.
type settings struct {
	mode    string
	alcove  string
	dir     string
	seed    uint64
	cycles  int
	writers int
	atLeast time.Duration
	atMost  time.Duration
	system  string
	options string
	renew   int
	items   int
	plant   string
	ledger  string
	from    int
	keep    bool
}

var (
	errBad    = errors.New("something was lost, half done or wrong")
	errMissed = errors.New("nothing was found wrong, and something is")
)

func main() {
	s := settings{}
	flag.StringVar(&s.alcove, "alcove", "", "program to torture (default: built from this module)")
	flag.StringVar(&s.dir, "dir", "", "where the temporary folder is made")
	flag.Uint64Var(&s.seed, "seed", 0, "what is done by chance (default: by the clock)")
	flag.IntVar(&s.cycles, "cycles", 20, "how often")
	flag.IntVar(&s.writers, "writers", 6, "people who write at once")
	flag.DurationVar(&s.atLeast, "at-least", 50*time.Millisecond, "shortest load before a kill or a cut")
	flag.DurationVar(&s.atMost, "at-most", 500*time.Millisecond, "longest load")
	flag.StringVar(&s.system, "fs", "ext4", "file system whose power is cut: ext4 or xfs")
	flag.StringVar(&s.options, "options", "", "its mount options, such as commit=1")
	flag.IntVar(&s.from, "from", 1, "n of the call that the mode eio lets fail first")
	flag.IntVar(&s.renew, "renew", 100, "after how many cycles the store is made again")
	flag.IntVar(&s.items, "items", 100_000, "items of the mode ready")
	flag.StringVar(&s.plant, "plant", "", "planted bug that must be found (the program is built with them)")
	flag.StringVar(&s.ledger, "ledger", "", "file that gets a line about the run")
	flag.BoolVar(&s.keep, "keep", false, "keep the temporary folder")
	total := flag.Bool("total", false, "print what the ledger adds up to, against the goals, with the age of its newest rows, and end")
	if len(os.Args) > 1 && modes[os.Args[1]] != nil {
		s.mode = os.Args[1]
		os.Args = append(os.Args[:1], os.Args[2:]...)
	}
	flag.Parse()
	err := start(s, *total)
	if err != nil {
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1)
	}
}

func start(s settings, total bool) error {
	switch {
	case total:
		return printTotal(os.Stdout, s.ledger)
	case s.mode == "":
		return fmt.Errorf("the first word must be one of %v", slices.Sorted(keys(modes)))
	case s.cycles < 1 || s.writers < 1 || s.renew < 1 || s.atLeast < 0 || s.atMost < s.atLeast:
		return errors.New("-cycles, -writers, -renew, -at-least and -at-most must make sense")
	}
	if done, err := apart(s.mode); done {
		return err
	}
	if s.seed == 0 {
		s.seed = uint64(time.Now().UnixNano())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return run(ctx, s)
}

// run does one run in a folder of its own.
func run(ctx context.Context, s settings) (err error) {
	b := &bench{settings: s, began: time.Now()}
	if b.dir, err = os.MkdirTemp(s.dir, "alcove-torture-"); err != nil {
		return fmt.Errorf("cannot make the folder of the run: %w", err)
	}
	defer func() {
		if s.keep || errors.Is(err, errBad) {
			fmt.Fprintln(os.Stderr, "kept:", b.dir)
			return
		}
		os.RemoveAll(b.dir)
	}()
	if b.bin, err = b.build(ctx); err != nil {
		return err
	}
	fmt.Printf("%s: seed %d, %d cycles\n", s.mode, s.seed, s.cycles)
	if err = modes[s.mode](ctx, b); err != nil && !errors.Is(err, errBad) {
		return err
	}
	b.report()
	if s.ledger != "" {
		if err := b.enter(s.ledger); err != nil {
			return err
		}
	}
	mustFind := mustFind(b.kind())
	switch found := b.total.bad() > 0; {
	case mustFind && !found:
		return errMissed
	case !mustFind && found:
		return errBad
	}
	return nil
}

// build builds the program, unless one was given.
func (b *bench) build(ctx context.Context) (string, error) {
	if b.alcove != "" {
		return filepath.Abs(b.alcove)
	}
	bin := filepath.Join(b.dir, "alcove")
	args := []string{"build", "-o", bin}
	if b.plant != "" {
		args = append(args, "-tags", "planted")
	}
	build := exec.CommandContext(ctx, "go", append(args, "alcove")...)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("cannot build alcove: %w", err)
	}
	return bin, nil
}
