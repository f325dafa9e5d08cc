package preview

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Node is a value in a tree.
type Node struct {
	Name, Text string
	Nodes      []*Node
	Open       bool // shown at once
	Cut        bool // it has more than is shown
}

const (
	treeNodes = 2000
	treeDepth = 32
	treeText  = 200 // characters of a value
)

// grower adds nodes until there are enough.
type grower struct {
	path  []*Node
	count int
	cut   bool
}

func (g *grower) last() *Node { return g.path[len(g.path)-1] }

// add puts a node below the last one, and reports whether it is shown.
func (g *grower) add(n *Node) bool {
	if g.count++; g.count > treeNodes || len(g.path) > treeDepth {
		g.cut, g.last().Cut = true, true
		return false
	}
	g.last().Nodes = append(g.last().Nodes, n)
	n.Open = len(g.path) < 3
	return true
}

// jsonTree reads a whole JSON value; one that is too long is shown as text.
func jsonTree(f File) (*Preview, error) {
	b, cut, err := head(f, headBytes)
	if err != nil {
		return nil, err
	}
	if cut {
		return text(f)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	root := &Node{Open: true}
	g := &grower{path: []*Node{root}}
	if err := g.value(d, "", 0); err != nil {
		return nil, ErrBroken
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, ErrBroken
	}
	return &Preview{Tree: root.Nodes[0], Cut: g.cut}, nil
}

// value reads a value into a node. What lies deeper than is shown is read over.
func (g *grower) value(d *json.Decoder, name string, depth int) error {
	if depth > 1000 {
		return ErrBroken
	}
	token, err := d.Token()
	if err != nil {
		return err
	}
	n := &Node{Name: clean(name, treeText)}
	opening, nested := token.(json.Delim)
	if !nested {
		n.Text = clean(scalar(token), treeText)
		g.add(n)
		return nil
	}
	if g.add(n) {
		g.path = append(g.path, n)
		defer func() { g.path = g.path[:len(g.path)-1] }()
	}
	members := 0
	for d.More() {
		name := fmt.Sprint(members)
		if opening == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			name = key.(string)
		}
		if err := g.value(d, name, depth+1); err != nil {
			return err
		}
		members++
	}
	_, err = d.Token()
	n.Text = map[json.Delim]string{'{': fmt.Sprintf("{%d}", members), '[': fmt.Sprintf("[%d]", members)}[opening]
	return err
}

func scalar(token json.Token) string {
	switch v := token.(type) {
	case nil:
		return "null"
	case string:
		return `"` + v + `"`
	}
	return fmt.Sprint(token)
}

// xmlTree reads the elements of a document; one that is too long is shown as text. No entity is
// expanded and nothing outside is read.
func xmlTree(f File) (*Preview, error) {
	b, cut, err := head(f, headBytes)
	if err != nil {
		return nil, err
	}
	if cut {
		return text(f)
	}
	d := xml.NewDecoder(bytes.NewReader(b))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	root := &Node{Open: true}
	g := &grower{path: []*Node{root}}
	var shown []bool // of the elements that are open
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || len(shown) > 1000 {
			return nil, ErrBroken
		}
		switch t := token.(type) {
		case xml.StartElement:
			n := &Node{Name: clean(t.Name.Local, treeText)}
			for _, a := range t.Attr[:min(len(t.Attr), 20)] {
				n.Text += " " + clean(a.Name.Local, 50) + `="` + clean(a.Value, 100) + `"`
			}
			n.Text = strings.TrimSpace(n.Text)
			shown = append(shown, g.add(n))
			if shown[len(shown)-1] {
				g.path = append(g.path, n)
			}
		case xml.EndElement:
			if shown[len(shown)-1] {
				g.path = g.path[:len(g.path)-1]
			}
			shown = shown[:len(shown)-1]
		case xml.CharData:
			if said := strings.Join(strings.Fields(string(t)), " "); said != "" && len(shown) > 0 && shown[len(shown)-1] {
				g.add(&Node{Text: clean(said, treeText)})
			}
		}
	}
	if len(root.Nodes) != 1 {
		return nil, ErrBroken
	}
	return &Preview{Tree: root.Nodes[0], Cut: g.cut}, nil
}
