package thumbs

import (
	"alcove/blobs"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"sync"
)

const (
	top   = "thumbs"
	temp  = top + "/tmp"
	begun = top + "/begun"
)

const (
	maxBegun  = 2       // times that decoding a picture may have been begun and not ended
	maxStored = 8 << 20 // bytes of a thumbnail; Side×Side pixels that nothing compresses take less
	maxBad    = 1000    // pictures that are known to have none
)

// ErrFatal says that the process has died twice while it decoded this picture.
var ErrFatal = errors.New("cannot make a thumbnail: decoding this picture ended the process before")

// digest is the form of a key: 64 lower-case hex digits.
var digest = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Store is the thumbnails of one data directory. Its methods may be called from many
// goroutines; one picture is decoded at a time.
type Store struct {
	root *os.Root
	slot chan struct{} // held by the decoder

	mu  sync.Mutex
	bad map[string]error // why there is no thumbnail, of some that were asked for
}

// Open opens the thumbnails of the data directory dir, which must exist. It drops what a process
// that ended before has left half written.
func Open(dir string) (*Store, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot open thumbnails: %w", err)
	}
	s := &Store{root: root, slot: make(chan struct{}, 1), bad: map[string]error{}}
	if err := root.RemoveAll(temp); err != nil {
		root.Close()
		return nil, fmt.Errorf("cannot open thumbnails: %w", err)
	}
	return s, nil
}

// Close lets go of the data directory.
func (s *Store) Close() error { return s.root.Close() }

func place(key string) string { return top + "/" + key[:2] + "/" + key[2:] + ".png" }

// Read is the thumbnail of the picture whose SHA-256 is key. One that is missing, cut short or
// damaged is fs.ErrNotExist.
func (s *Store) Read(key string) ([]byte, error) {
	if !digest.MatchString(key) {
		return nil, fmt.Errorf("cannot read a thumbnail: %q is no digest", key)
	}
	f, err := s.root.Open(place(key))
	if err != nil {
		return nil, fmt.Errorf("cannot read a thumbnail: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxStored+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read a thumbnail: %w", err)
	}
	if len(b) > maxStored || !intact(b) {
		return nil, fmt.Errorf("cannot read a thumbnail: it is damaged: %w", fs.ErrNotExist)
	}
	return b, nil
}

// Get is the thumbnail of the picture whose SHA-256 is key, made and kept if it is not there yet.
// open opens the picture; it is called only then. Pictures are decoded one after another: a call
// waits for its turn until ctx ends. Without a thumbnail it is ErrNoPicture, ErrTooLarge or
// ErrFatal, at once when that is known.
func (s *Store) Get(ctx context.Context, key string, open func() (blobs.Reader, error)) ([]byte, error) {
	if b, err := s.Read(key); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return b, err
	}
	if err := s.known(key); err != nil {
		return nil, err
	}
	return s.make(ctx, key, open, s.Read)
}

// Renew makes the thumbnail of a picture as Get does, whether there is one or not: its time does
// not tell that another account has the same picture.
func (s *Store) Renew(ctx context.Context, key string, open func() (blobs.Reader, error)) error {
	if !digest.MatchString(key) {
		return fmt.Errorf("cannot make a thumbnail: %q is no digest", key)
	}
	_, err := s.make(ctx, key, open, func(string) ([]byte, error) { return nil, fs.ErrNotExist })
	return err
}

// make makes a thumbnail when its turn has come, unless there is one then.
func (s *Store) make(ctx context.Context, key string, open func() (blobs.Reader, error), read func(string) ([]byte, error)) ([]byte, error) {
	done, err := s.turn(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if b, err := read(key); err == nil {
		return b, nil
	}
	b, err := s.produce(ctx, key, open)
	if Final(err) {
		s.noteBad(key, err)
	}
	return b, err
}

// turn waits until nothing else is decoded.
func (s *Store) turn(ctx context.Context) (done func(), err error) {
	select {
	case s.slot <- struct{}{}:
		return func() { <-s.slot }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Small is Make for a longest side of so many pixels, when its turn has come. It is not kept.
func (s *Store) Small(ctx context.Context, src Source, side int) ([]byte, error) {
	done, err := s.turn(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return makeWithin(ctx, src, side)
}

// Final reports whether an error will be the same however often a thumbnail is asked for.
func Final(err error) bool {
	return errors.Is(err, ErrNoPicture) || errors.Is(err, ErrTooLarge) || errors.Is(err, ErrFatal)
}

func (s *Store) known(key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bad[key]
}

func (s *Store) noteBad(key string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.bad) >= maxBad {
		clear(s.bad)
	}
	s.bad[key] = err
}

func (s *Store) produce(ctx context.Context, key string, open func() (blobs.Reader, error)) ([]byte, error) {
	end, err := s.begin(key)
	if err != nil {
		return nil, err
	}
	defer end()
	f, err := open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := Make(ctx, f)
	if err != nil {
		return nil, err
	}
	return b, s.write(key, b)
}

// begin notes that a picture is about to be decoded, and refuses when that has been noted before
// and never ended well.
func (s *Store) begin(key string) (end func(), err error) {
	name := begun + "/" + key
	err = s.root.MkdirAll(begun, 0o700)
	if err != nil {
		return nil, fmt.Errorf("cannot make a thumbnail: %w", err)
	}
	f, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot make a thumbnail: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && info.Size() >= maxBegun {
		return nil, ErrFatal
	}
	if err == nil {
		_, err = f.Write([]byte{'.'})
	}
	if err != nil {
		return nil, fmt.Errorf("cannot make a thumbnail: %w", err)
	}
	return func() { s.root.Remove(name) }, nil
}

func (s *Store) write(key string, b []byte) error {
	name := temp + "/" + rand.Text()
	err := s.root.MkdirAll(temp, 0o700)
	if err == nil {
		err = s.root.MkdirAll(path.Dir(place(key)), 0o700)
	}
	if err == nil {
		err = s.root.WriteFile(name, b, 0o600)
	}
	if err == nil {
		err = s.root.Rename(name, place(key))
	}
	if err != nil {
		s.root.Remove(name)
		return fmt.Errorf("cannot keep a thumbnail: %w", err)
	}
	return nil
}

// Drop removes the thumbnail of a picture, if there is one.
func (s *Store) Drop(key string) error {
	if err := s.root.Remove(place(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot remove a thumbnail: %w", err)
	}
	return nil
}

// Sweep removes the thumbnails and notes of pictures that are kept no more.
func (s *Store) Sweep(ctx context.Context, kept func(key string) (bool, error)) error {
	dirs, err := s.names(top)
	for _, dir := range dirs {
		if err != nil {
			return err
		}
		if len(dir) == 2 || dir == path.Base(begun) {
			err = s.sweep(ctx, dir, kept)
		}
	}
	return err
}

func (s *Store) sweep(ctx context.Context, dir string, kept func(string) (bool, error)) error {
	names, err := s.names(top + "/" + dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		key := name
		if len(dir) == 2 {
			key = dir + path.Base(name[:max(0, len(name)-len(".png"))])
		}
		if !digest.MatchString(key) {
			continue // nothing of ours
		}
		keep, err := kept(key)
		if err != nil {
			return err
		}
		if !keep {
			if err := s.root.Remove(top + "/" + dir + "/" + name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("cannot drop a thumbnail: %w", err)
			}
		}
	}
	return nil
}

func (s *Store) names(dir string) ([]string, error) {
	d, err := s.root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot list thumbnails: %w", err)
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("cannot list thumbnails: %w", err)
	}
	return names, nil
}
