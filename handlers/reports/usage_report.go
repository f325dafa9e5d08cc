package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"alcove/bucket"
	"alcove/bucket/counting"
	"alcove/bucket/published"
	"alcove/handlers/described"
	"alcove/handlers/endpoint"
	"alcove/handlers/lists"
	"alcove/handlers/wire"
	"alcove/record"
	"alcove/record/markup"
)

// How often public items were used in some months: as a table for annual reports, and as a dataset report of COUNTER's
// Code of Practice for Research Data, release 1, which usage hubs take.

// mostMonths is how many months a report may have.
const mostMonths = 120

// reportMonths are the months that a report is about, by number: from and to of the query (YYYY-MM), by default those of
// this year so far.
func reportMonths(c *endpoint.Call) (from, to int64, err error) {
	now := c.Server.DB.Time().UTC()
	first, last := time.Date(now.Year(), 1, 1, 0, 0, 0, 0, time.UTC), now
	for _, f := range []struct {
		name string
		to   *time.Time
	}{{"from", &first}, {"to", &last}} {
		text, sent := c.Query.Find(f.name)
		if !sent {
			continue
		}
		if *f.to, err = time.Parse("2006-01", text); err != nil {
			return 0, 0, record.Wrong(f.name, "must be a month as 2026-01")
		}
	}
	from, to = record.MonthNumber(first), record.MonthNumber(last)
	if from > to || to-from >= mostMonths {
		return 0, 0, record.Wrong("to", fmt.Sprintf("must be a month from the first on, at most %d with it", mostMonths))
	}
	return from, to, nil
}

// usedItem is a public item with its use month by month.
type usedItem struct {
	kind      string
	id        int64
	meta      *record.Metadata
	version   int
	authors   []record.Person
	published time.Time
	page      string
	months    map[int64]record.UsageMonth
}

// usedItems is where a walk over the public items of an admin scope is, by id, articles first.
type usedItems struct {
	api         *Reports
	scope       lists.Scope
	from, to    int64 // months
	collections bool  // the articles are done
	last        int64 // id
}

func (u *usedItems) more(each func(*bucket.Tx, *usedItem) error, full func() bool) (done bool, err error) {
	err = u.api.DB.View(func(tx *bucket.Tx) error {
		if !u.collections {
			for row, err := range published.Articles.Table.From(tx, u.last+1) {
				if err != nil {
					return err
				}
				head := row.Record
				if u.last = head.ID; u.includes(head.InstitutionID, head.GroupID) {
					v, err := published.ArticleVersions.Get(tx, bucket.Pair{A: head.ID, B: int64(head.Latest)})
					if err != nil {
						return fmt.Errorf("cannot report the use of article %d: %w", head.ID, err)
					}
					one := &usedItem{kind: "article", id: head.ID, meta: &v.Metadata, version: v.Version, authors: v.Authors, published: v.First}
					one.page = u.api.Settings.PublicArticle(v).URLPublicHTML
					if err := u.used(tx, record.KindArticle, one, each); err != nil {
						return err
					}
				}
				if full() {
					return nil
				}
			}
			u.collections, u.last = true, 0
		}
		for row, err := range published.Collections.Table.From(tx, u.last+1) {
			if err != nil {
				return err
			}
			head := row.Record
			if u.last = head.ID; u.includes(head.InstitutionID, head.GroupID) {
				v, err := published.CollectionVersions.Get(tx, bucket.Pair{A: head.ID, B: int64(head.Latest)})
				if err != nil {
					return fmt.Errorf("cannot report the use of collection %d: %w", head.ID, err)
				}
				one := &usedItem{kind: "collection", id: head.ID, meta: &v.Metadata, version: v.Version, authors: v.Authors, published: v.First}
				one.page = u.api.Settings.CollectionPage(head.ID, v.Title)
				if err := u.used(tx, record.KindCollection, one, each); err != nil {
					return err
				}
			}
			if full() {
				return nil
			}
		}
		done = true
		return nil
	})
	return done, err
}

func (u *usedItems) includes(institution, group int64) bool {
	return institution == u.scope.Institution && u.scope.Includes(group)
}

func (u *usedItems) used(tx *bucket.Tx, kind int64, one *usedItem, each func(*bucket.Tx, *usedItem) error) (err error) {
	if one.months, err = counting.Usage(tx, bucket.Pair{A: kind, B: one.id}, u.from); err != nil {
		return err
	}
	return each(tx, one)
}

