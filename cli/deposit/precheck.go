package deposit

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// leftovers are names of folders and files that programs make by themselves, and that are deposited with a warning.
var leftovers = []string{"__pycache__", "node_modules", ".ipynb_checkpoints", "*~", "*.pyc", "*.swp"}

// leftover returns the path of the folder or file by which a file was made by a program itself, "" for others.
func leftover(at string) string {
	pieces := strings.Split(at, "/")
	for i, piece := range pieces {
		for _, pattern := range leftovers {
			if is, _ := path.Match(pattern, piece); is {
				return strings.Join(pieces[:i+1], "/")
			}
		}
	}
	return ""
}

// leftoversOf describes the leftovers in a folder, each in a line.
func (t *tree) leftoversOf() (list []string) {
	count := map[string]int{}
	var order []string
	for _, f := range t.files {
		if at := leftover(f.String()); at != "" {
			if count[at]++; count[at] == 1 {
				order = append(order, at)
			}
		}
	}
	for _, at := range order {
		list = append(list, fmt.Sprintf("%s (%s) was made by a program; leave it out with --exclude %s", at, number(count[at], "file"), path.Base(at)))
	}
	return list
}

// collisions describes files whose names differ only in case or in how their letters are composed: most systems take them for one.
func (t *tree) collisions() (list []string) {
	first := map[string]string{}
	for _, f := range t.files {
		at := f.String()
		same := strings.ToLower(norm.NFC.String(at))
		if other := first[same]; other != "" {
			list = append(list, fmt.Sprintf("%q and %q are one name on many systems; rename one, or leave it out with --exclude", other, at))
		}
		first[same] = at
	}
	return list
}

// foreseen refuses, before the first byte, a deposit that the server would refuse later or that is there already.
func (w *whole) foreseen(ctx context.Context) error {
	var bytes, largest int64
	for _, s := range slices.Concat(w.plan.begun, w.plan.send) {
		bytes, largest = bytes+s.size, max(largest, s.size)
	}
	var account struct {
		Quota   int64 `json:"quota"`
		Used    int64 `json:"used_quota"`
		MaxFile int64 `json:"max_file_size"`
	}
	if err := w.api.get(ctx, "/account", &account); err != nil {
		return ctx.Err() // the token may not read it: the server tells later
	}
	if account.MaxFile > 0 && largest > account.MaxFile {
		return fmt.Errorf("nothing was sent: a file has %s, and the server takes files of up to %s", sizeOf(largest), sizeOf(account.MaxFile))
	}
	if left := max(0, account.Quota-account.Used); account.Quota > 0 && bytes > left {
		return fmt.Errorf("nothing was sent: the files need %s, and %s are left of your quota of %s", sizeOf(bytes), sizeOf(left), sizeOf(account.Quota))
	}
	if w.article != 0 || w.o.NewDraft || w.state.entry(w.line.id).creating {
		return nil
	}
	return w.sameDraft(ctx)
}

// sameDraft refuses a folder of which the account has a draft, with its title and some of its files or none, that the state file
// does not know.
func (w *whole) sameDraft(ctx context.Context) error {
	ids, _, err := w.listed(ctx, titleHash(w.said.item.title), time.Time{})
	if err != nil {
		return fmt.Errorf("cannot find out whether there is a draft of this folder: %w", err)
	}
	for _, id := range ids {
		var detail map[string]json.RawMessage
		if err := w.api.get(ctx, fmt.Sprintf("/account/articles/%d", id), &detail); notFound(err) || err == nil && isPublic(detail) {
			continue
		} else if err != nil {
			return fmt.Errorf("cannot look at article %d: %w", id, err)
		}
		draft := &whole{depositor: w.depositor, article: id, detail: detail}
		there, err := draft.serverFiles(ctx)
		if err != nil {
			return err
		}
		common := 0
		for _, f := range w.tree.files {
			common += len(there[f.String()])
		}
		if common > 0 || len(there) == 0 {
			return fmt.Errorf("nothing was sent: draft %d has this title and %s of this folder, and its state file is not here: "+
				"delete that draft (alcove rm %d), or make another one with --new-draft", id, number(common, "file"), id)
		}
	}
	return nil
}
