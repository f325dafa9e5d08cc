package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// The states of a backup.
const (
	Never   = "never"   // none was made by this server
	Running = "running" // with what was done until now
	Done    = "done"    // there is a snapshot
	Failed  = "failed"  // there is none
)

// StatusName is the name of a file in a data directory that says when backups were made, so that a
// server knows it after a restart. It is in no backup.
const StatusName = "backup.json"

// maxStatus is how many bytes of that file are read.
const maxStatus = 1 << 20

// Status is what is known of the backups of a repository.
type Status struct {
	Dest        string     `json:"dest"`         // of the last success
	Snapshot    string     `json:"snapshot"`     // made then
	Complete    bool       `json:"complete"`     // nothing was missing in it
	LastSuccess *time.Time `json:"last_success"` // its end
	Seconds     float64    `json:"seconds"`      // it took
	LastTry     *time.Time `json:"last_try"`     // the beginning of the last one, whatever came of it
	LastError   string     `json:"last_error"`   // of the last try, empty when it went well
	Failures    int        `json:"failures"`     // since the last success

	// Of the files in the backups: how many the last success has read again, when the one was read or
	// copied for which that is longest ago, and in how many places older snapshots are damaged.
	Reread     int64      `json:"reread"`
	OldestRead *time.Time `json:"oldest_read"`
	Damaged    int        `json:"damaged"`

	Drill Drilled `json:"drill"`
}

// Schedule says when a server makes backups by itself.
type Schedule struct {
	Dest  string        // empty for nowhere
	Every time.Duration // 0 for never
	Keep  int           // how many snapshots stay, 0 for all
}

// Keeper makes the backups of one open repository, one at a time. Stop must follow at the end.
type Keeper struct {
	// Reread is how long it counts that a blob of the backups was read; see Options. It must not be
	// changed after the first backup.
	Reread time.Duration

	src     Source
	version string
	log     *slog.Logger
	low     bool

	mu      sync.Mutex
	report  Report
	status  Status
	failed  uint64 // since the start
	cancel  context.CancelFunc
	stopped bool
	running sync.WaitGroup

	ended    chan struct{}   // closed by Stop
	context  context.Context // canceled by Stop
	halt     context.CancelFunc
	schedule sync.WaitGroup
}

// NewKeeper prepares backups of a repository. low lets them give way to everything else.
func NewKeeper(src Source, version string, low bool, log *slog.Logger) *Keeper {
	k := &Keeper{Reread: DefaultReread, src: src, version: version, log: log, low: low, report: Report{State: Never}, ended: make(chan struct{})}
	k.context, k.halt = context.WithCancel(context.Background())
	k.status, _ = ReadStatus(src.Dir) // what cannot be read is as if there were none
	return k
}

// ReadStatus reads what a data directory says of its backups.
func ReadStatus(dir string) (s Status, err error) {
	f, err := os.Open(filepath.Join(dir, StatusName))
	if err != nil {
		return s, err
	}
	defer f.Close()
	if err := json.NewDecoder(io.LimitReader(f, maxStatus)).Decode(&s); err != nil {
		return Status{}, fmt.Errorf("cannot read the status of the backups: %w", err)
	}
	return s, nil
}

// Report tells how far the backup is that was begun last.
func (k *Keeper) Report() Report {
	k.mu.Lock()
	defer k.mu.Unlock()
	r := k.report
	r.Missing = append([]Missing{}, r.Missing...)
	r.DamagedRecords = append([]DamagedRecord{}, r.DamagedRecords...)
	r.Removed = append([]string{}, r.Removed...)
	r.Older = append([]Problem{}, r.Older...)
	return r
}

// Status tells when backups were made, and how many have failed since the start.
func (k *Keeper) Status() (s Status, failed uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.status, k.failed
}

// Start begins a backup in the background. It refuses while one is being made.
func (k *Keeper) Start(path string, keep int, rate int64) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.stopped:
		return errors.New("cannot begin a backup: the server is stopping")
	case k.report.State == Running:
		return fmt.Errorf("a backup to %s is being made", k.report.Dest)
	case !filepath.IsAbs(path):
		return fmt.Errorf("cannot make backups in %s: it is no absolute path", path)
	}
	ctx, cancel := context.WithCancel(context.Background())
	k.cancel = cancel
	now := time.Now().UTC().Truncate(time.Second)
	k.report = Report{State: Running, Dest: path, Started: now}
	k.running.Go(func() {
		defer cancel()
		m, err := k.create(ctx, path, Options{Version: k.version, Keep: keep, Rate: rate, Low: k.low, Reread: k.Reread, Note: k.note})
		k.end(m, err)
	})
	return nil
}

// create turns a panic into an error.
func (k *Keeper) create(ctx context.Context, path string, o Options) (m *Manifest, err error) {
	defer func() {
		if p := recover(); p != nil {
			m, err = nil, fmt.Errorf("cannot go on with the backup: panic: %v", p)
		}
	}()
	return Create(ctx, k.src, path, o)
}

func (k *Keeper) note(change func(*Report)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	change(&k.report)
}

