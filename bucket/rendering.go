package bucket

// rendering is a document on its way.
type rendering struct {
	docs   *Docs
	key    Pair
	make   func() (Doc, error)
	sealed []byte
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
	tx.leave(&rendering{docs: d, key: key, make: make}, []string{d.bucketName()})
	return nil
}

func (r *rendering) prepare() error {
	doc, err := r.make()
	if err == nil {
		r.sealed = sealDoc(pairKeys.enc(r.key), doc)
	}
	return err
}

func (r *rendering) deliver(tx *Tx, _ *op) error {
	return r.docs.put(tx, pairKeys.enc(r.key), r.sealed)
}
