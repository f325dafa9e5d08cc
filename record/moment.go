package record

import "time"

// Moment reads a date of a request: a day, which stands for 00:00 of it in UTC, or a time, in UTC
// where it names no zone. It is false for anything else, and for times outside the years 0 to
// 9999.
func Moment(text string) (time.Time, bool) {
	for _, form := range []string{"2006-01-02", time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(form, text); err == nil {
			t = t.UTC()
			return t, t.Year() >= 0 && t.Year() <= 9999
		}
	}
	return time.Time{}, false
}
