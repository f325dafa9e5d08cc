package record

import (
	"encoding/json"
	"testing"
	"time"
)

// Dates as requests write them.
func TestMoment(t *testing.T) {
	for text, want := range map[string]string{
		"2026-02-03": "2026-02-03T00:00:00Z", "2026-02-03T04:05:06": "2026-02-03T04:05:06Z", "2026-02-03 04:05:06": "2026-02-03T04:05:06Z",
		"2026-02-03T04:05:06Z": "2026-02-03T04:05:06Z", "2026-02-03T04:05:06+02:00": "2026-02-03T02:05:06Z", "2024-02-29": "2024-02-29T00:00:00Z",
		"9999-12-31": "9999-12-31T00:00:00Z", "9999-12-31T23:59:59-01:00": "", "0000-01-01T00:00:00+01:00": "",
		"": "", "0": "", "2026": "", "2026-2-3": "", "2025-02-29": "", "0000-00-00": "", "2026-02-03T24:00:00": "", "2026-02-03 ": "", "10000-01-01": "",
	} {
		got, ok := Moment(text)
		if ok != (want != "") || ok && got.Format(time.RFC3339) != want {
			t.Errorf("%q: %v, %t, want %q", text, got, ok, want)
		}
	}
}

// A moment can be stored and comes back the same.
func FuzzMoment(f *testing.F) {
	for _, text := range []string{"2026-02-03", "2026-02-03 04:05:06", "9999-12-31T23:59:59-01:00", "0000-01-01", "2026-02-03T04:05:06.7+14:00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := Moment(text)
		if !ok {
			return
		}
		b, err := json.Marshal(got)
		var back time.Time
		if err == nil {
			err = json.Unmarshal(b, &back)
		}
		if err != nil || !back.Equal(got) || got.Location() != time.UTC {
			t.Errorf("%q is %v, stored %s, read %v: %v", text, got, b, back, err)
		}
	})
}
