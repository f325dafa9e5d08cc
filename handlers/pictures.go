package handlers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"alcove/blobs"
	"alcove/blobs/thumbs"
	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
)

// PictureUpload gives the caller's own profile a picture. Only a small copy of what was sent is
// kept, so that nothing is shown that was not decoded here.
func (a *API) PictureUpload(c *Call) (Reply, error) {
	err := a.DB.View(func(tx *bucket.Tx) error {
		if err := c.pictured(tx); err != nil {
			return err
		}
		return c.expected(tx)
	})
	if err != nil {
		return Reply{}, err
	}
	file, err := c.formFile("profile_picture")
	if err != nil {
		return Reply{}, err
	}
	png, err := a.smallPicture(c, file)
	if err != nil {
		return Reply{}, err
	}
	return c.write(func(c *Call, tx *bucket.Tx) (Reply, error) {
		if err := c.pictured(tx); err != nil {
			return Reply{}, err
		}
		p := &record.Picture{PNG: png, Modified: tx.Now()}
		return Reply{Body: present.NewOutcome(c.Warned)}, bucket.Pictures.Put(tx, c.Account.PersonID, p)
	})
}

// pictured refuses who may not change the picture of the profile in the path.
func (c *Call) pictured(tx *bucket.Tx) error {
	id := c.ID("user_id")
	if id == c.Account.PersonID {
		return nil
	}
	if !bucket.SeenPerson(tx, id, c.Account.ID).Named {
		return record.ErrProfileNotFound
	}
	return record.ErrProfileForeign
}

// smallPicture is the PNG that is kept of a picture.
func (a *API) smallPicture(c *Call, file []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(c.Context, thumbPatience)
	defer cancel()
	png, err := a.Thumbs.Small(ctx, bytes.NewReader(file), record.MaxPicture)
	switch {
	case errors.Is(err, thumbs.ErrNoPicture):
		return nil, record.ErrPictureUnreadable
	case errors.Is(err, thumbs.ErrTooLarge):
		return nil, record.ErrPictureTooLarge
	case err != nil:
		return nil, fmt.Errorf("cannot make the picture of a profile: %w", err)
	}
	return png, nil
}

// PictureRead sends the picture of a person who is named in something public, and the caller's own.
func (a *API) PictureRead(c *Call) (r Reply, err error) {
	err = a.DB.View(func(tx *bucket.Tx) error {
		id := c.ID("user_id")
		public := bucket.SeenPerson(tx, id, record.Everyone).Public
		own := c.Account != nil && c.Account.ID != 0 && c.Account.PersonID == id
		if !public && !own {
			return record.ErrPictureNotFound
		}
		p, err := bucket.Pictures.Get(tx, id)
		if errors.Is(err, bucket.ErrNotFound) {
			return record.ErrPictureNotFound
		}
		if err != nil {
			return err
		}
		r = Reply{Raw: p.PNG, Type: "image/png", Modified: p.Modified, Public: public}
		return nil
	})
	return r, err
}

// thumbPatience is how long a request waits for a thumbnail that was lost and is made again.
const thumbPatience = 10 * time.Second

// ThumbRead sends the thumbnail of a file to clients that may have the file.
func (a *API) ThumbRead(c *Call) (Reply, error) {
	if c.ID("preview_id") != c.ID("file_id") {
		return Reply{}, record.ErrFileNotFound
	}
	f, public, err := a.readableFile(c)
	if err != nil {
		return Reply{}, err
	}
	if f.Preview != record.PreviewMade {
		return Reply{}, record.ErrFileNotFound
	}
	ctx, cancel := context.WithTimeout(c.Context, thumbPatience)
	defer cancel()
	image, err := a.Thumbs.Get(ctx, f.SHA256, a.picture(f))
	if thumbs.Final(err) {
		a.Log.Warn("a picture had a thumbnail and has none any more", "file", f.ID, "reason", err)
		return Reply{}, record.ErrFileNotFound
	}
	if err != nil {
		return Reply{}, fmt.Errorf("cannot send the thumbnail of file %d: %w", f.ID, err)
	}
	return Reply{Raw: image, Type: "image/png", Modified: f.Published, Public: public}, nil
}

// ThumbUpdate chooses which of its files shows a public version of an own article.
func (a *API) ThumbUpdate(c *Call, tx *bucket.Tx, body *record.ThumbBody) (Reply, error) {
	v, err := c.ownVersion(tx)
	if err != nil {
		return Reply{}, err
	}
	if err := body.Check(); err != nil {
		return Reply{}, err
	}
	if bucket.FileOwners.Of(tx, *body.FileID).In != v.ArticleID {
		return Reply{}, record.ErrFileNotFound
	}
	f, err := bucket.Files.Get(tx, *body.FileID)
	switch {
	case errors.Is(err, bucket.ErrNotFound), err == nil && !f.In(v.Version):
		return Reply{}, record.ErrFileNotFound
	case err != nil:
		return Reply{}, err
	case f.Preview != record.PreviewMade:
		return Reply{}, record.NoThumb(present.PreviewState(f))
	}
	v.Thumb = record.Thumb{File: f.ID, Chosen: true}
	if err := a.Items.PutThumb(tx, v); err != nil {
		return Reply{}, err
	}
	at := a.Settings.API("/account/articles/%d/versions/%d", v.ArticleID, v.Version)
	return Reply{Status: 205, Location: at, Body: present.NewUpdated(at, c.Warned)}, nil
}

