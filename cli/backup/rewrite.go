package backup

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"alcove/bucket"
	"alcove/bucket/compaction"
	"alcove/bucket/damage"
	"alcove/bucket/files"
	"alcove/bucket/identity"
	"alcove/bucket/withdrawn"
	"alcove/cli/erasure"
	"alcove/record"
)

// replaced is behind the name of a snapshot whose place another one of the same name takes.
const replaced = ".replaced"

// Rewritten is what Rewrite has come to.
type Rewritten struct {
	Snapshots []string  `json:"rewritten"`
	Clean     []string  `json:"clean"` // that had nothing of it
	Problems  []Problem `json:"problems"`
}

// Rewrite rewrites the snapshots of a repository, each under its name, without what was erased since they were made, as the
// backups were told, and then removes the bytes that no snapshot needs any more. It begins only where the newest snapshot
// is complete, was read again whole, and has nothing of it. One snapshot after the other is replaced: where the process is killed each
// is the old one or the new one, whole, and another run goes on. A snapshot that cannot be rewritten stays, and is named.
func Rewrite(ctx context.Context, path string, note func(snapshot string, n, of int)) (*Rewritten, error) {
	newest, err := newestIn(path)
	if err != nil {
		return nil, err
	}
	checked, err := Verify(ctx, path, Checks{Snapshot: newest})
	if err == nil && checked.Found > 0 {
		err = fmt.Errorf("it is damaged in %d places", checked.Found)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot rewrite the backups, as the newest snapshot %s is not to be relied on: %w", newest, err)
	}
	d, err := openDest(path, true)
	if err != nil {
		return nil, err
	}
	defer d.close()
	whole, _, err := d.names()
	if err != nil {
		return nil, err
	}
	last, err := d.manifest(newest)
	if err != nil {
		return nil, err
	}
	erased, err := d.erasures(last.Repository)
	if err != nil {
		return nil, err
	}
	missing, err := d.without(newest, erased)
	switch {
	case err != nil:
		return nil, err
	case len(erased) == 0:
		return nil, fmt.Errorf("nothing is to be done: %s was told of no erasure", path)
	case whole[len(whole)-1] != newest || !last.Complete || len(missing) > 0:
		return nil, fmt.Errorf("cannot rewrite the backups: the newest snapshot %s is not complete, or was made before the erasure; make one with alcove backup create first", newest)
	}
	r := &Rewritten{Snapshots: []string{}, Clean: []string{}, Problems: []Problem{}}
	for n, name := range whole {
		note(name, n, len(whole))
		changed, err := d.rewrite(ctx, name, last.Repository, erased)
		switch {
		case ctx.Err() != nil:
			return r, context.Cause(ctx)
		case err != nil:
			r.Problems = append(r.Problems, Problem{name, "database", bucket.FileName, err.Error()})
		case changed:
			r.Snapshots = append(r.Snapshots, name)
		default:
			r.Clean = append(r.Clean, name)
		}
	}
	if _, err := d.prune(ctx, len(whole)); err != nil {
		return r, fmt.Errorf("the snapshots were rewritten, but bytes that none of them needs could not be removed: %w", err)
	}
	return r, nil
}

func newestIn(path string) (string, error) {
	d, err := openDest(path, false)
	if err != nil {
		return "", err
	}
	defer d.close()
	return d.choose("")
}

// without are those of some erasures that a snapshot does not have, so that it has what they erase.
func (d *dest) without(snapshot string, erased []*record.Erasure) (missing []*record.Erasure, err error) {
	cp, err := d.openCopy(snapshot)
	if err != nil {
		return nil, err
	}
	defer cp.Close()
	err = cp.View(func(tx *bucket.Tx) error {
		for _, e := range erased {
			has, err := withdrawn.Erasures.Lookup(tx, e.ID)
			switch {
			case errors.Is(err, bucket.ErrNotFound), err == nil && (!has.Begun.Equal(e.Begun) || has.Done.IsZero()):
				missing = append(missing, e)
			case err != nil:
				return err
			}
		}
		return nil
	})
	return missing, err
}

// rewrite replaces a snapshot, if it has what was erased.
func (d *dest) rewrite(ctx context.Context, name, repository string, erased []*record.Erasure) (changed bool, err error) {
	m, err := d.manifest(name)
	if err != nil {
		return false, err
	}
	if !identity.Same(m.Repository, repository) {
		return false, nil
	}
	missing, err := d.without(name, erased)
	if err != nil || len(missing) == 0 {
		return false, err
	}
	dir := snapshots + "/" + name + partial
	if err := d.root.RemoveAll(dir); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, d.root.RemoveAll(dir)) }() // nothing is there when it went well
	if err := d.erasedCopy(ctx, m, dir, missing); err != nil {
		return false, err
	}
	if err := d.describe(ctx, m, dir); err != nil {
		return false, err
	}
	return true, d.exchange(name)
}

