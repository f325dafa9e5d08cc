package reports

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/bucket/counting"
	"alcove/bucket/published"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/catalogue"
)

// The statistics are those of the public service, which has them on a host of their own. They tell of what is
// public only: anything else has no numbers, as if it had never been there. Refusals have the codes
// MissingParams and InvalidParams.

// StatsQuery is what statistics of a period can be asked for.
type StatsQuery struct {
	StartDate *string `json:"start_date"`
	EndDate   *string `json:"end_date"`
	SubItem   *string `json:"sub_item"`
	SubItemID *string `json:"sub_item_id"`
}

// TopQuery is what a ranking can be asked for.
type TopQuery struct {
	Count *int64 `json:"count"`
}

// GroupsBody names groups whose articles are counted.
type GroupsBody struct {
	Groups *[]GroupRef `json:"groups"`
}

// GroupRef names a group.
type GroupRef struct {
	ID *int64 `json:"id"`
}

// mostTop and mostGroups bound what one answer of the statistics has.
const (
	mostTop    = 1000
	usualTop   = 10
	mostGroups = 1000
)

var (
	statCounters = []string{"views", "downloads", "shares", "cites"} // in the order of record.Counter
	statItems    = map[string]int64{
		"article": record.KindArticle, "collection": record.KindCollection, "project": record.KindProject, "author": record.KindAuthor, "group": record.KindGroup,
	}
	// granularities are the layouts of the keys of a timeline.
	granularities = map[string]string{"day": time.DateOnly, "month": "2006-01", "year": "2006", "total": "total"}
)

// invalidParam is the refusal of a value of the address.
func invalidParam(name, why string, args ...any) error {
	e := record.Bad("InvalidParams", "Invalid or unsupported params: "+name)
	return e.With("invalid_params", name).With("extra", fmt.Sprintf(why, args...))
}

// missingParam is the refusal of an address that lacks a value.
func missingParam(c *endpoint.Call, name string) error {
	sent := map[string]string{}
	for _, key := range []string{"start_date", "end_date", "sub_item", "sub_item_id", "item_id", "count"} {
		if text, ok := c.Query.Find(key); ok {
			sent[key] = text
		}
	}
	e := record.Bad("MissingParams", "Missing required params: "+name).With("missing_params", name)
	return e.With("parameters", sent).With("path", strings.TrimPrefix(c.Request.URL.Path, "/stats"))
}

func statCounter(name string) (record.Counter, error) {
	n := slices.Index(statCounters, name)
	if n < 0 {
		return 0, invalidParam("counter", "Counter type not supported: %s", name)
	}
	return record.Counter(n), nil
}

func statItem(name string) (int64, error) {
	kind, ok := statItems[name]
	if !ok {
		return 0, invalidParam("item", "Item type not supported: %s", name)
	}
	return kind, nil
}

// statSubject is an item, an author or a group of the address.
func statSubject(item, id string) (of bucket.Pair, err error) {
	if of.A, err = statItem(item); err != nil {
		return of, err
	}
	if of.B, err = statID("item_id", id); err != nil {
		return of, err
	}
	return of, nil
}

func statID(name, text string) (int64, error) {
	if !endpoint.IsID(text) {
		return 0, invalidParam(name, "Not an id: %s", text)
	}
	return strconv.ParseInt(text, 10, 64)
}

// StatsTotal is one counter of an item.
func (a *Reports) StatsTotal(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	counter, err := statCounter(c.Text("first"))
	if err != nil {
		return endpoint.Reply{}, err
	}
	of, err := statSubject(c.Text("second"), c.Text("third"))
	if err != nil {
		return endpoint.Reply{}, err
	}
	counts, err := counting.Counted(tx, of)
	return endpoint.Reply{Body: present.CounterTotal{Totals: counts.Of(counter)}}, err
}

// StatsTotals are all counters of an item.
func (a *Reports) StatsTotals(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	of, err := statSubject(c.Text("first"), c.Text("second"))
	if err != nil {
		return endpoint.Reply{}, err
	}
	counts, err := counting.Counted(tx, of)
	return endpoint.Reply{Body: present.Totals(counts)}, err
}

