package library

import (
	"container/list"
	"sync"

	"alcove/site/preview"
)

// outcome is what came of a file: a preview, or why there is none.
type outcome struct {
	preview *preview.Preview // not changed any more
	err     error
}

// memory has the outcomes that were asked for last, up to a number and a size. It is not on the disk: after
// a start a file that fails costs once more what a child may take, and a program that was brought up to
// date may read what the one before could not.
type memory struct {
	mu    sync.Mutex
	order list.List // of keys, what was asked for last in front
	known map[string]*remembered
	size  int
}

type remembered struct {
	outcome
	size int
	at   *list.Element
}

const (
	outcomesMost = 1000
	outcomeBytes = 16 << 20 // of all, as JSON; in memory they take some times as much
	outcomeSize  = 512      // of one besides its preview
)

func (m *memory) find(key string) (outcome, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.known[key]
	if r == nil {
		return outcome{}, false
	}
	m.order.MoveToFront(r.at)
	return r.outcome, true
}

func (m *memory) keep(key string, o outcome, size int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = map[string]*remembered{}
	}
	m.forget(key)
	size += outcomeSize
	m.known[key], m.size = &remembered{o, size, m.order.PushFront(key)}, m.size+size
	for len(m.known) > outcomesMost || m.size > outcomeBytes {
		m.forget(m.order.Back().Value.(string))
	}
}

func (m *memory) forget(key string) {
	if r := m.known[key]; r != nil {
		m.order.Remove(r.at)
		m.size -= r.size
		delete(m.known, key)
	}
}
