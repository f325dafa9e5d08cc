package handlers

import "testing"

// The beginning of an order is wanted when it is asked for often, is kept until the next
// commit, and no longer.
func TestStretches(t *testing.T) {
	s := newStretches()
	one, two := stretchKey{kind: "articles", order: "views"}, stretchKey{kind: "articles", order: "views", ascending: true}
	made := &stretch{}
	for n := 1; n < 2*worthIt; n++ {
		if got, wanted := s.find(one, 7); got != nil || wanted != (n == worthIt) {
			t.Errorf("asked for %d times: %v, wanted %v", n, got, wanted)
		}
	}
	s.keep(one, 7, made)
	if got, _ := s.find(one, 7); got != made {
		t.Error("what is kept is not found")
	}
	if got, _ := s.find(two, 7); got != nil {
		t.Error("another order is found")
	}
	if got, _ := s.find(one, 6); got != nil {
		t.Error("it is found by who has counted fewer commits")
	}
	if got, _ := s.find(one, 8); got != nil {
		t.Error("it is found after another commit")
	}
	s.keep(one, 7, made) // its reader was slow
	if got, _ := s.find(one, 8); got != nil {
		t.Error("what was read before a commit is found after it")
	}
	for n := range int64(10 * stretchesMax) {
		for range worthIt {
			key := stretchKey{pickPrefixIndex: 1, asked: n}
			if _, wanted := s.find(key, 9); wanted {
				s.keep(key, 9, made)
			}
		}
	}
	if len(s.kept) > stretchesMax || len(s.asked) > stretchesMax {
		t.Errorf("%d are kept and %d noted, want %d at most", len(s.kept), len(s.asked), stretchesMax)
	}
}
