package handlers

import (
	"cmp"
	"fmt"
	"slices"

	"alcove/bucket"
	"alcove/record"
)

// fileListQuery is what a list of the files of a working copy can be asked for (specification 4.6).
type fileListQuery struct {
	Paging
	Order          *string `json:"order"`
	OrderDirection *string `json:"order_direction"`
	Name           *string `json:"name"`
	Status         *string `json:"status"`
}

// fileOrder is the order of a list of files, and which of them it has.
type fileOrder struct {
	by         string // id, name or size; ties by id
	descending bool
	name       *string
	status     record.FileStatus // "" for all
}

var fileStates = []record.FileStatus{record.FileCreated, record.FileChecking, record.FileMoving, record.FileAvailable, record.FileFailed}

// fileOrder reads the order and the filters of a list of files.
func (c *Call) fileOrder() (o fileOrder, err error) {
	o.by = "id"
	if by, ok := c.Query.find("order"); ok {
		if o.by = by; by != "id" && by != "name" && by != "size" {
			return o, record.ErrBadOrder
		}
	}
	switch direction, ok := c.Query.find("order_direction"); {
	case direction == "desc":
		o.descending = true
	case ok && direction != "asc":
		return o, record.Wrong("order_direction", "must be asc or desc")
	}
	if name, ok := c.Query.find("name"); ok {
		o.name = &name
	}
	if status, ok := c.Query.find("status"); ok {
		if o.status = record.FileStatus(status); !slices.Contains(fileStates, o.status) {
			return o, record.Wrong("status", "must be created, ic_checking, moving_to_final, available or ic_failed")
		}
	}
	return o, nil
}

// made reports whether the list has all files, in the order they were made.
func (o *fileOrder) made() bool {
	return o.by == "id" && !o.descending && o.name == nil && o.status == ""
}

// text names the order, so that no two share a cursor.
func (o *fileOrder) text() string {
	if o.made() {
		return ""
	}
	text := fmt.Sprintf("%s %t %s ", o.by, o.descending, o.status)
	if o.name != nil {
		text += fmt.Sprintf("%q", *o.name)
	}
	return text
}

func (o *fileOrder) passes(f *record.File) bool {
	return (o.name == nil || f.Name == *o.name) && (o.status == "" || f.Status == o.status)
}

func (o *fileOrder) compare(a, b *arranged) int {
	if o.descending {
		a, b = b, a
	}
	switch o.by {
	case "name":
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.id, b.id))
	case "size":
		return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.id, b.id))
	}
	return cmp.Compare(a.id, b.id)
}

// arranged is what an order looks at.
type arranged struct {
	id, size int64
	name     string
}

// arrange loads the files of a page that is not in the order they were made, or has not all of
// them. It looks at every file of the article. The place of a cursor is behind its file; when that
// has gone, behind as many files as were shown before it.
func (p *filePage) arrange(tx *bucket.Tx, article int64, whole bool) (files []*record.File, err error) {
	var list []*arranged
	for hit := range bucket.FilesByArticle.Ascending(tx, bucket.SortKey(article)) {
		f, err := bucket.Files.Get(tx, hit.Key)
		if err != nil {
			return nil, err
		}
		if p.order.passes(f) && (!whole || f.Finished()) {
			list = append(list, &arranged{f.ID, f.Size, f.Name})
		}
	}
	slices.SortFunc(list, p.order.compare)
	begin := 0
	if p.behind > 0 {
		if begin = slices.IndexFunc(list, func(a *arranged) bool { return a.id == p.behind }) + 1; begin == 0 {
			begin = max(p.shown-1, 0)
		}
	}
	begin = min(begin+p.skip, len(list))
	list = list[begin:min(begin+p.take, len(list))]
	p.shown = begin + len(list)
	for _, a := range list {
		f, err := bucket.Files.Get(tx, a.id)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}
