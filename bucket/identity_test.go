package bucket

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"alcove/bucket/identity"
	"alcove/bucket/kv"
)

// A directory and its database belong together for good: a restart, a copy and a repaired database
// keep the identity, and one whose database is missing, or is another's, is refused with what to do.
func TestIdentity(t *testing.T) {
	onFile(t)
	t.Parallel()
	dir, other := t.TempDir(), t.TempDir()
	db := openDB(t, dir, Options{})
	id := db.Identity()
	if !db.Made() || !identity.Valid(id.ID) || len(id.ID) != 36 || id.Created.IsZero() {
		t.Fatalf("a new one is %+v", id)
	}
	closeDB(t, db)
	foreign := openDB(t, other, Options{})
	closeDB(t, foreign)
	if foreign.Identity().ID == id.ID {
		t.Fatal("two repositories have one id")
	}
	again := openDB(t, dir, Options{Existing: true, Repository: strings.ToUpper(identity.Plain(id.ID))})
	if again.Identity() != id || again.Made() {
		t.Errorf("opened again it is %+v", again.Identity())
	}
	closeDB(t, again)

	refused := func(what, dir string, o Options, kind error, says ...string) {
		t.Helper()
		_, err := Open(dir, o)
		for _, s := range append(says, dir) {
			if !errors.Is(err, kind) || !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %v, want %q", what, err, s)
			}
		}
	}
	refused("another is wanted", dir, Options{Repository: foreign.Identity().ID}, identity.ErrOther, id.ID, foreign.Identity().ID)
	empty := t.TempDir()
	refused("nothing is there", empty, Options{Existing: true}, identity.ErrAbsent, "it is empty")
	refused("the disk is not mounted", empty, Options{Repository: id.ID}, identity.ErrAbsent, "is its disk mounted?", id.ID)
	refused("there is no directory", filepath.Join(empty, "absent"), Options{Existing: true}, identity.ErrAbsent, "it does not exist")
	if names, _ := os.ReadDir(empty); len(names) != 0 {
		t.Errorf("a refusal has left %v", names)
	}

	// Another's database in the place of the own one.
	own := filepath.Join(t.TempDir(), "own")
	if err := os.Rename(filepath.Join(dir, FileName), own); err != nil {
		t.Fatal(err)
	}
	copyFile(t, filepath.Join(other, FileName), filepath.Join(dir, FileName))
	refused("another's database", dir, Options{}, identity.ErrOther, id.ID, foreign.Identity().ID, "check --rebuild", "alcove restore")
	if _, err := OpenToCheck(dir); !errors.Is(err, identity.ErrOther) {
		t.Errorf("a check of it: %v", err)
	}
	// None at all, whether the directory says whose it is or only has files.
	if err := os.Remove(filepath.Join(dir, FileName)); err != nil {
		t.Fatal(err)
	}
	refused("no database", dir, Options{}, identity.ErrLost, id.ID, identity.File, "check --rebuild", "alcove restore")
	for _, name := range []string{"blobs", "uploads", "index"} {
		left := t.TempDir()
		if err := os.Mkdir(filepath.Join(left, name), 0o700); err != nil {
			t.Fatal(err)
		}
		refused("only "+name, left, Options{}, identity.ErrLost, name, "mount it")
	}
	// Files that are not of a repository are in the way of nothing.
	for _, name := range []string{"lost+found", "pages"} {
		if err := os.Mkdir(filepath.Join(empty, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	closeDB(t, openDB(t, empty, Options{}))

	// The right one is taken again, and keeps its identity when it is repaired though its secret is lost.
	if err := os.Rename(own, filepath.Join(dir, FileName)); err != nil {
		t.Fatal(err)
	}
	raw(t, dir, func(tx kv.Tx) error {
		return errors.Join(tx.Bucket(metaBucket).Delete(secretKey), tx.Bucket(metaBucket).Delete(identityKey))
	})
	if _, err := RepairFile(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	repaired := openDB(t, dir, Options{Repository: id.ID})
	if repaired.Identity() != id {
		t.Errorf("repaired it is %+v, was %+v", repaired.Identity(), id)
	}
}

// A database of a program that kept no identity has one all the same, which does not change: it
// follows from its secret, so that its copies have it too.
func TestIdentityOfEarlier(t *testing.T) {
	onFile(t)
	t.Parallel()
	dir := t.TempDir()
	db := openDB(t, dir, Options{})
	write(t, db, putPerson(1, "P"))
	closeDB(t, db)
	raw(t, dir, func(tx kv.Tx) error { return tx.Bucket(metaBucket).Delete(identityKey) })
	if err := os.Remove(filepath.Join(dir, identity.File)); err != nil {
		t.Fatal(err)
	}
	cp, err := OpenCopy(func(flag int) (*os.File, error) { return os.OpenFile(filepath.Join(dir, FileName), flag, 0) })
	if err != nil {
		t.Fatal(err)
	}
	before, err := cp.Identity()
	if err := errors.Join(err, cp.Close()); err != nil {
		t.Fatal(err)
	}
	again := openDB(t, dir, Options{Existing: true})
	if got := again.Identity(); got.ID != before.ID || got.Created.IsZero() || !got.Created.Equal(again.LastChange().UTC().Truncate(1e9)) {
		t.Errorf("opened it is %+v, was %+v, changed %v", got, before, again.LastChange())
	}
	if of, err := identity.Read(dir); err != nil || *of != again.Identity() {
		t.Errorf("the directory says %+v, %v", of, err)
	}
}
