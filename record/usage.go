package record

import (
	"iter"
	"time"
)

// UsageMonth is what readers did in a month (UTC) with a public item, or with those of an author or in a group: a number for each day, from the
// first on, without zeros behind the last.
type UsageMonth struct {
	Views     []int64 `json:"views,omitempty"`
	Downloads []int64 `json:"downloads,omitempty"`
	Shares    []int64 `json:"shares,omitempty"`
}

// Add counts on a day of the month, from 1 on.
func (m *UsageMonth) Add(day int, more Counts) {
	add := func(list *[]int64, n int64) {
		if n == 0 {
			return
		}
		for len(*list) < day {
			*list = append(*list, 0)
		}
		(*list)[day-1] += n
	}
	add(&m.Views, more.Views)
	add(&m.Downloads, more.Downloads)
	add(&m.Shares, more.Shares)
}

// Sum is the use of the whole month.
func (m *UsageMonth) Sum() (views, downloads int64) {
	for _, n := range m.Views {
		views += n
	}
	for _, n := range m.Downloads {
		downloads += n
	}
	return views, downloads
}

// MonthNumber counts months, so that the difference of two is the time between them.
func MonthNumber(t time.Time) int64 {
	t = t.UTC()
	return int64(t.Year())*12 + int64(t.Month()) - 1
}

// MonthOf is the beginning of a month.
func MonthOf(number int64) time.Time {
	return time.Date(int(number/12), time.Month(number%12)+1, 1, 0, 0, 0, 0, time.UTC)
}

// Of are the numbers of a counter. Cites have none.
func (m *UsageMonth) Of(n Counter) []int64 {
	switch n {
	case Views:
		return m.Views
	case Downloads:
		return m.Downloads
	case Shares:
		return m.Shares
	}
	return nil
}

// Days are the days from one to another, with both, at 00:00 UTC.
type Days struct{ From, To time.Time }

// MonthSoFar are the days of a month up to one of them.
func MonthSoFar(now time.Time) Days {
	y, m, d := now.UTC().Date()
	return Days{time.Date(y, m, 1, 0, 0, 0, 0, time.UTC), time.Date(y, m, d, 0, 0, 0, 0, time.UTC)}
}

// In yields those of the days of a month that have a number, with it.
func (d Days) In(month int64, numbers []int64) iter.Seq2[time.Time, int64] {
	return func(yield func(time.Time, int64) bool) {
		first := MonthOf(month)
		for i, n := range numbers {
			day := first.AddDate(0, 0, i)
			if n == 0 || day.Before(d.From) || day.After(d.To) {
				continue
			}
			if !yield(day, n) {
				return
			}
		}
	}
}
