package bolt

import (
	"strings"
	"testing"
)

// A new file that has not the same as the old one does not take its place.
func TestCompactCompares(t *testing.T) {
	t.Parallel()
	type entry struct{ bucket, k, v string }
	sequence := string(make([]byte, bucketHead))
	list := []entry{{"", "r:a", sequence}, {"r:a", "1", "one"}, {"r:a", "2", "two"}, {"", "r:b", sequence}, {"r:b", "1", "other"}}
	read := func(list []entry) *contents {
		s := &contents{buckets: map[string]*bucketSum{}}
		for _, e := range list {
			s.visit(e.bucket, []byte(e.k), []byte(e.v))
		}
		return s
	}
	if why := read(list).differ(read(list)); why != "" {
		t.Error(why)
	}
	counted := strings.Repeat("\x01", bucketHead)
	for what, other := range map[string][]entry{
		"a value":          {list[0], list[1], {"r:a", "2", "twO"}, list[3], list[4]},
		"a key":            {list[0], list[1], {"r:a", "3", "two"}, list[3], list[4]},
		"a shift":          {list[0], list[1], {"r:a", "2t", "wo"}, list[3], list[4]},
		"an entry less":    {list[0], list[1], list[3], list[4]},
		"an entry more":    append(list[:len(list):len(list)], entry{"r:b", "2", ""}),
		"a bucket less":    list[:3],
		"a bucket more":    append(list[:len(list):len(list)], entry{"", "r:c", sequence}),
		"another sequence": {list[0], list[1], list[2], {"", "r:b", counted}, list[4]},
		"another bucket":   {list[0], list[1], list[2], {"", "r:c", sequence}, {"r:c", "1", "other"}},
	} {
		if why := read(list).differ(read(other)); why == "" {
			t.Errorf("%s: nothing is said to differ", what)
		}
	}
}
