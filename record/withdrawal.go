package record

import (
	"time"
	"unicode/utf8"
)

// Tombstone takes the place of public versions that were withdrawn: readers get nothing of it,
// and its identifiers are never given to another item.
type Tombstone struct {
	ArticleID int64  `json:"article_id"` // id of the article, collection or project
	Version   int    `json:"version"`    // the latest that was withdrawn
	AccountID int64  `json:"account_id"`
	DOI       string `json:"doi"` // without a version
	Handle    string `json:"handle"`
	Withdrawal
	By int64     `json:"by"` // account that withdrew it
	At time.Time `json:"at"`

	Sets []string `json:"sets,omitempty"` // that it was harvested in

	Foreign bool `json:"foreign,omitempty"` // it had an Origin, and was never harvested
}

// Withdrawal is why an item was withdrawn, and what its page says since.
type Withdrawal struct {
	Reason       string `json:"reason"`                  // for those who may withdraw it; "" where it was deleted
	PublicReason string `json:"public_reason,omitempty"` // for readers
	HideTitle    bool   `json:"hide_title,omitempty"`    // the title must not be read any more, nor the authors
}

// Limits of the reason of a withdrawal in characters (docs/reference/api.md#limits).
const (
	minReason = 5
	maxReason = 500
)

// UnpublishBody is the body of a withdrawal.
type UnpublishBody struct {
	Reason       *string `json:"reason"`
	PublicReason *string `json:"public_reason"`
	HideTitle    *bool   `json:"hide_title"`
}

// Check refuses a body without a reason, or with one of the wrong length (422).
func (b *UnpublishBody) Check() error {
	if b.Reason == nil {
		return Wrong("reason", "is required")
	}
	if n := utf8.RuneCountInString(*b.Reason); n < minReason || n > maxReason {
		return Wrong("reason", "must have 5 to 500 characters")
	}
	if b.PublicReason != nil && utf8.RuneCountInString(*b.PublicReason) > maxReason {
		return Wrong("public_reason", "must have at most 500 characters")
	}
	return nil
}

// Withdrawal is what a checked body says.
func (b *UnpublishBody) Withdrawal() (w Withdrawal) {
	w.Reason = *b.Reason
	if b.PublicReason != nil {
		w.PublicReason = *b.PublicReason
	}
	w.HideTitle = b.HideTitle != nil && *b.HideTitle
	return w
}

// Public reports whether readers get a version of the item.
func (w *Working) Public() bool { return w.Version > 0 && !w.Withdrawn }

// EverPublic reports whether some version was ever public, also one that was withdrawn or that a
// restore took back.
func (w *Working) EverPublic() bool {
	return w.Version > 0 || w.Withdrawn || w.Taken > 0 || w.First != nil
}
