package uploads

const (
	// PartSize is the length of every part but the last, in bytes. Clients compute the number of
	// parts from the end of part 1, so it never varies within an upload.
	PartSize = 10 << 20

	// MaxSize is the largest size that can be planned, 4 TiB: the list of its parts is about 40 MB
	// of JSON. The caller refuses larger ones.
	MaxSize = 1 << 42
)

// Layout divides an upload into parts. It is computed from the size alone, never stored, and takes no
// memory per part. The zero Layout has no parts, and neither has that of a size of zero or less.
type Layout struct {
	size, part int64
}

// Part is one piece of a Layout.
type Part struct {
	No         int   // from 1
	Start, End int64 // offsets from zero of the first and the last byte: End is inclusive
}

// NewLayout divides size bytes.
func NewLayout(size int64) Layout { return Layout{size: max(size, 0), part: PartSize} }

// Size returns the number of bytes of the whole upload.
func (p Layout) Size() int64 { return p.size }

// Count returns the number of parts.
func (p Layout) Count() int {
	if p.size == 0 {
		return 0
	}
	return int((p.size-1)/p.part) + 1
}

// Part returns part n, counted from 1; ok is false when the plan has no such part.
func (p Layout) Part(n int) (part Part, ok bool) {
	if n < 1 || n > p.Count() {
		return Part{}, false
	}
	start := int64(n-1) * p.part
	return Part{No: n, Start: start, End: min(start+p.part, p.size) - 1}, true
}

// Len returns the number of bytes of the part.
func (p Part) Len() int64 { return p.End - p.Start + 1 }
