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
	"time"

	"alcove/blobs"
	blobdir "alcove/blobs/dir"
	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/damage"
	"alcove/bucket/files"
	"alcove/cli/osfile"
)

// Source is the repository that a backup is made of: its open store, which may be in use.
type Source struct {
	Dir   string
	DB    *bucket.DB
	Blobs blobs.Store
}

// Options are the choices of Create.
type Options struct {
	Version string           // of the program, for the manifest
	Keep    int              // how many snapshots stay once a new one is complete, 0 for all
	Rate    int64            // bytes of files a second, 0 for no bound
	Low     bool             // give way to everything else; the calling goroutine must end afterwards
	Now     func() time.Time // nil for the clock of the store
	// Reread is how long it counts that a blob of the backups was read and right; 0 reads all again.
	Reread time.Duration
	// Note is called with changes of the report, one at a time; nil: not called.
	Note func(change func(*Report))
}

// Report is how far a backup is and what came of it.
type Report struct {
	State       string     `json:"state"` // one of the states of a Keeper
	Stage       string     `json:"stage"` // what is being done
	Error       string     `json:"error"` // why it ended early, or what went wrong after its end
	Dest        string     `json:"dest"`
	Snapshot    string     `json:"snapshot"` // empty until it is one
	Started     time.Time  `json:"started"`
	Ended       *time.Time `json:"ended"`
	Sequence    uint64     `json:"sequence"`       // last change that is in it
	Database    int64      `json:"database_bytes"` // copied
	Blobs       int64      `json:"blobs"`          // looked at
	BlobBytes   int64      `json:"blob_bytes"`     // of those that the snapshot has
	Copied      int64      `json:"copied"`         // of them, now
	CopiedBytes int64      `json:"copied_bytes"`
	Removed     []string   `json:"removed"` // older snapshots

	// Of the blobs that lay in the backups already: how many were read again, how many of these were
	// damaged, and when the one was read or copied for which that is longest ago. Older is what is damaged
	// of older snapshots and could not be copied again.
	Reread      int64      `json:"reread"`
	RereadBytes int64      `json:"reread_bytes"`
	DestDamaged int        `json:"damaged_in_backups"`
	OldestRead  *time.Time `json:"oldest_read"`
	Older       []Problem  `json:"older_damaged"` // the first of them
	OlderCount  int        `json:"older_damaged_count"`

	Missing        []Missing       `json:"missing"` // the first of them
	MissingCount   int             `json:"missing_count"`
	DamagedRecords []DamagedRecord `json:"damaged_records"` // the first of them
	DamagedCount   int             `json:"damaged_count"`
}

// Create makes a snapshot of a repository below the directory path, which it makes when it is not
// there. Only blobs that are not there yet are copied; each is compared with its SHA-256
// meanwhile. One that is missing or damaged is named in the manifest, and the rest is copied all
// the same: the caller looks at Complete. On an error there is no snapshot, unless the manifest
// is returned, too: then it is whole, and older ones could not be removed.
func Create(ctx context.Context, src Source, path string, o Options) (*Manifest, error) {
	if o.Now == nil {
		o.Now = src.DB.Time
	}
	if o.Note == nil {
		o.Note = func(func(*Report)) {}
	}
	if o.Low {
		low()
	}
	if err := prepareDest(src.Dir, path); err != nil {
		return nil, err
	}
	d, err := openDest(path, true)
	if err != nil {
		return nil, err
	}
	defer d.close()
	name, err := d.begin(src, o.Now())
	if err != nil {
		return nil, err
	}
	store, err := blobdir.Open(d.path)
	if err != nil {
		return nil, fmt.Errorf("cannot use the backups in %s: %w", d.path, err)
	}
	defer store.Close()
	c := &creation{src: src, d: d, store: store, o: o, pace: pacer(ctx, o.Rate), m: &Manifest{
		Format: formatName, Snapshot: name, Created: o.Now().UTC().Truncate(time.Second), Version: o.Version, Repository: src.DB.Repository(), Founded: src.DB.Identity().Created,
		Missing: []Missing{}, DamagedRecords: []DamagedRecord{},
	}}
	if err := c.run(ctx); err != nil {
		_ = d.root.RemoveAll(snapshots + "/" + name + partial) // or the next backup does
		return nil, err
	}
	o.Note(func(r *Report) { r.Snapshot = name })
	if o.Keep > 0 && c.m.Complete {
		removed, err := d.prune(ctx, o.Keep)
		o.Note(func(r *Report) { r.Removed = append(r.Removed, removed...) })
		if err != nil {
			return c.m, fmt.Errorf("the snapshot %s was made, but older ones could not be removed: %w", name, err)
		}
	}
	return c.m, nil
}

