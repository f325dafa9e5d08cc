package cli

import "testing"

// A round that was asked for and has not begun is not over, however the one before ended.
func TestMirrorRoundIsNotTheOneBefore(t *testing.T) {
	j := &mirrorJob{wake: make(chan struct{}, 1)}
	j.asked, j.now = 1, mirrorReport{Round: 1, Over: true, Read: 3}
	j.last = j.now
	asked := mirrorTask{}.do(j)
	if asked.Round != 2 {
		t.Fatalf("round %d, want 2", asked.Round)
	}
	if r := (mirrorTask{Round: asked.Round}).do(j); r.Over || r.Read != 0 {
		t.Errorf("the round before is told: %+v", r)
	}
	if r := (mirrorTask{Round: 1}).do(j); !r.Over || r.Read != 3 {
		t.Errorf("the round is forgotten: %+v", r)
	}
}
