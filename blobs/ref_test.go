package blobs

import (
	"encoding/json"
	"strings"
	"testing"
)

const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // SHA-256 of "abc"

func TestParseRef(t *testing.T) {
	for _, c := range []struct {
		text string
		ok   bool
	}{
		{abc, true},
		{strings.Repeat("0", 64), true},
		{"", false},
		{abc[1:], false},
		{abc + "0", false},
		{strings.ToUpper(abc), false},
		{"g" + abc[1:], false},
		{"/" + abc[1:], false},
		{"../" + abc[3:], false},
	} {
		r, err := ParseRef(c.text)
		if (err == nil) != c.ok {
			t.Errorf("ParseRef(%q): %v", c.text, err)
		}
		if c.ok && r.String() != c.text {
			t.Errorf("ParseRef(%q).String() = %q", c.text, r)
		}
	}
}

func TestRefInJSON(t *testing.T) {
	type doc struct {
		Blob Ref `json:"blob"`
		Sum  MD5 `json:"sum"`
	}
	in := `{"blob":"` + abc + `","sum":"900150983cd24fb0d6963f7d28e17f72"}`
	var d doc
	if err := json.Unmarshal([]byte(in), &d); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(d)
	if err != nil || string(out) != in {
		t.Errorf("marshalled %s, %v", out, err)
	}
	kept := d
	for _, bad := range []string{`{"blob":""}`, `{"blob":"` + abc[2:] + `"}`, `{"sum":"xy"}`} {
		if err := json.Unmarshal([]byte(bad), &d); err == nil || d != kept {
			t.Errorf("%s: %v, %+v", bad, err, d)
		}
	}
	if d.Blob.IsZero() || !(Ref{}).IsZero() {
		t.Error("IsZero is wrong")
	}
}

func FuzzParseRef(f *testing.F) {
	f.Add(abc)
	f.Add("AB" + abc[2:])
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := ParseRef(text); err == nil && r.String() != text {
			t.Errorf("%q and %q are the same Ref", text, r)
		}
	})
}
