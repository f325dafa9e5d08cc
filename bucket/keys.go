package bucket

import "iter"

// Keys are the keys of an index scan, which must not be written meanwhile.
func Keys[K any](hits iter.Seq[Hit[K]]) (keys []K) {
	for hit := range hits {
		keys = append(keys, hit.Key)
	}
	return keys
}
