package items

import (
	"errors"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/working"
	"alcove/record"
)

// A submission is what was handed in for publication, frozen as it was then: one private
// record under the id of its review, and a mark on the files that it adds or removes
// while it waits. A file that it has is kept when the working copy drops it. It can wait
// while an older publication is held for an embargo, so the marks are apart.

// submit hands in a frozen version for review. changed are the files that it adds or
// removes; the review before it must be closed.
func (s *Service) submit(tx *bucket.Tx, art *record.Article, v *record.ArticleVersion, changed []*record.File) error {
	for _, f := range changed {
		if f.Submitted = record.SubmitAdds; f.Dropped {
			f.Submitted = record.SubmitRemoves
		}
		if err := files.Files.PutDeferred(tx, f.ID, f); err != nil {
			return err
		}
	}
	id, err := working.Reviews.NextID(tx)
	if err != nil {
		return err
	}
	r := &record.Review{
		ID: id, ArticleID: art.ID, AccountID: art.AccountID, InstitutionID: art.InstitutionID, GroupID: art.GroupID,
		Version: art.NextVersion(), Request: 1, Status: record.ReviewPending, Created: tx.Now(), Modified: tx.Now(),
	}
	before, err := LastReview(tx, art.ID)
	if err != nil {
		return err
	}
	if before != nil {
		r.Request = before.Request + 1
	}
	if err := working.Reviews.Put(tx, id, r); err != nil {
		return err
	}
	if err := working.Submissions.Put(tx, id, v); err != nil {
		return err
	}
	art.Saved = true
	return errors.Join(PutArticle(tx, art), s.notifyReviewers(tx, r))
}

// LastReview is the newest review of an article, nil when there is none.
func LastReview(tx *bucket.Tx, article int64) (*record.Review, error) {
	for hit := range working.ReviewsByArticle.Descending(tx, bucket.SortKey(article)) {
		return working.Reviews.Get(tx, hit.Key)
	}
	return nil, nil
}

// pendingReview is the review that an article waits for, nil when there is none.
func pendingReview(tx *bucket.Tx, article int64) (*record.Review, error) {
	id, ok := working.ReviewsPending.First(tx, bucket.SortKey(article))
	if !ok {
		return nil, nil
	}
	return working.Reviews.Get(tx, id)
}

// ClosePending closes the review that an article waits for, if any: what was handed in is
// replaced or withdrawn.
func ClosePending(tx *bucket.Tx, article int64) error {
	r, err := pendingReview(tx, article)
	if err != nil || r == nil {
		return err
	}
	if err := UnmarkSubmitted(tx, article); err != nil {
		return err
	}
	r.Status, r.Modified = record.ReviewClosed, tx.Now()
	return working.Reviews.Put(tx, r.ID, r)
}

// UnmarkSubmitted takes the marks of a submission off the files of an article, and
// deletes the files that only it has.
func UnmarkSubmitted(tx *bucket.Tx, article int64) error {
	files, err := indexedFiles(tx, files.Submitted, article)
	if err != nil {
		return err
	}
	for _, f := range files {
		f.Submitted = record.NotSubmitted
	}
	return releaseFiles(tx, files)
}

// followEmbargo gives what an article waits to be reviewed the embargo of the working
// copy, as what is held has it: nothing opens against what its owner says now.
func followEmbargo(tx *bucket.Tx, art *record.Article) error {
	r, err := pendingReview(tx, art.ID)
	if err != nil || r == nil {
		return err
	}
	v, err := working.Submissions.Get(tx, r.ID)
	if err != nil {
		return err
	}
	v.Embargo, r.Modified = art.Embargo, tx.Now()
	if err := working.Reviews.Put(tx, r.ID, r); err != nil {
		return err
	}
	return working.Submissions.Put(tx, r.ID, v)
}

// Approve publishes what was handed in, as it was then: it appears now, or is held while
// the whole article is under embargo. It belongs to the group that has reviewed it.
func (s *Service) Approve(tx *bucket.Tx, r *record.Review) error {
	art, err := working.Articles.Get(tx, r.ArticleID)
	if err != nil {
		return err
	}
	if err := s.endDue(tx, art); err != nil {
		return err
	}
	v, err := working.Submissions.Get(tx, r.ID)
	if err != nil {
		return err
	}
	v.ProjectID = art.ProjectID // the project may be gone
	marked, err := indexedFiles(tx, files.Submitted, art.ID)
	if err != nil {
		return err
	}
	held := v.Embargo.Kind == record.ArticleEmbargo
	var changed, gone []*record.File
	for _, f := range marked {
		mark := f.Submitted
		f.Submitted, f.Held = record.NotSubmitted, false
		switch {
		case mark == record.SubmitAdds && f.Added == 0, mark == record.SubmitRemoves && f.Added > 0 && f.Removed == 0:
			changed = append(changed, f)
			if f.Held = held; !held {
				continue // publishNow stores it
			}
		case f.Added == 0: // only what was held before had it
			gone = append(gone, f)
			continue
		} // otherwise what was held before has appeared meanwhile, with it or without it
		if err := files.Files.PutDeferred(tx, f.ID, f); err != nil {
			return err
		}
	}
	if err := deleteFiles(tx, gone...); err != nil {
		return err
	}
	r.Version = art.NextVersion()
	if !held {
		return s.publishNow(tx, art, v, changed)
	}
	v.Published, v.Modified = tx.Now(), tx.Now()
	return hold(tx, art, v)
}

// dropReviews forgets all reviews of an article.
func dropReviews(tx *bucket.Tx, article int64) error {
	if err := UnmarkSubmitted(tx, article); err != nil {
		return err
	}
	var ids []int64
	for hit := range working.ReviewsByArticle.Ascending(tx, bucket.SortKey(article)) {
		ids = append(ids, hit.Key)
	}
	for _, id := range ids {
		var comments []bucket.Pair
		for row, err := range working.ReviewComments.All(tx, bucket.Prefix(id)) {
			if err != nil {
				return err
			}
			comments = append(comments, row.Key)
		}
		for _, key := range comments {
			if err := working.ReviewComments.Delete(tx, key); err != nil {
				return err
			}
		}
		if err := working.Submissions.Delete(tx, id); err != nil && !errors.Is(err, bucket.ErrNotFound) {
			return err
		}
		if err := working.Reviews.Delete(tx, id); err != nil {
			return err
		}
	}
	return nil
}