// statPeriod is what a timeline is asked for.
type statPeriod struct {
	layout  string // of its keys
	counter record.Counter
	of      bucket.Pair
	span    record.Days
	hidden  bool // it is not public, or not what is asked for
}

// readPeriod reads what a timeline or a breakdown is asked for.
func readPeriod(c *endpoint.Call, tx *bucket.PublicTx) (p statPeriod, err error) {
	ok := false
	if p.layout, ok = granularities[c.Text("first")]; !ok {
		return p, invalidParam("granularity", "Granularity not supported: %s", c.Text("first"))
	}
	if p.counter, err = statCounter(c.Text("second")); err != nil {
		return p, err
	}
	if p.counter == record.Cites { // it has no days
		return p, invalidParam("counter", "Counter type not supported: cites")
	}
	if p.of, err = statSubject(c.Text("third"), c.Text("fourth")); err != nil {
		return p, err
	}
	if p.span, err = statSpan(c, tx); err != nil {
		return p, err
	}
	sub, asked := c.Query.Find("sub_item")
	if !asked {
		p.hidden = !statPublic(tx, p.of)
		return p, nil
	}
	id, ok := c.Query.Find("sub_item_id")
	if !ok {
		return p, missingParam(c, "sub_item_id")
	}
	is, err := statSub(tx, p.of, sub, id)
	p.hidden = !is
	return p, err
}

// statSpan is the period of the query: by default from the first of this month to today.
func statSpan(c *endpoint.Call, tx *bucket.PublicTx) (span record.Days, err error) {
	span = record.MonthSoFar(tx.Now())
	for _, d := range []struct {
		name string
		to   *time.Time
	}{{"start_date", &span.From}, {"end_date", &span.To}} {
		text, ok := c.Query.Find(d.name)
		if !ok {
			continue
		}
		if *d.to, err = time.Parse(time.DateOnly, text); err != nil || d.to.Year() < 1 {
			return span, invalidParam(d.name, "Invalid date: %s", text)
		}
	}
	return span, nil
}

// statPublic reports whether readers may know of an item; of authors and groups they may.
func statPublic(tx *bucket.PublicTx, of bucket.Pair) (ok bool) {
	switch of.A {
	case record.KindArticle:
		_, ok = published.ArticleFacts.Facts(tx, of.B)
	case record.KindCollection:
		_, ok = published.CollectionFacts.Facts(tx, of.B)
	case record.KindProject:
		_, ok = published.ProjectFacts.Facts(tx, of.B)
	default:
		ok = true
	}
	return ok
}

// statSub reports whether a public item is in a category, or of a type.
func statSub(tx *bucket.PublicTx, of bucket.Pair, sub, id string) (bool, error) {
	if sub != "category" && sub != "item_type" || of.A == record.KindAuthor || of.A == record.KindGroup {
		return false, invalidParam("sub_item", "Sub item type not supported: %s", sub)
	}
	kind, categories := "project", []int64(nil)
	var err error
	switch of.A {
	case record.KindArticle:
		var head *record.PublicArticle
		if head, err = published.Articles.Get(tx, of.B); err == nil {
			t, _ := catalogue.ItemTypeByID(head.Type)
			kind, categories = t.Name, head.Categories
			if sub == "item_type" && (id == t.StringID || id == strconv.FormatInt(t.ID, 10)) {
				return true, nil
			}
		}
	case record.KindCollection:
		var head *record.PublicCollection
		if head, err = published.Collections.Get(tx, of.B); err == nil {
			kind, categories = "collection", head.Categories
		}
	default:
		if !statPublic(tx, of) {
			err = bucket.ErrNotFound
		}
	}
	if errors.Is(err, bucket.ErrNotFound) {
		return false, nil
	}
	if err != nil || sub == "item_type" {
		return kind == id, err
	}
	number, err := statID("sub_item_id", id)
	return slices.Contains(categories, number), err
}

// months are those from the beginning of the period on, by their numbers.
func (p *statPeriod) months(tx *bucket.PublicTx) (map[int64]record.UsageMonth, error) {
	if p.hidden {
		return nil, nil
	}
	return counting.Usage(tx, p.of, record.MonthNumber(p.span.From))
}