// days are those of the months of a report.
func (u *usedItems) days() record.Days {
	return record.Days{From: record.MonthOf(u.from), To: record.MonthOf(u.to+1).AddDate(0, 0, -1)}
}

var usageColumns = []string{
	"kind", "id", "title", "doi", "published_date", "group_id", "views", "downloads", "shares",
	"total_dataset_investigations_regular", "unique_dataset_investigations_regular", "total_dataset_requests_regular", "unique_dataset_requests_regular",
	"total_dataset_investigations_machine", "unique_dataset_investigations_machine", "total_dataset_requests_machine", "unique_dataset_requests_machine",
}

// UsageTable is how often each public item of an admin scope was used in some months (from and to, YYYY-MM; this year
// so far), as CSV or as a workbook. The columns behind shares are COUNTER's metrics.
func (a *Reports) UsageTable(c *endpoint.Call, scope lists.Scope, workbook bool) (endpoint.Reply, error) {
	from, to, err := reportMonths(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	u := &usedItems{api: a, scope: scope, from: from, to: to}
	begun := false
	r := a.asTable(c, fmt.Sprintf("usage-%s-%s", monthName(from), monthName(to)), workbook, func(write func([]string), full func() bool) (bool, error) {
		if !begun {
			begun = true
			write(usageColumns)
		}
		return u.more(func(_ *bucket.Tx, one *usedItem) error {
			write(usageCells(one, u.days()))
			return nil
		}, full)
	})
	r.Tag, r.Modified = onceTag(c), time.Time{}
	return r, nil
}

// onceTag is an entity tag of an answer that no other is equal to: counts change without a change of the repository.
func onceTag(c *endpoint.Call) string { return endpoint.ETag([]byte(c.RequestID)) }

func monthName(number int64) string { return record.MonthOf(number).Format("2006-01") }

func usageCells(one *usedItem, days record.Days) []string {
	var views, downloads, shares int64
	var regular, machine record.Metrics
	sum := func(to *int64, month int64, numbers []int64) {
		for _, n := range days.In(month, numbers) {
			*to += n
		}
	}
	for number, m := range one.months {
		sum(&views, number, m.Views)
		sum(&downloads, number, m.Downloads)
		sum(&shares, number, m.Shares)
		regular, machine = regular.Plus(m.Regular.Within(days, number)), machine.Plus(m.Machine.Within(days, number))
	}
	row := []string{one.kind, strconv.FormatInt(one.id, 10), one.meta.Title, one.meta.PublicDOI(one.version), one.published.UTC().Format(time.DateOnly), strconv.FormatInt(one.meta.GroupID, 10)}
	for _, n := range []int64{
		views, downloads, shares, regular.TotalInvestigations, regular.UniqueInvestigations, regular.TotalRequests, regular.UniqueRequests,
		machine.TotalInvestigations, machine.UniqueInvestigations, machine.TotalRequests, machine.UniqueRequests,
	} {
		row = append(row, strconv.FormatInt(n, 10))
	}
	for i := range row {
		row[i] = inert(row[i])
	}
	return row
}

// DatasetReport is the same as a dataset report of COUNTER (DSR, release rd1), in JSON: each item that was used, month by
// month.
func (a *Reports) DatasetReport(c *endpoint.Call, scope lists.Scope) (endpoint.Reply, error) {
	from, to, err := reportMonths(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	p := &datasetReport{usedItems: usedItems{api: a, scope: scope, from: from, to: to}}
	return endpoint.Reply{Pieces: p, Tag: onceTag(c), Type: "application/json", Name: fmt.Sprintf("dataset-report-%s-%s.json", monthName(from), monthName(to))}, nil
}

// datasetReport is a dataset report that is made as it is sent.
type datasetReport struct {
	usedItems
	out   bytes.Buffer
	begun bool
	n     int // of data sets
}

// Close has nothing to end.
func (d *datasetReport) Close() {}

// Next is some data sets.
func (d *datasetReport) Next() ([]byte, bool, error) {
	d.out.Reset()
	if !d.begun {
		d.begun = true
		head, err := json.Marshal(d.head())
		if err != nil {
			return nil, false, err
		}
		fmt.Fprintf(&d.out, "{\"report-header\": %s,\n\"report-datasets\": [", head)
	}
	seen := 0
	done, err := d.more(func(tx *bucket.Tx, one *usedItem) error {
		periods := d.performance(one)
		if len(periods) == 0 {
			return nil
		}
		text, err := json.Marshal(d.dataset(tx, one, periods))
		if err != nil {
			return err
		}
		if d.n++; d.n > 1 {
			d.out.WriteByte(',')
		}
		d.out.WriteByte('\n')
		d.out.Write(text)
		return nil
	}, func() bool {
		seen++
		return seen >= pieceRows || d.out.Len() >= wire.WriteChunk
	})
	if err == nil && done {
		d.out.WriteString("\n]}\n")
	}
	return bytes.Clone(d.out.Bytes()), done, err
}

type reportFilter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type reportException struct {
	Code     int    `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Data     string `json:"data"`
}

// reportTyped is an identifier or a name with what it is.
type reportTyped struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

func (d *datasetReport) head() map[string]any {
	now, days := d.api.DB.Time().UTC(), d.days()
	exceptions := []reportException{}
	if d.to >= record.MonthNumber(now) {
		exceptions = append(exceptions, reportException{3040, "warning", "Partial data returned", "The month of the report has not ended"})
	}
	return map[string]any{
		"report-name": "dataset report", "report-id": "DSR", "release": "rd1", "created": now.Format(time.DateOnly), "created-by": described.Publisher(d.api.Settings),
		"reporting-period":  map[string]string{"begin-date": days.From.Format(time.DateOnly), "end-date": days.To.Format(time.DateOnly)},
		"report-filters":    []reportFilter{{"begin-date", days.From.Format(time.DateOnly)}, {"end-date", days.To.Format(time.DateOnly)}},
		"report-attributes": []any{}, "exceptions": exceptions,
	}
}

type reportInstance struct {
	Metric string `json:"metric-type"`
	Method string `json:"access-method"`
	Count  int64  `json:"count"`
}

type reportPeriod struct {
	Period    map[string]string `json:"period"`
	Instances []reportInstance  `json:"instance"`
}

// performance is the use of an item by month, without months of none.
func (d *datasetReport) performance(one *usedItem) (list []reportPeriod) {
	for number := d.from; number <= d.to; number++ {
		m, ok := one.months[number]
		if !ok {
			continue
		}
		days := record.Days{From: record.MonthOf(number), To: record.MonthOf(number+1).AddDate(0, 0, -1)}
		p := reportPeriod{Period: map[string]string{"begin-date": days.From.Format(time.DateOnly), "end-date": days.To.Format(time.DateOnly)}}
		for _, by := range []struct {
			method string
			days   record.MetricDays
		}{{"regular", m.Regular}, {"machine", m.Machine}} {
			sum := by.days.Within(days, number)
			for _, of := range []struct {
				metric string
				n      int64
			}{
				{"total-dataset-investigations", sum.TotalInvestigations}, {"unique-dataset-investigations", sum.UniqueInvestigations},
				{"total-dataset-requests", sum.TotalRequests}, {"unique-dataset-requests", sum.UniqueRequests},
			} {
				if of.n > 0 {
					p.Instances = append(p.Instances, reportInstance{of.metric, by.method, of.n})
				}
			}
		}
		if len(p.Instances) > 0 {
			list = append(list, p)
		}
	}
	return list
}

// dataset is an item in a report. Its DOI identifies it once it is registered, the address of its page before.
func (d *datasetReport) dataset(tx *bucket.Tx, one *usedItem, periods []reportPeriod) map[string]any {
	id := reportTyped{"uri", one.page}
	if doi := one.meta.PublicDOI(one.version); d.api.Items.Leads(tx, doi) {
		id = reportTyped{"doi", doi}
	}
	contributors := []reportTyped{}
	for _, p := range one.authors {
		contributors = append(contributors, reportTyped{"name", p.FullName})
	}
	publisher := described.Publisher(d.api.Settings)
	kind := "dataset"
	if one.kind == "collection" {
		kind = "collection"
	}
	return map[string]any{
		"dataset-title": markup.Title(one.meta.Title).String(), "dataset-id": []reportTyped{id}, "dataset-contributors": contributors,
		"dataset-dates": []reportTyped{{"pub-date", one.published.UTC().Format(time.DateOnly)}}, "platform": publisher, "publisher": publisher,
		"publisher-id": []reportTyped{}, "data-type": kind, "yop": strconv.Itoa(one.published.UTC().Year()), "uri": one.page, "performance": periods,
	}
}
