package bucket

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"alcove/bucket/bolt"
	"alcove/bucket/damage"
	"alcove/bucket/identity"
	"alcove/bucket/kv"
	"alcove/bucket/lock"
)

// RepairFile makes a new database of what can be read of a damaged one, which no process may use:
// the records, the change log and the documents as they are, the rest again. It tells what it
// has done, a line for each thing. Damage stays where it is:
//
//   - a record or an entry of the log in which one bit flipped is put right, when the change
//     log, which has its hash, says so;
//   - other damaged records stay as they are, and are named by every check; so do the records
//     that are missing, of which the log knows;
//   - the damaged file stays beside the new one, as alcove.db.damaged-TIME.
//
// The new file takes the name of the old one when it is whole and on the disk. Files that an interrupted
// RepairFile has left go with the next start.
func RepairFile(ctx context.Context, dir string) (told []string, err error) {
	path := filepath.Join(dir, FileName)
	from, err := bolt.OpenDamaged(path)
	if errors.Is(err, lock.ErrInUse) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("cannot repair the database: %w", err)
	}
	defer from.Close()
	known, err := identity.Read(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot repair the database: %w", err)
	}
	r := &fileRepair{ctx: ctx, known: known, ids: map[string]uint64{}, logEnd: map[string]uint64{}}
	if from.Told != "" {
		r.tell("%s", from.Told)
	}
	name := filepath.Join(dir, fmt.Sprintf("%s%d", bolt.RepairPrefix, time.Now().UnixNano()))
	defer os.Remove(name)
	if err := r.fill(name, from); err != nil {
		return r.told, fmt.Errorf("cannot repair the database: %w", err)
	}
	aside := path + ".damaged-" + time.Now().UTC().Format("20060102T150405.000000000Z")
	if err := os.Link(path, aside); err != nil {
		return r.told, fmt.Errorf("cannot keep the damaged database: %w", err)
	}
	if err := os.Rename(name, path); err != nil {
		return r.told, fmt.Errorf("cannot put the repaired database in its place: %w", err)
	}
	r.tell("made a new database; the damaged one is %s", filepath.Base(aside))
	return r.told, bolt.SyncDir(dir)
}

// fileRepair is a database that is being made of a damaged one.
type fileRepair struct {
	ctx   context.Context
	bolt  *bolt.Store
	known *identity.Identity // of the directory, nil when it has none
	told  []string

	tx      kv.Tx
	pending int
	err     error

	settings [][2][]byte
	ids      map[string]uint64 // last id of each bucket of records
	logEnd   map[string]uint64 // highest id of each that the log knows
}

func (r *fileRepair) tell(format string, args ...any) {
	const most = 1000
	if len(r.told) < most {
		r.told = append(r.told, fmt.Sprintf(format, args...))
	}
}

// fill makes the new file.
func (r *fileRepair) fill(name string, from *bolt.Damaged) (err error) {
	if r.bolt, err = bolt.Make(name); err != nil {
		return err
	}
	defer r.bolt.Close()
	pages := 0
	err = from.Walk(r.ctx, r.copy, func(bolt.Damage) { pages++ })
	if err = errors.Join(err, r.err, r.commit()); err != nil {
		return err
	}
	if pages > 0 {
		r.tell("left out what could not be read of the pages")
	}
	if err := kv.Update(r.bolt, r.finish); err != nil {
		return err
	}
	db := &DB{kv: r.bolt, clock: time.Now, lenient: true, known: r.known}
	if err := db.prepare(); err != nil {
		return err
	}
	if err := kv.Update(r.bolt, noteMissingDocs); err != nil {
		return err
	}
	if err := r.bolt.Sync(); err != nil {
		return err
	}
	return r.bolt.Close()
}

// repairAtOnce is how many bytes are stored in one transaction.
const repairAtOnce = 16 << 20

