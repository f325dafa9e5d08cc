package deposit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxFiles = 1_000_000 // of a folder
	maxDeep  = 200       // folders in each other
)

// LeftOut is what is in a folder and is not deposited.
type LeftOut struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// treeFile is a file that will be deposited.
type treeFile struct {
	path         string // for Folder.Open
	folder, name string // in the item
	size         int64
	modified     time.Time
}

// String is where the file will be in the item.
func (f treeFile) String() string { return path.Join(f.folder, f.name) }

// tree is what a folder holds.
type tree struct {
	files []treeFile
	left  []LeftOut
	bytes int64
}

// junk are names of what systems and programs leave behind, in small letters.
var junk = map[string]string{
	".git": "of git", ".svn": "of Subversion", ".hg": "of Mercurial", ".ds_store": "of macOS", "__macosx": "of macOS",
	".spotlight-v100": "of macOS", ".trashes": "of macOS", ".fseventsd": "of macOS", "thumbs.db": "of Windows", "ehthumbs.db": "of Windows",
	"desktop.ini": "of Windows", "$recycle.bin": "of Windows", "system volume information": "of Windows",
}

// rubbish says why no file or folder of that name is deposited, empty for others.
func rubbish(name string) string {
	if why := junk[strings.ToLower(name)]; why != "" {
		return why
	}
	switch {
	case strings.HasSuffix(name, stateSuffix):
		return "a state file of a deposit"
	case strings.HasPrefix(name, "._"):
		return "of macOS"
	case strings.HasPrefix(name, "~$"):
		return "the lock of an office program"
	}
	return ""
}

// walker reads a folder.
type walker struct {
	in     *Folder
	hidden bool
	ignore ignored
	skip   map[string]string // paths that are not deposited, and why
	tree   tree
	wrong  []string // what keeps the folder from being deposited
}

// walkFolder lists what a folder holds, in the order of the paths. Its error names all that cannot be deposited.
func walkFolder(in *Folder, hidden bool, skip map[string]string, exclude []string) (tree, error) {
	ignore, err := readIgnored(in, exclude)
	if err != nil {
		return tree{}, err
	}
	w := &walker{in: in, hidden: hidden, skip: skip, ignore: ignore}
	if err := w.folder(".", nil); err != nil {
		return tree{}, err
	}
	if len(w.wrong) > 0 {
		return tree{}, errors.New(shorten(w.wrong))
	}
	return w.tree, nil
}

// shorten joins messages, of many only the first.
func shorten(list []string) string {
	const most = 20
	if more := len(list) - most; more > 0 {
		return fmt.Sprintf("%s; and %d more", strings.Join(list[:most], "; "), more)
	}
	return strings.Join(list, "; ")
}

func (w *walker) refuse(rel, why string) {
	w.wrong = append(w.wrong, fmt.Sprintf("%q: %s", filepath.ToSlash(rel), why))
}

func (w *walker) leave(rel, why string) {
	w.tree.left = append(w.tree.left, LeftOut{filepath.ToSlash(rel), why})
}

