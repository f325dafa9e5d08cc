package record

import "time"

// UsageMonth is what readers did with a public item in a month (UTC): a number for each day, from the
// first on, without zeros behind the last.
type UsageMonth struct {
	Views     []int64 `json:"views,omitempty"`
	Downloads []int64 `json:"downloads,omitempty"`
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
