package bucket

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"alcove/bucket/kv"
)

const metaBucket = "meta"

// prepare makes the buckets that are missing and rebuilds the indexes whose definition
// has changed since they were written.
func (db *DB) prepare() error {
	if schema.tables == nil {
		panic("no tables are defined: the program does not import alcove/bucket/tables")
	}
	err := kv.View(db.kv, func(b kv.Tx) error {
		m := b.Bucket(metaBucket)
		if err := checkFormat(m); err != nil {
			return fmt.Errorf("cannot use the database: %w", err)
		}
		return checkSettings(m)
	})
	if err != nil {
		return err
	}
	if db.prepared() {
		return kv.View(db.kv, db.readPosition)
	}
	cited := false // citations are kept up
	err = kv.Update(db.kv, func(b kv.Tx) (err error) {
		cited, err = db.makeBuckets(b)
		return err
	})
	if err != nil {
		return err
	}
	began := sync.OnceFunc(func() {
		if db.preparing != nil {
			db.preparing()
		}
	})
	for _, t := range schema.tables {
		if err := t.fillIndexes(db, began); err != nil {
			return err
		}
	}
	return kv.Update(db.kv, func(b kv.Tx) error {
		if !cited {
			if err := schema.Derive(&Tx{kv: b, writable: true, lenient: db.lenient}); err != nil {
				return err
			}
		}
		m := b.Bucket(metaBucket)
		if err := m.Delete(uncitedKey); err != nil {
			return fmt.Errorf("cannot prepare the database: %w", err)
		}
		for _, t := range schema.tables {
			if err := t.defineIndexes(m); err != nil {
				return err
			}
		}
		if err := setSchema(m, definitions()); err != nil {
			return err
		}
		return db.readPosition(b)
	})
}

// setSchema notes by which definitions the file is prepared, with the checksum of all settings.
func setSchema(m kv.Bucket, text string) error {
	err := m.Put([]byte("schema"), []byte(text))
	if err == nil {
		err = m.Put(sumKey, settingsSum(m))
	}
	if err != nil {
		return fmt.Errorf("cannot prepare the database: %w", err)
	}
	return nil
}

// makeBuckets makes what is missing, empty, and empties the indexes that are to be made again. Until
// these are filled the file is prepared by no definitions, so that a start that is broken off is
// followed by another one like it, of this program or of an older one.
func (db *DB) makeBuckets(b kv.Tx) (cited bool, err error) {
	if _, err := b.Create(logBucket); err != nil {
		return false, fmt.Errorf("cannot prepare the database: %w", err)
	}
	if err := dropUnknownIndexes(b); err != nil {
		return false, err
	}
	if err := putFormat(b); err != nil {
		return false, fmt.Errorf("cannot prepare the database: %w", err)
	}
	m := b.Bucket(metaBucket)
	cited = m.Get(uncitedKey) == nil
	for _, t := range schema.Derived {
		for _, name := range t.indexNames() {
			cited = cited && b.Bucket(name) != nil
		}
	}
	if !cited {
		if err := m.Put(uncitedKey, []byte{1}); err != nil {
			return false, fmt.Errorf("cannot prepare the database: %w", err)
		}
	}
	if !cited { // another program did not keep these up
		if err := dropDerived(b); err != nil {
			return false, fmt.Errorf("cannot prepare the database: %w", err)
		}
	}
	for _, d := range schema.Documents {
		if _, err := b.Create(d.bucketName()); err != nil {
			return false, fmt.Errorf("cannot prepare the database: %w", err)
		}
	}
	for _, t := range schema.tables {
		if _, err := b.Create(t.bucketName()); err != nil {
			return false, fmt.Errorf("cannot prepare the database: %w", err)
		}
		if err := t.emptyIndexes(b); err != nil {
			return false, err
		}
	}
	if m.Get(secretKey) == nil {
		if err := m.Put(secretKey, newSecret()); err != nil {
			return false, fmt.Errorf("cannot prepare the database: %w", err)
		}
	}
	if err := db.ensureIdentity(b); err != nil {
		return false, err
	}
	if err := addSequenceChecksums(b); err != nil {
		return false, err
	}
	return cited, setSchema(m, "")
}

// prepared reports whether the file was last prepared by the same definitions.
func (db *DB) prepared() (yes bool) {
	kv.View(db.kv, func(b kv.Tx) error {
		m := b.Bucket(metaBucket)
		yes = string(m.Get([]byte("schema"))) == definitions() && m.Get(secretKey) != nil && m.Get(identityKey) != nil && numbersNoted(m)
		return nil
	})
	return yes
}

func definitions() string {
	var parts []string // in an order that does not depend on the files that declare them
	for _, d := range schema.Documents {
		parts = append(parts, d.bucketName()+";")
	}
	for _, t := range schema.tables {
		parts = append(parts, t.bucketName()+";"+t.indexVersions())
	}
	slices.Sort(parts)
	return strings.Join(parts, "")
}

func (t *AnyTable) indexVersions() string {
	list := make([]string, len(t.indexes))
	for i, ix := range t.indexes {
		list[i] = fmt.Sprintf("%s=%s;", ix.bucketName(), ix.definition())
	}
	slices.Sort(list) // they are declared in whichever order
	return strings.Join(list, "")
}

