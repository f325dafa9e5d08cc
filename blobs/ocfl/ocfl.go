// Package ocfl keeps versions of things in a directory as OCFL 1.1 (https://ocfl.io/1.1/spec/) says, so that they can be
// read with no program but a text editor; and it tells what in such a directory is not as OCFL says.
//
//	0=ocfl_1.1, ocfl_layout.json, alcove.md              what this is, alcove.md in plain words
//	extensions/0003-hash-and-id-n-tuple-storage-layout/  how an id becomes a path
//	extensions/alcove/repository.json                    whose it is, and how far it is (Mark)
//	extensions/alcove/work/                              what is being made; not there when nothing is
//	3c0/ff4/240/object-01/                               the object with the id object-01:
//	    0=ocfl_object_1.1
//	    inventory.json, inventory.json.sha256            which file each version has, and where its bytes are
//	    v1/inventory.json, inventory.json.sha256         the same as of version 1
//	    v1/content/…                                     the bytes that came with version 1
//
// A version appears as a whole: it is made below work, synced, and renamed into its object, then the inventory of the
// object is replaced, its checksum last. A process that dies in between leaves an object that the next look completes.
// One process at a time may write.
package ocfl

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	rootDeclaration   = "0=ocfl_1.1"
	objectDeclaration = "0=ocfl_object_1.1"
	layoutName        = "0003-hash-and-id-n-tuple-storage-layout"
	layoutFile        = "ocfl_layout.json"
	aboutFile         = "alcove.md"
	extensions        = "extensions"
	own               = extensions + "/alcove"
	markFile          = own + "/repository.json"
	work              = own + "/work"
	inventoryFile     = "inventory.json"
	algorithm         = "sha256"
	sidecarFile       = inventoryFile + "." + algorithm
	contentDirectory  = "content"
)

// files are what a root has besides objects and the mark, the declaration last.
var files = []struct{ name, text string }{
	{extensions + "/" + layoutName + "/config.json", `{
  "extensionName": "` + layoutName + `",
  "digestAlgorithm": "sha256",
  "tupleSize": 3,
  "numberOfTuples": 3
}
`},
	{layoutFile, `{
  "extension": "` + layoutName + `",
  "description": "Three directories of three digits each, the beginning of the SHA-256 of the id of an object, then a directory named after the id."
}
`},
	{aboutFile, about},
	{rootDeclaration, "ocfl_1.1\n"},
}

// about is also what the specification asks of who names an extension of their own: a plain text in the root.
const about = `# What this directory is

It has everything that an Alcove repository shows to the public, in the form of OCFL 1.1 (https://ocfl.io/1.1/spec/).
No program is needed to read it.

Each object is an article or a collection. The name of its directory ends with the kind and the number of the item, with
%3a in the place of each colon. inventory.json in it says, for each version, which file ("state": the path of a file
under the SHA-256 of its bytes) and where the bytes are ("manifest": a path below the object under the same SHA-256).
The message of a version says which public version of the item it is.

    files/…                    the files, in their folders
    metadata/item.json         what the repository says of the version
    metadata/datacite.xml      the same in the words of DataCite
    metadata/datacite.json
    metadata/articles.json     the articles of a collection

# The extension "alcove"

extensions/alcove/repository.json names the repository that writes here, and how far it had come in its change log.
extensions/alcove/work has what was being made when the program ended. It is no part of any object, and may be removed
when the program does not run.
`

// Reasons for which a directory is not used; errors wrap them.
var (
	// ErrBlank says that a directory is missing or has nothing in it.
	ErrBlank = errors.New("there is no storage root of OCFL")
	// ErrForeign says that a directory is something else, or is not known to be ours.
	ErrForeign = errors.New("it is not a storage root of OCFL that Alcove made")
	// ErrDamaged says that what describes an object cannot be used.
	ErrDamaged = errors.New("the object is damaged")
)

// Root is a storage root. Its paths are slash-separated and below it.
type Root struct {
	dir  string
	root *os.Root
}

// Mark says whose a root is.
type Mark struct {
	Repository string `json:"repository"` // its id
	Position   string `json:"position"`   // in its change log, up to which objects may have been made
}

// PathOf is where the object of an id is.
func PathOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	digest := hex.EncodeToString(sum[:])
	var name strings.Builder
	for i := range len(id) {
		if c := id[i]; strings.IndexByte("-_", c) >= 0 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' {
			name.WriteByte(c)
		} else {
			fmt.Fprintf(&name, "%%%02x", c)
		}
	}
	leaf := name.String()
	if len(leaf) > 100 {
		leaf = leaf[:100] + "-" + digest
	}
	return path.Join(digest[:3], digest[3:6], digest[6:9], leaf)
}

