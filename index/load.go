package index

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"alcove/bucket"
	"alcove/record"
)

const (
	maxDocs    = 500     // documents of one batch
	maxBytes   = 4 << 20 // of text in one batch, beyond its first document; Bleve needs some thirty times that
	maxChanges = 20000   // entries of the change log read at a time
	maxFiles   = 20000   // files of one article whose names are known
)

// mark tells a change from one of another history that has the same sequence.
func mark(c bucket.Change) [32]byte {
	h := sha256.New()
	h.Write(c.Previous[:])
	h.Write(c.Record[:])
	binary.Write(h, binary.BigEndian, c.Sequence)
	binary.Write(h, binary.BigEndian, c.Time.UnixNano())
	h.Write([]byte{byte(c.Op)})
	h.Write([]byte(c.Kind))
	h.Write(c.Key)
	return [32]byte(h.Sum(nil))
}

// positionAt is the place of a sequence in the log. It fails when the log does not go
// that far.
func positionAt(tx *bucket.Tx, seq uint64) (position, error) {
	if seq == 0 {
		return position{}, nil
	}
	for c, err := range bucket.Changes(tx, seq-1) {
		if err != nil {
			return position{}, err
		}
		if c.Sequence == seq {
			return position{seq, mark(c)}, nil
		}
		break
	}
	return position{}, fmt.Errorf("cannot find change %d in the log", seq)
}

// errLog says that the change log does not lead on from a position.
var errLog = errors.New("cannot follow the change log")

// changes reads the log after a position: the public articles that were touched, and how
// far it read.
func changes(tx *bucket.Tx, at position) (ids []int64, to position, err error) {
	to = at
	seen := map[int64]bool{}
	n := 0
	for c, err := range bucket.Changes(tx, at.seq) {
		if err != nil {
			return nil, at, fmt.Errorf("%w: %w", errLog, err)
		}
		if c.Sequence != to.seq+1 {
			return nil, at, fmt.Errorf("%w: %d is followed by %d", errLog, to.seq, c.Sequence)
		}
		to = position{seq: c.Sequence}
		id := touched(tx, c)
		if id != 0 && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
		if n++; n == maxChanges || len(ids) == maxDocs {
			break
		}
	}
	if to != at {
		to, err = positionAt(tx, to.seq)
	}
	return ids, to, err
}

// touched is the public article that a change belongs to, 0 for none.
func touched(tx *bucket.Tx, c bucket.Change) int64 {
	switch c.Kind {
	case "public_articles", "article_versions":
		return c.ID()
	case "public_files":
		// One that is deleted goes with its version, which the log names too.
		if f, err := bucket.PublicFiles.Get(tx, c.ID()); err == nil {
			return f.ArticleID
		}
	}
	return 0
}

// everything is the public articles, the latest first.
func everything(tx *bucket.Tx) (ids []int64) {
	for h := range bucket.PublicByPublished.Descending(tx, nil) {
		ids = append(ids, h.Key)
	}
	return ids
}

// load reads articles from the store, as many as fit in a batch, and gives the ids of
// the rest.
func load(tx *bucket.Tx, ids []int64) (items []item, rest []int64, err error) {
	size := 0
	for i, id := range ids {
		if len(items) == maxDocs || size > maxBytes {
			return items, ids[i:], nil
		}
		it, err := loadItem(tx, id)
		if err != nil {
			return nil, nil, err
		}
		items = append(items, it)
		size += it.size()
	}
	return items, nil, nil
}

// loadItem reads one article. Damaged records leave their part out: search goes on
// without them, and whoever opens the article learns of the damage.
func loadItem(tx *bucket.Tx, id int64) (item, error) {
	it := item{id: id}
	p, err := bucket.PublicArticles.Get(tx, id)
	switch {
	case errors.Is(err, bucket.ErrNotFound):
		it.gone = true
		return it, nil
	case damaged(err):
		return it, nil
	case err != nil:
		return it, err
	}
	v, err := bucket.ArticleVersions.Get(tx, bucket.Pair{A: id, B: int64(p.Latest)})
	switch {
	case errors.Is(err, bucket.ErrNotFound) || damaged(err):
		return it, nil
	case err != nil:
		return it, err
	}
	it.public, it.version = p, v
	it.files, err = fileNames(tx, id, p.Latest)
	return it, err
}

func fileNames(tx *bucket.Tx, article int64, version int) (names []string, err error) {
	n, size := 0, 0
	for h := range bucket.PublicFilesByArticle.Ascending(tx, bucket.SortKey(article)) {
		var f *record.PublicFile
		f, err = bucket.PublicFiles.Get(tx, h.Key)
		if damaged(err) || errors.Is(err, bucket.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !f.In(version) {
			continue
		}
		names = append(names, f.Name)
		if n, size = n+1, size+len(f.Name); n == maxFiles || size > maxText {
			break
		}
	}
	return names, nil
}

func damaged(err error) bool {
	var d *bucket.DamagedError
	return errors.As(err, &d)
}
