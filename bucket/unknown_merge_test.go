package bucket

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"alcove/record"
)

// nested is a record with all that a type may have.
type nested struct {
	Name string `json:"name"`
	base
	List  []item            `json:"list,omitempty"`
	Grid  [][]item          `json:"grid,omitempty"`
	Two   [2]*item          `json:"two"`
	Map   map[string]item   `json:"map,omitempty"`
	Maps  []map[string]item `json:"maps,omitempty"`
	Other *item             `json:"other,omitempty"`
	Time  time.Time         `json:"time,omitzero"`
	Own   json.RawMessage   `json:"own,omitempty"`
	Any   any               `json:"any,omitempty"`
	None  string            `json:"-"`
	Plain int
}

type base struct {
	Based int64 `json:"based"`
}

type item struct {
	ID    int64  `json:"id"`
	Text  string `json:"text,omitempty"`
	Below []item2
}

type item2 struct {
	ID int64 `json:"id,omitempty"`
	A  int64 `json:"a,omitempty"`
}

var nestedTable = func() *Table[int64, nested] {
	t := newTable[int64, nested]("nested", intKeys)
	t.Any.nameBucket()
	return t
}()

// kept is what comes of a record that takes the place of another one.
func kept(t *testing.T, old []byte, r *nested) []byte {
	t.Helper()
	sealed, err := envelope(r)
	if err != nil {
		t.Fatal(err)
	}
	k := intKeys.enc(1)
	return nestedTable.Any.keep(sealed, nestedTable.Any.unknown(k, encodeEnvelope(nestedTable.Any.bucketName(), k, old)))[envelopeHead:]
}