// end tells what came of a backup: in the report, the log, the status and its file.
func (k *Keeper) end(m *Manifest, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, now := &k.report, time.Now().UTC().Truncate(time.Millisecond)
	r.Ended = &now
	if errors.Is(err, context.Canceled) { // the operator wants it so
		r.State, r.Error = Failed, "it was interrupted"
		k.log.Info("a backup was interrupted", "dest", r.Dest)
		return
	}
	started := r.Started // the status is read after the report has changed
	s := Status{LastTry: &started, Drill: k.status.Drill}
	if r.State = Failed; m != nil {
		r.State = Done
		s.Dest, s.Snapshot, s.Complete, s.LastSuccess, s.Seconds = r.Dest, m.Snapshot, m.Complete, &now, now.Sub(r.Started).Seconds()
	} else {
		old := k.status
		s.Dest, s.Snapshot, s.Complete, s.LastSuccess, s.Seconds = old.Dest, old.Snapshot, old.Complete, old.LastSuccess, old.Seconds
		s.Failures = old.Failures + 1
	}
	switch {
	case err != nil:
		r.Error = err.Error()
	case !m.Complete:
		r.Error = incomplete(m)
	case r.OlderCount > 0:
		r.Error = fmt.Sprintf("the snapshot %s is complete, but older ones in %s are damaged in %d places and cannot be repaired", m.Snapshot, r.Dest, r.OlderCount)
	}
	if m != nil {
		s.Reread, s.Damaged, s.OldestRead = r.Reread, r.OlderCount, r.OldestRead
	} else {
		s.Reread, s.Damaged, s.OldestRead = k.status.Reread, k.status.Damaged, k.status.OldestRead
	}
	if s.LastError = r.Error; r.Error != "" {
		k.failed++
		k.log.Error("backup", "dest", r.Dest, "snapshot", r.Snapshot, "error", r.Error)
		for _, lost := range r.Missing[:min(len(r.Missing), 20)] {
			k.log.Error("not in the backup", "sha256", lost.SHA256, "files", lost.Files, "reason", lost.Reason)
		}
	} else {
		k.log.Info("backup", "dest", r.Dest, "snapshot", r.Snapshot, "copied", r.Copied, "bytes", r.CopiedBytes+r.Database, "removed", len(r.Removed), "seconds", s.Seconds)
	}
	k.status = s
	if err := writeStatus(k.src.Dir, s); err != nil {
		k.log.Error("cannot note when the backup was made", "error", err)
	}
}

func incomplete(m *Manifest) string {
	return fmt.Sprintf("the snapshot %s is complete but for %d files and %d records that were missing or damaged", m.Snapshot, m.MissingCount, m.DamagedCount)
}

// writeStatus puts the status in the place of the old one. It need not outlive a power cut.
func writeStatus(dir string, s Status) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	next := filepath.Join(dir, StatusName+".new")
	if err := os.WriteFile(next, append(b, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(next, filepath.Join(dir, StatusName))
}

// Interrupt ends the backup that is being made, and waits for that.
func (k *Keeper) Interrupt() {
	k.mu.Lock()
	if k.cancel != nil {
		k.cancel()
	}
	k.mu.Unlock()
	k.running.Wait()
}

// Stop is Interrupt, and none begins any more.
func (k *Keeper) Stop() {
	k.mu.Lock()
	if !k.stopped {
		k.stopped = true
		close(k.ended)
		k.halt()
	}
	k.mu.Unlock()
	k.Interrupt()
	k.schedule.Wait()
}

// How often a server looks whether a backup is due, and how soon it tries again after one failed.
const (
	lookEvery = time.Minute
	tryAgain  = time.Hour
)

// Run makes backups from time to time, and tries to restore them, until Stop.
func (k *Keeper) Run(s Schedule, d Drills) {
	if s.Dest == "" || s.Every <= 0 {
		return
	}
	k.schedule.Go(func() {
		for {
			// The drill is asked for first: where a backup takes longer than they are apart, one is always
			// due or running, and no drill would ever be.
			if k.drillDue(s, d, k.src.now()) {
				k.drill(s, d)
			}
			if k.due(s, time.Now()) {
				k.begin(s)
			}
			select {
			case <-time.After(min(lookEvery, s.Every/4)):
			case <-k.ended:
				return
			}
		}
	})
}

// due reports whether a backup must be made now. A time in the future is that of a clock that was
// wrong, and counts for nothing.
func (k *Keeper) due(s Schedule, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	since := func(t *time.Time) time.Duration {
		if t == nil || t.After(now) {
			return s.Every
		}
		return now.Sub(*t)
	}
	st := k.status
	switch {
	case k.report.State == Running:
		return false
	case st.LastSuccess == nil || st.Dest != s.Dest || st.Failures > 0:
		return st.LastTry == nil || st.LastError == "" || since(st.LastTry) >= min(s.Every, tryAgain)
	}
	return since(st.LastSuccess)+secondsOf(st) >= s.Every
}

// secondsOf is how long the last backup took: they begin Every apart.
func secondsOf(s Status) time.Duration { return time.Duration(s.Seconds * float64(time.Second)) }

// begin begins a backup, unless the directory of the backups has gone since the last one, as when a
// disk is not mounted: then it would fill the one under it.
func (k *Keeper) begin(s Schedule) {
	st, _ := k.Status()
	if st.Dest == s.Dest && st.Snapshot != "" {
		if list, err := List(s.Dest); err != nil || !slices.ContainsFunc(list, func(l Listed) bool { return l.Snapshot == st.Snapshot }) {
			k.refuse(s, fmt.Errorf("the last backup in %s is not there any more; is the disk mounted? alcove backup create begins again: %w", s.Dest, errors.Join(err, os.ErrNotExist)))
			return
		}
	}
	if err := k.Start(s.Dest, s.Keep, 0); err != nil {
		k.log.Error("cannot begin a backup", "error", err)
	}
}

// refuse is a try that failed before it began.
func (k *Keeper) refuse(s Schedule, err error) {
	k.mu.Lock()
	busy := k.report.State == Running
	if !busy {
		k.report = Report{State: Running, Dest: s.Dest, Started: time.Now().UTC().Truncate(time.Second)}
	}
	k.mu.Unlock()
	if !busy {
		k.end(nil, err)
	}
}
