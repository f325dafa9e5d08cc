package handlers

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/bucket/users"
	"alcove/handlers/accounts"
	"alcove/index"
	"alcove/jobs"
	"alcove/jobs/ocfl"
	"alcove/record"
)

// Machine is what the program knows beside the store: where it runs, and what it does in the background.
type Machine struct {
	Version     string
	DiskFree    int64     // bytes for uploads, -1 for unknown
	TLS         bool      // this server has a certificate
	Certificate time.Time // its end, zero for unknown

	CheckEvery    time.Duration // of those that the server makes itself, 0 for none
	CheckRunning  bool
	CheckSuccess  time.Time // end of the last full check that left nothing, zero for none
	CheckProblems int

	BackupEvery   time.Duration // of those that the server makes itself, 0 for none
	BackupSuccess time.Time
	BackupWhole   bool          // nothing was missing in it
	BackupError   string        // of the last try, "" when it went well
	DrillEvery    time.Duration // 0 where the server tries none
	DrillSuccess  time.Time
	DrillError    string

	Mails bool // mail is configured
}

// Condition is how the repository is.
type Condition struct {
	Machine
	DiskReserve int64 // bytes that uploads leave free
	Stopped     bool  // the store takes no writes
	Lag         time.Duration
	LagChanges  uint64 // that searches do not see yet
	Building    bool   // an index is being rebuilt
	Failing     string // why an index does not follow, "" where both do
	Mail        jobs.MailFigures
	DOIs        DOIWork
	Mirrors     MirrorFigures
	OCFL        *ocfl.Figures // nil where no copy as OCFL is kept
	Uploads     int64         // that have begun and are not complete
	Now         time.Time
}

// Condition is how the repository is now.
func (a *API) Condition() (c Condition, err error) {
	c = Condition{Machine: Machine{DiskFree: -1}, DiskReserve: a.DiskReserve(), Stopped: a.DB.Stopped(), Now: a.DB.Time()}
	if a.Machine != nil {
		c.Machine = a.Machine()
	}
	for _, r := range a.Index.Reports() {
		c.LagChanges = max(c.LagChanges, r.Lag)
		c.Lag = max(c.Lag, time.Duration(r.Seconds*float64(time.Second)))
		c.Building = c.Building || r.State == index.Building
		if r.State == index.Failing {
			c.Failing = cmp.Or(r.Problem, r.State)
		}
	}
	open, err := a.Jobs.OpenUploads()
	if err != nil {
		return c, err
	}
	c.Uploads = int64(open)
	if c.Mail, err = a.Jobs.MailFigures(); err != nil {
		return c, err
	}
	if c.Mirrors, err = a.MirrorFigures(); err != nil {
		return c, err
	}
	if a.OCFL != nil {
		f, err := a.OCFL.Figures()
		if err != nil {
			return c, err
		}
		c.OCFL = &f
	}
	c.DOIs, err = a.DOIWork()
	return c, err
}

// MirrorFigures are how many mirrors there are, and how many of them failed when they were last looked at.
type MirrorFigures struct{ All, Failing int }

// MirrorFigures reads all mirrors, which are 10,000 at most.
func (a *API) MirrorFigures() (f MirrorFigures, err error) {
	err = a.DB.View(func(tx *bucket.Tx) error {
		for row, err := range exchange.Mirrors.All(tx, nil) {
			if err != nil {
				return err
			}
			if f.All++; row.Record.Failure != "" {
				f.Failing++
			}
		}
		return nil
	})
	return f, err
}

// Stored is who keeps how much.
type Stored struct {
	At   time.Time  // when it was counted
	List []StoredBy // who keeps most first
}

// StoredBy is what an account keeps.
type StoredBy struct {
	Account, Group int64
	Name           string
	Bytes, Public  int64 // all, and those of them in public versions
	Quota          int64 // 0 for no limit
}

// storedEvery is how long such a count is shown: it reads every account, which takes a tenth of a second for 10,000.
const storedEvery = 5 * time.Minute

// storedBytes is the last count.
type storedBytes struct {
	mu   sync.Mutex
	last *Stored
}

// Stored counts who keeps how much, at most every few minutes.
func (a *API) Stored() (*Stored, error) {
	a.stored.mu.Lock()
	defer a.stored.mu.Unlock()
	now := a.DB.Time()
	if last := a.stored.last; last != nil && now.Sub(last.At).Abs() < storedEvery {
		return last, nil
	}
	s := &Stored{At: now}
	err := a.DB.View(func(tx *bucket.Tx) error {
		for hit := range users.AccountsByInstitution.Ascending(tx, bucket.SortKey(int64(accounts.InstitutionID))) {
			acc, err := users.Accounts.Get(tx, hit.Key)
			if err != nil {
				return err
			}
			if acc.Used() > 0 {
				s.List = append(s.List, StoredBy{acc.ID, acc.GroupID, nameOf(acc), acc.Used(), acc.UsedPublic, a.Items.Quota(acc)})
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(s.List, func(x, y StoredBy) int { return cmp.Compare(y.Bytes, x.Bytes) })
	a.stored.last = s
	return s, nil
}

func nameOf(a *record.Account) string {
	return cmp.Or(strings.TrimSpace(a.FirstName+" "+a.LastName), a.Email)
}