// prepareDest makes the directory of the backups. It must lie outside the data directory, and hold
// none.
func prepareDest(dir, path string) error {
	for _, p := range []struct{ in, of, why string }{
		{path, dir, "it lies in the data directory"}, {dir, path, "the data directory lies in it"},
	} {
		switch inside, err := within(p.in, p.of); {
		case err == nil && inside:
			return fmt.Errorf("cannot make backups in %s: %s", path, p.why)
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("cannot make backups in %s: %w", path, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(path, bucket.FileName)); err == nil {
		return fmt.Errorf("cannot make backups in %s: it is the data directory of a repository", path)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("cannot make the directory of the backups: %w", err)
	}
	parent, err := os.Open(filepath.Dir(filepath.Clean(path)))
	if err == nil {
		err = errors.Join(osfile.SyncNames(parent), parent.Close())
	}
	if err != nil {
		return fmt.Errorf("cannot make the directory of the backups durable: %w", err)
	}
	return nil
}

// begin removes what an earlier process has left behind, and names the next snapshot.
func (d *dest) begin(src Source, now time.Time) (string, error) {
	if err := makeDir(d.root, snapshots); err != nil {
		return "", fmt.Errorf("cannot make a snapshot in %s: %w", d.path, err)
	}
	whole, parts, err := d.names()
	if err != nil {
		return "", err
	}
	for _, p := range parts {
		if err := d.root.RemoveAll(snapshots + "/" + p); err != nil {
			return "", fmt.Errorf("cannot remove an unfinished snapshot: %w", err)
		}
	}
	if len(whole) > 0 {
		last, err := d.manifest(whole[len(whole)-1])
		if err == nil && last.Repository != src.DB.Repository() {
			return "", fmt.Errorf("cannot make backups in %s: there are those of another repository", d.path)
		}
	}
	return stamp(whole, now)
}

// creation is a snapshot that is being made.
type creation struct {
	src   Source
	d     *dest
	store *blobdir.Store // DEST/blobs
	o     Options
	m     *Manifest
	pace  func(n int)
	again *rereading
}

func (c *creation) stage(name string) { c.o.Note(func(r *Report) { r.Stage = name }) }

// run makes the snapshot. The sweeper leaves what was named when it began: what the copy of the
// database names stays until it is copied, though the record goes.
func (c *creation) run(ctx context.Context) error {
	release := c.src.Blobs.Lease(c.src.DB.Time())
	defer release()
	dir := snapshots + "/" + c.m.Snapshot + partial
	if err := c.d.root.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("cannot make a snapshot: %w", err)
	}
	c.stage("database")
	if err := c.copyDatabase(ctx, dir+"/"+bucket.FileName); err != nil {
		return err
	}
	c.stage("records")
	cp, err := c.d.openCopy(c.m.Snapshot + partial)
	if err != nil {
		return err
	}
	defer cp.Close()
	if err := c.verifyRecords(ctx, cp); err != nil {
		return err
	}
	c.stage("files")
	if err := c.beginReading(); err != nil {
		return err
	}
	defer c.again.close()
	if err := c.copyBlobs(ctx, cp, dir+"/"+listName); err != nil {
		return err
	}
	c.stage("end")
	if err := c.store.SyncNames(); err != nil {
		return err
	}
	c.m.Complete = c.m.MissingCount+c.m.DamagedCount == 0
	if err := c.again.ledger.finish(); err != nil {
		return err
	}
	b, err := c.m.encode()
	if err != nil {
		return err
	}
	_, err = c.write(dir+"/"+manifestName, func(w io.Writer) error { _, err := w.Write(b); return err })
	if err == nil {
		err = syncDir(c.d.root, dir)
	}
	if err == nil {
		err = c.d.root.Rename(dir, snapshots+"/"+c.m.Snapshot)
	}
	if err == nil {
		err = syncDir(c.d.root, snapshots)
	}
	if err != nil {
		return fmt.Errorf("cannot finish the snapshot: %w", err)
	}
	return nil
}

// write makes a file of the snapshot, durably, and returns its size and sum.
func (c *creation) write(name string, content func(io.Writer) error) (Part, error) {
	f, err := c.d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return Part{}, err
	}
	sha, size := sha256.New(), new(counter)
	err = content(io.MultiWriter(f, sha, size))
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return Part{}, err
	}
	return Part{int64(*size), hex.EncodeToString(sha.Sum(nil))}, nil
}

