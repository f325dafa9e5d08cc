// Package jobs is the work that no request does: what was uploaded is checked, thumbnails are made,
// embargoes end, abandoned uploads go, damaged records are repaired, counts, accesses and sessions are stored,
// mails are sent, DOIs registered, what is public is kept as OCFL.
// Each job is a goroutine that reads from the store what is due, so that it goes on after a restart
// where it was; requests only wake it, and wait for a repair at most.
package jobs

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"alcove/auth"
	"alcove/blobs"
	"alcove/blobs/thumbs"
	"alcove/bucket"
	"alcove/bucket/damage"
	"alcove/check"
	"alcove/handlers/items"
	"alcove/jobs/doi"
	"alcove/jobs/ocfl"
	"alcove/record"
	"alcove/uploads"
)

// Limits are the bounds that the configuration sets.
type Limits struct {
	UploadExpiry time.Duration // age at which an upload that is not completed is dropped, 0 for never
	SweepShare   int           // how many percent of all blobs may be removed at a time
	SweepGrace   time.Duration // for how long bytes stay that no record names
	AccessesKeep time.Duration // for how long requests are stored
}

// Options are what jobs work with.
type Options struct {
	DB          *bucket.DB
	Blobs       blobs.Store
	Uploads     *uploads.Staging
	Thumbs      *thumbs.Store
	Auth        *auth.Service
	Limits      Limits
	Log         *slog.Logger
	FromBackups damage.Source // of records that are damaged here, nil where there are none
	SMTP        SMTP          // how mails are sent
	DOIs        *doi.Service  // nil where none are registered
	OCFL        *ocfl.Service // nil where there is no storage root
	Countries   *Countries    // nil where no file tells them
	LinkAddress func(secret string) string
}

// Jobs are all of them. Its methods are safe for concurrent use.
type Jobs struct {
	Options
	Items *items.Service // set before Start
	// Letter is what a mail says, with the address of its one-time link, or what a notice is about, nil for another
	// mail; set before Start.
	Letter func(m *record.Mail, address string, n *items.Notice) (subject, text string)

	context  context.Context // ends with Close
	stop     context.CancelFunc
	running  sync.WaitGroup
	checking [len(checkQueues)]chan struct{} // wake the integrity checks
	pictures chan struct{}                   // wakes the making of thumbnails
	ending   chan struct{}                   // wakes the end of embargoes
	repairs  *repairs
	uses     *usageCounter
	accesses *accessLog
	outbox   Outbox
}

// New prepares the jobs; all that requests hand over waits until Start.
func New(o Options) *Jobs {
	j := &Jobs{
		Options: o, pictures: make(chan struct{}, 1), ending: make(chan struct{}, 1),
		repairs: newRepairs(), uses: newUsageCounter(o.Countries), accesses: newAccessLog(),
	}
	for n := range j.checking {
		j.checking[n] = make(chan struct{}, 1)
	}
	j.context, j.stop = context.WithCancel(context.Background())
	return j
}

// wake lets the job go on that waits at a channel, at once or when it has done what it is at.
func wake(job chan struct{}) {
	select {
	case job <- struct{}{}:
	default:
	}
}

// Start begins the jobs. It does not wait.
func (j *Jobs) Start() {
	for n := range checkQueues {
		j.background("integrity checks", j.checkUploads(n))
	}
	j.background("thumbnails", j.makeThumbs)
	j.background("thumbnails of deleted files", j.sweepThumbs)
	j.background("embargoes", j.endEmbargoes)
	j.background("repairs", j.repairRecords)
	j.background("counts", j.storeCounts)
	j.background("accesses", j.storeAccesses)
	j.background("sessions", j.keepSessions)
	j.background("mail", j.sendMails)
	if j.DOIs != nil {
		if err := j.DOIs.Begin(j.context); err != nil {
			j.Log.Error("cannot begin to register DOIs", "error", err)
		}
		j.background("DOIs", j.DOIs.Run)
	}
	if j.OCFL != nil {
		j.background("storage root of OCFL", j.OCFL.Run)
	}
	j.background("rendering", j.renderStale)
	j.background("upload expiry", j.expireUploads)
	sweeper := &check.Sweeper{DB: j.DB, Blobs: j.Blobs, Grace: j.Limits.SweepGrace, Share: j.Limits.SweepShare, Log: j.Log}
	j.background("bytes that nothing needs", sweeper.Run)
}

// renderAfter is how long after a start documents are looked for that were rendered under other
// settings. All documents are read for that, so the first requests come before it; until then such a
// document is rendered for each answer that shows it.
const renderAfter = 10 * time.Second

func (j *Jobs) renderStale(ctx context.Context) {
	select {
	case <-time.After(renderAfter):
		j.Items.RenderStale(ctx)
	case <-ctx.Done():
	}
}

// keepSessions stores when sessions were used and removes those that have ended, until its context ends.
func (j *Jobs) keepSessions(ctx context.Context) {
	j.Auth.Run(ctx, func(err error) { j.Log.Error("cannot keep the sessions", "error", err) })
}

// Close ends the work in the background and waits for it.
func (j *Jobs) Close() {
	j.stop()
	j.running.Wait()
}

// background runs work until it returns. A panic is logged and the work begins again,
// at most once a second. Work that comes to run only when all ends still stores what waits.
func (j *Jobs) background(name string, work func(context.Context)) {
	j.running.Go(func() {
		for !j.survives(name, work) && j.context.Err() == nil {
			select {
			case <-time.After(time.Second):
			case <-j.context.Done():
			}
		}
	})
}

func (j *Jobs) survives(name string, work func(context.Context)) (ended bool) {
	defer func() {
		if p := recover(); p != nil {
			j.Log.Error("panic in the background", "work", name, "panic", p)
		}
	}()
	work(j.context)
	return true
}
