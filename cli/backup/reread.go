package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"alcove/blobs"
	"alcove/bucket/files"
)

// DefaultReread is how long it counts that a blob of the backups was read and right.
const DefaultReread = 30 * 24 * time.Hour

// rereading reads the blobs again that lie at the destination already and are due, each at most once
// in a backup: those that the new snapshot has, and those that only older ones have.
type rereading struct {
	ledger *ledger
	older  *union // nil where it cannot be told
	now    time.Time
	every  time.Duration
}

// beginReading opens what a backup needs to look at the blobs of all snapshots in one order.
func (c *creation) beginReading() error {
	l, err := c.d.openLedger(true, false)
	if err != nil {
		return err
	}
	r := &rereading{ledger: l, now: c.o.Now(), every: c.o.Reread}
	c.again = r
	var all []*Manifest
	whole, _, err := c.d.names()
	for _, s := range whole {
		m, bad := c.d.manifest(s)
		if bad == nil {
			bad = c.d.eachBlob(m, func(entry) error { return nil })
		}
		if bad != nil {
			c.destProblem(Problem{s, "manifest", manifestName, bad.Error()})
			continue
		}
		all = append(all, m)
	}
	if err == nil {
		r.older, err = c.d.union(all)
	}
	if err != nil {
		r.close()
	}
	return err
}

func (r *rereading) close() {
	if r.older != nil {
		r.older.close()
	}
	r.ledger.close()
}

// upTo reads what is due of the blobs that only older snapshots have and that come before ref, or all
// that are left where ref is nil.
func (c *creation) upTo(ctx context.Context, ref *blobs.Ref) error {
	o := c.again.older
	for o.more && (ref == nil || string(o.now.ref[:]) < string(ref[:])) {
		if err := c.readOlder(ctx, o.now, o.in); err != nil {
			return err
		}
		if err := o.advance(); err != nil {
			return err
		}
	}
	if ref != nil && o.more && o.now.ref == *ref {
		return o.advance()
	}
	return nil
}

// readOlder reads a blob of older snapshots if it is due. A damaged one is copied again where the
// repository still has it.
func (c *creation) readOlder(ctx context.Context, e entry, in []string) error {
	why, err := c.trusted(ctx, e)
	if err != nil || why == "" {
		return err
	}
	_, missing, err := c.copyAgain(ctx, files.BlobName{SHA256: e.ref.String(), Size: e.size}, e)
	if err != nil || missing == "" {
		return err
	}
	c.again.ledger.note(e.ref, c.again.now, wasDamaged)
	for _, s := range in {
		c.destProblem(Problem{s, "blob", e.ref.String(), why})
	}
	return nil
}

// trusted reports why the copy of a blob at the destination cannot be trusted; empty when it has
// the right size and was read not long ago, or now. Its findings are noted, damage is not.
func (c *creation) trusted(ctx context.Context, e entry) (why string, err error) {
	was := c.again.ledger.look(e.ref)
	info, err := c.store.Stat(e.ref)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it is missing", nil
	case err != nil:
		return err.Error(), nil
	case info.Size != e.size:
		return fmt.Sprintf("it has %d bytes and should have %d", info.Size, e.size), nil
	case !was.due(c.again.now, c.again.every):
		c.again.ledger.note(e.ref, was.at, was.state)
		c.o.Note(func(r *Report) { r.oldest(was.at) })
		return "", nil
	}
	f, _, err := c.d.openFile(blobPath(e.ref))
	if err != nil {
		return err.Error(), nil
	}
	defer f.Close()
	sum, n, err := hashFile(ctx, f, c.pace)
	c.o.Note(func(r *Report) { r.Reread, r.RereadBytes = r.Reread+1, r.RereadBytes+n })
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return err.Error(), nil
	case sum != e.ref:
		c.o.Note(func(r *Report) { r.DestDamaged++ })
		return fmt.Sprintf("its SHA-256 is %s", sum), nil
	}
	c.again.ledger.note(e.ref, c.again.now, wasRead)
	c.o.Note(func(r *Report) { r.oldest(c.again.now) })
	return "", nil
}

// copyAgain copies a blob from the repository, and notes it.
func (c *creation) copyAgain(ctx context.Context, b files.BlobName, e entry) (entry, string, error) {
	f, size, err := c.src.Blobs.Open(e.ref)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return e, "it is missing", nil
	case err != nil:
		return e, err.Error(), nil
	}
	defer f.Close()
	if b.Size >= 0 && size != b.Size {
		return e, fmt.Sprintf("it has %d bytes and should have %d", size, b.Size), nil
	}
	in := &reader{r: f, pace: c.pace}
	e.size, err = c.store.Fill(ctx, in, e.ref, nil)
	switch {
	case err == nil:
		c.again.ledger.note(e.ref, c.again.now, wasCopied)
		c.o.Note(func(r *Report) {
			r.Copied, r.CopiedBytes = r.Copied+1, r.CopiedBytes+e.size
			r.oldest(c.again.now)
		})
		return e, "", nil
	case ctx.Err() != nil:
		return e, "", context.Cause(ctx)
	case in.err != nil:
		return e, in.err.Error(), nil
	case errors.Is(err, blobs.ErrDamaged):
		return e, "its bytes have another SHA-256", nil
	}
	return e, "", err
}

// oldest notes when a blob of the backups was compared with its digest.
func (r *Report) oldest(at time.Time) {
	if r.OldestRead == nil || at.Before(*r.OldestRead) {
		r.OldestRead = &at
	}
}

// destProblem notes damage of older snapshots, which does not make the new one less complete.
func (c *creation) destProblem(p Problem) {
	c.o.Note(func(r *Report) {
		if r.OlderCount++; len(r.Older) < maxNamed {
			r.Older = append(r.Older, p)
		}
	})
}
