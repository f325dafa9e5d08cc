package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"
)

// share is the space of one bucket of alcove.db.
type share struct {
	name          string
	keys          int
	bytes, filled int64 // of its pages, and of what is in them
}

// openStore opens alcove.db to read it, without a server.
func openStore(data string) (*bbolt.DB, error) {
	db, err := bbolt.Open(filepath.Join(data, "alcove.db"), 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	if err != nil {
		return nil, fmt.Errorf("cannot open the store: %w", err)
	}
	return db, nil
}

// bucketShares says how much of alcove.db belongs to which bucket, the largest first, and
// last what is free. It reads every page.
func bucketShares(data string) (all []share, err error) {
	db, err := openStore(data)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	info, err := os.Stat(db.Path())
	if err != nil {
		return nil, fmt.Errorf("cannot read the store: %w", err)
	}
	left := info.Size()
	err = db.View(func(tx *bbolt.Tx) error {
		err := tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			s := b.Stats()
			bytes := int64(s.LeafAlloc + s.BranchAlloc)
			all = append(all, share{string(name), s.KeyN, bytes, int64(s.LeafInuse + s.BranchInuse)})
			left -= bytes
			return nil
		})
		slices.SortStableFunc(all, func(a, b share) int { return int(b.bytes - a.bytes) })
		all = append(all, share{name: "free pages, the list of them, and room ahead", bytes: left})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read the store: %w", err)
	}
	return all, nil
}

// meaning is what a bucket is for: its name begins with it.
func (s share) meaning() string {
	for begin, meaning := range map[string]string{
		"d:": "documents as they are served, in the short form of lists and the full one", "i:": "ordered index",
		"r:": "records", "log": "change log",
	} {
		if strings.HasPrefix(s.name, begin) {
			return meaning
		}
	}
	return ""
}

// diskUse is the bytes of all files below a folder, by the first part of their path.
func diskUse(dir string) (map[string]int64, error) {
	use := map[string]int64{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		first, _, _ := strings.Cut(filepath.ToSlash(inside), "/")
		use[first] += info.Size()
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot tell the size of %s: %w", dir, err)
	}
	return use, nil
}
