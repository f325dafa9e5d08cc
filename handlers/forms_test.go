package handlers

import (
	"bytes"
	"fmt"
	"testing"
)

// Cached items are found by the item and the bytes of its record, in bounded memory, and used
// ones stay longer than the rest.
func TestForms(t *testing.T) {
	f := newForms()
	record := []byte(`{"title": "one"}`)
	key := f.key(1, record)
	if f.find(key) != nil {
		t.Error("an empty store of forms finds one")
	}
	f.keep(key, []byte("one"))
	for _, other := range []formKey{f.key(2, record), f.key(1, []byte(`{"title": "two"}`)), f.key(1, nil)} {
		if text := f.find(other); text != nil {
			t.Errorf("%v finds %q", other, text)
		}
	}
	long := bytes.Repeat([]byte("x"), 10_000)
	for n := range int64(2000) {
		f.keep(f.key(n+10, fmt.Append(nil, n)), long)
		if string(f.find(key)) != "one" {
			t.Fatalf("what is asked for all the time is gone after %d others", n+1)
		}
		sum := 0
		for _, of := range []map[formKey][]byte{f.young, f.old} {
			for _, text := range of {
				sum += len(text) + formCost
			}
		}
		if sum > 2*formsMost {
			t.Fatalf("%d bytes are kept, want at most %d", sum, 2*formsMost)
		}
	}
	if f.find(f.key(10, fmt.Append(nil, 0))) != nil {
		t.Error("what nobody asked for is still there")
	}
	tooLong := f.key(5, []byte("long"))
	f.keep(tooLong, make([]byte, formLong+1))
	if f.find(tooLong) != nil {
		t.Error("what is too long is kept")
	}
}
