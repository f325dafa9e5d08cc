package record

import (
	"slices"
	"time"
)

// ReviewStatus is the state of a review.
type ReviewStatus string

// The states of a review: pending until it is approved, rejected or closed. It is closed, too,
// when its article is handed in again.
const (
	ReviewPending  ReviewStatus = "pending"
	ReviewApproved ReviewStatus = "approved"
	ReviewRejected ReviewStatus = "rejected"
	ReviewClosed   ReviewStatus = "closed"
)

// ReviewStatuses are all states of a review.
var ReviewStatuses = []ReviewStatus{ReviewPending, ReviewApproved, ReviewRejected, ReviewClosed}

// Review is what happened to an article that was handed in for publication in a group
// that asks for it.
type Review struct {
	ID            int64        `json:"id"`
	ArticleID     int64        `json:"article_id"`
	AccountID     int64        `json:"account_id"` // owner of the article
	InstitutionID int64        `json:"institution_id"`
	GroupID       int64        `json:"group_id"` // of the article when it was handed in
	Assigned      int64        `json:"assigned"` // reviewer who wrote first or was given it, 0 for none
	Version       int          `json:"version"`  // that it is to become
	Request       int          `json:"request"`  // how often the article was handed in so far
	Status        ReviewStatus `json:"status"`
	Comments      int          `json:"comments"`
	Resolution    string       `json:"resolution"` // the comment that decided
	Created       time.Time    `json:"created"`
	Modified      time.Time    `json:"modified"`
	Reviewed      time.Time    `json:"reviewed"` // of the last comment, zero for none
}

// ReviewComment is a comment on a review. Its type is "comment", or the status that it gave to
// the review.
type ReviewComment struct {
	ID        int64     `json:"id"`
	ReviewID  int64     `json:"review_id"`
	AccountID int64     `json:"account_id"`
	Type      string    `json:"type"`
	Text      string    `json:"text"`
	Created   time.Time `json:"created"`
}

// Submitted says what a submission that waits for its review does to a file.
type Submitted int8

// A file of a submission. Files of public versions and of the submission are unmarked.
const (
	NotSubmitted  Submitted = iota
	SubmitAdds              // it has a file that no public version had then
	SubmitRemoves           // it lacks a file that the version before it has or will have
)

// Limits of comments.
const (
	maxCommentText    = 2000
	MaxReviewComments = 1000
)

// PlainComment is the type of a comment that decides nothing.
const PlainComment = "comment"

// CommentBody is the body of a new comment. A nil field was not sent.
type CommentBody struct {
	Text *string `json:"text"`
	Type *string `json:"type"`
}

// Check refuses a comment without a text, and types that there are not (422).
func (b *CommentBody) Check() error {
	switch {
	case b.Text == nil || blankText(*b.Text):
		return Wrong("text", "is required")
	case longer(*b.Text, maxCommentText):
		return Wrong("text", "must have at most 2000 characters")
	}
	if t := b.Kind(); t != PlainComment && (t == string(ReviewPending) || !slices.Contains(ReviewStatuses, ReviewStatus(t))) {
		return Wrong("type", "must be comment, approved, rejected or closed")
	}
	return nil
}

// Kind is the type of the comment, a plain one when the body does not say.
func (b *CommentBody) Kind() string {
	if b.Type == nil || *b.Type == "" {
		return PlainComment
	}
	return *b.Type
}

// The warnings of a publication that is not public at once.
const (
	WarnReview  = "The article is not public yet: it waits for a review by its group"
	WarnEmbargo = "The article is not public yet: it waits for the end of its embargo"
)

// The refusals of reviews.
var (
	ErrReviewNotFound = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Review not found"}
	ErrReviewDecided  = &Error{Class: Forbidden, Code: "ReviewDecided", Message: "The review has been decided already"}
	ErrReviewOwner    = &Error{Class: Forbidden, Code: "NotReviewer", Message: "Only reviewers and administrators of the group may decide a review"}
	ErrReviewFull     = &Error{Class: Invalid, Code: "TooManyComments", Message: "The review has as many comments as this server keeps"}
	ErrNoReviewer     = &Error{Class: Invalid, Code: "NoReviewer", Message: "No account with this e-mail address reviews in this group"}
	ErrReviewNeeded   = &Error{Class: Forbidden, Code: "ReviewNeeded", Message: "What is public in this group changes only through a review; publish a new version"}
)
