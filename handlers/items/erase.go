package items

import (
	"errors"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/withdrawn"
	"alcove/bucket/working"
	"alcove/record"
)

// EraseFile removes a file from wherever its article has it. Versions that are public, held back or handed in are withdrawn first and
// leave their tombstone; those that were withdrawn before forget the file. A file that is not there is no error.
func (s *Service) EraseFile(tx *bucket.Tx, id int64, why record.Withdrawal) error {
	f, err := files.Files.Get(tx, id)
	if err == nil && (f.Added > 0 || f.Held || f.Submitted != record.NotSubmitted) {
		art, err := working.Articles.Get(tx, f.ArticleID)
		if err != nil {
			return err
		}
		if err := s.Withdraw(tx, art, 0, why); err != nil {
			return err
		}
	}
	if err == nil {
		f, err = files.Files.Get(tx, id) // as it is now, or gone with what was withdrawn
	}
	switch {
	case errors.Is(err, bucket.ErrNotFound):
	case err != nil:
		return err
	case f.Dropped:
		err = deleteFiles(tx, f)
	default:
		var art *record.Article
		if art, err = working.Articles.Get(tx, f.ArticleID); err == nil {
			err = DetachFile(tx, art, f)
		}
	}
	if err != nil && !errors.Is(err, bucket.ErrNotFound) {
		return err
	}
	var keys []bucket.Pair
	for row, err := range withdrawn.Files.All(tx, bucket.Prefix(id)) {
		if err != nil {
			return err
		}
		keys = append(keys, row.Key)
	}
	for _, key := range keys {
		if err := withdrawn.Files.Delete(tx, key); err != nil {
			return err
		}
	}
	return nil
}
