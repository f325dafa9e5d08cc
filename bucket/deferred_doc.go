package bucket

// deferredDoc is a document on its way.
type deferredDoc struct {
	docs   *Docs
	key    Pair
	make   func() (Doc, error)
	sealed []byte
}

// PutDeferred is Put of a document that make renders, at once or on another goroutine while
// the transaction goes on. make must not use the transaction, and what it reads must stay
// as it is. The document is there for whoever asks for one afterwards, and an error of make
// is one of the write.
func (d *Docs) PutDeferred(tx *Tx, key Pair, make func() (Doc, error)) error {
	if tx.deferred == nil {
		doc, err := make()
		if err != nil {
			return err
		}
		return d.Put(tx, key, doc)
	}
	tx.touch()
	tx.deferWrite(&deferredDoc{docs: d, key: key, make: make}, []string{d.bucketName()})
	return nil
}

func (r *deferredDoc) prepare() error {
	doc, err := r.make()
	if err == nil {
		r.sealed = encodeDoc(pairKeys.enc(r.key), doc)
	}
	return err
}

func (r *deferredDoc) apply(tx *Tx, _ *op) error {
	return r.docs.put(tx, pairKeys.enc(r.key), r.sealed)
}
