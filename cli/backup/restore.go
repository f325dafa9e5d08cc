package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"alcove/blobs"
	blobdir "alcove/blobs/dir"
	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/identity"
	_ "alcove/bucket/tables"
	"alcove/cli/osfile"
)

// restoring is where the database is until everything else is there.
const restoring = "restoring"

// Restores are the choices of Restore.
type Restores struct {
	Snapshot string // empty for the newest
	Partial  bool   // do with what is there, when something is missing
	// Changes after the snapshot are told by the other snapshots, and by Old, a data directory of
	// the same repository that no program has open; empty for none.
	Old          string
	NextID       int64 // no id below it is given, 0 for no such bound
	RevokeTokens bool  // end all tokens and private links
	AsItWas      bool  // look at nothing that happened after the snapshot, and give ids a second time
	// Rebuild restores into a data directory that has lost its database: the bytes of files that
	// are there stay, and those that no record names then are not swept before an operator says so.
	Rebuild bool
	// Repository is the id of the one that the snapshot must be of; empty for any.
	Repository string
	// Drill leaves the directory as one that no server takes, with its database in its temporary place.
	Drill bool
	Note  func(Restored)
}

// Restored is what Restore has brought back.
type Restored struct {
	Manifest Manifest  `json:"manifest"`
	Dir      string    `json:"dir"`
	Blobs    int64     `json:"blobs"` // that are there
	Bytes    int64     `json:"bytes"` // of them
	Problems []Problem `json:"problems"`
	Found    int       `json:"found"` // how many problems there are
	Whole    bool      `json:"whole"` // the directory can be used

	// The changes reconciled before that; null when it did not come to it. Unread are the other
	// snapshots that could not be asked.
	Reconciled *Reconciled `json:"settled"`
	Unread     []Problem   `json:"unread"`
}

// ErrNotWhole says that something of a snapshot is missing or damaged, so that the directory was
// not made one that a server takes.
var ErrNotWhole = errors.New("the snapshot is not whole")

// Restore makes a data directory of a snapshot. The directory must not be there, or be empty, or
// hold the beginning of a restore, which then goes on. Everything is compared with its sum while
// it is copied. The database comes to its place last; until then, and until all of that is on the
// disk, no server takes the directory. Damage that the sums of the manifest show is no error but
// named in Problems; without Partial the end is ErrNotWhole then. Rights ended after the snapshot
// stay ended, and ids that were given since are not given again.
func Restore(ctx context.Context, path, dir string, o Restores) (*Restored, error) {
	d, err := openDest(path, false)
	if err != nil {
		return nil, err
	}
	defer d.close()
	name, err := d.choose(o.Snapshot)
	if err != nil {
		return nil, err
	}
	m, err := d.manifest(name)
	if err != nil {
		return nil, err
	}
	if o.Repository != "" && !identity.Same(o.Repository, m.Repository) {
		return nil, fmt.Errorf("cannot restore %s: it is of the repository %s, and %s is that of %s", name, m.Repository, dir, o.Repository)
	}
	if err := d.fenced(name); err != nil {
		return nil, fmt.Errorf("cannot restore the snapshot %s: %w", name, err)
	}
	t, err := openTarget(d.path, dir, o.Rebuild)
	if err != nil {
		return nil, err
	}
	defer t.close()
	r := &Restored{Manifest: *m, Dir: dir, Problems: []Problem{}, Unread: []Problem{}}
	for _, lost := range m.Missing {
		r.problem(lost.SHA256, errors.New("it was not there when the backup was made: "+lost.Reason))
	}
	r.Found = m.MissingCount
	if err := t.database(ctx, d, m); err != nil {
		return r, fmt.Errorf("cannot restore the database: %w", err)
	}
	if err := t.fill(ctx, d, m, r, o.Note); err != nil {
		return r, err
	}
	if r.Found > 0 && !o.Partial {
		return r, ErrNotWhole
	}
	if err := t.reconcile(ctx, d, m, o, r); err != nil {
		return r, fmt.Errorf("cannot reconcile what happened after the snapshot: %w", err)
	}
	if o.Drill {
		return r, nil
	}
	if err := t.finish(); err != nil {
		return r, fmt.Errorf("cannot finish the restore: %w", err)
	}
	r.Whole = true
	return r, nil
}

