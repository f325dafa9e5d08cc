package endpoint

import "testing"

func TestByteBudget(t *testing.T) {
	r := newByteBudget(10)
	if !r.take(6) || r.take(5) || !r.take(4) || r.take(1) {
		t.Error("more was taken than there is, or less")
	}
	r.give(4)
	if r.take(5) || !r.take(4) {
		t.Error("what was given back is not what can be taken")
	}
}
