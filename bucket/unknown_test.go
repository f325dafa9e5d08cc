package bucket

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"alcove/bucket/kv"
	"alcove/record"
)

// Members that a newer program has noted in a record stay there when this one stores it again, in each
// way of storing, and what it says itself is as it was.
func TestUnknownMembersStay(t *testing.T) {
	t.Parallel()
	const future = `"future":{"text":"a \"}\\","list":[1,{"x":[]}],"none":null},"later":12.50`
	unknownStays(t, Articles, 7, &record.Article{Working: record.Working{ID: 7, Metadata: record.Metadata{Title: `A "title", {with} [signs] \`}}}, future)
	unknownStays(t, Collections, 7, &record.Collection{}, future)
	unknownStays(t, Projects, 7, &record.Project{}, future)
	unknownStays(t, Accounts, 7, &record.Account{Email: "ada@example.org"}, future)
	unknownStays(t, People, 7, &record.Person{}, future)
	unknownStays(t, Files, 7, &record.File{Name: "}{"}, future)
	unknownStays(t, Tokens, "t", &record.Token{}, future)
	unknownStays(t, PrivateLinks, "l", &record.PrivateLink{}, future)
	unknownStays(t, Parts, Pair{1, 2}, &record.Part{}, future)
	unknownStays(t, &ArticleVersions.Table, Pair{7, 1}, &record.ArticleVersion{ArticleID: 7}, future)
	unknownStays(t, Groups, 7, &record.Group{}, future)
	unknownStays(t, Reviews, 7, &record.Review{}, future)
}

func unknownStays[K comparable, R any](t *testing.T, table *Table[K, R], key K, r *R, future string) {
	t.Helper()
	db := openDB(t, t.TempDir(), Options{})
	put := func(how func(*Tx, K, *R) error, change bool) {
		t.Helper()
		err := db.Update(context.Background(), 1, func(tx *Tx) error {
			old, err := r, error(nil)
			if change {
				if old, err = table.Get(tx, key); err != nil {
					return err
				}
			}
			return how(tx, key, old)
		})
		if err != nil {
			t.Fatal(table.Name(), err)
		}
	}
	stored := func() (b []byte) {
		t.Helper()
		err := db.View(func(tx *Tx) error {
			v, err := table.Any.stored(tx, table.codec.enc(key))
			b = bytes.Clone(v)
			return err
		})
		if err != nil || !json.Valid(b) {
			t.Fatal(table.Name(), err, string(b))
		}
		return b
	}
	put(table.Put, false)
	plain := stored()
	k := table.codec.enc(key)
	rawBucket(t, db, table.Any.bucketName(), func(b kv.Bucket) error {
		comma := map[bool]string{true: "", false: ","}[string(plain) == "{}"]
		return b.Put(k, encodeEnvelope(table.Any.bucketName(), k, []byte("{"+future+comma+string(plain[1:]))))
	})
	for name, how := range map[string]func(*Tx, K, *R) error{"Put": table.Put, "PutLater": table.PutDeferred} {
		for _, change := range []bool{false, true} {
			put(how, change)
			if now := string(stored()); now != strings.TrimSuffix(string(plain), "}")+map[bool]string{true: "", false: ","}[string(plain) == "{}"]+future+"}" {
				t.Errorf("%s of %s, read before: %v: %s", name, table.Name(), change, now)
			}
		}
	}
}

// testKey is a key as any table can read it.
var testKey = bytes.Repeat([]byte{0, 0, 0, 7}, 4)

func (t *AnyTable) putJSON(tx *Tx, text []byte, deferred bool) error {
	r := t.fresh()
	if err := json.Unmarshal(text, r); err != nil {
		return err
	}
	if deferred {
		return t.putDeferred(tx, testKey, r)
	}
	return t.put(tx, testKey, r)
}

// raw is what is stored, or with a text stores that as a newer program does.
func (t *AnyTable) raw(tx *Tx, text []byte) ([]byte, error) {
	if text != nil {
		return nil, tx.bucket(t.bucketName()).Put(testKey, encodeEnvelope(t.bucketName(), testKey, text))
	}
	return t.stored(tx, testKey)
}

// stored is the JSON of a record.
func (t *AnyTable) stored(tx *Tx, k []byte) ([]byte, error) {
	v := tx.bucket(t.bucketName()).Get(k)
	if v == nil {
		return nil, ErrNotFound
	}
	return open(t.bucketName(), k, v)
}

// filled is a value of a type with something in every member, no number or text of it twice.
func filled(t reflect.Type, n *int) reflect.Value {
	v := reflect.New(t).Elem()
	*n++
	switch v.Addr().Interface().(type) {
	case *time.Time:
		v.Set(reflect.ValueOf(time.Unix(int64(1e9+*n), 0).UTC()))
		return v
	case *json.RawMessage:
		v.SetBytes(fmt.Appendf(nil, `{"opaque":[%d]}`, *n))
		return v
	case *netip.Prefix:
		v.Set(reflect.ValueOf(netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(*n)}), 32)))
		return v
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			v.Field(i).Set(filled(t.Field(i).Type, n))
		}
	case reflect.Pointer:
		v.Set(filled(t.Elem(), n).Addr())
	case reflect.Slice:
		for range 3 {
			v.Set(reflect.Append(v, filled(t.Elem(), n)))
		}
	case reflect.Array:
		for i := range t.Len() {
			v.Index(i).Set(filled(t.Elem(), n))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		for range 2 {
			v.SetMapIndex(filled(t.Key(), n), filled(t.Elem(), n))
		}
	case reflect.String:
		v.SetString(fmt.Sprintf("text \"%d\" {[,", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint8, reflect.Uint32:
		v.SetUint(uint64(*n % 250))
	}
	return v
}

// marked is a record as a newer program has it: every object of a type has members more.
func marked(t reflect.Type, v any, n *int) any {
	own := reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
	switch v := v.(type) {
	case map[string]any:
		if own {
			return v
		}
		all := map[string]any{}
		for name, value := range v {
			if t.Kind() == reflect.Map {
				all[name] = marked(t.Elem(), value, n)
			} else {
				all[name] = marked(memberType(t, name), value, n)
			}
		}
		if t.Kind() != reflect.Map {
			*n++
			all["future"] = map[string]any{"no": json.Number(fmt.Sprint(*n, ".50")), "list": []any{nil, "}\""}}
			all["a "+fmt.Sprint(*n)] = "<é>"
		}
		return all
	case []any:
		var all []any
		for _, item := range v {
			all = append(all, marked(t.Elem(), item, n))
		}
		return all
	}
	return v
}

// memberType is the type of a member, beneath its pointer.
func memberType(t reflect.Type, name string) reflect.Type {
	for _, f := range reflect.VisibleFields(t) {
		if is, _, _ := strings.Cut(f.Tag.Get("json"), ","); is == name || is == "" && f.Name == name && !f.Anonymous {
			if f.Type.Kind() == reflect.Pointer {
				return f.Type.Elem()
			}
			return f.Type
		}
	}
	panic(fmt.Sprint(t, " has no member ", name))
}

// unmarked is what all programs know of a record.
func unmarked(v any) any {
	switch v := v.(type) {
	case map[string]any:
		all := map[string]any{}
		for name, value := range v {
			if name != "future" && !strings.HasPrefix(name, "a ") {
				all[name] = unmarked(value)
			}
		}
		return all
	case []any:
		var all []any
		for _, item := range v {
			all = append(all, unmarked(item))
		}
		return all
	}
	return v
}

// edit is a change of a record: of a leaf, or of a list of objects.
type edit struct {
	name string
	of   func(any) any // a copy with the change
}

// edits are changes at all places of a value.
func edits(t reflect.Type, v any) (all []edit) {
	at := func(name string, inner []edit, set func(any, func(any) any) any) {
		for _, e := range inner {
			all = append(all, edit{name + e.name, func(v any) any { return set(v, e.of) }})
		}
	}
	switch v := v.(type) {
	case map[string]any:
		own := reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
		for name, value := range v {
			of := t
			if t.Kind() == reflect.Map {
				of = t.Elem()
			} else if !own {
				of = memberType(t, name)
			}
			at("."+name, edits(of, value), func(v any, change func(any) any) any {
				all := maps.Clone(v.(map[string]any))
				all[name] = change(all[name])
				return all
			})
		}
	case []any:
		if _, objects := v[0].(map[string]any); !objects {
			return []edit{{" shorter", func(v any) any { return v.([]any)[1:] }}}
		}
		for i := range v {
			within := func(v any, change func(any) any) any {
				all := slices.Clone(v.([]any))
				all[i] = change(all[i])
				return all
			}
			first := "." + shapeOf(t.Elem()).fields[0].name
			for _, e := range edits(t.Elem(), v[i]) {
				of := e.of
				if e.name == first { // another member, which no build has known
					of = func(v any) any { return unmarked(e.of(v)) }
				}
				all = append(all, edit{fmt.Sprint("[", i, "]", e.name), func(v any) any { return within(v, of) }})
			}
			all = append(all, edit{fmt.Sprint(" without ", i), func(v any) any { return slices.Delete(slices.Clone(v.([]any)), i, i+1) }})
			all = append(all, edit{fmt.Sprint(" new instead of ", i, ", the rest turned around"), func(v any) any {
				list := slices.Clone(v.([]any))
				list[i] = unmarked(list[i])
				for _, e := range edits(t.Elem(), list[i]) {
					if e.name == first {
						list[i] = e.of(list[i])
					}
				}
				slices.Reverse(list)
				return list
			}})
		}
	case string:
		if _, err := netip.ParsePrefix(v); err == nil {
			return nil
		}
		if _, err := time.Parse(time.RFC3339, v); err == nil {
			return []edit{{"", func(any) any { return "2001-02-03T04:05:06Z" }}}
		}
		return []edit{{"", func(any) any { return v + "AAAA" }}}
	case json.Number:
		return []edit{{"", func(any) any { return json.Number("1" + v.String()) }}}
	}
	return all
}

func treeOf(text []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(fmt.Sprint(err, string(text)))
	}
	return v
}

// In the records of all tables, members that are not known stay in every object at every depth when
// nothing is changed, when any other member is, and when lists are put in order, added to and
// shortened; they go with their object. It holds for each way of storing.
func TestUnknownMembersInside(t *testing.T) {
	t.Parallel()
	db := openDB(t, t.TempDir(), Options{})
	text := func(v any) []byte {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return b
	}
	seen := map[reflect.Type]bool{}
	for _, table := range schema.tables {
		n := 0
		plain, err := json.Marshal(filled(table.records, &n).Interface())
		if err != nil {
			t.Fatal(table.bucketName(), err)
		}
		newer := marked(table.records, treeOf(plain), &n)
		all := append(edits(table.records, treeOf(plain)), edit{" as it is", func(v any) any { return v }})
		write(t, db, func(tx *Tx) error {
			for i, e := range all {
				if seen[table.records] && i%9 != 0 { // others of its type have shown the rest
					continue
				}
				err := table.putJSON(tx, plain, false)
				if err == nil {
					_, err = table.raw(tx, text(newer))
				}
				if err == nil && i/2%2 == 1 {
					_, err = table.get(tx, testKey)
				}
				if err == nil {
					err = table.putJSON(tx, text(e.of(treeOf(plain))), i%2 == 1)
				}
				got, _ := table.raw(tx, nil)
				if err != nil || !reflect.DeepEqual(treeOf(got), e.of(newer)) {
					return fmt.Errorf("%s%s: %v\n%s\nwant\n%s", table.bucketName(), e.name, err, got, text(e.of(newer)))
				}
			}
			seen[table.records] = true
			return nil
		})
	}
}

// The shapes of all tables have the names that encoding/json writes.
func TestShapesOfTables(t *testing.T) {
	var same func(at string, s *shape, v any)
	same = func(at string, s *shape, v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, kept := range []string{".value", "r:passkeys.credential", "r:challenges.session", "r:mirrored_items.versions", "r:mirrored_versions.document", "r:mirrored_files.document"} {
				if strings.HasSuffix(at, kept) { // as it was sent, or as another library wrote it
					return
				}
			}
			if s != nil && s.named == nil && s.each != nil { // a map: its names are values
				for name, value := range v {
					same(at+"."+name, s.each, value)
				}
				return
			}
			if s == nil || len(v) != len(s.fields) {
				t.Errorf("%s has the members %v, not %+v", at, v, s)
				return
			}
			for _, f := range s.fields {
				if value, ok := v[f.name]; ok {
					same(at+"."+f.name, f.shape, value)
				} else {
					t.Errorf("%s has no member %s", at, f.name)
				}
			}
		case []any:
			if _, objects := v[0].(map[string]any); objects {
				same(at+"[]", s.each, v[0])
			}
		}
	}
	for _, table := range schema.tables {
		n := 0
		plain, _ := json.Marshal(filled(table.records, &n).Interface())
		same(table.bucketName(), shapeOf(table.records), treeOf(plain))
	}
}
