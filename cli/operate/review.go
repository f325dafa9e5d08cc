package operate

import (
	"errors"
	"fmt"
	"iter"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/working"
	"alcove/handlers/items"
	"alcove/record"
)

// ReviewQuery asks for files of a working copy that an anonymous link would show, behind one of them.
type ReviewQuery struct {
	Article int64 `json:"article"`
	Behind  int64 `json:"behind"` // id of a file, 0 for the first
}

// ReviewFiles are some files of an item, with what names its authors. There are more behind them
// when they are ReviewMost.
type ReviewFiles struct {
	People []record.Person `json:"people"`
	Mails  []string        `json:"mails"`
	Files  []ReviewFile    `json:"files"`
}

// ReviewFile is a file with the bytes to look into, none of one that lies elsewhere or is not whole.
type ReviewFile struct {
	ID     int64  `json:"id"`
	Path   string `json:"path"`
	Link   string `json:"link"`
	SHA256 string `json:"sha256"`
}

// ReviewMost is how many files an answer has.
const ReviewMost = 1000

// ListReview reads files of an item and who made it.
func ListReview(db *bucket.DB, q ReviewQuery) (out ReviewFiles, err error) {
	err = db.View(func(tx *bucket.Tx) error {
		art, err := working.Articles.Get(tx, q.Article)
		if errors.Is(err, bucket.ErrNotFound) {
			return fmt.Errorf("cannot find an article %d", q.Article)
		}
		if err != nil {
			return err
		}
		if out.People, out.Mails, err = items.Makers(tx, &art.Working); err != nil {
			return err
		}
		next, stop := iter.Pull(files.ByArticle.Behind(tx, bucket.SortKey(art.ID), q.Behind))
		defer stop()
		for len(out.Files) < ReviewMost {
			hit, more := next()
			if !more {
				return nil
			}
			f, err := files.Files.Get(tx, hit.Key)
			if err != nil {
				return err
			}
			file := ReviewFile{ID: f.ID, Path: f.Folder + "/" + f.Name, Link: f.Link}
			if f.Finished() && !f.Linked() {
				file.SHA256 = f.SHA256
			}
			out.Files = append(out.Files, file)
		}
		return nil
	})
	return out, err
}