// erasedCopy writes the database of a snapshot without what was erased into another directory.
func (d *dest) erasedCopy(ctx context.Context, m *Manifest, dir string, erased []*record.Erasure) error {
	if err := d.verifySum(ctx, place(m.Snapshot, bucket.FileName), m.Database); err != nil {
		return err
	}
	in, _, err := d.openFile(place(m.Snapshot, bucket.FileName))
	if err != nil {
		return err
	}
	defer in.Close()
	work := dir + "/work" // what opening a store leaves beside it stays there
	if err := errors.Join(d.root.Mkdir(dir, 0o700), d.root.Mkdir(work, 0o700)); err != nil {
		return err
	}
	c := &creation{d: d}
	if _, err := c.write(work+"/"+bucket.FileName, func(w io.Writer) error { _, err := io.Copy(w, in); return err }); err != nil {
		return err
	}
	at := filepath.Join(d.path, filepath.FromSlash(work))
	db, err := bucket.Open(at, bucket.Options{Existing: true})
	if err != nil {
		return err
	}
	_, err = erasure.Again(ctx, db, erased)
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	if _, err := bucket.Compact(ctx, at, compaction.Options{}); err != nil {
		return err
	}
	return errors.Join(d.root.Rename(work+"/"+bucket.FileName, dir+"/"+bucket.FileName), d.root.RemoveAll(work))
}

// describe reads a database that was rewritten, and writes its list of blobs and its manifest.
func (d *dest) describe(ctx context.Context, old *Manifest, dir string) error {
	m, c := *old, &creation{d: d}
	f, size, err := d.openFile(dir + "/" + bucket.FileName)
	if err != nil {
		return err
	}
	sum, _, err := hashFile(ctx, f, func(int) {})
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	cp, err := d.openCopy(m.Snapshot + partial)
	if err != nil {
		return err
	}
	defer cp.Close()
	var damaged error
	_, err = cp.Verify(ctx, func(b *damage.Error) { damaged = errors.Join(damaged, b) })
	if err = errors.Join(err, damaged); err != nil {
		return err
	}
	at, err := cp.Position()
	if err != nil {
		return err
	}
	if m.Erased == 0 {
		m.Erased = m.Sequence
	}
	m.Database, m.Sequence, m.Head = Part{size, sum.String()}, at.Sequence, hex.EncodeToString(at.Hash[:])
	named := map[string]bool{}
	for _, lost := range m.Missing {
		named[lost.SHA256] = false
	}
	m.Blobs, m.BlobBytes = 0, 0
	m.BlobList, err = c.write(dir+"/"+listName, func(w io.Writer) error {
		all, err := d.union([]*Manifest{old})
		if err != nil {
			return err
		}
		defer all.close()
		err = files.Blobs(ctx, cp, func(b files.BlobName) error {
			if _, lost := named[b.SHA256]; lost {
				named[b.SHA256] = true
			}
			for all.more && all.now.ref.String() < b.SHA256 {
				if err := all.advance(); err != nil {
					return err
				}
			}
			if !all.more || all.now.ref.String() != b.SHA256 {
				return nil
			}
			m.Blobs, m.BlobBytes = m.Blobs+1, m.BlobBytes+all.now.size
			_, err := io.WriteString(w, all.now.String())
			return err
		})
		for err == nil && all.more { // to its end, where it is compared with its sum
			err = all.advance()
		}
		return err
	})
	if err != nil {
		return err
	}
	m.Missing = slices.DeleteFunc(slices.Clone(m.Missing), func(lost Missing) bool { return !named[lost.SHA256] })
	m.MissingCount -= len(old.Missing) - len(m.Missing)
	m.Complete = m.MissingCount+m.DamagedCount == 0
	b, err := m.encode()
	if err != nil {
		return err
	}
	if _, err := c.write(dir+"/"+manifestName, func(w io.Writer) error { _, err := w.Write(b); return err }); err != nil {
		return err
	}
	return syncDir(d.root, dir)
}

// exchange puts a snapshot in the place of the one of the same name. Killed in between, endReplacement ends it or takes it back.
func (d *dest) exchange(name string) error {
	at := snapshots + "/" + name
	if err := errors.Join(syncDir(d.root, snapshots), d.root.Rename(at, at+replaced), syncDir(d.root, snapshots)); err != nil {
		return errors.Join(err, d.endReplacement())
	}
	if err := errors.Join(d.root.Rename(at+partial, at), syncDir(d.root, snapshots)); err != nil {
		return errors.Join(err, d.endReplacement())
	}
	return d.endReplacement()
}

// endReplacement ends the replacement of a snapshot: where none has its name the old one gets it back, otherwise the old one goes.
func (d *dest) endReplacement() error {
	names, err := d.between()
	for _, name := range names {
		old, at := snapshots+"/"+name+replaced, snapshots+"/"+name
		if _, absent := d.root.Lstat(at); errors.Is(absent, fs.ErrNotExist) {
			err = errors.Join(err, d.root.Rename(old, at))
		} else {
			err = errors.Join(err, absent, d.root.RemoveAll(old))
		}
	}
	if len(names) > 0 {
		err = errors.Join(err, syncDir(d.root, snapshots))
	}
	if err != nil {
		return fmt.Errorf("cannot end what rewriting the backups has left: %w", err)
	}
	return nil
}

// between are the names of the snapshots that were being replaced.
func (d *dest) between() (names []string, err error) {
	list, err := fs.Glob(d.root.FS(), snapshots+"/*"+replaced)
	for _, path := range list {
		if name := strings.TrimSuffix(filepath.Base(path), replaced); stampPattern.MatchString(name) {
			names = append(names, name)
		}
	}
	return names, err
}
