package main

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

const partSize = 10 << 20

// uploads measures what sends bytes: parts beside a handler that only writes and syncs them, a
// whole file beside dd and md5, and many small files.
func (r *filesRun) uploads(ctx context.Context, ours *server) error {
	if err := r.floors(ctx); err != nil {
		return err
	}
	floor, err := r.startFloor(ctx)
	if err != nil {
		return err
	}
	defer floor.stop()
	size := min(r.size, 40*partSize)
	for _, streams := range []int{1, 4} {
		rate, cpu, err := r.putParts(ctx, floor, func(n int) string { return fmt.Sprintf("%s/%d/%d", floor.base(), streams, n) }, size, streams)
		if err != nil {
			return err
		}
		r.results.add(fmt.Sprintf("parts, %d streams, only write and sync, MiB/s", streams), rate)
		r.results.add(fmt.Sprintf("parts, %d streams, only write and sync, CPU ms per GiB", streams), cpu)
		_, put, err := r.upload(ctx, ours, size, streams)
		if err != nil {
			return err
		}
		r.results.add(fmt.Sprintf("parts, %d streams, Alcove, MiB/s", streams), put.rate)
		r.results.add(fmt.Sprintf("parts, %d streams, Alcove, CPU ms per GiB", streams), put.cpu)
	}
	took, _, err := r.upload(ctx, ours, r.size, 1)
	if err != nil {
		return err
	}
	r.results.add("first byte to available, 1 stream, Alcove, MiB/s", float64(r.size)/(1<<20)/took.Seconds())
	return r.smallFiles(ctx, ours)
}

// floors are what no server can be faster than: the disk, and one core's MD5.
func (r *filesRun) floors(ctx context.Context) error {
	target := filepath.Join(r.dir, "dd")
	start := time.Now()
	if _, err := command(ctx, r.dir, "dd", "if="+r.large, "of="+target, "bs=1M", "conv=fsync", "status=none"); err != nil {
		return err
	}
	r.results.add("dd conv=fsync, MiB/s", float64(r.size)/(1<<20)/time.Since(start).Seconds())
	os.Remove(target)
	block, h := make([]byte, 1<<20), md5.New()
	start = time.Now()
	const blocks = 512
	for range blocks {
		h.Write(block)
	}
	r.results.add("md5, one core, MiB/s", blocks/time.Since(start).Seconds())
	return nil
}

// put is how fast parts went, in MiB/s, and the server's ms of processor time per GiB.
type put struct{ rate, cpu float64 }

// upload sends a file of that size and waits until it is available. It returns how long all of
// it took, and how the parts went.
func (r *filesRun) upload(ctx context.Context, ours *server, size int64, streams int) (time.Duration, put, error) {
	var made struct{ Location string }
	if err := r.call(ctx, "POST", ours.base()+"/v2/account/articles", `{"title": "An upload"}`, &made); err != nil {
		return 0, put{}, err
	}
	if err := r.call(ctx, "POST", made.Location+"/files", fmt.Sprintf(`{"name": "a", "size": %d}`, size), &made); err != nil {
		return 0, put{}, err
	}
	var file struct {
		UploadURL string `json:"upload_url"`
		Status    string
	}
	if err := r.call(ctx, "GET", made.Location, "", &file); err != nil {
		return 0, put{}, err
	}
	start := time.Now()
	rate, cpu, err := r.putParts(ctx, ours, func(n int) string { return fmt.Sprintf("%s/%d", file.UploadURL, n+1) }, size, streams)
	if err != nil {
		return 0, put{}, err
	}
	if err := r.call(ctx, "POST", made.Location, "", nil); err != nil {
		return 0, put{}, err
	}
	for file.Status != "available" {
		if err := r.call(ctx, "GET", made.Location, "", &file); err != nil {
			return 0, put{}, err
		}
		time.Sleep(5 * time.Millisecond)
	}
	took := time.Since(start)
	return took, put{rate, cpu}, r.call(ctx, "DELETE", made.Location, "", nil)
}

// putParts sends the large file from its beginning in parts.
func (r *filesRun) putParts(ctx context.Context, s *server, at func(n int) string, size int64, streams int) (rate, cpu float64, err error) {
	f, err := os.Open(r.large)
	if err != nil {
		return 0, 0, fmt.Errorf("cannot read the large file: %w", err)
	}
	defer f.Close()
	wall, used, err := r.timed(s, func() error {
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(streams)
		for n := 0; int64(n)*partSize < size; n++ {
			g.Go(func() error {
				from := int64(n) * partSize
				length := min(partSize, size-from)
				req, err := http.NewRequestWithContext(ctx, "PUT", at(n), io.NewSectionReader(f, from, length))
				if err != nil {
					return err
				}
				req.ContentLength = length
				return finish(http.DefaultClient.Do(req))
			})
		}
		return g.Wait()
	})
	mib := float64(size) / (1 << 20)
	return mib / wall.Seconds(), used.Seconds() * 1000 / (mib / 1024), err
}

