package handlers

import (
	"sync"

	"alcove/record"
)

// recent keeps what was read of public files that are downloaded, range by range, until the next
// commit of anything, as pages does with answers. Its methods are safe for concurrent use.
type recent struct {
	mu      sync.RWMutex
	commits uint64 // at which what is kept was read
	files   map[int64]recentFile
}

// recentFile is a public file, which nobody may change, and whether its article switches
// downloads off.
type recentFile struct {
	file     *record.PublicFile
	disabled bool
}

// recentMost is how many files are kept, some KiB each at most.
const recentMost = 1 << 12

func (r *recent) get(commits uint64, id int64) (recentFile, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	f, ok := r.files[id]
	return f, ok && r.commits == commits
}

// put keeps a file that was read after so many commits.
func (r *recent) put(commits uint64, f recentFile) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.commits != commits || len(r.files) >= recentMost || r.files == nil {
		if commits < r.commits {
			return // somebody has read later
		}
		r.commits, r.files = commits, map[int64]recentFile{}
	}
	r.files[f.file.ID] = f
}
