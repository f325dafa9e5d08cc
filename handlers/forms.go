package handlers

import (
	"hash/maphash"
	"sync"

	"alcove/bucket"
	"alcove/handlers/present"
)

// forms keeps the items of own lists as they are served, by what their records say: whoever
// reads the same record again gets the same text without decoding it. Which items a list has
// and who may see it is decided before, each time. Its methods are safe for concurrent use.
type forms struct {
	seed maphash.Seed // random, so that nobody can make two records with one sum

	mu         sync.Mutex
	young, old map[formKey][]byte // old ones go when young are many
	bytes      int                // of the young
}

// formKey names an item and the record that it was made of.
type formKey struct {
	id  int64
	sum uint64
	len int
}

const (
	formsMost = 4 << 20 // bytes of the young, and of the old
	formCost  = 128     // bytes of one besides its text, about
	formLong  = 64 << 10
)

func newForms() *forms {
	return &forms{seed: maphash.MakeSeed(), young: map[formKey][]byte{}}
}

func (f *forms) key(id int64, stored []byte) formKey {
	return formKey{id, maphash.Bytes(f.seed, stored), len(stored)}
}

// find is the item that was made of a record, nil when it is not kept.
func (f *forms) find(key formKey) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := f.young[key]
	if text == nil {
		if text = f.old[key]; text != nil {
			f.add(key, text)
		}
	}
	return text
}

// keep keeps an item, which nobody may change any more.
func (f *forms) keep(key formKey, text []byte) {
	if len(text) > formLong {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.add(key, text)
}

// add makes an item a young one. The lock is held.
func (f *forms) add(key formKey, text []byte) {
	if f.bytes += len(text) + formCost; f.bytes > formsMost {
		f.young, f.old, f.bytes = map[formKey][]byte{}, f.young, len(text)+formCost
	}
	f.young[key] = text
}

// ownForm is a working copy as lists of own articles show it: what is kept of its record, or
// what is made of it now. It depends on nothing but the record and the settings.
func (a *API) ownForm(tx *bucket.Tx, id int64) ([]byte, error) {
	stored, err := bucket.Articles.Stored(tx, id)
	if err != nil {
		return nil, err
	}
	key := a.forms.key(id, stored)
	if text := a.forms.find(key); text != nil {
		return text, nil
	}
	art, err := bucket.Articles.Get(tx, id)
	if err != nil {
		return nil, err
	}
	text, err := present.Encode(a.Settings.OwnArticle(art))
	if err == nil {
		a.forms.keep(key, text)
	}
	return text, err
}