// finish reads an answer to its end; a refusal is an error.
func finish(res *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s answered %d: %s", res.Request.URL, res.StatusCode, text)
	}
	return err
}

// call calls the API as the account of the run.
func (r *filesRun) call(ctx context.Context, method, url, body string, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "token "+r.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s %s answered %d: %s", method, url, res.StatusCode, text)
	}
	if err == nil && into != nil {
		err = json.Unmarshal(text, into)
	}
	return err
}

// smallFiles sends many files of 4 KiB, publishes them, and takes them one after another.
func (r *filesRun) smallFiles(ctx context.Context, ours *server) error {
	var made struct{ Location string }
	if err := r.call(ctx, "POST", ours.base()+"/v2/account/articles", `{"title": "Small files", "authors": [{"name": "Bench Mark"}]}`, &made); err != nil {
		return err
	}
	article := made.Location
	var mu sync.Mutex
	var paths []string
	start := time.Now()
	g, up := errgroup.WithContext(ctx)
	g.SetLimit(8)
	for i := range r.small {
		g.Go(func() error {
			var file struct {
				Location  string
				ID        int64
				UploadURL string `json:"upload_url"`
			}
			body := bytes.Repeat([]byte{byte(i), byte(i >> 8)}, 2048)
			copy(body, strconv.Itoa(int(start.UnixNano())))
			if err := r.call(up, "POST", article+"/files", fmt.Sprintf(`{"name": "file %d", "size": %d}`, i, len(body)), &file); err != nil {
				return err
			}
			at := file.Location
			if err := r.call(up, "GET", at, "", &file); err != nil {
				return err
			}
			req, err := http.NewRequestWithContext(up, "PUT", file.UploadURL+"/1", bytes.NewReader(body))
			if err != nil {
				return err
			}
			if err := finish(http.DefaultClient.Do(req)); err != nil {
				return err
			}
			mu.Lock()
			paths = append(paths, fmt.Sprint("/files/", file.ID))
			mu.Unlock()
			return r.call(up, "POST", at, "", nil)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if err := r.call(ctx, "POST", article+"/publish", "", nil); err != nil { // waits for the checks
		return err
	}
	r.results.add("small files up, a second", float64(r.small)/time.Since(start).Seconds())
	for _, name := range []string{"first since start, ", ""} {
		wall, cpu, err := r.timed(ours, func() error {
			for _, p := range paths {
				req, err := http.NewRequestWithContext(ctx, "GET", ours.base()+p, nil)
				if err != nil {
					return err
				}
				if err := finish(http.DefaultClient.Do(req)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		r.results.add("small files down, "+name+"a second", float64(r.small)/wall.Seconds())
		r.results.add("small files down, "+name+"server CPU µs each", float64(cpu.Microseconds())/float64(r.small))
	}
	return nil
}

// startFloor starts this program as a server that only writes parts and syncs them, and sends ranges
// of the large file. more says how: see bareRanges.
func (r *filesRun) startFloor(ctx context.Context, more ...string) (*server, error) {
	listen, err := freeAddress()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find this program: %w", err)
	}
	target := filepath.Join(r.dir, "floor")
	if err := os.MkdirAll(target, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make a folder: %w", err)
	}
	return startServer(ctx, r.dir, "floor", listen, "/", false, self, append([]string{"floor", listen, target, r.served}, more...)...)
}

// partsFloor answers GET /large with a file as the standard library does, GET /bare as bareRanges says,
// and PUT /STREAMS/N by writing the body at its place in a file, and syncing it: what taking a part
// costs without any of what makes it safe.
func partsFloor(args []string) error {
	if len(args) != 3 && len(args) != 4 {
		return errors.New("usage: floor LISTEN DIR FILE [HEADER]")
	}
	var bare http.Handler
	if len(args) == 4 {
		var err error
		if bare, err = newBareRanges(args[2], args[3]); err != nil {
			return err
		}
	}
	handler := func(w http.ResponseWriter, q *http.Request) {
		switch {
		case q.URL.Path == "/large":
			http.ServeFile(w, q, args[2])
			return
		case q.URL.Path == "/bare" && bare != nil:
			bare.ServeHTTP(w, q)
			return
		}
		var streams, n int
		if _, err := fmt.Sscanf(q.URL.Path, "/%d/%d", &streams, &n); err != nil {
			return // to tell that it is ready
		}
		if err := writeAndSync(filepath.Join(args[1], strconv.Itoa(streams)), int64(n)*partSize, q.Body); err != nil {
			log.Print(err)
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}
	return http.ListenAndServe(args[0], http.HandlerFunc(handler))
}

func writeAndSync(path string, at int64, body io.Reader) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if at == 0 {
		if err := f.Truncate(0); err != nil { // new blocks for each upload, as a new file has
			return err
		}
	}
	if _, err := io.CopyBuffer(io.NewOffsetWriter(f, at), struct{ io.Reader }{body}, make([]byte, 256<<10)); err != nil {
		return err
	}
	return syscall.Fdatasync(int(f.Fd()))
}
