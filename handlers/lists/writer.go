package lists

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"

	"alcove/bucket"
)

// Writer puts the JSON of a list together: each document is copied once, out of the store into the
// buffer that the answer is sent from. Its sum is made of the sums that the store has of
// the documents, which says the same as one of all the bytes and costs less.
type Writer struct {
	text []byte
	sums []byte // of everything that the text is made of
	n    int
	none string // stands for no project
}

// NewWriter begins a list in a buffer, for about so many documents. Where none is not empty, it
// stands for no project instead of null.
func NewWriter(buffer []byte, n int, none string) *Writer {
	if none == "" {
		none = "null"
	}
	return &Writer{text: append(buffer[:0], '['), sums: make([]byte, 0, min(n, 100)*len(bucket.Sum{})), none: none}
}

// Add adds a document.
func (w *Writer) Add(doc bucket.Doc) {
	w.separate()
	w.text = append(w.text, doc.List...)
	w.sums = append(w.sums, doc.ListSum[:]...)
}

// addOfProject adds an article with its project before its other fields.
func (w *Writer) addOfProject(doc bucket.Doc, project int64) {
	w.separate()
	w.text = append(w.text, `{"project_id": `...)
	if project == 0 {
		w.text = append(w.text, w.none...)
	} else {
		w.text = strconv.AppendInt(w.text, project, 10)
	}
	w.text = append(append(w.text, ", "...), doc.List[1:]...)
	w.sums = binary.BigEndian.AppendUint64(append(w.sums, doc.ListSum[:]...), uint64(project))
}

func (w *Writer) separate() {
	if w.n++; w.n > 1 {
		w.text = append(w.text, ", "...)
	}
}

// Len is how many documents there are.
func (w *Writer) Len() int { return w.n }

// End closes the list.
func (w *Writer) End() (text []byte, sum bucket.Sum) {
	w.text = append(w.text, ']')
	all := sha256.Sum256(w.sums)
	return w.text, bucket.Sum(all[:])
}
