package bucket

import (
	"testing"
	"time"
)

// While changes are being committed, the safe time is not after theirs: a harvester that asks for changes since then gets
// them. Before and after it is now.
func TestSafeTime(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	near := func(when string, got, want time.Time) {
		t.Helper()
		if d := got.Sub(want); d < -time.Second || d > time.Second {
			t.Errorf("%s it is %s, and the clock says %s", when, got, want)
		}
	}
	near("before", db.SafeTime(), time.Now())
	write(t, db, func(tx *Tx) error {
		at := tx.Now()
		time.Sleep(1100 * time.Millisecond)
		if got := db.SafeTime(); got.Truncate(time.Second).After(at) {
			t.Errorf("during a change of %s it is %s", at, got)
		}
		return putPerson(1, "Ada")(tx)
	})
	near("after", db.SafeTime(), time.Now())
}
