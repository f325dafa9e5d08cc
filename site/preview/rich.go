package preview

import (
	"encoding/json"
	"html/template"
)

// What libraries make of a file (package library). It comes from a child process as JSON.

// Span is a piece of a line of code.
type Span struct {
	Class string // one of "k", "s", "c", "n" and "f", for keyword, string, comment, number and name; "" for none
	Text  string
}

// MarshalJSON is a list of both, because there are many.
func (s Span) MarshalJSON() ([]byte, error) { return json.Marshal([2]string{s.Class, s.Text}) }

// UnmarshalJSON reads what MarshalJSON has written.
func (s *Span) UnmarshalJSON(b []byte) error {
	var both [2]string
	err := json.Unmarshal(b, &both)
	s.Class, s.Text = both[0], both[1]
	return err
}

// Cell is a cell of a notebook: of text, or of code with what came out of it.
type Cell struct {
	HTML    template.HTML // sanitised
	Code    [][]Span      // by line
	Outputs []Output
}

// Output is one result of a cell. One of its parts is there.
type Output struct {
	HTML    template.HTML // sanitised
	Text    string
	Picture template.URL // as data
	Hidden  bool         // it is of a kind that is not shown
}

// Plain is a file as text, with numbers of lines.
func Plain(f File) (*Preview, error) { return text(f) }

// Clean is text for people: what is no character or has no shape is a replacement character, and what
// is longer than some characters is cut.
func Clean(text string, most int) string { return clean(text, most) }

// Head is at most some bytes of the beginning of a file, and whether that is not all.
func Head(f File, most int64) (b []byte, cut bool, err error) { return head(f, most) }
