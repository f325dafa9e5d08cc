package backup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/files"
	"alcove/bucket/users"
	"alcove/bucket/withdrawn"
	"alcove/bucket/working"
	"alcove/cli/erasure"
	"alcove/cli/operate"
	"alcove/handlers/items"
	"alcove/record"
)

// A repository that is brought back to an earlier state must not take back what was ended since, nor
// give an id a second time. Later events are told by later copies of it.

// laterCopy is a copy of the repository that tells of more than the restored one.
type laterCopy struct {
	Name  string
	Copy  *bucket.Copy
	Since uint64 // the last entry of its change log that the restored one has, too
}

// reconcileOptions is what reconcile has to go by.
type reconcileOptions struct {
	Later   []laterCopy
	LastIDs map[string]int64             // the last ids that are known, by table
	NextID  int64                        // no id below it is given, 0 for no such bound
	Revoke  bool                         // end all tokens and private links
	Stored  func(sha string) bool        // a blob is there
	Missed  func(name string, err error) // is told of a copy that cannot be read to its end
	Erased  []*record.Erasure            // that are known beside those of the later copies
}

// Reconciled is what reconcile has done. Its lists have the first maxReconciled entries.
type Reconciled struct {
	Kept    []Kept           `json:"kept"`
	KeptAll int              `json:"kept_count"`
	Failed  []Kept           `json:"failed"`   // what should have been kept and could not; its field What says why
	LastIDs map[string]int64 `json:"last_ids"` // by table, where the next one is another now
	Uploads int              `json:"uploads_ended"`
	Revoked int              `json:"revoked"`
	Known   bool             `json:"later_known"` // something tells of what came after the snapshot
	Erased  []record.Erasure `json:"erased"`      // that were applied; their bytes are the caller's to remove

	// Valid are the tokens and private links that open something.
	Valid    []Credential `json:"valid"`
	ValidAll int          `json:"valid_count"`
}

// Kept is something that ended after the snapshot was made.
type Kept struct {
	Kind string `json:"kind"` // table
	ID   string `json:"id"`   // of a token or a private link the beginning of its key
	What string `json:"what"`
}

// Credential is a token or a private link.
type Credential struct {
	Kind    string     `json:"kind"` // tokens or private_links
	ID      string     `json:"id"`   // the beginning of its key
	Of      string     `json:"of"`   // e-mail address of the account, or kind and id of the item
	Name    string     `json:"name"` // of a token
	Created time.Time  `json:"created"`
	Expires *time.Time `json:"expires"` // null for never
}

const (
	maxReconciled  = 10_000
	reconcileBatch = 100 // records that are changed in one commit
	uploadEnded    = "the upload ended when the repository was restored from a backup; delete the file and upload it again"
	revokedNow     = "revoked by --revoke-tokens"
	linkID         = 8 // how many characters of a private link's token name it
)

// reconciler is reconcile under way.
type reconciler struct {
	items *items.Service
	db    *bucket.DB
	out   *Reconciled

	steps    []reconcileStep
	erasures []*record.Erasure // of later copies
}

// reconcileStep keeps one record as it ended. what is empty where there is nothing to keep.
type reconcileStep struct {
	kind, id string
	do       func(tx *bucket.Tx) (what string, err error)
}

// reconcile keeps in a restored store what later copies show as revoked, disabled, erased or withdrawn,
// ends uploads whose bytes are in no backup, and goes on behind the ids and versions that are known
// to have been given. The store must be of no other process meanwhile.
func reconcile(ctx context.Context, db *bucket.DB, s reconcileOptions) (*Reconciled, error) {
	y := &reconciler{db: db, items: items.New(items.Service{DB: db}), out: &Reconciled{Kept: []Kept{}, Failed: []Kept{}, Valid: []Credential{}, LastIDs: map[string]int64{}}}
	for _, l := range s.Later {
		if err := y.readLater(ctx, l); ctx.Err() != nil {
			return nil, context.Cause(ctx)
		} else if err != nil {
			s.Missed(l.Name, err) // what it has told until then counts
		}
	}
	if err := y.endUploads(s.Stored); err != nil {
		return nil, err
	}
	if err := y.endSessions(ctx); err != nil {
		return nil, err
	}
	if s.Revoke {
		if err := y.revokeAll(); err != nil {
			return nil, err
		}
	}
	if err := y.take(ctx); err != nil {
		return nil, err
	}
	var err error
	if y.out.Erased, err = erasure.Again(ctx, db, append(s.Erased, y.erasures...)); err != nil {
		return nil, err
	}
	if y.out.LastIDs, err = db.RaiseIDs(ctx, s.LastIDs, s.NextID-1); err != nil {
		return nil, fmt.Errorf("cannot go on behind the ids that were given: %w", err)
	}
	return y.out, y.listValid()
}

