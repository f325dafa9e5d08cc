package jobs

import (
	"context"
	"errors"
	"time"

	"alcove/bucket"
	"alcove/bucket/clock"
	"alcove/bucket/files"
	"alcove/bucket/working"
	"alcove/handlers/items"
	"alcove/record"
	"alcove/uploads"
)

// sweepEvery is how often abandoned uploads are looked for.
const sweepEvery = time.Hour

// expireUploads drops uploads that were not completed within the expiry, and staged bytes
// that no record names. It ends with its context.
func (j *Jobs) expireUploads(ctx context.Context) {
	if j.Limits.UploadExpiry <= 0 {
		return
	}
	for ctx.Err() == nil {
		if err := j.DB.NoteClock(ctx); err != nil && ctx.Err() == nil {
			j.Log.Error("cannot note the time", "error", err)
		}
		j.tellClock()
		if err := j.sweepUploads(ctx, j.DB.Ago(j.Limits.UploadExpiry)); err != nil && ctx.Err() == nil {
			j.Log.Error("cannot drop abandoned uploads", "error", err)
		}
		select {
		case <-time.After(sweepEvery):
		case <-ctx.Done():
		}
	}
}

// tellClock tells in the log while the machine's clock is not gone by.
func (j *Jobs) tellClock() {
	c := j.DB.Clock()
	what := map[string]string{clock.Behind: "behind the last change of the store", clock.Ahead: "far ahead of the last change of the store"}[c.Doubt]
	if what == "" {
		return
	}
	j.Log.Error("the clock of this machine is "+what+": embargoes do not end, uploads do not expire and no bytes are removed until it is set right, or alcove clock accept says that it is",
		"clock", c.Wall, "last", c.Last)
}

// sweepUploads drops uploads of which neither the record was changed nor a byte arrived
// since a time.
func (j *Jobs) sweepUploads(ctx context.Context, before time.Time) error {
	var stale []*record.File
	err := j.DB.View(func(tx *bucket.Tx) error {
		for hit := range files.Unfinished.Ascending(tx, nil) {
			f, err := files.Files.Get(tx, hit.Key)
			if err != nil {
				return err
			}
			if f.Modified.After(before) {
				return nil // the others are younger
			}
			stale = append(stale, f)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, f := range stale {
		touched, err := j.touched(f)
		if err != nil {
			return err
		}
		if touched.After(before) {
			continue
		}
		if err := j.expireFile(ctx, f.ID, before); err != nil {
			return err
		}
	}
	// Orphans get the whole expiry too: a record may be about to name them.
	return j.Uploads.Walk(ctx, func(s uploads.Staged) error {
		if s.Modified.After(before) {
			return nil
		}
		needed := false
		err := j.DB.View(func(tx *bucket.Tx) error {
			id, named := files.ByToken.First(tx, bucket.SortKey(s.Token))
			if !named {
				return nil
			}
			f, err := files.Files.Get(tx, id)
			if err != nil {
				return err
			}
			// Of a file that failed the server had no time to drop them.
			needed = f.Status != record.FileFailed && f.Status != record.FileAvailable
			return nil
		})
		if err != nil || needed {
			return err
		}
		j.Log.Info("removed staged bytes that no upload needs", "modified", s.Modified)
		return j.Uploads.Remove(s.Token)
	})
}

// touched is when a byte of an upload arrived last. The disk tells it by the clock of the machine, of
// parts that are complete the store by its own.
func (j *Jobs) touched(f *record.File) (time.Time, error) {
	last, err := j.Uploads.Touched(f.Token)
	if err != nil {
		return last, err
	}
	err = j.DB.View(func(tx *bucket.Tx) error {
		for row, err := range files.Parts.All(tx, bucket.Prefix(f.ID)) {
			if err != nil {
				return err
			}
			if row.Record.Arrived.After(last) {
				last = row.Record.Arrived
			}
		}
		return nil
	})
	return last, err
}

// expireFile drops one abandoned upload from its working copy.
func (j *Jobs) expireFile(ctx context.Context, id int64, before time.Time) error {
	var dropped *record.File
	err := j.DB.Update(bucket.Frees(ctx), 0, func(tx *bucket.Tx) error {
		dropped = nil
		f, err := files.Files.Get(tx, id)
		if errors.Is(err, bucket.ErrNotFound) || err == nil && (f.Status != record.FileCreated || f.Modified.After(before)) {
			return nil
		}
		if err != nil {
			return err
		}
		art, err := working.Articles.Get(tx, f.ArticleID)
		if err != nil {
			return err
		}
		if err := items.DetachFile(tx, art, f); err != nil {
			return err
		}
		dropped = f
		return nil
	})
	if err != nil || dropped == nil {
		return err
	}
	j.Log.Info("dropped an upload that was not completed in time", "file", id, "article", dropped.ArticleID)
	j.DropStaged(dropped)
	return nil
}

// DropStaged deletes what was uploaded of files whose records are gone. The rest, where
// that fails, is found and deleted later by the sweep of abandoned uploads.
func (j *Jobs) DropStaged(files ...*record.File) {
	for _, f := range files {
		if f.Token == "" || f.Added > 0 {
			continue
		}
		if err := j.Uploads.Remove(f.Token); err != nil {
			j.Log.Warn("cannot delete an upload", "file", f.ID, "error", err)
		}
	}
}

// OpenUploads is how many uploads have begun and are not complete.
func (j *Jobs) OpenUploads() (n int, err error) {
	err = j.DB.View(func(tx *bucket.Tx) error {
		for range files.Unfinished.Ascending(tx, nil) {
			n++
		}
		return nil
	})
	return n, err
}
