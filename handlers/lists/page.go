package lists

import "iter"

// Page yields what a window shows of a list. It asks the list for nothing behind that.
func Page[T any](w Window, list iter.Seq[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		at := 0
		for item := range list {
			if at++; at > w.Skip && !yield(item) || at == w.Skip+w.Take {
				return
			}
		}
	}
}

// PageOf is Page of a list that can fail: it ends with the first error, wherever that is.
func PageOf[T any](w Window, list iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		at := 0
		for item, err := range list {
			if err != nil {
				yield(item, err)
				return
			}
			if at++; at > w.Skip && !yield(item, nil) || at == w.Skip+w.Take {
				return
			}
		}
	}
}

// Load yields what get reads of each of some entries, until there is an error.
func Load[E, T any](entries iter.Seq[E], get func(E) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for e := range entries {
			if item, err := get(e); !yield(item, err) || err != nil {
				return
			}
		}
	}
}

// Show is a list of how items are shown, empty rather than nil.
func Show[T, S any](page iter.Seq2[T, error], show func(T) S) ([]S, error) {
	list := []S{}
	for item, err := range page {
		if err != nil {
			return nil, err
		}
		list = append(list, show(item))
	}
	return list, nil
}

// Keep yields what passes.
func Keep[T any](list iter.Seq2[T, error], passes func(T) bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for item, err := range list {
			if (err != nil || passes(item)) && !yield(item, err) {
				return
			}
		}
	}
}
