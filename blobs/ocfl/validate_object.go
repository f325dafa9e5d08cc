package ocfl

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// object tests the object in a directory.
func (w *walk) object(dir string, names []string) error {
	declared, versions := []string{}, []int{}
	for _, name := range names {
		info, err := w.root.Lstat(path.Join(dir, name))
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			return err
		}
		switch {
		case !info.IsDir() && !info.Mode().IsRegular():
			w.fault(dir, "E090", "%s is neither a file nor a directory", name)
		case strings.HasPrefix(name, "0="):
			declared = append(declared, name)
		case number(name) > 0 && info.IsDir():
			versions = append(versions, number(name))
		case name == "extensions" && info.IsDir():
			if err := w.extensions(path.Join(dir, name), "E067"); err != nil {
				return err
			}
		case name == "logs" && info.IsDir(), name == inventoryFile, name == sidecarFile, name == inventoryFile+".sha512":
		default:
			w.fault(dir, "E001", "%s has no place in an object", name)
		}
	}
	w.declaration(dir, declared, objectDeclaration, [3]string{"E003", "E003", "E007"})
	if len(versions) == 0 {
		w.fault(dir, "E008", "it has no version")
	}
	inv := w.inventory(dir, dir)
	if inv == nil {
		return nil
	}
	slices.Sort(versions)
	w.sequence(dir, inv, versions)
	if err := w.content(dir, inv, versions); err != nil {
		return err
	}
	for _, n := range versions {
		w.prior(dir, inv, n)
	}
	if w.Object != nil && inv.whole != nil {
		w.Object(dir, inv.whole)
	}
	return nil
}

// sequence tests that versions are counted without a gap, and the same in the inventory.
func (w *walk) sequence(dir string, inv *parsed, versions []int) {
	for i, n := range versions {
		if n != i+1 {
			w.fault(dir, "E010", "the directory v%d is missing", i+1)
			break
		}
	}
	for _, name := range inv.names {
		if !slices.Contains(versions, number(name)) {
			w.fault(dir, "E046", "the inventory has a version %s, which has no directory", name)
		}
	}
	for _, n := range versions {
		if !slices.Contains(inv.names, "v"+strconv.Itoa(n)) {
			w.fault(dir, "E046", "the directory v%d is in no inventory", n)
		}
	}
	if n := len(inv.names); n > 0 && inv.head != "v"+strconv.Itoa(n) {
		w.fault(dir, "E040", "the head is %s, and the newest version v%d", inv.head, n)
	}
}

// content reads all files of an object, and compares them with its inventory.
func (w *walk) content(dir string, inv *parsed, versions []int) error {
	unread := map[string]string{} // digests by path
	for digest, paths := range inv.manifest {
		for _, p := range paths {
			unread[p] = digest
		}
	}
	for _, n := range versions {
		name := "v" + strconv.Itoa(n)
		if err := w.version(dir, name, func(at string) error {
			digest, known := unread[at]
			if !known {
				w.fault(dir, "E023", "%s is in no manifest", at)
				return nil
			}
			delete(unread, at)
			return w.sums(dir, at, digest, inv.md5[at])
		}); err != nil {
			return err
		}
	}
	for _, at := range sortedKeys(unread) {
		w.fault(dir, "E092", "%s is missing", at)
	}
	return nil
}

// version calls read for each file of a version, with its path in the object.
func (w *walk) version(dir, name string, read func(at string) error) error {
	names, err := w.list(path.Join(dir, name))
	if err != nil {
		return err
	}
	for _, child := range names {
		info, err := w.root.Lstat(path.Join(dir, name, child))
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		case err != nil, child == inventoryFile, child == sidecarFile, child == inventoryFile+".sha512":
		case info.IsDir() && child == contentDirectory:
			if err := w.folder(dir, path.Join(name, child), read); err != nil {
				return err
			}
		case info.IsDir(): // W002, a program ignores it
		default:
			w.fault(dir, "E015", "%s/%s has no place in a version", name, child)
		}
	}
	return nil
}

