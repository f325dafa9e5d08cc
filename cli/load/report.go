package load

import (
	"fmt"
	"io"

	"github.com/schollz/progressbar/v3"

	"alcove/handlers/items"
)

// report counts what becomes of the lines and shows it while it happens.
type report struct {
	out    io.Writer
	bar    *progressbar.ProgressBar // nil without a terminal
	dry    bool
	size   int64  // of the input in bytes
	tenths int64  // of it that were told
	name   string // of the only line, which alone is told of; "" for lines with numbers
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
	if t := 10 * ln.End / r.size; t > r.tenths && r.name == "" {
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
	if r.name != "" {
		name = r.name
	} else if ln.Key != "" {
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
	r.sum.Print(r.out, r.dry)
	return r.sum
}

// Add counts what another run has loaded.
func (s *Summary) Add(o Summary) {
	for _, n := range []struct{ to, of *int }{
		{&s.Lines, &o.Lines}, {&s.Loaded, &o.Loaded}, {&s.Published, &o.Published}, {&s.HandedIn, &o.HandedIn}, {&s.Held, &o.Held},
		{&s.Already, &o.Already}, {&s.Refused, &o.Refused}, {&s.Warned, &o.Warned},
	} {
		*n.to += *n.of
	}
}

// Print writes the counts as a line.
func (s Summary) Print(out io.Writer, dry bool) {
	word := "loaded"
	if dry {
		word = "would be loaded"
	}
	fmt.Fprintf(out, "%d %s, %d of them published, %d refused", s.Loaded, word, s.Published, s.Refused)
	if s.HandedIn > 0 {
		fmt.Fprintf(out, ", %d handed in for review", s.HandedIn)
	}
	if s.Held > 0 {
		fmt.Fprintf(out, ", %d held by their embargo", s.Held)
	}
	if s.Already > 0 {
		fmt.Fprintf(out, ", %d loaded before", s.Already)
	}
	if s.Warned > 0 {
		fmt.Fprintf(out, ", %d with warnings", s.Warned)
	}
	fmt.Fprintln(out)
}

// watched notes the error of a file that is read, to tell it from one of the store.
type watched struct {
	r   io.Reader
	err error
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}
