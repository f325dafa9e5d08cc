package main

import (
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// verify reads back what the server has, after a restart and without writers: all items when
// whole is set, otherwise those that were touched since they were last verified and some more.
// Writes in doubt are known afterwards. A wrong item is noted, and then taken as it is.
func (o *oracle) verify(base string, whole bool) {
	transport := newTransport()
	defer transport.CloseIdleConnections()
	var all sync.WaitGroup
	for _, w := range o.writers {
		w.c = &client{base, w.token, transport}
		all.Go(func() {
			w.findCreated()
			for _, it := range w.items {
				if it.id != 0 && (whole || it.dirty || w.r.IntN(len(w.items)) < 4) {
					w.verify(it)
				}
			}
			w.forget()
		})
	}
	all.Wait()
	if stranger := (&client{base: base, http: transport}); !o.shared {
		o.verifyPublic(stranger, articles)
		o.verifyPublic(stranger, collections)
	}
}

// pageSize is how many items a list is asked for.
const pageSize = 1000

// pages are the items of a list, up to so many pages of it.
func (c *client) pages(path string, most int) (list []listed, whole bool, err error) {
	for p := 1; p <= most; p++ {
		page, err := c.list(fmt.Sprintf("%s?page_size=%d&page=%d", path, pageSize, p))
		if err != nil {
			return list, false, err
		}
		if list = append(list, page...); len(page) < pageSize {
			return list, true, nil
		}
	}
	return list, false, nil
}

// findCreated looks which items were made by requests that got no answer, and that the
// owner's lists hold what they must, and nothing else.
func (w *writer) findCreated() {
	for _, kind := range []string{articles, collections} {
		list, whole, err := w.c.pages("/account/"+kind, 3)
		if err != nil {
			w.o.found(wrong, nil, "an own list cannot be read: %v", err)
			continue
		}
		there, marks := map[int64]bool{}, map[string]*item{}
		for _, it := range w.items {
			if it.kind == kind {
				marks[it.mark] = it
			}
		}
		for _, l := range list {
			if there[l.ID] {
				w.o.found(wrong, nil, "%s %d is listed twice", kind, l.ID)
			}
			there[l.ID] = true
			if it := marks[l.mark()]; it == nil {
				w.o.found(wrong, nil, "the list of writer %d has %s %d, %q, which nobody made", w.no, kind, l.ID, l.Title)
			} else if it.id == 0 {
				it.id = l.ID
			} else if it.id != l.ID {
				w.o.found(wrong, it, "it is listed as %d", l.ID)
			}
		}
		for _, it := range w.items {
			if whole && it.kind == kind && it.id != 0 && !it.now.Gone && it.doubt == nil && !there[it.id] {
				w.o.found(lost, it, "it is not in the list of its owner")
			}
		}
	}
}

// forget drops what is gone, and what was never made.
func (w *writer) forget() {
	w.items = slices.DeleteFunc(w.items, func(it *item) bool { return it.id == 0 || it.now.Gone })
}

// verify reads one item and everything that shows it.
func (w *writer) verify(it *item) {
	before := w.o.badNow()
	got, err := w.observe(it)
	if err != nil {
		w.o.found(w.blame(it), it, "it cannot be read: %v", err)
		it.dirty, it.doubt = false, nil
		return
	}
	w.resolve(it, got)
	w.verifyFiles(it)
	if !it.now.Gone {
		w.verifyVersions(it)
		w.verifySearch(it)
	}
	it.dirty = false
	if w.o.badNow() == before {
		w.o.count(func(t *tally) { t.Verified++ })
	}
}

func (o *oracle) badNow() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.tally.bad()
}

// blame is what a wrong state of an item is: with a write in doubt it may be half of that.
func (w *writer) blame(it *item) fault {
	if it.doubt != nil {
		return half
	}
	return lost
}

