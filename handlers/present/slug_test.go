package present

import (
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"alcove/record"
)

// A title in an address.
func TestSlug(t *testing.T) {
	for title, want := range map[string]string{
		"Figure3_5.m": "Figure3_5_m",
		"Testing-full embargo-restrict_access-unpublish-republish": "Testing-full_embargo-restrict_access-unpublish-republish",
		"": "_", "!?": "_", " ": "_", "<b></b>": "_", "-": "-",
		"a  b":                                 "a_b",
		"a, b: c.":                             "a_b_c_",
		"a _ b":                                "a___b",
		"Rain in <i>Ulex</i> (H<sub>2</sub>O)": "Rain_in_Ulex_H2O_",
		"<p class=\"x > y\">a":                 "_p_class_x_y_a",
		"When is an <object> a <place>?":       "When_is_an_object_a_place_",
		"1 < 2 and 3 > 2":                      "1_2_and_3_2",
		"a<b":                                  "a_b",
		"Größe und Maß":                        "Größe_und_Maß",
		"日本語の題名、第二版":                           "日本語の題名_第二版",
		"../../etc/passwd?x=1#y":               "_etc_passwd_x_1_y",
		"😀":                                    "_",
		"²½ x":                                 "_x",
		strings.Repeat("a", 500):               strings.Repeat("a", maxSlug),
		strings.Repeat("日", 500):               strings.Repeat("日", maxSlug),
		strings.Repeat("𝒳", 500):               strings.Repeat("𝒳", maxSlug),
		strings.Repeat("a ", 500):              strings.Repeat("a_", maxSlug/2),
	} {
		if got := slug(title); got != want {
			t.Errorf("%.40q: %s, want %s", title, got, want)
		}
	}
}

// The page of an item has its title once it is public, escaped for an address.
func TestLanding(t *testing.T) {
	v := fullVersion()
	v.Title = "日本 a/b"
	want := "https://example.org/articles/software/" + url.PathEscape("日本_a_b") + "/7"
	if got := settings.PublicArticle(v).URLPublicHTML; got != want {
		t.Errorf("public: %s, want %s", got, want)
	}
	a := fullArticle()
	a.Type, a.Title = 23, "Plan"
	if got := settings.OwnArticle(a).URLPublicHTML; got != "https://example.org/articles/data_management_plan/Plan/7" {
		t.Errorf("own, published: %s", got)
	}
	a.Version = 0
	if got := settings.OwnArticle(a).URLPublicHTML; got != "https://example.org/articles/data_management_plan/_/7" {
		t.Errorf("own, not published: %s", got)
	}
}

// The addresses and the DOI of an item in its views.
func TestViews(t *testing.T) {
	public, own := settings.PublicArticle(fullVersion()), settings.OwnArticle(fullArticle())
	if *public.DOI != "10.1234/alcove.7.v2" || *own.DOI != "10.1234/alcove.7" {
		t.Errorf("DOIs %s and %s", *public.DOI, *own.DOI)
	}
	if public.URL != "https://api.example.org/v2/articles/7" || own.URL != "https://api.example.org/v2/account/articles/7" {
		t.Errorf("addresses %s and %s", public.URL, own.URL)
	}
	if *public.Created != "2026-03-04T04:05:06Z" || *own.Created != "2026-01-01T04:05:06Z" {
		t.Errorf("created %s and %s", *public.Created, *own.Created)
	}
	first := fullVersion()
	first.Version, first.Published = 1, first.First.In(time.FixedZone("", -9*3600))
	first.Timeline = record.Timeline{}
	line := settings.PublicArticle(first).Timeline
	if line.Revision != nil || *line.Posted != "2026-01-02T04:05:06" || *line.FirstOnline != *line.Posted {
		t.Errorf("timeline of the first version: %+v", line)
	}
	second := fullArticle()
	second.Timeline = record.Timeline{Publication: "2020-02-03"}
	line = settings.OwnArticle(second).Timeline
	if *line.Revision != "2026-03-04T04:05:06" || *line.FirstOnline != "2026-01-02T04:05:06" || *line.PublisherPublication != "2020-02-03" {
		t.Errorf("timeline of the second version: %+v", line)
	}
	if draft := settings.OwnArticle(&record.Article{Working: record.Working{Created: day(1, 1)}}); draft.Timeline != (Timeline{}) || draft.PublishedDate != nil {
		t.Errorf("draft: %+v", draft)
	}
}