func (r *Restored) problem(sha string, err error) {
	if r.Found++; len(r.Problems) < maxNamed {
		r.Problems = append(r.Problems, Problem{r.Manifest.Snapshot, "blob", sha, err.Error()})
	}
}

// target is a data directory that is being restored.
type target struct {
	path  string
	root  *os.Root
	note  *os.File // identity.Unfinished, locked
	again bool     // a restore has begun there before, or the bytes of files were there
	hold  bool     // what no record names is not to be swept
}

// openTarget makes the directory, or takes one that is empty or the beginning of a restore.
func openTarget(backups, dir string, rebuild bool) (*target, error) {
	for _, p := range [][2]string{{dir, backups}, {backups, dir}} {
		inside, err := within(p[0], p[1])
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("cannot restore to %s: %w", dir, err)
		}
		if inside {
			return nil, fmt.Errorf("cannot restore to %s: the backups must be elsewhere", dir)
		}
	}
	if err := makeTarget(filepath.Clean(dir)); err != nil {
		return nil, fmt.Errorf("cannot restore: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot restore: %w", err)
	}
	t := &target{path: dir, root: root, hold: rebuild}
	if err := t.take(); err != nil {
		t.close()
		return nil, fmt.Errorf("cannot restore to %s: %w", dir, err)
	}
	return t, nil
}

// makeTarget makes the directory under another name, and gives it its own when the note is in it: at no
// moment it is one in which a server would make a new repository.
func makeTarget(dir string) error {
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err // or it is there
	}
	next := dir + ".restoring"
	if err := os.MkdirAll(next, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(next)
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := root.Open(".")
	if err != nil {
		return err
	}
	names, err := f.Readdirnames(-1)
	f.Close()
	if err != nil {
		return err
	}
	if len(names) > 0 && !slices.Equal(names, []string{identity.Unfinished}) {
		return fmt.Errorf("%s is in the way", next)
	}
	note, err := root.OpenFile(identity.Unfinished, os.O_WRONLY|os.O_CREATE, 0o600)
	if err == nil {
		err = errors.Join(note.Sync(), note.Close(), syncDir(root, "."))
	}
	if err != nil {
		return err
	}
	return os.Rename(next, dir)
}