// take does the steps, many in a commit. One that fails is noted, and the others are done.
func (y *reconciler) take(ctx context.Context) error {
	for part := range slices.Chunk(y.steps, reconcileBatch) {
		err := y.commit(ctx, part)
		for _, s := range part {
			if err == nil || ctx.Err() != nil {
				break
			}
			if why := y.commit(ctx, []reconcileStep{s}); why != nil {
				y.out.Failed = append(y.out.Failed, Kept{s.kind, s.id, why.Error()})
			}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

func (y *reconciler) commit(ctx context.Context, steps []reconcileStep) error {
	var kept []Kept
	err := y.db.UpdateBy(ctx, operate.Operator, func(tx *bucket.Tx) error {
		kept = kept[:0]
		for _, s := range steps {
			what, err := s.do(tx)
			if err != nil {
				return err
			}
			if what != "" {
				kept = append(kept, Kept{s.kind, s.id, what})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, k := range kept {
		switch {
		case k.What == uploadEnded:
			y.out.Uploads++
		case k.What == revokedNow:
			y.out.Revoked++
		default:
			if y.out.KeptAll++; len(y.out.Kept) < maxReconciled {
				y.out.Kept = append(y.out.Kept, k)
			}
		}
	}
	return nil
}

// laterChanges is what the log of a later copy tells of.
type laterChanges struct {
	deleted struct {
		tokens, links, applications                         map[string]bool
		articles, collections, projects, files, notes, nets map[int64]bool
		members, grants                                     map[bucket.Pair]bool
	}
	accounts, articles, collections, projects map[int64]bool // written
	links, applications                       map[string]bool
	members, grants, tombstones               map[bucket.Pair]bool
	erasures                                  map[int64]bool
}

// mark notes the key of a change of a table: in gone when it was deleted, otherwise in is.
func mark[K comparable, R any](t *bucket.Table[K, R], c *changelog.Change, gone, is *map[K]bool) {
	key, ours := t.Is(c)
	if !ours {
		return
	}
	to, from := is, gone
	if c.Op == changelog.Deleted {
		to, from = gone, is
	}
	if from != nil {
		delete(*from, key)
	}
	if to == nil {
		return
	}
	if *to == nil {
		*to = map[K]bool{}
	}
	(*to)[key] = true
}

// readLater adds the steps that a later copy tells of.
func (y *reconciler) readLater(ctx context.Context, l laterCopy) error {
	n := &laterChanges{}
	d := &n.deleted
	err := l.Copy.Since(ctx, l.Since, func(c *changelog.Change) {
		y.out.Known = true
		mark(users.Tokens, c, &d.tokens, nil)
		mark(users.Applications, c, &d.applications, &n.applications)
		mark(working.PrivateLinks, c, &d.links, &n.links)
		mark(users.Accounts, c, nil, &n.accounts)
		mark(working.Articles, c, &d.articles, &n.articles)
		mark(working.Collections, c, &d.collections, &n.collections)
		mark(working.Projects, c, &d.projects, &n.projects)
		mark(files.Files, c, &d.files, nil)
		mark(working.ProjectNotes, c, &d.notes, nil)
		mark(users.AddressRanges, c, &d.nets, nil)
		mark(working.ProjectMembers, c, &d.members, &n.members)
		mark(users.Grants, c, &d.grants, &n.grants)
		mark(withdrawn.Tombstones, c, nil, &n.tombstones)
		mark(withdrawn.Erasures, c, nil, &n.erasures)
	})
	err = errors.Join(err, l.Copy.View(func(tx *bucket.Tx) error { return y.compare(tx, n) }))
	if err != nil {
		return fmt.Errorf("cannot tell what ended after the snapshot: %w", err)
	}
	return nil
}