// copy is the visitor of the damaged file.
func (r *fileRepair) copy(bucket string, k, v []byte) {
	if r.err != nil {
		return
	}
	prefix, _, _ := strings.Cut(bucket, ":")
	switch {
	case bucket == "":
		if n, err := checkSequence(string(k), binary.NativeEndian.Uint64(v[8:])); err == nil {
			r.ids[string(k)] = n
		}
		return
	case bucket == metaBucket:
		r.settings = append(r.settings, [2][]byte{bytes.Clone(k), bytes.Clone(v)})
		return
	case bucket == logBucket:
		k, v = r.entry(k, v)
	case slices.ContainsFunc(schema.Derived, func(t *AnyTable) bool { return t.bucketName() == bucket }):
		return // made again
	case prefix == "r":
		k, v = r.record(bucket, k, v)
	case prefix == "d":
		if checkDoc(bucket, k, v) != nil {
			return // rendered again
		}
	default:
		return
	}
	if k != nil {
		r.err = r.put(bucket, k, v)
	}
}

// entry is an entry of the change log, put right if that can be.
func (r *fileRepair) entry(k, v []byte) ([]byte, []byte) {
	c, err := decodeChange(k, v)
	if err != nil {
		if mk, mv := repairBit(k, v, func(k, v []byte) bool { _, err := decodeChange(k, v); return err == nil }); mk != nil {
			r.tell("put a bit of entry %d of the change log right", binary.BigEndian.Uint64(mk))
			k, v = mk, mv
			c, _ = decodeChange(k, v)
		}
	}
	if len(c.Key) == 8 {
		bucket := "r:" + c.Table
		r.logEnd[bucket] = max(r.logEnd[bucket], uint64(c.ID()))
	}
	return k, v
}

// record is a record, put right if one bit of it flipped. Whether that is the record that was
// stored last, a check learns from the change log.
func (r *fileRepair) record(bucket string, k, v []byte) ([]byte, []byte) {
	if _, err := open(bucket, k, v); err == nil {
		return k, v
	}
	mk, mv := repairBit(k, v, func(k, v []byte) bool { _, err := open(bucket, k, v); return err == nil })
	table := strings.TrimPrefix(bucket, "r:")
	if mk == nil {
		r.tell("record %s of %s stays damaged", damage.KeyText(table, k), table)
		return k, v
	}
	r.tell("put a bit of record %s of %s right", damage.KeyText(table, mk), table)
	return mk, mv
}

// mostBits bounds how long a record may be in which a flipped bit is looked for.
const mostBits = 8 * 64 << 10

// repairBit looks for the one bit that makes a key and a value right.
func repairBit(k, v []byte, right func(k, v []byte) bool) (key, value []byte) {
	if 8*(len(k)+len(v)) > mostBits {
		return nil, nil
	}
	k, v = bytes.Clone(k), bytes.Clone(v)
	for _, b := range [][]byte{k, v} {
		for bit := range 8 * len(b) {
			b[bit/8] ^= 1 << (bit % 8)
			if right(k, v) {
				return k, v
			}
			b[bit/8] ^= 1 << (bit % 8)
		}
	}
	return nil, nil
}

func (r *fileRepair) put(bucket string, k, v []byte) (err error) {
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	if r.tx == nil {
		if r.tx, err = r.bolt.Begin(true); err != nil {
			return err
		}
	}
	b, err := r.tx.Create(bucket)
	if err != nil {
		return err
	}
	b.Grows()
	if err := b.Put(bytes.Clone(k), bytes.Clone(v)); err != nil {
		return err
	}
	if r.pending += len(k) + len(v); r.pending > repairAtOnce {
		return r.commit()
	}
	return nil
}

func (r *fileRepair) commit() error {
	if r.tx == nil {
		return nil
	}
	tx := r.tx
	r.tx, r.pending = nil, 0
	if r.err != nil {
		return tx.Rollback()
	}
	_, err := tx.Commit()
	return err
}

