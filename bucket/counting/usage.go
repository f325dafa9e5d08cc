package counting

import (
	"errors"
	"time"

	"alcove/bucket"
	"alcove/bucket/damage"
	"alcove/bucket/published"
	"alcove/record"
)

// UsageMonths has when the items of Counts were seen, downloaded and shared, with COUNTER's metrics, and when those of
// an author or in a group were that named it at that time. The key is that of usageKey. Uses that an import brought
// along, or that are older than this table, are in Counts alone.
var UsageMonths = bucket.Public(bucket.ByPair[record.UsageMonth]("usage_months").Unlogged())

// usageKey is the kind and id of an item in one number, and the number of a month. The numbers of
// authors and groups are negative.
func usageKey(item bucket.Pair, month int64) bucket.Pair {
	if item.A > record.KindProject {
		return bucket.Pair{A: -(item.B<<2 | (item.A - record.KindProject)), B: month}
	}
	return bucket.Pair{A: item.B<<2 | item.A, B: month}
}

// AddUse adds to the counts of an item, and to those of its authors and its group, what readers of a country, "" for an
// unknown one, did with it at a time. Countries are counted of items alone. One that is not public any more is not counted. A *DamagedError is told before anything is written.
func AddUse(tx *bucket.Tx, item bucket.Pair, at time.Time, country string, more record.Used) error {
	if err := AddCounts(tx, item, more.Counts); err != nil || !isPublic(tx, item) {
		return err
	}
	of, err := named(tx, item)
	if err != nil {
		return err
	}
	uses := []bucket.Pair{item}
	if of.Group != 0 {
		uses = append(uses, bucket.Pair{A: record.KindGroup, B: of.Group})
	}
	for _, id := range of.Authors {
		uses = append(uses, bucket.Pair{A: record.KindAuthor, B: id})
	}
	for i, of := range uses {
		if i == 1 { // the others have no metrics and no countries
			more, country = record.Used{Counts: more.Counts}, ""
		}
		if more == (record.Used{}) {
			break
		}
		if err := addToMonth(tx, of, at, country, more); err != nil {
			return err
		}
	}
	return nil
}

func addToMonth(tx *bucket.Tx, item bucket.Pair, at time.Time, country string, more record.Used) error {
	key := usageKey(item, record.MonthNumber(at))
	month, err := UsageMonths.Table.Get(tx, key)
	if bad := new(damage.Error); errors.Is(err, bucket.ErrNotFound) || errors.As(err, &bad) { // a chart is no reason to lose the count
		month = &record.UsageMonth{}
	} else if err != nil {
		return err
	}
	month.Add(at.UTC().Day(), more)
	month.From(country, at.UTC().Day(), more.Counts)
	return UsageMonths.Put(tx, key, month)
}

func isPublic(tx *bucket.Tx, item bucket.Pair) bool {
	switch item.A {
	case record.KindArticle:
		return published.Articles.Has(tx, item.B)
	case record.KindCollection:
		return published.Collections.Has(tx, item.B)
	}
	return published.Projects.Has(tx, item.B)
}

// Usage are the months of an item from one on, by their numbers.
func Usage(tx bucket.Reader, item bucket.Pair, from int64) (map[int64]record.UsageMonth, error) {
	months := map[int64]record.UsageMonth{}
	for row, err := range UsageMonths.All(tx, bucket.Prefix(usageKey(item, 0).A)) {
		if err != nil {
			return nil, err
		}
		if row.Key.B >= from {
			months[row.Key.B] = *row.Record
		}
	}
	return months, nil
}

// dropUsage forgets the months of an item.
func dropUsage(tx *bucket.Tx, item bucket.Pair) error {
	months, err := Usage(tx, item, 0)
	if err != nil {
		return err
	}
	for month := range months {
		if err := UsageMonths.Delete(tx, usageKey(item, month)); err != nil {
			return err
		}
	}
	return nil
}
