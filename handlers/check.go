package handlers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"alcove/blobs"
	"alcove/bucket"
	"alcove/record"
)

// Checker reads again what a data directory holds, record by record and blob by blob, and names
// what is damaged. One check runs at a time; its report stays until the next.
type Checker struct {
	db    *bucket.DB
	blobs *blobs.Store

	mu      sync.Mutex
	report  CheckReport
	cancel  context.CancelFunc // nil before the first check
	stopped bool
	running sync.WaitGroup
}

// The states of a check.
const (
	CheckNever   = "never"   // none was asked for since the server started
	CheckRunning = "running" // with what was found until now
	CheckDone    = "done"
	CheckStopped = "stopped" // before its end
)

// CheckReport is how far a check is and what it has found.
type CheckReport struct {
	State    string         `json:"state"`
	Error    string         `json:"error"` // why it stopped
	Started  time.Time      `json:"started"`
	Ended    *time.Time     `json:"ended"`
	Records  int64          `json:"records"`  // that were read
	Blobs    int64          `json:"blobs"`    // that were read
	Bytes    int64          `json:"bytes"`    // of them
	Problems []CheckProblem `json:"problems"` // the first of them
	Found    int            `json:"found"`    // how many problems there are
}

// CheckProblem is something that is not as it was stored: a record, or a blob with the files
// whose bytes it has.
type CheckProblem struct {
	Kind   string     `json:"kind"`   // record or blob
	Table  string     `json:"table"`  // of a record
	Key    string     `json:"key"`    // of a record
	SHA256 string     `json:"sha256"` // of a blob, as it should be
	Reason string     `json:"reason"`
	Files  []BlobFile `json:"files"` // the first of them
	Uses   int        `json:"uses"`  // how many there are
}

// BlobFile is a file whose bytes a blob has.
type BlobFile struct {
	File    int64  `json:"file_id"`
	Article int64  `json:"article_id"`
	Name    string `json:"name"`
}

// maxProblems is how many problems a report holds.
const maxProblems = 10_000

// NewChecker prepares checks of a store and its blobs. Stop must follow at the end.
func NewChecker(db *bucket.DB, b *blobs.Store) *Checker {
	return &Checker{db: db, blobs: b, report: CheckReport{State: CheckNever, Problems: []CheckProblem{}}}
}

// Report tells how far the last check is.
func (k *Checker) Report() CheckReport {
	k.mu.Lock()
	defer k.mu.Unlock()
	r := k.report
	r.Problems = append([]CheckProblem{}, r.Problems...)
	return r
}

// Start begins a check in the background, at most rate bytes of blobs a second, 0 for no bound.
// While one runs it does nothing.
func (k *Checker) Start(rate int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.report.State == CheckRunning || k.stopped {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	k.cancel = cancel
	k.report = CheckReport{State: CheckRunning, Started: time.Now().UTC().Truncate(time.Second), Problems: []CheckProblem{}}
	k.running.Go(func() {
		defer cancel()
		k.end(k.run(ctx, rate))
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

func (k *Checker) end(err error) {
	k.note(func(r *CheckReport) {
		now := time.Now().UTC().Truncate(time.Second)
		r.State, r.Ended = CheckDone, &now
		if err != nil {
			r.State, r.Error = CheckStopped, err.Error()
		}
	})
}

// run checks everything. A panic, as damage in the middle of a page of the store can bring
// about, ends the check and not the server.
func (k *Checker) run(ctx context.Context, rate int64) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("cannot go on checking: %v", p)
		}
	}()
	read, err := k.db.Verify(ctx, func(d *bucket.DamagedError) {
		k.found(CheckProblem{Kind: "record", Table: d.Table(), Key: d.KeyText(), Reason: d.Reason})
	})
	k.note(func(r *CheckReport) { r.Records = read })
	if err != nil {
		return err
	}
	pace := pacer(ctx, rate)
	for after := ""; ; {
		var list []bucket.BlobUse
		err := k.db.View(func(tx *bucket.Tx) error {
			list = bucket.BlobsAfter(tx, after, 200)
			return nil
		})
		if err != nil || len(list) == 0 {
			return err
		}
		for _, use := range list {
			if err := k.blob(ctx, use, pace); err != nil {
				return err
			}
		}
		after = list[len(list)-1].SHA256
	}
}

// blob reads a blob and compares it with what the files say that name it. It fails only when
// the check ends.
func (k *Checker) blob(ctx context.Context, use bucket.BlobUse, pace func(int)) error {
	files, want := k.files(use)
	if want == nil {
		return nil // they are gone since, not finished, or damaged and named as such
	}
	ref, err := blobs.ParseRef(use.SHA256)
	var sums blobs.Sums
	if err == nil {
		sums, err = k.blobs.Verify(ctx, ref, pace)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if _, still := k.files(use); still == nil {
			return nil // the last of its files was deleted meanwhile
		}
	}
	k.note(func(r *CheckReport) {
		r.Blobs++
		r.Bytes += sums.Size
	})
	if reason := wrong(want, sums, err); reason != "" {
		k.found(CheckProblem{Kind: "blob", SHA256: use.SHA256, Reason: reason, Files: files, Uses: use.Uses})
	}
	return nil
}

// wrong says what is wrong with a blob, nothing when it is as its record says.
func wrong(want *record.File, sums blobs.Sums, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it is missing"
	case err != nil && sums.Size > 0 && sums.Size != want.Size:
		return fmt.Sprintf("it has %d bytes and should have %d", sums.Size, want.Size)
	case errors.Is(err, blobs.ErrDamaged) && sums.Size == want.Size:
		return fmt.Sprintf("its SHA-256 is %s", sums.SHA256)
	case err != nil:
		return err.Error()
	case sums.Size != want.Size:
		return fmt.Sprintf("it has %d bytes, recorded are %d", sums.Size, want.Size)
	case sums.MD5.String() != want.MD5:
		return fmt.Sprintf("its MD5 is %s, recorded is %s", sums.MD5, want.MD5)
	case sums.CRC32 != want.CRC32:
		return fmt.Sprintf("its CRC-32 is %08x, recorded is %08x", sums.CRC32, want.CRC32)
	}
	return ""
}

// files are the files that name a blob, as far as they can be read, and the first finished one.
func (k *Checker) files(use bucket.BlobUse) (list []BlobFile, finished *record.File) {
	list = []BlobFile{}
	_ = k.db.View(func(tx *bucket.Tx) error {
		for _, id := range use.Files {
			f, err := bucket.Files.Get(tx, id)
			if err != nil || f.SHA256 != use.SHA256 {
				continue
			}
			list = append(list, BlobFile{f.ID, f.ArticleID, f.Name})
			if finished == nil && f.Finished() {
				finished = f
			}
		}
		return nil
	})
	return list, finished
}

func (k *Checker) found(p CheckProblem) {
	if p.Files == nil {
		p.Files = []BlobFile{}
	}
	k.note(func(r *CheckReport) {
		if r.Found++; len(r.Problems) < maxProblems {
			r.Problems = append(r.Problems, p)
		}
	})
}

func (k *Checker) note(change func(*CheckReport)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	change(&k.report)
}

// pacer waits so that no more than rate bytes a second pass, 0 for no bound.
func pacer(ctx context.Context, rate int64) func(n int) {
	next := time.Now()
	return func(n int) {
		if rate <= 0 {
			return
		}
		if now := time.Now(); next.Before(now) {
			next = now
		}
		next = next.Add(time.Duration(float64(n) / float64(rate) * float64(time.Second)))
		select {
		case <-time.After(time.Until(next)):
		case <-ctx.Done():
		}
	}
}
