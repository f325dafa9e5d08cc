package uploads

import (
	"errors"
	"fmt"
	"io/fs"
)

// lock is what is held of one upload: some of its parts, or all of it. The entry exists only as
// long as something is held.
type lock struct {
	parts   map[int]struct{} // being written
	frozen  bool             // being completed or removed
	removed bool             // the last holder deletes the file
}

// Locked reports whether part n is being written, or the whole upload completed or removed, now.
func (s *Staging) Locked(token string, n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.locks[token]
	if l == nil {
		return false
	}
	_, writing := l.parts[n]
	return l.frozen || writing
}

// take adds part n to what is held, or freezes the whole upload when n is zero.
func (s *Staging) take(token string, n int) (*lock, error) {
	if err := checkToken(token); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.locks[token]
	if l == nil {
		l = &lock{parts: map[int]struct{}{}}
		s.locks[token] = l
	}
	_, writing := l.parts[n]
	switch {
	case l.removed:
		return nil, ErrRemoved
	case l.frozen, writing, n == 0 && len(l.parts) > 0:
		return nil, ErrLocked
	case n == 0:
		l.frozen = true
	default:
		l.parts[n] = struct{}{}
	}
	return l, nil
}

// give returns what take took. The last holder of a removed upload deletes the file, and only
// then is the entry gone, so that no writer begins again in between.
func (s *Staging) give(token string, l *lock, n int) error {
	s.mu.Lock()
	if n == 0 {
		l.frozen = false
	} else {
		delete(l.parts, n)
	}
	last := !l.frozen && len(l.parts) == 0
	if last && !l.removed {
		delete(s.locks, token)
	}
	last = last && l.removed
	s.mu.Unlock()
	if last {
		return s.unlink(token)
	}
	return nil
}

// isRemoved reports whether Remove was called while the lock was held.
func (s *Staging) isRemoved(l *lock) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return l.removed
}

// Remove deletes the staged file of an upload whose record the caller has removed before. While the
// upload is held it only marks it: a WriteFrom, Verify or Commit under way fails soon with
// ErrRemoved, and the last Release deletes the file. A file that is not there is no error. The
// deletion is not synced: after a power cut Walk may find the file again.
func (s *Staging) Remove(token string) error {
	if err := checkToken(token); err != nil {
		return err
	}
	s.mu.Lock()
	l := s.locks[token]
	if l != nil {
		l.removed = true
	} else {
		s.locks[token] = &lock{removed: true}
	}
	s.mu.Unlock()
	if l != nil {
		return nil
	}
	return s.unlink(token)
}

// unlink deletes the file of a removed upload without holders, and forgets the upload. It runs
// without the mutex, as deleting a large file takes time.
func (s *Staging) unlink(token string) error {
	err := s.root.Remove(token)
	s.mu.Lock()
	delete(s.locks, token)
	s.mu.Unlock()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot remove staged file: %w", bare(err))
	}
	return nil
}
