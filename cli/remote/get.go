package remote

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"alcove/cli/fetch"
)

// partial is what the name of a file ends with while it is under way. The next run goes on with it.
const partial = ".alcove-part"

// tries of a file whose connection breaks off, each from where the last one ended.
const tries = 5

// Got is a file of an item, and what became of it.
type Got struct {
	Path  string `json:"path"`
	Size  int64  `json:"size"`
	Sum   string `json:"checksum"` // in hex; its length tells the algorithm, MD5 where the server has that
	State string `json:"state"`    // one of the next three
	URL   string `json:"url,omitempty"`
}

// States of a file.
const (
	Fetched = "fetched"
	There   = "there" // it was, with the same bytes
	Linked  = "link"  // it is elsewhere, and was not fetched
)

// Get takes the files of a version to a folder, which it makes. progress is told of the bytes as they arrive, and of
// those that are there.
func Get(ctx context.Context, c *fetch.Client, v *fetch.Version, folder string, progress func(int64)) (list []Got, err error) {
	names, err := paths(v.Files)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("cannot make the folder: %w", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("cannot open the folder: %w", err)
	}
	defer root.Close()
	g := getter{c, root, progress}
	for i, f := range v.Files {
		got := Got{Path: names[i], Size: f.Size, Sum: f.Sum}
		if f.Link != "" {
			got.State, got.URL = Linked, f.Link
			list = append(list, got)
			continue
		}
		if got.State, err = g.file(ctx, f, names[i]); err != nil {
			return list, fmt.Errorf("the file %q: %w", names[i], err)
		}
		list = append(list, got)
	}
	return list, nil
}

type getter struct {
	c        *fetch.Client
	root     *os.Root
	progress func(int64)
}

// file takes one file, unless it is there.
func (g getter) file(ctx context.Context, f fetch.File, name string) (string, error) {
	there, err := g.compare(name, f)
	if err != nil || there {
		return There, err
	}
	if dir := path.Dir(name); dir != "." {
		if err := g.root.MkdirAll(dir, 0o755); err != nil {
			return "", fmt.Errorf("cannot make its folder: %w", err)
		}
	}
	for try := 1; ; try++ {
		err := g.bytes(ctx, f, name)
		if err == nil {
			return Fetched, nil
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if try == tries || !fetch.Passing(err) && !errors.Is(err, errOther) {
			return "", err
		}
		select {
		case <-time.After(time.Duration(try) * time.Second):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// compare reports whether a file is there with the same bytes. One with others is an error: it is not ours to replace.
func (g getter) compare(name string, f fetch.File) (bool, error) {
	info, err := g.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("cannot look whether it is there: %w", err)
	case !info.Mode().IsRegular():
		return false, errors.New("something that is no file is in its place: move it away, or choose another folder with --out")
	}
	other := errors.New("there is one with other bytes in its place: move it away, or choose another folder with --out")
	if info.Size() != f.Size {
		return false, other
	}
	in, err := g.root.Open(name)
	if err != nil {
		return false, fmt.Errorf("cannot compare it with what is there: %w", err)
	}
	defer in.Close()
	sum := fetch.NewSum(f.Sum)
	if _, err := io.Copy(sum, in); err != nil {
		return false, fmt.Errorf("cannot compare it with what is there: %w", err)
	}
	if !sameSum(sum, f) {
		return false, other
	}
	g.progress(f.Size)
	return true, nil
}

func sameSum(sum hash.Hash, f fetch.File) bool {
	return strings.EqualFold(hex.EncodeToString(sum.Sum(nil)), f.Sum)
}

// errOther says that the bytes are not those that were announced.
var errOther = errors.New("the bytes that came have another checksum than was announced")

// bytes takes the bytes that are missing, and gives the file its name when they are the right ones.
func (g getter) bytes(ctx context.Context, f fetch.File, name string) (err error) {
	part := name + partial
	if info, err := g.root.Lstat(part); err == nil && !info.Mode().IsRegular() {
		return errors.New("something that is no file is in the place of " + part)
	}
	out, err := g.root.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("cannot write it: %w", err)
	}
	defer out.Close()
	sum := fetch.NewSum(f.Sum)
	have, err := io.Copy(sum, io.LimitReader(out, f.Size))
	if err != nil {
		return fmt.Errorf("cannot read what is there of it: %w", err)
	}
	g.progress(have)
	if have < f.Size {
		body, at, err := g.c.From(ctx, f, have)
		if err != nil {
			g.progress(-have)
			return err
		}
		defer body.Close()
		if at == 0 && have > 0 { // the server begins again
			g.progress(-have)
			have = 0
			sum.Reset()
		}
		if _, err := out.Seek(have, io.SeekStart); err != nil {
			return fmt.Errorf("cannot write it: %w", err)
		}
		n, err := io.Copy(io.MultiWriter(out, sum, told(g.progress)), io.LimitReader(body, f.Size-have))
		if have += n; err != nil {
			g.progress(-have)
			return fmt.Errorf("cannot read all of it: %w", err)
		}
		if have < f.Size {
			g.progress(-have)
			return fmt.Errorf("%d of its %d bytes came: %w", have, f.Size, io.ErrUnexpectedEOF)
		}
	}
	if !sameSum(sum, f) {
		g.progress(-have)
		out.Close()
		return errors.Join(errOther, g.root.Remove(part))
	}
	if err := errors.Join(out.Truncate(f.Size), out.Sync(), out.Close()); err != nil {
		return fmt.Errorf("cannot write it: %w", err)
	}
	if err := g.root.Rename(part, name); err != nil {
		return fmt.Errorf("cannot give it its name: %w", err)
	}
	return nil
}

// told is a writer that counts.
type told func(int64)

func (t told) Write(b []byte) (int, error) {
	t(int64(len(b)))
	return len(b), nil
}
