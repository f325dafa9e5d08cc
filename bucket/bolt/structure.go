package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"unsafe"
)

// Damage is a page of a file that is not as bbolt writes it.
type Damage struct {
	Bucket string // blank for none
	Key    []byte // of the entry that it is about, nil for none
	Page   int64
	Reason string
}

// String says where it is and what.
func (d Damage) String() string {
	text := fmt.Sprintf("page %d", d.Page)
	if d.Bucket != "" {
		text += " of " + d.Bucket
	}
	return text + ": " + d.Reason
}

// Visitor is told what stands in the buckets of a file, in order; of each bucket first, in the one
// named "", its name and the head of it that bbolt keeps. The bytes are valid only during the call.
type Visitor func(bucket string, key, value []byte)

// structure walks through a whole file from a meta, and finds every page that is not as
// bbolt writes it. A bit that is another one in anything that bbolt goes by is found: bbolt
// leaves no choice how a page looks that has certain keys and values, a branch says the first
// key of each child, and every page belongs to one place of one tree, or to the free list.
type structure struct {
	file           *pageFile
	ctx            context.Context
	used           []uint64 // a bit for each page that was met
	report         func(Damage)
	visit          Visitor
	damagedBuckets map[string]bool // buckets with a page that cannot be read
}

// errStructure says that a file cannot be walked through to the end.
var errStructure = errors.New("cannot read the pages of the database")

// walk goes through the file as of a meta. It fails only when its context ends.
func (s *structure) walk(m commitMeta) error {
	s.used = make([]uint64, m.pages/64+1)
	s.damagedBuckets = map[string]bool{}
	if _, err := s.tree("", m.root, nil, 0); err != nil {
		return err
	}
	free, freeOK := s.freelist(m) // behind the trees: pages that it claims wrongly are theirs
	fits := true
	for _, id := range free {
		if s.met(id) {
			fits = false
			s.page(int64(id), "", "it is in use and the free list has it")
		}
		s.used[id/64] |= 1 << (id % 64)
	}
	if !freeOK || len(s.damagedBuckets) > 0 {
		return nil // what is not met then is no surprise
	}
	for id := uint64(2); id < m.pages; id++ {
		if !s.met(id) {
			fits = false
			s.page(int64(id), "", "nothing leads to it, and the free list does not have it")
		}
	}
	if !fits {
		s.page(int64(m.freelist), "", "it is the free list, and does not fit to the pages that are in use")
	}
	return nil
}

func (s *structure) page(number int64, bucket, reason string, args ...any) {
	s.report(Damage{Bucket: bucket, Page: number, Reason: fmt.Sprintf(reason, args...)})
}

func (s *structure) met(id uint64) bool { return s.used[id/64]&(1<<(id%64)) != 0 }

// meet notes a page with those that belong to it; false when one of them was met before.
func (s *structure) meet(id uint64, b []byte, bucket string) bool {
	ok := true
	for i := range uint64(len(b)) / uint64(s.file.size) {
		if s.met(id + i) {
			s.page(int64(id+i), bucket, "it is in two places")
			ok = false
		}
		s.used[(id+i)/64] |= 1 << ((id + i) % 64)
	}
	return ok
}

// freelist reads the free list, and notes its pages as met.
func (s *structure) freelist(m commitMeta) (free []uint64, ok bool) {
	bad := func(reason string, args ...any) ([]uint64, bool) {
		s.page(int64(m.freelist), "", "it is the free list, and "+reason, args...)
		return nil, false
	}
	b, err := s.file.page(m.freelist)
	if err != nil {
		return bad("%v", err)
	}
	if native.Uint16(b[8:]) != freelistFlag {
		return bad("its kind is %#x", native.Uint16(b[8:]))
	}
	s.meet(m.freelist, b, "")
	count, ids := uint64(native.Uint16(b[10:])), b[pageHead:]
	if count == manyFree {
		count, ids = native.Uint64(ids), ids[8:]
	}
	if count > uint64(len(ids))/8 {
		return bad("%d pages do not fit into it", count)
	}
	last := uint64(1)
	for i := range count {
		id := native.Uint64(ids[8*i:])
		if id <= last || id >= m.pages {
			return bad("it has page %d behind page %d", id, last)
		}
		free, last = append(free, id), id
	}
	return free, true
}

