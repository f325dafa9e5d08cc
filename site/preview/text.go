package preview

import (
	"bytes"
	"strings"
)

// Text is the beginning of a text.
type Text struct {
	Lines []string
	Spans [][]Span // of each line, nil where it has no colours
}

const (
	textLines = 1000 // of a text
	textWidth = 500  // characters of a line
	textBytes = 100 << 10
)

func text(f File) (*Preview, error) {
	b, cut, err := lines(f)
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(b[:min(len(b), 8000)], 0) >= 0 {
		return nil, ErrBroken // of no text
	}
	p := &Preview{Text: &Text{}, Cut: cut}
	size := 0
	for line := range strings.Lines(string(b)) {
		if len(p.Text.Lines) == textLines || size > textBytes {
			p.Cut = true
			break
		}
		line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
		shown := clean(line, textWidth)
		size += len(shown)
		p.Text.Lines = append(p.Text.Lines, shown)
	}
	return p, nil
}
