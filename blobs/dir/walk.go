package dir

import (
	"alcove/blobs"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Walk calls fn for every entry of the 256 shards: shards in order, within a shard as the directory
// gives them. It holds at most a few hundred names at a time, whatever the store holds. Blobs
// that come or go meanwhile may be met or not; fn may call the other methods of the store. The
// first error of fn ends the walk and is returned as it is, and so is the cause of ctx.
func (s *Store) Walk(ctx context.Context, fn func(blobs.Entry) error) error {
	for i := range 256 {
		if err := s.walkShard(ctx, fmt.Sprintf("%02x", i), fn); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) walkShard(ctx context.Context, name string, fn func(blobs.Entry) error) error {
	dir, err := s.root.Open(top + "/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot list blobs: %w", err)
	}
	defer dir.Close()
	for {
		names, err := dir.Readdirnames(256)
		for _, rest := range names {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := s.visit(name, rest, fn); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("cannot list blobs: %w", err)
		}
	}
}

func (s *Store) visit(shard, rest string, fn func(blobs.Entry) error) error {
	e := blobs.Entry{Path: top + "/" + shard + "/" + rest}
	info, err := s.root.Lstat(e.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // It was removed since its name was read.
	}
	if err != nil {
		return fmt.Errorf("cannot list blobs: %w", err)
	}
	e.Info = blobs.Info{Size: info.Size(), Modified: info.ModTime()}
	if ref, err := blobs.ParseRef(shard + rest); err == nil && info.Mode().IsRegular() {
		e.Ref = ref
	}
	return fn(e)
}
