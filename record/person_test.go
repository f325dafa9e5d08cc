package record

import (
	"slices"
	"testing"
)

// Names are found however they are spelled, and an ORCID iD is one word.
func TestNameWords(t *testing.T) {
	for name, want := range map[string][]string{
		"": nil, " \t": nil, "Zoë Müller-Lüdenscheidt": {"zoe", "muller-ludenscheidt"}, "O’Brien, Ada": {"obrien", "ada"}, "O'Brien": {"obrien"},
		"0000-0002-1825-009X": {"0000-0002-1825-009x"}, "山田 太郎": {"山田", "太郎"}, "a.b@c": {"a", "b", "c"}, "\xff\xfeX": {"x"}, "ﬁn": {"fin"},
	} {
		if got := NameWords(name); !slices.Equal(got, want) {
			t.Errorf("%q has the words %q, want %q", name, got, want)
		}
	}
	p := Person{FullName: "Grace Hopper", FirstName: "Grace", LastName: "Hopper", ORCID: "https://orcid.org/0000-0002-1825-0097"}
	if got := p.SearchWords(); !slices.Equal(got, []string{"grace", "hopper", "0000-0002-1825-0097"}) {
		t.Errorf("Grace Hopper is found by %q", got)
	}
	for words, want := range map[string]bool{"": true, "gra": true, "hopper grace": true, "race": false, "grace murray": false, "0000-0002": true} {
		if got := p.Named(NameWords(words)); got != want {
			t.Errorf("named %q: %v", words, got)
		}
	}
}

// SeenBy, by which people are indexed, says what VisibleTo says.
func TestSeenBy(t *testing.T) {
	for _, p := range []Person{{CreatedBy: 1}, {CreatedBy: 1, Public: true}, {CreatedBy: 1, AccountID: 1}, {CreatedBy: 2, AccountID: 3, Public: true}, {CreatedBy: 2}} {
		for account := int64(1); account < 4; account++ {
			if seen := p.SeenBy() == Everyone || p.SeenBy() == account; seen != p.VisibleTo(account) {
				t.Errorf("%+v: seen by %d is %v", p, account, seen)
			}
		}
	}
}

// Take removes the key, so that what binds the rest does not meet it.
func TestTake(t *testing.T) {
	for body, want := range map[string]string{
		`{"a": 1, "k": 5, "b": 2}`: "5", `{"a": 1}`: "none", `{"k": null}`: "none", `{"k": "5"}`: "wrong", `{"k": 5.0}`: "wrong", `{"k": 1e3}`: "wrong", `{"k": -0}`: "wrong",
		`{"k": 9223372036854775808}`: "wrong", `{"k": [5]}`: "wrong", `{"k": -7}`: "-7",
	} {
		b, err := ReadBody([]byte(body), false)
		if err != nil {
			t.Fatal(err)
		}
		n, err := b.Take("k")
		switch {
		case err != nil && want != "wrong", err == nil && want == "wrong", n == nil && err == nil && want != "none", n != nil && want != map[int64]string{5: "5", -7: "-7"}[*n]:
			t.Errorf("%s: %v, %v, want %s", body, n, err, want)
		}
		if b.root.member("k") != nil {
			t.Errorf("%s still has the key", body)
		}
	}
	if n, err := new(Body).Take("k"); n != nil || err != nil {
		t.Error("an empty body has a key")
	}
}

func FuzzNameWords(f *testing.F) {
	for _, s := range []string{"Grace Hopper", "Zoë", "0000-0002", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		words := NameWords(s)
		if again := NameWords(FoldName(s)); !slices.Equal(again, words) {
			t.Errorf("%q folds to %q, and that to %q", s, words, again)
		}
	})
}
