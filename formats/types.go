package formats

import (
	"strings"
	"unicode"
)

// kind says what an item type is called in each form. An empty apa is a type that APA does not
// name in brackets.
type kind struct{ apa, schema, csl, bibtex, ris, datacite string }

var kinds = map[string]kind{
	"figure":                  {"Figure", "ImageObject", "graphic", "misc", "FIGURE", "Image"},
	"media":                   {"Media", "MediaObject", "motion_picture", "misc", "VIDEO", "Audiovisual"},
	"dataset":                 {"Dataset", "Dataset", "dataset", "misc", "DATA", "Dataset"},
	"poster":                  {"Poster", "Poster", "graphic", "misc", "GEN", "Poster"},
	"journal contribution":    {"Journal contribution", "ScholarlyArticle", "article-journal", "article", "JOUR", "JournalArticle"},
	"presentation":            {"Presentation", "PresentationDigitalDocument", "speech", "misc", "SLIDE", "Presentation"},
	"thesis":                  {"Thesis", "Thesis", "thesis", "phdthesis", "THES", "Dissertation"},
	"software":                {"Computer software", "SoftwareSourceCode", "software", "misc", "COMP", "Software"},
	"online resource":         {"Online resource", "WebSite", "webpage", "misc", "ELEC", "InteractiveResource"},
	"preprint":                {"Preprint", "ScholarlyArticle", "article", "misc", "UNPB", "Preprint"},
	"book":                    {"", "Book", "book", "book", "BOOK", "Book"},
	"monograph":               {"", "Book", "book", "book", "BOOK", "Book"},
	"conference contribution": {"Conference contribution", "ScholarlyArticle", "paper-conference", "inproceedings", "CPAPER", "ConferencePaper"},
	"chapter":                 {"", "Chapter", "chapter", "incollection", "CHAP", "BookChapter"},
	"peer review":             {"Peer review", "Review", "review", "misc", "GEN", "PeerReview"},
	"educational resource":    {"Educational resource", "LearningResource", "document", "misc", "GEN", "InteractiveResource"},
	"report":                  {"", "Report", "report", "techreport", "RPRT", "Report"},
	"standard":                {"Standard", "CreativeWork", "standard", "misc", "STAND", "Standard"},
	"composition":             {"Composition", "MusicComposition", "song", "misc", "MUSIC", "Sound"},
	"data management plan":    {"Data management plan", "DigitalDocument", "document", "misc", "GEN", "OutputManagementPlan"},
	"workflow":                {"Workflow", "SoftwareSourceCode", "software", "misc", "COMP", "Workflow"},
	"performance":             {"Performance", "CreativeWork", "performance", "misc", "GEN", "Event"},
	"event":                   {"Event", "CreativeWork", "event", "misc", "GEN", "Event"},
	"funding":                 {"Funding", "CreativeWork", "document", "misc", "GRANT", "Award"},
	"physical object":         {"Physical object", "CreativeWork", "document", "misc", "GEN", "PhysicalObject"},
	"service":                 {"Service", "Service", "document", "misc", "GEN", "Service"},
	"model":                   {"Model", "Dataset", "dataset", "misc", "GEN", "Model"},
	"collection":              {"Collection", "Collection", "collection", "misc", "GEN", "Collection"},
}

func (it *Item) kind() kind {
	name := strings.ToLower(it.Type)
	if it.Kind == "collection" {
		name = "collection"
	}
	if k, ok := kinds[name]; ok {
		return k
	}
	return kind{capital(name), "CreativeWork", "document", "misc", "GEN", "Other"}
}

func capital(s string) string {
	if s == "" {
		return ""
	}
	return string(unicode.ToUpper([]rune(s)[0])) + string([]rune(s)[1:])
}

// typeName is the item type in words.
func (it *Item) typeName() string {
	switch {
	case it.Kind == "collection":
		return "collection"
	case it.Type == "":
		return "other"
	}
	return it.Type
}
