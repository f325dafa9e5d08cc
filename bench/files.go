package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// The benchmark of files: `go run . files`. Alcove beside nginx, which serves the same bytes, a
// handler that only writes and syncs parts, dd, md5 and zip, all of them in every round.
type filesRun struct {
	rounds, many, small int
	size                int64 // of the large file
	out, tree, alcove   string

	dir, program, token string
	cert                *certificate
	large               string // the path of the large file
	served              string // the path of what nginx serves: the very file that Alcove serves
	folder              string // of the many files
	results             *filesResults
}

func files(args []string) error {
	r := &filesRun{results: newFilesResults()}
	fs := flag.NewFlagSet("files", flag.ExitOnError)
	fs.IntVar(&r.rounds, "rounds", 5, "how many rounds")
	fs.IntVar(&r.many, "many", 10000, "how many files the archive has")
	fs.IntVar(&r.small, "small", 1000, "how many small files go up and down")
	mib := fs.Int64("size", 1024, "MiB of the large file")
	fs.StringVar(&r.out, "out", "RESULTS-files.md", "where the results are written")
	fs.StringVar(&r.tree, "tree", "..", "the source of Alcove")
	fs.StringVar(&r.alcove, "alcove", "", "a built program to measure instead of that of the tree")
	dir := fs.String("dir", "", "where the files are kept for the run; they need five times the size (default: a temporary directory)")
	if err := fs.Parse(args); err != nil {
		return err
	}
	r.size = *mib << 20
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if r.dir, err = os.MkdirTemp(*dir, "alcove-bench-files-"); err != nil {
		return fmt.Errorf("cannot make a folder for the run: %w", err)
	}
	defer os.RemoveAll(r.dir)
	if err := r.prepare(ctx); err != nil {
		return err
	}
	before := load()
	for i := range r.rounds {
		say("round %d of %d", i+1, r.rounds)
		if err := r.round(ctx); err != nil {
			return err
		}
	}
	if err := r.crowd(ctx); err != nil {
		return err
	}
	about := fmt.Sprintf("%s; %s; load %s before and %s after", time.Now().UTC().Format("2 January 2006 15:04 UTC"), machine(runtime.Version()), before, load())
	return r.results.write(r.out, about, r)
}

// prepare builds Alcove and loads it with the large file and the many ones.
func (r *filesRun) prepare(ctx context.Context) (err error) {
	if r.program = r.alcove; r.program == "" {
		r.program = filepath.Join(r.dir, "alcove")
		say("building")
		if _, err := command(ctx, r.tree, "go", "build", "-trimpath", "-o", r.program, "."); err != nil {
			return err
		}
	}
	if r.cert, err = newCertificate(r.dir); err != nil {
		return err
	}
	say("making files")
	root := filepath.Join(r.dir, "nginx", "root")
	r.large, r.served, r.folder = filepath.Join(r.dir, "large"), filepath.Join(root, "large"), filepath.Join(r.dir, "many")
	if err := os.MkdirAll(root, 0o700); err != nil {
		return fmt.Errorf("cannot make files: %w", err)
	}
	if err := fill(r.large, r.size); err != nil {
		return err
	}
	var names []any
	for i := range r.many {
		folder := fmt.Sprintf("folder %d", i%100)
		path := filepath.Join(r.folder, folder, fmt.Sprintf("file %d", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fmt.Errorf("cannot make files: %w", err)
		}
		if err := fill(path, 4096+int64(i)); err != nil {
			return err
		}
		names = append(names, map[string]string{"path": path, "folder_path": folder})
	}
	data := filepath.Join(r.dir, "data")
	id, token, err := newRepository(ctx, r.dir, data, r.program)
	if err != nil {
		return err
	}
	r.token = token
	items := filepath.Join(r.dir, "items.jsonl")
	f, err := os.Create(items)
	if err != nil {
		return fmt.Errorf("cannot write the items: %w", err)
	}
	defer f.Close()
	for i, list := range [][]any{{r.large}, names} {
		line := map[string]any{"key": fmt.Sprint(i), "title": "A bench of files", "authors": []any{map[string]string{"name": "Bench Mark"}}, "files": list, "publish": true}
		if err := json.NewEncoder(f).Encode(line); err != nil {
			return fmt.Errorf("cannot write the items: %w", err)
		}
	}
	say("loading")
	_, err = command(ctx, r.dir, r.program, "import", "--data", data, "--account", id, "--files-per-article", "1000000", "--account-quota", "0", items)
	return err
}

// share gives nginx the very file that Alcove serves, as it is now: how a file lies in the
// memory of the system, in small pieces or large ones, decides half of what sending it costs,
// and two copies seldom lie the same.
func (r *filesRun) share() error {
	f, err := os.Open(r.large)
	if err != nil {
		return fmt.Errorf("cannot read the large file: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return fmt.Errorf("cannot read the large file: %w", err)
	}
	name := hex.EncodeToString(sum.Sum(nil))
	if err := os.Remove(r.served); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("cannot share the large file: %w", err)
	}
	if err := os.Link(filepath.Join(r.dir, "data", "blobs", name[:2], name[2:]), r.served); err != nil {
		return fmt.Errorf("cannot share the large file: %w", err)
	}
	return nil
}

// fill makes a file of random bytes.
func fill(path string, size int64) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("cannot make a file: %w", err)
	}
	defer f.Close()
	if _, err := io.CopyN(f, rand.Reader, size); err != nil {
		return fmt.Errorf("cannot make a file: %w", err)
	}
	return nil
}

