package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"alcove/blobs"
	blobdir "alcove/blobs/dir"
)

// Prune removes all snapshots but the newest keep, and the blobs that no other needs then. The
// newest one that is complete always stays. It returns the names of the snapshots that it removed.
func Prune(ctx context.Context, path string, keep int) ([]string, error) {
	if keep < 1 {
		return nil, errors.New("cannot remove all snapshots: at least one stays")
	}
	d, err := openDest(path, true)
	if err != nil {
		return nil, err
	}
	defer d.close()
	return d.prune(ctx, keep)
}

// prune removes snapshots, and then blobs. First of all it reads every manifest and list that stays:
// should one of them be unreadable, nothing is removed.
func (d *dest) prune(ctx context.Context, keep int) (removed []string, err error) {
	whole, parts, err := d.names()
	if err != nil {
		return nil, err
	}
	first := max(len(whole)-keep, 0)
	stay := whole[first:]
	if complete, err := d.newestComplete(whole); err != nil {
		return nil, err
	} else if complete >= 0 && complete < first {
		stay = append([]string{whole[complete]}, stay...)
	}
	var manifests []*Manifest
	for _, s := range stay {
		m, err := d.manifest(s)
		if err == nil {
			err = d.eachBlob(m, func(entry) error { return ctx.Err() })
		}
		if err != nil {
			return nil, fmt.Errorf("cannot tell what is needed, so nothing is removed: %w", err)
		}
		manifests = append(manifests, m)
	}
	for _, s := range whole {
		if slices.Contains(stay, s) {
			continue
		}
		if err := d.root.Rename(snapshots+"/"+s, snapshots+"/"+s+partial); err != nil {
			return removed, fmt.Errorf("cannot remove the snapshot %s: %w", s, err)
		}
		removed, parts = append(removed, s), append(parts, s+partial)
	}
	if len(removed) > 0 {
		if err := syncDir(d.root, snapshots); err != nil {
			return removed, fmt.Errorf("cannot remove snapshots durably: %w", err)
		}
	}
	for _, p := range parts {
		if err := d.root.RemoveAll(snapshots + "/" + p); err != nil {
			return removed, fmt.Errorf("cannot remove the snapshot %s: %w", p, err)
		}
	}
	return removed, d.sweep(ctx, manifests)
}

// newestComplete is the place of the last snapshot that is complete, -1 when none is.
func (d *dest) newestComplete(whole []string) (int, error) {
	for i := len(whole) - 1; i >= 0; i-- {
		m, err := d.manifest(whole[i])
		if err != nil {
			return 0, fmt.Errorf("cannot tell what is needed, so nothing is removed: %w", err)
		}
		if m.Complete {
			return i, nil
		}
	}
	return -1, nil
}

// sweep removes the blobs that no snapshot has. The lists and the shards of the blobs go by the
// same order, so what is kept in memory are the names of one shard.
func (d *dest) sweep(ctx context.Context, manifests []*Manifest) error {
	if len(manifests) == 0 {
		return nil
	}
	all, err := d.union(manifests)
	if err != nil {
		return err
	}
	defer all.close()
	store, err := blobdir.Open(d.path)
	if err != nil {
		return fmt.Errorf("cannot use the backups in %s: %w", d.path, err)
	}
	defer store.Close()
	shard, needed := -1, map[blobs.Ref]bool{}
	return store.Walk(ctx, func(e blobs.Entry) error {
		if e.Ref.IsZero() {
			return nil // not ours
		}
		if this := int(e.Ref[0]); this != shard {
			shard = this
			clear(needed)
			for all.more && int(all.now.ref[0]) <= shard {
				needed[all.now.ref] = true
				if err := all.advance(); err != nil {
					return err
				}
			}
		}
		if needed[e.Ref] {
			return nil
		}
		_, err := store.Remove(e.Ref, time.Now().Add(time.Hour)) // whatever its age
		return err
	})
}

// union goes through the lists of several snapshots together, in order and each blob once.
type union struct {
	files []*os.File
	lists []*entries
	heads []entry // of each list that is not at its end
	of    []*Manifest
	now   entry
	in    []string // the snapshots that have it
	more  bool
}

// union opens the lists of snapshots, and goes to the first blob.
func (d *dest) union(manifests []*Manifest) (*union, error) {
	u := &union{}
	for _, m := range manifests {
		f, _, err := d.openFile(place(m.Snapshot, listName))
		if err != nil {
			u.close()
			return nil, fmt.Errorf("cannot read the list of blobs of %s: %w", m.Snapshot, err)
		}
		u.files = append(u.files, f)
		if err := u.add(newEntries(f), m); err != nil {
			u.close()
			return nil, err
		}
	}
	if err := u.advance(); err != nil {
		u.close()
		return nil, err
	}
	return u, nil
}

func (u *union) add(list *entries, m *Manifest) error {
	head, err := list.next()
	if errors.Is(err, io.EOF) {
		return list.matches(m)
	}
	if err != nil {
		return err
	}
	u.lists, u.heads, u.of = append(u.lists, list), append(u.heads, head), append(u.of, m)
	return nil
}

// advance goes to the next blob.
func (u *union) advance() error {
	if u.more = len(u.heads) > 0; !u.more {
		return nil
	}
	u.now, u.in = u.heads[0], u.in[:0]
	for _, h := range u.heads[1:] {
		if slices.Compare(h.ref[:], u.now.ref[:]) < 0 {
			u.now = h
		}
	}
	for i := 0; i < len(u.heads); i++ {
		if u.heads[i].ref != u.now.ref {
			continue
		}
		u.in = append(u.in, u.of[i].Snapshot)
		next, err := u.lists[i].next()
		if errors.Is(err, io.EOF) {
			err = u.lists[i].matches(u.of[i])
			u.lists, u.heads, u.of = slices.Delete(u.lists, i, i+1), slices.Delete(u.heads, i, i+1), slices.Delete(u.of, i, i+1)
			i--
		} else if err == nil {
			u.heads[i] = next
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (u *union) close() {
	for _, f := range u.files {
		f.Close()
	}
}
