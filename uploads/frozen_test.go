package uploads

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"alcove/blobs"
)

// received returns a desk at which every part of data has arrived.
func received(t *testing.T, layout Layout, data []byte) *desk {
	t.Helper()
	d := newDesk(t)
	for n := 1; n <= layout.Count(); n++ {
		if err := d.put(t.Context(), layout, n, piece(data, layout, n)); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func TestDamageOnDiskIsFound(t *testing.T) {
	layout := Layout{size: 1_000_003, part: 100_000}
	data := noise(int(layout.size), 1)
	flip := func(at ...int64) func(d *desk) error {
		return func(d *desk) error {
			f, err := os.OpenFile(d.path(), os.O_WRONLY, 0)
			for _, at := range at {
				_, e := f.WriteAt([]byte{^data[at]}, at)
				err = errors.Join(err, e)
			}
			return errors.Join(err, f.Close())
		}
	}
	for name, c := range map[string]struct {
		spoil func(d *desk) error
		want  []int
	}{
		"first byte":        {flip(0), []int{1}},
		"last byte":         {flip(1_000_002), []int{11}},
		"end of part 3":     {flip(299_999), []int{3}},
		"start of part 4":   {flip(300_000), []int{4}},
		"several":           {flip(10, 20, 450_000, 1_000_001), []int{1, 5, 11}},
		"truncated":         {func(d *desk) error { return os.Truncate(d.path(), 850_000) }, []int{9, 10, 11}},
		"truncated to none": {func(d *desk) error { return os.Truncate(d.path(), 0) }, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
		"not recorded":      {func(d *desk) error { delete(d.crcs, 7); return nil }, []int{7}},
	} {
		d := received(t, layout, data)
		if err := c.spoil(d); err != nil {
			t.Fatal(err)
		}
		_, _, err := d.complete(t, layout)
		damaged, ok := errors.AsType[*PartDamaged](err)
		if !ok || !slices.Equal(damaged.Parts, c.want) || damaged.More {
			t.Errorf("%s: %v %+v, want %v", name, err, damaged, c.want)
			continue
		}
		if _, err := d.store.Stat(sumsOf(t, data).SHA256); err == nil {
			t.Errorf("%s: it became a blob", name)
		}
		// Only the damaged parts are sent again.
		for _, n := range c.want {
			if err := d.put(t.Context(), layout, n, piece(data, layout, n)); err != nil {
				t.Fatal(err)
			}
		}
		if sums, _, err := d.complete(t, layout); err != nil || sums != sumsOf(t, data) {
			t.Errorf("%s: %v", name, err)
		}
		d.mustHold(t, data)
	}
}

func TestVerifyRefuses(t *testing.T) {
	layout := Layout{size: 1_000_000, part: 100_000}
	data := noise(int(layout.size), 2)

	d := received(t, layout, data)
	if err := os.Truncate(d.path(), layout.size+1); err != nil {
		t.Fatal(err)
	}
	_, _, err := d.complete(t, layout)
	if !errors.Is(err, blobs.ErrDamaged) || strings.Contains(err.Error(), token) {
		t.Errorf("a byte too many: %v", err)
	}

	if err := os.Remove(d.path()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.complete(t, layout); !errors.Is(err, ErrNotStaged) {
		t.Errorf("no file: %v", err)
	}
	f, err := d.staging.Freeze(token)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(t.Context(), sumsOf(t, data)); err == nil || strings.Contains(err.Error(), token) {
		t.Errorf("committed nothing: %v", err)
	}
	f.Release()

	d = received(t, layout, data)
	gone := errors.New("the server is stopping")
	ctx, cancel := context.WithCancelCause(t.Context())
	if f, err = d.staging.Freeze(token); err != nil {
		t.Fatal(err)
	}
	defer f.Release()
	_, _, err = f.Verify(ctx, layout, func(n int) (uint32, bool) {
		cancel(gone)
		return d.recorded(n)
	})
	if !errors.Is(err, gone) {
		t.Errorf("cancelled: %v", err)
	}
	if sums, _, err := f.Verify(t.Context(), layout, d.recorded); err != nil || sums != sumsOf(t, data) {
		t.Errorf("cannot verify after a cancelled verification: %v", err)
	}
}

func TestDamageReportIsBounded(t *testing.T) {
	for count, more := range map[int64]bool{MaxDamaged: false, MaxDamaged + 1: true} {
		layout := Layout{size: count * 4, part: 4}
		d := newDesk(t)
		if err := d.put(t.Context(), Layout{size: layout.size, part: layout.size}, 1, endlessOf(layout.size)); err != nil {
			t.Fatal(err)
		}
		clear(d.crcs)
		_, _, err := d.complete(t, layout)
		damaged, ok := errors.AsType[*PartDamaged](err)
		if !ok || len(damaged.Parts) != MaxDamaged || damaged.More != more {
			t.Errorf("%d parts: %v", count, err)
		}
	}
}

func TestSameFileTwiceIsKeptOnce(t *testing.T) {
	layout := Layout{size: 500_000, part: 200_000}
	data := noise(int(layout.size), 3)
	d := received(t, layout, data)
	if _, _, err := d.complete(t, layout); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= layout.Count(); n++ {
		if err := d.put(t.Context(), layout, n, piece(data, layout, n)); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := d.complete(t, layout); err != nil {
		t.Fatal(err)
	}
	d.mustHold(t, data)
}
