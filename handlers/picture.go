package handlers

import (
	"bytes"
	"context"
	"errors"
	"fmt"

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
