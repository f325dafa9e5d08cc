package site

import (
	"fmt"
	"strings"

	"alcove/bucket"
	"alcove/bucket/counting"
	"alcove/record"
)

// chart is how often an item was seen or downloaded, month by month, as a line of bars.
type chart struct {
	Says string // the same in words
	Bars string // path of an SVG of chartWide by chartHigh
}

const (
	chartMonths = 24
	chartBar    = 10 // wide, with the space beside it
	chartWide   = chartMonths * chartBar
	chartHigh   = 32
)

// charts are those of an item's views and downloads. One without any use, or with more of it than a
// month that can be read tells, has none: the page is there without it.
func charts(tx *bucket.PublicTx, w *Words, item bucket.Pair) (list []chart) {
	last := record.MonthNumber(tx.Now())
	first := last - chartMonths + 1
	months, err := counting.Usage(tx, item, first)
	if err != nil || len(months) == 0 {
		return nil
	}
	var views, downloads [chartMonths]int64
	for number, m := range months {
		if number <= last {
			views[number-first], downloads[number-first] = m.Sum()
		}
	}
	for _, c := range []struct {
		numbers   [chartMonths]int64
		one, many string
	}{{views, w.ViewsOne, w.ViewsMany}, {downloads, w.DownloadsOne, w.DownloadsMany}} {
		if one, some := w.newChart(c.numbers, first, c.one, c.many); some {
			list = append(list, one)
		}
	}
	return list
}

func (w *Words) newChart(numbers [chartMonths]int64, first int64, one, many string) (c chart, some bool) {
	most, at, sum := int64(0), 0, int64(0)
	for i, n := range numbers {
		if sum += n; n > most {
			most, at = n, i
		}
	}
	if sum == 0 {
		return c, false
	}
	var b strings.Builder
	for i, n := range numbers {
		high := n * (chartHigh - 1) / most
		if n > 0 {
			high = max(high, 2)
		}
		fmt.Fprintf(&b, "M%d %dv-%dh%dv%dz", i*chartBar, chartHigh, high+1, chartBar-2, high+1) // a line where there was none
	}
	c.Bars = b.String()
	c.Says = fmt.Sprintf(w.ChartSays, w.Count(int(sum), one, many), w.month(first), w.month(first+chartMonths-1), w.Number(int(most)), w.month(first+int64(at)))
	return c, true
}

// month is a month with its year, in words.
func (w *Words) month(number int64) string {
	t := record.MonthOf(number)
	return fmt.Sprintf("%s %d", w.Months[t.Month()-1], t.Year())
}