// StatsTimeline is when an item was used.
func (a *Reports) StatsTimeline(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	p, err := readPeriod(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	months, err := p.months(tx)
	numbers := map[string]int64{}
	for number, month := range months {
		for day, n := range p.span.In(number, month.Of(p.counter)) {
			numbers[day.Format(p.layout)] += n
		}
	}
	return endpoint.Reply{Body: present.UsageTimeline{Timeline: numbers}}, err
}

// unknownPlace is a country that is not known, and every city.
const unknownPlace = "Unknown"

// StatsBreakdown is from where an item was used.
func (a *Reports) StatsBreakdown(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	p, err := readPeriod(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	years := map[string]int{"day": 1, "month": 2, "year": 5, "total": 1}[c.Text("first")]
	if last := p.span.From.AddDate(years, 0, 0); p.span.To.After(last) {
		p.span.To = last
	}
	months, err := p.months(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	out := map[string]map[string]map[string]int64{}
	add := func(month int64, numbers []int64, country string, times int64) {
		for day, n := range p.span.In(month, numbers) {
			key := day.Format(p.layout)
			if out[key] == nil {
				out[key] = map[string]map[string]int64{}
			}
			if out[key][country] == nil {
				out[key][country] = map[string]int64{}
			}
			out[key][country][unknownPlace] += n * times
			out[key][country]["total"] += n * times
		}
	}
	for number, month := range months {
		add(number, month.Of(p.counter), unknownPlace, 1)
		for country, days := range month.Countries {
			add(number, days.Of(p.counter), country, 1)
			add(number, days.Of(p.counter), unknownPlace, -1)
		}
	}
	for _, countries := range out {
		if countries[unknownPlace]["total"] == 0 {
			delete(countries, unknownPlace)
		}
	}
	return endpoint.Reply{Body: present.UsageBreakdown{Breakdown: out}}, nil
}

// StatsTop is what was used most, of all times.
func (a *Reports) StatsTop(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	counter, err := statCounter(c.Text("first"))
	if err != nil {
		return endpoint.Reply{}, err
	}
	kind, err := statItem(c.Text("second"))
	if err != nil {
		return endpoint.Reply{}, err
	}
	for _, name := range []string{"sub_item", "item_id", "start_date", "end_date"} {
		if text, asked := c.Query.Find(name); asked {
			return endpoint.Reply{}, invalidParam(name, "Not supported for rankings: %s", text)
		}
	}
	count := int64(usualTop)
	if text, asked := c.Query.Find("count"); asked {
		if count, err = strconv.ParseInt(text, 10, 64); err != nil || count < 1 || count > mostTop {
			return endpoint.Reply{}, invalidParam("count", "Not a number from 1 to %d: %s", mostTop, text)
		}
	}
	out := present.UsageTop{Top: map[string]int64{}}
	for id, n := range counting.Top(tx, kind, counter) {
		if int64(len(out.Top)) == count {
			break
		}
		out.Top[strconv.FormatInt(id, 10)] = n
	}
	return endpoint.Reply{Body: out}, nil
}

// StatsArticles is how many public articles groups have.
func (a *Reports) StatsArticles(c *endpoint.Call, body *GroupsBody) (r endpoint.Reply, err error) {
	if body.Groups == nil {
		return endpoint.Reply{}, missingParam(c, "groups")
	}
	if len(*body.Groups) > mostGroups {
		return endpoint.Reply{}, invalidParam("groups", "More than %d", mostGroups)
	}
	numbers := map[string]int64{}
	err = a.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		for _, g := range *body.Groups {
			if g.ID == nil || *g.ID < 1 {
				return invalidParam("groups", "A group without an id")
			}
			sum, err := counting.GroupSums.OrZero(tx, *g.ID)
			if err != nil {
				return err
			}
			numbers[strconv.FormatInt(*g.ID, 10)] = sum.Articles
		}
		return nil
	})
	return endpoint.Reply{Body: numbers}, err
}
