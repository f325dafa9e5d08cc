package deposit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"sync"
	"time"

	"alcove/cli/osfile"
)

// errState marks an error of the state file: without it nothing may be sent.
var errState = errors.New("state file")

// state is the open state file. Its methods may be called from many goroutines.
type state struct {
	mu      sync.Mutex
	f       *os.File
	broken  error
	entries map[string]*entry
	owner   map[int64]string // article id → the line it belongs to
	sums    map[string]sum   // by the path of a local file in the item
}

// sum is the md5 of a local file, as long as it has that size and was not modified.
type sum struct {
	size     int64
	modified time.Time
	md5      string
}

// openState opens or makes the state file and locks it until close. It is an
// error if the file belongs to another server or another process holds it.
func openState(path, server string) (*state, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot open the state file: %w", err)
	}
	s := newState(f)
	if err := s.open(path, server); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

func newState(f *os.File) *state {
	return &state{f: f, entries: map[string]*entry{}, owner: map[int64]string{}, sums: map[string]sum{}}
}

// readState reads a state file that may not be there. Records that are appended are forgotten.
func readState(path, server string) (*state, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return newState(nil), nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open the state file: %w", err)
	}
	defer f.Close()
	s := newState(f)
	if _, err := s.read(server); err != nil {
		return nil, fmt.Errorf("state file %s: %w", path, err)
	}
	s.f = nil
	return s, nil
}

func (s *state) open(path, server string) error {
	if err := osfile.Lock(s.f, true); err != nil {
		if errors.Is(err, osfile.ErrLocked) {
			return fmt.Errorf("another deposit is at work with the state file %s", path)
		}
		return fmt.Errorf("cannot lock the state file: %w", err)
	}
	size, err := s.read(server)
	if err != nil {
		return fmt.Errorf("state file %s: %w", path, err)
	}
	if err := s.f.Truncate(size); err != nil {
		return fmt.Errorf("cannot cut the state file: %w", err)
	}
	if _, err := s.f.Seek(size, io.SeekStart); err != nil {
		return fmt.Errorf("cannot seek in the state file: %w", err)
	}
	if size > 0 {
		return nil
	}
	if err := s.append(record{Op: opHeader, Format: stateFormat, Server: server}); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("cannot open the folder of the state file: %w", err)
	}
	defer dir.Close()
	if err := osfile.SyncNames(dir); err != nil {
		return fmt.Errorf("cannot sync the folder of the state file: %w", err)
	}
	return nil
}

// read applies every complete line and returns where the last of them ends.
func (s *state) read(server string) (int64, error) {
	r := bufio.NewReaderSize(s.f, 1<<16)
	var end int64
	for number := 1; ; number++ {
		text, size, err := readLine(r)
		if err == io.EOF {
			return end, nil
		}
		if err != nil {
			return 0, fmt.Errorf("line %d: %w", number, err)
		}
		var rec record
		if err := json.Unmarshal(text, &rec); err != nil {
			return 0, fmt.Errorf("line %d is not a record of a deposit", number)
		}
		if number == 1 {
			switch {
			case rec.Op != opHeader:
				return 0, errors.New("not a state file of a deposit")
			case rec.Format < 1 || rec.Format > stateFormat:
				return 0, fmt.Errorf("format %d is not known here", rec.Format)
			case rec.Server != server:
				return 0, fmt.Errorf("it belongs to the deposit at %s, not at %s; name another file with --state", rec.Server, server)
			}
		} else if !s.apply(rec) {
			return 0, fmt.Errorf("line %d holds the unknown step %q", number, clean(rec.Op))
		}
		end += size
	}
}

func (s *state) close() {
	if s.f != nil {
		s.f.Close()
	}
}

// append writes and syncs a record, then applies it. After an error nothing can
// be appended any more.
func (s *state) append(rec record) error { return s.write(rec, true) }

// write appends a record. Without sync a crash may lose it, until another one is synced.
func (s *state) write(rec record, sync bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	if s.f == nil {
		s.apply(rec)
		return nil
	}
	text, err := json.Marshal(rec)
	if err == nil {
		_, err = s.f.Write(append(bytes.TrimSpace(text), '\n'))
	}
	if err == nil && sync {
		err = s.f.Sync()
	}
	if err != nil {
		s.broken = fmt.Errorf("%w: cannot write: %w", errState, err)
		return s.broken
	}
	s.apply(rec)
	return nil
}

// apply adds a record to what is known. It answers false for an unknown step.
func (s *state) apply(rec record) bool {
	e := s.entries[rec.Line]
	if e == nil {
		e = newEntry(rec.Line)
		s.entries[rec.Line] = e
	}
	switch rec.Op {
	case opHeader:
	case opCreate:
		e.hash, e.title, e.at, e.since, e.creating = rec.Hash, rec.Title, rec.At, rec.Since, true
	case opCreated:
		e.creating, e.article = false, rec.Article
		s.owner[rec.Article] = rec.Line
		e.did(rec)
	case opNotCreated:
		e.creating = false
	case opFile:
		e.files[rec.N] = fileEntry{name: rec.Name, folder: rec.Folder, size: rec.Size, md5: rec.MD5, at: rec.At, creating: true}
	case opFileCreated:
		f := e.files[rec.N]
		f.creating, f.id = false, rec.File
		e.files[rec.N] = f
	case opFileGone:
		delete(e.files, rec.N)
	case opFileDone:
		f := e.files[rec.N]
		f.done = true
		e.files[rec.N] = f
	case opPublish:
		e.publishing, e.publishAt = true, rec.At
	case opPublished:
		e.publishing, e.published, e.waits = false, true, rec.Waits
	case opNotPublished:
		e.publishing = false
	case opDone:
		e.done = true
	case opStep:
		e.did(rec)
	case opAgain:
		again := newEntry(rec.Line)
		again.hash, again.title, again.at, again.since, again.article = e.hash, e.title, e.at, e.since, e.article
		for n, f := range e.files {
			f.done = false
			again.files[n] = f
		}
		*e = *again
	case opChanged:
		if rec.Step == stepMetadata { // they are to be sent again
			e.steps, e.warnings = map[string]bool{}, nil
		}
		e.hash, e.title, e.version = rec.Hash, rec.Title, rec.Version
		e.done, e.published, e.publishing, e.waits = false, false, false, public
	case opSum:
		s.sums[path.Join(rec.Folder, rec.Name)] = sum{rec.Size, rec.Changed, rec.MD5}
	case opGone:
		delete(s.owner, e.article)
		*e = *newEntry(rec.Line)
	default:
		return false
	}
	return true
}

// entry returns what is known of a line; of a new one nothing. The map of files
// is the caller's own.
func (s *state) entry(line string) entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[line]
	if e == nil {
		return *newEntry(line)
	}
	c := *e
	c.steps, c.warnings = maps.Clone(e.steps), slices.Clone(e.warnings)
	c.files = make(map[int]fileEntry, len(e.files))
	for n, f := range e.files {
		c.files[n] = f
	}
	return c
}

// doubts returns the lines of this title of which it is not known whether their
// article exists, the one announced first in front.
func (s *state) doubts(title string) []entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []entry
	for _, e := range s.entries {
		if e.creating && e.title == title {
			list = append(list, *e)
		}
	}
	sort.Slice(list, func(i, j int) bool {
		if !list[i].at.Equal(list[j].at) {
			return list[i].at.Before(list[j].at)
		}
		return list[i].line < list[j].line
	})
	return list
}

// claimed tells whether an article belongs to a line of this state file.
func (s *state) claimed(article int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.owner[article]
	return ok
}
