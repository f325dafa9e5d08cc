package backup

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A keeper lets one backup run, survives a panic in it, and ends.
func TestKeeper(t *testing.T) {
	s, dest := repository(t, "one"), filepath.Join(t.TempDir(), "b")
	k := NewKeeper(s, "v1", true, slog.New(slog.DiscardHandler))
	if err := k.Start("relative", 0, 0); err == nil {
		t.Error("a relative path was taken")
	}
	if err := k.Start(dest, 0, 1); err != nil { // a byte a second
		t.Fatal(err)
	}
	if err := k.Start(dest, 0, 0); err == nil {
		t.Error("two at a time")
	}
	k.Interrupt()
	if r := k.Report(); r.State != Failed || r.Error != "it was interrupted" || r.Ended == nil {
		t.Errorf("%+v", r)
	}
	k.src.Blobs = nil // a panic
	if err := k.Start(dest, 0, 0); err != nil {
		t.Fatal(err)
	}
	k.running.Wait()
	if r := k.Report(); r.State != Failed || !strings.Contains(r.Error, "panic") {
		t.Errorf("%+v", r)
	}
	if st, failed := k.Status(); failed != 1 || st.Failures != 1 || st.LastSuccess != nil {
		t.Errorf("%+v, %d", st, failed)
	}
	k.Run(Schedule{Dest: dest, Every: time.Hour}, Drills{})
	k.Stop()
	if err := k.Start(dest, 0, 0); err == nil {
		t.Error("one begins after the end")
	}
}

// When a backup is due, by what was done before and whatever the clock does.
func TestDue(t *testing.T) {
	now := time.Now()
	ago := func(d time.Duration) *time.Time { at := now.Add(-d); return &at }
	day := Schedule{Dest: "/b", Every: 24 * time.Hour}
	for name, c := range map[string]struct {
		status Status
		due    bool
	}{
		"never":                    {Status{}, true},
		"just now":                 {Status{Dest: "/b", LastSuccess: ago(time.Minute), LastTry: ago(time.Minute)}, false},
		"yesterday":                {Status{Dest: "/b", LastSuccess: ago(24 * time.Hour), LastTry: ago(24 * time.Hour)}, true},
		"begun yesterday":          {Status{Dest: "/b", LastSuccess: ago(23 * time.Hour), Seconds: 3600}, true},
		"elsewhere":                {Status{Dest: "/c", LastSuccess: ago(time.Minute), LastTry: ago(time.Minute)}, true},
		"failed just now":          {Status{Dest: "/b", LastSuccess: ago(50 * time.Hour), LastTry: ago(time.Minute), LastError: "x", Failures: 1}, false},
		"failed some time ago":     {Status{Dest: "/b", LastSuccess: ago(50 * time.Hour), LastTry: ago(time.Hour), LastError: "x", Failures: 1}, true},
		"failed at the first time": {Status{LastTry: ago(time.Minute), LastError: "x", Failures: 1}, false},
		"in the future":            {Status{Dest: "/b", LastSuccess: ago(-1000 * time.Hour)}, true},
	} {
		k := &Keeper{status: c.status}
		if got := k.due(day, now); got != c.due {
			t.Errorf("%s: %v", name, got)
		}
	}
}
