package fetch

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"

	"alcove/blobs"
)

// notesName is a file in the data directory that exists while items are brought there: a line for each file of another
// repository whose bytes were read, with the file and the SHA-256 of its bytes. It is a help alone: what it says is verified.
const notesName = "pull.files"

// Notes lets a command that was ended at any moment go on without reading again what it had read.
type Notes struct {
	path  string
	out   *os.File
	known map[string]blobs.Ref
	part  *part
}

// OpenNotes reads the notes of an earlier run in a data directory.
func OpenNotes(data string) (*Notes, error) {
	n := &Notes{path: filepath.Join(data, notesName), known: map[string]blobs.Ref{}}
	out, err := os.OpenFile(n.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot keep notes of what was read: %w", err)
	}
	n.out = out
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		sum, file, _ := strings.Cut(lines.Text(), " ")
		if ref, err := blobs.ParseRef(sum); err == nil && file != "" { // the last line may be cut
			n.known[file] = ref
		}
	}
	if err := lines.Err(); err != nil {
		out.Close()
		return nil, fmt.Errorf("cannot read the notes of what was read: %w", err)
	}
	if _, err = out.WriteString("\n"); err != nil { // behind a line that was cut
		return nil, err
	}
	n.part, err = openPart(data)
	return n, err
}

// Close ends the notes. When everything is loaded they go, as nothing needs them any more.
func (n *Notes) Close(done bool) {
	n.out.Close()
	n.part.close(done)
	if done {
		os.Remove(n.path) // a note that stays is verified when it is used
	}
}

// Files are the files of one item as deposit.Files, which come from its server, or from the blobs where an earlier run has
// put them.
type Files struct {
	Client *Client
	Blobs  blobs.Store
	Notes  *Notes
	Room   func() (int64, error) // bytes that the disk may still take, nil for any number

	byPath map[string]File
}

// Add takes the files of an item.
func (s *Files) Add(it *Item) {
	if s.byPath == nil {
		s.byPath = map[string]File{}
	}
	for i := range it.Versions {
		for _, f := range it.Versions[i].Files {
			if f.Link == "" {
				s.byPath[Path(f)] = f
			}
		}
	}
}

// Path names a file by what it is known by, so that another file is another line.
func Path(f File) string { return fmt.Sprintf("%s/%s/%d", f.ID, f.Sum, f.Size) }

// Size implements deposit.Files.
func (s *Files) Size(path string) (int64, error) {
	f, ok := s.byPath[path]
	if !ok {
		return 0, fmt.Errorf("the item has no file %q", shorten(path))
	}
	return f.Size, nil
}

// FolderOf implements deposit.Files: the line says all folders.
func (s *Files) FolderOf(string) string { return "" }

// Read implements deposit.Files. Bytes that are here are verified like those that arrive.
func (s *Files) Read(ctx context.Context, path string) (io.ReadCloser, error) {
	f, ok := s.byPath[path]
	if !ok {
		return nil, fmt.Errorf("the item has no file %q", shorten(path))
	}
	name := s.Client.Base + " " + path
	if ref, ok := s.Notes.known[name]; ok && s.whole(ctx, ref, f) {
		r, _, err := s.Blobs.Open(ref)
		return r, err
	}
	if s.Room != nil {
		room, err := s.Room()
		if err == nil && f.Size > room {
			err = fmt.Errorf("the disk has no room for its %d bytes beside disk_reserve", f.Size)
		}
		if err != nil {
			return nil, err
		}
	}
	here := s.Notes.part.of(name, f)
	r, err := s.Client.openFrom(ctx, f, here)
	if _, later := passing(err); err != nil && here != nil && !later { // it may be the part that the server refuses
		s.Notes.part.forget()
		r, err = s.Client.openFrom(ctx, f, nil)
	}
	if err != nil {
		return nil, err
	}
	if r, err = s.Notes.part.keep(name, f, r); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return &noted{ReadCloser: r, sum: sha256.New(), notes: s.Notes, name: name}, nil
}

// whole reports whether a blob has the bytes of a file, which it reads.
func (s *Files) whole(ctx context.Context, ref blobs.Ref, f File) bool {
	sums, err := s.Blobs.Verify(ctx, ref, func(int) {})
	if err != nil || sums.Size != f.Size {
		return false
	}
	switch kind := algorithmOf(f.Sum); {
	case kind == nil:
		return false
	case kind.name == "MD5":
		return sums.MD5.String() == f.Sum
	case kind.name == "SHA-256":
		return ref.String() == f.Sum
	default:
		r, _, err := s.Blobs.Open(ref)
		if err != nil {
			return false
		}
		defer r.Close()
		sum := kind.new()
		_, err = io.Copy(sum, r)
		return err == nil && hex.EncodeToString(sum.Sum(nil)) == f.Sum
	}
}

// noted notes a file when all of its bytes were read. They are among the blobs a moment later, or are not found there.
type noted struct {
	io.ReadCloser
	sum   hash.Hash
	notes *Notes
	name  string
}

func (n *noted) Read(b []byte) (int, error) {
	i, err := n.ReadCloser.Read(b)
	n.sum.Write(b[:i])
	if err == io.EOF {
		if _, failed := fmt.Fprintf(n.notes.out, "%x %s\n", n.sum.Sum(nil), n.name); failed != nil {
			return i, fmt.Errorf("cannot keep notes of what was read: %w", failed)
		}
	}
	return i, err
}
