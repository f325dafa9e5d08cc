package handlers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"alcove/blobs/thumbs"
	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/users"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
)

// PictureUpload gives the caller's own profile a picture. Only a small copy of what was sent is
// kept, so that nothing is shown that was not decoded here.
func (a *API) PictureUpload(c *endpoint.Call) (endpoint.Reply, error) {
	err := a.DB.View(func(tx *bucket.Tx) error {
		if err := pictured(c, tx); err != nil {
			return err
		}
		return c.Expected(tx)
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	file, err := c.FormFile("profile_picture")
	if err != nil {
		return endpoint.Reply{}, err
	}
	png, err := a.smallPicture(c, file)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return c.Write(func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
		if err := pictured(c, tx); err != nil {
			return endpoint.Reply{}, err
		}
		p := &record.Picture{PNG: png, Modified: tx.Now()}
		return endpoint.Reply{Body: present.NewOutcome(c.Warned)}, users.Pictures.Put(tx, c.Account.PersonID, p)
	})
}

// pictured refuses who may not change the picture of the profile in the path.
func pictured(c *endpoint.Call, tx *bucket.Tx) error {
	id := c.ID("user_id")
	if id == c.Account.PersonID {
		return nil
	}
	if !users.SeenPerson(tx, id, c.Account.ID).Named {
		return record.ErrProfileNotFound
	}
	return record.ErrProfileForeign
}

// smallPicture is the PNG that is kept of a picture.
func (a *API) smallPicture(c *endpoint.Call, file []byte) ([]byte, error) {
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
func (a *API) PictureRead(c *endpoint.Call) (r endpoint.Reply, err error) {
	err = a.DB.View(func(tx *bucket.Tx) error {
		id := c.ID("user_id")
		public := users.SeenPerson(tx, id, record.Everyone).Public
		own := c.Account != nil && c.Account.ID != 0 && c.Account.PersonID == id
		if !public && !own {
			return record.ErrPictureNotFound
		}
		p, err := users.Pictures.Get(tx, id)
		if errors.Is(err, bucket.ErrNotFound) {
			return record.ErrPictureNotFound
		}
		if err != nil {
			return err
		}
		r = endpoint.Reply{Raw: p.PNG, Type: "image/png", Modified: p.Modified, Public: public}
		return nil
	})
	return r, err
}

// thumbPatience is how long a request waits for a thumbnail that was lost and is made again.
const thumbPatience = 10 * time.Second

// ThumbRead sends the thumbnail of a file to clients that may have the file.
func (a *API) ThumbRead(c *endpoint.Call) (endpoint.Reply, error) {
	if c.ID("preview_id") != c.ID("file_id") {
		return endpoint.Reply{}, record.ErrFileNotFound
	}
	f, public, err := a.readableFile(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if f.Preview != record.PreviewMade {
		return endpoint.Reply{}, record.ErrFileNotFound
	}
	ctx, cancel := context.WithTimeout(c.Context, thumbPatience)
	defer cancel()
	image, err := a.Jobs.Thumb(ctx, f)
	if thumbs.Final(err) {
		a.Log.Warn("a picture had a thumbnail and has none any more", "file", f.ID, "reason", err)
		return endpoint.Reply{}, record.ErrFileNotFound
	}
	if err != nil {
		return endpoint.Reply{}, fmt.Errorf("cannot send the thumbnail of file %d: %w", f.ID, err)
	}
	return endpoint.Reply{Raw: image, Type: "image/png", Modified: f.Published, Public: public}, nil
}

// ThumbUpdate chooses which of its files shows a public version of an own article.
func (a *API) ThumbUpdate(c *endpoint.Call, tx *bucket.Tx, body *record.ThumbBody) (endpoint.Reply, error) {
	v, err := c.OwnVersion(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := body.Check(); err != nil {
		return endpoint.Reply{}, err
	}
	if files.Owners.Of(tx, *body.FileID).In != v.ArticleID {
		return endpoint.Reply{}, record.ErrFileNotFound
	}
	f, err := files.Files.Get(tx, *body.FileID)
	switch {
	case errors.Is(err, bucket.ErrNotFound), err == nil && !f.In(v.Version):
		return endpoint.Reply{}, record.ErrFileNotFound
	case err != nil:
		return endpoint.Reply{}, err
	case f.Preview != record.PreviewMade:
		return endpoint.Reply{}, record.NoThumb(present.PreviewState(f))
	}
	v.Thumb = record.Thumb{File: f.ID, Chosen: true}
	if err := a.Items.PutThumb(tx, v); err != nil {
		return endpoint.Reply{}, err
	}
	at := a.Settings.API("/account/articles/%d/versions/%d", v.ArticleID, v.Version)
	return endpoint.Reply{Status: 205, Location: at, Body: present.NewUpdated(at, c.Warned)}, nil
}

// PictureForm is PictureUpload by a form of a page, of the person who is signed in.
func (a *API) PictureForm(c *endpoint.Call) (endpoint.Reply, error) {
	if err := endpoint.SameOrigin.Check(c.Request); err != nil {
		return endpoint.Reply{}, record.ErrOtherOrigin
	}
	if !c.Named("user_id", strconv.FormatInt(c.Person().PersonID, 10)) {
		return endpoint.Reply{}, fmt.Errorf("cannot name person %d", c.Person().PersonID)
	}
	return a.PictureUpload(c)
}