// counter counts bytes that are written to it.
type counter int64

func (n *counter) Write(b []byte) (int, error) {
	*n += counter(len(b))
	return len(b), nil
}

func (c *creation) copyDatabase(ctx context.Context, name string) (err error) {
	var at changelog.Head
	c.m.Database, err = c.write(name, func(w io.Writer) (err error) {
		at, err = c.src.DB.CopyTo(ctx, w)
		return err
	})
	if err != nil {
		return err
	}
	c.m.Sequence, c.m.Head = at.Sequence, hex.EncodeToString(at.Hash[:])
	c.o.Note(func(r *Report) { r.Sequence, r.Database = at.Sequence, c.m.Database.Size })
	return nil
}

// verifyRecords reads every record of the copy again, and notes those that are damaged.
func (c *creation) verifyRecords(ctx context.Context, cp *bucket.Copy) error {
	_, err := cp.Verify(ctx, func(b *damage.Error) { c.damaged(DamagedRecord{b.Table(), b.KeyText(), b.Reason}) })
	if errors.Is(err, changelog.ErrChain) {
		c.damaged(DamagedRecord{Table: "log", Reason: err.Error()})
		return nil
	}
	return err
}

func (c *creation) damaged(r DamagedRecord) {
	if c.m.DamagedCount++; len(c.m.DamagedRecords) < maxNamed {
		c.m.DamagedRecords = append(c.m.DamagedRecords, r)
	}
	c.o.Note(func(rep *Report) { rep.DamagedRecords, rep.DamagedCount = c.m.DamagedRecords, c.m.DamagedCount })
}

// copyBlobs copies what the copy of the database names, and writes the list of what is there.
func (c *creation) copyBlobs(ctx context.Context, cp *bucket.Copy, name string) (err error) {
	c.m.BlobList, err = c.write(name, func(w io.Writer) error {
		return files.Blobs(ctx, cp, func(b files.BlobName) error {
			e, why, err := c.copyBlob(ctx, b)
			switch {
			case err != nil:
				return err
			case why == "":
				c.m.Blobs, c.m.BlobBytes = c.m.Blobs+1, c.m.BlobBytes+e.size
				_, err = io.WriteString(w, e.String())
			case b.Finished:
				if c.m.MissingCount++; len(c.m.Missing) < maxNamed {
					c.m.Missing = append(c.m.Missing, Missing{b.SHA256, b.Files, why})
				}
			}
			c.o.Note(func(r *Report) {
				r.Blobs++
				r.BlobBytes, r.Missing, r.MissingCount = c.m.BlobBytes, c.m.Missing, c.m.MissingCount
			})
			return err
		})
	})
	if err == nil {
		err = c.upTo(ctx, nil)
	}
	return err
}

// copyBlob sees to it that a blob is among those of the backups, whole. It says why when the
// repository has no good one either, and fails when it cannot be stored.
func (c *creation) copyBlob(ctx context.Context, b files.BlobName) (e entry, why string, err error) {
	if e.ref, err = blobs.ParseRef(b.SHA256); err != nil {
		return e, err.Error(), nil
	}
	if err := c.upTo(ctx, &e.ref); err != nil {
		return e, "", err
	}
	e.size = b.Size
	if b.Size < 0 { // no record tells
		if info, err := c.store.Stat(e.ref); err == nil {
			e.size = info.Size
		}
	}
	if why, err := c.trusted(ctx, e); err != nil || why == "" {
		return e, "", err
	}
	e, why, err = c.copyAgain(ctx, b, e)
	if err == nil && why != "" {
		c.again.ledger.note(e.ref, c.again.now, wasDamaged) // or missing, if older snapshots have it
	}
	return e, why, err
}

// reader waits before it reads, and notes why it could not.
type reader struct {
	r    io.Reader
	pace func(n int)
	err  error
}

func (r *reader) Read(b []byte) (int, error) {
	r.pace(len(b))
	n, err := r.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// pacer waits so that no more than rate bytes a second pass, 0 for no bound.
func pacer(ctx context.Context, rate int64) func(n int) {
	next := time.Now()
	return func(n int) {
		if rate <= 0 {
			return
		}
		if now := time.Now(); next.Before(now) {
			next = now
		}
		next = next.Add(time.Duration(float64(n) / float64(rate) * float64(time.Second)))
		select {
		case <-time.After(time.Until(next)):
		case <-ctx.Done():
		}
	}
}
