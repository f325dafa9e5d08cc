package record

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

var seeds = []string{
	`{}`, `{"title":"abc"}`, `{"title":"\ud83d\ude00 \u00e9é\n","tags":["a","\\u0000"],"license":9007199254740993}`,
	`{"authors":[{"id":1,"name":null},{"first_name":"A","last_name":"B"}],"categories":[1,-2]}`,
	`{"custom_fields":{"a":[1.0,"x"],"b":null},"custom_fields_list":[{"name":"n","value":[ true ]}]}`,
	`{"is_metadata_record":true,"description":null,"doi":"","zzz":[{}]}`, `{"a":1,"a":2}`, `{"title":"\ud800"}`, "{\"title\":\"\xff\"}",
	`{"link":"https://a.example/b","name":"n/m","size":0,"md5":"d41d8cd98f00b204e9800998ecf8427e","folder_path":"/a/b"}`,
	`{"related_materials":[{"id":3,"identifier":"10.1/x","identifier_type":"DOI","relation":"Cites"}],"timeline":{"firstOnline":"2020-01-02"}}`,
	`{"funding_list":[{"title":" A grant "},{"id":7}],"categories_by_source_id":["30"],"handle":"1/2","group_id":3,"timeline":null}`,
	` {"a" : [ 1 , { "b" : "c\"" } ] } `, `[]`, "\ufeff{}", `{"size":-0}`, `{"size":1e3}`,
}

// agree reads a body and compares what was understood with encoding/json: the reader
// accepts nothing that is not JSON, and understands no text or number differently.
func agree[B any](t *testing.T, body []byte, b *B) bool {
	read, err := ReadBody(body, false)
	if err != nil {
		return false
	}
	if !json.Valid(body) {
		t.Fatalf("accepted, and not valid JSON: %q", body)
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(body, &keys); err != nil {
		t.Fatalf("accepted, and not a JSON object: %q: %v", body, err)
	}
	if len(keys) != len(read.root.keys) {
		t.Fatalf("%d keys, and %d for encoding/json: %q", len(read.root.keys), len(keys), body)
	}
	if _, err := read.Bind(b); err != nil {
		return false
	}
	v := reflect.ValueOf(b).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.Anonymous {
			continue
		}
		name, field := f.Tag.Get("json"), v.FieldByIndex(f.Index)
		raw, sent := keys[name]
		if sent == field.IsNil() {
			t.Fatalf("%s was sent: %v, and bound: %v", name, sent, !field.IsNil())
		}
		switch name { // these read themselves, or have keys that are not the same key in another case
		case "custom_fields", "custom_fields_list", "related_materials", "funding_list", "timeline":
			continue
		}
		if !sent {
			continue
		}
		want := reflect.New(field.Type().Elem())
		if name == "authors" { // keys in another case are not the same key here
			authors(t, raw, field.Interface().(*[]AuthorRef))
			continue
		}
		if err := json.Unmarshal(raw, want.Interface()); err != nil {
			t.Fatalf("%s was bound, and is wrong for encoding/json: %s: %v", name, raw, err)
		}
		if !reflect.DeepEqual(want.Interface(), field.Interface()) {
			t.Fatalf("%s is %#v, and %#v for encoding/json", name, field.Elem(), want.Elem())
		}
	}
	return true
}

func authors(t *testing.T, raw []byte, got *[]AuthorRef) {
	var list []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || len(list) != len(*got) {
		t.Fatalf("%d authors from %s: %v", len(*got), raw, err)
	}
	for i, keys := range list {
		v := reflect.ValueOf((*got)[i])
		for j := range v.NumField() {
			raw, sent := keys[v.Type().Field(j).Tag.Get("json")]
			if !sent {
				if !v.Field(j).IsNil() {
					t.Fatalf("author %d has %s", i, v.Type().Field(j).Name)
				}
				continue
			}
			want := reflect.New(v.Field(j).Type().Elem())
			if err := json.Unmarshal(raw, want.Interface()); err != nil || !reflect.DeepEqual(want.Interface(), v.Field(j).Interface()) {
				t.Fatalf("author %d: %s became %#v: %v", i, raw, v.Field(j).Elem(), err)
			}
		}
	}
}

func FuzzArticleBody(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		b := new(ArticleBody)
		if !agree(t, body, b) || b.Check() != nil {
			return
		}
		m := NewMetadata()
		b.Apply(&m)
		if m.Related == nil || m.FundingList == nil || m.Tags == nil || m.References == nil || m.Categories == nil || m.CustomFields == nil {
			t.Fatalf("a list of %+v is nil", m)
		}
		for _, c := range m.CustomFields {
			if c.Value != nil && !json.Valid(c.Value) {
				t.Fatalf("custom field %q has the value %s", c.Name, c.Value)
			}
		}
		stored, err := json.Marshal(m)
		if err != nil {
			t.Fatalf("what was accepted cannot be stored: %v", err)
		}
		var back Metadata
		if err := json.Unmarshal(stored, &back); err != nil {
			t.Fatal(err)
		}
		if back.Title != m.Title || back.Description != m.Description || !reflect.DeepEqual(back.Tags, m.Tags) {
			t.Fatalf("%+v comes back as %+v", m, back)
		}
		if b.Authors != nil {
			for _, r := range *b.Authors {
				if r.ID == nil && r.NewPerson(1).FullName == "" {
					t.Fatalf("%+v became a person without a name", r)
				}
			}
		}
	})
}

func FuzzFileBody(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		b := new(FileBody)
		if !agree(t, body, b) || b.Check() != nil {
			return
		}
		file := &File{}
		b.Apply(file)
		if file.Name == "" || len(file.Name) > max(maxFileName, maxLink) || file.Size < 0 || bytes.ContainsRune([]byte(file.Folder), '\\') {
			t.Fatalf("%+v became of %q", file, body)
		}
		if file.Linked() != file.Finished() || file.Linked() && file.Size != 0 {
			t.Fatalf("%+v became of %q", file, body)
		}
	})
}
