// Package check reads again what the data directory holds, names what is not as it was stored, and
// has it repaired where that can be; and it removes bytes that no record names. How far it is stands
// in DIR/check.json.
package check

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"alcove/blobs"
	"alcove/bucket"
	"alcove/bucket/damage"
	"alcove/index"
)

// Checker reads again what a data directory holds, page by page, record by record and blob by
// blob, and names what is not as it was stored. One check runs at a time; how far it is and
// what it has found is kept in DIR/check.json, so that one that was interrupted goes on where
// it was, after a restart too.
type Checker struct {
	Options

	mu      sync.Mutex
	state   state
	cancel  context.CancelFunc // nil before the first check
	stopped bool
	running sync.WaitGroup
	saved   time.Time // when the state was last written
}

// Options are what a check is made of.
type Options struct {
	Dir   string // the data directory
	DB    *bucket.DB
	Blobs blobs.Store
	Index *index.Index // nil when no server runs: it is not looked at then
	Log   *slog.Logger
	// Repair puts a record or document right where that can be, nil when no server runs.
	Repair func(context.Context, *damage.Error) bool
	// Every is how often a full check is begun by itself, 0 for never, and Rate how many
	// bytes it reads a second.
	Every time.Duration
	Rate  int64
	OCFL  string // the storage root of OCFL, "" for none
}

// Request is how a check is to be made.
type Request struct {
	Rate    int64  `json:"rate"`    // bytes a second, 0 for no bound
	Restart bool   `json:"restart"` // from the beginning, though one was interrupted
	Repair  bool   `json:"repair"`  // blobs that are damaged or missing, from a backup
	From    string `json:"from"`    // the backup's directory, blank for none
}

// The states of a check.
const (
	Never   = "never"   // there was none
	Running = "running" // with what was found until now
	Done    = "done"
	Stopped = "stopped" // before its end: the next one goes on from there
)

// Report is how far a check is and what it has found.
type Report struct {
	State       string     `json:"state"`
	Error       string     `json:"error"` // why it stopped
	Stage       string     `json:"stage"` // what it looks at
	Percent     float64    `json:"percent"`
	Started     time.Time  `json:"started"`
	Ended       *time.Time `json:"ended"`
	Resumed     int        `json:"resumed"`      // how often it was
	Scheduled   bool       `json:"scheduled"`    // begun by the server itself
	Records     int64      `json:"records"`      // that were read
	Busy        bool       `json:"busy"`         // too much was written for the pages of the database to be gone through; records, log and documents were read
	Blobs       int64      `json:"blobs"`        // that were read
	Bytes       int64      `json:"bytes"`        // of them
	Orphans     int64      `json:"orphans"`      // blobs that no record names; the server removes them in time
	OrphanBytes int64      `json:"orphan_bytes"` // of them
	Problems    []Problem  `json:"problems"`     // the first of them
	Found       int        `json:"found"`        // how many problems there are
	Repaired    int        `json:"repaired"`     // how many of them are none any more
	LastSuccess *time.Time `json:"last_success"` // end of the last full check, not busy, that found nothing it could not repair
}

// Left is how many problems there are still.
func (r *Report) Left() int { return r.Found - r.Repaired }

// Problem is something that is not as it was stored.
type Problem struct {
	// Kind is page, record, document, index, setting, log or reference, of the database
	// (damage.Finding), search, of the search index, blob, stray, of what lies among the blobs
	// and is none, or ocfl, of the storage root of OCFL.
	Kind     string     `json:"kind"`
	Table    string     `json:"table"` // of the database: table, index; of ocfl the code of the specification, "" for none
	Key      string     `json:"key"`
	Page     *int64     `json:"page"`   // of the database's file
	SHA256   string     `json:"sha256"` // of a blob, as it should be
	Fault    string     `json:"fault"`  // of a blob: missing, damaged, size, sums, misplaced or unreadable
	Reason   string     `json:"reason"`
	Files    []BlobFile `json:"files"` // whose bytes a blob has, the first of them
	Uses     int        `json:"uses"`  // how many there are
	Repaired bool       `json:"repaired"`
}