// resolve takes the item as read for its state, if that is one of those that it may be in.
func (w *writer) resolve(it *item, got state) {
	text := got.text()
	switch {
	case text == it.now.text():
		it.unclear = it.unclear || it.doubt != nil && it.doubt.text() == text
	case it.doubt != nil && text == it.doubt.text():
		it.note(w.o, "the last write was done")
		w.o.isDone(it)
		it.now = *it.doubt
	case slices.Contains(it.past, text):
		w.o.found(lost, it, "it is as it was before acknowledged writes:\n  it is     %s\n  it must be %s", text, it.now.text())
	default:
		may := ""
		if it.doubt != nil {
			may = "\n  or        " + it.doubt.text()
		}
		w.o.found(w.blame(it), it, "it is not as it must be:\n  it is     %s\n  it must be %s%s", text, it.now.text(), may)
	}
	it.doubt = nil
	if text != it.now.text() {
		keepVersions := it.now.Versions
		it.now = got
		it.now.Versions = keepVersions
		return
	}
	for i := range it.now.Files {
		it.now.Files[i].ID, it.now.Files[i].Upload = got.Files[i].ID, got.Files[i].Upload
	}
	for i := range it.now.Links {
		it.now.Links[i].Token = got.Links[i].Token
	}
}

// verifyFiles compares the bytes of files, and those of the parts of uploads, which only
// the data directory shows.
func (w *writer) verifyFiles(it *item) {
	for i := range it.now.Files {
		f := &it.now.Files[i]
		if f.Status == "created" {
			w.verifyUpload(it, f)
			continue
		}
		if !it.dirty && w.r.IntN(4) > 0 {
			continue
		}
		a, err := w.c.call("GET", fmt.Sprintf("%s/files/%d", w.c.base, f.ID), nil)
		if err != nil || a.status != http.StatusOK {
			w.o.found(lost, it, "the bytes of %s cannot be read: %d %.200s %v", f.Name, a.status, a.body, err)
			continue
		}
		if sum := md5.Sum(a.body); hex.EncodeToString(sum[:]) != f.MD5 {
			w.o.found(lost, it, "the bytes of %s are not those that were sent", f.Name)
		}
	}
}

// verifyUpload holds the parts of an upload against what was acknowledged and against the
// staged file: what is said to be complete must be there.
func (w *writer) verifyUpload(it *item, f *file) {
	u, err := w.c.upload(f.Upload)
	if err != nil || len(u.Parts) != len(f.Parts) {
		w.o.found(lost, it, "the upload of %s cannot be read: %v", f.Name, err)
		return
	}
	for i, p := range u.Parts {
		complete := p.Status == "COMPLETE"
		switch {
		case f.Parts[i].acked && !complete:
			w.o.found(lost, it, "part %d of %s was acknowledged and is %s", p.No, f.Name, p.Status)
		case !f.Parts[i].sent && complete:
			w.o.found(wrong, it, "part %d of %s was never sent and is %s", p.No, f.Name, p.Status)
		}
		if complete {
			if err := w.stagedPart(u.Token, f, p.Start, p.End); err != nil {
				w.o.found(lost, it, "part %d of %s is said to be complete: %v", p.No, f.Name, err)
				complete = false
			}
		}
		if complete && !f.Parts[i].acked && !f.Parts[i].again {
			it.note(w.o, "part %d of %s was done", p.No, f.Name)
			w.o.isDone(it)
		}
		f.Parts[i] = part{sent: complete, acked: complete}
	}
}

func (w *writer) stagedPart(token string, f *file, start, end int64) error {
	staged, err := os.Open(filepath.Join(w.o.dir, "uploads", token))
	if err != nil {
		return errors.New("its file is not there")
	}
	defer staged.Close()
	b := make([]byte, end-start+1)
	if _, err := staged.ReadAt(b, start); err != nil {
		return fmt.Errorf("its bytes are not there: %w", err)
	}
	if !f.sameBytes(b, start) {
		return errors.New("its bytes are not those that were sent")
	}
	return nil
}

