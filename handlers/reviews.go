package handlers

import (
	"slices"
	"time"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/handlers/accounts"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/record"
)

// reviews reports whether the caller reviews what is handed in in a group, or administers
// it; also of a group that there is not any more.
func reviews(c *endpoint.Call, tx *bucket.Tx, institution, group int64) (bool, error) {
	return reviewsIn(tx, c.Account, institution, group)
}

func reviewsIn(tx *bucket.Tx, acc *record.Account, institution, group int64) (bool, error) {
	if institution == 0 || acc.InstitutionID != institution {
		return false, nil
	}
	if acc.Admin {
		return true, nil
	}
	for _, role := range []int64{record.RoleReviewer, record.RoleAdministrator} {
		groups, err := accounts.GroupsWith(tx, acc, role)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(groups, func(g *record.Group) bool { return g.ID == group }) {
			return true, nil
		}
	}
	return false, nil
}

// review is the review of the path when the caller may read it: who reviews in its group
// (decides), and the owner of the article.
func review(c *endpoint.Call, tx *bucket.Tx) (r *record.Review, decides bool, err error) {
	owner, decides, err := ofReview(c, tx, c.ID("review_id"))
	if err == nil && !decides && !c.Is(owner) {
		err = record.ErrReviewNotFound
	}
	if err != nil {
		return nil, false, err
	}
	r, err = working.Reviews.Get(tx, c.ID("review_id"))
	return r, decides, err
}

// AssignReview is the step that gives the review of the path, which waits, to the account with an e-mail address, or to
// none when it is "". Those who decide the review may, and only one of them is given it.
func AssignReview(email string) endpoint.Step {
	return func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
		r, decides, err := review(c, tx)
		switch {
		case err != nil:
			return endpoint.Reply{}, err
		case !decides:
			return endpoint.Reply{}, record.ErrReviewOwner
		case r.Status != record.ReviewPending:
			return endpoint.Reply{}, record.ErrReviewDecided
		}
		r.Assigned = 0
		if email != "" {
			id, ok := users.AccountsByEmail.First(tx, bucket.SortKey(record.FoldEmail(email)))
			if !ok {
				return endpoint.Reply{}, record.ErrNoReviewer
			}
			acc, err := users.Accounts.Get(tx, id)
			if err != nil {
				return endpoint.Reply{}, err
			}
			may, err := reviewsIn(tx, acc, r.InstitutionID, r.GroupID)
			if err != nil {
				return endpoint.Reply{}, err
			}
			if !may || !acc.Active(tx.Clock()) {
				return endpoint.Reply{}, record.ErrNoReviewer
			}
			r.Assigned = acc.ID
		}
		r.Modified = tx.Now()
		return endpoint.Reply{}, working.Reviews.Put(tx, r.ID, r)
	}
}

// Decides reports whether the caller decides the review of the path.
func (a *API) Decides(c *endpoint.Call, tx *bucket.Tx) (bool, error) {
	_, decides, err := review(c, tx)
	return decides, err
}

// ofReview is whose a review is, and whether the caller decides it. It costs the same for one that
// is not there, which no account decides.
func ofReview(c *endpoint.Call, tx *bucket.Tx, id int64) (owner bucket.Owner, decides bool, err error) {
	owner = working.ReviewOwners.Of(tx, id)
	institution := owner.Institution
	if owner.Account == 0 {
		institution = c.Account.InstitutionID
	}
	decides, err = reviews(c, tx, institution, owner.Group)
	return owner, decides && owner.Account != 0, err
}

// mayCorrect refuses to change what is public in a group that asks for reviews, except to
// those who review there.
func mayCorrect(c *endpoint.Call, tx *bucket.Tx, v *record.ArticleVersion) error {
	asks, err := items.AsksForReview(tx, v.GroupID)
	if err != nil || !asks {
		return err
	}
	reviewer, err := reviews(c, tx, v.InstitutionID, v.GroupID)
	if err == nil && !reviewer {
		err = record.ErrReviewNeeded
	}
	return err
}

