package handlers

import (
	"net/http"

	"alcove/bucket"
	"alcove/record"
	"alcove/uploads"
)

// PartSize is the length of every part of an upload but the last, in bytes.
const PartSize = uploads.PartSize

// OwnFile is a file of a working copy.
type OwnFile struct {
	*record.File
	Parts   int // of its upload
	Missing int // of them, -1 where counting them would take too long
}

// countedParts is how many parts are counted for one list of files.
const countedParts = 20_000

// OwnFiles is the own article of the path, with those of its files that were made after one, in that order: at most
// a number of them, and whether there are more.
func (a *API) OwnFiles(c *Call, behind int64, most int) (art *record.Article, files []OwnFile, more bool, err error) {
	err = a.DB.View(func(tx *bucket.Tx) (err error) {
		if art, err = c.ownArticle(tx); err != nil {
			return err
		}
		counted := 0
		for hit := range bucket.FilesByArticle.Behind(tx, bucket.SortKey(art.ID), behind) {
			if len(files) == most {
				more = true
				break
			}
			f, err := bucket.Files.Get(tx, hit.Key)
			if err != nil {
				return err
			}
			one := OwnFile{File: f, Parts: uploads.NewLayout(f.Size).Count()}
			if f.Status == record.FileCreated {
				if counted += one.Parts; counted > countedParts {
					one.Missing = -1
				} else if one.Missing, err = missingParts(tx, f.ID, one.Parts); err != nil {
					return err
				}
			}
			files = append(files, one)
		}
		return nil
	})
	return art, files, more, err
}

func missingParts(tx *bucket.Tx, file int64, parts int) (int, error) {
	for _, err := range bucket.Parts.All(tx, bucket.Prefix(file)) {
		if err != nil {
			return 0, err
		}
		parts--
	}
	return parts, nil
}

// LinkFile adds a file that stays elsewhere to the own article of the path.
func (a *API) LinkFile(c *Call, link, folder string) error {
	_, err := c.write(func(c *Call, tx *bucket.Tx) (Reply, error) {
		return a.FileCreate(c, tx, &record.FileBody{Link: &link, Folder: &folder})
	})
	return err
}

// RemoveFile deletes a file of the own article of the path. As with a DELETE, that goes on when the disk is full.
func (a *API) RemoveFile(c *Call, id string) error {
	if !c.Named("file_id", id) {
		return record.ErrFileNotFound
	}
	inner := *c
	inner.Method = http.MethodDelete
	_, err := inner.write(a.FileDelete)
	return err
}
