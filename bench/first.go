package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// firstTimes is how often the first search of a kind is timed, each after a start of its own.
const firstTimes = 3

// first is how long the first search of a kind takes after a start, in ms.
type first struct {
	kind string
	took []float64
}

// firstSearches starts a server again for each search, and asks nothing else before it. The
// server does not run before and after.
func firstSearches(ctx context.Context, corpus string, serve func() (*alcove, error)) (list []first, err error) {
	w, err := readWords(corpus)
	if err != nil {
		return nil, err
	}
	year := ""
	kinds := func() []searching { return searches(w, year) }
	for i := range kinds() {
		one := first{kind: kinds()[i].kind()}
		for range firstTimes {
			a, err := serve()
			if err != nil {
				return nil, err
			}
			if year == "" { // the first start is for this alone
				if year, err = a.newestYear(); err == nil {
					a.stop()
					a, err = serve()
				}
			}
			var took time.Duration
			if err == nil {
				took, err = kinds()[i].first(a)
			}
			a.stop()
			if err != nil {
				return nil, err
			}
			one.took = append(one.took, float64(took.Microseconds())/1000)
		}
		list = append(list, one)
	}
	return list, ctx.Err()
}

// first asks once, and fails when nothing is found.
func (s searching) first(a *alcove) (time.Duration, error) {
	begin := time.Now()
	err := s.check(a)
	return time.Since(begin), err
}

// newestYear is the year in which the newest article was published.
func (a *alcove) newestYear() (string, error) {
	list, err := a.get("/v2/articles?page_size=1", "")
	if err != nil {
		return "", err
	}
	var articles []struct {
		Date string `json:"published_date"`
	}
	if err := json.Unmarshal(list.body, &articles); err != nil || len(articles) == 0 || len(articles[0].Date) < 4 {
		return "", fmt.Errorf("cannot tell when an article was published (%w): %s", err, list.body)
	}
	return articles[0].Date[:4], nil
}
