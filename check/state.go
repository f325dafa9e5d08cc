package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// FileName is where, in the data directory, the state of checks is kept. It is derived: without
// it the next check begins at the beginning.
const FileName = "check.json"

// state is what has to outlive a restart.
type state struct {
	Report      Report     `json:"report"`
	Stage       int        `json:"stage"` // of a check that was interrupted
	After       string     `json:"after"` // the last blob that it has read
	Hurt        []string   `json:"hurt"`  // buckets of the database that cannot be read
	LastFull    time.Time  `json:"last_full"`
	LastSuccess *time.Time `json:"last_success"`
}

// begin prepares a check, a new one unless the last one was interrupted.
func (s *state) begin(ask Request, scheduled bool) {
	now := time.Now().UTC().Truncate(time.Second)
	r := &s.Report
	if r.State == Stopped && !ask.Restart && !ask.Repair {
		r.State, r.Error, r.Ended = Running, "", nil
		r.Resumed++
		return
	}
	s.Stage, s.After, s.Hurt = 0, "", nil
	s.Report = Report{State: Running, Started: now, Scheduled: scheduled, Problems: []Problem{}, LastSuccess: s.LastSuccess}
}

// maxCheckFile bounds what is read of a state, in bytes.
const maxCheckFile = 64 << 20

// load reads the state of a data directory. One that cannot be read is that of no check.
func load(dir string) (s state) {
	none := state{Report: Report{State: Never, Problems: []Problem{}}}
	f, err := os.Open(filepath.Join(dir, FileName))
	if err != nil {
		return none
	}
	defer f.Close()
	if err := json.NewDecoder(io.LimitReader(f, maxCheckFile)).Decode(&s); err != nil || s.Stage < 0 || s.Stage >= len(stages) {
		return none
	}
	if s.Report.State == Running { // the process has ended meanwhile
		s.Report.State, s.Report.Error = Stopped, "the program ended"
	}
	if s.Report.Problems == nil {
		s.Report.Problems = []Problem{}
	}
	return s
}

// saveEvery is how often the state of a check that runs is written.
const saveEvery = 5 * time.Second

func (k *Checker) saveSometimes() {
	if time.Since(k.saved) > saveEvery {
		k.save()
	}
}

// save writes the state. An error costs no more than that the next check begins earlier.
func (k *Checker) save() {
	k.saved = time.Now()
	k.mu.Lock()
	b, err := json.Marshal(&k.state)
	k.mu.Unlock()
	if err == nil {
		err = replaceFile(filepath.Join(k.Dir, FileName), b)
	}
	if err != nil {
		k.Log.Warn("cannot keep how far the check is", "error", err)
	}
}

// replaceFile writes a file under another name first, so that it is there as a whole or as it was.
func replaceFile(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-check-*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

// Last is the report of the last check of a data directory that no server uses.
func Last(dir string) Report { return load(dir).Report }