// definition tells whether an index was made as this program makes it.
func (ix *index) definition() string { return fmt.Sprintf("%d.%d", ix.version, entryFormat) }

// stale are the indexes of a table that are not as this program makes them.
func (t *AnyTable) stale(b kv.Tx) (list []*index) {
	meta := b.Bucket(metaBucket)
	for _, ix := range t.indexes {
		name := ix.bucketName()
		if b.Bucket(name) == nil || string(meta.Get([]byte(name))) != ix.definition() {
			list = append(list, ix)
		}
	}
	return list
}

// emptyIndexes takes away what is in stale indexes.
func (t *AnyTable) emptyIndexes(b kv.Tx) error {
	for _, ix := range t.stale(b) {
		name := ix.bucketName()
		var err error
		if b.Bucket(name) != nil {
			err = b.Drop(name)
		}
		if err == nil {
			_, err = b.Create(name)
		}
		if err == nil {
			err = b.Bucket(metaBucket).Delete([]byte(name))
		}
		if err != nil {
			return fmt.Errorf("cannot rebuild index %s: %w", ix.name, err)
		}
	}
	return nil
}

// filledAtOnce is how many entries go into indexes in one commit: some 80 MiB of memory. A bucket
// holds what is put in one commit in a single piece until then, so that entries out of their order
// would cost the more, the more there are.
const filledAtOnce = 400_000

// fillIndexes fills the indexes that were emptied, and calls began when there is anything for them.
func (t *AnyTable) fillIndexes(db *DB, began func()) error {
	for from := []byte{}; from != nil; {
		err := kv.Update(db.kv, func(b kv.Tx) error {
			stale := t.stale(b)
			if len(stale) == 0 {
				from = nil
				return nil
			}
			tx := &Tx{kv: b, writable: true, lenient: db.lenient, deferred: &deferred{}}
			n, next := 0, []byte(nil)
			for k, v := range b.Bucket(t.bucketName()).Ascend(from) {
				if n >= filledAtOnce {
					next = bytes.Clone(k)
					break
				}
				began()
				if err := t.fill(tx, stale, k, v); err != nil {
					return err
				}
				n += len(stale)
			}
			from = next
			_, err := tx.finish()
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fill adds a stored record to indexes.
func (t *AnyTable) fill(tx *Tx, to []*index, key, stored []byte) error {
	r, err := t.decode(key, stored)
	if err != nil && tx.lenient {
		return nil
	}
	if err != nil {
		return err
	}
	for _, ix := range to {
		if err := ix.fill(tx, key, r); err != nil {
			return err
		}
	}
	return nil
}

// defineIndexes notes that the indexes are as this program makes them.
func (t *AnyTable) defineIndexes(m kv.Bucket) error {
	for _, ix := range t.indexes {
		if err := m.Put([]byte(ix.bucketName()), []byte(ix.definition())); err != nil {
			return fmt.Errorf("cannot rebuild index %s: %w", ix.name, err)
		}
	}
	return nil
}

// dropUnknownIndexes drops the indexes that a newer program has made in the file. This
// one does not keep them up, and the newer one must not take them for whole.
func dropUnknownIndexes(b kv.Tx) error {
	known := ";" + definitions()
	for _, name := range b.Buckets() {
		if !strings.HasPrefix(name, "i:") || strings.Contains(known, ";"+name+"=") {
			continue
		}
		if err := errors.Join(b.Drop(name), b.Bucket(metaBucket).Delete([]byte(name))); err != nil {
			return fmt.Errorf("cannot drop the indexes of another program: %w", err)
		}
	}
	return nil
}

var secretKey = []byte("secret")

// uncitedKey is there while citations are to be made from the public versions.
var uncitedKey = []byte("uncited")

func newSecret() []byte {
	b := make([]byte, 32)
	rand.Read(b) // never fails
	return b
}

// Secret is a random secret of the store, of 32 bytes, that stays for its life: for what
// the server gives out and must know again. The caller must not change it.
func (db *DB) Secret() []byte { return db.secret }

// readPosition reads the secret and the identity, and where the change log ends.
func (db *DB) readPosition(b kv.Tx) error {
	db.secret = bytes.Clone(b.Bucket(metaBucket).Get(secretKey))
	id, err := identityOf(b.Bucket(metaBucket))
	if err != nil {
		return err
	}
	if id != nil {
		db.identity = *id
	}
	db.position.Store(b.Position())
	log := b.Bucket(logBucket)
	db.seq.Store(log.Sequence())
	if k, v := kv.First(log.Descend(nil)); k != nil {
		c, err := decodeChange(k, v)
		if err != nil {
			return err
		}
		db.last.Store(c.Time.UnixNano())
	}
	db.readPublicChange(b)
	return nil
}

// dropDerived takes away the tables that are made of others, with their indexes, if they are there.
func dropDerived(b kv.Tx) error {
	for _, t := range schema.Derived {
		for _, name := range append(t.indexNames(), t.bucketName()) {
			if b.Bucket(name) == nil {
				continue
			}
			if err := b.Drop(name); err != nil {
				return err
			}
		}
	}
	return nil
}
