package formats

import (
	"strings"
	"unicode"
)

// kind says what an item type is called in each form. An empty apa is a type that APA does not
// name in brackets.
type kind struct{ apa, schema, csl, bibtex, ris string }

var kinds = map[string]kind{
	"figure":                  {"Figure", "ImageObject", "graphic", "misc", "FIGURE"},
	"media":                   {"Media", "MediaObject", "motion_picture", "misc", "VIDEO"},
	"dataset":                 {"Dataset", "Dataset", "dataset", "misc", "DATA"},
	"poster":                  {"Poster", "Poster", "graphic", "misc", "GEN"},
	"journal contribution":    {"Journal contribution", "ScholarlyArticle", "article-journal", "article", "JOUR"},
	"presentation":            {"Presentation", "PresentationDigitalDocument", "speech", "misc", "SLIDE"},
	"thesis":                  {"Thesis", "Thesis", "thesis", "phdthesis", "THES"},
	"software":                {"Computer software", "SoftwareSourceCode", "software", "misc", "COMP"},
	"online resource":         {"Online resource", "WebSite", "webpage", "misc", "ELEC"},
	"preprint":                {"Preprint", "ScholarlyArticle", "article", "misc", "UNPB"},
	"book":                    {"", "Book", "book", "book", "BOOK"},
	"monograph":               {"", "Book", "book", "book", "BOOK"},
	"conference contribution": {"Conference contribution", "ScholarlyArticle", "paper-conference", "inproceedings", "CPAPER"},
	"chapter":                 {"", "Chapter", "chapter", "incollection", "CHAP"},
	"peer review":             {"Peer review", "Review", "review", "misc", "GEN"},
	"educational resource":    {"Educational resource", "LearningResource", "document", "misc", "GEN"},
	"report":                  {"", "Report", "report", "techreport", "RPRT"},
	"standard":                {"Standard", "CreativeWork", "standard", "misc", "STAND"},
	"composition":             {"Composition", "MusicComposition", "song", "misc", "MUSIC"},
	"data management plan":    {"Data management plan", "DigitalDocument", "document", "misc", "GEN"},
	"workflow":                {"Workflow", "SoftwareSourceCode", "software", "misc", "COMP"},
	"performance":             {"Performance", "CreativeWork", "performance", "misc", "GEN"},
	"event":                   {"Event", "CreativeWork", "event", "misc", "GEN"},
	"funding":                 {"Funding", "CreativeWork", "document", "misc", "GRANT"},
	"model":                   {"Model", "Dataset", "dataset", "misc", "GEN"},
	"collection":              {"Collection", "Collection", "collection", "misc", "GEN"},
}

func (it *Item) kind() kind {
	name := strings.ToLower(it.Type)
	if it.Kind == "collection" {
		name = "collection"
	}
	if k, ok := kinds[name]; ok {
		return k
	}
	return kind{capital(name), "CreativeWork", "document", "misc", "GEN"}
}

func capital(s string) string {
	if s == "" {
		return ""
	}
	return string(unicode.ToUpper([]rune(s)[0])) + string([]rune(s)[1:])
}
