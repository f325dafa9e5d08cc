package formats

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"path"
	"strconv"
	"strings"
)

// Part is a file of an attached RO-Crate.
type Part struct {
	Path   string // below the folder of the crate, with / between folders; empty for a file that lies elsewhere
	URL    string // of a file that lies elsewhere
	Name   string
	MIME   string
	SHA256 string // hex
	Size   int64  // bytes
}

// WriteCrate writes the metadata document of an attached RO-Crate 1.2, which stands beside its files. The root has
// their folders and what lies elsewhere as its parts, a folder what is in it. It is written entity by entity: of
// the files only the paths are kept. parts is read twice.
func WriteCrate(w io.Writer, from Item, parts iter.Seq[Part]) error {
	const root = "./"
	it := from.clean()
	g := newCrateGraph(root)
	in := map[string][]string{"": nil} // ids of what is in a folder, by its path
	var folders []string               // as they come, each once
	seen := map[string]bool{}
	elsewhere := []map[string]any{}
	for p := range parts {
		if p.Path == "" {
			if address := web(p.URL); address != "" {
				elsewhere = append(elsewhere, g.add(address, map[string]any{"@type": "File", "name": line(p.Name), "encodingFormat": line(p.MIME)}))
			}
			continue
		}
		in[folderOf(p.Path)] = append(in[folderOf(p.Path)], crateID(p.Path))
		for dir := folderOf(p.Path); dir != ""; dir = folderOf(dir) {
			if seen[dir] {
				break // and those above it
			}
			seen[dir], folders = true, append(folders, dir)
			in[folderOf(dir)] = append(in[folderOf(dir)], crateID(dir)+"/")
		}
	}
	o := g.root(it, root, func() []map[string]any {
		list := []map[string]any{}
		for _, id := range in[""] {
			list = append(list, crateRef(id))
		}
		return append(list, elsewhere...)
	})
	graph := &entityWriter{w: bufio.NewWriterSize(w, 16<<10)}
	graph.put(crateDescriptor(root))
	graph.put(o)
	for _, o := range g.entities {
		graph.put(o)
	}
	for _, dir := range folders {
		list := make([]crateReference, 0, len(in[dir]))
		for _, id := range in[dir] {
			list = append(list, crateReference{id})
		}
		graph.put(map[string]any{"@id": crateID(dir) + "/", "@type": "Dataset", "name": path.Base(dir), "hasPart": list})
	}
	for p := range parts {
		if p.Path != "" {
			graph.put(crateFile{crateID(p.Path), "File", line(p.Name), line(p.MIME), strconv.FormatInt(p.Size, 10), p.SHA256})
		}
	}
	return graph.end()
}

type crateReference struct {
	ID string `json:"@id"`
}

// crateFile is the entity of a file: there may be 100,000, and a map would take twice the time.
type crateFile struct {
	ID          string `json:"@id"`
	Type        string `json:"@type"`
	Name        string `json:"name,omitempty"`
	MIME        string `json:"encodingFormat,omitempty"`
	ContentSize string `json:"contentSize"`
	SHA256      string `json:"sha256"`
}

// entityWriter writes the entities of a crate one by one, until the first error.
type entityWriter struct {
	w   *bufio.Writer
	n   int
	err error
}

func (e *entityWriter) put(o any) {
	if e.err != nil {
		return
	}
	before := ",\n    "
	if e.n == 0 {
		before = fmt.Sprintf("{\n  \"@context\": %q,\n  \"@graph\": [\n    ", roCrate+"/1.2/context")
	}
	e.n++
	text, err := json.MarshalIndent(o, "    ", "  ")
	if err == nil {
		e.w.WriteString(before)
		_, err = e.w.Write(text)
	}
	e.err = err
}

func (e *entityWriter) end() error {
	if e.err == nil {
		e.w.WriteString("\n  ]\n}\n")
		e.err = e.w.Flush()
	}
	return e.err
}

// folderOf is the folder of a path, empty for that of the crate.
func folderOf(p string) string { return p[:max(strings.LastIndexByte(p, '/'), 0)] }

// crateID is a path as a URI reference (RFC 3986, 3.3): characters beyond ASCII stay as they are, as RO-Crate
// prefers it.
func crateID(p string) string {
	var b strings.Builder
	for _, c := range []byte(p) {
		if c <= ' ' || c == 0x7f || strings.IndexByte("\"#%<>?[\\]^`{|}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