// The ready-made citation.
func TestCitation(t *testing.T) {
	person := func(first, last, full string) record.Person {
		return record.Person{FirstName: first, LastName: last, FullName: full}
	}
	ada, plato := person("Ada", "King", "Ada King"), person("", "Plato", "Plato")
	tests := []struct {
		name    string
		change  func(*record.ArticleVersion)
		authors []record.Person
		want    string
	}{
		{"plain", nil, []record.Person{ada, plato}, "King, Ada; Plato (2026). T. Example Repository. Dataset. https://doi.org/10.1234/x.v3"},
		{"no DOI", func(v *record.ArticleVersion) { v.DOI = "" }, []record.Person{ada},
			"King, Ada (2026). T. Example Repository. Dataset. https://example.org/articles/dataset/T/7"},
		{"not registered", nil, []record.Person{ada},
			"King, Ada (2026). T. Example Repository. Dataset. https://example.org/articles/dataset/T/7"},
		{"no author", nil, nil, "(2026). T. Example Repository. Dataset. https://doi.org/10.1234/x.v3"},
		{"six", nil, []record.Person{plato, plato, plato, plato, plato, ada},
			"Plato; Plato; Plato; Plato; Plato; King, Ada (2026). T. Example Repository. Dataset. https://doi.org/10.1234/x.v3"},
		{"seven", nil, []record.Person{plato, plato, plato, plato, plato, ada, ada},
			"Plato; Plato; Plato; Plato; Plato; King, Ada; et al. (2026). T. Example Repository. Dataset. https://doi.org/10.1234/x.v3"},
		{"first name only", nil, []record.Person{person("Madonna", "", "Madonna")}, "Madonna (2026). T. Example Repository. Dataset. https://doi.org/10.1234/x.v3"},
		{"full name only", nil, []record.Person{person("", "", "The Team")}, "The Team (2026). T. Example Repository. Dataset. https://doi.org/10.1234/x.v3"},
		{"CJK", func(v *record.ArticleVersion) { v.Title = "雨の研究" }, []record.Person{person("小明", "王", "王小明")},
			"王, 小明 (2026). 雨の研究. Example Repository. Dataset. https://doi.org/10.1234/x.v3"},
		{"type", func(v *record.ArticleVersion) { v.Type = 6 }, []record.Person{ada},
			"King, Ada (2026). T. Example Repository. Journal contribution. https://doi.org/10.1234/x.v3"},
	}
	for _, test := range tests {
		v := &record.ArticleVersion{
			ArticleID: 7, Version: 3, Metadata: record.Metadata{Title: "T", Type: 3, DOI: "10.1234/x"}, Authors: test.authors,
			First: day(1, 1).AddDate(-5, 0, 0), Published: day(1, 1),
		}
		if test.change != nil {
			test.change(v)
		}
		if got := settings.PublicDetail(v, nil, Leads(test.name != "not registered")).Citation; got != test.want {
			t.Errorf("%s:\n%s, want\n%s", test.name, got, test.want)
		}
	}
	draft := &record.Article{Working: record.Working{ID: 7, Metadata: record.Metadata{Title: "T", Type: 3, DOI: "10.1234/x"}, Created: day(1, 1).AddDate(-1, 0, 0)}}
	if got := settings.OwnDetail(draft, []record.Person{ada}, nil, true).Citation; got != "King, Ada (2025). T. Example Repository. Dataset. https://doi.org/10.1234/x" {
		t.Errorf("draft: %s", got)
	}
}

// People in lists of authors; only those with a profile have an address.
func TestAuthors(t *testing.T) {
	list := settings.Authors([]record.Person{
		{ID: 1, FullName: " Ada King-Noël ", AccountID: 5}, {ID: 2, FullName: "A/B. C", AccountID: 6}, {ID: 3, FullName: "Plato"}, {ID: 4, FullName: " ", AccountID: 7},
	})
	for i, want := range []string{"Ada_King-Noël", "A_B__C", "_", "_"} {
		if list[i].URLName != want || list[i].IsActive != (i != 2) || list[i].FirstName != nil {
			t.Errorf("author %d: %+v", i+1, list[i])
		}
	}
	if settings.Authors(nil) == nil {
		t.Error("no authors are null")
	}
}

// A title as long as a body may be costs little, however it is made.
func TestLongTitles(t *testing.T) {
	for _, unit := range []string{"a", "日", "<", "<b>", "</b", " ", "_", "\"", "😀"} {
		v := fullVersion()
		v.Title = strings.Repeat(unit, 1<<20/len(unit))
		start := time.Now()
		got := settings.PublicArticle(v).URLPublicHTML
		citation := settings.PublicDetail(v, nil, true).Citation
		if took := time.Since(start); took > time.Second {
			t.Errorf("%q: took %v", unit, took)
		}
		if len(got) > 2000 || !utf8.ValidString(got) || !strings.HasPrefix(got, "https://example.org/articles/software/") {
			t.Errorf("%q: an address of %d bytes", unit, len(got))
		}
		if !strings.Contains(citation, v.Title) {
			t.Errorf("%q: the citation has another title", unit)
		}
	}
}

// The vocabularies as the API lists them.
func TestVocabularies(t *testing.T) {
	if c := Categories([]int64{300101, 5, 30}); len(c) != 2 || c[0].ID != 300101 || c[0].Path != "/30/3001/300101" || c[1].ParentID != 0 || c[1].TaxonomyID != 100 {
		t.Errorf("categories: %+v", c)
	}
	if c := Categories(nil); c == nil {
		t.Error("no categories are null")
	}
	all := AllCategories()
	if len(all) < 1000 || !all[0].HasChildren || !all[0].IsSelectable || all[0].ID != 30 {
		t.Errorf("%d categories, the first is %+v", len(all), all[0])
	}
	if l := Licenses(nil); l == nil || len(l) != 0 {
		t.Errorf("no licences: %v", l)
	}
	if l := license(1); l.Name != "CC BY 4.0" || l.Value != 1 {
		t.Errorf("licence 1: %+v", l)
	}
}
