package ocfl

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"alcove/blobs"
	format "alcove/blobs/ocfl"
	"alcove/bucket"
)

// item makes the object of an item what the item is. Of one that is not public there is none.
func (s *Service) item(ctx context.Context, item bucket.Pair) error {
	if kinds[item.A] == "" {
		return fmt.Errorf("cannot keep an item of kind %d", item.A)
	}
	id := s.id(item)
	var numbers []int
	err := s.DB.View(func(tx *bucket.Tx) (err error) {
		numbers, err = s.Source.Numbers(tx, item.A, item.B)
		return err
	})
	if err != nil {
		return err
	}
	inv, err := s.root.Inventory(id)
	gone := errors.Is(err, fs.ErrNotExist)
	switch {
	case len(numbers) == 0:
		if err := s.root.Remove(id); err != nil || gone {
			return err
		}
		s.removed.Add(1)
		return nil
	case gone:
		inv = nil
	case err != nil:
		return fmt.Errorf("%w; put the directory %s aside, and it is written again", err, format.PathOf(id))
	}
	plan, err := s.plan(item, numbers, inv)
	if err != nil || len(plan.add) == 0 {
		return err
	}
	if plan.whole {
		inv = nil
	}
	if err := s.write(ctx, item, id, inv, plan.add); err != nil {
		return err
	}
	s.written.Add(1)
	return nil
}

// plan is what an object lacks.
type plan struct {
	whole bool // it is written whole, as it has what the public sees no more
	add   []addition
}

// addition is a public version that an object gets, and why.
type addition struct {
	number int
	why    string
}

// plan compares an object, nil for none, with the public versions of its item. The newest version of an object is always
// that of the latest public version: after an earlier one was corrected, the latest follows again.
func (s *Service) plan(item bucket.Pair, numbers []int, inv *format.Inventory) (plan, error) {
	var p plan
	if inv == nil {
		p.whole = true
		for _, n := range numbers {
			p.add = append(p.add, addition{n, ""})
		}
		return p, nil
	}
	stale := inv.Digests("files") // bytes that no public version has
	before := inv.Newest()
	for _, n := range numbers {
		v, err := s.version(item, n)
		if err != nil {
			return p, err
		}
		for i := range v.Files {
			delete(stale, v.Files[i].SHA256)
		}
		old, known := before[n]
		delete(before, n)
		state := format.StateOf(v.Files)
		switch {
		case !known:
			p.add = append(p.add, addition{n, ""})
		case sum(old.State) != sum(state):
			why, err := difference(&old, v.Files)
			if err != nil {
				return p, err
			}
			p.add = append(p.add, addition{n, why})
		}
	}
	if len(stale) > 0 || len(before) > 0 {
		return s.plan(item, numbers, nil)
	}
	head, newest := inv.HeadVersion(), numbers[len(numbers)-1]
	at := head.Public()
	if len(p.add) > 0 {
		at = p.add[len(p.add)-1].number
	}
	if at != newest {
		p.add = append(p.add, addition{newest, "again, as it is the latest"})
	}
	return p, nil
}

// sum tells states apart without regard to the white space between their parts.
func sum(state []byte) uint64 {
	h := fnv.New64a()
	h.Write([]byte(strings.Join(strings.Fields(string(state)), " ")))
	return h.Sum64()
}

// difference says what the public sees otherwise than before.
func difference(old *format.Version, files []format.File) (string, error) {
	before, err := old.Paths()
	if err != nil {
		return "", err
	}
	had, has, same := 0, 0, 0
	for _, paths := range before {
		for _, p := range paths {
			if strings.HasPrefix(p, "files/") {
				had++
			}
		}
	}
	for i := range files {
		if f := &files[i]; strings.HasPrefix(f.Path, "files/") {
			has++
			if slices.Contains(before[f.SHA256], f.Path) {
				same++
			}
		}
	}
	switch {
	case had == 0 && has > 0:
		return "its files became public", nil
	case had != has || same != has:
		return "the files that the public gets changed", nil
	}
	return "what describes it changed", nil
}

// version reads a public version of an item.
func (s *Service) version(item bucket.Pair, number int) (v *Version, err error) {
	err = s.DB.View(func(tx *bucket.Tx) (err error) {
		v, err = s.Source.Version(tx, item.A, item.B, number)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read version %d of %s: %w", number, name(item), err)
	}
	return v, nil
}

// write adds versions to an object, nil for one that is made.
func (s *Service) write(ctx context.Context, item bucket.Pair, id string, inv *format.Inventory, add []addition) error {
	change, err := s.root.Begin(id, inv, func(f *format.File, to string) error { return s.place(ctx, f, to) })
	if err != nil {
		return err
	}
	for _, a := range add {
		v, err := s.version(item, a.number)
		if err != nil {
			return err
		}
		why := a.why
		if why == "" {
			why = "published on " + v.Published.UTC().Format("2006-01-02")
		}
		if err := change.Add(v.Files, format.Message(a.number, why), s.By, s.DB.Time()); err != nil {
			return errors.Join(err, s.root.Clean())
		}
	}
	return change.Commit()
}

// place gives a blob a name in an object, or where the file system cannot, copies it.
func (s *Service) place(ctx context.Context, f *format.File, to string) error {
	ref, err := blobs.ParseRef(f.SHA256)
	if err != nil {
		return err
	}
	if s.Link != nil {
		if err := s.Link(ref, f.Size, to); !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	b, err := s.Blobs.Read(ref, f.Size, f.CRC32)
	if err != nil {
		return err
	}
	defer b.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err = copyBlob(ctx, out, b); err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

// copyBlob copies a blob, a MiB after the other, each of which is known to be what was stored.
func copyBlob(ctx context.Context, to io.Writer, b blobs.Blob) error {
	const piece = 1 << 20
	for at := int64(0); at < b.Size(); at += piece {
		end := min(at+piece, b.Size())
		if err := b.Check(ctx, at, end); err != nil {
			return err
		}
		if _, err := io.Copy(to, io.NewSectionReader(b, at, end-at)); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
