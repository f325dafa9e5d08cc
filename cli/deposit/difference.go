package deposit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// comparison is how the files of a folder differ from those of the item.
type comparison struct {
	keep   []treeFile
	begun  []sending       // on their way, of which the server has a part
	send   []sending       // that it has not at all
	other  map[string]bool // paths of those that it has with other bytes
	remove []serverFile    // that the folder does not have any more, or has with other bytes
	gone   []string        // paths of those that it does not have any more
}

// sending is a file that has to be sent.
type sending struct {
	treeFile
	md5 string
	id  int64 // of the upload that was begun, 0 for none
}

func (c comparison) any() bool { return len(c.begun)+len(c.send)+len(c.remove) > 0 }

// String says in words how much differs.
func (c comparison) String(metadata []string) string {
	var list []string
	changed := len(c.other)
	for _, p := range []struct {
		n    int
		what string
	}{{len(c.begun) + len(c.send) - changed, "new"}, {changed, "changed"}, {len(c.gone), "gone"}} {
		if p.n > 0 {
			list = append(list, number(p.n, "file")+" "+p.what)
		}
	}
	if len(metadata) > 0 {
		list = append(list, "metadata: "+strings.Join(metadata, ", "))
	}
	return strings.Join(list, "; ")
}

// find looks which article the folder is, and reads it.
func (w *whole) find(ctx context.Context) error {
	e := w.state.entry(w.line.id)
	w.article = e.article
	if asked := w.o.NewVersion; asked != 0 && e.article != 0 && e.article != asked {
		return fmt.Errorf("by its state file this is article %d, not %d; name another file with --state to make it a version of %d", e.article, asked, asked)
	} else if asked != 0 && e.creating {
		return errors.New("by its state file an article was begun of this; go on without --new-version")
	} else if asked != 0 {
		w.article = asked
	}
	if w.article == 0 {
		return nil
	}
	err := w.api.get(ctx, fmt.Sprintf("/account/articles/%d", w.article), &w.detail)
	switch {
	case notFound(err) && w.o.NewVersion != 0:
		return fmt.Errorf("there is no article %d among yours", w.article)
	case notFound(err) || err == nil && !e.since.IsZero() && e.foreign(w.detail):
		w.progress.line("Article %d is not on the server any more: it is deposited again.", w.article)
		w.article, w.detail = 0, nil
		return w.state.append(record{Op: opGone, Line: w.line.id})
	case err != nil:
		return fmt.Errorf("cannot look at article %d: %w", w.article, err)
	case w.o.NewVersion != 0 && publicVersion(w.detail) == 0 && !e.published:
		return fmt.Errorf("article %d has no published version, of which this would be a new one", w.article)
	case e.article != 0:
		return nil
	}
	// Of what was published by other means nothing is to be done, until something differs.
	for _, rec := range []record{{Op: opCreated, Article: w.article, Step: stepKept}, {Op: opPublished}, {Op: opDone}} {
		rec.Line = w.line.id
		if err := w.state.append(rec); err != nil {
			return err
		}
	}
	return nil
}

// changedKeys are the keys of the metadata that the article does not have as they are said here.
func (w *whole) changedKeys(e entry) []string {
	if w.article == 0 || e.hash == w.line.hash {
		return nil
	}
	keys := differences(w.said.item.body, w.detail)
	if w.said.item.embargo != nil {
		keys = append(keys, "embargo")
	}
	if len(keys) == 0 && e.hash != "" {
		keys = []string{"others"} // which an article does not show
	}
	return keys
}

