package dir

import (
	"alcove/blobs"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// place is where an open blob lies, as it was when it was opened: to look there again takes half of
// what it takes to find the blob.
type place struct {
	dir  *os.File // of the shard
	name string
	was  *syscall.Stat_t
}

// placeOf is the place of a blob that is open, nil when it cannot be told.
func (s *Store) placeOf(ref blobs.Ref, opened fs.FileInfo) *place {
	was, ok := opened.Sys().(*syscall.Stat_t)
	shard := s.shards[ref[0]].dir.Load()
	if !ok || shard == nil {
		return nil
	}
	dir, err := shard.Open(".")
	if err != nil {
		return nil
	}
	return &place{dir, nameOf(ref), was}
}

// still reports whether the very file lies there as it was. A link is never followed.
func (p *place) still() bool {
	var now unix.Stat_t
	if unix.Fstatat(int(p.dir.Fd()), p.name, &now, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return false
	}
	w := p.was
	return now.Mode&unix.S_IFMT == unix.S_IFREG && now.Dev == w.Dev && now.Ino == w.Ino && now.Size == w.Size &&
		now.Mtim.Sec == w.Mtim.Sec && now.Mtim.Nsec == w.Mtim.Nsec
}

func (p *place) close() { p.dir.Close() }
