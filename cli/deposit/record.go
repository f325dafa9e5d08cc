package deposit

import (
	"errors"
	"fmt"
	"time"
)

// The state file holds one record a line, each synced before the next request:
//
//	{"op":"deposit","format":1,"server":"https://…"}     the first line
//	{"op":"create","line":ID,"hash":…,"title":…,"at":…}  about to create
//	{"op":"created","line":ID,"article":N}               it exists
//	{"op":"not-created","line":ID}                       it certainly does not
//	{"op":"file","line":ID,"n":0,"name":…,"size":…,"md5":…}
//	{"op":"file-created","line":ID,"n":0,"file":N}
//	{"op":"file-gone","line":ID,"n":0}                   no such file, any more
//	{"op":"file-done","line":ID,"n":0}                   available, md5 equal
//	{"op":"publish","line":ID}  {"op":"published","line":ID}
//	{"op":"not-published","line":ID}  {"op":"done","line":ID}
//	{"op":"step","line":ID,"step":NAME}                  done, and need not be again
//	{"op":"again","line":ID}                             the article lacks something
//	{"op":"gone","line":ID}                              the server has no such article
//	{"op":"changed","line":ID,"hash":…,"title":…,"version":N,"step":…}  more is to be done, beyond that public version
//	{"op":"sum","folder":…,"name":…,"size":…,"modified":…,"md5":…}  of a local file, so that it need not be read again
//
// The item of a folder is the line "item". Its files have the numbers that they got when they were first announced.
//
// "created" and "step" hold the warnings of the server, "published" what the article
// waits for if it is not public.
//
// A last line without its line feed is what a crash in the middle of a write
// leaves; it is cut off. Any other line that cannot be read is an error.
const (
	opHeader       = "deposit"
	opCreate       = "create"
	opCreated      = "created"
	opNotCreated   = "not-created"
	opFile         = "file"
	opFileCreated  = "file-created"
	opFileGone     = "file-gone"
	opFileDone     = "file-done"
	opPublish      = "publish"
	opPublished    = "published"
	opNotPublished = "not-published"
	opDone         = "done"
	opStep         = "step"
	opAgain        = "again"
	opGone         = "gone"
	opChanged      = "changed"
	opSum          = "sum"
)

// stateFormat is that of the files that are written. Files of format 1 have no warnings, those of format 2 know
// nothing of folders; both are read as well.
const stateFormat = 3

// record is one line of the state file.
type record struct {
	Op      string    `json:"op"`
	Format  int       `json:"format,omitzero"`
	Server  string    `json:"server,omitzero"`
	Line    string    `json:"line,omitzero"`  // the id of the line
	Hash    string    `json:"hash,omitzero"`  // of the line
	Title   string    `json:"title,omitzero"` // its hash, see titleHash
	At      time.Time `json:"at,omitzero"`    // when announced, our clock
	Since   time.Time `json:"since,omitzero"` // the same moment by the server's clock, or a little before
	Article int64     `json:"article,omitzero"`
	N       int       `json:"n,omitzero"` // index in "files"
	File    int64     `json:"file,omitzero"`
	Name    string    `json:"name,omitzero"`
	Size    int64     `json:"size,omitzero"`
	MD5     string    `json:"md5,omitzero"`
	Folder  string    `json:"folder,omitzero"`   // of the file in the article
	Changed time.Time `json:"modified,omitzero"` // of the local file
	Version int64     `json:"version,omitzero"`  // that was public before

	Step     string   `json:"step,omitzero"`
	Warnings []string `json:"warnings,omitempty"`
	Waits    waiting  `json:"waits,omitzero"`
}

// entry is what the records of one line add up to.
type entry struct {
	line, hash, title string
	at, since         time.Time // of the last announcement to create
	creating          bool      // announced, result unknown
	article           int64     // 0 until known
	files             map[int]fileEntry
	publishing        bool
	publishAt         time.Time
	version           int64 // that was public before
	published         bool
	waits             waiting
	done              bool
	steps             map[string]bool // that were done
	warnings          []string        // of the server so far
}

func newEntry(line string) *entry {
	return &entry{line: line, files: map[int]fileEntry{}, steps: map[string]bool{}}
}

// did notes a step, and what the server warned of.
func (e *entry) did(rec record) {
	if rec.Step != "" {
		e.steps[rec.Step] = true
	}
	e.warnings = append(e.warnings, rec.Warnings...)
}

// fileEntry is the part of an entry about one of its files.
type fileEntry struct {
	name     string
	folder   string
	size     int64
	md5      string
	at       time.Time
	creating bool
	id       int64 // 0 until known
	done     bool
}

// begun tells whether the server may hold something of this line.
func (e entry) begun() bool { return e.creating || e.article != 0 }

// changed is the error for a line that differs from the one that was begun.
func (e entry) changed() error {
	if e.article != 0 {
		return fmt.Errorf("the line changed since it was deposited as article %d; give it another key to deposit it again", e.article)
	}
	return errors.New("the line changed since its deposit began, and whether its article exists is not known; restore the line and run again")
}
