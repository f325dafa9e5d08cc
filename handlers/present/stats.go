package present

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"

	"alcove/record"
)

// CounterTotal is one counter of statistics.
type CounterTotal struct {
	Totals int64 `json:"totals"`
}

// CounterTotals are all of them.
type CounterTotals struct {
	Views     int64 `json:"views"`
	Downloads int64 `json:"downloads"`
	Shares    int64 `json:"shares"`
	Cites     int64 `json:"cites"`
}

// Totals are counts as statistics show them.
func Totals(c record.Counts) CounterTotals {
	return CounterTotals{c.Views, c.Downloads, c.Shares, c.Cites}
}

// UsageTimeline is when something was used: a number for each day, month or year that has one, or under "total".
type UsageTimeline struct {
	Timeline map[string]int64 `json:"timeline"`
}

// UsageBreakdown is from where something was used: under the keys of UsageTimeline the countries, and in each its cities,
// with the sum under "total".
type UsageBreakdown struct {
	Breakdown map[string]map[string]map[string]int64 `json:"breakdown"`
}

// UsageTop is what was used most: numbers under ids.
type UsageTop struct {
	Top map[string]int64 `json:"top"`
}

// MarshalJSON writes the highest number first.
func (u UsageTop) MarshalJSON() ([]byte, error) {
	ids := slices.SortedFunc(maps.Keys(u.Top), func(a, b string) int {
		return cmp.Or(cmp.Compare(u.Top[b], u.Top[a]), cmp.Compare(len(b), len(a)), cmp.Compare(b, a))
	})
	var b bytes.Buffer
	b.WriteString(`{"top":{`)
	for i, id := range ids {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Quote(id) + ":" + strconv.FormatInt(u.Top[id], 10))
	}
	b.WriteString("}}")
	return b.Bytes(), nil
}
