package handlers

import "sync"

// cache has what was read from the store at one position, so that no answer is older than a write
// that was acknowledged before, whichever process made it. When the position has moved, or all of it
// would cost more than most, it begins anew. Its values are shared, and not modified. Its methods are
// safe for concurrent use.
type cache[K comparable, V any] struct {
	most int // set before it is used, and not changed

	mu       sync.RWMutex
	position uint64 // at which the values were read
	values   map[K]V
	cost     int // of all of them
}

// find is the value of a key, if it was read at a position.
func (c *cache[K, V]) find(position uint64, key K) (value V, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.position != position {
		return value, false
	}
	value, ok = c.values[key]
	return value, ok
}

// keep adds what was read after the store was at a position, unless there is something later, or
// it alone costs too much. The first value of a key stays.
func (c *cache[K, V]) keep(position uint64, key K, value V, cost int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if position < c.position || cost > c.most {
		return
	}
	if c.values == nil || position > c.position || c.cost+cost > c.most {
		c.position, c.values, c.cost = position, map[K]V{}, 0
	}
	if _, ok := c.values[key]; !ok {
		c.values[key] = value
		c.cost += cost
	}
}
