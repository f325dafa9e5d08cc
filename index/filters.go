package index

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"alcove/index/segments"
	"alcove/record"
	"alcove/record/catalogue"
)

// value is what stands after :field: .
type value struct {
	raw     string // as written, without quotes around it
	quoted  bool
	lexemes []lexeme
}

// filter builds what a value of its field stands for; nil when nothing is left of it.
type filter func(*parser, value) *segments.Node

// filters are the fields that can be asked for. A value that cannot be of its field
// (an unknown licence, a date that is none) matches nothing.
var filters map[string]filter

func init() { // not in the declaration: the parser asks for filters inside filters
	filters = map[string]filter{
		"title":            anyWord(fTitle),
		"description":      anyWord(fDescription),
		"references":       anyWord(fReferences),
		"search_term":      whole(everywhere...),
		"resource_title":   whole(fResourceTitle),
		"author":           author,
		"category":         category,
		"tag":              one(fTag, exact),
		"orcid":            one(fORCID, bareORCID),
		"doi":              one(fDOI, record.BareDOI),
		"resource_doi":     one(fResourceDOI, record.BareDOI),
		"resource_link":    one(fResourceDOI, record.BareDOI),
		"extension":        one(fExtension, func(s string) string { return strings.TrimLeft(exact(s), "*.") }),
		"institution":      one(fInstitution, exact),
		"group":            one(fGroup, exact),
		"project":          one(fProject, exact),
		"item_type":        itemType,
		"license":          license,
		"published_before": publication(true),
		"published_after":  publication(false),
	}
}

// aliases are other spellings of field names.
var aliases = map[string]string{
	"tags": "tag", "authors": "author", "categories": "category", "reference": "references",
	"licence": "license", "extensions": "extension",
}

// anyWord finds any word or phrase of the value in a field.
func anyWord(field string) filter {
	return func(p *parser, v value) *segments.Node {
		var children []*segments.Node
		for i, l := range v.lexemes {
			switch l.kind {
			case lexPhrase:
				children = append(children, p.quoted(l.text, field))
			case lexWord:
				children = append(children, p.joined(p.word(l.text, field), l.text, v.lexemes[i+1:], field))
			}
		}
		return or(children...)
	}
}

// whole finds the value as a phrase in one of the fields.
func whole(fields ...string) filter {
	return func(p *parser, v value) *segments.Node { return p.quoted(v.raw, fields...) }
}

// one finds a value that is equal in a normal form.
func one(field string, normal func(string) string) filter {
	return func(p *parser, v value) *segments.Node {
		if !p.clause() {
			return nil
		}
		return p.exactly(field, normal(v.raw))
	}
}

// author wants all the names of the value of one person, in any order; quoted, in that order.
func author(p *parser, v value) *segments.Node {
	if v.quoted {
		return p.quoted(v.raw, fAuthor)
	}
	var children []*segments.Node
	for _, l := range v.lexemes {
		if l.kind == lexWord || l.kind == lexPhrase {
			children = append(children, p.word(l.text, fAuthor))
		}
	}
	return near(fAuthor, children...)
}

// category is an id, or words that follow one another in a title.
func category(p *parser, v value) *segments.Node {
	if _, err := strconv.ParseUint(v.raw, 10, 63); err == nil && p.clause() {
		return p.exactly(fCategoryID, v.raw)
	}
	return p.quoted(v.raw, fCategory)
}

// kindNames are the item types that stand for all items of a kind.
var kindNames = []string{"article", "collection", "project"}

func itemType(p *parser, v value) *segments.Node {
	if !p.clause() {
		return nil
	}
	name := strings.ReplaceAll(exact(v.raw), "_", " ")
	if id, err := strconv.ParseInt(name, 10, 64); err == nil {
		if t, ok := catalogue.ItemTypeByID(id); ok {
			return p.exactly(fItemType, strconv.FormatInt(t.ID, 10))
		}
	}
	if slices.Contains(kindNames, name) {
		return p.exactly(fKind, name)
	}
	if t, ok := catalogue.ItemTypeByName(name); ok {
		return p.exactly(fItemType, strconv.FormatInt(t.ID, 10))
	}
	return &segments.Node{Op: segments.OpNone}
}

// license is an id, or a name whose spaces, punctuation and version may be left out.
func license(p *parser, v value) *segments.Node {
	if !p.clause() {
		return nil
	}
	asked := squeeze(v.raw)
	if asked == "" {
		return &segments.Node{Op: segments.OpNone}
	}
	var children []*segments.Node
	for _, l := range append(catalogue.PublicLicenses(), catalogue.InstitutionLicenses()...) {
		short := strings.TrimRight(l.Name, "0123456789.+")
		if !strings.HasSuffix(short, " ") {
			short = l.Name
		}
		if asked == fmt.Sprint(l.Value) || asked == squeeze(l.Name) || asked == squeeze(short) {
			children = append(children, p.exactly(fLicense, fmt.Sprint(l.Value)))
		}
	}
	if children == nil {
		return &segments.Node{Op: segments.OpNone}
	}
	return or(children...)
}

// squeeze keeps letters and digits, in lower case.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, fold(s))
}

// published compares the day of publication, UTC: before is earlier than the day, after
// is that day or later, as published_since is. The range is the years that lie in it
// wholly, with the months and days that remain beside them.
func publication(before bool) filter {
	return func(p *parser, v value) *segments.Node {
		if !p.clause() {
			return nil
		}
		day, err := time.Parse(time.DateOnly, cut(strings.TrimSpace(v.raw), 10))
		if err != nil {
			return &segments.Node{Op: segments.OpNone}
		}
		y, m, d := day.Date()
		if y < firstYear || y > lastYear {
			if before == (y > lastYear) {
				return &segments.Node{Op: segments.OpAll}
			}
			return &segments.Node{Op: segments.OpNone}
		}
		days := time.Date(y, m+1, 0, 0, 0, 0, 0, time.UTC).Day()
		from, to := [3]int{y + 1, int(m) + 1, d}, [3]int{lastYear, 12, days}
		if before {
			from, to = [3]int{firstYear, 1, 1}, [3]int{y - 1, int(m) - 1, d - 1}
		}
		var children []*segments.Node
		for i := from[0]; i <= to[0]; i++ {
			children = append(children, term(fPublished, fmt.Sprintf("%04d", i)))
		}
		for i := from[1]; i <= to[1]; i++ {
			children = append(children, term(fPublished, fmt.Sprintf("%04d-%02d", y, i)))
		}
		for i := from[2]; i <= to[2]; i++ {
			children = append(children, term(fPublished, fmt.Sprintf("%04d-%02d-%02d", y, m, i)))
		}
		if p.terms += len(children); p.terms > maxTerms || children == nil {
			return &segments.Node{Op: segments.OpNone}
		}
		return or(children...)
	}
}

// The years in which something can have been published here.
const (
	firstYear = 1900
	lastYear  = 2100
)
