package dir

import (
	"os"

	"golang.org/x/sys/unix"
)

// resident reports whether the pages of n bytes of a file are all in the memory of the system, so that reading
// them asks nothing of the disk. Where the system cannot tell (before Linux 6.5) it is believed.
func resident(f *os.File, from, n int64) bool {
	page := int64(os.Getpagesize())
	n += from % page
	from -= from % page
	where := unix.CachestatRange{Off: uint64(from), Len: uint64(n)}
	var found unix.Cachestat_t
	all := true
	control(f, func(fd uintptr) {
		if unix.Cachestat(uint(fd), &where, &found, 0) == nil {
			all = int64(found.Cache) >= (n+page-1)/page
		}
	})
	return all
}

// forget asks the system to take bytes from the disk when they are read next.
func forget(f *os.File, from, n int64) {
	control(f, func(fd uintptr) { _ = unix.Fadvise(int(fd), from, n, unix.FADV_DONTNEED) })
}

// afresh asks the system to read a whole file from the disk, and early.
func afresh(f *os.File) {
	forget(f, 0, 0)
	control(f, func(fd uintptr) { _ = unix.Fadvise(int(fd), 0, 0, unix.FADV_SEQUENTIAL) })
}

func control(f *os.File, fn func(fd uintptr)) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(fn)
	}
}
