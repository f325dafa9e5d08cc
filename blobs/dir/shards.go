package dir

import (
	"alcove/blobs"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path"
)

// inShard does something with a blob in its directory, which stays open from then on: to find a
// blob through DIR takes three times as long. name is the blob's there.
func inShard[T any](s *Store, ref blobs.Ref, do func(dir *os.Root, name string) (T, error)) (result T, err error) {
	sh := &s.shards[ref[0]]
	if dir := sh.dir.Load(); dir != nil {
		if result, err = do(dir, nameOf(ref)); !errors.Is(err, fs.ErrNotExist) {
			return result, err
		}
		// Perhaps another directory was put in the place of this one.
	}
	dir, err := s.root.OpenRoot(path.Dir(pathOf(ref)))
	if err != nil {
		return result, err
	}
	if result, err = do(dir, nameOf(ref)); err != nil || !sh.dir.CompareAndSwap(nil, dir) {
		if old := sh.dir.Load(); err == nil && sh.dir.CompareAndSwap(old, dir) {
			return result, nil // the old one is closed when it is used no more
		}
		dir.Close()
	}
	return result, err
}

// nameOf is the name of a blob in the directory of its shard.
func nameOf(r blobs.Ref) string { return hex.EncodeToString(r[1:]) }

func (s *Store) closeShards() {
	for i := range s.shards {
		if dir := s.shards[i].dir.Swap(nil); dir != nil {
			dir.Close()
		}
	}
}
