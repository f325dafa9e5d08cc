package load

import (
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"

	"alcove/handlers/items"
)

// report counts what becomes of the lines and shows it while it happens.
type report struct {
	out    io.Writer
	bar    *progressbar.ProgressBar // nil without a terminal
	dry    bool
	size   int64 // of the input in bytes
	tenths int64 // of it that were told
	sum    Summary
}

func newReport(o Options, size int64) *report {
	r := &report{out: o.Out, dry: o.DryRun, size: max(size, 1)}
	if o.IsTerminal {
		r.bar = progressbar.NewOptions64(r.size,
			progressbar.OptionSetWriter(o.Out),
			progressbar.OptionSetDescription("import"),
			progressbar.OptionShowBytes(true),
			progressbar.OptionClearOnFinish())
	}
	return r
}

// line counts a line and tells why it was refused, or what was left out of it.
func (r *report) line(ln *line) {
	s := &r.sum
	s.Lines++
	switch {
	case ln.err != nil:
		s.Refused++
		r.say(ln, ln.err.Error())
	case ln.done.Already:
		s.Already++
	default:
		s.Loaded++
		switch {
		case !ln.Publish:
		case ln.done.Waits == items.WaitsForReview:
			s.HandedIn++
		case ln.done.Waits == items.WaitsForEmbargo:
			s.Held++
		default:
			s.Published++
		}
		for _, token := range ln.done.Links {
			r.say(ln, "private link "+token)
		}
		if len(ln.done.Warnings) > 0 {
			s.Warned++
		}
		for _, c := range ln.done.Changes {
			r.say(ln, c)
		}
		for _, w := range ln.done.Warnings {
			r.say(ln, "warning: "+w)
		}
	}
	if r.bar != nil {
		_ = r.bar.Set64(ln.End) // its only error is that the terminal is gone
		return
	}
	if t := 10 * ln.End / r.size; t > r.tenths {
		r.tenths = t
		fmt.Fprintf(r.out, "%d %%: %d lines, %d refused\n", 10*t, s.Lines, s.Refused)
	}
}

// say tells something of a line.
func (r *report) say(ln *line, what string) {
	if r.bar != nil {
		_ = r.bar.Clear()
	}
	name := fmt.Sprintf("line %d", ln.Number)
	if ln.Key != "" {
		name += fmt.Sprintf(" (key %q)", ln.Key)
	}
	fmt.Fprintf(r.out, "%s: %s\n", name, what)
}

// finish ends the bar, prints the summary and returns it.
func (r *report) finish() Summary {
	if r.bar != nil {
		_ = r.bar.Exit()
		fmt.Fprintln(r.out)
	}
	s := r.sum
	word := "loaded"
	if r.dry {
		word = "would be loaded"
	}
	fmt.Fprintf(r.out, "%d %s, %d of them published, %d refused", s.Loaded, word, s.Published, s.Refused)
	if s.HandedIn > 0 {
		fmt.Fprintf(r.out, ", %d handed in for review", s.HandedIn)
	}
	if s.Held > 0 {
		fmt.Fprintf(r.out, ", %d held by their embargo", s.Held)
	}
	if s.Already > 0 {
		fmt.Fprintf(r.out, ", %d loaded before", s.Already)
	}
	if s.Warned > 0 {
		fmt.Fprintf(r.out, ", %d with warnings", s.Warned)
	}
	fmt.Fprintln(r.out)
	return s
}

// watched notes the error of a file that is read, to tell it from one of the store.
type watched struct {
	r   *os.File
	err error
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}
