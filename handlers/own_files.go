package handlers

import (
	"net/http"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
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

// OwnFiles are the files of an own article on one page.
type OwnFiles struct {
	Article     *record.Article
	Files       []OwnFile // of the page
	Folders     []string  // the first ones, without the empty one
	Page, Pages int       // from 1
}

// foldersNamed is how many folders of an article are offered by name.
const foldersNamed = 1000

// OwnFiles is the own article of the path, with its files on a page of a number of them: by folder, and in each in the
// order that a person gave them, or by name. A page behind the last one is the last one.
func (a *API) OwnFiles(c *endpoint.Call, page, most int) (own OwnFiles, err error) {
	err = a.DB.View(func(tx *bucket.Tx) (err error) {
		if own.Article, err = c.OwnArticle(tx); err != nil {
			return err
		}
		files, err := items.Arranged(tx, own.Article)
		if err != nil {
			return err
		}
		for i, f := range files {
			if f.Folder != "" && (i == 0 || files[i-1].Folder != f.Folder) && len(own.Folders) < foldersNamed {
				own.Folders = append(own.Folders, f.Folder)
			}
		}
		own.Pages = max(1, (len(files)+most-1)/most)
		own.Page = max(1, min(page, own.Pages))
		counted := 0
		for _, f := range files[(own.Page-1)*most : min(own.Page*most, len(files))] {
			one := OwnFile{File: f, Parts: uploads.NewLayout(f.Size).Count()}
			if f.Status == record.FileCreated {
				if counted += one.Parts; counted > countedParts {
					one.Missing = -1
				} else if one.Missing, err = missingParts(tx, f.ID, one.Parts); err != nil {
					return err
				}
			}
			own.Files = append(own.Files, one)
		}
		return nil
	})
	return own, err
}

// ArrangeFiles moves files of the own article of the path, or puts them in order.
func (a *API) ArrangeFiles(c *endpoint.Call, how *items.Arrangement) error {
	_, err := c.Write(func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
		art, err := c.OwnArticle(tx)
		if err == nil {
			err = a.Items.Arrange(tx, art, how)
		}
		if err != nil {
			return endpoint.Reply{}, err
		}
		return endpoint.Reply{}, items.PutArticle(tx, art)
	})
	return err
}

func missingParts(tx *bucket.Tx, file int64, parts int) (int, error) {
	for _, err := range files.Parts.All(tx, bucket.Prefix(file)) {
		if err != nil {
			return 0, err
		}
		parts--
	}
	return parts, nil
}

// LinkFile adds a file that stays elsewhere to the own article of the path.
func (a *API) LinkFile(c *endpoint.Call, link, folder string) error {
	_, err := c.Write(func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
		return a.FileCreate(c, tx, &record.FileBody{Link: &link, Folder: &folder})
	})
	return err
}

// RemoveFile deletes a file of the own article of the path. As with a DELETE, that goes on when the disk is full.
func (a *API) RemoveFile(c *endpoint.Call, id string) error {
	if !c.Named("file_id", id) {
		return record.ErrFileNotFound
	}
	inner := *c
	inner.Method = http.MethodDelete
	_, err := inner.Write(a.FileDelete)
	return err
}
