package library

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"image"
	_ "image/jpeg" // read the heads of pictures
	_ "image/png"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"alcove/site/preview"
)

const (
	notebookBytes = 16 << 20   // of a file, most of which are pictures
	notebookCells = 200        // that are shown
	notebookText  = 200 << 10  // bytes of all of them
	cellLines     = 500        // of code, or of a result
	pictureBytes  = 500 << 10  // of all pictures, in base64
	picturePixels = 25_000_000 // of one
)

// lined is a text of a notebook: a string, or a list of its lines.
type lined string

func (l *lined) UnmarshalJSON(b []byte) error {
	var lines []string
	if json.Unmarshal(b, &lines) == nil {
		*l = lined(strings.Join(lines, ""))
		return nil
	}
	var text string
	_ = json.Unmarshal(b, &text) // a result that is neither is not shown
	*l = lined(text)
	return nil
}

// cells are the cells of a notebook as its file has them (nbformat 4; 3 has them in worksheets).
type cells []struct {
	Type    string `json:"cell_type"`
	Source  lined
	Input   lined // in nbformat 3
	Outputs []struct {
		Text      lined
		Data      map[string]lined
		Name      string `json:"ename"`
		Value     string `json:"evalue"`
		Traceback []string
	}
}

// notebook shows the cells of a Jupyter notebook. Of what came out of a cell, HTML is sanitised, and
// scripts and widgets are not shown.
func notebook(f preview.File) (*preview.Preview, error) {
	b, cut, err := preview.Head(f, notebookBytes)
	if err != nil {
		return nil, err
	}
	var read struct {
		Cells      cells
		Worksheets []struct{ Cells cells }
		Metadata   struct {
			Kernel   struct{ Language string } `json:"kernelspec"`
			Language struct{ Name string }     `json:"language_info"`
		}
	}
	if cut || json.Unmarshal(b, &read) != nil {
		return nil, preview.ErrBroken
	}
	for _, w := range read.Worksheets {
		read.Cells = append(read.Cells, w.Cells...)
	}
	if len(read.Cells) == 0 {
		return nil, preview.ErrBroken
	}
	n := &pages{language: read.Metadata.Language.Name, text: notebookText, pictures: pictureBytes}
	if n.language == "" {
		n.language = read.Metadata.Kernel.Language
	}
	p := &preview.Preview{}
	for _, c := range read.Cells {
		if len(p.Cells) == notebookCells || n.text <= 0 {
			p.Cut = true
			break
		}
		var shown preview.Cell
		switch c.Type {
		case "markdown", "heading":
			shown.HTML = n.prose(c.Source)
		case "code":
			shown.Code = n.code(c.Source+c.Input, n.language)
		default:
			shown.Code = n.code(c.Source, "")
		}
		for _, o := range c.Outputs {
			if len(o.Traceback) > 0 || o.Name != "" {
				shown.Outputs = append(shown.Outputs, preview.Output{Text: n.plain(o.Name + ": " + o.Value)})
				continue
			}
			if o.Text != "" {
				o.Data = map[string]lined{"text/plain": o.Text}
			}
			shown.Outputs = append(shown.Outputs, n.output(o.Data))
		}
		p.Cells = append(p.Cells, shown)
	}
	p.Cut = p.Cut || n.cut
	return p, nil
}

// pages is how much of a notebook may still be shown.
type pages struct {
	language       string
	text, pictures int
	cut            bool
}

// output is a result in the best form that is shown.
func (n *pages) output(data map[string]lined) preview.Output {
	for _, kind := range []string{"image/png", "image/jpeg"} {
		if address := n.picture(kind, string(data[kind])); address != "" {
			return preview.Output{Picture: address}
		}
	}
	if data["text/html"] != "" {
		if page := n.html(cutText([]byte(data["text/html"]), n.text)); page != "" {
			return preview.Output{HTML: page}
		}
	}
	if data["text/markdown"] != "" {
		return preview.Output{HTML: n.prose(data["text/markdown"])}
	}
	if data["text/plain"] != "" && data["image/png"] == "" && data["image/jpeg"] == "" {
		return preview.Output{Text: n.plain(string(data["text/plain"]))}
	}
	return preview.Output{Hidden: true}
}

// html is what may be shown of HTML. Its tags are closed before that, so that it ends where it should.
func (n *pages) html(source []byte) template.HTML {
	nodes, err := html.ParseFragment(bytes.NewReader(source), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		return ""
	}
	var whole bytes.Buffer
	for _, node := range nodes {
		if err := html.Render(&whole, node); err != nil {
			return ""
		}
	}
	page := bytes.TrimSpace(sanitised.SanitizeBytes(whole.Bytes()))
	n.text -= len(page)
	return template.HTML(page)
}

// prose is text in Markdown, below the headings of the page.
func (n *pages) prose(source lined) template.HTML {
	page, err := proseOf(cutText([]byte(source), n.text), 1)
	if err != nil {
		return ""
	}
	n.text -= len(page)
	return page
}

// picture is the address of a picture as data, "" where there is none that can be shown.
func (n *pages) picture(kind, encoded string) template.URL {
	encoded = strings.NewReplacer("\n", "", "\r", "").Replace(encoded)
	if encoded == "" || len(encoded) > n.pictures {
		return ""
	}
	b, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return ""
	}
	head, format, err := image.DecodeConfig(bytes.NewReader(b))
	if err != nil || "image/"+format != kind || head.Width > picturePixels || head.Height > picturePixels || head.Width*head.Height > picturePixels {
		return ""
	}
	n.pictures -= len(encoded)
	return template.URL("data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(b))
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]") // that set colours in a terminal

// lines are the lines of a text.
func (n *pages) lines(text string) (lines []string) {
	for line := range strings.Lines(escapes.ReplaceAllString(string(cutText([]byte(text), n.text)), "")) {
		if len(lines) == cellLines {
			n.cut = true
			break
		}
		line = preview.Clean(strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    "), 1000)
		n.text -= len(line) + 1
		lines = append(lines, line)
	}
	return lines
}

func (n *pages) plain(text string) string { return strings.Join(n.lines(text), "\n") }

func (n *pages) code(source lined, language string) (spans [][]preview.Span) {
	lines := n.lines(string(source))
	if language != "" {
		spans = coloured(language, lines)
	}
	if spans == nil {
		for _, line := range lines {
			spans = append(spans, []preview.Span{{Text: line}})
		}
	}
	for _, line := range spans {
		n.text -= 30 * len(line)
	}
	return spans
}

// cutText is the beginning of a text.
func cutText(b []byte, most int) []byte { return b[:min(len(b), max(most, 0))] }
