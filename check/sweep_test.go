package check

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/blobs"
	blobdir "alcove/blobs/dir"
	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/record"
)

// yard is a sweeper with a store of its own, and a clock that the test moves.
type yard struct {
	*Sweeper
	t    *testing.T
	root string
	now  time.Time
	logs bytes.Buffer
}

func newYard(t *testing.T) *yard {
	t.Helper()
	dir := t.TempDir()
	db, err := bucket.Open(dir, bucket.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	store, err := blobdir.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	y := &yard{t: t, root: dir, now: time.Now().Add(time.Minute)}
	y.Sweeper = &Sweeper{DB: db, Blobs: store, Grace: time.Hour, Log: slog.New(slog.NewTextHandler(&y.logs, nil))}
	y.named = y.look
	return y
}

// run sweeps some time after the last sweep was over.
func (y *yard) run(later time.Duration) {
	y.t.Helper()
	y.now = y.now.Add(later + time.Second)
	if err := y.sweep(y.t.Context(), y.now, y.now.Add(-y.Grace)); err != nil {
		y.t.Fatal(err)
	}
}

func (y *yard) put(text string) blobs.Ref {
	y.t.Helper()
	sums, err := y.Blobs.Put(y.t.Context(), strings.NewReader(text))
	if err != nil {
		y.t.Fatal(err)
	}
	return sums.SHA256
}

// name makes a record that names a blob, forget deletes it.
func (y *yard) name(id int64, ref blobs.Ref) {
	y.t.Helper()
	y.update(func(tx *bucket.Tx) error {
		return files.Files.Put(tx, id, &record.File{ID: id, SHA256: ref.String(), Status: record.FileAvailable})
	})
}

func (y *yard) forget(id int64) {
	y.t.Helper()
	y.update(func(tx *bucket.Tx) error { return files.Files.Delete(tx, id) })
}

func (y *yard) update(fn func(*bucket.Tx) error) {
	y.t.Helper()
	if err := y.DB.Update(y.t.Context(), 0, fn); err != nil {
		y.t.Fatal(err)
	}
}

func (y *yard) has(ref blobs.Ref, want bool) {
	y.t.Helper()
	_, err := y.Blobs.Stat(ref)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		y.t.Fatal(err)
	}
	if (err == nil) != want {
		y.t.Errorf("the blob is there: %v, want %v", err == nil, want)
	}
}

// noted is how many notes of blobs without a name are kept.
func (y *yard) noted() (n int) {
	y.t.Helper()
	seen, err := y.seen()
	if err != nil {
		y.t.Fatal(err)
	}
	return len(seen)
}

// Two sightings and the grace between them, and what is named stays.
func TestSweep(t *testing.T) {
	y := newYard(t)
	lost, kept, both := y.put("lost"), y.put("kept"), y.put("named twice")
	y.name(1, kept)
	y.name(2, both)
	y.name(3, both)
	y.forget(3)
	y.run(0)
	y.has(lost, true)
	y.run(time.Hour - time.Second)
	y.has(lost, true)
	y.run(time.Second)
	y.has(lost, false)
	y.has(kept, true)
	y.has(both, true)
	if n := y.noted(); n != 0 || !strings.Contains(y.logs.String(), lost.String()) {
		t.Errorf("%d notes are left, the log has %s", n, &y.logs)
	}
	y.run(time.Hour)
	y.forget(1)
	y.run(time.Hour) // the first time without a name
	y.has(kept, true)
	y.name(4, kept)
	y.run(time.Hour)
	y.forget(4) // what was named in between begins again
	y.run(time.Hour)
	y.has(kept, true)
	y.run(time.Hour)
	y.has(kept, false)
	y.has(both, true)
}

