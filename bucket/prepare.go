package bucket

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"go.etcd.io/bbolt"
)

const format = "1"

var metaBucket = []byte("meta")

func putFormat(b *bbolt.Tx) error {
	m, err := b.CreateBucketIfNotExists(metaBucket)
	if err != nil {
		return err
	}
	return m.Put([]byte("format"), []byte(format))
}

// prepare makes the buckets that are missing and rebuilds the indexes whose definition
// has changed since they were written.
func (db *DB) prepare() error {
	err := db.bolt.View(func(b *bbolt.Tx) error {
		m := b.Bucket(metaBucket)
		if m == nil {
			return fmt.Errorf("cannot use the database: it is not one of Alcove's")
		}
		if f := string(m.Get([]byte("format"))); f != format {
			return fmt.Errorf("cannot use the database: its format is %q, this program reads %q", f, format)
		}
		return checkSettings(m)
	})
	if err != nil {
		return err
	}
	if db.prepared() {
		return db.bolt.View(db.readPosition)
	}
	return db.bolt.Update(func(b *bbolt.Tx) error {
		if _, err := b.CreateBucketIfNotExists(logBucket); err != nil {
			return fmt.Errorf("cannot prepare the database: %w", err)
		}
		if err := dropUnknownIndexes(b); err != nil {
			return err
		}
		cited := b.Bucket([]byte(CitationsByDOI.bucketName())) != nil
		if !cited && b.Bucket([]byte(Citations.bucketName())) != nil { // another program did not keep it up
			if err := b.DeleteBucket([]byte(Citations.bucketName())); err != nil {
				return fmt.Errorf("cannot prepare the database: %w", err)
			}
		}
		for _, d := range docs {
			if _, err := b.CreateBucketIfNotExists([]byte(d.bucketName())); err != nil {
				return fmt.Errorf("cannot prepare the database: %w", err)
			}
		}
		for _, t := range tables {
			if _, err := b.CreateBucketIfNotExists([]byte(t.bucketName())); err != nil {
				return fmt.Errorf("cannot prepare the database: %w", err)
			}
			if err := t.prepareIndexes(b, db.lenient); err != nil {
				return err
			}
		}
		if !cited {
			if err := citeAll(&Tx{bolt: b, writable: true, lenient: db.lenient}); err != nil {
				return err
			}
		}
		if b.Bucket(metaBucket).Get(secretKey) == nil {
			if err := b.Bucket(metaBucket).Put(secretKey, newSecret()); err != nil {
				return fmt.Errorf("cannot prepare the database: %w", err)
			}
		}
		if err := sealSequences(b); err != nil {
			return err
		}
		m := b.Bucket(metaBucket)
		err := m.Put([]byte("schema"), []byte(schema()))
		if err == nil {
			err = m.Put(sumKey, settingsSum(m))
		}
		if err != nil {
			return fmt.Errorf("cannot prepare the database: %w", err)
		}
		return db.readPosition(b)
	})
}

// prepared reports whether the file was last prepared by the same definitions.
func (db *DB) prepared() (yes bool) {
	db.bolt.View(func(b *bbolt.Tx) error {
		m := b.Bucket(metaBucket)
		yes = string(m.Get([]byte("schema"))) == schema() && m.Get(secretKey) != nil
		return nil
	})
	return yes
}

func schema() string {
	var s string
	for _, d := range docs {
		s += d.bucketName() + ";"
	}
	for _, t := range tables {
		s += t.bucketName() + ";" + t.indexVersions()
	}
	return s
}

func (t *Table[K, R]) indexVersions() (s string) {
	for _, ix := range t.indexes {
		s += fmt.Sprintf("%s=%s;", ix.bucketName(), ix.definition())
	}
	return s
}

// definition tells whether an index was made as this program makes it.
func (ix *Index[K, R]) definition() string { return fmt.Sprintf("%d.%d", ix.version, entryFormat) }

func (t *Table[K, R]) prepareIndexes(b *bbolt.Tx, lenient bool) error {
	meta := b.Bucket(metaBucket)
	for _, ix := range t.indexes {
		key, want := []byte(ix.bucketName()), ix.definition()
		if b.Bucket(key) != nil && string(meta.Get(key)) == want {
			continue
		}
		if b.Bucket(key) != nil {
			if err := b.DeleteBucket(key); err != nil {
				return fmt.Errorf("cannot rebuild index %s: %w", ix.name, err)
			}
		}
		if _, err := b.CreateBucket(key); err != nil {
			return fmt.Errorf("cannot rebuild index %s: %w", ix.name, err)
		}
		tx := &Tx{bolt: b, writable: true, lenient: lenient}
		for row, err := range t.All(tx, nil) {
			if err != nil {
				return err
			}
			if err := ix.fill(tx, t.codec.enc(row.Key), row.Record); err != nil {
				return err
			}
		}
		if err := meta.Put(key, []byte(want)); err != nil {
			return fmt.Errorf("cannot rebuild index %s: %w", ix.name, err)
		}
	}
	return nil
}

// dropUnknownIndexes drops the indexes that a newer program has made in the file. This
// one does not keep them up, and the newer one must not take them for whole.
func dropUnknownIndexes(b *bbolt.Tx) error {
	var unknown [][]byte
	known := ";" + schema()
	err := b.ForEach(func(name []byte, _ *bbolt.Bucket) error {
		if bytes.HasPrefix(name, []byte("i:")) && !strings.Contains(known, fmt.Sprintf(";%s=", name)) {
			unknown = append(unknown, bytes.Clone(name))
		}
		return nil
	})
	for _, name := range unknown {
		err = errors.Join(err, b.DeleteBucket(name), b.Bucket(metaBucket).Delete(name))
	}
	if err != nil {
		return fmt.Errorf("cannot drop the indexes of another program: %w", err)
	}
	return nil
}

var secretKey = []byte("secret")

func newSecret() []byte {
	b := make([]byte, 32)
	rand.Read(b) // never fails
	return b
}

// Secret is a random secret of the store, of 32 bytes, that stays for its life: for what
// the server gives out and must know again. The caller must not change it.
func (db *DB) Secret() []byte { return db.secret }

// readPosition reads the secret, and where the change log ends.
func (db *DB) readPosition(b *bbolt.Tx) error {
	db.secret = bytes.Clone(b.Bucket(metaBucket).Get(secretKey))
	log := b.Bucket(logBucket)
	db.seq.Store(log.Sequence())
	if k, v := log.Cursor().Last(); k != nil {
		c, err := decodeChange(k, v)
		if err != nil {
			return err
		}
		db.last.Store(c.Time.UnixNano())
	}
	return nil
}
