package uploads

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// datasync makes the bytes of f durable, and its length, but not its times.
func datasync(f *os.File) error {
	return control(f, func(fd int) error {
		for {
			if err := unix.Fdatasync(fd); err != unix.EINTR {
				return err
			}
		}
	})
}

// early asks the kernel to begin to write a range of f to the disk now, so that datasync has less
// to wait for. It is advice: what it comes to, datasync tells.
func early(f *os.File, from, length int64) {
	control(f, func(fd int) error { return unix.SyncFileRange(fd, from, length, unix.SYNC_FILE_RANGE_WRITE) })
}

const (
	// ahead is how many bytes the kernel is asked to read before they are needed.
	ahead = 8 << 20
	// request is how many it is asked for at once: asking takes a while, in which nothing is read.
	request = 512 << 10
)

// fromDisk reads a synced file from its start so that the bytes come from the disk and not from
// the page cache, where what was just written still looks right. The kernel reads up to ahead
// bytes in advance. It is advice: where it is not taken the bytes read are the same, from memory.
func fromDisk(f *os.File) io.Reader {
	advise(f, 0, 0, unix.FADV_DONTNEED)
	advise(f, 0, 0, unix.FADV_SEQUENTIAL)
	r := &aheadReader{f: f}
	if info, err := f.Stat(); err == nil {
		r.size = info.Size()
	}
	return r
}

type aheadReader struct {
	f               *os.File
	at, asked, size int64
}

func (r *aheadReader) Read(p []byte) (int, error) {
	for r.asked < min(r.at+ahead, r.size) {
		advise(r.f, r.asked, request, unix.FADV_WILLNEED)
		r.asked += request
	}
	n, err := r.f.ReadAt(p, r.at)
	r.at += int64(n)
	return n, err
}

// advise tells the kernel how a range of f will be used. The advice changes no result, so an
// error has no consequence.
func advise(f *os.File, from, length int64, advice int) {
	control(f, func(fd int) error { return unix.Fadvise(fd, from, length, advice) })
}

// control calls fn with the descriptor of f, which stays open meanwhile.
func control(f *os.File, fn func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var result error
	if err := conn.Control(func(fd uintptr) { result = fn(int(fd)) }); err != nil {
		return err
	}
	return result
}

// free is how many bytes this process may still write on the file system of an open directory.
func free(dir *os.File) (int64, error) {
	var stat unix.Statfs_t
	err := control(dir, func(fd int) error { return unix.Fstatfs(fd, &stat) })
	return int64(min(stat.Bavail, uint64(1<<62)/uint64(max(stat.Frsize, 1)))) * stat.Frsize, err
}