// ReviewList lists the reviews that the caller may read, the newest first.
func (a *API) ReviewList(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	group, err := c.Query.Integer("group_id")
	if err != nil {
		return endpoint.Reply{}, err
	}
	article, err := c.Query.Integer("article_id")
	if err != nil {
		return endpoint.Reply{}, err
	}
	status, filtered := c.Query.Find("status")
	if filtered && !slices.Contains(record.ReviewStatuses, record.ReviewStatus(status)) {
		return endpoint.Reply{}, record.Wrong("status", "must be pending, approved, rejected or closed")
	}
	w, err := c.Page(lists.Others)
	if err != nil {
		return endpoint.Reply{}, err
	}
	all := lists.Load(working.ReviewsByInstitution.Descending(tx, bucket.SortKey(c.Account.InstitutionID)), func(hit bucket.Hit[int64]) (*record.Review, error) {
		return working.Reviews.Get(tx, hit.Key)
	})
	asked := lists.Keep(all, func(r *record.Review) bool {
		return lists.Is(group, r.GroupID) && lists.Is(article, r.ArticleID) && (!filtered || string(r.Status) == status)
	})
	decides := map[int64]bool{} // by group
	mine := func(yield func(*record.Review, error) bool) {
		for r, err := range asked {
			may := false
			if err == nil {
				may, err = decidesIn(c, tx, r, decides)
			}
			if (err != nil || may || r.AccountID == c.Account.ID) && !yield(r, err) {
				return
			}
		}
	}
	list, err := lists.Show(lists.PageOf(w, mine), a.Settings.Curation)
	return endpoint.Reply{Body: list, Modified: c.Changed}, err
}

// decidesIn reports whether the caller reviews in the group of a review, which known has of the groups
// that were looked at before.
func decidesIn(c *endpoint.Call, tx *bucket.Tx, r *record.Review, known map[int64]bool) (may bool, err error) {
	may, ok := known[r.GroupID]
	if !ok {
		if may, err = reviews(c, tx, r.InstitutionID, r.GroupID); err == nil {
			known[r.GroupID] = may
		}
	}
	return may, err
}

