// Package backup copies a repository to another directory, checks such copies and brings them
// back. On disk, below the directory DEST of the backups, all directories 0700 and files 0600:
//
//	DEST/blobs/2c/f24dba…       the bytes of files by their SHA-256, as in a data directory; each is
//	                            there once, however many snapshots need it
//	DEST/blobs/tmp/             what is being copied
//	DEST/snapshots/20261121T103000Z/
//	    alcove.db               the database, as one commit left it
//	    blobs.txt               a line "SHA-256 SIZE" for each blob that the snapshot has, sorted
//	    manifest.json           what belongs together, and what is missing; written last
//	DEST/snapshots/….partial/   a snapshot that is being made or removed, or was when the power went
//	DEST/snapshots/….replaced/  one whose place another of the same name takes, see rewrite.go
//	DEST/erasures               what was erased, a line each, see erasures.go
//	DEST/ledger.txt             when the bytes of each blob were last read and right, see ledger.go
//	DEST/lock                   locked by each process that changes or reads DEST
//
// A snapshot comes into being by a rename, after everything in it and every blob that it names is
// on the disk; it goes by a rename, and only then do the blobs go that no other snapshot names. So
// whatever has the name of a snapshot is one, and killing a process at any moment leaves at worst
// a directory ….partial and blobs that the next backup uses.
//
// The names of snapshots ascend in the order in which they were made, also when the clock was set
// back in between. Nothing outside DEST is followed: a symbolic link that leads out is an error.
package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"alcove/blobs"
	"alcove/bucket"
	"alcove/cli/osfile"
)

const (
	snapshots    = "snapshots"
	partial      = ".partial"
	manifestName = "manifest.json"
	listName     = "blobs.txt"
	lockName     = "lock"
	stampForm    = "20060102T150405Z"
)

var stampPattern = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}Z$`)

// ErrBusy says that another process works on the backups.
var ErrBusy = errors.New("another process works on these backups")

// lockFile locks a file until it is closed, alone or together with others. It does not wait.
func lockFile(f *os.File, alone bool) error {
	err := osfile.Lock(f, alone)
	if errors.Is(err, osfile.ErrLocked) {
		return ErrBusy
	}
	return err
}

// dest is an open directory of backups.
type dest struct {
	path string // absolute
	root *os.Root
	lock *os.File // nil where there is none and nothing may be written
}

// openDest opens a directory of backups, to change it or to read it.
func openDest(path string, change bool) (*dest, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("cannot find the backups: %w", err)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("cannot open the backups: %w", err)
	}
	d := &dest{path: abs, root: root}
	if names, _ := d.between(); len(names) > 0 && !change {
		if ending, err := openDest(path, true); err == nil {
			ending.close()
		}
	}
	flag := os.O_RDONLY
	if change {
		flag = os.O_RDWR | os.O_CREATE
	}
	if d.lock, err = root.OpenFile(lockName, flag, 0o600); err != nil {
		if d.lock = nil; change {
			root.Close()
			return nil, fmt.Errorf("cannot lock the backups in %s: %w", abs, err)
		}
		return d, nil // a copy on a medium that cannot be written, say
	}
	err = lockFile(d.lock, change)
	if err == nil && change {
		err = d.endReplacement()
	}
	if err != nil {
		d.close()
		return nil, fmt.Errorf("cannot use %s: %w", abs, err)
	}
	return d, nil
}

func (d *dest) close() {
	if d.lock != nil {
		d.lock.Close() // and with it goes the lock
	}
	d.root.Close()
}

// names lists the snapshots, the oldest first, and the directories that are none.
func (d *dest) names() (whole, parts []string, err error) {
	dir, err := d.root.Open(snapshots)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("cannot list the snapshots: %w", err)
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot list the snapshots: %w", err)
	}
	for _, e := range entries {
		switch stamp, part := strings.CutSuffix(e.Name(), partial); {
		case !e.IsDir() || !stampPattern.MatchString(stamp):
		case part:
			parts = append(parts, e.Name())
		default:
			whole = append(whole, e.Name())
		}
	}
	slices.Sort(whole)
	slices.Sort(parts)
	return whole, parts, nil
}

// choose is the snapshot of that name, the newest one when it is empty.
func (d *dest) choose(name string) (string, error) {
	whole, _, err := d.names()
	switch {
	case err != nil:
		return "", err
	case len(whole) == 0:
		return "", fmt.Errorf("there is no snapshot in %s", d.path)
	case name == "":
		return whole[len(whole)-1], nil
	case !slices.Contains(whole, name):
		return "", fmt.Errorf("there is no snapshot %q in %s", name, d.path)
	}
	return name, nil
}

// stamp names the next snapshot: after the time, but always behind those that are there.
func stamp(whole []string, now time.Time) (string, error) {
	name := now.UTC().Format(stampForm)
	if len(whole) == 0 || name > whole[len(whole)-1] {
		return name, nil
	}
	last, err := time.Parse(stampForm, whole[len(whole)-1])
	if err != nil {
		return "", fmt.Errorf("cannot name a snapshot behind %s: %w", whole[len(whole)-1], err)
	}
	return last.Add(time.Second).Format(stampForm), nil
}

// place is the path of something in a snapshot below DEST.
func place(snapshot, name string) string { return snapshots + "/" + snapshot + "/" + name }

// blobPath is the path of a blob below DEST.
func blobPath(ref blobs.Ref) string {
	text := ref.String()
	return "blobs/" + text[:2] + "/" + text[2:]
}

// openFile opens a regular file below DEST to read it, and nothing else that has its name.
func (d *dest) openFile(name string) (*os.File, int64, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := d.root.Open(name)
	if err != nil {
		return nil, 0, err
	}
	opened, err := f.Stat()
	if err == nil && !os.SameFile(info, opened) {
		err = fmt.Errorf("%s was exchanged while it was opened", name)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, opened.Size(), nil
}

// openCopy opens the database of a snapshot for reading.
func (d *dest) openCopy(snapshot string) (*bucket.Copy, error) {
	name := place(snapshot, bucket.FileName)
	f, _, err := d.openFile(name)
	if err != nil {
		return nil, err
	}
	f.Close()
	return bucket.OpenCopy(func(flag int) (*os.File, error) { return d.root.OpenFile(name, flag, 0) })
}

// syncDir makes the names in a directory durable.
func syncDir(root *os.Root, name string) error {
	f, err := root.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return osfile.SyncNames(f)
}

// makeDir makes a directory, durably, unless it is there.
func makeDir(root *os.Root, name string) error {
	if err := root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", name)
	}
	return syncDir(root, filepath.Dir(name))
}

// within reports whether a path is a directory or lies in it, by what the paths lead to. A path
// that is not there yet lies where its nearest existing parent lies.
func within(path, dir string) (bool, error) {
	outer, err := os.Stat(dir)
	if err != nil {
		return false, err
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return false, err
	}
	for {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			path = real
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || path == filepath.Dir(path) {
			return false, err
		}
		path = filepath.Dir(path)
	}
	for ; ; path = filepath.Dir(path) {
		info, err := os.Stat(path)
		if err != nil {
			return false, err
		}
		if os.SameFile(info, outer) {
			return true, nil
		}
		if path == filepath.Dir(path) {
			return false, nil
		}
	}
}

// fenced fails with bucket.ErrNewer where the database of a snapshot is for a newer program.
// Other mistakes in it are found by its reader.
func (d *dest) fenced(snapshot string) error {
	cp, err := d.openCopy(snapshot)
	if errors.Is(err, bucket.ErrNewer) {
		return err
	}
	if err == nil {
		cp.Close()
	}
	return nil
}
