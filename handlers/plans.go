package handlers

import "sync"

// plans keeps archives of public versions of which ranges were asked for, until the next commit of
// anything, as recent does with files: to lay an archive out reads the records of all files. Who
// may have one is asked each time. Its methods are safe for concurrent use.
type plans struct {
	mu      sync.Mutex
	commits uint64 // at which what is kept was read
	kept    map[planKey]*plan
	cost    int
}

// planKey is a public version and a folder of it, empty for all.
type planKey struct {
	article int64
	version int
	folder  string
}

// plan is an archive, which nobody may change, with its entity tag.
type plan struct {
	archive *Archive
	tag     string
}

// plansMost is about how many bytes all plans take: enough for an archive of 100,000 files.
const plansMost = 24 << 20

// bytes is about how much memory a plan takes.
func (p *plan) bytes() (n int) {
	for i := range p.archive.Len() {
		n += 128 + len(p.archive.Name(i))
	}
	return n
}

func (k *plans) find(commits uint64, key planKey) *plan {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.commits != commits {
		return nil
	}
	return k.kept[key]
}

// keep keeps a plan that was read after so many commits.
func (k *plans) keep(commits uint64, key planKey, p *plan) {
	cost := p.bytes()
	k.mu.Lock()
	defer k.mu.Unlock()
	if commits < k.commits || cost > plansMost {
		return // somebody has read later
	}
	if k.commits != commits || k.cost+cost > plansMost || k.kept == nil {
		k.commits, k.kept, k.cost = commits, map[planKey]*plan{}, 0
	}
	if k.kept[key] == nil {
		k.kept[key], k.cost = p, k.cost+cost
	}
}