// spareIds is by how many the last id of a table is raised that is not known any more: some
// are given out that no record has.
const spareIds = 1000

// finish makes what the new file has besides what was copied.
func (r *fileRepair) finish(tx kv.Tx) error {
	log, err := tx.Create(logBucket)
	if err != nil {
		return err
	}
	if k, _ := kv.First(log.Descend(nil)); len(k) == 8 {
		if err := log.SetSequence(binary.BigEndian.Uint64(k)); err != nil {
			return err
		}
	}
	for _, t := range schema.tables {
		b, err := tx.Create(t.bucketName())
		if err != nil {
			return err
		}
		n, known := r.ids[t.bucketName()]
		if last := r.logEnd[t.bucketName()]; !known && t.Logged() && last > 0 {
			n = last + spareIds
			r.tell("ids of %s go on from %d", strings.TrimPrefix(t.bucketName(), "r:"), n)
		}
		if err := b.SetSequence(addSequenceChecksum(t.bucketName(), n)); err != nil {
			return err
		}
	}
	for name, n := range r.ids { // tables of a newer program
		if b := tx.Bucket(name); b != nil && b.Sequence() == 0 && strings.HasPrefix(name, "r:") {
			if err := b.SetSequence(addSequenceChecksum(name, n)); err != nil {
				return err
			}
		}
	}
	return r.keepSettings(tx)
}

// keepSettings keeps the secret, and a bit of it that flipped is put right. The rest of what
// the store notes about itself is made again.
func (r *fileRepair) keepSettings(tx kv.Tx) error {
	var noted []byte
	for _, s := range r.settings {
		if bytes.Equal(s[0], sumKey) {
			noted = s[1]
		}
	}
	right := func() bool {
		sum := uint32(0)
		for _, s := range r.settings {
			if !bytes.Equal(s[0], sumKey) {
				sum = addSetting(sum, s[0], s[1])
			}
		}
		return bytes.Equal(noted, binary.BigEndian.AppendUint32(nil, sum))
	}
	if !right() {
		r.repairSettings(right)
	}
	m, err := tx.Create(metaBucket)
	if err == nil {
		number, reader := r.setting(numberKey), r.setting(readerKey)
		err = errors.Join(fits(number, reader), putNumbers(m, number, reader))
	}
	if err != nil {
		return err
	}
	for _, s := range r.settings {
		if bytes.Equal(s[0], secretKey) && len(s[1]) == len(newSecret()) {
			return tx.Bucket(metaBucket).Put(secretKey, s[1])
		}
	}
	r.tell("the secret of the store is lost; cursors of lists that clients hold do not work any more")
	return nil
}

// setting is what the damaged file notes under a name, nil for nothing.
func (r *fileRepair) setting(name []byte) []byte {
	for _, s := range r.settings {
		if bytes.Equal(s[0], name) {
			return s[1]
		}
	}
	return nil
}

func (r *fileRepair) repairSettings(right func() bool) {
	for _, s := range r.settings {
		for _, b := range s {
			for bit := range 8 * len(b) {
				if b[bit/8] ^= 1 << (bit % 8); right() {
					r.tell("put a bit of what the store notes about itself right")
					return
				}
				b[bit/8] ^= 1 << (bit % 8)
			}
		}
	}
	r.tell("what the store notes about itself was made again")
}

// noteMissingDocs stores a document that is out of date for each version without one: the
// server renders those after its start.
func noteMissingDocs(b kv.Tx) error {
	for _, docs := range schema.Documents {
		tx := &Tx{kv: b, writable: true}
		stored := b.Bucket(docs.bucketName())
		for k := range b.Bucket(docs.of.bucketName()).Ascend(nil) {
			if len(k) != 16 || stored.Get(k) != nil {
				continue
			}
			if err := docs.Put(tx, pairKeys.dec(k), Doc{}); err != nil {
				return err
			}
		}
	}
	return nil
}
