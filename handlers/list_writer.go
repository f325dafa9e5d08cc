package handlers

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"

	"alcove/bucket"
)

// listWriter is the JSON list of a page while it is put together: each document is copied once,
// out of the store into the room that the answer is sent from. Its tag is made from the
// sums that the store keeps of the documents, which says the same as one of all the bytes
// and costs less.
type listWriter struct {
	text []byte
	sums []byte // of everything that the text is made of
	n    int
	none string // what stands for no project
}

// newListWriter begins a sheet in a room, for about so many documents.
func newListWriter(buffer []byte, n int) *listWriter {
	return &listWriter{text: append(buffer[:0], '['), sums: make([]byte, 0, min(n, 100)*len(bucket.Sum{})), none: "null"}
}

// listWriter is what the answer to a question is put on.
func (q *listQuery) listWriter() *listWriter {
	s := newListWriter(getBuffer(), q.take)
	if q.call.API.Settings.Figshare {
		s.none = "0"
	}
	return s
}

// clear takes everything off again.
func (s *listWriter) clear() { *s = listWriter{text: s.text[:1], sums: s.sums[:0], none: s.none} }

func (s *listWriter) add(doc bucket.Doc) {
	s.separate()
	s.text = append(s.text, doc.List...)
	s.sums = append(s.sums, doc.ListSum[:]...)
}

// addOfProject adds an article with its project before its other fields (api-facts 3.2).
func (s *listWriter) addOfProject(doc bucket.Doc, project int64) {
	s.separate()
	s.text = append(s.text, `{"project_id": `...)
	if project == 0 {
		s.text = append(s.text, s.none...)
	} else {
		s.text = strconv.AppendInt(s.text, project, 10)
	}
	s.text = append(append(s.text, ", "...), doc.List[1:]...)
	s.sums = binary.BigEndian.AppendUint64(append(s.sums, doc.ListSum[:]...), uint64(project))
}

func (s *listWriter) separate() {
	if s.n++; s.n > 1 {
		s.text = append(s.text, ", "...)
	}
}

// end closes the list.
func (s *listWriter) end() (text []byte, tag string) {
	s.text = append(s.text, ']')
	sum := sha256.Sum256(s.sums)
	return s.text, tagOf(bucket.Sum(sum[:]))
}
