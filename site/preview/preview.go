// Package preview reads the beginning of a file, or the list of what is in an archive, for a page that
// shows it. It reads a bounded number of bytes and makes a bounded amount of text, whatever the file
// holds, and nothing of a file is run or fetched. Formats that only a library with unbounded faults
// reads are not among them; package library has these.
//
//	text.go     text and code, and sequences, with line numbers
//	table.go    comma- or tab-separated values, with a summary of each column
//	tree.go     JSON and XML
//	geojson.go  GeoJSON as a map, too
//	glance.go   a few rows or lines, for the page of an item
//	members.go  ZIP and TAR
//	extract.go  a single member of these
//	header.go   FITS and classic NetCDF
//	rich.go     what libraries make of others
package preview

import (
	"bytes"
	"errors"
	"html/template"
	"io"
	"path"
	"strings"
	"unicode/utf8"
)

// File is what is previewed.
type File struct {
	io.ReaderAt
	Name, MIME string
	Size       int64 // bytes
}

// Preview is what a page shows of a file. One of its parts is there.
type Preview struct {
	Text    *Text
	Table   *Table
	Tree    *Node
	Map     *Map // beside the tree, nil for none
	Members []Member
	Fields  []Field
	HTML    template.HTML // of a text that has marks, sanitised
	Cells   []Cell
	Rows    int    // that a file in Parquet has in all
	Media   string // "picture", "audio", "video" or "document": the browser shows the file itself
	Cut     bool   // it is a part of the file
}

// ErrNone says that there is no preview of files of this kind, and ErrBroken that the file is not of
// the kind that it seems to be.
var (
	ErrNone   = errors.New("there is no preview of this kind of file")
	ErrBroken = errors.New("the file cannot be read as what it seems to be")
)

// headBytes is how much of a file is read, but for archives.
const headBytes = 512 << 10

// family reads files of a kind.
type family func(File) (*Preview, error)

var families = map[string]family{
	".csv": table(','), ".tsv": table('\t'), ".tab": table('\t'),
	".json": jsonTree, ".geojson": geoJSON, ".jsonld": jsonTree, ".ipynb": jsonTree,
	".xml": xmlTree, ".kml": xmlTree, ".gml": xmlTree, ".gpx": xmlTree,
	".zip": zipMembers, ".jar": zipMembers, ".tar": tarMembers, ".tgz": tarMembers, ".gz": tarMembers,
	".fits": fitsHeader, ".fit": fitsHeader, ".nc": netCDFHeader, ".cdf": netCDFHeader, ".nc4": netCDFHeader, ".h5": hdf5, ".hdf5": hdf5, ".he5": hdf5,
	".mp3": media("audio"), ".wav": media("audio"), ".ogg": media("audio"), ".flac": media("audio"), ".m4a": media("audio"),
	".mp4": media("video"), ".webm": media("video"),
	".pdf": document,
	".png": media("picture"), ".jpg": media("picture"), ".jpeg": media("picture"), ".gif": media("picture"), ".webp": media("picture"),
}

// opaque are names of files that are no text, and of which there is no preview.
var opaque = map[string]bool{
	".xlsx": true, ".docx": true, ".pptx": true, ".parquet": true, ".mat": true, ".rds": true, ".rdata": true,
	".bz2": true, ".xz": true, ".7z": true, ".zst": true, ".exe": true, ".dll": true, ".so": true, ".class": true, ".pyc": true, ".tif": true, ".tiff": true, ".bam": true,
}

// Possible reports whether there may be a preview of a file, by its name alone.
func Possible(name, mime string, size int64) bool {
	extension := strings.ToLower(path.Ext(name))
	if size == 0 || opaque[extension] || extension == ".gz" && !strings.HasSuffix(strings.ToLower(name), ".tar.gz") {
		return false
	}
	return families[extension] != nil || textual(name, mime)
}

// textual reports whether a file is text, by its name or its type.
func textual(name, mime string) bool {
	extension := strings.ToLower(path.Ext(name))
	if strings.HasPrefix(mime, "text/") || strings.HasSuffix(mime, "+xml") || strings.HasSuffix(mime, "+json") {
		return true
	}
	switch extension {
	case ".txt", ".md", ".rst", ".tex", ".bib", ".log", ".ini", ".cfg", ".conf", ".toml", ".yaml", ".yml", ".sh", ".bash", ".bat", ".ps1", ".py", ".r", ".rmd", ".jl", ".m", ".c", ".h",
		".cc", ".cpp", ".hpp", ".f", ".f90", ".for", ".go", ".rs", ".java", ".kt", ".scala", ".js", ".mjs", ".ts", ".css", ".html", ".htm", ".svg", ".sql", ".pl", ".rb", ".php", ".lua", ".do", ".sas",
		".fasta", ".fa", ".fna", ".faa", ".fastq", ".fq", ".vcf", ".gff", ".gtf", ".bed", ".sam", ".pdb", ".cif", ".nex", ".nwk", ".tree", ".obj", ".asc", ".dat", ".out", ".srt", ".vtt", ".cff":
		return true
	}
	switch strings.ToLower(path.Base(name)) {
	case "readme", "license", "licence", "makefile", "dockerfile", "changelog", "authors", "notice":
		return true
	}
	return false
}

// Of is the preview of a file. It is ErrNone or ErrBroken where there is none, and the error of reading
// where the file cannot be read.
func Of(f File) (*Preview, error) {
	if !Possible(f.Name, f.MIME, f.Size) {
		return nil, ErrNone
	}
	read := families[strings.ToLower(path.Ext(f.Name))]
	if read == nil {
		return text(f)
	}
	p, err := read(f)
	if errors.Is(err, ErrBroken) && textual(f.Name, f.MIME) {
		return text(f) // a table or tree by name alone
	}
	return p, err
}

func media(kind string) family {
	return func(File) (*Preview, error) { return &Preview{Media: kind}, nil }
}

// document is a PDF, by what was found in it, and not by its name.
func document(f File) (*Preview, error) {
	if f.MIME != "application/pdf" {
		return nil, ErrBroken
	}
	return &Preview{Media: "document"}, nil
}

// head is the beginning of a file, and whether that is not all.
func head(f File, most int64) (b []byte, cut bool, err error) {
	b = make([]byte, min(most, f.Size))
	n, err := f.ReadAt(b, 0)
	if errors.Is(err, io.EOF) && int64(n) == min(most, f.Size) {
		err = nil
	}
	return b[:n], f.Size > most, err
}

// lines is a head without its last, broken line, and without a byte order mark.
func lines(f File) (b []byte, cut bool, err error) {
	b, cut, err = head(f, headBytes)
	if end := bytes.LastIndexByte(b, '\n'); cut && end > 0 {
		b = b[:end+1]
	}
	return bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), cut, err
}

// clean is text for people: what is no character or has no shape is a replacement character, and what
// is longer than some characters is cut.
func clean(text string, most int) string {
	if len(text) > 4*most {
		text = text[:4*most]
	}
	text = strings.Map(func(r rune) rune {
		if r == '\t' {
			return ' '
		}
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	if utf8.RuneCountInString(text) > most {
		return string([]rune(text)[:most]) + "…"
	}
	return text
}
