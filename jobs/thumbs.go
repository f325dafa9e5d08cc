package jobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"alcove/blobs"
	"alcove/blobs/thumbs"
	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/bucket/working"
	"alcove/record"
)

const (
	previewTries = 3  // of a file whose bytes cannot be read, until the next start
	previewFew   = 20 // versions whose documents one transaction renders
	previewEvery = time.Minute
)

// makeThumbs makes the thumbnails of pictures that have become available, one after another, and
// no request waits for it. It goes on after a restart where it was. It ends with its context.
func (j *Jobs) makeThumbs(ctx context.Context) {
	tries := map[int64]int{} // that failed for the disk's sake
	for ctx.Err() == nil {
		if j.thumbsDue(ctx, tries) {
			continue
		}
		select {
		case <-j.pictures:
		case <-time.After(previewEvery):
		case <-ctx.Done():
		}
	}
}

// thumbsDue makes some thumbnails that are due, and reports whether there may be more.
func (j *Jobs) thumbsDue(ctx context.Context, tries map[int64]int) (again bool) {
	var due []int64
	err := j.DB.View(func(tx *bucket.Tx) error {
		for hit := range files.PreviewDue.Ascending(tx, nil) {
			if tries[hit.Key] == previewTries {
				continue
			}
			if due = append(due, hit.Key); len(due) == 100 {
				break
			}
		}
		return nil
	})
	if err != nil {
		j.Log.Error("cannot list files without a thumbnail", "error", err)
		return false
	}
	for _, id := range due {
		start := time.Now()
		err := j.preview(ctx, id)
		if ctx.Err() != nil {
			return false
		}
		if err != nil {
			tries[id]++
			j.Log.Error("cannot make a thumbnail", "file", id, "error", err)
			continue
		}
		again = true
		select { // half of the time belongs to others
		case <-time.After(min(time.Since(start), time.Second)):
		case <-ctx.Done():
		}
	}
	return again
}

// preview makes the thumbnail of a file, and records that it has one or that it will have none.
func (j *Jobs) preview(ctx context.Context, id int64) error {
	var f *record.File
	err := j.DB.View(func(tx *bucket.Tx) (err error) {
		f, err = files.Files.Get(tx, id)
		return err
	})
	if errors.Is(err, bucket.ErrNotFound) || err == nil && !f.PreviewDue() {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	state := record.PreviewMade
	err = j.Thumbs.Renew(ctx, f.SHA256, j.picture(f.Public(f.Modified)))
	switch {
	case thumbs.Final(err):
		state = record.PreviewFailed
		j.Log.Info("a picture has no thumbnail", "file", id, "reason", err)
	case err != nil:
		return err
	}
	for from, done := 0, false; !done; {
		var next int
		err := j.DB.Update(ctx, 0, func(tx *bucket.Tx) (err error) {
			next, err = j.previewed(tx, id, state, from)
			return err
		})
		if err != nil {
			return err
		}
		from, done = next, next == 0
	}
	return nil
}

// picture opens the bytes of a file, once they are known to be whole.
func (j *Jobs) picture(f *record.PublicFile) func() (blobs.Reader, error) {
	return func() (blobs.Reader, error) {
		ref, err := blobs.ParseRef(f.SHA256)
		if err != nil {
			return nil, fmt.Errorf("cannot read file %d: %w", f.ID, err)
		}
		b, err := j.Blobs.Read(ref, f.Size, f.CRC32)
		if err != nil {
			return nil, fmt.Errorf("cannot read file %d: %w", f.ID, err)
		}
		if err := b.Check(j.context, 0, f.Size); err != nil {
			b.Close()
			return nil, err
		}
		return struct {
			*io.SectionReader
			io.Closer
		}{io.NewSectionReader(b, 0, f.Size), b}, nil
	}
}

// Thumb is the thumbnail of a file that has one. It is made again if it was lost.
func (j *Jobs) Thumb(ctx context.Context, f *record.PublicFile) ([]byte, error) {
	return j.Thumbs.Get(ctx, f.SHA256, j.picture(f))
}

// previewed records the state of a file's preview with all that shows it: a few public versions,
// beginning with one, and, when these were the last, the working copy. Otherwise it returns the
// version to go on with. The file counts as not tried until the end, so that a crash loses nothing.
func (j *Jobs) previewed(tx *bucket.Tx, id int64, state record.Preview, from int) (next int, err error) {
	f, err := files.Files.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) || err == nil && !f.PreviewDue() {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	public, err := files.PublicFiles.Get(tx, id)
	if err == nil && public.Preview != state {
		public.Preview = state
		err = files.PublicFiles.Put(tx, id, public)
	}
	if err != nil && !errors.Is(err, bucket.ErrNotFound) {
		return 0, err
	}
	art, err := working.Articles.Get(tx, f.ArticleID)
	if err != nil {
		return 0, err
	}
	if state == record.PreviewMade && f.Added > 0 {
		from = max(from, f.Added)
		for n := from; n <= art.Version && f.In(n); n++ {
			if n == from+previewFew {
				return n, nil
			}
			if err := j.offerThumb(tx, bucket.Pair{A: art.ID, B: int64(n)}, id); err != nil {
				return 0, err
			}
		}
	}
	if state == record.PreviewMade && !f.Dropped && art.Thumb.Offer(id) {
		if err := working.Articles.Put(tx, art.ID, art); err != nil {
			return 0, err
		}
	}
	f.Preview, f.Modified = state, tx.Now()
	return 0, files.Files.Put(tx, id, f)
}

// offerThumb makes a file stand for a public version that has it, if none better does.
func (j *Jobs) offerThumb(tx *bucket.Tx, key bucket.Pair, file int64) error {
	v, err := published.ArticleVersions.Get(tx, key)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil // withdrawn
	}
	if err != nil || !v.Thumb.Offer(file) {
		return err
	}
	return j.Items.PutThumb(tx, v)
}

// sweepThumbs drops the thumbnails of bytes that no file has any more. It ends with its context.
func (j *Jobs) sweepThumbs(ctx context.Context) {
	for ctx.Err() == nil {
		err := j.Thumbs.Sweep(ctx, func(sha256 string) (kept bool, err error) {
			err = j.DB.View(func(tx *bucket.Tx) error {
				_, kept = files.ByBlob.First(tx, bucket.SortKey(sha256))
				return nil
			})
			return kept, err
		})
		if err != nil && ctx.Err() == nil {
			j.Log.Error("cannot drop thumbnails", "error", err)
		}
		select {
		case <-time.After(sweepEvery):
		case <-ctx.Done():
		}
	}
}
