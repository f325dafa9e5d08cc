package files

import (
	"iter"
	"slices"

	"alcove/bucket"
)

// Arranged are entries of the files of an article as a person has ordered them: those of the ids in order first, then
// the others. made yields them as they were made, behind the place of one; that is the answer where there is no order.
// With behind it begins behind that file.
func Arranged(order []int64, behind int64, made func(behind int64) iter.Seq[bucket.Hit[int64]]) iter.Seq[bucket.Hit[int64]] {
	if len(order) == 0 {
		return made(behind)
	}
	return func(yield func(bucket.Hit[int64]) bool) {
		var hits []bucket.Hit[int64]
		for hit := range made(0) {
			hits = append(hits, bucket.Hit[int64]{Key: hit.Key, Value: slices.Clone(hit.Value)})
		}
		Arrange(order, hits, func(hit bucket.Hit[int64]) int64 { return hit.Key })
		from := 0
		if behind != 0 {
			from = slices.IndexFunc(hits, func(hit bucket.Hit[int64]) bool { return hit.Key == behind }) + 1
		}
		for _, hit := range hits[from:] {
			if !yield(hit) {
				return
			}
		}
	}
}

// Arrange puts what has the ids of files in the order of those ids, and what that does not name behind it, as it was.
func Arrange[T any](order []int64, list []T, id func(T) int64) {
	if len(order) == 0 {
		return
	}
	places := make(map[int64]int, len(order))
	for i, one := range order {
		places[one] = i + 1
	}
	place := func(one T) int {
		if at := places[id(one)]; at > 0 {
			return at
		}
		return len(order) + 1
	}
	slices.SortStableFunc(list, func(a, b T) int { return place(a) - place(b) })
}
