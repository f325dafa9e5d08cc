package present

import (
	"encoding/json"
	"reflect"
	"time"

	"alcove/record"
)

// sampleDocuments are frozen forms of articles and collections: with a value in every member, under
// no embargo and under one that stays, and with no values. Their bytes change with the shape of a
// representation and with most rules of what it shows, so that a hash of them tells whether stored
// documents are out of date.
func sampleDocuments(s Settings) ([]byte, error) {
	open, closed := sample[record.ArticleVersion](), sample[record.ArticleVersion]()
	open.Embargo, open.DownloadDisabled = record.Embargo{}, false
	closed.Embargo = record.Embargo{Kind: record.FileEmbargo, Reason: "Reason"}
	files := []*record.PublicFile{sample[record.PublicFile]()}
	var forms []any
	for _, v := range []*record.ArticleVersion{open, closed, sample[record.ArticleVersion](), {}} {
		list, full := s.PublicForms(v, files, true)
		forms = append(forms, list, full)
	}
	for _, v := range []*record.CollectionVersion{sample[record.CollectionVersion](), {}} {
		forms = append(forms, s.PublicCollection(v), s.CollectionDetail(v, 1, true))
	}
	return Encode(forms)
}

// sample is a record with a value in every member.
func sample[R any]() *R {
	r := new(R)
	fill(reflect.ValueOf(r).Elem(), "sample")
	return r
}

// fill sets v, and all that is in it, to a value that is not blank. Texts are the name of their member.
func fill(v reflect.Value, name string) {
	switch at := v.Addr().Interface().(type) {
	case *time.Time:
		*at = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
		return
	case *json.RawMessage:
		*at = json.RawMessage(`"` + name + `"`)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				fill(v.Field(i), f.Name)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), name)
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), name)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, name)
		fill(value, name)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString(name)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(1)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(1)
	}
}
