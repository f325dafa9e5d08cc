// Package wire is the machinery of HTTP that net/http does not have: ranges, paces, names, rates, counts of requests.
// It knows nothing of records.
package wire

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Ranges of downloads (RFC 9110, 14). One range that can be met is sent alone, several as
// multipart/byteranges. Ranges that overlap or touch are sent as one: no answer has more bytes
// than there are.

// Span is a range of bytes from one offset to before another.
type Span struct{ From, To int64 }

// Len is how many bytes it has.
func (s Span) Len() int64 { return s.To - s.From }

// Of is the span as a Content-Range has it.
func (s Span) Of(size int64) string {
	var buf [70]byte
	b := strconv.AppendInt(append(buf[:0], "bytes "...), s.From, 10)
	b = strconv.AppendInt(append(b, '-'), s.To-1, 10)
	return string(strconv.AppendInt(append(b, '/'), size, 10))
}

// maxRanges is how many ranges one request may ask for. More than that get the whole file
// (14.2: many small ranges are the sign of a broken client or an attack).
const maxRanges = 64

// Spans reads Range and If-Range of a request for so many bytes with an entity tag (RFC 9110, 14.2 and
// 13.1.5): which to send, and the status. same reports whether a date of If-Range is that of the
// file. An unknown unit, a malformed range, too many and a HEAD get the whole file. A range that
// ends before it begins is rejected like one behind the end (15.5.17).
func Spans(method string, h http.Header, size int64, tag string, same func(time.Time) bool) ([]Span, int) {
	text := h["Range"]
	if method != http.MethodGet || len(text) != 1 || !ifRange(h, tag, same) {
		return []Span{{0, size}}, http.StatusOK
	}
	spans, ok := readRanges(text[0], size)
	switch {
	case !ok:
		return []Span{{0, size}}, http.StatusOK
	case len(spans) == 0:
		return nil, http.StatusRequestedRangeNotSatisfiable
	}
	return joined(spans), http.StatusPartialContent
}

// readRanges reads a Range of so many bytes. It gives the ranges that can be met, in their
// order, and false when the whole must be sent.
func readRanges(text string, size int64) (spans []Span, ok bool) {
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
		if s := readRange(first, last, size); s.From < s.To {
			spans = append(spans, s)
		}
	}
	return spans, read > 0
}

// readRange is one range as it can be met, empty when it cannot.
func readRange(first, last string, size int64) Span {
	if first == "" { // the last bytes
		return Span{size - min(clamped(last), size), size}
	}
	s := Span{clamped(first), size}
	if last != "" {
		s.To = min(clamped(last), size-1) + 1
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
func joined(spans []Span) []Span {
	if len(spans) == 1 {
		return spans
	}
	sorted := slices.Clone(spans)
	slices.SortFunc(sorted, func(a, b Span) int {
		if a.From != b.From {
			return int(min(max(a.From-b.From, -1), 1))
		}
		return int(min(max(a.To-b.To, -1), 1))
	})
	out := sorted[:1]
	for _, s := range sorted[1:] {
		if last := &out[len(out)-1]; s.From <= last.To {
			last.To = max(last.To, s.To)
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
func ifRange(h http.Header, tag string, same func(time.Time) bool) bool {
	lines := h["If-Range"]
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
	return err == nil && same(t)
}

// Multipart is the frame around several ranges (15.3.7.2 and 14.6).
type Multipart struct {
	boundary string
	Heads    []string // the text before each range
	spans    []Span
}

// NewMultipart is the frame of ranges of a file of a type and size.
func NewMultipart(kind string, spans []Span, size int64) *Multipart {
	m := &Multipart{boundary: rand.Text(), spans: spans} // 130 bits: not among the bytes
	for i, s := range spans {
		line := "\r\n"
		if i == 0 {
			line = ""
		}
		m.Heads = append(m.Heads, fmt.Sprintf("%s--%s\r\nContent-Type: %s\r\nContent-Range: %s\r\n\r\n", line, m.boundary, kind, s.Of(size)))
	}
	return m
}

// ContentType is the type of all of it.
func (m *Multipart) ContentType() string { return "multipart/byteranges; boundary=" + m.boundary }

// End is the text behind the last range.
func (m *Multipart) End() string { return "\r\n--" + m.boundary + "--\r\n" }

// Size is how many bytes all of it has.
func (m *Multipart) Size() int64 {
	n := int64(len(m.End()))
	for i, s := range m.spans {
		n += int64(len(m.Heads[i])) + s.Len()
	}
	return n
}
