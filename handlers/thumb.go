package handlers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"alcove/blobs/thumbs"
	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
)

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
