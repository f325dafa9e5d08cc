package backup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"alcove/blobs"
	blobdir "alcove/blobs/dir"
	"alcove/bucket"
	"alcove/bucket/damage"
	"alcove/bucket/files"
)

// DrillName is the directory, in the one that Drills names, into which a restore is tried. It is removed
// before and after.
const DrillName = "alcove-drill"

// Drills says when a server tries to restore its newest backup.
type Drills struct {
	Dir     string        // absolute; there must be space for a second repository
	Every   time.Duration // 0 for never
	Reserve int64         // bytes of its disk that stay free
}

// Drilled is what is known of the restores that were tried.
type Drilled struct {
	LastSuccess *time.Time `json:"last_success"` // its end
	Snapshot    string     `json:"snapshot"`     // restored then
	Seconds     float64    `json:"seconds"`      // it took
	Records     int64      `json:"records"`      // read of the restored database
	Blobs       int64      `json:"blobs"`
	Bytes       int64      `json:"bytes"` // of them
	LastTry     *time.Time `json:"last_try"`
	LastError   string     `json:"last_error"` // of the last try, empty when it went well
}

// Drill restores the newest complete snapshot into a directory below dir, opens what is there, reads each
// record, compares the files that records name with those that are there, and removes it all.
func Drill(ctx context.Context, path string, o Drills) (r Drilled, err error) {
	list, err := List(path)
	if err != nil {
		return r, err
	}
	var newest *Manifest
	for i := range list {
		if list[i].Problem == "" && list[i].Complete {
			newest = &list[i].Manifest
		}
	}
	if newest == nil {
		return r, fmt.Errorf("cannot try to restore: no snapshot in %s is complete", path)
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return r, fmt.Errorf("cannot try to restore: %w", err)
	}
	scratch := filepath.Join(o.Dir, DrillName)
	clear := func() error { return errors.Join(os.RemoveAll(scratch), os.RemoveAll(scratch+".restoring")) }
	if err := clear(); err != nil {
		return r, fmt.Errorf("cannot try to restore: %w", err)
	}
	need := 2*newest.Database.Size + newest.BlobBytes + o.Reserve
	if free, err := FreeBytes(o.Dir); err != nil || free < need {
		return r, errors.Join(err, fmt.Errorf("cannot try to restore %s: %s has %d bytes free and %d are needed; drill_dir names another directory", newest.Snapshot, o.Dir, free, need))
	}
	defer func() { err = errors.Join(err, clear()) }()
	restored, err := Restore(ctx, path, scratch, Restores{Snapshot: newest.Snapshot, Drill: true})
	if restored != nil {
		r.Blobs, r.Bytes = restored.Blobs, restored.Bytes
	}
	if err == nil {
		r.Snapshot = newest.Snapshot
		r.Records, err = tried(ctx, scratch, newest)
	}
	if err != nil {
		return r, fmt.Errorf("cannot restore %s: %w", newest.Snapshot, err)
	}
	return r, nil
}

// tried reads what a restore has brought to a scratch directory.
func tried(ctx context.Context, scratch string, m *Manifest) (records int64, err error) {
	cp, err := bucket.OpenCopy(func(flag int) (*os.File, error) {
		return os.OpenFile(filepath.Join(scratch, restoring, bucket.FileName), flag, 0)
	})
	if err != nil {
		return 0, err
	}
	defer cp.Close()
	var damaged *damage.Error
	records, err = cp.Verify(ctx, func(d *damage.Error) { damaged = d })
	if err == nil && damaged != nil {
		err = damaged
	}
	if err != nil {
		return records, err
	}
	store, err := blobdir.Open(scratch)
	if err != nil {
		return records, err
	}
	defer store.Close()
	return records, files.Blobs(ctx, cp, func(b files.BlobName) error {
		ref, err := blobs.ParseRef(b.SHA256)
		if err != nil {
			return err
		}
		info, err := store.Stat(ref)
		if b.Finished && (err != nil || b.Size >= 0 && info.Size != b.Size) {
			return errors.Join(fmt.Errorf("the bytes of files %v are not there", b.Files), err)
		}
		return nil
	})
}

// drillDue reports whether a restore must be tried now: there is a backup, and the last one that went
// well is long ago. After one that failed it is tried again the next day.
func (k *Keeper) drillDue(s Schedule, d Drills, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if d.Every <= 0 || k.report.State == Running || k.status.Snapshot == "" || k.status.Dest != s.Dest {
		return false
	}
	last := k.status.Drill
	long := func(t *time.Time, every time.Duration) bool { return t == nil || t.After(now) || now.Sub(*t) >= every }
	return long(last.LastSuccess, d.Every) && (last.LastError == "" || long(last.LastTry, min(d.Every, 24*time.Hour)))
}

// drill tries a restore, and notes what came of it. It ends when the keeper stops.
func (k *Keeper) drill(s Schedule, d Drills) {
	ctx := k.context
	began, start := k.src.now(), time.Now()
	r, err := func() (r Drilled, err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("cannot go on with the restore: panic: %v", p)
			}
		}()
		return Drill(ctx, s.Dest, d)
	}()
	if ctx.Err() != nil || errors.Is(err, ErrBusy) {
		return // it is tried again
	}
	now := k.src.now()
	k.mu.Lock()
	defer k.mu.Unlock()
	if r.LastTry = &began; err != nil {
		r.LastSuccess, r.LastError = k.status.Drill.LastSuccess, err.Error()
		k.log.Error("tried to restore the newest backup", "dest", s.Dest, "error", err)
	} else {
		r.LastSuccess, r.Seconds = &now, time.Since(start).Seconds()
		k.log.Info("tried to restore the newest backup", "dest", s.Dest, "snapshot", r.Snapshot, "records", r.Records, "files", r.Blobs, "seconds", r.Seconds)
	}
	k.status.Drill = r
	if err := writeStatus(k.src.Dir, k.status); err != nil {
		k.log.Error("cannot note when a restore was tried", "error", err)
	}
}

// now is the time by the clock of the store, in whole seconds.
func (s Source) now() time.Time { return s.DB.Time().UTC().Truncate(time.Second) }