// serve starts Alcove on what was loaded.
func (r *filesRun) serve(ctx context.Context, secure bool) (*server, error) {
	listen, err := freeAddress()
	if err != nil {
		return nil, err
	}
	args := []string{"serve", "--data", filepath.Join(r.dir, "data"), "--listen", listen, "--account-quota", "0", "--files-per-article", "1000000", "--tls"}
	if secure {
		args = append(args, "files", "--tls-cert", r.cert.cert, "--tls-key", r.cert.key)
	} else {
		args = append(args, "off")
	}
	return startServer(ctx, r.dir, "alcove", listen, "/v2/articles", secure, r.program, args...)
}

// round takes every measure once, the contenders of each one after another.
func (r *filesRun) round(ctx context.Context) error {
	nginx, err := startNginx(ctx, r.dir, nil, []byte("x"))
	if err != nil || nginx == nil {
		return fmt.Errorf("nginx is needed: %w", err)
	}
	defer nginx.stop()
	ours, err := r.serve(ctx, false)
	if err != nil {
		return err
	}
	defer func() { ours.stop() }()
	if err := r.uploads(ctx, ours); err != nil {
		return err
	}
	if err := r.share(); err != nil { // an upload of the same bytes takes the place of the file
		return err
	}
	if err := r.downloads(ctx, "plain", ours, nginx); err != nil {
		return err
	}
	if err := r.ranges(ctx, ours, nginx); err != nil {
		return err
	}
	if err := r.archive(ctx, ours); err != nil {
		return err
	}
	if err := r.memory(ours); err != nil {
		return err
	}
	ours.stop()
	nginx.stop()
	if nginx, err = startNginx(ctx, r.dir, r.cert, []byte("x")); err != nil {
		return err
	}
	defer nginx.stop()
	if ours, err = r.serve(ctx, true); err != nil {
		return err
	}
	return r.downloads(ctx, "TLS", ours, nginx)
}

// memory notes the anonymous memory of the server now, in MiB.
func (r *filesRun) memory(s *server) error {
	n, err := rssAnon(s.pid())
	if err == nil {
		r.results.add("RssAnon of Alcove after a round, MiB", float64(n)/(1<<20))
	}
	return err
}

// curl runs curl, which fails with refusals, and returns what it printed.
func (r *filesRun) curl(ctx context.Context, args ...string) (string, error) {
	out, err := command(ctx, r.dir, "curl", append([]string{"-sSfk"}, args...)...)
	return strings.TrimSpace(out), err
}
