package handlers

import (
	"alcove/record"
	"alcove/record/catalogue"
)

// categories checks category ids and drops repetitions; one that is not known gives
// unknown.
func categories(ids []int64, unknown *record.Error) ([]int64, error) {
	for _, id := range ids {
		if _, ok := catalogue.CategoryByID(id); !ok {
			return nil, unknown
		}
	}
	return unique(ids), nil
}