// BlobFile is a file whose bytes a blob has, and the public versions that have it: from Added
// to before Removed, none when Added is 0.
type BlobFile struct {
	File    int64  `json:"file_id"`
	Article int64  `json:"article_id"`
	Name    string `json:"name"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
}

// maxProblems is how many problems a report holds.
const maxProblems = 10_000

// New prepares checks of a data directory. Stop must follow at the end.
func New(o Options) *Checker {
	k := &Checker{Options: o}
	if k.Log == nil {
		k.Log = slog.New(slog.DiscardHandler)
	}
	k.state = load(o.Dir)
	return k
}

// Report tells how far the last check is.
func (k *Checker) Report() Report {
	k.mu.Lock()
	defer k.mu.Unlock()
	r := k.state.Report
	r.Problems = append([]Problem{}, r.Problems...)
	return r
}

// Start begins a check in the background, or goes on with one that was interrupted. While one
// runs it does nothing.
func (k *Checker) Start(ask Request) { k.start(ask, false) }

func (k *Checker) start(ask Request, scheduled bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cancel != nil && k.state.Report.State == Running || k.stopped {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	k.cancel = cancel
	k.state.begin(ask, scheduled)
	k.running.Go(func() {
		defer cancel()
		k.end(k.run(ctx, ask))
	})
}

// Interrupt ends the check that runs, and waits for that.
func (k *Checker) Interrupt() {
	k.mu.Lock()
	if k.cancel != nil {
		k.cancel()
	}
	k.mu.Unlock()
	k.running.Wait()
}

// Stop is Interrupt, and no check begins any more.
func (k *Checker) Stop() {
	k.mu.Lock()
	k.stopped = true
	k.mu.Unlock()
	k.Interrupt()
}

// Schedule begins a full check whenever the last one is as old as the options say, and goes on
// with one that was interrupted. It ends with its context; Stop must follow.
func (k *Checker) Schedule(ctx context.Context) {
	for k.Every > 0 {
		select {
		case <-time.After(k.wait(time.Now())):
			k.start(Request{Rate: k.Rate}, true)
			k.running.Wait()
		case <-ctx.Done():
			return
		}
	}
}

// A scheduled check waits a little after a start, and looks at least so often whether it is due.
const (
	checkAfterStart = time.Minute
	checkLook       = time.Hour
)

// wait is how long to wait until a check is due, or until the next look.
func (k *Checker) wait(now time.Time) time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	r := &k.state.Report
	if r.State == Stopped && r.Scheduled || k.state.LastFull.IsZero() {
		return min(checkAfterStart, k.Every)
	}
	return max(min(k.state.LastFull.Add(k.Every).Sub(now), checkLook), min(checkAfterStart, k.Every))
}

func (k *Checker) end(err error) {
	k.note(func(s *state) {
		now := time.Now().UTC().Truncate(time.Second)
		r := &s.Report
		r.State, r.Ended = Done, &now
		switch {
		case err != nil:
			r.State, r.Error = Stopped, err.Error()
		default:
			s.Stage, s.After, s.Hurt, r.Stage, r.Percent = 0, "", nil, "", 100
			if s.LastFull = now; r.Left() == 0 && !r.Busy {
				s.LastSuccess, r.LastSuccess = &now, &now
			}
		}
	})
	k.save()
	r := k.Report()
	what := []any{"busy", r.Busy, "records", r.Records, "blobs", r.Blobs, "bytes", r.Bytes, "found", r.Found, "repaired", r.Repaired}
	switch {
	case errors.Is(err, context.Canceled):
		k.Log.Info("the check of what is stored was interrupted", what...)
	case err != nil:
		k.Log.Error("cannot go on checking what is stored", append(what, "error", err)...)
	case r.Left() > 0:
		k.Log.Error("the check of what is stored has found damage; alcove check status tells what", what...)
	case r.Busy:
		k.Log.Warn("checked what is stored, but for the pages of the database: too much was written meanwhile", what...)
	default:
		k.Log.Info("checked what is stored", what...)
	}
}

func (k *Checker) found(p Problem) {
	if p.Files == nil {
		p.Files = []BlobFile{}
	}
	k.Log.Error("what is stored is damaged", "kind", p.Kind, "table", p.Table, "key", p.Key, "sha256", p.SHA256, "reason", p.Reason, "repaired", p.Repaired)
	k.note(func(s *state) {
		r := &s.Report
		r.Found++
		if p.Repaired {
			r.Repaired++
		}
		if len(r.Problems) < maxProblems {
			r.Problems = append(r.Problems, p)
		}
	})
}

// finding notes what was found in the database, and appends it to the list of what was.
func (k *Checker) finding(f damage.Finding, list []damage.Finding) []damage.Finding {
	p := Problem{Kind: f.Of, Table: f.Table(), Key: f.KeyText(), Reason: f.Reason}
	if f.Page >= 0 {
		p.Page = &f.Page
	}
	k.found(p)
	if len(list) < maxProblems {
		list = append(list, f)
	}
	return list
}

func (k *Checker) note(change func(*state)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	change(&k.state)
}

// pacer waits so that no more than rate bytes a second pass, 0 for no bound. It waits for
// some milliseconds at once, however small the pieces are.
func pacer(ctx context.Context, rate int64) func(n int) {
	next := time.Now()
	return func(n int) {
		if rate <= 0 {
			return
		}
		now := time.Now()
		if next.Before(now) {
			next = now
		}
		next = next.Add(time.Duration(float64(n) / float64(rate) * float64(time.Second)))
		if ahead := next.Sub(now); ahead > 5*time.Millisecond {
			select {
			case <-time.After(ahead):
			case <-ctx.Done():
			}
		}
	}
}

var errNoBackup = fmt.Errorf("cannot fetch bytes: no backup was named")