// Members that are the same, others, and gone ones, by example.
func TestUnknownMembersKept(t *testing.T) {
	const two = `"two":[null,null]`
	for _, c := range []struct{ name, old, new, want string }{
		{"unknown only", `{"x":1}`, `{}`, `{"name":"","based":0,"two":[null,null],"Plain":0,"x":1}`},
		{"spaces and numbers", ` { "x" : [ 1.0e+99 , 12345678901234567890 ] , "other" : { "id" : 3 , "y" : 1 } } `, `{"other":{"id":3}}`,
			`{"name":"","based":0,` + two + `,"other":{"id":3,"Below":null,"y":1},"Plain":0,"x":[1.0e+99,12345678901234567890]}`},
		{"another case is the same member", `{"NAME":"old","Other":{"ID":3,"y":1},"\u017fame":1}`, `{"name":"new","other":{"id":3}}`,
			`{"name":"new","based":0,` + two + `,"other":{"id":3,"Below":null,"y":1},"Plain":0,"\u017fame":1}`},
		{"escaped names", `{"n\u0061me":"old","\u0078":1}`, `{"name":"new"}`, `{"name":"new","based":0,` + two + `,"Plain":0,"\u0078":1}`},
		{"twice", `{"other":{"id":1,"x":1},"y":1,"other":{"z":2},"y":2}`, `{"other":{"id":1}}`, `{"name":"","based":0,` + two + `,"other":{"id":1,"Below":null,"x":1,"z":2},"Plain":0,"y":1,"y":2}`},
		{"gone", `{"other":{"x":1},"map":{"a":{"x":1}},"list":[{"x":1}]}`, `{}`, `{"name":"","based":0,` + two + `,"Plain":0}`},
		{"not one before", `{"other":null,"y":1}`, `{"other":{"id":4}}`, `{"name":"","based":0,` + two + `,"other":{"id":4,"Below":null},"Plain":0,"y":1}`},
		{"kept as it is", `{"own":{"x":1},"any":{"y":[{}]},"-":1}`, `{"own":[],"any":{"y":[{}]}}`, `{"name":"","based":0,` + two + `,"own":[],"any":{"y":[{}]},"Plain":0,"-":1}`},
		{"map", `{"map":{"a":{"id":1,"x":1},"b\"":{"x":2},"x":{"x":3}}}`, `{"map":{"b\"":{"id":9},"new":{},"x":{}}}`,
			`{"name":"","based":0,` + two + `,"map":{"b\"":{"id":9,"Below":null,"x":2},"new":{"id":0,"Below":null},"x":{"id":0,"Below":null,"x":3}},"Plain":0}`},
		{"maps in a list", `{"maps":[{"a":{"x":1}},{"b":{"x":2}}]}`, `{"maps":[{"b":{}},{"c":{}}]}`,
			`{"name":"","based":0,` + two + `,"maps":[{"b":{"id":0,"Below":null,"x":2}},{"c":{"id":0,"Below":null}}],"Plain":0}`},
		{"lists in a list", `{"grid":[[{"id":1,"x":1}],[],[{"id":2,"x":2},{"id":3,"x":3}]]}`, `{"grid":[[{"id":2},{"id":3}],[{"id":1},{"id":2}]]}`,
			`{"name":"","based":0,"grid":[[{"id":2,"Below":null,"x":2},{"id":3,"Below":null,"x":3}],[{"id":1,"Below":null},{"id":2,"Below":null}]],` + two + `,"Plain":0}`},
		{"an array", `{"two":[{"id":1,"x":1},{"id":2,"x":2}]}`, `{"two":[{"id":2},null]}`, `{"name":"","based":0,"two":[{"id":2,"Below":null,"x":2},null],"Plain":0}`},
		{"the whole comes before the name", `{"list":[{"id":1,"text":"a","x":1},{"id":1,"text":"b","x":2}]}`, `{"list":[{"id":1,"text":"c"},{"id":1,"text":"a"}]}`,
			`{"name":"","based":0,"list":[{"id":1,"text":"c","Below":null,"x":2},{"id":1,"text":"a","Below":null,"x":1}],` + two + `,"Plain":0}`},
		{"two of a name", `{"list":[{"id":1,"text":"a","x":1},{"id":1,"text":"b","x":2}]}`, `{"list":[{"id":1,"text":"c"},{"id":1,"text":"d"}]}`,
			`{"name":"","based":0,"list":[{"id":1,"text":"c","Below":null},{"id":1,"text":"d","Below":null}],` + two + `,"Plain":0}`},
		{"no name", `{"list":[{"id":0,"text":"a","x":1}]}`, `{"list":[{"id":0,"text":"b"}]}`, `{"name":"","based":0,"list":[{"id":0,"text":"b","Below":null}],` + two + `,"Plain":0}`},
		{"no first member", `{"list":[{"id":1,"Below":[{"a":5,"x":1}]}]}`, `{"list":[{"id":1,"Below":[{"a":5,"id":0},{"a":5}]}]}`,
			`{"name":"","based":0,"list":[{"id":1,"Below":[{"a":5,"x":1},{"a":5}]}],` + two + `,"Plain":0}`},
		{"equal ones", `{"list":[{"id":1,"x":1},{"id":1,"x":2},{"id":1,"x":3}]}`, `{"list":[{"id":1},{"id":1}]}`,
			`{"name":"","based":0,"list":[{"id":1,"Below":null,"x":1},{"id":1,"Below":null,"x":2}],` + two + `,"Plain":0}`},
	} {
		r := new(nested)
		if err := json.Unmarshal([]byte(c.new), r); err != nil {
			t.Fatal(c.name, err)
		}
		if got := string(kept(t, []byte(c.old), r)); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func compact(text []byte) []byte {
	var b bytes.Buffer
	_ = json.Compact(&b, text)
	return b.Bytes()
}

// Whatever is stored, a record that takes its place reads as it was written, what is kept stays the
// next time, and the quick look finds nothing unknown only where nothing is kept.
func FuzzUnknown(f *testing.F) {
	for _, seed := range []string{
		`{"name":"a","list":[{"id":1,"x":2},{"id":3,"y":4}],"map":{"a":{"z":[{}]}}}`, `{"Name":1}`, `{"\u004eame":"b","NAME":{}}`, `{"grid":[[{"id":1,"x":1}],null]}`,
		`{ "x" : 1 , "two" : [ {"x":1} , null ] }`, `{"other":{"x":1},"other":{"id":3}}`, `{"K":1,"\u212a":2,"":{"":null}}`, `{"maps":[{"":{"x":1}}],"own":{"a":1}}`, `[`, `{"a"`, `{"list":[}`, `{"list":[1,{`, `{"name":"\`,
	} {
		f.Add([]byte(seed), []byte(`{"name":"c","list":[{"id":3},{"id":1}],"map":{"a":{}},"other":{}}`))
	}
	f.Fuzz(func(t *testing.T, old, next []byte) {
		var was nested
		readable := json.Unmarshal(old, &was) == nil
		k := intKeys.enc(1)
		unknown := nestedTable.Any.unknown(k, encodeEnvelope(nestedTable.Any.bucketName(), k, old)) // ends without a panic
		if !readable {
			return
		}
		r := was
		for _, text := range [][]byte{nil, next} {
			if text != nil && json.Unmarshal(text, &r) != nil {
				return
			}
			plain, err := Payload(&r)
			if err != nil {
				t.Skip()
			}
			got := kept(t, old, &r)
			var read nested
			if err := json.Unmarshal(got, &read); err != nil {
				t.Fatalf("%v: %s", err, got)
			}
			if again, err := Payload(&read); err != nil || string(again) != string(plain) {
				t.Errorf("%s\nis read as\n%s\nnot\n%s", got, again, plain)
			}
			if again := kept(t, got, &read); string(again) != string(got) {
				t.Errorf("%s\nbecomes\n%s", got, again)
			}
			if all := nestedTable.Any.shape.keep(compact(old), plain); unknown == nil && string(all) != string(plain) {
				t.Errorf("%s\nhas members that are not seen:\n%s", old, all)
			}
		}
	})
}

// BenchmarkPut stores an article that is there, without the commit.
func BenchmarkPut(b *testing.B) {
	db, err := Open(b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	art := &record.Article{Working: record.Working{
		ID: 7, AccountID: 3, Authors: []int64{1, 2, 3}, Created: now, Modified: now, Saved: true,
		Metadata: record.Metadata{
			Title: "Sea surface temperatures of the northern Atlantic, 1990 to 2020", Description: fmt.Sprintf("<p>%0600d</p>", 1), Type: 3, License: 1,
			Tags: []string{"sea", "temperature", "Atlantic"}, References: []string{"https://doi.org/10.1234/a", "https://doi.org/10.1234/b"}, Categories: []int64{1, 2, 3},
			CustomFields: []record.CustomField{{Name: "Region", Value: []byte(`"North"`)}, {Name: "Depths", Value: []byte(`["1","2"]`)}},
			Related:      []record.RelatedMaterial{{Identifier: "https://doi.org/10.1234/a", Title: "A", Relation: "References", Type: "DOI"}},
			FundingList:  []string{"A grant"}, DOI: "10.5072/alcove.7",
		},
	}}
	undone := errors.New("undone")
	err = db.Update(context.Background(), 1, func(tx *Tx) error {
		for b.Loop() {
			if err := Articles.Put(tx, 7, art); err != nil {
				return err
			}
		}
		return undone
	})
	if !errors.Is(err, undone) {
		b.Fatal(err)
	}
}
