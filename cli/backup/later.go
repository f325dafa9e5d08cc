package backup

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"alcove/blobs"
	blobdir "alcove/blobs/dir"
	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/compaction"
	"alcove/bucket/identity"
	"alcove/cli/erasure"
	"alcove/record"
)

// later are the copies of a repository that may tell what happened after a snapshot: those in the
// other snapshots, and what is left of a data directory.
type later struct {
	d      *dest
	m      *Manifest
	copies []*bucket.Copy
	names  []string  // of their snapshots, or the directory
	own    []uint64  // the last entry that is the repository's own, 0 where all are
	unread []Problem // those of which not all can be learned
}

// open opens the copies. The history of most snapshots is the beginning of a newer one's: those are
// passed over.
func (l *later) open(old string) error {
	if old != "" {
		c, err := bucket.OpenCopy(func(flag int) (*os.File, error) { return os.OpenFile(filepath.Join(old, bucket.FileName), flag, 0) })
		if err != nil {
			return fmt.Errorf("cannot learn from %s: %w", old, err)
		}
		l.copies, l.names, l.own = append(l.copies, c), append(l.names, old), append(l.own, 0)
		repository, err := c.Repository()
		if err == nil && !identity.Same(repository, l.m.Repository) {
			err = errors.New("it is another repository")
		}
		if err != nil {
			return fmt.Errorf("cannot learn from %s: %w", old, err)
		}
	}
	whole, _, err := l.d.names()
	if err != nil {
		return err
	}
	for _, name := range slices.Backward(whole) {
		if name == l.m.Snapshot {
			continue
		}
		if err := l.openSnapshot(name); err != nil {
			l.missed(name, err)
		}
	}
	return nil
}

func (l *later) openSnapshot(name string) error {
	m, err := l.d.manifest(name)
	if err != nil {
		return err
	}
	if !identity.Same(m.Repository, l.m.Repository) {
		return nil
	}
	at := changelog.Head{Sequence: m.Sequence}
	if _, err := hex.Decode(at.Hash[:], []byte(m.Head)); err != nil {
		return err
	}
	for _, c := range l.copies {
		if has, err := c.Has(at); err == nil && has {
			return nil
		}
	}
	c, err := l.d.openCopy(name)
	if err == nil {
		l.copies, l.names, l.own = append(l.copies, c), append(l.names, name), append(l.own, m.Erased)
	}
	return err
}

func (l *later) missed(name string, err error) {
	l.unread = append(l.unread, Problem{name, "database", bucket.FileName, err.Error()})
}

func (l *later) close() {
	for _, c := range l.copies {
		c.Close()
	}
}

// reconcile ends again in the restored store, still in its temporary place, what ended later.
func (t *target) reconcile(ctx context.Context, d *dest, m *Manifest, o Restores, r *Restored) error {
	l := &later{d: d, m: m}
	defer l.close()
	if !o.AsItWas {
		if err := l.open(o.Old); err != nil {
			return err
		}
	}
	own, err := d.openCopy(m.Snapshot)
	if err != nil {
		return err
	}
	defer own.Close()
	erased, err := d.erasures(m.Repository)
	if err != nil {
		return err
	}
	s := reconcileOptions{Erased: erased, LastIDs: map[string]int64{}, NextID: o.NextID, Revoke: o.RevokeTokens}
	for n, c := range l.copies {
		ids, err := c.LastIDs()
		for name, id := range ids {
			s.LastIDs[name] = max(s.LastIDs[name], id)
		}
		place := uint64(0)
		if err == nil {
			place, err = own.Common(c)
		}
		if err != nil {
			l.missed(l.names[n], err)
			continue
		}
		if l.own[n] > 0 && place >= l.own[n] {
			continue // behind it are erasures, which are known otherwise
		}
		s.Later = append(s.Later, laterCopy{Name: l.names[n], Copy: c, Since: place})
	}
	store, err := blobdir.Open(t.path)
	if err != nil {
		return err
	}
	defer store.Close()
	s.Stored = func(sha string) bool {
		ref, err := blobs.ParseRef(sha)
		if err == nil {
			_, err = store.Stat(ref)
		}
		return err == nil
	}
	db, err := bucket.Open(filepath.Join(t.path, restoring), bucket.Options{Existing: true})
	if err != nil {
		return err
	}
	s.Missed = l.missed
	r.Reconciled, err = reconcile(ctx, db, s)
	r.Unread = append(r.Unread, l.unread...)
	if r.Reconciled != nil && o.Old != "" && !slices.ContainsFunc(l.unread, func(p Problem) bool { return p.Snapshot == o.Old }) {
		r.Reconciled.Known = true // also when nothing happened
	}
	if err == nil {
		err = t.forget(db, store, r.Reconciled.Erased)
	}
	if err = errors.Join(err, db.Close()); err != nil || len(r.Reconciled.Erased) == 0 {
		return err
	}
	_, err = bucket.Compact(ctx, filepath.Join(t.path, restoring), compaction.Options{}) // its free pages have the words
	return err
}

// forget removes the bytes of erasures that no record names any more.
func (t *target) forget(db *bucket.DB, store *blobdir.Store, erased []record.Erasure) error {
	for i := range erased {
		gone, err := erasure.Unnamed(db, &erased[i])
		if err != nil {
			return err
		}
		for _, sha := range gone {
			ref, err := blobs.ParseRef(sha)
			if err != nil {
				return err
			}
			if err := store.Erase(ref); err != nil {
				return err
			}
		}
	}
	return nil
}
