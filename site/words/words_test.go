package words

import (
	"reflect"
	"regexp"
	"testing"

	"alcove/record/catalogue"
)

// Every language has every text, with the same gaps for values, and a name for every type of items.
func TestWords(t *testing.T) {
	gap := regexp.MustCompile(`%[sd]`)
	var same func(code string, v, first reflect.Value)
	same = func(code string, v, first reflect.Value) {
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if v.Field(i).IsZero() {
				t.Errorf("%s has no %s", code, name)
			}
			if v.Field(i).Kind() == reflect.Struct {
				same(code, v.Field(i), first.Field(i))
			}
			if v.Field(i).Kind() == reflect.String && name != "Date" {
				if got, want := gap.FindAllString(v.Field(i).String(), -1), gap.FindAllString(first.Field(i).String(), -1); !reflect.DeepEqual(got, want) {
					t.Errorf("%s in %s has %v, in English %v", name, code, got, want)
				}
			}
		}
	}
	for _, code := range Languages {
		words := In(code)
		same(code, reflect.ValueOf(*words), reflect.ValueOf(english))
		for i, month := range words.Months {
			if month == "" {
				t.Errorf("%s has no name for month %d", code, i+1)
			}
		}
		for _, of := range catalogue.ItemTypes() {
			if words.Types[of.ID] == "" {
				t.Errorf("%s has no name for the type %s", code, of.Name)
			}
		}
		for status := range english.ErrorTitles {
			if words.ErrorTitles[status] == "" || words.ErrorTexts[status] == "" {
				t.Errorf("%s has no text for %d", code, status)
			}
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 2_940_000: "2.9 MB", 9_960_000: "10 MB", 41_200_000: "41 MB", 999_600_000: "1.0 GB", 5e15: "5.0 PB"} {
		if got := english.Bytes(n); got != want {
			t.Errorf("%d bytes are %q, want %q", n, got, want)
		}
	}
	if got := german.Bytes(2_940_000); got != "2,9 MB" {
		t.Errorf("in German %q", got)
	}
}