// A blob that a published file names stays, also when the record that the sweeper looks for is lost.
func TestSweepLeavesWhatIsPublished(t *testing.T) {
	y := newYard(t)
	shown, lost := y.put("shown"), y.put("lost")
	y.update(func(tx *bucket.Tx) error {
		return files.PublicFiles.Put(tx, 1, &record.PublicFile{ID: 1, ArticleID: 1, SHA256: shown.String(), Added: 1})
	})
	for range 3 {
		y.run(time.Hour)
	}
	y.has(shown, true)
	y.has(lost, false)
	if !strings.Contains(y.logs.String(), "the index of files does not have") {
		t.Errorf("the log has %s", &y.logs)
	}
}

// A sweeper that looks, finds no name, and is about to remove: at that moment an upload stores
// the same bytes again, before its record names them or after.
func TestSweepMeetsUpload(t *testing.T) {
	for _, named := range []bool{false, true} {
		y := newYard(t)
		ref := y.put("wanted again")
		y.run(0)
		y.now = y.now.Add(2 * time.Hour)
		y.named = func(ref blobs.Ref) (bool, error) {
			found, err := y.look(ref)
			if named { // moving_to_final: the record comes before the bytes
				y.name(1, ref)
			}
			again := y.put("wanted again")
			ahead := y.now.Add(-time.Minute) // as the yard's clock goes
			if err := os.Chtimes(y.at(again), ahead, ahead); err != nil {
				t.Fatal(err)
			}
			return found, err
		}
		y.run(0)
		y.has(ref, true)
		y.named = y.look
		y.run(time.Minute)
		y.has(ref, true)
		y.name(1, ref)
		y.run(10 * time.Hour)
		y.has(ref, true)
	}
}

// A blob that was stored again and lost its name again waits from the start, and does not stay for ever.
func TestSweepBeginsAgain(t *testing.T) {
	y := newYard(t)
	ref := y.put("twice")
	y.run(0)
	again := y.now.Add(time.Minute) // as the yard's clock goes
	if err := os.Chtimes(y.at(ref), again, again); err != nil {
		t.Fatal(err)
	}
	y.run(time.Hour)
	y.has(ref, true)
	y.run(time.Hour)
	y.has(ref, false)
}

// at is where a blob lies.
func (y *yard) at(ref blobs.Ref) string {
	return y.root + "/blobs/" + ref.String()[:2] + "/" + ref.String()[2:]
}

// A download that began before the file was deleted keeps its bytes, however long it takes.
func TestSweepWaitsForHolders(t *testing.T) {
	y := newYard(t)
	ref := y.put("being sent")
	release := y.Blobs.Lease(y.now.Add(-time.Second))
	later := y.Blobs.Lease(y.now.Add(5 * time.Second)) // began when there was no name any more
	defer later()
	y.run(0)
	y.run(10 * time.Hour)
	y.has(ref, true)
	release()
	y.run(time.Second)
	y.has(ref, false)
}

// A holder that begins while a sweep is under way, and meets a name that goes before the sweep looks
// for it, holds the blob all the same: a note says when the look was, not when the sweep began.
func TestSweepHeldMeanwhile(t *testing.T) {
	y := newYard(t)
	ref := y.put("named when the backup began, and not when the sweep came by")
	var release func()
	y.named = func(ref blobs.Ref) (bool, error) {
		if release == nil {
			release = y.Blobs.Lease(y.now.Add(time.Nanosecond))
		}
		return y.look(ref)
	}
	y.run(0)
	y.run(2 * time.Hour)
	if _, err := y.Blobs.Stat(ref); err != nil {
		t.Errorf("a blob that is held: %v", err)
	}
	release()
	y.run(2 * time.Hour)
	if _, err := y.Blobs.Stat(ref); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a blob that nobody holds: %v", err)
	}
}

// A blob that is stored again between the walk and the look gets no note of it: it would be removed
// although the note is older than what it is about.
func TestSweepStoredMeanwhile(t *testing.T) {
	y := newYard(t)
	ref := y.put("stored twice")
	stored := false
	y.named = func(ref blobs.Ref) (bool, error) {
		named, err := y.look(ref)
		if !stored {
			stored = true
			y.put("stored twice")
		}
		return named, err
	}
	y.run(0)
	if seen, err := y.seen(); err != nil || len(seen) > 0 {
		t.Errorf("%v %v: %s was stored meanwhile", seen, err, ref)
	}
	y.run(time.Hour)
	if seen, err := y.seen(); err != nil || len(seen) != 1 {
		t.Errorf("%v %v", seen, err)
	}
}

