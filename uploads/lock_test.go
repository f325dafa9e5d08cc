package uploads

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

func TestLocks(t *testing.T) {
	d := newDesk(t)
	s, layout := d.staging, Layout{size: 10, part: 5}
	other := "00000000-119b-41cb-b5db-e18ed96f42e3"
	locked := func(want1, want2 bool) {
		t.Helper()
		if s.Locked(token, 1) != want1 || s.Locked(token, 2) != want2 || s.Locked(other, 1) {
			t.Errorf("parts 1, 2 locked: %v, %v", s.Locked(token, 1), s.Locked(token, 2))
		}
	}

	locked(false, false)
	w, err := s.Begin(token, layout, 1)
	if err != nil || w.Part() != (Part{1, 0, 4}) {
		t.Fatal(err)
	}
	locked(true, false)
	if _, err := s.Begin(token, layout, 1); !errors.Is(err, ErrLocked) {
		t.Error(err)
	}
	if _, err := s.Freeze(token); !errors.Is(err, ErrLocked) {
		t.Error(err)
	}
	for _, n := range []int{-1, 0, 3} {
		if _, err := s.Begin(token, layout, n); !errors.Is(err, ErrNoSuchPart) {
			t.Error(err)
		}
	}
	w2, err := s.Begin(token, layout, 2)
	if err != nil {
		t.Fatal(err)
	}
	locked(true, true)
	for range 2 { // The second time has no effect, also on a later holder of the part.
		w.Release()
		locked(false, true)
	}
	w2.Release()
	locked(false, false)
	d.mustBeFree(t)

	f, err := s.Freeze(token)
	if err != nil {
		t.Fatal(err)
	}
	locked(true, true)
	if _, err := s.Freeze(token); !errors.Is(err, ErrLocked) {
		t.Error(err)
	}
	if _, err := s.Begin(token, layout, 2); !errors.Is(err, ErrLocked) {
		t.Error(err)
	}
	f.Release()
	locked(false, false)
	w, err = s.Begin(token, layout, 1)
	if err != nil {
		t.Fatal(err)
	}
	f.Release()
	locked(true, false)
	w.Release()
	d.mustBeFree(t)
}

func TestNothingAfterRelease(t *testing.T) {
	d := newDesk(t)
	layout := NewLayout(5)
	w, err := d.staging.Begin(token, layout, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.Release()
	if _, err := w.WriteFrom(t.Context(), strings.NewReader("12345")); err == nil {
		t.Error("wrote without the lock")
	}
	f, err := d.staging.Freeze(token)
	if err != nil {
		t.Fatal(err)
	}
	f.Release()
	if _, _, err := f.Verify(t.Context(), layout, d.recorded); err == nil {
		t.Error("verified without the lock")
	}
	if err := f.Commit(t.Context(), sumsOf(t, nil)); err == nil {
		t.Error("committed without the lock")
	}
}

func TestRemove(t *testing.T) {
	d := newDesk(t)
	layout := Layout{size: 10, part: 5}
	for range 2 { // The second time there is nothing left to remove.
		if err := d.staging.Remove(token); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.put(t.Context(), layout, 1, strings.NewReader("12345")); err != nil {
		t.Fatal(err)
	}
	if err := d.staging.Remove(token); err != nil {
		t.Fatal(err)
	}
	d.mustBeFree(t)
	if _, err := os.Lstat(d.path()); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// A file is deleted while two of its parts stream in: both stop, and the last one cleans up.
func TestRemoveWhilePartsStream(t *testing.T) {
	d := newDesk(t)
	layout := NewLayout(2 * PartSize)
	idle, err := d.staging.Begin(token, layout, 2)
	if err != nil {
		t.Fatal(err)
	}
	body := io.MultiReader(bytes.NewReader(noise(2*bufferSize, 1)), onRead(func() {
		if err := d.staging.Remove(token); err != nil {
			t.Error(err)
		}
	}), endless{})
	if err := d.put(t.Context(), layout, 1, body); !errors.Is(err, ErrRemoved) {
		t.Error(err)
	}
	if _, err := d.staging.Begin(token, layout, 1); !errors.Is(err, ErrRemoved) {
		t.Error(err)
	}
	if _, err := d.staging.Freeze(token); !errors.Is(err, ErrRemoved) {
		t.Error(err)
	}
	if _, err := os.Lstat(d.path()); err != nil {
		t.Error("the file was deleted under a writer:", err)
	}
	if err := idle.Release(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(d.path()); !os.IsNotExist(err) {
		t.Error("the file is left:", err)
	}
	d.mustBeFree(t)
}

func TestRemoveWhileCompleting(t *testing.T) {
	d := newDesk(t)
	layout := Layout{size: 1_000_000, part: 500_000}
	data := noise(1_000_000, 2)
	for _, n := range []int{1, 2} {
		if err := d.put(t.Context(), layout, n, piece(data, layout, n)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := d.staging.Freeze(token)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = f.Verify(t.Context(), layout, func(n int) (uint32, bool) {
		if err := d.staging.Remove(token); err != nil {
			t.Error(err)
		}
		return d.recorded(n)
	})
	if !errors.Is(err, ErrRemoved) {
		t.Error(err)
	}
	if err := f.Commit(t.Context(), sumsOf(t, data)); !errors.Is(err, ErrRemoved) {
		t.Error(err)
	}
	if err := f.Release(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(d.path()); !os.IsNotExist(err) {
		t.Error(err)
	}
	if _, err := d.store.Stat(sumsOf(t, data).SHA256); err == nil {
		t.Error("it became a blob")
	}
	d.mustBeFree(t)
}
