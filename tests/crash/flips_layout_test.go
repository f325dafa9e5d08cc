package crash

import (
	"encoding/binary"
	"fmt"
	"testing"
)

// usedBytes are bytes of a database file that mean something, of one kind.
type usedBytes struct {
	kind   string
	from   int64 // offset in the file
	n      int64
	page   int64
	bucket string // blank for none
}

// layout finds all bytes of a bbolt file that are in use: both metas with their heads, the free
// list, and of every page that the newest meta leads to the head, the elements, the keys and the
// values. The rest is never read: free pages, and the space behind the last value of a page. It
// is written apart from the code that checks, so that neither hides what the other does not know.
type layout struct {
	t    *testing.T
	file []byte
	size int64
	used []usedBytes
}

func usedOf(t *testing.T, file []byte) []usedBytes {
	l := &layout{t: t, file: file}
	le := binary.NativeEndian
	l.size = int64(le.Uint32(file[16+8:]))
	newest, commit := int64(0), uint64(0)
	for page := range int64(2) {
		at := page * l.size
		l.add("head of a meta", at, 16, page, "")
		l.add("meta", at+16, 64, page, "")
		if c := le.Uint64(file[at+16+48:]); c >= commit {
			newest, commit = at+16, c
		}
	}
	free := int64(le.Uint64(file[newest+32:]))
	l.add("head of the free list", free*l.size, 16, free, "")
	if n := int64(le.Uint16(file[free*l.size+10:])); n > 0 {
		l.add("free list", free*l.size+16, 8*n, free, "")
	}
	l.tree(int64(le.Uint64(file[newest+16:])), "")
	return l.used
}

func (l *layout) add(kind string, from, n, page int64, bucket string) {
	if n > 0 {
		l.used = append(l.used, usedBytes{kind, from, n, page, bucket})
	}
}

func (l *layout) tree(page int64, bucket string) { l.page(page*l.size, page, bucket) }

// page notes what is used of a page, or of one that stands in a value.
func (l *layout) page(at, page int64, bucket string) {
	le := binary.NativeEndian
	flags, count := le.Uint16(l.file[at+8:]), int64(le.Uint16(l.file[at+10:]))
	kind := map[uint16]string{1: "branch", 2: "leaf"}[flags]
	if kind == "" {
		l.t.Fatalf("page %d has the flags %#x", page, flags)
	}
	l.add("head of a "+kind, at, 16, page, bucket)
	l.add("elements of a "+kind, at+16, 16*count, page, bucket)
	for i := range count {
		e := at + 16 + 16*i
		if flags == 1 {
			key := e + int64(le.Uint32(l.file[e:]))
			l.add("key of a branch", key, int64(le.Uint32(l.file[e+4:])), page, bucket)
			l.tree(int64(le.Uint64(l.file[e+8:])), bucket)
			continue
		}
		key, n, value := e+int64(le.Uint32(l.file[e+4:])), int64(le.Uint32(l.file[e+8:])), int64(le.Uint32(l.file[e+12:]))
		if le.Uint32(l.file[e:]) == 0 {
			l.add("key of "+sortOf(bucket), key, n, page, bucket)
			l.add("value of "+sortOf(bucket), key+n, value, page, bucket)
			continue
		}
		name := string(l.file[key : key+n])
		l.add("name of a bucket", key, n, page, name)
		l.add("head of a bucket", key+n, 16, page, name)
		if root := int64(le.Uint64(l.file[key+n:])); root != 0 {
			l.tree(root, name)
		} else {
			l.page(key+n+16, page, name)
		}
	}
}

// sortOf is the sort of a bucket: records, indexes and documents each have many.
func sortOf(bucket string) string {
	for i, c := range bucket {
		if c == ':' {
			return bucket[:i+1]
		}
	}
	return bucket
}

func (u usedBytes) String() string {
	return fmt.Sprintf("%s (page %d, bucket %q)", u.kind, u.page, u.bucket)
}
