package deposit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Files is where the files of lines are: a folder, a package of an item, or another server.
type Files interface {
	// Read opens a file. An error of reading it is about the file, not about the store that it goes to.
	Read(ctx context.Context, path string) (io.ReadCloser, error)
	// Size is how many bytes a file has.
	Size(path string) (int64, error)
	// FolderOf is the folder that a file is in, where its line does not say it.
	FolderOf(path string) string
}

// Folder is the folder of the lines, to which paths are relative. The author of lines should not
// reach other files of the person depositing them, so no file outside is opened: neither by its
// path nor through a link.
type Folder struct {
	dir  string // absolute
	root *os.Root
	free bool // also files outside
}

// OpenFolder opens a folder. With outside every file may be opened.
func OpenFolder(dir string, outside bool) (*Folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot find the folder of the items: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot open the folder of the items: %w", err)
	}
	return &Folder{dir: dir, root: root, free: outside}, nil
}

// Close ends the use of the folder. Files that were opened stay open.
func (f *Folder) Close() { f.root.Close() }

// errOutside is about a path or a link that leads out of the folder.
var errOutside = errors.New("it is outside the folder of the items, where nothing is read without --follow-outside")

// within is a path relative to the folder, and whether it stays in there.
func (f *Folder) within(path string) (string, bool) {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		rel, err := filepath.Rel(f.dir, path)
		if err != nil {
			return path, false
		}
		path = rel
	}
	path = filepath.Clean(path)
	return path, filepath.IsLocal(path)
}

// Read is Open for Files.
func (f *Folder) Read(_ context.Context, path string) (io.ReadCloser, error) { return f.Open(path) }

// Open opens a regular file for reading.
func (f *Folder) Open(path string) (*os.File, error) {
	file, err := f.open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	switch {
	case err != nil:
		err = fmt.Errorf("cannot read it: %w", err)
	case info.IsDir():
		err = errors.New("it is a folder, not a file")
	case !info.Mode().IsRegular():
		err = errors.New("it is not a regular file")
	default:
		return file, nil
	}
	file.Close()
	return nil, err
}

// open does not wait for the writer of a pipe.
func (f *Folder) open(path string) (*os.File, error) {
	const flags = os.O_RDONLY | syscall.O_NONBLOCK
	rel, inside := f.within(path)
	var file *os.File
	var err error
	switch {
	case f.free && filepath.IsAbs(rel):
		file, err = os.OpenFile(rel, flags, 0)
	case f.free:
		file, err = os.OpenFile(filepath.Join(f.dir, rel), flags, 0)
	case !inside:
		return nil, errOutside
	default:
		file, err = f.root.OpenFile(rel, flags, 0)
	}
	switch {
	case err == nil:
		return file, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("there is no such file")
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("cannot read it: %w", errors.Unwrap(err))
	}
	if _, there := os.Stat(filepath.Join(f.dir, rel)); !f.free && there == nil {
		return nil, errOutside // a link leads there
	}
	return nil, fmt.Errorf("cannot read it: %w", err)
}

// Size looks whether there is a regular file, and how many bytes it has.
func (f *Folder) Size(path string) (int64, error) {
	file, err := f.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, fmt.Errorf("cannot read it: %w", err)
	}
	return info.Size(), nil
}

// FolderOf is the folder that a path stands in, with slashes, "" for the folder of the
// lines and for one outside.
func (f *Folder) FolderOf(path string) string {
	rel, inside := f.within(path)
	dir := filepath.ToSlash(filepath.Dir(rel))
	if !inside || dir == "." {
		return ""
	}
	return strings.Trim(dir, "/")
}
