package lists

import (
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"strconv"

	"alcove/bucket"
)

// Page yields what a window shows of a list. It asks the list for nothing behind that.
func Page[T any](w Window, list iter.Seq[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		at := 0
		for item := range list {
			if at++; at > w.Skip && !yield(item) || at == w.Skip+w.Take {
				return
			}
		}
	}
}

// PageOf is Page of a list that can fail: it ends with the first error, wherever that is.
func PageOf[T any](w Window, list iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		at := 0
		for item, err := range list {
			if err != nil {
				yield(item, err)
				return
			}
			if at++; at > w.Skip && !yield(item, nil) || at == w.Skip+w.Take {
				return
			}
		}
	}
}

// Load yields what get reads of each of some entries, until there is an error.
func Load[E, T any](entries iter.Seq[E], get func(E) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for e := range entries {
			if item, err := get(e); !yield(item, err) || err != nil {
				return
			}
		}
	}
}

// Show is a list of how items are shown, empty rather than nil.
func Show[T, S any](page iter.Seq2[T, error], show func(T) S) ([]S, error) {
	list := []S{}
	for item, err := range page {
		if err != nil {
			return nil, err
		}
		list = append(list, show(item))
	}
	return list, nil
}

// Keep yields what passes.
func Keep[T any](list iter.Seq2[T, error], passes func(T) bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for item, err := range list {
			if (err != nil || passes(item)) && !yield(item, err) {
				return
			}
		}
	}
}

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