// take puts the note in the directory that makes it one that no server takes, before anything else.
func (t *target) take() error {
	names, err := identity.Holdings(t.path)
	if err != nil {
		return err
	}
	t.again = slices.Contains(names, identity.Unfinished) || t.hold
	if !t.again && len(names) > 0 {
		return fmt.Errorf("it is not empty, it has %s", strings.Join(names, ", "))
	}
	if t.note, err = t.root.OpenFile(identity.Unfinished, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	if err := lockFile(t.note, true); err != nil {
		return err
	}
	if err := t.note.Sync(); err != nil {
		return err
	}
	// A database that is there came there in the last steps of a restore, perhaps of another
	// snapshot: it is not one until the others are done.
	if err := t.root.Remove(bucket.FileName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := t.root.RemoveAll(restoring); err != nil {
		return err
	}
	if err := t.root.Mkdir(restoring, 0o700); err != nil {
		return err
	}
	return errors.Join(syncDir(t.root, "."), t.syncParent())
}

func (t *target) syncParent() error {
	abs, err := filepath.Abs(t.path)
	if err != nil {
		return err
	}
	f, err := os.Open(filepath.Dir(abs))
	if err != nil {
		return err
	}
	return errors.Join(osfile.SyncNames(f), f.Close())
}

func (t *target) close() {
	if t.note != nil {
		t.note.Close()
	}
	t.root.Close()
}

// database copies the database to where no server looks for it, and makes it one that can be used
// without what is in no backup.
func (t *target) database(ctx context.Context, d *dest, m *Manifest) error {
	name := place(m.Snapshot, bucket.FileName)
	in, size, err := d.openFile(name)
	if err != nil {
		return err
	}
	defer in.Close()
	if size != m.Database.Size {
		return fmt.Errorf("it has %d bytes and should have %d", size, m.Database.Size)
	}
	to := restoring + "/" + bucket.FileName
	out, err := t.root.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	if _, err := io.Copy(out, &reader{r: in, pace: func(int) {}}); err != nil {
		return err
	}
	if err := out.Sync(); err != nil {
		return err
	}
	if _, err := out.Seek(0, io.SeekStart); err != nil {
		return err
	}
	sum, _, err := hashFile(ctx, out, func(int) {}) // what has arrived
	if err != nil {
		return err
	}
	if sum.String() != m.Database.SHA256 {
		return fmt.Errorf("its SHA-256 is %s", sum)
	}
	cp, err := bucket.OpenCopy(func(flag int) (*os.File, error) { return t.root.OpenFile(to, flag, 0) })
	if err != nil {
		return err
	}
	err = verifyPosition(cp, m)
	if err := errors.Join(err, cp.Close()); err != nil {
		return err
	}
	db, err := bucket.Open(filepath.Join(t.path, restoring), bucket.Options{Existing: true})
	if err != nil {
		return err
	}
	if t.hold {
		err = files.HoldSweep(ctx, db)
	}
	return errors.Join(err, files.ForgetParts(ctx, db), db.Close())
}

// fill copies the blobs of a snapshot. Those that an earlier try has brought are compared again.
func (t *target) fill(ctx context.Context, d *dest, m *Manifest, r *Restored, note func(Restored)) error {
	store, err := blobdir.Open(t.path)
	if err != nil {
		return err
	}
	defer store.Close()
	err = d.eachBlob(m, func(e entry) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		why, err := t.bring(ctx, d, store, e)
		if err != nil {
			return err
		}
		if why != nil {
			r.problem(e.ref.String(), why)
		} else {
			r.Blobs, r.Bytes = r.Blobs+1, r.Bytes+e.size
		}
		if note != nil {
			note(*r)
		}
		return nil
	})
	return errors.Join(err, store.SyncNames())
}

// bring copies a blob, and says why the backups have no good one.
func (t *target) bring(ctx context.Context, d *dest, store *blobdir.Store, e entry) (why, err error) {
	if t.again {
		if sums, err := store.Verify(ctx, e.ref, func(int) {}); err == nil && sums.Size == e.size {
			return nil, nil
		}
	}
	f, size, err := d.openFile(blobPath(e.ref))
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("it is missing"), nil
	}
	if err != nil {
		return err, nil
	}
	defer f.Close()
	if size != e.size {
		return fmt.Errorf("it has %d bytes and should have %d", size, e.size), nil
	}
	in, marks := &reader{r: f, pace: func(int) {}}, new(blobs.ChunkSums)
	_, err = store.Fill(ctx, in, e.ref, marks.Add)
	switch {
	case err == nil:
		_ = store.Keep(e.ref, marks) // or they are made when they are needed
		return nil, store.ClearDamaged(e.ref)
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case in.err != nil:
		return in.err, nil
	case errors.Is(err, blobs.ErrDamaged):
		return errors.New("its bytes have another SHA-256"), nil
	}
	return nil, err
}

// finish puts the database in its place, and then takes the note away that keeps servers off.
func (t *target) finish() error {
	if err := t.root.Rename(restoring+"/"+bucket.FileName, bucket.FileName); err != nil {
		return err
	}
	if err := syncDir(t.root, "."); err != nil {
		return err
	}
	if err := errors.Join(t.root.RemoveAll(restoring), t.root.Remove(identity.Unfinished)); err != nil {
		return err
	}
	return syncDir(t.root, ".")
}
