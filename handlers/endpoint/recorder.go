package endpoint

import (
	"io"
	"net/http"
	"time"
)

// recorder notes what was sent, for the log.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// ReadFrom keeps the way open on which the system sends a file without copying it. Over
// HTTP/2 there is no such way.
func (w *recorder) ReadFrom(r io.Reader) (int64, error) {
	to, ok := w.ResponseWriter.(io.ReaderFrom)
	if !ok {
		return io.Copy(struct{ io.Writer }{w}, r)
	}
	n, err := to.ReadFrom(r)
	w.bytes += n
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// linger is how long an answer waits for the rest of a body that no handler reads: Go takes
// it in before the answer goes out, and would wait for ever.
const linger = 2 * time.Second

func dropBody(w http.ResponseWriter) {
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(linger))
}
