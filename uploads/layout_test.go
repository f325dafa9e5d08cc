package uploads

import (
	"testing"

	"pgregory.net/rapid"
)

func TestPlan(t *testing.T) {
	for _, c := range []struct {
		size  int64
		count int
		last  Part
	}{
		{-1, 0, Part{}},
		{0, 0, Part{}},
		{1, 1, Part{1, 0, 0}},
		{PartSize - 1, 1, Part{1, 0, PartSize - 2}},
		{PartSize, 1, Part{1, 0, PartSize - 1}},
		{PartSize + 1, 2, Part{2, PartSize, PartSize}},
		{23561500, 3, Part{3, 20971520, 23561499}}, // seen at the public service
		{1 << 40, 104858, Part{104858, 104857 * PartSize, 1<<40 - 1}},
		{MaxSize, 419431, Part{419431, 419430 * PartSize, MaxSize - 1}},
	} {
		p := NewLayout(c.size)
		if p.Count() != c.count || p.Size() != max(c.size, 0) {
			t.Errorf("%d bytes: %d parts, want %d", c.size, p.Count(), c.count)
		}
		if last, ok := p.Part(c.count); last != c.last || ok != (c.count > 0) {
			t.Errorf("%d bytes: last part %+v, want %+v", c.size, last, c.last)
		}
		for _, n := range []int{-1, 0, c.count + 1} {
			if _, ok := p.Part(n); ok {
				t.Errorf("%d bytes: there is a part %d", c.size, n)
			}
		}
	}
}

// Parts follow each other without gaps, and all but the last are of one length.
func TestPartsCoverThePlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Layout{size: rapid.Int64Range(0, 500).Draw(t, "size"), part: rapid.Int64Range(1, 60).Draw(t, "part")}
		next := int64(0)
		for n := 1; n <= p.Count(); n++ {
			part, ok := p.Part(n)
			if !ok || part.No != n || part.Start != next || part.Len() < 1 || (n < p.Count() && part.Len() != p.part) {
				t.Fatalf("%+v: part %d is %+v", p, n, part)
			}
			next = part.End + 1
		}
		if next != p.size {
			t.Fatalf("%+v ends at %d", p, next)
		}
	})
}
