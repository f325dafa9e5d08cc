package present

import (
	"time"

	"alcove/record"
)

// Curation is the review of an article.
type Curation struct {
	ID                int64   `json:"id"`
	GroupID           *int64  `json:"group_id"`
	AccountID         int64   `json:"account_id"`
	AssignedTo        *int64  `json:"assigned_to"`
	ArticleID         int64   `json:"article_id"`
	Version           int     `json:"version"`
	CommentsCount     int     `json:"comments_count"`
	Status            string  `json:"status"`
	CreatedDate       *string `json:"created_date"`
	ModifiedDate      *string `json:"modified_date"`
	ReviewDate        *string `json:"review_date"`
	RequestNumber     int     `json:"request_number"`
	ResolutionComment *string `json:"resolution_comment"`
}

// Curation is a review in a list.
func (s Settings) Curation(r *record.Review) Curation {
	return Curation{
		ID: r.ID, GroupID: s.id(r.GroupID), AccountID: r.AccountID, AssignedTo: s.id(r.Assigned), ArticleID: r.ArticleID, Version: r.Version,
		CommentsCount: r.Comments, Status: string(r.Status), CreatedDate: bare(r.Created), ModifiedDate: bare(r.Modified),
		ReviewDate: bare(r.Reviewed), RequestNumber: r.Request, ResolutionComment: s.text(r.Resolution),
	}
}

// CurationDetail is a review with what was handed in.
type CurationDetail struct {
	Item ArticleComplete `json:"item"`
	Curation
}

// CurationDetail is a review with what was handed in, which is not public, and its files.
func (s Settings) CurationDetail(r *record.Review, v *record.ArticleVersion, files []*record.PublicFile) CurationDetail {
	handedIn := *v
	handedIn.Version = r.Version
	item := version(&handedIn)
	item.size, item.links = v.Size, v.Links // also under an embargo
	item.status, item.everPublic = "private", false
	item.first, item.published = time.Time{}, time.Time{}
	item.created, item.modified = r.Created, r.Created
	return CurationDetail{ArticleComplete{describe(s, s.publicFiles(files), item)}, s.Curation(r)}
}

// CurationComment is a comment on a review.
type CurationComment struct {
	ID           int64   `json:"id"`
	AccountID    int64   `json:"account_id"`
	Type         string  `json:"type"`
	Text         string  `json:"text"`
	CreatedDate  *string `json:"created_date"`
	ModifiedDate *string `json:"modified_date"`
}

// NewCurationComment is a comment, which never changes.
func NewCurationComment(c *record.ReviewComment) CurationComment {
	return CurationComment{c.ID, c.AccountID, c.Type, c.Text, bare(c.Created), bare(c.Created)}
}
