package deposit

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows how many bytes have gone: a bar on a terminal, else a line every few seconds. A nil progress
// shows nothing.
type progress struct {
	out      io.Writer
	terminal bool
	clock    clock

	mu        sync.Mutex
	bar       *progressbar.ProgressBar // nil without a terminal, and between two phases
	verb      string
	files     int // that are done
	ofFiles   int
	bytes     int64
	ofBytes   int64
	start     time.Time
	told      time.Time
	counts    bool  // the bytes of this phase go to the server
	travelled int64 // bytes of all such phases
}

// every is how long nothing is said without a terminal.
const every = 10 * time.Second

// begin begins a phase of that many files and bytes, in which they are read or sent.
func (p *progress) begin(verb string, sends bool, files int, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.verb, p.counts, p.files, p.ofFiles, p.bytes, p.ofBytes = verb, sends, 0, files, 0, bytes
	p.start = p.clock.now()
	p.told = p.start
	if p.terminal && bytes > 0 {
		p.bar = progressbar.NewOptions64(bytes,
			progressbar.OptionSetWriter(p.out),
			progressbar.OptionSetDescription(p.count()),
			progressbar.OptionShowBytes(true),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionFullWidth(),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish())
	}
}

func (p *progress) count() string {
	return fmt.Sprintf("%s %d of %d files", p.verb, p.files, p.ofFiles)
}

// add counts bytes that have gone; fewer than none are taken back, because they have to go again.
func (p *progress) add(n int64) {
	if p == nil || n == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes += n
	if p.counts {
		p.travelled += n
	}
	p.show()
}

// skip counts bytes that need not go any more.
func (p *progress) skip(n int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ofBytes -= n
	if p.bar != nil && p.ofBytes > 0 {
		p.bar.ChangeMax64(p.ofBytes)
	}
}

// file counts a file that is done.
func (p *progress) file() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files++
	if p.bar != nil {
		p.bar.Describe(p.count())
	}
	p.show()
}

// show brings the bar up to date, or says a line when it is time. The caller holds the lock.
func (p *progress) show() {
	if p.bar != nil {
		// The bar's only errors are that the terminal is gone and that a file has grown.
		_ = p.bar.Set64(min(p.bytes, p.ofBytes))
		return
	}
	now := p.clock.now()
	if p.terminal || now.Sub(p.told) < every {
		return
	}
	p.told = now
	text := fmt.Sprintf("%s, %s of %s", p.count(), sizeOf(p.bytes), sizeOf(p.ofBytes))
	if speed := float64(p.bytes) / now.Sub(p.start).Seconds(); speed >= 1 {
		left := time.Duration(float64(p.ofBytes-p.bytes)/speed) * time.Second
		text += fmt.Sprintf(", %s/s, %s left", sizeOf(int64(speed)), max(left, 0))
	}
	fmt.Fprintln(p.out, text)
}

// end ends a phase.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
		_ = p.bar.Exit()
		p.bar = nil
	}
}

// line says something at once.
func (p *progress) line(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintf(p.out, format+"\n", args...)
}

// sent are the bytes that have gone in the whole run.
func (p *progress) sent() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.travelled
}

// sizeOf is a number of bytes in words.
func sizeOf(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	v, unit := float64(n), 0
	for v >= 999.95 && unit < 5 {
		v /= 1000
		unit++
	}
	return fmt.Sprintf("%.1f %s", v, [...]string{"B", "kB", "MB", "GB", "TB", "PB"}[unit])
}

// counted is a file whose bytes are counted as they are read.
type counted struct {
	of io.ReaderAt
	to *progress
	n  atomic.Int64 // so far
}

func (c *counted) ReadAt(b []byte, at int64) (int, error) {
	n, err := c.of.ReadAt(b, at)
	c.n.Add(int64(n))
	c.to.add(int64(n))
	return n, err
}
