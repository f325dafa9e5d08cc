package deposit

import (
	"fmt"
	"io"
	"sort"
	"sync"

	"github.com/schollz/progressbar/v3"
)

// report counts what becomes of the lines and shows it while it happens: a bar
// on a terminal, else a line for each item, or for every few when there are many.
type report struct {
	mu    sync.Mutex
	out   io.Writer
	bar   *progressbar.ProgressBar // nil without a terminal
	every int                      // items between two lines
	ended int
	sum   Summary
}

func newReport(o Options, api *client, in *input) *report {
	total := len(in.lines)
	r := &report{out: o.Out, every: max(1, total/50), sum: Summary{Items: total}}
	fmt.Fprintf(o.Out, "Depositing %d items at %s\n", total, api.base)
	if o.IsTerminal && total > 0 {
		r.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(o.Out),
			progressbar.OptionSetDescription("items"),
			progressbar.OptionShowCount(),
			progressbar.OptionClearOnFinish())
	}
	return r
}

// deposited counts an item that was brought to its end.
func (r *report) deposited(ln line, end outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum.Deposited++
	word := "deposited"
	switch {
	case !end.published:
	case end.waits == forReview:
		r.sum.HandedIn++
		word = "handed in for review"
	case end.waits == underEmbargo:
		r.sum.Held++
		word = "held by its embargo"
	default:
		r.sum.Published++
		word = "published"
	}
	r.step(fmt.Sprintf("line %d %s as article %d", ln.number, word, end.article))
}

// already counts an item that an earlier run brought to its end.
func (r *report) already() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum.Already++
	r.ended++
	if r.bar != nil {
		_ = r.bar.Add(1)
	}
}

// say tells something of a line at once.
func (r *report) say(ln line, what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bar != nil {
		_ = r.bar.Clear()
	}
	name := fmt.Sprintf("line %d", ln.number)
	if ln.key != "" {
		name += fmt.Sprintf(" (key %q)", ln.key)
	}
	fmt.Fprintf(r.out, "%s: %s\n", name, what)
}

// failed keeps why a line failed.
func (r *report) failed(ln line, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum.Failures = append(r.sum.Failures, Failure{Line: ln.number, Key: ln.key, Reason: err.Error()})
	r.step(fmt.Sprintf("line %d failed", ln.number))
}

// step shows that one more item has ended. The caller holds the lock.
func (r *report) step(what string) {
	r.ended++
	switch {
	case r.bar != nil:
		// The bar's only error is that the terminal is gone.
		_ = r.bar.Add(1)
	case r.every == 1:
		fmt.Fprintf(r.out, "%d of %d: %s\n", r.ended, r.sum.Items, what)
	case r.ended%r.every == 0:
		fmt.Fprintf(r.out, "%d of %d items, %d failed\n", r.ended, r.sum.Items, len(r.sum.Failures))
	}
}

// finish ends the bar, prints the summary and returns it.
func (r *report) finish() Summary {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bar != nil {
		_ = r.bar.Exit()
		fmt.Fprintln(r.out)
	}
	s := &r.sum
	s.Remaining = s.Items - r.ended
	sort.Slice(s.Failures, func(i, j int) bool { return s.Failures[i].Line < s.Failures[j].Line })
	fmt.Fprintf(r.out, "%d deposited, %d published, %d failed", s.Deposited, s.Published, len(s.Failures))
	if s.HandedIn > 0 {
		fmt.Fprintf(r.out, ", %d handed in for review", s.HandedIn)
	}
	if s.Held > 0 {
		fmt.Fprintf(r.out, ", %d held by their embargo", s.Held)
	}
	if s.Already > 0 {
		fmt.Fprintf(r.out, ", %d already complete", s.Already)
	}
	if s.Remaining > 0 {
		fmt.Fprintf(r.out, ", %d not finished", s.Remaining)
	}
	fmt.Fprintln(r.out)
	for _, f := range s.Failures {
		fmt.Fprintln(r.out, f)
	}
	return *s
}
