package handlers

import (
	"testing"
	"time"

	"alcove/blobs/archive"
)

func TestPlansAreBounded(t *testing.T) {
	laidOut := func(files int) *archiveLayout {
		layout, err := archive.New(make([]archive.Entry, files), time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		return &archiveLayout{archive: &Archive{Plan: layout}}
	}
	k := cache[archiveKey, *archiveLayout]{most: archiveCacheBytes}
	find := func(position uint64, key archiveKey) *archiveLayout {
		p, _ := k.find(position, key)
		return p
	}
	keep := func(position uint64, key archiveKey, p *archiveLayout) { k.keep(position, key, p, p.bytes()) }
	small := laidOut(50_000)
	for i := range int64(20) {
		key := archiveKey{article: i}
		keep(7, key, small)
		keep(7, key, small)
		if find(7, key) != small || k.cost > archiveCacheBytes || k.cost < len(k.values)*small.bytes() {
			t.Fatalf("after %d: %d plans, %d bytes", i, len(k.values), k.cost)
		}
	}
	last := archiveKey{article: 19}
	if keep(7, archiveKey{article: 99}, laidOut(300_000)); find(7, archiveKey{article: 99}) != nil || find(7, last) == nil {
		t.Error("one that is too large is kept")
	}
	if find(8, last) != nil || find(6, last) != nil {
		t.Error("found after a commit")
	}
	if keep(6, archiveKey{article: 98}, small); find(6, archiveKey{article: 98}) != nil || find(7, last) == nil {
		t.Error("what was read before takes the place of what was read later")
	}
	if keep(8, archiveKey{article: 98}, small); find(8, last) != nil || len(k.values) != 1 {
		t.Error("kept over a commit")
	}
}