// compare reads the files, here and there, and finds what differs.
func (w *whole) compare(ctx context.Context) error {
	sums, err := w.sums(ctx)
	if err != nil {
		return err
	}
	there := map[string][]serverFile{}
	if w.article != 0 {
		if there, err = w.serverFiles(ctx); err != nil {
			return err
		}
	}
	c := comparison{other: map[string]bool{}}
	for i, f := range w.tree.files {
		at := f.String()
		list := there[at]
		delete(there, at)
		same := slices.IndexFunc(list, func(s serverFile) bool { return s.has(f.size, sums[i]) })
		if same < 0 {
			same = slices.IndexFunc(list, func(s serverFile) bool { return s.will(f.size, sums[i]) })
		}
		switch {
		case same < 0:
			c.send = append(c.send, sending{f, sums[i], 0})
			c.other[at] = len(list) > 0
		case list[same].has(f.size, sums[i]):
			c.keep = append(c.keep, f)
		default:
			c.begun = append(c.begun, sending{f, sums[i], list[same].ID})
		}
		for j, s := range list {
			if j != same {
				c.remove = append(c.remove, s)
			}
		}
	}
	maps.DeleteFunc(c.other, func(_ string, is bool) bool { return !is })
	own := map[int64]bool{}
	for _, f := range w.state.entry(w.line.id).files {
		own[f.id] = true
	}
	for _, at := range slices.Sorted(maps.Keys(there)) {
		for _, s := range there[at] {
			// A draft keeps the files that others put there.
			if own[s.ID] || w.o.NewVersion != 0 {
				c.remove, c.gone = append(c.remove, s), append(c.gone, at)
			}
		}
	}
	w.plan = c
	return nil
}

// has tells whether the server has that file, whole.
func (f serverFile) has(size int64, md5 string) bool {
	sum := f.Computed
	if sum == "" {
		sum = f.Supplied
	}
	return (f.Status == fileAvailable || f.Status == "" && f.Computed != "") && f.Size == size && strings.EqualFold(sum, md5)
}

// will tells whether the server will have that file once it has got all of it.
func (f serverFile) will(size int64, md5 string) bool {
	return (f.Status == fileCreated || f.Status == fileChecking || f.Status == fileMoving) && f.Size == size && strings.EqualFold(f.Supplied, md5)
}

// sums are the md5 of the files, of which those are not read that were read before and have not been modified.
func (w *whole) sums(ctx context.Context) ([]string, error) {
	sums := make([]string, len(w.tree.files))
	var missing []int
	var bytes int64
	for i, f := range w.tree.files {
		known := w.state.sums[f.String()]
		if known.md5 != "" && known.size == f.size && known.modified.Equal(f.modified) {
			sums[i] = known.md5
			continue
		}
		missing = append(missing, i)
		bytes += f.size
	}
	if len(missing) == 0 {
		return sums, nil
	}
	w.progress.begin("Reading", false, len(missing), bytes)
	defer w.progress.end()
	for _, i := range missing {
		f := &w.tree.files[i]
		size, md5, err := digest(ctx, w.input.dir, f.path, w.progress)
		if err != nil {
			return nil, fmt.Errorf("file %q: %w", f.String(), err)
		}
		sums[i] = md5
		if size != f.size {
			return nil, fmt.Errorf("file %q is being written to: it had %d bytes, and has %d", f.String(), f.size, size)
		}
		rec := record{Op: opSum, Folder: f.folder, Name: f.name, Size: size, Changed: f.modified, MD5: md5}
		if err := w.state.write(rec, false); err != nil {
			return nil, err
		}
		w.progress.file()
	}
	return sums, nil
}

// serverFiles are the files of the article by their paths. Links to files elsewhere are none.
func (w *whole) serverFiles(ctx context.Context) (map[string][]serverFile, error) {
	there := map[string][]serverFile{}
	var folders map[string]string // of the detail, where a server does not tell the folder of each file
	_ = json.Unmarshal(w.detail["folder_structure"], &folders)
	seen := map[int64]bool{}
	for page := 1; ; page++ {
		var list []serverFile
		if err := w.api.get(ctx, fmt.Sprintf("/account/articles/%d/files?page=%d&page_size=1000", w.article, page), &list); err != nil {
			return nil, fmt.Errorf("cannot list the files of article %d: %w", w.article, err)
		}
		fresh := false // a server without pages gives the same list again
		for _, f := range list {
			if seen[f.ID] {
				continue
			}
			seen[f.ID], fresh = true, true
			folder := f.Folder.path
			if !f.Folder.known {
				folder = folders[strconv.FormatInt(f.ID, 10)]
			}
			if !f.Link {
				at := path.Join(strings.Trim(folder, "/"), f.Name)
				there[at] = append(there[at], f)
			}
		}
		if !fresh {
			return there, nil
		}
	}
}
