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

	Regular MetricDays `json:"regular,omitzero"` // COUNTER's metrics of what people did
	Machine MetricDays `json:"machine,omitzero"` // and of the programs that they run

	Countries map[string]CountryDays `json:"countries,omitempty"` // what of the first three came from where, as far as that is known
}

// CountryDays are the numbers of a country, as UsageMonth has its own.
type CountryDays struct {
	Views     []int64 `json:"views,omitempty"`
	Downloads []int64 `json:"downloads,omitempty"`
	Shares    []int64 `json:"shares,omitempty"`
}

// mostCountries bounds the names that one month has; there are some 250 countries.
const mostCountries = 300

// Metrics are those of COUNTER for data sets (Code of Practice for Research Data, release 1). A request
// is an investigation too.
type Metrics struct {
	TotalInvestigations, UniqueInvestigations, TotalRequests, UniqueRequests int64
}

// Plus are the sums of two.
func (m Metrics) Plus(n Metrics) Metrics {
	return Metrics{
		m.TotalInvestigations + n.TotalInvestigations, m.UniqueInvestigations + n.UniqueInvestigations,
		m.TotalRequests + n.TotalRequests, m.UniqueRequests + n.UniqueRequests,
	}
}

// Within are the metrics of the days of a month that are among some.
func (m *MetricDays) Within(days Days, month int64) Metrics {
	sum := func(numbers []int64) (n int64) {
		for _, one := range days.In(month, numbers) {
			n += one
		}
		return n
	}
	return Metrics{sum(m.TotalInvestigations), sum(m.UniqueInvestigations), sum(m.TotalRequests), sum(m.UniqueRequests)}
}

// MetricDays are Metrics for each day of a month, as UsageMonth has its numbers.
type MetricDays struct {
	TotalInvestigations  []int64 `json:"total_investigations,omitempty"`
	UniqueInvestigations []int64 `json:"unique_investigations,omitempty"`
	TotalRequests        []int64 `json:"total_requests,omitempty"`
	UniqueRequests       []int64 `json:"unique_requests,omitempty"`
}

// Used is what is counted of an item: Counts as the API has them, and COUNTER's metrics beside them.
type Used struct {
	Counts
	Regular, Machine Metrics
}

// Add counts on a day of the month, from 1 on.
func (m *UsageMonth) Add(day int, more Used) {
	addDay(&m.Views, day, more.Views)
	addDay(&m.Downloads, day, more.Downloads)
	addDay(&m.Shares, day, more.Shares)
	m.Regular.add(day, more.Regular)
	m.Machine.add(day, more.Machine)
}

// From adds what of Add came from a country, "" for an unknown one.
func (m *UsageMonth) From(country string, day int, more Counts) {
	of, known := m.Countries[country]
	if country == "" || !known && len(m.Countries) == mostCountries {
		return
	}
	addDay(&of.Views, day, more.Views)
	addDay(&of.Downloads, day, more.Downloads)
	addDay(&of.Shares, day, more.Shares)
	if !known && of.Views == nil && of.Downloads == nil && of.Shares == nil {
		return
	}
	if m.Countries == nil {
		m.Countries = map[string]CountryDays{}
	}
	m.Countries[country] = of
}

func (m *MetricDays) add(day int, more Metrics) {
	addDay(&m.TotalInvestigations, day, more.TotalInvestigations)
	addDay(&m.UniqueInvestigations, day, more.UniqueInvestigations)
	addDay(&m.TotalRequests, day, more.TotalRequests)
	addDay(&m.UniqueRequests, day, more.UniqueRequests)
}

func addDay(list *[]int64, day int, n int64) {
	if n == 0 {
		return
	}
	for len(*list) < day {
		*list = append(*list, 0)
	}
	(*list)[day-1] += n
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
func (m *UsageMonth) Of(n Counter) []int64 { return numbersOf(n, m.Views, m.Downloads, m.Shares) }

// Of are the numbers of a counter. Cites have none.
func (d CountryDays) Of(n Counter) []int64 { return numbersOf(n, d.Views, d.Downloads, d.Shares) }

func numbersOf(n Counter, views, downloads, shares []int64) []int64 {
	switch n {
	case Views:
		return views
	case Downloads:
		return downloads
	case Shares:
		return shares
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