// tree walks through the pages of a bucket below one, whose keys lie before max, nil for no
// bound. The file's own tree, whose values are the buckets, is "". It gives the
// first key.
func (s *structure) tree(bucket string, id uint64, max []byte, depth int) (first []byte, err error) {
	if s.ctx.Err() != nil {
		return nil, context.Cause(s.ctx)
	}
	lose := func(reason string, args ...any) ([]byte, error) {
		s.damagedBuckets[bucket] = true
		s.page(int64(id), bucket, reason, args...)
		return nil, nil
	}
	b, err := s.file.page(id)
	if err != nil {
		return lose("%v", err)
	}
	if depth == deepest {
		return lose("it lies too deep")
	}
	list, leaf, why := elements(b)
	if why == "" && len(b) > int(s.file.size) && end(list, leaf, b) <= len(b)-int(s.file.size) {
		lose("it has more pages than it needs")
		b = b[:(end(list, leaf, b)+int(s.file.size)-1)/int(s.file.size)*int(s.file.size)] // others may be in use elsewhere
	}
	if !s.meet(id, b, bucket) {
		s.damagedBuckets[bucket] = true
		return nil, nil
	}
	switch {
	case why != "":
		return lose("%s", why)
	case len(list) == 0 && (depth > 0 || !leaf):
		return lose("it is empty")
	}
	if why := order(list, max); why != "" {
		lose("%s", why)
	}
	if len(list) > 0 {
		first = bytes.Clone(list[0].key)
	}
	switch {
	case !leaf:
		return first, s.children(bucket, id, list, max, depth)
	case bucket == "":
		return first, s.buckets(list, id)
	}
	s.leaf(bucket, list, id)
	return first, nil
}

func (s *structure) children(bucket string, id uint64, list []element, max []byte, depth int) error {
	type child struct {
		key  []byte
		page uint64
	}
	children := make([]child, 0, len(list)) // the room of the page is needed for them
	for _, e := range list {
		children = append(children, child{bytes.Clone(e.key), e.page})
	}
	for i, c := range children {
		above := max
		if i+1 < len(children) {
			above = children[i+1].key
		}
		first, err := s.tree(bucket, c.page, above, depth+1)
		if err != nil {
			return err
		}
		if first == nil {
			s.page(int64(id), bucket, "it leads to page %d, which is none of its own", c.page)
			continue
		}
		if !bytes.Equal(first, c.key) { // either may be what it was
			s.damagedBuckets[bucket] = true
			s.page(int64(id), bucket, "it says that page %d begins with another key than it does", c.page)
			s.page(int64(c.page), bucket, "it begins with another key than page %d says", id)
		}
	}
	return nil
}

func (s *structure) leaf(bucket string, list []element, id uint64) {
	for _, e := range list {
		if e.flags != 0 {
			s.damagedBuckets[bucket] = true
			s.report(Damage{Bucket: bucket, Key: bytes.Clone(e.key), Page: int64(id), Reason: fmt.Sprintf("an entry has the kind %#x", e.flags)})
			continue
		}
		if s.visit != nil {
			s.visit(bucket, e.key, e.value)
		}
	}
}

