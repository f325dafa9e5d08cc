package check

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"

	"alcove/bucket"
	"alcove/bucket/damage"
)

// stage is a part of a check. One that was interrupted begins again, but for that of blobs.
type stage struct {
	name string
	done float64 // percent of a check, at its end
}

var stages = []stage{{"pages", 15}, {"log", 20}, {"tables", 30}, {"search", 35}, {"blobs", 90}, {"strays", 92}, {"ocfl", 100}}

// parts are what the stages do, in the same order.
func (k *Checker) parts() []func(context.Context, *pass) error {
	return []func(context.Context, *pass) error{k.pages, k.log, k.tables, k.search, k.eachBlob, k.unreferenced, k.preserved}
}

// pass is a check that runs.
type pass struct {
	Request
	pace func(n int)
	hurt map[string]bool // buckets of the database that cannot be read
}

// run makes a check, or what is left of it. Damage in the middle of a page can bring about a
// panic in the library that reads the database: that ends the stage, and is named.
func (k *Checker) run(ctx context.Context, ask Request) error {
	debug.SetPanicOnFault(true)
	p := &pass{Request: ask, pace: pacer(ctx, ask.Rate), hurt: map[string]bool{}}
	from := 0
	k.note(func(s *state) {
		from = s.Stage
		for _, b := range s.Hurt {
			p.hurt[b] = true
		}
	})
	parts := k.parts()
	for i := from; i < len(stages); i++ {
		k.note(func(s *state) {
			if s.Stage != i {
				s.Stage, s.After = i, ""
			}
			s.Report.Stage = stages[i].name
			if i > 0 {
				s.Report.Percent = max(s.Report.Percent, stages[i-1].done)
			}
			s.Hurt = slices.Sorted(maps.Keys(p.hurt))
		})
		k.save()
		before := k.Report()
		if err := k.guarded(ctx, stages[i].name, func() error { return parts[i](ctx, p) }); err != nil {
			if stages[i].name != "blobs" { // what it found will be found again
				k.note(func(s *state) { s.Report = before })
			}
			return err
		}
	}
	return nil
}

func (k *Checker) guarded(ctx context.Context, name string, fn func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			k.found(Problem{Kind: damage.OfPage, Reason: fmt.Sprintf("the %s cannot be checked to the end: %v", name, r)})
		} else if err != nil && ctx.Err() == nil {
			k.found(Problem{Kind: damage.OfPage, Reason: fmt.Sprintf("the %s cannot be checked to the end: %s", name, firstLine(err))})
			err = nil
		}
	}()
	return fn()
}

// pages goes through the file of the database. While very much is written it reads what is
// stored instead, which keeps no page from being used again and tells nothing of free pages.
func (k *Checker) pages(ctx context.Context, p *pass) error {
	read, size := int64(0), max(1, k.DB.FileSize())
	pace := func(n int) {
		p.pace(n)
		if read += int64(n); read%(1<<20) < int64(n) {
			k.progress("pages", float64(read)/float64(size))
		}
	}
	told := map[string]bool{} // what the walk has found before it was given up
	var harmed []damage.Finding
	name := func(f damage.Finding) string { return f.Bucket + "\x00" + string(f.Key) }
	hurt, records, err := k.DB.WalkPages(ctx, pace, func(f damage.Finding) {
		told[name(f)] = true
		harmed = k.finding(f, harmed)
	})
	busy := errors.Is(err, damage.ErrMuchWritten)
	if busy {
		records, err = k.DB.Verify(ctx, p.pace, func(d *damage.Error) {
			if f := d.Finding(); !told[name(f)] {
				harmed = k.finding(f, harmed)
			}
		})
	}
	k.note(func(s *state) { s.Report.Records, s.Report.Busy = records, busy })
	maps.Copy(p.hurt, hurt)
	if err == nil || busy {
		k.repair(ctx, harmed)
	}
	return err
}

// log compares the change log with the records.
func (k *Checker) log(ctx context.Context, p *pass) error {
	var harmed []damage.Finding
	err := k.DB.CheckLog(ctx, p.hurt, p.pace, func(f damage.Finding) { harmed = k.finding(f, harmed) })
	if err == nil {
		k.repair(ctx, harmed)
	}
	return err
}

// repair has records and documents repaired, outside of the transactions in which they were found.
func (k *Checker) repair(ctx context.Context, harmed []damage.Finding) {
	for _, f := range harmed {
		d := &damage.Error{Bucket: f.Bucket, Key: f.Key}
		if ctx.Err() != nil || k.Repair == nil || !bucket.Repairable(d) || !k.Repair(ctx, d) {
			continue
		}
		k.note(func(s *state) {
			for i := range s.Report.Problems {
				p := &s.Report.Problems[i]
				if p.Kind == f.Of && p.Table == f.Table() && p.Key == f.KeyText() && !p.Repaired {
					p.Repaired = true
					s.Report.Repaired++
					return
				}
			}
		})
	}
}

// tables compares indexes with records, and looks for what these name.
func (k *Checker) tables(ctx context.Context, p *pass) error {
	tables := bucket.Tables()
	for i, t := range tables {
		name := t.Name()
		err := k.guarded(ctx, name, func() error {
			return k.DB.CheckTable(ctx, name, p.hurt, p.pace, func(f damage.Finding) { k.finding(f, nil) })
		})
		if err != nil {
			return err
		}
		k.progress("tables", float64(i+1)/float64(len(tables)))
	}
	return nil
}

// search compares the search index with the store.
func (k *Checker) search(ctx context.Context, _ *pass) error {
	if k.Index == nil {
		return nil
	}
	return k.Index.Compare(ctx, func(name, reason string) {
		k.found(Problem{Kind: "search", Table: name, Reason: reason})
	})
}

// progress tells how much of a stage is done.
func (k *Checker) progress(name string, part float64) {
	begin := 0.0
	for _, s := range stages {
		if s.name == name {
			k.note(func(c *state) { c.Report.Percent = begin + min(1, part)*(s.done-begin) })
			return
		}
		begin = s.done
	}
}
