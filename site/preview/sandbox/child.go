package sandbox

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"
	"runtime"
	"sync"
)

// possible is whether this program is one whose children know what they are: another one, such as that of
// a test, would begin its own work again in each of them.
var possible bool

// Main is called first by a program that has children. In a child it does not return: it does the job
// and ends. The result of a job is at most 1 MiB.
func Main(do func(job []byte, input io.ReaderAt) []byte) {
	if len(os.Args) != 2 || os.Args[1] != Word {
		possible = supported
		return
	}
	runtime.GOMAXPROCS(1)
	if err := hold(); err != nil {
		os.Exit(1)
	}
	c := &parent{from: bufio.NewReader(descriptor(0)), to: descriptor(1)}
	_, err := c.to.Write([]byte{saysHeld})
	if err != nil {
		os.Exit(1)
	}
	job, err := receive(c.from, jobMost)
	if err != nil {
		os.Exit(1)
	}
	result := do(job, c)
	c.mu.Lock() // pieces that are still being read come to nothing
	if _, err := c.to.Write([]byte{saysResult}); err != nil || send(c.to, result) != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// parent is the input as a child reads it.
type parent struct {
	mu   sync.Mutex
	from io.Reader
	to   io.Writer
}

// ReadAt is io.ReaderAt.
func (c *parent) ReadAt(p []byte, at int64) (read int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for read < len(p) {
		n := min(len(p)-read, pieceMost)
		asked := binary.LittleEndian.AppendUint64([]byte{saysPiece}, uint64(at+int64(read)))
		if _, err := c.to.Write(binary.LittleEndian.AppendUint32(asked, uint32(n))); err != nil {
			return read, err
		}
		piece, err := receive(c.from, uint32(n))
		if err != nil {
			return read, err
		}
		if read += copy(p[read:], piece); len(piece) < n {
			return read, io.EOF
		}
	}
	return read, nil
}
