package lists

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/record"
)

// FileQuery is a checked list of files. Unless another order is asked for, and unless a person has given them one,
// files are listed as they were made, so the position behind one is its id. With a cursor that of the last file before is
// known, and what comes before costs nothing; an item may have more files than pages reach.
type FileQuery struct {
	Window
	Behind int64 // the id of a file, 0 for the beginning
	shown  int   // files up to the end of the page, where it is not in the order they were made
	order  fileOrder
	seal   Seal
}

// NewFileQuery checks what a request asks of a list of files. Its cursors are for the lists of the
// same name alone: of the working copy of an article, of what is public of it, or of a version.
func NewFileQuery(r *Request, name string, numbers ...int64) (*FileQuery, error) {
	q := &FileQuery{seal: r.Sealer.query(fmt.Append(nil, "files of ", name, numbers))}
	w, from, err := r.page(Paging{}, Files, func() Seal { return q.seal }, Position{})
	q.Window, q.Behind, q.shown = w, int64(from.ID), int(from.At)
	return q, err
}

// WorkingFiles is NewFileQuery of the files of a working copy, which has orders and filters.
func WorkingFiles(r *Request, article int64) (*FileQuery, error) {
	order, err := newFileOrder(r.Query)
	if err != nil {
		return nil, err
	}
	q, err := NewFileQuery(r, "working copy"+order.text(), article)
	if err != nil {
		return nil, err
	}
	q.order = order
	return q, nil
}

// Cursor is that of the page behind one that ends with a file, 0 for an empty one.
func (q *FileQuery) Cursor(last int64) string {
	if last == 0 {
		last = q.Behind
	}
	return q.seal.Cursor(Position{At: int64(q.shown), ID: uint64(last)})
}

// Made are the files of a working copy in the order that a person gave them, or as they were made, from behind one on.
func Made(tx *bucket.Tx, art *record.Article, behind int64) iter.Seq[bucket.Hit[int64]] {
	return files.Arranged(art.FileOrder, behind, func(behind int64) iter.Seq[bucket.Hit[int64]] {
		return files.ByArticle.Behind(tx, bucket.SortKey(art.ID), behind)
	})
}

// Working yields the files of the page, out of those of a working copy: all, or only those that are
// whole.
func (q *FileQuery) Working(tx *bucket.Tx, art *record.Article, whole bool) iter.Seq2[*record.File, error] {
	get := func(hit bucket.Hit[int64]) (*record.File, error) { return files.Files.Get(tx, hit.Key) }
	made := Made(tx, art, q.Behind)
	switch {
	case !q.order.made() || q.order.asked && len(art.FileOrder) > 0:
		return q.arranged(tx, art, whole)
	case whole:
		return PageOf(q.Window, Keep(Load(made, get), (*record.File).Finished))
	}
	return Load(Page(q.Window, made), get)
}

// FirstFiles are the first files of a working copy, in their order: all, or only those that are whole.
func FirstFiles(tx *bucket.Tx, art *record.Article, n int, whole bool) ([]*record.File, error) {
	q := FileQuery{Window: Window{0, n}, order: fileOrder{by: "id"}}
	return Show(q.Working(tx, art, whole), func(f *record.File) *record.File { return f })
}

// arranged reads every file of the article, and then those of the page. The position of a cursor is
// behind its file; when that has gone, behind as many files as were shown before it.
func (q *FileQuery) arranged(tx *bucket.Tx, art *record.Article, whole bool) iter.Seq2[*record.File, error] {
	get := func(id int64) (*record.File, error) { return files.Files.Get(tx, id) }
	return func(yield func(*record.File, error) bool) {
		var list []*arrangedFile
		for hit := range files.ByArticle.Ascending(tx, bucket.SortKey(art.ID)) {
			f, err := get(hit.Key)
			if err != nil {
				yield(nil, err)
				return
			}
			if q.order.passes(f) && (!whole || f.Finished()) {
				list = append(list, &arrangedFile{f.ID, f.Size, f.Name})
			}
		}
		slices.SortFunc(list, q.order.compare)
		begin := 0
		if q.Behind > 0 {
			if begin = slices.IndexFunc(list, func(a *arrangedFile) bool { return a.id == q.Behind }) + 1; begin == 0 {
				begin = max(q.shown-1, 0)
			}
		}
		begin = min(begin+q.Skip, len(list))
		list = list[begin:min(begin+q.Take, len(list))]
		q.shown = begin + len(list)
		Load(slices.Values(list), func(a *arrangedFile) (*record.File, error) { return get(a.id) })(yield)
	}
}

// arrangedFile is what an order looks at.
type arrangedFile struct {
	id, size int64
	name     string
}

// fileOrder is the order of a list of files, and which of them it has.
type fileOrder struct {
	by         string // id, name or size; ties by id
	asked      bool   // for by, where a person may have ordered the files
	descending bool
	name       *string
	status     record.FileStatus // "" for all
}

var fileStates = []record.FileStatus{record.FileCreated, record.FileChecking, record.FileMoving, record.FileAvailable, record.FileFailed}

// newFileOrder reads the order and the filters of a list of files.
func newFileOrder(q Query) (o fileOrder, err error) {
	o.by = "id"
	if by, ok := q.Find("order"); ok {
		o.asked = true
		if o.by = by; by != "id" && by != "name" && by != "size" {
			return o, record.ErrBadOrder
		}
	}
	switch direction, ok := q.Find("order_direction"); {
	case direction == "desc":
		o.descending = true
	case ok && direction != "asc":
		return o, record.Wrong("order_direction", "must be asc or desc")
	}
	q.Text("name", &o.name)
	if status, ok := q.Find("status"); ok {
		if o.status = record.FileStatus(status); !slices.Contains(fileStates, o.status) {
			return o, record.Wrong("status", "must be created, ic_checking, moving_to_final, available or ic_failed")
		}
	}
	return o, nil
}

// made reports whether the list has all files, in the order they were made, or in that of a person unless asked.
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

func (o *fileOrder) compare(a, b *arrangedFile) int {
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