// ReviewRead is one review with what was handed in, as it was then. While it is pending
// it shows the files, too.
func (a *API) ReviewRead(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	r, _, err := review(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	v, err := working.Submissions.Get(tx, r.ID)
	if err != nil {
		return endpoint.Reply{}, err
	}
	var files []*record.PublicFile
	if r.Status == record.ReviewPending {
		if files, err = submittedFiles(tx, r, v.FileOrder, a.Settings.FilesInDetail); err != nil {
			return endpoint.Reply{}, err
		}
	}
	return endpoint.Reply{Body: a.Settings.CurationDetail(r, v, files), Modified: r.Modified}, nil
}

// submittedFiles are the files of what waits for a review, up to a number, in their order, nil for as
// they were made: those that it adds, and those of public versions that it keeps.
func submittedFiles(tx *bucket.Tx, r *record.Review, order []int64, most int) ([]*record.PublicFile, error) {
	var ids []int64
	for _, in := range []*bucket.Index[int64]{files.Published, files.Submitted} {
		n := 0
		for hit := range in.Ascending(tx, bucket.SortKey(r.ArticleID)) {
			f, err := files.Files.Get(tx, hit.Key)
			if err != nil {
				return nil, err
			}
			if !submitted(f) {
				continue
			}
			ids = append(ids, f.ID)
			if n++; n == most && len(order) == 0 {
				break
			}
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	files.Arrange(order, ids, func(id int64) int64 { return id })
	var list []*record.PublicFile
	for _, id := range ids[:min(len(ids), most)] {
		f, err := files.Files.Get(tx, id)
		if err != nil {
			return nil, err
		}
		list = append(list, f.Public(r.Created))
	}
	return list, nil
}

// submitted reports whether what waits for a review has a file.
func submitted(f *record.File) bool {
	return f.Submitted == record.SubmitAdds || f.Submitted == record.NotSubmitted && f.Added > 0 && f.Removed == 0
}

// reviewsArticle reports whether the caller has to review an article.
func reviewsArticle(c *endpoint.Call, tx *bucket.Tx, article int64) (bool, error) {
	if c.Account == nil {
		return false, nil
	}
	id, _ := working.ReviewsPending.First(tx, bucket.SortKey(article))
	_, decides, err := ofReview(c, tx, id)
	return decides, err
}

// CommentList lists the comments of a review, the oldest first.
func (a *API) CommentList(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	r, _, err := review(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	w, err := c.Page(lists.Others)
	if err != nil {
		return endpoint.Reply{}, err
	}
	comments := working.ReviewComments.All(tx, bucket.Prefix(r.ID))
	list, err := lists.Show(lists.PageOf(w, comments), func(row bucket.Row[bucket.Pair, record.ReviewComment]) present.CurationComment {
		return present.NewCurationComment(row.Record)
	})
	return endpoint.Reply{Body: list, Modified: r.Modified}, err
}

// CommentAdd writes a comment. One of those who review can decide by it: approved
// publishes what was handed in, rejected gives it back to its owner, closed ends the
// review without a decision. The owner can write, too, and close: that withdraws it.
func (a *API) CommentAdd(c *endpoint.Call, tx *bucket.Tx, body *record.CommentBody) (endpoint.Reply, error) {
	r, decides, err := review(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := body.Check(); err != nil {
		return endpoint.Reply{}, err
	}
	kind := body.Kind()
	decision := record.ReviewStatus(kind)
	switch {
	case kind != record.PlainComment && !decides && decision != record.ReviewClosed:
		return endpoint.Reply{}, record.ErrReviewOwner
	case kind != record.PlainComment && r.Status != record.ReviewPending:
		return endpoint.Reply{}, record.ErrReviewDecided
	case kind == record.PlainComment && r.Comments >= record.MaxReviewComments:
		return endpoint.Reply{}, record.ErrReviewFull
	}
	comment := &record.ReviewComment{ReviewID: r.ID, AccountID: c.Account.ID, Type: kind, Text: *body.Text, Created: tx.Now()}
	if comment.ID, err = working.ReviewComments.NextID(tx); err != nil {
		return endpoint.Reply{}, err
	}
	if err := working.ReviewComments.Put(tx, bucket.Pair{A: r.ID, B: comment.ID}, comment); err != nil {
		return endpoint.Reply{}, err
	}
	r.Comments++
	r.Reviewed, r.Modified = tx.Now(), tx.Now()
	if decides && r.Assigned == 0 {
		r.Assigned = c.Account.ID
	}
	switch decision {
	case record.ReviewApproved:
		err = a.Items.Approve(tx, r)
	case record.ReviewRejected, record.ReviewClosed:
		err = items.UnmarkSubmitted(tx, r.ArticleID)
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	if kind != record.PlainComment {
		r.Status, r.Resolution = decision, comment.Text
		if c.Account.ID != r.AccountID {
			if err := a.Items.Notify(tx, record.Mail{Kind: record.NoticeDecided, AccountID: r.AccountID, ItemID: r.ID, Said: kind}); err != nil {
				return endpoint.Reply{}, err
			}
		}
	}
	return endpoint.Reply{Body: present.NewCurationComment(comment), After: a.Jobs.EndEmbargoesSoon}, working.Reviews.Put(tx, r.ID, r)
}

// curation is the state of the newest review of an article, nil when there was none, and
// when that or something else last changed.
func curation(tx *bucket.Tx, article int64, modified time.Time) (*string, time.Time, error) {
	r, err := items.LastReview(tx, article)
	if err != nil || r == nil {
		return nil, modified, err
	}
	if r.Modified.After(modified) {
		modified = r.Modified
	}
	status := string(r.Status)
	return &status, modified, nil
}
