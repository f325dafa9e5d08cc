package lists

import (
	"strconv"

	"alcove/record"
)

// Paging is what a request says about pages.
type Paging struct {
	Page     *int64 `json:"page"`
	PageSize *int64 `json:"page_size"`
	Limit    *int64 `json:"limit"`
	Offset   *int64 `json:"offset"`
}

// Bounds are the limits of a list.
type Bounds struct {
	MaxPage, MaxSize int64
	Usual            int64         // items of a page when the request does not say
	TooFar           *record.Error // the answer beyond the maxima
}

var errTooFar = &record.Error{Class: record.Invalid, Code: "MaxPageReached", Message: record.ErrMaxPage.Message}

// The bounds of all lists.
var (
	PublicItems    = Bounds{5000, 1000, 10, record.ErrMaxPage}
	OwnItems       = Bounds{100, 1000, 10, record.ErrMaxPage}
	OwnSearches    = Bounds{100, 100, 10, record.ErrMaxPage}
	OwnProjects    = Bounds{100, 1000, 10, errTooFar}
	ProjectMatches = Bounds{100, 100, 10, errTooFar} // of a search in own projects
	Files          = Bounds{5000, 1000, 1000, errTooFar}
	Others         = Bounds{5000, 1000, 10, errTooFar} // projects, and what is in one; people, reviews
)

const (
	maxOffset  = 5000
	maxReached = 9000 // items that pages can reach
)

// Window is the part of a list that a reply shows.
type Window struct{ Skip, Take int }

// Next is the number, or the offset, of the page behind. ok is false where pages do not reach it.
func (w Window) Next(b Bounds, byOffset bool) (n int, ok bool) {
	n = w.Skip/w.Take + 2
	most := int(b.MaxPage)
	if byOffset {
		n, most = w.Skip+w.Take, maxOffset
	}
	return n, n <= most && w.Skip+2*w.Take <= maxReached
}

// complete sets what a body did not say to what the query says.
func (p *Paging) complete(q Query) error {
	for _, f := range [...]struct {
		name string
		to   **int64
	}{{"page", &p.Page}, {"page_size", &p.PageSize}, {"limit", &p.Limit}, {"offset", &p.Offset}} {
		if q.repeats(f.name) {
			return record.Wrong(f.name, "was sent more than once")
		}
		if err := q.Number(f.name, f.to); err != nil {
			return err
		}
	}
	return nil
}

// Window is complete and window together, for lists that look at nothing between.
func (p Paging) Window(q Query, b Bounds) (Window, error) {
	if err := p.complete(q); err != nil {
		return Window{}, err
	}
	return p.window(b)
}

// window checks paging against the bounds of a list.
func (p Paging) window(b Bounds) (Window, error) {
	if (p.Page != nil || p.PageSize != nil) && (p.Limit != nil || p.Offset != nil) {
		return Window{}, record.ErrPaginationMix
	}
	page, size, offset := value(p.Page, 1), value(p.PageSize, b.Usual), value(p.Offset, 0)
	name := "page_size"
	if p.Limit != nil {
		name, size = "limit", *p.Limit
	}
	switch {
	case page < 1:
		return Window{}, record.Wrong("page", "must be at least 1")
	case size < 1 || size > b.MaxSize:
		return Window{}, record.Wrong(name, "must be from 1 to "+strconv.FormatInt(b.MaxSize, 10))
	case offset < 0:
		return Window{}, record.Wrong("offset", "must not be negative")
	case page > b.MaxPage || offset > maxOffset:
		return Window{}, b.TooFar
	}
	skip := (page-1)*size + offset
	if skip+size > maxReached {
		return Window{}, b.TooFar
	}
	return Window{int(skip), int(size)}, nil
}

func value[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
