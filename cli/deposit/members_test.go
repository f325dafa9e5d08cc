package deposit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzMembers holds what members makes of a text against the JSON package: it takes the same
// objects, and the values are the same.
func FuzzMembers(f *testing.F) {
	for _, text := range []string{
		`{}`, ` { } `, `{"a":1}`, `{"a" : [1, {"b": "]}"} ] , "c":null , "d" : -1.5e3}`, `{"a":"\"","\u0061b":"\\"}`, `{"a":1,"\u0061":2}`,
		`[1]`, `1`, `"a"`, `{"a":1} x`, `{"a"`, `{"a":[}`, `{"authors":[ {"name":"a,b"} ,2 , "x" ]}`, "{\"a\":\n{}\t}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !utf8.Valid(text) {
			return
		}
		var want map[string]json.RawMessage
		isObject := json.Unmarshal(text, &want) == nil && strings.HasPrefix(strings.TrimSpace(string(text)), "{")
		list, err := members(text)
		if err != nil {
			if isObject && !strings.Contains(err.Error(), "stands twice") {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if !isObject || len(list) != len(want) {
			t.Fatalf("%q: %d members, want %d", text, len(list), len(want))
		}
		for _, m := range list {
			if !bytes.Equal(m.value, want[m.name]) {
				t.Fatalf("%q: %q is %q, want %q", text, m.name, m.value, want[m.name])
			}
			var all []json.RawMessage
			isList := json.Unmarshal(m.value, &all) == nil && m.value[0] == '['
			got, ok := elements(m.value)
			if ok != isList || len(got) != len(all) {
				t.Fatalf("%q: %d elements, want %d", m.value, len(got), len(all))
			}
			for i := range got {
				if !bytes.Equal(got[i], all[i]) {
					t.Fatalf("%q: %q, want %q", m.value, got[i], all[i])
				}
			}
		}
		var again map[string]json.RawMessage
		if err := json.Unmarshal(joinObject(list), &again); err != nil || len(again) != len(want) {
			t.Fatalf("%q: joined again %q: %v", text, joinObject(list), err)
		}
	})
}

// A line with very many names is read in a time that grows as its length does, not as its square,
// and a name that stands twice is found among them.
func TestManyMembers(t *testing.T) {
	line := func(n int) []byte {
		b := []byte("{")
		for i := range n {
			b = fmt.Appendf(b, `"k%d":1,`, i)
		}
		return b
	}
	const many = 50_000
	text := append(line(many), `"last":1}`...)
	took, level := time.Hour, time.Hour // the least of some: other tests run beside this one
	for try := 0; try < 30 && (try < 3 || took > 100*level); try++ {
		begin := time.Now()
		if !json.Valid(text) {
			t.Fatal("the line is not JSON")
		}
		level = min(level, time.Since(begin))
		begin = time.Now()
		if list, err := members(text); err != nil || len(list) != many+1 {
			t.Fatalf("%d members: %v", len(list), err)
		}
		took = min(took, time.Since(begin))
	}
	if took > 100*level { // it took 3,000 times as long when all were compared with each other
		t.Errorf("%v, where to see that it is JSON takes %v", took, level)
	}
	for _, n := range []int{1, fewMembers - 1, fewMembers, fewMembers + 1, 1000} {
		for _, again := range []int{0, n / 2, n - 1} {
			text := append(line(n), fmt.Sprintf(`"\u006b%d":2}`, again)...)
			if _, err := members(text); err == nil || !strings.Contains(err.Error(), "stands twice") {
				t.Errorf("%d members, the last as the one at %d: %v", n, again, err)
			}
		}
	}
}