// When more than a share of all blobs is named by no record, none is removed before an operator says
// so, and then no more than were told.
func TestSweepOfMany(t *testing.T) {
	y := newYard(t)
	y.Share = 10
	for n := range 30 {
		y.name(int64(n+1), y.put(fmt.Sprint("kept ", n)))
	}
	var lost []blobs.Ref
	for n := range 11 {
		lost = append(lost, y.put(fmt.Sprint("lost ", n)))
	}
	left := func() (n int) {
		for _, ref := range lost {
			if _, err := y.Blobs.Stat(ref); err == nil {
				n++
			}
		}
		return n
	}
	state := func(want record.SweepState) {
		t.Helper()
		got, err := SweepStatus(y.DB)
		if got.Last = want.Last; err != nil || got != want {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
	allow := func() {
		t.Helper()
		if _, err := AllowSweep(t.Context(), y.DB); err != nil {
			t.Fatal(err)
		}
	}
	y.run(0)
	state(record.SweepState{Blobs: 41})
	for range 3 {
		y.run(time.Hour)
	}
	if left() != 11 || !strings.Contains(y.logs.String(), "alcove sweep allow") {
		t.Errorf("%d of 11 are left, the log has %s", left(), &y.logs)
	}
	state(record.SweepState{Blobs: 41, Waiting: 11, WaitingBytes: 67})
	allow()
	lost = append(lost, y.put("lost after the word"))
	y.run(0)
	if left() != 1 {
		t.Errorf("%d are left by the word", left())
	}
	state(record.SweepState{Blobs: 31, Removed: 11})
	y.run(time.Hour) // a few need no word
	if left() != 0 {
		t.Error("one that is alone stays")
	}
	// After a rebuild nothing goes without it.
	if err := files.HoldSweep(t.Context(), y.DB); err != nil {
		t.Fatal(err)
	}
	lost = []blobs.Ref{y.put("lost later")}
	y.run(0)
	y.run(time.Hour)
	if left() != 1 {
		t.Error("it was removed while the sweeper was held")
	}
	state(record.SweepState{Blobs: 31, Waiting: 1, WaitingBytes: 10, Held: true})
	allow()
	y.run(0)
	if left() != 0 {
		t.Error("it stays after the word")
	}
}

// A server that is restarted more often than the sweeper looks sweeps all the same: the time of the
// last look is kept.
func TestSweepOfRestarted(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for day := range 5 {
		db, err := bucket.Open(dir, bucket.Options{Clock: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		store, err := blobdir.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		store.Clock(db.Time)
		if day == 0 {
			if _, err := store.Put(t.Context(), strings.NewReader("lost")); err != nil {
				t.Fatal(err)
			}
		}
		s := &Sweeper{DB: db, Blobs: store, Grace: 24 * time.Hour, Share: 10, Log: slog.New(slog.DiscardHandler)}
		s.named = s.look
		for range 10 { // hours of running
			now = now.Add(time.Hour)
			if err := db.NoteClock(t.Context()); err != nil {
				t.Fatal(err)
			}
			wait, err := s.wait(12 * time.Hour)
			if err == nil && wait <= 0 {
				err = s.sweep(t.Context(), db.Time(), db.Ago(s.Grace))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		now = now.Add(time.Hour)
		state, err := SweepStatus(db)
		if err != nil || now.Sub(state.Last) > 13*time.Hour {
			t.Errorf("on day %d it looked last %v, %v", day, state.Last, err)
		}
		if err := errors.Join(store.Close(), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "blobs", "??", "????*")); len(left) != 0 {
		t.Errorf("there is still %v, %v", left, err)
	}
}
