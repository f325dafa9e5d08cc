package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"alcove/blobs"
	"alcove/bucket"
	"alcove/bucket/damage"
	"alcove/bucket/files"
)

// Problem is something in the backups that is not as it was written.
type Problem struct {
	Snapshot string `json:"snapshot"` // names of those that need it, with commas
	Kind     string `json:"kind"`     // manifest, database, record, list or blob
	Name     string `json:"name"`     // of a record: its table and key; of a blob: its SHA-256
	Reason   string `json:"reason"`
}

// Checked is what Verify has read and found.
type Checked struct {
	Snapshots  []Manifest `json:"snapshots"`  // whose manifest can be read
	Unfinished []string   `json:"unfinished"` // directories of snapshots that did not come to their end
	Records    int64      `json:"records"`
	Blobs      int64      `json:"blobs"`
	Bytes      int64      `json:"bytes"`    // of blobs that were read
	Problems   []Problem  `json:"problems"` // the first of them
	Found      int        `json:"found"`    // how many there are

	// Of a look at sizes: blobs that were not read since they were copied, as far as the ledger knows, and
	// when the other one was read for which that is longest ago.
	Unread     int64      `json:"unread"`
	OldestRead *time.Time `json:"oldest_read"`
}

func (c *Checked) problem(snapshot, kind, name string, err error) {
	if c.Found++; len(c.Problems) < maxNamed {
		c.Problems = append(c.Problems, Problem{snapshot, kind, name, err.Error()})
	}
}

// Checks are the choices of Verify.
type Checks struct {
	Snapshot string // only that one; empty for all
	Quick    bool   // look at sizes of blobs, and what is known of them, instead of reading them
	Rate     int64  // bytes of blobs a second, 0 for no bound
	Note     func(Checked)
}

// Verify reads backups again: manifests, databases with each of their records, lists, and every
// blob once. It returns an error only when it could not come to its end. Files that it has read
// are noted in the log of readings, where the backups can be written.
func Verify(ctx context.Context, path string, o Checks) (*Checked, error) {
	d, notes, err := openToVerify(path, o.Quick)
	if err != nil {
		return nil, err
	}
	defer d.close()
	whole, parts, err := d.names()
	if err != nil {
		return nil, err
	}
	if o.Snapshot != "" || len(whole) == 0 {
		one, err := d.choose(o.Snapshot)
		if err != nil {
			return nil, err
		}
		whole = []string{one}
	}
	c := &Checked{Snapshots: []Manifest{}, Unfinished: append([]string{}, parts...), Problems: []Problem{}}
	var listed []*Manifest
	for _, s := range whole {
		m, err := d.manifest(s)
		if err != nil {
			c.problem(s, "manifest", manifestName, err)
			continue
		}
		c.Snapshots = append(c.Snapshots, *m)
		if err := d.eachBlob(m, func(entry) error { return ctx.Err() }); err != nil {
			c.problem(s, "list", listName, err)
		} else {
			listed = append(listed, m)
		}
		if err := d.verifyDatabase(ctx, m, c); err != nil {
			c.problem(s, "database", bucket.FileName, err)
		}
		if ctx.Err() != nil {
			return c, context.Cause(ctx)
		}
	}
	return c, d.verifyBlobs(ctx, listed, o, notes, c)
}

// openToVerify opens backups, to write the ledger if that can be done.
func openToVerify(path string, quick bool) (d *dest, notes bool, err error) {
	if _, err := os.Stat(filepath.Join(path, snapshots)); err == nil && !quick {
		if d, err = openDest(path, true); err == nil || errors.Is(err, ErrBusy) {
			return d, true, err
		}
	}
	d, err = openDest(path, false)
	return d, false, err
}

// verifyDatabase compares the database of a snapshot with its manifest and its list of blobs.
func (d *dest) verifyDatabase(ctx context.Context, m *Manifest, c *Checked) error {
	if err := d.verifySum(ctx, place(m.Snapshot, bucket.FileName), m.Database); err != nil {
		return err
	}
	cp, err := d.openCopy(m.Snapshot)
	if err != nil {
		return err
	}
	defer cp.Close()
	if err := verifyPosition(cp, m); err != nil {
		return err
	}
	damaged := 0
	read, err := cp.Verify(ctx, func(b *damage.Error) {
		if damaged++; damaged > m.DamagedCount { // otherwise the manifest says so, and the sum is right
			c.problem(m.Snapshot, "record", b.Table()+" "+b.KeyText(), errors.New(b.Reason))
		}
	})
	if c.Records += read; err != nil && m.DamagedCount == 0 {
		return err
	}
	return d.compareNames(ctx, cp, m)
}

// verifyPosition compares where the change log of a copy ends with what a manifest says.
func verifyPosition(cp *bucket.Copy, m *Manifest) error {
	at, err := cp.Position()
	if err != nil {
		return err
	}
	repository, err := cp.Repository()
	if err != nil {
		return err
	}
	if at.Sequence != m.Sequence || hex.EncodeToString(at.Hash[:]) != m.Head || repository != m.Repository {
		return errors.New("it is not the one that the manifest tells of")
	}
	return nil
}

