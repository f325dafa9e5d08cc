package handlers

import (
	"errors"
	"io"
	"net/http"
	"os"
	"runtime"
	"time"

	"alcove/blobs"
)

// errClient says that a client did not take what was sent.
var errClient = errors.New("cannot send: the client has gone or stands still")

// paced writes to a client as long as he takes something. Whatever is written needs at least a
// bite to go out within the stall timeout; with a minute a line of about a kB a second is fast
// enough, and who stands still is cut off after it.
type paced struct {
	*recorder
	control *http.ResponseController
	stall   time.Duration
	plain   bool // without encryption

	begun bool      // a piece of a file has been sent: the head of the answer, too
	since time.Time // when it was last seen that a bite had gone out, zero between pieces
	moved int64     // bytes that have gone out since then
}

func (a *API) paced(c *Call, w *recorder) *paced {
	return &paced{recorder: w, control: http.NewResponseController(w), stall: a.Limits.StallTimeout, plain: c.request.TLS == nil}
}

// What a client takes quickly is sent in larger pieces, up to pieceMost, for which the system is
// asked less often; the client that takes longer than brisk for one gets smaller ones, so
// that hardly any time lies between the check of a piece and its way out.
const (
	pieceMost = 8 * blobs.Chunk
	brisk     = 250 * time.Millisecond
)

// next is how large the piece after one is, which took a time and perhaps did not go out wholly.
func (p *paced) next(piece int64, whole bool, took time.Duration) int64 {
	switch {
	case !p.resumes() || !whole:
		return blobs.Chunk
	case took >= brisk:
		return max(piece/2, blobs.Chunk)
	}
	return min(2*piece, pieceMost)
}

// resumes reports whether a copy goes on where a deadline has ended one: the system has told how
// far it came.
func (p *paced) resumes() bool { return p.plain && runtime.GOOS == "linux" }

// looks is how often in the stall timeout a copy that waits is ended, to see how far it came. The
// system tells that there is room when there is much of it, which may be late for a slow client;
// whoever asks anew uses what there is.
const looks = 4

// copy sends n bytes of a file; io.EOF says that it has fewer. Without an
// error it may have sent less, to a slow client: enough time has passed to check the rest again.
// In plain text the descriptor itself is copied, and the system moves the bytes. What is encrypted
// goes through a buffer that is much larger than the usual one, for fewer changes between
// goroutines.
func (p *paced) copy(f io.Reader, n int64) (int64, error) {
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
	sent, err := io.CopyN(p.recorder, f, n)
	if err == nil {
		p.since, p.moved = time.Time{}, 0
		return sent, nil
	}
	now := time.Now()
	if p.moved += sent; p.moved >= writeChunk {
		p.since, p.moved = now, 0
	}
	if !p.resumes() || !errors.Is(err, os.ErrDeadlineExceeded) || now.Sub(start) < wait/2 || now.Sub(p.since) >= p.stall {
		return sent, err
	}
	return sent, nil
}

func (p *paced) encrypt(f io.Reader, n int64) (int64, error) {
	buffer, done := takeSendBuffer()
	defer done()
	sent, err := io.CopyBuffer(struct{ io.Writer }{p}, &io.LimitedReader{R: struct{ io.Reader }{f}, N: n}, buffer)
	if err == nil && sent < n {
		err = io.EOF
	}
	return sent, err
}

// Write writes what is no file.
func (p *paced) Write(b []byte) (int, error) {
	p.control.SetWriteDeadline(time.Now().Add(p.stall))
	n, err := p.recorder.Write(b)
	if err != nil {
		err = errors.Join(errClient, err)
	}
	return n, err
}
