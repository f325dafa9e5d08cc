package handlers

import "sync"

// cache keeps what was read from the store until the next commit of anything, so nobody
// ever gets what was true before a write that was acknowledged. It begins anew when all of it
// would cost more than most. Several may read what is kept at once, and nobody may change it. Its
// methods are safe for concurrent use.
type cache[K comparable, V any] struct {
	most int // set before it is used, and not changed

	mu      sync.RWMutex
	commits uint64 // at which what is kept was read
	kept    map[K]V
	cost    int // of all that is kept
}

// find is what was kept for a key, if it was read after so many commits.
func (u *cache[K, V]) find(commits uint64, key K) (value V, ok bool) {
	u.mu.RLock()
	defer u.mu.RUnlock()
	if u.commits != commits {
		return value, false
	}
	value, ok = u.kept[key]
	return value, ok
}

// keep keeps what was read after so many commits, unless something was read later, or it alone
// costs too much. The first that is kept for a key stays.
func (u *cache[K, V]) keep(commits uint64, key K, value V, cost int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if commits < u.commits || cost > u.most {
		return
	}
	if u.kept == nil || commits > u.commits || u.cost+cost > u.most {
		u.commits, u.kept, u.cost = commits, map[K]V{}, 0
	}
	if _, ok := u.kept[key]; !ok {
		u.kept[key] = value
		u.cost += cost
	}
}
