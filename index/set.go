package index

import "math/bits"

// set is a set of document numbers of one snapshot, a bit each.
type set []uint64

func (s *set) add(n uint64) {
	w := int(n / 64)
	if w >= len(*s) {
		*s = append(*s, make([]uint64, w+1-len(*s))...)
	}
	(*s)[w] |= 1 << (n % 64)
}

func (s set) len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// from is the lowest number that is n or above; false when there is none.
func (s set) from(n uint64) (uint64, bool) {
	i := int(n / 64)
	if i >= len(s) {
		return 0, false
	}
	if w := s[i] >> (n % 64); w != 0 {
		return n + uint64(bits.TrailingZeros64(w)), true
	}
	for i++; i < len(s); i++ {
		if s[i] != 0 {
			return uint64(i)*64 + uint64(bits.TrailingZeros64(s[i])), true
		}
	}
	return 0, false
}

// or, and and without may change s and give the result; t stays as it is.

func (s set) or(t set) set {
	if len(t) > len(s) {
		s = append(s, make(set, len(t)-len(s))...)
	}
	for i, w := range t {
		s[i] |= w
	}
	return s
}

func (s set) and(t set) set {
	s = s[:min(len(s), len(t))]
	for i := range s {
		s[i] &= t[i]
	}
	return s
}

func (s set) without(t set) set {
	for i := range min(len(s), len(t)) {
		s[i] &^= t[i]
	}
	return s
}

// all yields the numbers, ascending.
func (s set) all(yield func(uint64) bool) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			if !yield(uint64(i)*64 + uint64(bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}
