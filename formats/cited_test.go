package formats

import (
	"html"
	"regexp"
	"strings"
	"testing"
)

// citedOf is of how many real records one is cited: all of them in twelve styles take over a minute.
const citedOf = 5

// otherwise reports whether a style of ours is another edition for an item: Chicago names three of more than six
// authors, and leaves particles in front of the family name.
func otherwise(style string, it *Item) bool {
	return style == "chicago" && (len(it.Authors) > 6 || len(it.Authors) > 0 && strings.HasPrefix(it.Authors[0].Family, "van "))
}

// datasets are items whose citations differ in what styles differ in: how many authors there are and of which kind,
// with and without a version and a DOI.
func datasets() (list []Item) {
	base := Item{Kind: "article", ID: 1, Version: 2, Type: "dataset", Title: "Tides of the North Sea", Published: sampleDay, DOI: "10.1234/alcove.7.v2",
		URL: "https://a.example/articles/dataset/tides/7/2", Publisher: "Alcove"}
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 10, 11, 20, 21, 25} {
		it := base
		it.Authors = many(n)
		for i := range it.Authors {
			if i%2 == 1 {
				it.Authors[i].Given = "Jean-Paul"
			}
		}
		list = append(list, it)
	}
	organisation, noVersion, noDOI, question, particles := base, base, base, base, base
	organisation.Authors = []Author{{Full: "World Health Organization", Organisation: true}}
	noVersion.Authors, noVersion.Version = many(2), 0
	noDOI.Authors, noDOI.DOI = many(3), ""
	question.Authors, question.Title = many(1), "Is it so?"
	particles.Authors = []Author{{Family: "van der Berg", Given: "Jan"}, {Family: "de la Cruz", Given: "J."}}
	return append(list, organisation, noVersion, noDOI, question, particles)
}

var (
	anyTag     = regexp.MustCompile(`<[^>]*>`)
	notItalic  = regexp.MustCompile(`</?(div|a|b|sup|span)\b[^>]*>`)
	itemNumber = regexp.MustCompile(`^(\(1\)|\[1\]|1\.) *`)
)

// compareCited holds our citation of an item of the type dataset, in HTML, against that of citation-js.
func compareCited(t *testing.T, style string, it *Item, theirs string) {
	t.Helper()
	f, _ := ByName(style)
	named := *it // whose title has nothing but its end that a difference could be taken for
	named.Title = "§"
	if end := it.Title[len(it.Title)-1:]; strings.Contains(".?!", end) {
		named.Title += end
	}
	ours := asCSL(style, it, notItalic.ReplaceAllString(f.HTML(named), ""))
	ours = strings.ReplaceAll(ours, named.Title, html.EscapeString(it.Title))
	ours = said(style, strings.ReplaceAll(ours, "§", html.EscapeString(strings.TrimSuffix(it.Title, "."))))
	if theirs = said(style, notItalic.ReplaceAllString(theirs, "")); ours != theirs {
		t.Errorf("%s of %q\n ours   %s\n theirs %s", style, it.Title, ours, theirs)
	}
}

// said is a citation without what is not compared: the number before it, capitals, which some styles change in titles,
// quotation marks, which differ between languages, and the full stop of a title before what goes on; where a style of theirs has a title in quotation marks and ours
// in italics, these as well.
func said(style, text string) string {
	if style == "harvard" {
		text = anyTag.ReplaceAllString(text, "")
	}
	text = strings.Join(strings.Fields(html.UnescapeString(text)), " ")
	text = strings.NewReplacer("“", "", "”", "", `"`, "", "‘", "", "’", "", "'", "", ".,", ",", ". (", " (").Replace(itemNumber.ReplaceAllString(text, ""))
	return strings.ToLower(strings.TrimSpace(text))
}

// asCSL turns what is ours on purpose into what the style of citationstyles.org has in its place.
// docs/interoperability.md tells the differences.
func asCSL(style string, it *Item, ours string) string {
	year, address := "("+it.year("")+")", html.EscapeString(it.where())
	bare, given := "doi:"+it.DOI, ", , doi:"+it.DOI
	if it.DOI == "" {
		bare, given = "", ", (available at "+address+")"
	}
	if v := it.version(); v != "" && style != "apa" && style != "mla" {
		ours = strings.NewReplacer(" "+v+" [Dataset]", " [Dataset]", " "+v+".", "", ", "+v, "", ", "+strings.ToLower(v), "").Replace(ours)
	}
	pairs := map[string][]string{
		"apa":       {", . . . ", ", … "},
		"harvard":   {"?</i> [Dataset].", "?</i>", ".</i> [Dataset].", ".</i>", ". [Dataset].", ".", " [Dataset].", "."},
		"vancouver": {"[dataset].", "[Internet]."},
		"chicago":   {" Dataset.", ""},
		"ieee":      {",” ", ".” ", ", " + it.year("") + ", dataset, doi:", it.Published.UTC().Format(", Jan. 02, 2006") + ". doi:", ", " + it.year("") + ", dataset", it.Published.UTC().Format(", Jan. 02, 2006")},
		"mla":       {" Version ", " "},
		"ama":       {" " + it.Publisher + ". Published", " Published"},
		"acs":       {"; " + it.Publisher + ",", ","},
		"nature":    {it.Publisher + " " + address + " " + year, strings.TrimSpace(year + " " + bare)},
		"science":   {", " + it.Publisher + " " + year + "; " + address, " " + year + given},
		"cell":      {"? (" + it.Publisher + "). https://doi.org/", "? ", " (" + it.Publisher + "). https://doi.org/", ". ", " (" + it.Publisher + ").", "."},
	}[style]
	switch {
	case style == "iso690" && it.DOI != "":
		pairs = []string{"?</i> Online", "?</i>. Online", " Available from: " + address, ""}
	case style == "vancouver" && it.DOI != "":
		ours += " " + bare
	}
	return strings.NewReplacer(pairs...).Replace(ours)
}