const (
	previewTries = 3  // of a file whose bytes cannot be read, until the next start
	previewFew   = 20 // versions whose documents one transaction renders
	previewEvery = time.Minute
)

func (a *API) wakePreviews() {
	select {
	case a.viewing <- struct{}{}:
	default:
	}
}

// makePreviews makes the thumbnails of pictures that have become available, one after another, and
// no request waits for it. It goes on after a restart where it was. It ends with its context.
func (a *API) makePreviews(ctx context.Context) {
	tries := map[int64]int{} // that failed for the disk's sake
	for ctx.Err() == nil {
		if a.previewsDue(ctx, tries) {
			continue
		}
		select {
		case <-a.viewing:
		case <-time.After(previewEvery):
		case <-ctx.Done():
		}
	}
}

// previewsDue makes some thumbnails that are due, and reports whether there may be more.
func (a *API) previewsDue(ctx context.Context, tries map[int64]int) (again bool) {
	var due []int64
	err := a.DB.View(func(tx *bucket.Tx) error {
		for hit := range bucket.FilesPreview.Ascending(tx, nil) {
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
		a.Log.Error("cannot list files without a thumbnail", "error", err)
		return false
	}
	for _, id := range due {
		start := time.Now()
		err := a.preview(ctx, id)
		if ctx.Err() != nil {
			return false
		}
		if err != nil {
			tries[id]++
			a.Log.Error("cannot make a thumbnail", "file", id, "error", err)
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
func (a *API) preview(ctx context.Context, id int64) error {
	var f *record.File
	err := a.DB.View(func(tx *bucket.Tx) (err error) {
		f, err = bucket.Files.Get(tx, id)
		return err
	})
	if errors.Is(err, bucket.ErrNotFound) || err == nil && !f.PreviewDue() {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	state := record.PreviewMade
	err = a.Thumbs.Renew(ctx, f.SHA256, a.picture(f.Public(f.Modified)))
	switch {
	case thumbs.Final(err):
		state = record.PreviewFailed
		a.Log.Info("a picture has no thumbnail", "file", id, "reason", err)
	case err != nil:
		return err
	}
	for from, done := 0, false; !done; {
		var next int
		err := a.DB.Update(ctx, 0, func(tx *bucket.Tx) (err error) {
			next, err = a.previewed(tx, id, state, from)
			return err
		})
		if err != nil {
			return err
		}
		from, done = next, next == 0
	}
	return nil
}

// picture opens the bytes of a file.
func (a *API) picture(f *record.PublicFile) func() (blobs.Reader, error) {
	return func() (blobs.Reader, error) {
		r, err := a.open(f, false)
		if err != nil {
			return nil, err
		}
		b := r.File.Blob
		if err = b.Alone(); err == nil {
			err = b.Check(a.context, 0, f.Size)
		}
		if err != nil {
			b.Close()
			return nil, err
		}
		return b.From(0)
	}
}

// previewed records the state of a file's preview with all that shows it: a few public versions,
// beginning with one, and, when these were the last, the working copy. Otherwise it returns the
// version to go on with. The file counts as not tried until the end, so that a crash loses nothing.
func (a *API) previewed(tx *bucket.Tx, id int64, state record.Preview, from int) (next int, err error) {
	f, err := bucket.Files.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) || err == nil && !f.PreviewDue() {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	public, err := bucket.PublicFiles.Get(tx, id)
	if err == nil && public.Preview != state {
		public.Preview = state
		err = bucket.PublicFiles.Put(tx, id, public)
	}
	if err != nil && !errors.Is(err, bucket.ErrNotFound) {
		return 0, err
	}
	art, err := bucket.Articles.Get(tx, f.ArticleID)
	if err != nil {
		return 0, err
	}
	if state == record.PreviewMade && f.Added > 0 {
		from = max(from, f.Added)
		for n := from; n <= art.Version && f.In(n); n++ {
			if n == from+previewFew {
				return n, nil
			}
			if err := a.offerThumb(tx, bucket.Pair{A: art.ID, B: int64(n)}, id); err != nil {
				return 0, err
			}
		}
	}
	if state == record.PreviewMade && !f.Dropped && art.Thumb.Offer(id) {
		if err := bucket.Articles.Put(tx, art.ID, art); err != nil {
			return 0, err
		}
	}
	f.Preview, f.Modified = state, tx.Now()
	return 0, bucket.Files.Put(tx, id, f)
}

// offerThumb makes a file stand for a public version that has it, if none better does.
func (a *API) offerThumb(tx *bucket.Tx, key bucket.Pair, file int64) error {
	v, err := bucket.ArticleVersions.Get(tx, key)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil // withdrawn
	}
	if err != nil || !v.Thumb.Offer(file) {
		return err
	}
	return a.Items.PutThumb(tx, v)
}

// sweepThumbs drops the thumbnails of bytes that no file has any more. It ends with its context.
func (a *API) sweepThumbs(ctx context.Context) {
	for ctx.Err() == nil {
		err := a.Thumbs.Sweep(ctx, func(sha256 string) (kept bool, err error) {
			err = a.DB.View(func(tx *bucket.Tx) error {
				_, kept = bucket.FilesByBlob.First(tx, bucket.SortKey(sha256))
				return nil
			})
			return kept, err
		})
		if err != nil && ctx.Err() == nil {
			a.Log.Error("cannot drop thumbnails", "error", err)
		}
		select {
		case <-time.After(sweepEvery):
		case <-ctx.Done():
		}
	}
}
