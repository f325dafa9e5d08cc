package record

import (
	"encoding/json"
	"testing"
	"time"
)

// An embargo is over from the second of its end on, not before (security.md C07).
func TestEmbargoDue(t *testing.T) {
	end := time.Date(2028, 2, 29, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		e    Embargo
		now  time.Time
		want bool
	}{
		{Embargo{Kind: FileEmbargo, Until: end}, end.Add(-time.Second), false},
		{Embargo{Kind: FileEmbargo, Until: end}, end, true},
		{Embargo{Kind: ArticleEmbargo, Until: end}, end.Add(time.Second), true},
		{Embargo{Kind: FileEmbargo}, end, false},
		{Embargo{}, end, false},
		{Embargo{Until: end}, end, false},
	} {
		if got := c.e.Due(c.now); got != c.want || (c.e.At(c.now).Kind == NoEmbargo) != (c.want || c.e.Kind == NoEmbargo) {
			t.Errorf("%+v at %v: due %v", c.e, c.now, got)
		}
	}
}

// Dates are UTC, a day begins at 00:00, a part of a second counts as a whole.
func TestEmbargoDates(t *testing.T) {
	now := time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"2026-03-30": "2026-03-30T00:00:00Z", "2028-02-29": "2028-02-29T00:00:00Z", "2026-03-29T12:00:01": "2026-03-29T12:00:01Z",
		"2026-03-29 12:00:01": "2026-03-29T12:00:01Z", "2026-03-29T14:00:01+02:00": "2026-03-29T12:00:01Z", "2026-03-29T12:00:00.001Z": "2026-03-29T12:00:01Z",
		"2038-01-19T03:14:08": "2038-01-19T03:14:08Z", "9999-12-31": "9999-12-31T00:00:00Z",
		"2026-03-29T12:00:00": "", "2026-03-29": "", "1999-01-01": "", "0001-01-01": "", "0000-01-01": "", "9999-12-31T23:59:59-00:01": "",
		"2027-02-29": "", "2026-3-30": "", "10000-01-01": "", "30.03.2026": "", "00": "", "-1": "", " 2027-01-01": "", "1893456000": "", "": "",
	} {
		on, kind := true, "file"
		e, err := (&EmbargoBody{IsEmbargoed: &on, Type: &kind, Date: &embargoDate{text, true}}).Apply(Embargo{}, now)
		if want == "" {
			if err != ErrEmbargoDate {
				t.Errorf("%q: %v, %v", text, e.Until, err)
			}
		} else if err != nil || e.Until.Format(time.RFC3339) != want || e.Permanent() {
			t.Errorf("%q: %v, %v, want %s", text, e.Until, err, want)
		}
	}
}

// FuzzEmbargoBody: whatever a body says, an embargo that comes of it has an end in the
// future or is permanent and on files, and can be stored.
func FuzzEmbargoBody(f *testing.F) {
	for _, s := range []string{
		`{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2999-01-01"}`, `{"is_embargoed": true, "embargo_type": "article", "embargo_date": "0"}`,
		`{"embargo_date": null}`, `{"is_embargoed": false}`, `{"embargo_type": "article", "embargo_options": [{"id": 1, "group_ids": null}]}`,
		`{"is_embargoed": true, "embargo_type": "article", "embargo_date": "9999-12-31T23:59:59-23:59"}`,
	} {
		f.Add([]byte(s), true)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text []byte, before bool) {
		parsed, err := ReadBody(text, true)
		if err != nil {
			return
		}
		body := new(EmbargoBody)
		if _, err := parsed.Bind(body); err != nil || body.Check() != nil {
			return
		}
		var old Embargo
		if before {
			old = Embargo{Kind: FileEmbargo, Title: "old"}
		}
		e, err := body.Apply(old, now)
		if err != nil {
			return
		}
		if e.Due(now) || e.Kind == ArticleEmbargo && e.Until.IsZero() || e.Kind != NoEmbargo && e.Kind != ArticleEmbargo && e.Kind != FileEmbargo {
			t.Errorf("%s made %+v", text, e)
		}
		if _, err := json.Marshal(e); err != nil {
			t.Errorf("%s made %+v: %v", text, e, err)
		}
	})
}
