package index

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"

	"alcove/bucket"
	"alcove/index/segments"
)

// Compare compares both indexes with the store, and calls report for what is wrong with one of
// them: a segment whose bytes are not what was written, an item of the store that the index
// does not have, or a document of no item. It waits until the index has the changes that the
// store had when it was called. It fails with its context.
func (ix *Index) Compare(ctx context.Context, report func(name, reason string)) error {
	for _, sd := range ix.subindexes() {
		if err := sd.compare(ctx, report); err != nil {
			return err
		}
	}
	return nil
}

// compareLooks is how often what differs is looked at again: items come and go meanwhile.
const compareLooks = 5

func (sd *subindex) compare(ctx context.Context, report func(name, reason string)) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			report(sd.name, fmt.Sprintf("it cannot be read: %v", p))
		}
	}()
	var differ map[key]string
	for look := 0; look == 0 || look < compareLooks && len(differ) > 0; look++ {
		if err := sd.wait(ctx, sd.db.Sequence()); err != nil {
			return fmt.Errorf("cannot check the search index: %w", err)
		}
		sd.mu.Lock()
		g := sd.live
		sd.mu.Unlock()
		if look == 0 {
			paths, err := g.segments()
			if err == nil {
				err = segments.VerifyAll(ctx, paths)
			}
			switch {
			case ctx.Err() != nil:
				return context.Cause(ctx)
			case err != nil:
				report(sd.name, err.Error())
				return nil
			}
		}
		if differ, err = sd.differences(ctx, g); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			report(sd.name, err.Error())
			return nil
		}
	}
	for k, reason := range differ {
		report(sd.name, fmt.Sprintf("%s %d: %s", sd.kindName(k), k.id, reason))
	}
	return nil
}

// kindName is what an item is called.
func (sd *subindex) kindName(k key) string {
	for _, kind := range sd.kinds {
		if kind.id == k.kind {
			return kind.name
		}
	}
	return fmt.Sprintf("kind %d", k.kind)
}

// differences are the items that are in the store or the index alone.
func (sd *subindex) differences(ctx context.Context, g *generation) (map[key]string, error) {
	stored := map[key]bool{}
	err := sd.db.View(func(tx *bucket.Tx) error {
		for k := range everything(tx, sd.kinds) {
			stored[k] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r, err := g.reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	ids, err := r.DocIDReaderAll()
	if err != nil {
		return nil, fmt.Errorf("cannot list the documents: %w", err)
	}
	defer ids.Close()
	differ := map[key]string{}
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		id, err := ids.Next()
		if err != nil {
			return nil, fmt.Errorf("cannot list the documents: %w", err)
		}
		if id == nil {
			break
		}
		name, err := r.ExternalID(id)
		if err != nil {
			return nil, fmt.Errorf("cannot list the documents: %w", err)
		}
		if len(name) != 9 {
			return nil, errors.New("it has a document of another form")
		}
		k := key{name[0], int64(binary.BigEndian.Uint64([]byte(name[1:])))}
		if !stored[k] {
			differ[k] = "the index has it and the store does not"
		}
		delete(stored, k)
	}
	for k := range stored {
		differ[k] = "the store has it and the index does not"
	}
	return differ, nil
}
