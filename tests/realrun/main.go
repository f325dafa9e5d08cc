// Realrun deposits a file of real records with "alcove deposit" in a freshly
// started server and then verifies from outside, over HTTP alone, that the
// server holds exactly what was sent. Then it puts all items into collections and
// projects of three accounts, with private links and embargoes, plants words in
// everything that is private (hide.go), and reads all that a stranger can (crawl.go)
// to see that no such word comes out. Its last line counts what it found:
//
//	1190 published, 0 failed, all md5 equal
//
// It exits 1 after any difference, which it lists. All it writes is in one
// temporary folder, see process.go and layout.go, removed unless something
// differed.
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
	"syscall"
	"time"

	"alcove/tests/child"
)

// settings are the flags.
type settings struct {
	data      string
	alcove    string
	limit     int
	interrupt bool
	keep      bool
}

// errDiffers says that the run went to its end and something was not right.
var errDiffers = errors.New("the run found differences")

func main() {
	var s settings
	flag.StringVar(&s.data, "data", "../shared/data", "folder that holds open-data-registry.jsonl")
	flag.StringVar(&s.alcove, "alcove", "", "program to test (default: built from this module)")
	flag.IntVar(&s.limit, "n", 0, "use the first N records only")
	flag.BoolVar(&s.interrupt, "interrupt", false, "kill server and depositor twice on the way")
	flag.BoolVar(&s.keep, "keep", false, "keep the temporary folder")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, s)
	stop()
	if err != nil && !errors.Is(err, errDiffers) {
		fmt.Fprintln(os.Stderr, "realrun:", err)
	}
	if err != nil {
		os.Exit(1)
	}
}

func run(ctx context.Context, s settings) (err error) {
	entries, err := readEntries(filepath.Join(s.data, "open-data-registry.jsonl"), s.limit)
	if err != nil {
		return err
	}
	b := &bench{}
	if b.dir, err = os.MkdirTemp("", "alcove-realrun-"); err != nil {
		return fmt.Errorf("cannot make the folder of the run: %w", err)
	}
	defer func() {
		if s.keep || errors.Is(err, errDiffers) {
			fmt.Fprintln(os.Stderr, "kept:", b.dir)
			return
		}
		os.RemoveAll(b.dir)
	}()
	program := s.alcove
	if program == "" {
		program = filepath.Join(b.dir, "alcove")
		build := exec.CommandContext(ctx, "go", "build", "-o", program, "alcove")
		build.Stdout, build.Stderr = os.Stderr, os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("cannot build alcove: %w", err)
		}
	}
	if b.Server, err = child.New(program, filepath.Join(b.dir, "data"), filepath.Join(b.dir, "server.log")); err != nil {
		return err
	}
	defer b.Kill()
	if err := b.start(ctx); err != nil {
		return err
	}
	if err := b.account(ctx); err != nil {
		return err
	}
	outside := newSite(b.Base())
	offered, err := outside.licences(ctx)
	if err != nil {
		return err
	}
	items, err := lay(b.dir, entries, offered, partSize)
	if err != nil {
		return err
	}
	searches := queries(items, min(10, len(items)))

	begun := time.Now()
	troubles, err := b.depositAll(ctx, len(items), s.interrupt)
	if err != nil {
		return err
	}
	deposited := time.Since(begun)

	begun = time.Now()
	found, err := verify(ctx, outside, items)
	if err != nil {
		return err
	}
	found.differences = append(found.differences, outside.searches(ctx, searches, found.ids)...)
	found.differences = append(found.differences, troubles...)
	verified := time.Since(begun)
	begun = time.Now()
	depositor, err := b.depositor()
	if err != nil {
		return err
	}
	secrets, err := b.hide(ctx, items, found.ids, depositor)
	if err != nil {
		return err
	}
	hidden := time.Since(begun)
	begun = time.Now()
	seen, err := outside.crawl(ctx, secrets)
	if err != nil {
		return err
	}
	found.differences = append(found.differences, seen...)
	crawled := time.Since(begun)
	memory := rssAnon(b.PID())
	if err := b.Stop(); err != nil {
		found.differ("stopping the server: %v", err)
	}

	fmt.Printf("deposited in %.1f s (%.1f items/s), verified in %.1f s: %d files, %d MiB, %d searches\n",
		deposited.Seconds(), float64(len(items))/deposited.Seconds(), verified.Seconds(), found.files, found.bytes>>20, len(searches))
	fmt.Printf("hidden in %.1f s, looked for in %.1f s\n", hidden.Seconds(), crawled.Seconds())
	fmt.Printf("anonymous memory of the server (RssAnon): %d MiB at the end, %d MiB at most\n", memory>>20, max(memory, b.most.Load())>>20)
	return found.conclude()
}

// depositAll runs the depositor until everything is deposited, and once more to
// see that it then has nothing to do. With interrupt it kills server and
// depositor after about 30 % and again after about 70 % of the items.
func (b *bench) depositAll(ctx context.Context, items int, interrupt bool) (troubles []string, err error) {
	if interrupt {
		for _, percent := range []int{30, 70} {
			killed, err := b.deposit(ctx, max(1, items*percent/100))
			if err != nil {
				return nil, err
			}
			if !killed {
				return nil, fmt.Errorf("the depositor was done before it could be killed at %d %%", percent)
			}
			fmt.Printf("killed server and depositor after %d of %d items\n", complete(filepath.Join(b.dir, "items.jsonl.deposit-state")), items)
			if err := b.start(ctx); err != nil {
				return nil, err
			}
		}
	}
	for _, run := range []string{"the deposit", "the deposit, run again,"} {
		if _, err := b.deposit(ctx, 0); ctx.Err() != nil {
			return nil, ctx.Err()
		} else if err != nil {
			troubles = append(troubles, fmt.Sprintf("%s failed: %v", run, err))
		}
	}
	return troubles, nil
}

// conclude lists the differences and prints the last line.
func (r *result) conclude() error {
	const most = 200
	for i, text := range r.differences {
		if i == most {
			fmt.Printf("and %d more\n", len(r.differences)-most)
			break
		}
		fmt.Println("difference:", text)
	}
	md5s := "all md5 equal"
	if r.md5s > 0 {
		md5s = fmt.Sprintf("%d md5 differ", r.md5s)
	}
	fmt.Printf("%d published, %d failed, %s\n", r.published, r.failed, md5s)
	if len(r.differences) > 0 {
		return errDiffers
	}
	return nil
}
