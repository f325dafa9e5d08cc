package wire

import (
	"slices"
	"testing"
)

// Whatever a Range says, what is sent lies within the file, no byte twice, and in order unless it
// was asked for in another.
func FuzzRanges(f *testing.F) {
	for _, seed := range []string{"bytes=0-1", "bytes=-5,0-0", "bytes=0-9,5-14,3-", "bytes=5-2", "bytes=99999999999999999999-", "items=0-1", "bytes=,", "bytes=-"} {
		f.Add(seed, int64(1000))
	}
	f.Add("bytes=0-", int64(0))
	f.Fuzz(func(t *testing.T, text string, size int64) {
		size = max(size, 0) % (1 << 50)
		spans, ok := readRanges(text, size)
		if !ok || len(spans) == 0 {
			return
		}
		asked := slices.Clone(spans)
		out, total := joined(spans), int64(0)
		for i, s := range out {
			if s.From < 0 || s.From >= s.To || s.To > size {
				t.Fatalf("%q of %d: %v", text, size, out)
			}
			total += s.Len()
			for _, other := range out[:i] {
				if s.From <= other.To && other.From <= s.To && (s.From < other.To && other.From < s.To || len(out) < len(asked)) {
					t.Fatalf("%q: %v and %v", text, s, other)
				}
			}
		}
		if total > size || len(out) > maxRanges {
			t.Fatalf("%q of %d: %d bytes in %d ranges", text, size, total, len(out))
		}
		for _, a := range asked {
			if !slices.ContainsFunc(out, func(s Span) bool { return s.From <= a.From && a.To <= s.To }) {
				t.Fatalf("%q: %v is not sent", text, a)
			}
		}
	})
}
