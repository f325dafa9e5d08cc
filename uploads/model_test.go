package uploads

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// TestRandomSchedules plays uploads against a model: which bytes each complete part has. After
// every step the disk holds those bytes, whatever was refused, broken, restarted or removed before,
// and completing succeeds exactly when every part is complete.
func TestRandomSchedules(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		layout := Layout{size: rapid.Int64Range(0, 40).Draw(t, "size"), part: 10}
		d := &desk{dir: dir, crcs: map[int]uint32{}}
		d.open(t)
		defer func() {
			d.close()
			os.Remove(d.path())
		}()
		model := map[int][]byte{} // the complete parts
		open := map[int]*Writer{} // locks held besides

		anyPart := func(t *rapid.T) int { return rapid.IntRange(0, layout.Count()+1).Draw(t, "part") }
		t.Repeat(map[string]func(*rapid.T){
			"lock": func(t *rapid.T) {
				n := anyPart(t)
				w, err := d.staging.Begin(token, layout, n)
				_, exists := layout.Part(n)
				switch {
				case !exists && errors.Is(err, ErrNoSuchPart):
				case open[n] != nil && errors.Is(err, ErrLocked):
				case exists && open[n] == nil && err == nil:
					open[n] = w
				default:
					t.Fatalf("Begin(%d): %v", n, err)
				}
			},
			"release": func(t *rapid.T) {
				n := anyPart(t)
				if w := open[n]; w != nil {
					w.Release()
					delete(open, n)
				}
			},
			"write": func(t *rapid.T) {
				n := anyPart(t)
				part, ok := layout.Part(n)
				if w := open[n]; w != nil {
					w.Release()
					delete(open, n)
				}
				long := rapid.IntRange(-2, 2).Draw(t, "excess")
				if rapid.Bool().Draw(t, "exact") {
					long = 0
				}
				body := rapid.SliceOfN(rapid.Byte(), max(0, int(part.Len())+long), max(0, int(part.Len())+long)).Draw(t, "body")
				r := io.Reader(bytes.NewReader(body))
				broken := rapid.IntRange(0, 4).Draw(t, "broken") == 0
				if broken {
					r = io.MultiReader(r, iotest.ErrReader(io.ErrUnexpectedEOF))
				}
				err := d.put(context.Background(), layout, n, r)
				if ok {
					delete(model, n)
				}
				if good := ok && long == 0 && !broken; good != (err == nil) {
					t.Fatalf("part %d, excess %d, broken %v: %v", n, long, broken, err)
				} else if good {
					model[n] = body
				}
			},
			"restart": func(t *rapid.T) {
				clear(open)
				d.close()
				d.open(t)
			},
			"remove": func(t *rapid.T) {
				if err := d.staging.Remove(token); err != nil {
					t.Fatal(err)
				}
				for n, w := range open {
					if _, err := w.WriteFrom(context.Background(), bytes.NewReader(make([]byte, w.Part().Len()))); !errors.Is(err, ErrRemoved) {
						t.Fatalf("part %d: %v", n, err)
					}
					w.Release()
				}
				clear(open)
				clear(model)
				clear(d.crcs)
				if _, err := os.Lstat(d.path()); !os.IsNotExist(err) {
					t.Fatal("not removed:", err)
				}
			},
			"complete": func(t *rapid.T) {
				f, err := d.staging.Freeze(token)
				if len(open) > 0 {
					if !errors.Is(err, ErrLocked) {
						t.Fatalf("froze %d writers: %v", len(open), err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				defer f.Release()
				var data []byte
				var missing []int
				for n := 1; n <= layout.Count(); n++ {
					if data = append(data, model[n]...); model[n] == nil {
						missing = append(missing, n)
					}
				}
				sums, head, err := f.Verify(context.Background(), layout, d.recorded)
				damaged, ok := errors.AsType[*PartDamaged](err)
				switch {
				case errors.Is(err, ErrNotStaged) && len(missing) == layout.Count() && layout.size > 0:
				case ok && slices.Equal(damaged.Parts, missing):
				case err == nil && len(missing) == 0 && sums == sumsOf(t, data) && bytes.Equal(head, data):
					if err := f.Commit(context.Background(), sums); err != nil {
						t.Fatal(err)
					}
					d.mustHold(t, data)
					clear(model)
					clear(d.crcs)
				default:
					t.Fatalf("missing %v: %+v, %v", missing, sums, err)
				}
			},
			"": func(t *rapid.T) {
				disk, err := os.ReadFile(d.path())
				if err != nil && len(model) > 0 {
					t.Fatal(err)
				}
				for n, want := range model {
					if p, _ := layout.Part(n); !bytes.Equal(disk[p.Start:p.End+1], want) {
						t.Fatalf("part %d is %x, want %x", n, disk[p.Start:p.End+1], want)
					}
				}
				if len(open) == 0 {
					d.mustBeFree(t)
				}
				for n := 1; n <= layout.Count(); n++ {
					if d.staging.Locked(token, n) != (open[n] != nil) {
						t.Fatalf("part %d: locked is wrong", n)
					}
				}
			},
		})
	})
}