// compareNames looks for blobs that a database names and that are neither in the list of its
// snapshot nor missing by its manifest.
func (d *dest) compareNames(ctx context.Context, cp *bucket.Copy, m *Manifest) error {
	all, err := d.union([]*Manifest{m})
	if err != nil {
		return nil // that the list is damaged has been said
	}
	defer all.close()
	absent, first := 0, ""
	err = files.Blobs(ctx, cp, func(b files.BlobName) error {
		for all.more && all.now.ref.String() < b.SHA256 {
			if err := all.advance(); err != nil {
				return err
			}
		}
		if b.Finished && !(all.more && all.now.ref.String() == b.SHA256) {
			if absent++; absent > m.MissingCount {
				first = b.SHA256
			}
		}
		return nil
	})
	if err == nil && absent > m.MissingCount {
		err = fmt.Errorf("it names %d blobs that are not in the list, such as %s, and the manifest tells of %d", absent, first, m.MissingCount)
	}
	return err
}

// verifySum compares a file of a snapshot with its size and sum.
func (d *dest) verifySum(ctx context.Context, name string, want Part) error {
	f, size, err := d.openFile(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if size != want.Size {
		return fmt.Errorf("it has %d bytes and should have %d", size, want.Size)
	}
	sum, _, err := hashFile(ctx, f, func(int) {})
	if err == nil && sum.String() != want.SHA256 {
		err = fmt.Errorf("its SHA-256 is %s", sum)
	}
	return err
}

// hashFile reads a file, from the disk where the system lets us ask for that.
func hashFile(ctx context.Context, f *os.File, pace func(n int)) (sum blobs.Ref, n int64, err error) {
	afresh(f)
	sha, piece := sha256.New(), make([]byte, 256<<10)
	for {
		if ctx.Err() != nil {
			return sum, n, context.Cause(ctx)
		}
		pace(len(piece))
		got, err := f.Read(piece)
		sha.Write(piece[:got])
		n += int64(got)
		if errors.Is(err, io.EOF) {
			return blobs.Ref(sha.Sum(nil)), n, nil
		}
		if err != nil {
			return sum, n, err
		}
	}
}

// verifyBlobs reads each blob that a snapshot has, once.
func (d *dest) verifyBlobs(ctx context.Context, listed []*Manifest, o Checks, notes bool, c *Checked) error {
	all, err := d.union(listed)
	if err != nil {
		return err
	}
	defer all.close()
	known, err := d.openLedger(notes, true)
	if err != nil {
		return err
	}
	defer known.close()
	pace := pacer(ctx, o.Rate)
	for all.more {
		was := known.look(all.now.ref)
		err := d.verifyBlob(ctx, all.now, o.Quick, pace, c)
		if o.Quick {
			if err == nil && was.state == wasDamaged {
				err = fmt.Errorf("it was found damaged at %s", was.at.Format(time.RFC3339))
			}
			c.notRead(was)
		} else if ctx.Err() == nil {
			known.note(all.now.ref, time.Now(), map[bool]string{true: wasRead, false: wasDamaged}[err == nil])
		}
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			c.problem(strings.Join(all.in, ","), "blob", all.now.ref.String(), err)
		}
		c.Blobs++
		if o.Note != nil {
			o.Note(*c)
		}
		if err := all.advance(); err != nil {
			return err
		}
	}
	if !notes {
		return nil
	}
	return known.finish()
}

// notRead counts what a look at sizes leaves out.
func (c *Checked) notRead(was noted) {
	switch {
	case was.state == "" || was.state == wasCopied:
		c.Unread++
	case c.OldestRead == nil || was.at.Before(*c.OldestRead):
		c.OldestRead = &was.at
	}
}

func (d *dest) verifyBlob(ctx context.Context, e entry, quick bool, pace func(int), c *Checked) error {
	f, size, err := d.openFile(blobPath(e.ref))
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("it is missing")
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if size != e.size {
		return fmt.Errorf("it has %d bytes and should have %d", size, e.size)
	}
	if quick {
		return nil
	}
	sum, n, err := hashFile(ctx, f, pace)
	c.Bytes += n
	if err == nil && sum != e.ref {
		err = fmt.Errorf("its SHA-256 is %s", sum)
	}
	return err
}

// Listed is a snapshot in a list of them: Manifest, or why it cannot be read.
type Listed struct {
	Manifest
	Problem string `json:"problem"`
}

// List lists the snapshots below a directory, the oldest first. It reads nothing but manifests.
func List(path string) ([]Listed, error) {
	d, err := openDest(path, false)
	if errors.Is(err, ErrBusy) { // making one does not change those that are there
		var root *os.Root
		if root, err = os.OpenRoot(path); err == nil {
			d = &dest{path: path, root: root}
		}
	}
	if err != nil {
		return nil, err
	}
	defer d.close()
	whole, _, err := d.names()
	if err != nil {
		return nil, err
	}
	list := []Listed{}
	for _, s := range whole {
		l := Listed{}
		if m, err := d.manifest(s); err == nil {
			l.Manifest = *m
		} else {
			l.Snapshot, l.Problem = s, err.Error()
		}
		list = append(list, l)
	}
	return list, nil
}
