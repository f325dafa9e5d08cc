package wire

import (
	"errors"
	"io"
	"net/http"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClient says that a client did not take what was sent.
var ErrClient = errors.New("cannot send: the client has gone or stands still")

// Paced writes to a client as long as it takes something. All that is written needs at least a
// bite to go out within the stall timeout; with a minute a line of about a kB a second is fast
// enough, and a client that stands still is cut off after it.
type Paced struct {
	http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration
	plain   bool // without encryption

	begun bool      // a piece of a file has been sent: the head of the answer, too
	since time.Time // when it was last seen that a bite had gone out, zero between pieces
	moved int64     // bytes that have gone out since then
}

// NewPaced sends the answer to a request through w, each piece of it within the stall timeout.
func NewPaced(w http.ResponseWriter, r *http.Request, stall time.Duration) *Paced {
	return &Paced{ResponseWriter: w, control: http.NewResponseController(w), stall: stall, plain: r.TLS == nil}
}

// End lets the connection be used without a deadline again.
func (p *Paced) End() { p.control.SetWriteDeadline(time.Time{}) }

// Pieces that a client takes quickly are sent in larger pieces, up to pieceMost, for which the system is
// asked less often; the client that takes longer than brisk for one gets smaller ones, so
// that hardly any time lies between the check of a piece and its way out.
const (
	pieceMost = 8 * Chunk
	brisk     = 250 * time.Millisecond
)

// Next is how large the piece after one is, which took a time and perhaps did not go out wholly.
func (p *Paced) Next(piece int64, whole bool, took time.Duration) int64 {
	switch {
	case !p.resumes() || !whole:
		return Chunk
	case took >= brisk:
		return max(piece/2, Chunk)
	}
	return min(2*piece, pieceMost)
}

// resumes reports whether a copy goes on where a deadline has ended one: the system has told how
// far it came.
func (p *Paced) resumes() bool { return p.plain && runtime.GOOS == "linux" }

// looks is how often in the stall timeout a copy that waits is ended, to see how far it came. The
// system tells that there is room when there is much of it, which may be late for a slow client;
// a new call uses what there is.
const looks = 4

// Copy sends n bytes of a file; io.EOF says that it has fewer. Without an
// error it may have sent less, to a slow client: enough time has passed to check the rest again.
// In plain text the descriptor itself is copied, and the system moves the bytes. Encrypted bytes
// go through a buffer that is much larger than the usual one, for fewer changes between
// goroutines.
func (p *Paced) Copy(f io.Reader, n int64) (int64, error) {
	if !p.plain {
		return p.encrypt(f, n)
	}
	start := time.Now()
	if p.since.IsZero() {
		p.since = start
	}
	wait := p.stall
	if p.resumes() && p.begun {
		wait /= looks
	}
	p.begun = true
	p.control.SetWriteDeadline(start.Add(wait))
	sent, err := io.CopyN(p.ResponseWriter, f, n)
	if err == nil {
		p.since, p.moved = time.Time{}, 0
		return sent, nil
	}
	now := time.Now()
	if p.moved += sent; p.moved >= WriteChunk {
		p.since, p.moved = now, 0
	}
	if !p.resumes() || !errors.Is(err, os.ErrDeadlineExceeded) || now.Sub(start) < wait/2 || now.Sub(p.since) >= p.stall {
		return sent, err
	}
	return sent, nil
}

func (p *Paced) encrypt(f io.Reader, n int64) (int64, error) {
	buffer, done := SendBuffer()
	defer done()
	sent, err := io.CopyBuffer(struct{ io.Writer }{p}, &io.LimitedReader{R: struct{ io.Reader }{f}, N: n}, buffer)
	if err == nil && sent < n {
		err = io.EOF
	}
	return sent, err
}

// Write writes bytes that are of no file.
func (p *Paced) Write(b []byte) (int, error) {
	p.control.SetWriteDeadline(time.Now().Add(p.stall))
	n, err := p.ResponseWriter.Write(b)
	if err != nil {
		err = errors.Join(ErrClient, err)
	}
	return n, err
}

// Chunk is how many bytes of a file are checked together before they are sent, see blobs.Chunk.
const Chunk = 1 << 20

// WriteChunk is how much of a reply must go out within the stall timeout.
const WriteChunk = 64 << 10

// A buffer is held while a client takes its time: the first downloads at a time have large
// ones, and those beyond, of which there may be thousands, small ones.
const (
	sendBuffer  = 256 << 10
	largeSends  = 64
	smallBuffer = 16 << 10
)

var (
	sending      atomic.Int32 // with large buffers
	sendBuffers  = sync.Pool{New: func() any { return new([sendBuffer]byte) }}
	smallBuffers = sync.Pool{New: func() any { return new([smallBuffer]byte) }}
)

// SendBuffer is a buffer, and what gives it back.
func SendBuffer() (buffer []byte, done func()) {
	if sending.Add(1) > largeSends {
		sending.Add(-1)
		b := smallBuffers.Get().(*[smallBuffer]byte)
		return b[:], func() { smallBuffers.Put(b) }
	}
	b := sendBuffers.Get().(*[sendBuffer]byte)
	return b[:], func() { sendBuffers.Put(b); sending.Add(-1) }
}
