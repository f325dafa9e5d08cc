package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
)

const oneCommit = "bbolt alone, a commit of one key of 2 KiB"

// oneKey is a store that takes one key in each commit: what a create that commits alone
// costs at least. A commit writes its pages, syncs, writes the head, and syncs again.
type oneKey struct {
	db   *bbolt.DB
	next uint64
}

func newOneKey(path string) (*oneKey, error) {
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot open a store: %w", err)
	}
	return &oneKey{db: db}, nil
}

func (o *oneKey) run(_ context.Context, d time.Duration) (sample, error) {
	value := make([]byte, 2048)
	before, err := selfTime()
	if err != nil {
		return sample{}, err
	}
	var took []time.Duration
	begin := time.Now()
	for now := begin; now.Sub(begin) < d; {
		o.next++
		err := o.db.Update(func(tx *bbolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists([]byte("records"))
			if err != nil {
				return err
			}
			return b.Put(binary.BigEndian.AppendUint64(nil, o.next), value)
		})
		if err != nil {
			return sample{}, fmt.Errorf("cannot commit: %w", err)
		}
		after := time.Now()
		took, now = append(took, after.Sub(now)), after
	}
	wall := time.Since(begin)
	after, err := selfTime()
	return newSample(took, wall, after-before), err
}

// selfTime is the processor time that this process has taken.
func selfTime() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, fmt.Errorf("cannot tell the processor time: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}
