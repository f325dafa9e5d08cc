package dir

import (
	"alcove/blobs"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sort"
	"strconv"
	"sync"
	"time"
)

// damages are the blobs that are known to be damaged; there is a note of each below damagedTop.
type damages struct {
	sync.RWMutex
	of map[blobs.Ref]blobs.Damage
}

const damagedTop = top + "/damaged"

// maxNote is how many bytes of a note are read.
const maxNote = 64 << 10

// loadDamages reads the notes. One that cannot be read says at least which blob it is about.
func (s *Store) loadDamages() error {
	s.damaged.of = map[blobs.Ref]blobs.Damage{}
	d, err := s.root.Open(damagedTop)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	names, err := d.Readdirnames(-1)
	d.Close()
	for _, name := range names {
		ref, notNote := blobs.ParseRef(name)
		if notNote != nil {
			continue // the bytes of one
		}
		note := blobs.Damage{Reason: "the note of it cannot be read"}
		if f, err := s.root.Open(damagedTop + "/" + name); err == nil {
			json.NewDecoder(io.LimitReader(f, maxNote)).Decode(&note)
			f.Close()
		}
		note.Ref = ref
		s.damaged.of[ref] = note
	}
	return err
}

// Damaged lists the blobs that are known to be damaged.
func (s *Store) Damaged() []blobs.Damage {
	s.damaged.RLock()
	defer s.damaged.RUnlock()
	list := make([]blobs.Damage, 0, len(s.damaged.of))
	for _, d := range s.damaged.of {
		list = append(list, d)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Ref.String() < list[j].Ref.String() })
	return list
}

// isDamaged reports whether the file at a blob's place is one that was found damaged. A file
// that came into its place since, with another time or size, is not.
func (s *Store) isDamaged(ref blobs.Ref, info fs.FileInfo) bool {
	s.damaged.RLock()
	d, known := s.damaged.of[ref]
	s.damaged.RUnlock()
	return known && d.Size == info.Size() && d.Modified.Equal(info.ModTime())
}

// markDamaged notes that the open file of a blob does not hold its bytes, so that it is not read
// any more. The error is ErrDamaged with the reason, and that it could not be noted durably.
func (s *Store) markDamaged(ref blobs.Ref, f *os.File, reason string) error {
	verdict := fmt.Errorf("cannot read blob %s: %s: %w", ref, reason, blobs.ErrDamaged)
	info, err := f.Stat()
	if err != nil {
		return errors.Join(verdict, bare(err))
	}
	d := blobs.Damage{Ref: ref, Found: time.Now().UTC().Truncate(time.Second), Reason: reason, Size: info.Size(), Modified: info.ModTime().UTC()}
	s.damaged.Lock()
	defer s.damaged.Unlock()
	s.damaged.of[ref] = d
	note, err := json.Marshal(d)
	if err == nil {
		err = s.root.MkdirAll(damagedTop, 0o700)
	}
	if err == nil {
		err = s.root.WriteFile(damagedTop+"/"+ref.String(), note, 0o600)
	}
	if err == nil {
		err = s.SyncDir(damagedTop)
	}
	return errors.Join(verdict, err)
}

// MarkDamaged notes that a blob does not hold its bytes, as a reader of all of it found
// out. See Damage.
func (s *Store) MarkDamaged(ref blobs.Ref, reason string) error {
	f, _, err := s.file(ref)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := s.markDamaged(ref, f, reason); !errors.Is(err, blobs.ErrDamaged) {
		return err
	}
	return nil
}

// ClearDamaged takes back that a blob is damaged, after all of it was read and found right.
func (s *Store) ClearDamaged(ref blobs.Ref) error {
	s.damaged.Lock()
	defer s.damaged.Unlock()
	if _, known := s.damaged.of[ref]; !known {
		return nil
	}
	if err := s.root.Remove(damagedTop + "/" + ref.String()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot forget the damage of blob %s: %w", ref, bare(err))
	}
	delete(s.damaged.of, ref)
	return nil
}

// quarantine takes a damaged file out of its blob's place, beside the note of it: perhaps
// something can be saved.
func (s *Store) quarantine(ref blobs.Ref) error {
	aside := damagedTop + "/" + ref.String() + "." + strconv.FormatInt(time.Now().UnixNano(), 10)
	if err := s.root.Rename(pathOf(ref), aside); err != nil {
		return err
	}
	return s.SyncDir(damagedTop)
}
