package lists

import (
	"iter"
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

// Page yields what a window shows of a list. It asks the list for nothing behind that.
func Page[T any](w Window, list iter.Seq[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		at := 0
		for item := range list {
			if at++; at > w.Skip && !yield(item) || at == w.Skip+w.Take {
				return
			}
		}
	}
}

// PageOf is Page of a list that can fail: it ends with the first error, wherever that is.
func PageOf[T any](w Window, list iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		at := 0
		for item, err := range list {
			if err != nil {
				yield(item, err)
				return
			}
			if at++; at > w.Skip && !yield(item, nil) || at == w.Skip+w.Take {
				return
			}
		}
	}
}

// Load yields what get reads of each of some entries, until there is an error.
func Load[E, T any](entries iter.Seq[E], get func(E) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for e := range entries {
			if item, err := get(e); !yield(item, err) || err != nil {
				return
			}
		}
	}
}

// Show is a list of how items are shown, empty rather than nil.
func Show[T, S any](page iter.Seq2[T, error], show func(T) S) ([]S, error) {
	list := []S{}
	for item, err := range page {
		if err != nil {
			return nil, err
		}
		list = append(list, show(item))
	}
	return list, nil
}

// Keep yields what passes.
func Keep[T any](list iter.Seq2[T, error], passes func(T) bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for item, err := range list {
			if (err != nil || passes(item)) && !yield(item, err) {
				return
			}
		}
	}
}