// buckets walks through the buckets of a leaf of the file's own tree.
func (s *structure) buckets(list []element, id uint64) error {
	whole := make([]element, len(list)) // they outlive the room of the page
	for i, e := range list {
		e.key, e.value = bytes.Clone(e.key), bytes.Clone(e.value)
		whole[i] = e
	}
	for _, e := range whole {
		name := string(e.key)
		if e.flags != 1 || len(e.value) < bucketHead || name == "" {
			s.damagedBuckets[name] = true
			s.page(int64(id), name, "what should be the bucket %q is none", name)
			continue
		}
		root := native.Uint64(e.value)
		if s.visit != nil {
			s.visit("", e.key, e.value[:bucketHead])
		}
		switch {
		case root == 0:
			s.inline(name, id, e.value[bucketHead:])
		case len(e.value) != bucketHead:
			s.damagedBuckets[name] = true
			s.page(int64(id), name, "the bucket %q has %d bytes", name, len(e.value))
		default:
			if _, err := s.tree(name, root, nil, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// inline reads a bucket that stands in the value of its parent.
func (s *structure) inline(bucket string, id uint64, b []byte) {
	lose := func(why string) {
		s.damagedBuckets[bucket] = true
		s.page(int64(id), bucket, "in the bucket %q, %s", bucket, why)
	}
	if len(b) < pageHead || native.Uint64(b) != 0 || native.Uint32(b[12:]) != 0 {
		lose("its head is wrong")
		return
	}
	list, leaf, why := elements(b)
	if why == "" && (!leaf || end(list, leaf, b) != len(b)) {
		why = "its length is wrong"
	}
	if why == "" {
		why = order(list, nil)
	}
	if why != "" {
		lose(why)
		return
	}
	s.leaf(bucket, list, id)
}

// element is what a page says of a child or a key.
type element struct {
	flags      uint32 // of a leaf
	key, value []byte
	page       uint64 // of a branch
}

// elements takes a branch or leaf page apart, and says what is wrong with it.
func elements(b []byte) (list []element, leaf bool, wrong string) {
	switch native.Uint16(b[8:]) {
	case branchFlag:
	case leafFlag:
		leaf = true
	default:
		return nil, false, fmt.Sprintf("its kind is %#x", native.Uint16(b[8:]))
	}
	count := int(native.Uint16(b[10:]))
	next := uint64(pageHead + elementSize*count)
	if next > uint64(len(b)) {
		return nil, leaf, fmt.Sprintf("%d entries do not fit into it", count)
	}
	list = make([]element, 0, count)
	for i := range count {
		at := pageHead + elementSize*i
		h := b[at : at+elementSize]
		var e element
		var offset, key, value uint64
		if leaf {
			e.flags, offset, key, value = native.Uint32(h), uint64(native.Uint32(h[4:])), uint64(native.Uint32(h[8:])), uint64(native.Uint32(h[12:]))
		} else {
			offset, key, e.page = uint64(native.Uint32(h)), uint64(native.Uint32(h[4:])), native.Uint64(h[8:])
		}
		if uint64(at)+offset != next || key == 0 || next+key+value > uint64(len(b)) {
			return nil, leaf, fmt.Sprintf("entry %d does not lie where it should", i)
		}
		e.key, e.value = b[next:next+key], b[next+key:next+key+value]
		list, next = append(list, e), next+key+value
	}
	return list, leaf, ""
}

// end is where the last key or value of a page ends.
func end(list []element, leaf bool, b []byte) int {
	n := pageHead + elementSize*len(list)
	for _, e := range list {
		n += len(e.key) + len(e.value)
	}
	return n
}

// order says what is wrong with the order of the keys of a page.
func order(list []element, max []byte) string {
	for i, e := range list {
		switch {
		case i > 0 && bytes.Compare(list[i-1].key, e.key) >= 0:
			return fmt.Sprintf("the key of entry %d is not above the one before it", i)
		case max != nil && bytes.Compare(e.key, max) >= 0:
			return fmt.Sprintf("the key of entry %d is above those of the page", i)
		}
	}
	return ""
}

// alignment is how many bytes of b lie before the next multiple of block in memory.
func alignment(b []byte, block uintptr) int {
	return int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (block - 1))
}
