package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
)

// maxFiles is how many files an article gets; a detail shows as many.
const maxFiles = 5

// article does something to an article.
func (w *writer) article(it *item) {
	for i := range it.now.Files {
		if it.now.Files[i].Status == "created" && w.r.IntN(2) == 0 {
			w.proceed(it, i)
			return
		}
	}
	switch n := w.r.IntN(100); {
	case n < 20:
		w.describe(it)
	case n < 28:
		w.author(it)
	case n < 34:
		w.link(it)
	case n < 38:
		w.remove(it)
	case n < 43:
		w.dropFile(it)
	case n < 52:
		w.embargo(it)
	case n < 75:
		w.addFile(it)
	default:
		w.publish(it)
	}
}

// publish makes the next version, or one that waits for the end of an embargo.
func (w *writer) publish(it *item) {
	if !it.now.finished() || it.now.Held != nil || it.unclear {
		return
	}
	next := it.now.clone()
	v := it.now.freeze()
	if covers(it.now.Embargo, "article") {
		next.Held = &v
	} else {
		next.Version++
		next.Versions = append(next.Versions, v)
		it.veiled = it.veiled || v.hidesFiles()
	}
	w.write(it, "POST", it.path("/publish"), nil, http.StatusCreated, next)
}

// embargo sets an embargo on the files or on the article, or lifts it; with it what it
// held appears.
func (w *writer) embargo(it *item) {
	if it.unclear {
		return
	}
	next := it.now.clone()
	if it.now.Embargo != "" {
		next.Embargo = ""
		if next.Held != nil {
			v := *next.Held
			v.Embargo = ""
			next.Held = nil
			next.Version++
			next.Versions = append(next.Versions, v)
		}
		w.write(it, "DELETE", it.path("/embargo"), nil, http.StatusNoContent, next)
		return
	}
	it.serial++
	kind := "file"
	if w.r.IntN(2) == 0 {
		kind = "article"
	}
	until, why := fmt.Sprintf("2091-01-01T00:%02d:%02d", it.serial/60%60, it.serial%60), w.words(2)
	next.Embargo = embargoText(kind, until, why)
	body := encode(map[string]any{"is_embargoed": true, "embargo_type": kind, "embargo_date": until, "embargo_reason": why})
	w.write(it, "PUT", it.path("/embargo"), body, http.StatusResetContent, next)
}

func embargoText(kind, until, why string) string { return kind + " until " + until + ": " + why }

func covers(embargo, kind string) bool {
	return len(embargo) > len(kind) && embargo[:len(kind)] == kind
}

// dropFile takes a file out of the working copy.
func (w *writer) dropFile(it *item) {
	if len(it.now.Files) == 0 {
		return
	}
	at := w.r.IntN(len(it.now.Files))
	f := it.now.Files[at]
	if f.ID == 0 {
		return
	}
	next := it.now.clone()
	next.Files = append(next.Files[:at], next.Files[at+1:]...)
	w.write(it, "DELETE", it.path("/files/%d", f.ID), nil, http.StatusNoContent, next)
}

// addFile announces a file and mostly uploads it at once.
func (w *writer) addFile(it *item) {
	if len(it.now.Files) >= maxFiles {
		return
	}
	it.serial++
	size := w.r.Int64N(20_000)
	if w.r.IntN(4) == 0 {
		size = w.r.Int64N(1_500_000)
	}
	if w.r.IntN(60) == 0 {
		size += partSize
	}
	f := newFile(fmt.Sprintf("file%d.bin", it.serial), size+1, w.r.Uint64())
	next := it.now.clone()
	next.Files = append(next.Files, f)
	body := encode(map[string]any{"name": f.Name, "size": f.Size, "md5": f.MD5})
	a, out := w.write(it, "POST", it.path("/files"), body, http.StatusCreated, next)
	if out != acknowledged {
		return
	}
	at := len(it.now.Files) - 1
	it.now.Files[at].ID = a.made()
	for more := true; more && w.r.IntN(12) > 0; {
		more = w.proceed(it, at)
	}
}

// proceed does the next step of an upload, and reports whether one is left.
func (w *writer) proceed(it *item, at int) bool {
	f := &it.now.Files[at]
	if f.Upload == "" {
		var seen struct {
			Upload string `json:"upload_url"`
		}
		a, err := w.c.call("GET", it.path("/files/%d", f.ID), nil)
		if err != nil {
			w.down = true
			return false
		}
		if a.status != http.StatusOK || json.Unmarshal(a.body, &seen) != nil || seen.Upload == "" {
			if !w.o.broken.Load() {
				w.o.found(wrong, it, "an open upload is shown as %d: %.300s", a.status, a.body)
			}
			return false
		}
		f.Upload = seen.Upload
	}
	missing := 0
	for _, p := range f.Parts {
		if !p.acked {
			missing++
		}
	}
	if missing > 0 || w.r.IntN(20) == 0 { // now and then they are sent again
		return w.sendParts(it, f)
	}
	next := it.now.clone()
	next.Files[at].Status = "available"
	_, out := w.write(it, "POST", it.path("/files/%d", f.ID), nil, http.StatusAccepted, next)
	return out != acknowledged && !w.down
}

// sendParts sends all parts of an upload at once, and reports whether the next step can
// be done.
func (w *writer) sendParts(it *item, f *file) bool {
	it.dirty = true
	outs := make([]outcome, len(f.Parts))
	statuses := make([]string, len(f.Parts))
	var all sync.WaitGroup
	for i := range f.Parts {
		f.Parts[i] = part{sent: true, again: f.Parts[i].acked} // from now on what was there counts no more
		all.Go(func() {
			body := f.piece(i + 1)
			a, err := w.c.call("PUT", fmt.Sprintf("%s/%d", f.Upload, i+1), body)
			switch {
			case err != nil:
				outs[i], statuses[i] = inDoubt, err.Error()
			case a.status == http.StatusOK:
				outs[i], statuses[i] = acknowledged, "200"
			default:
				outs[i], statuses[i] = refused, fmt.Sprintf("%d %.200s", a.status, a.body)
				if !w.o.broken.Load() && !w.o.allowed[a.status] {
					w.o.found(wrong, it, "part %d of %s answered %s", i+1, f.Name, statuses[i])
				}
			}
		})
	}
	all.Wait()
	whole := true
	for i, out := range outs {
		it.note(w.o, "PUT part %d of %d of %s → %s", i+1, len(outs), f.Name, statuses[i])
		switch out {
		case acknowledged:
			f.Parts[i].acked = true
			w.o.count(func(t *tally) { t.Acked++ })
		case inDoubt:
			w.down, whole = true, false
			w.o.count(func(t *tally) { t.Doubt++ })
		case refused:
			whole = false
			w.o.count(func(t *tally) { t.Refused++ })
		}
	}
	return whole
}
