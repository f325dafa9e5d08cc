package backup

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A drill needs a complete snapshot and room, removes what an earlier one has left, and touches
// nothing else.
func TestDrill(t *testing.T) {
	s, dest, dir := repository(t, "one", "two"), filepath.Join(t.TempDir(), "b"), t.TempDir()
	if err := os.MkdirAll(filepath.Join(dest, snapshots), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Drill(t.Context(), dest, Drills{Dir: dir}); err == nil || !strings.Contains(err.Error(), "is complete") {
		t.Errorf("without a snapshot: %v", err)
	}
	if _, err := Create(t.Context(), s, dest, Options{Version: "v1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := Drill(t.Context(), dest, Drills{Dir: dir, Reserve: 1 << 61}); err == nil || !strings.Contains(err.Error(), "drill_dir") {
		t.Errorf("without room: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, DrillName, "left"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Drill(t.Context(), dest, Drills{Dir: dir})
	if err != nil || r.Blobs != 2 || r.Records == 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 || names[0].Name() != "mine" {
		t.Errorf("left: %v, %v", names, err)
	}
}

// When a restore is tried, by what came of the last ones.
func TestDrillDue(t *testing.T) {
	now := time.Now()
	ago := func(d time.Duration) *time.Time { at := now.Add(-d); return &at }
	const day = 24 * time.Hour
	done := Status{Dest: "/b", Snapshot: "s"}
	for name, c := range map[string]struct {
		every time.Duration
		drill Drilled
		due   bool
	}{
		"never wanted":    {0, Drilled{}, false},
		"never done":      {30 * day, Drilled{}, true},
		"done":            {30 * day, Drilled{LastSuccess: ago(29 * day), LastTry: ago(29 * day)}, false},
		"long ago":        {30 * day, Drilled{LastSuccess: ago(30 * day), LastTry: ago(30 * day)}, true},
		"in the future":   {30 * day, Drilled{LastSuccess: ago(-day)}, true},
		"failed just now": {30 * day, Drilled{LastTry: ago(time.Hour), LastError: "x"}, false},
		"failed a day":    {30 * day, Drilled{LastSuccess: ago(40 * day), LastTry: ago(day), LastError: "x"}, true},
	} {
		k := &Keeper{status: done}
		k.status.Drill = c.drill
		if got := k.drillDue(Schedule{Dest: "/b"}, Drills{Every: c.every}, now); got != c.due {
			t.Errorf("%s: %v", name, got)
		}
		k.status.Dest = "/elsewhere"
		if k.drillDue(Schedule{Dest: "/b"}, Drills{Every: c.every}, now) {
			t.Errorf("%s: without a backup there", name)
		}
	}
}

// A restore is tried also where each backup is due as soon as the one before it has ended.
func TestDrillBetweenBackups(t *testing.T) {
	s, dest := repository(t, "one"), filepath.Join(t.TempDir(), "b")
	k := NewKeeper(s, "v1", false, slog.New(slog.DiscardHandler))
	k.Run(Schedule{Dest: dest, Every: time.Millisecond, Keep: 2}, Drills{Dir: t.TempDir(), Every: 1})
	defer k.Stop()
	first := ""
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		st, _ := k.Status()
		if first == "" {
			first = st.Snapshot
		}
		if st.Drill.LastSuccess != nil {
			return
		}
		if list, err := List(dest); err == nil && len(list) > 0 && first != "" && !slices.ContainsFunc(list, func(l Listed) bool { return l.Snapshot == first }) {
			t.Fatal("three backups were made, and no restore was tried")
		}
		if time.Now().After(end) {
			t.Fatal("no restore was tried in a minute")
		}
	}
}