// verifyVersions reads what is public of the item.
func (w *writer) verifyVersions(it *item) {
	stranger := &client{base: w.c.base, http: w.c.http}
	last := len(it.now.Versions)
	if last != it.now.Version {
		return // it was found wrong already
	}
	if last == 0 {
		if _, _, err := stranger.published(it, 0); !absent(err) {
			w.o.found(wrong, it, "it was never published, and is public: %v", err)
		}
		return
	}
	for n := max(1, last-2); n <= last+1; n++ { // the last ones, and by 0 the latest
		which := n
		if n > last {
			which = 0
		}
		got, number, err := stranger.published(it, which)
		if err != nil {
			w.o.found(lost, it, "version %d cannot be read: %v", which, err)
			continue
		}
		want := it.now.Versions[min(n, last)-1]
		latest := n >= last
		withFiles := latest || !it.veiled
		if latest && it.kind == collections {
			want.Members, got.Members = w.publicMembers(it, want, stranger)
		} else {
			want.Members = nil
		}
		if g, m := got.text(withFiles && !want.hidesFiles()), want.text(withFiles); g != m || number != min(n, last) {
			w.o.found(lost, it, "version %d is %d:\n  it is     %s\n  it must be %s", min(n, last), number, g, m)
		}
		if want.hidesFiles() && len(got.Files) > 0 {
			w.o.found(wrong, it, "version %d is under an embargo and shows files", which)
		}
	}
}

func (w *writer) publicMembers(it *item, want version, stranger *client) (must, are []int64) {
	are, err := stranger.ids(fmt.Sprintf("/collections/%d/articles?page_size=100", it.id))
	if err != nil {
		w.o.found(lost, it, "its public articles cannot be read: %v", err)
	}
	slices.Sort(are)
	must = slices.Sorted(slices.Values(want.Members))
	return orEmpty(must), orEmpty(are)
}

// verifySearch looks the item up by the word that only it has.
func (w *writer) verifySearch(it *item) {
	if !it.dirty && w.r.IntN(4) > 0 {
		return
	}
	title := ""
	if n := len(it.now.Versions); n > 0 {
		title = it.now.Versions[n-1].Title
	}
	stranger := &client{base: w.c.base, http: w.c.http}
	w.finds(it, stranger, "/"+it.kind+"/search", title)
	w.finds(it, w.c, "/account/"+it.kind+"/search", it.now.Title)
}

// finds looks whether a search finds the item with a title, and nothing else; with an
// empty title it must find nothing.
func (w *writer) finds(it *item, c *client, path, title string) {
	var list []listed
	var err error
	for deadline := time.Now().Add(checkTime); ; time.Sleep(50 * time.Millisecond) {
		if list, err = c.search(path, it.mark); err == nil || time.Now().After(deadline) {
			break // an index that is being built again may take a moment
		}
	}
	switch {
	case err != nil:
		w.o.found(wrong, it, "%s does not answer: %v", path, err)
	case title == "" && len(list) > 0:
		w.o.found(wrong, it, "%s finds what is not public: %s", path, encode(list))
	case title != "" && (len(list) != 1 || list[0].ID != it.id || list[0].Title != title):
		w.o.found(wrong, it, "%s finds %s, want %d, %q", path, encode(list), it.id, title)
	}
}

// verifyPublic holds the public list against what was published.
func (o *oracle) verifyPublic(c *client, kind string) {
	list, whole, err := c.pages("/"+kind, 5)
	if err != nil {
		o.found(wrong, nil, "a public list cannot be read: %v", err)
		return
	}
	titles := map[int64]string{}
	for _, l := range list {
		if titles[l.ID] != "" {
			o.found(wrong, nil, "the public list has %s %d twice", kind, l.ID)
		}
		titles[l.ID] = l.Title
	}
	for _, w := range o.writers {
		for _, it := range w.items {
			n := len(it.now.Versions)
			if it.kind != kind || n == 0 {
				continue
			}
			title, there := titles[it.id]
			delete(titles, it.id)
			switch want := it.now.Versions[n-1].Title; {
			case !there && whole:
				o.found(lost, it, "it is not in the public list")
			case there && title != want:
				o.found(wrong, it, "the public list has it as %q, want %q", title, want)
			}
		}
	}
	for id, title := range titles {
		o.found(wrong, nil, "the public list has %s %d, %q, which nobody published", kind, id, title)
	}
}