// Open opens a root that Make has made.
func Open(dir string) (*Root, Mark, error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Mark{}, fmt.Errorf("%s: %w", dir, ErrBlank)
	}
	if err != nil {
		return nil, Mark{}, fmt.Errorf("cannot open the storage root of OCFL: %w", err)
	}
	r := &Root{dir: dir, root: root}
	m, err := r.mark()
	if err == nil {
		return r, m, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = r.blank()
	}
	root.Close()
	return nil, Mark{}, fmt.Errorf("%s: %w", dir, err)
}

// Make makes a root of a directory that is missing or has nothing in it. The mark comes first: what was begun is then
// known to be ours. Complete follows.
func Make(dir string, m Mark) (*Root, error) {
	if err := makeDir(dir); err != nil {
		return nil, fmt.Errorf("cannot make the storage root of OCFL: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot open the storage root of OCFL: %w", err)
	}
	r := &Root{dir: dir, root: root}
	if err = r.blank(); errors.Is(err, ErrBlank) {
		err = r.SetMark(m)
	}
	if err == nil {
		err = r.Complete()
	}
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("cannot make the storage root of OCFL: %s: %w", dir, err)
	}
	return r, nil
}

// blank is ErrBlank for a root that has nothing but what Make begins with, and ErrForeign for another.
func (r *Root) blank() error {
	dir := "."
	for _, only := range []string{extensions, "alcove", path.Base(markFile) + ".new"} {
		names, err := r.names(dir)
		switch {
		case err != nil:
			return err
		case len(names) == 0:
			return ErrBlank
		case len(names) > 1 || names[0] != only:
			return ErrForeign
		}
		dir = path.Join(dir, only)
	}
	return ErrBlank
}

// Complete writes what a root has besides objects, where it is missing, and removes what was being made.
func (r *Root) Complete() error {
	for _, f := range files {
		if have, err := r.root.ReadFile(f.name); err == nil && string(have) == f.text {
			continue
		}
		if err := errors.Join(r.makeAll(path.Dir(f.name)), r.replace(f.name, []byte(f.text))); err != nil {
			return err
		}
	}
	return r.Clean()
}

// Close lets go of the root.
func (r *Root) Close() error { return r.root.Close() }

// Mark says whose the root is.
func (r *Root) mark() (m Mark, err error) {
	b, err := r.read(markFile, 1<<16)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(b, &m); err != nil || m.Repository == "" {
		return m, fmt.Errorf("%s cannot be read: %w", markFile, ErrForeign)
	}
	return m, nil
}

// SetMark replaces what says whose the root is, durably.
func (r *Root) SetMark(m Mark) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(r.makeAll(own), r.replace(markFile, append(b, '\n')))
}

// Clean removes what was being made, of which nothing is part of an object.
func (r *Root) Clean() error {
	if err := r.root.RemoveAll(work); err != nil {
		return fmt.Errorf("cannot remove what was being made: %w", err)
	}
	return r.sync(own)
}

// replace writes a file under another name first, so that it is there as a whole or as it was.
func (r *Root) replace(name string, text []byte) error {
	if err := r.write(name+".new", text); err != nil {
		return err
	}
	if err := r.root.Rename(name+".new", name); err != nil {
		return err
	}
	return r.sync(path.Dir(name))
}

// write writes a file, durably but for its name.
func (r *Root) write(name string, text []byte) error {
	return r.fill(name, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(text))
		return err
	})
}

func (r *Root) fill(name string, write func(io.Writer) error) error {
	f, err := r.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// read reads a file of at most so many bytes.
func (r *Root) read(name string, most int64) ([]byte, error) {
	f, err := r.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("%s has more than %d bytes", name, most)
	}
	return b, err
}

// makeAll makes directories and syncs each that got a new one.
func (r *Root) makeAll(name string) error {
	for i := 1; i <= len(name); i++ {
		if i < len(name) && name[i] != '/' || name[:i] == "." {
			continue
		}
		err := r.root.Mkdir(name[:i], 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			err = r.sync(path.Dir(name[:i]))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// makeDir makes a directory and those above it, durably: the store remembers a root that was made.
func makeDir(dir string) error {
	up := filepath.Dir(dir)
	if _, err := os.Stat(dir); err == nil || up == dir {
		return err
	}
	if err := makeDir(up); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	d, err := os.Open(up)
	if err != nil {
		return err
	}
	return syncNames(d)
}

// sync makes the names in a directory durable.
func (r *Root) sync(name string) error {
	d, err := r.root.Open(name)
	if err != nil {
		return err
	}
	return syncNames(d)
}

// syncNames closes a directory whose names are durable then. Windows keeps names in a journal of its own.
func syncNames(d *os.File) error {
	if runtime.GOOS == "windows" {
		return d.Close()
	}
	return errors.Join(d.Sync(), d.Close())
}

// names are what is in a directory.
func (r *Root) names(name string) ([]string, error) {
	d, err := r.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// abs is a path as the rest of the system knows it.
func (r *Root) abs(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }
