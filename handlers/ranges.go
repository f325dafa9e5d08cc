package handlers

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"alcove/record"
)

// Ranges of downloads (RFC 9110, 14). One range that can be met is sent alone, several as
// multipart/byteranges. Ranges that overlap or touch are sent as one: nobody gets more bytes
// than there are.

// span is a range of bytes from one offset to before another.
type span struct{ from, to int64 }

func (s span) len() int64 { return s.to - s.from }

// of is the span as a Content-Range has it.
func (s span) of(size int64) string {
	var buf [70]byte
	b := strconv.AppendInt(append(buf[:0], "bytes "...), s.from, 10)
	b = strconv.AppendInt(append(b, '-'), s.to-1, 10)
	return string(strconv.AppendInt(append(b, '/'), size, 10))
}

var errRange = &record.Error{Class: record.RangeUnmet, Code: "RangeNotSatisfiable", Message: "The file has no bytes in this range"}

// maxRanges is how many ranges one request may ask for. Who asks for more gets the whole file
// (14.2: many small ranges are the sign of a broken client or an attack).
const maxRanges = 64

// spans reads Range and If-Range (RFC 9110, 14.2 and 13.1.5): what to send, and the status. An
// unknown unit, a malformed range, too many and a HEAD get the whole file. A range that ends
// before it begins is rejected like one behind the end (15.5.17).
func (c *Call) spans(d *Download, tag string) ([]span, int) {
	text := c.Header["Range"]
	if c.Method != http.MethodGet || len(text) != 1 || !c.ifRange(d, tag) {
		return d.whole(), http.StatusOK
	}
	spans, ok := readRanges(text[0], d.Size)
	switch {
	case !ok:
		return d.whole(), http.StatusOK
	case len(spans) == 0:
		return nil, http.StatusRequestedRangeNotSatisfiable
	}
	return joined(spans), http.StatusPartialContent
}

func (d *Download) whole() []span { return []span{{0, d.Size}} }

// readRanges reads a Range of so many bytes. It gives the ranges that can be met, in their
// order, and false when the whole must be sent.
func readRanges(text string, size int64) (spans []span, ok bool) {
	unit, list, ok := strings.Cut(text, "=")
	if !ok || !strings.EqualFold(strings.TrimSpace(unit), "bytes") || strings.Count(list, ",") >= 2*maxRanges {
		return nil, false
	}
	read := 0
	for spec := range strings.SplitSeq(list, ",") {
		spec = strings.Trim(spec, " \t")
		if spec == "" {
			continue // empty elements of a list are passed over (5.6.1.2)
		}
		first, last, ok := strings.Cut(spec, "-")
		if read++; !ok || read > maxRanges || !digits(first) || !digits(last) || first == "" && last == "" {
			return nil, false
		}
		if s := readRange(first, last, size); s.from < s.to {
			spans = append(spans, s)
		}
	}
	return spans, read > 0
}

// readRange is one range as it can be met, empty when it cannot.
func readRange(first, last string, size int64) span {
	if first == "" { // the last bytes
		return span{size - min(clamped(last), size), size}
	}
	s := span{clamped(first), size}
	if last != "" {
		s.to = min(clamped(last), size-1) + 1
	}
	return s
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// clamped is a number of digits, or the largest there is when it does not fit.
func clamped(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 1<<62 - 1
	}
	return min(n, 1<<62-1)
}

// joined makes one of ranges that overlap or touch, and then puts them in the order of the
// bytes (15.3.7.2); otherwise they stay as they are.
func joined(spans []span) []span {
	if len(spans) == 1 {
		return spans
	}
	sorted := slices.Clone(spans)
	slices.SortFunc(sorted, func(a, b span) int {
		if a.from != b.from {
			return int(min(max(a.from-b.from, -1), 1))
		}
		return int(min(max(a.to-b.to, -1), 1))
	})
	out := sorted[:1]
	for _, s := range sorted[1:] {
		if last := &out[len(out)-1]; s.from <= last.to {
			last.to = max(last.to, s.to)
		} else {
			out = append(out, s)
		}
	}
	if len(out) == len(spans) {
		return spans
	}
	return out
}

// ifRange reports whether a range is wanted of the file as it is now.
func (c *Call) ifRange(d *Download, tag string) bool {
	lines := c.Header["If-Range"]
	if len(lines) != 1 {
		return len(lines) == 0
	}
	text := lines[0]
	switch {
	case strings.HasPrefix(text, `"`):
		return text == tag
	case strings.HasPrefix(text, "W/"):
		return false
	}
	t, err := http.ParseTime(text)
	return err == nil && visible(d.Modified, time.Now()).Equal(t)
}

// multipart is the frame around several ranges (15.3.7.2 and 14.6).
type multipart struct {
	boundary string
	heads    []string // what comes before each range
	spans    []span
}

func newMultipart(kind string, spans []span, size int64) *multipart {
	m := &multipart{boundary: rand.Text(), spans: spans} // 130 bits: not among the bytes
	for i, s := range spans {
		line := "\r\n"
		if i == 0 {
			line = ""
		}
		m.heads = append(m.heads, fmt.Sprintf("%s--%s\r\nContent-Type: %s\r\nContent-Range: %s\r\n\r\n", line, m.boundary, kind, s.of(size)))
	}
	return m
}

func (m *multipart) contentType() string { return "multipart/byteranges; boundary=" + m.boundary }

// end is what comes behind the last range.
func (m *multipart) end() string { return "\r\n--" + m.boundary + "--\r\n" }

// size is how many bytes all of it has.
func (m *multipart) size() int64 {
	n := int64(len(m.end()))
	for i, s := range m.spans {
		n += int64(len(m.heads[i])) + s.len()
	}
	return n
}