// folder calls read for each file in a folder of the content, and below it.
func (w *walk) folder(dir, at string, read func(at string) error) error {
	names, err := w.list(path.Join(dir, at))
	if err != nil {
		return err
	}
	if len(names) == 0 {
		w.fault(dir, "E024", "%s is empty", at)
	}
	for _, name := range names {
		if w.ctx.Err() != nil {
			return context.Cause(w.ctx)
		}
		child := path.Join(at, name)
		info, err := w.root.Lstat(path.Join(dir, child))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case info.IsDir():
			err = w.folder(dir, child, read)
		case info.Mode().IsRegular():
			err = read(child)
		default:
			w.fault(dir, "E090", "%s is neither a file nor a directory", child)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// sums reads a file and compares its sums.
func (w *walk) sums(dir, at, digest, short string) error {
	f, err := w.root.Open(path.Join(dir, at))
	if err != nil {
		return err
	}
	defer f.Close()
	sha, sum := sha256.New(), md5.New()
	to := []io.Writer{sha}
	if short != "" {
		to = append(to, sum)
	}
	if err := w.copy(io.MultiWriter(to...), f); err != nil {
		if w.ctx.Err() != nil {
			return err
		}
		w.fault(dir, "E092", "%s cannot be read: %v", at, err)
		return nil
	}
	differs := func(code string, h hash.Hash, want string) {
		if got := hex.EncodeToString(h.Sum(nil)); got != strings.ToLower(want) {
			w.fault(dir, code, "%s has the digest %s and should have %s", at, got, want)
		}
	}
	differs("E092", sha, digest)
	if short != "" {
		differs("E093", sum, short)
	}
	return nil
}

func (w *walk) copy(to io.Writer, from io.Reader) error {
	b := make([]byte, 256<<10)
	for {
		if w.ctx.Err() != nil {
			return context.Cause(w.ctx)
		}
		n, err := from.Read(b)
		if w.Pace != nil {
			w.Pace(n)
		}
		if _, err := to.Write(b[:n]); err != nil {
			return err
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// prior tests the inventory of a version, which may be missing, against that of the object.
func (w *walk) prior(dir string, inv *parsed, n int) {
	at := path.Join(dir, "v"+strconv.Itoa(n))
	if _, err := w.root.Lstat(path.Join(at, inventoryFile)); errors.Is(err, fs.ErrNotExist) {
		return
	}
	old := w.inventory(dir, at)
	if old == nil {
		return
	}
	if old.id != inv.id {
		w.fault(dir, "E110", "the inventory of v%d has the id %s", n, old.id)
	}
	if old.head != "v"+strconv.Itoa(n) {
		w.fault(dir, "E040", "the inventory of v%d has the head %s", n, old.head)
	}
	if n == len(inv.names) && old.text != inv.text {
		w.fault(dir, "E064", "the inventory of v%d, the newest version, is not that of the object", n)
	}
	for _, name := range old.names {
		if inv.states[name] != old.states[name] {
			w.fault(dir, "E066", "the inventory of v%d has another state of %s than that of the object", n, name)
		}
	}
}

// inventory reads and tests an inventory, nil for one that cannot be used. Messages name the object in dir.
func (w *walk) inventory(dir, at string) *parsed {
	text, err := w.read(path.Join(at, inventoryFile), maxInventory)
	if errors.Is(err, fs.ErrNotExist) {
		w.fault(dir, "E063", "%s has no %s", at, inventoryFile)
		return nil
	}
	if err != nil {
		w.fault(dir, "E063", "%s/%s cannot be read: %v", at, inventoryFile, err)
		return nil
	}
	inv := parse(text, func(code, format string, args ...any) {
		w.fault(dir, code, "%s/%s: %s", at, inventoryFile, fmt.Sprintf(format, args...))
	})
	if inv == nil {
		return nil
	}
	if inv.algorithm != algorithm {
		return inv // E025 is told, and its sums are not ours to make
	}
	side, err := w.read(path.Join(at, sidecarFile), 1<<10)
	sum := sha256.Sum256(text)
	fields := strings.Fields(string(side))
	switch {
	case err != nil:
		w.fault(dir, "E058", "%s has no %s", at, sidecarFile)
	case len(fields) != 2 || fields[1] != inventoryFile:
		w.fault(dir, "E061", "%s/%s is not DIGEST %s", at, sidecarFile, inventoryFile)
	case !strings.EqualFold(fields[0], hex.EncodeToString(sum[:])):
		w.fault(dir, "E060", "%s/%s has another digest than the inventory", at, sidecarFile)
	}
	return inv
}
