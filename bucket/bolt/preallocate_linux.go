package bolt

import (
	"os"

	"golang.org/x/sys/unix"
)

// DiskSpace asks the file system of an open file.
func DiskSpace(f *os.File) (s Space, err error) {
	var stat unix.Statfs_t
	err = control(f, func(fd int) error { return unix.Fstatfs(fd, &stat) })
	if err != nil {
		return s, err
	}
	most := uint64(1<<62) / uint64(max(stat.Frsize, 1))
	return Space{Free: int64(min(stat.Bavail, most)) * stat.Frsize, ReadOnly: stat.Flags&unix.ST_RDONLY != 0}, nil
}

// takeBlocks makes a file at least so long and sees to it that all of it has blocks on the disk.
// It changes no byte. The error is errors.ErrUnsupported where the file system cannot do it.
func takeBlocks(f *os.File, from, to int64) error {
	if to <= from {
		return nil
	}
	return control(f, func(fd int) error { return unix.Fallocate(fd, 0, from, to-from) })
}

// control calls fn with the descriptor of f, again when a signal came in between.
func control(f *os.File, fn func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var result error
	err = conn.Control(func(fd uintptr) {
		for result = fn(int(fd)); result == unix.EINTR; {
			result = fn(int(fd))
		}
	})
	if err != nil {
		return err
	}
	return result
}
