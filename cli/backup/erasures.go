package backup

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"alcove/bucket/identity"
	"alcove/record"
)

// DEST/erasures has a line of JSON for each erasure that was told here: ids and hashes. A restore of any snapshot applies
// them, so that an old one that is alone does, too.
const erasuresName = "erasures"

// maxErasures bounds the bytes that are read of it.
const maxErasures = 256 << 20

// toldErasure is a line.
type toldErasure struct {
	Repository string          `json:"repository"`
	Erasure    *record.Erasure `json:"erasure"`
}

// TellErasure has backups know of an erasure. Told again it changes nothing.
func TellErasure(path, repository string, e *record.Erasure) error {
	d, err := openDest(path, true)
	if err != nil {
		return err
	}
	defer d.close()
	known, err := d.erasures(repository)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(known, func(k *record.Erasure) bool { return k.ID == e.ID && k.Begun.Equal(e.Begun) }) {
		return nil
	}
	line, err := json.Marshal(toldErasure{repository, e})
	if err != nil {
		return err
	}
	f, err := d.root.OpenFile(erasuresName, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("cannot tell backups of an erasure: %w", err)
	}
	end, err := f.Seek(0, io.SeekEnd)
	if err == nil && end > 0 { // behind a line that a power cut has left half
		last := make([]byte, 1)
		if _, err = f.ReadAt(last, end-1); err == nil && last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	if err == nil {
		_, err = f.Write(append(line, '\n'))
	}
	if err = errors.Join(err, f.Sync(), f.Close(), syncDir(d.root, ".")); err != nil {
		return fmt.Errorf("cannot tell backups of an erasure: %w", err)
	}
	return nil
}

// erasures are those that were told of a repository. A line that is not whole was not acknowledged.
func (d *dest) erasures(repository string) (list []*record.Erasure, err error) {
	f, err := d.root.Open(erasuresName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read which erasures there were: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(bufio.NewReader(io.LimitReader(f, maxErasures+1)))
	if err == nil && len(b) > maxErasures {
		err = errors.New("the file is too large")
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read which erasures there were: %w", err)
	}
	for n, line := range bytes.Split(b, []byte("\n")) {
		var t toldErasure
		if len(line) == 0 {
			continue
		}
		if err := json.Unmarshal(line, &t); err != nil || t.Erasure == nil {
			if n == bytes.Count(b, []byte("\n")) {
				continue // the last, without an end
			}
			return nil, fmt.Errorf("cannot read which erasures there were: line %d of %s is no erasure", n+1, erasuresName)
		}
		if identity.Same(t.Repository, repository) {
			list = append(list, t.Erasure)
		}
	}
	return list, nil
}

// Holder is a snapshot that has what was erased since.
type Holder struct {
	Snapshot string     `json:"snapshot"`
	Created  time.Time  `json:"created"`
	Blobs    int        `json:"blobs"` // of the erased ones
	Goes     *time.Time `json:"goes"`  // about when it is removed, null where nothing removes it by itself
}

// Holders are the snapshots of a destination with how many of some blobs each has. keep and every are those of the
// schedule, 0 for none.
func Holders(ctx context.Context, path string, shas []string, keep int, every time.Duration) (list []Holder, err error) {
	d, err := openDest(path, false)
	if err != nil {
		return nil, err
	}
	defer d.close()
	whole, _, err := d.names()
	if err != nil {
		return nil, err
	}
	sought := map[string]bool{}
	for _, sha := range shas {
		sought[sha] = true
	}
	for _, name := range whole {
		m, err := d.manifest(name)
		if err != nil {
			return nil, err
		}
		h := Holder{Snapshot: name, Created: m.Created}
		if len(sought) > 0 {
			err := d.eachBlob(m, func(e entry) error {
				if sought[e.ref.String()] {
					h.Blobs++
				}
				return ctx.Err()
			})
			if err != nil {
				return nil, err
			}
		}
		list = append(list, h)
	}
	if keep > 0 && every > 0 && len(list) > 0 {
		newest := list[len(list)-1].Created
		for i := range list {
			goes := newest.Add(time.Duration(keep-(len(list)-1-i)) * every)
			list[i].Goes = &goes
		}
	}
	return list, nil
}
