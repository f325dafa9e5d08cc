package articles

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"alcove/record"
	"alcove/tests/world"
)

// A bound of once in a time goes by the clock, not by the date of the last change: a clock that
// was a year ahead locks no account out for a year, and once it is right the bound holds again.
func TestWaitsAfterWrongClock(t *testing.T) {
	t.Parallel()
	begun := time.Now().Add(-100 * time.Hour).Truncate(time.Second)
	var hours atomic.Int64
	s := startAt(t, func() time.Time { return begun.Add(time.Duration(hours.Load()) * time.Hour) })
	root := s.Person("Root", true)
	list := fmt.Sprintf("/v2/account/institution/custom_fields/%d/items/upload", s.Field(record.Field{
		GroupID: s.Group("Sciences", 0), Name: "Tools", Type: record.FieldLargeList, Options: []string{"net"},
	}))
	report := func() *world.Reply { return s.Ada.Send("POST", world.ExportAt, "") }
	options := func() *world.Reply { return root.Form(list, "external_file", "Tool\nnet\nrod\n") }
	const year = 365 * 24
	for _, step := range []struct {
		at              int64
		report, options int
	}{
		{0, 200, 200}, {0, 429, 409}, {1, 429, 200}, {24, 200, 200},
		{year, 200, 200}, {year, 429, 409}, // the clock is ahead
		{26, 200, 200}, {26, 429, 409}, {27, 429, 200}, {50, 200, 200}, {50, 429, 409}, // and right again
	} {
		hours.Store(step.at)
		r, o := report(), options()
		if r.StatusCode != step.report || o.StatusCode != step.options {
			t.Errorf("hour %d: a report %d, want %d; options %d, want %d", step.at, r.StatusCode, step.report, o.StatusCode, step.options)
		}
		var wait int
		if fmt.Sscan(r.Header.Get("Retry-After"), &wait); (r.StatusCode == 429) != (wait > 0) || wait > 24*60*60 {
			t.Errorf("hour %d: Retry-After is %d", step.at, wait)
		}
	}
}