// folder reads a folder in one whose folders are above, of which none may come again.
func (w *walker) folder(rel string, above []fs.FileInfo) error {
	info, err := w.in.stat(rel)
	var entries []fs.DirEntry
	if err == nil {
		entries, err = w.in.list(rel)
	}
	if err != nil {
		w.refuse(rel, "cannot read the folder: "+plainly(err))
		return nil
	}
	for _, a := range above {
		if os.SameFile(a, info) {
			w.refuse(rel, "a link leads back to a folder that it is in")
			return nil
		}
	}
	if above = append(slices.Clip(above), info); len(above) > maxDeep {
		return fmt.Errorf("%q: more than %d folders are in each other", rel, maxDeep)
	}
	kept := 0
	for _, e := range entries {
		kept++
		at := filepath.Join(rel, e.Name())
		why := rubbish(e.Name())
		if w.skip[at] != "" {
			why = w.skip[at]
		}
		if why == "" {
			why = w.ignore.excludes(at, e.IsDir())
		}
		switch {
		case why != "":
			w.leave(at, why)
			continue
		case strings.HasPrefix(e.Name(), ".") && !w.hidden:
			w.leave(at, "hidden")
			continue
		case !utf8.ValidString(e.Name()):
			w.refuse(at, "the name is not in UTF-8, and cannot be told to a server: rename it")
			continue
		case strings.Contains(e.Name(), `\`):
			w.refuse(at, "the name has a backslash, which separates folders elsewhere: rename it")
			continue
		}
		if err := w.entry(at, e, above); err != nil {
			return err
		}
	}
	if kept == 0 && rel != "." {
		w.leave(rel, "an empty folder")
	}
	return nil
}

// entry takes what is in a folder.
func (w *walker) entry(at string, e fs.DirEntry, above []fs.FileInfo) error {
	info, err := e.Info()
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		info, err = w.in.stat(at)
		switch {
		case errors.Is(err, errOutside):
			w.refuse(at, "the link leads out of the folder, where nothing is read without --follow-outside")
			return nil
		case errors.Is(err, fs.ErrNotExist):
			w.refuse(at, "the link leads nowhere: remove it")
			return nil
		case err == nil && info.IsDir() && w.in.inside(at):
			w.leave(at, "a link to a folder that is deposited in its own place")
			return nil
		}
	}
	switch {
	case err != nil:
		w.refuse(at, "cannot read it: "+plainly(err))
	case info.IsDir():
		return w.folder(at, above)
	case !info.Mode().IsRegular():
		w.refuse(at, "it is neither a file nor a folder")
	case len(w.tree.files) == maxFiles:
		return fmt.Errorf("the folder has more than %d files: deposit it in parts, or packed", maxFiles)
	default:
		rel := filepath.ToSlash(at)
		folder := path.Dir(rel)
		if folder == "." {
			folder = ""
		}
		w.tree.files = append(w.tree.files, treeFile{path: at, folder: folder, name: path.Base(rel), size: info.Size(), modified: info.ModTime()})
		w.tree.bytes += info.Size()
	}
	return nil
}

// named are files that were named one by one.
func named(paths, exclude []string) (tree, error) {
	var t tree
	var ignore ignored
	for _, p := range exclude {
		if err := ignore.add(p, "excluded by --exclude"); err != nil {
			return tree{}, fmt.Errorf("--exclude: %w", err)
		}
	}
	there := map[string]string{}
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return tree{}, fmt.Errorf("cannot read %s: %s", p, plainly(err))
		}
		name := filepath.Base(p)
		if first := there[name]; first != "" {
			return tree{}, fmt.Errorf("%s and %s would have the same name in the item: name the folder that they are in", first, p)
		}
		if !utf8.ValidString(name) {
			return tree{}, fmt.Errorf("%q: the name is not in UTF-8, and cannot be told to a server: rename it", name)
		}
		there[name] = p
		if why := ignore.excludes(name, false); why != "" {
			t.left = append(t.left, LeftOut{p, why})
			continue
		}
		t.files = append(t.files, treeFile{path: p, name: name, size: info.Size(), modified: info.ModTime()})
		t.bytes += info.Size()
	}
	return t, nil
}

// plainly is an error without the call and the path that Go writes in front of it.
func plainly(err error) string {
	var of *fs.PathError
	if errors.As(err, &of) {
		err = of.Err
	}
	return err.Error()
}

// stat follows links as far as files may be read.
func (f *Folder) stat(rel string) (fs.FileInfo, error) {
	if f.free {
		return os.Stat(filepath.Join(f.dir, rel))
	}
	info, err := f.root.Stat(rel)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		if _, there := os.Stat(filepath.Join(f.dir, rel)); there == nil || errors.Is(there, fs.ErrNotExist) {
			return nil, errOutside
		}
	}
	return info, err
}

// inside tells whether a path leads to something in the folder.
func (f *Folder) inside(rel string) bool {
	_, err := f.root.Stat(rel)
	return err == nil
}

// list reads a folder, in the order of the names.
func (f *Folder) list(rel string) ([]fs.DirEntry, error) {
	if f.free {
		return os.ReadDir(filepath.Join(f.dir, rel))
	}
	dir, err := f.root.Open(rel)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}
