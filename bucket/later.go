package bucket

import (
	"fmt"
	"runtime/debug"
)

// later is what the ops of one attempt have left to be done before its commit: documents to be
// rendered while the writer goes on, and entries of indexes to be put in the order of their keys.
type later struct {
	documents []*rendering
	entries   map[string]*waiting // by the bucket of the index
}

// rendering is a document on its way, which another goroutine makes. That goroutine ends by
// itself, also when nobody wants the document any more.
type rendering struct {
	docs *Docs
	key  Pair
	op   *op
	doc  Doc
	err  error
	made chan struct{} // closed when doc or err is there
}

// PutLater is Put of a document that make renders, at once or on another goroutine while
// the transaction goes on. make must not use the transaction, and what it reads must stay
// as it is. The document is there for whoever asks for one afterwards, and an error of make
// is one of the write.
func (d *Docs) PutLater(tx *Tx, key Pair, make func() (Doc, error)) error {
	if tx.later == nil {
		doc, err := make()
		if err != nil {
			return err
		}
		return d.Put(tx, key, doc)
	}
	tx.touch()
	r := newRendering(d, key, tx.op)
	tx.later.documents = append(tx.later.documents, r)
	go r.run(make)
	return nil
}

func newRendering(d *Docs, key Pair, o *op) *rendering {
	return &rendering{docs: d, key: key, op: o, made: make(chan struct{})}
}

func (r *rendering) run(make func() (Doc, error)) {
	defer close(r.made)
	defer func() {
		if p := recover(); p != nil {
			r.err = fmt.Errorf("cannot render a document: panic: %v\n%s", p, debug.Stack())
		}
	}()
	r.doc, r.err = make()
}

// settle stores the documents that were left for later. An error is that of the op which is
// returned with it.
func (tx *Tx) settle() (*op, error) {
	if tx.later == nil {
		return nil, nil
	}
	for len(tx.later.documents) > 0 {
		r := tx.later.documents[0]
		tx.later.documents = tx.later.documents[1:]
		<-r.made
		if r.err != nil {
			return r.op, r.err
		}
		if err := r.docs.put(tx, r.key, r.doc); err != nil {
			return r.op, err
		}
	}
	return nil, nil
}

// settled is settle for who is about to use the documents of the transaction.
func (tx *Tx) settled() error {
	if tx.later == nil || len(tx.later.documents) == 0 {
		return nil
	}
	_, err := tx.settle()
	return err
}

// finish does all that was left for later. An error is that of the op which is returned with it.
func (tx *Tx) finish() (*op, error) {
	if o, err := tx.settle(); err != nil {
		return o, err
	}
	for name, w := range tx.later.entries {
		if len(w.entries) == 0 {
			continue
		}
		at := w.entries[0].op
		if err := run(func(tx *Tx) error { return w.put(tx.bolt.Bucket([]byte(name)), &at) }, tx); err != nil {
			return at, fmt.Errorf("cannot update index %s: %w", name, err)
		}
	}
	return nil, nil
}
