package present

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// checkSpaces compares the spaced form of a value with its compact form: there is one
// space behind every colon and comma that is not in a string, and nothing else is added.
func checkSpaces(t rapid.TB, v any) {
	t.Helper()
	spaced, err := Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	compact, err := Compact(v)
	if err != nil {
		t.Fatal(err)
	}
	var without bytes.Buffer
	if err := json.Compact(&without, spaced); err != nil || !bytes.Equal(without.Bytes(), compact) {
		t.Fatalf("%s is not %s: %v", spaced, compact, err)
	}
	added := 0
	for i, j := 0, 0; i < len(spaced); i++ {
		if j < len(compact) && spaced[i] == compact[j] {
			j++
			continue
		}
		if added++; spaced[i] != ' ' || spaced[i-1] != ':' && spaced[i-1] != ',' {
			t.Fatalf("%q is added behind %q in %s", spaced[i], spaced[:i], spaced)
		}
	}
	var decoded any
	d := json.NewDecoder(bytes.NewReader(spaced))
	d.UseNumber()
	if err := d.Decode(&decoded); err != nil {
		t.Fatal(err)
	}
	if want := separators(decoded); added != want {
		t.Fatalf("%d spaces for %d colons and commas in %s", added, want, spaced)
	}
}

// separators counts the colons and commas of a value.
func separators(v any) (n int) {
	switch v := v.(type) {
	case map[string]any:
		for _, m := range v {
			n += 2 + separators(m)
		}
		return max(0, n-1)
	case []any:
		for _, m := range v {
			n += 1 + separators(m)
		}
		return max(0, n-1)
	}
	return 0
}

var values = func() *rapid.Generator[any] {
	text := rapid.OneOf(
		rapid.String(),
		rapid.StringOf(rapid.SampledFrom([]rune("\":,\\{}[] \t\n\u0000\u2028<>&/éu0a😀"))),
	)
	var value *rapid.Generator[any]
	inner := rapid.Deferred(func() *rapid.Generator[any] { return value })
	value = rapid.OneOf(
		rapid.Map(text, func(s string) any { return s }),
		rapid.Map(rapid.Int64(), func(n int64) any { return n }),
		rapid.Map(rapid.Float64Range(-1e30, 1e30), func(n float64) any { return n }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Just[any](nil),
		rapid.SampledFrom([]any{[]any{}, map[string]any{}, json.RawMessage(`"\":, \\"`), json.RawMessage(` [ 1 , "a, b" ] `)}),
		rapid.Map(rapid.SliceOfN(inner, 0, 4), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(text, inner, 0, 4), func(m map[string]any) any { return m }),
	)
	return value
}()

// The spaced and the compact form of any value mean the same, and differ as promised.
func TestEncodeAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := values.Draw(t, "value")
		checkSpaces(t, v)
		spaced, _ := Encode(v)
		compact, _ := Compact(v)
		var a, b any
		if err := json.Unmarshal(spaced, &a); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(compact, &b); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("%s and %s mean different things", spaced, compact)
		}
	})
}

func TestEncodeShapes(t *testing.T) {
	for _, shape := range shapes(settings) {
		checkSpaces(t, shape[0])
		checkSpaces(t, shape[1])
	}
}

// The exact bytes, where a rule could be read in two ways.
func TestEncode(t *testing.T) {
	for want, v := range map[string]any{
		`{"a": 1, "b": [1, 2], "c": {}}`: map[string]any{"a": 1, "b": []int{1, 2}, "c": map[string]any{}},
		`"a\":\"b,c: d, \\"`:             `a":"b,c: d, \`,
		`"<b>&'>"`:                       "<b>&'>",
		`[]`:                             []any{},
		`null`:                           nil,
		`["\\", ",", ":"]`:               []string{`\`, ",", ":"},
		`{",": ":", ":": ","}`:           map[string]string{":": ",", ",": ":"},
		`9007199254740993`:               int64(1<<53 + 1),
		`["x", [1, "a, b"]]`:             []any{"x", json.RawMessage(`[1,"a, b"]`)},
	} {
		if got, err := Encode(v); err != nil || string(got) != want {
			t.Errorf("%#v is %s, want %s (%v)", v, got, want, err)
		}
	}
	if b, _ := Compact(map[string]any{"startOffset": 0, "z": []int{1, 2}}); string(b) != `{"startOffset":0,"z":[1,2]}` {
		t.Errorf("compact: %s", b)
	}
	for _, encode := range []func(any) ([]byte, error){Encode, Compact} {
		if _, err := encode(math.NaN()); err == nil || !strings.HasPrefix(err.Error(), "cannot encode a reply: ") {
			t.Errorf("NaN: %v", err)
		}
	}
}

// A list of encoded items is what encoding the list would give.
func TestJoined(t *testing.T) {
	for _, list := range [][]Article{{}, {settings.PublicArticle(fullVersion())}, {settings.OwnArticle(fullArticle()), {}, {}}} {
		items := [][]byte{}
		for _, v := range list {
			b, err := Encode(v)
			if err != nil {
				t.Fatal(err)
			}
			items = append(items, b)
		}
		if want, _ := Encode(list); !bytes.Equal(Joined(items), want) {
			t.Errorf("%d items: %s, want %s", len(list), Joined(items), want)
		}
	}
	if string(Joined(nil)) != "[]" {
		t.Errorf("no items: %s", Joined(nil))
	}
}
