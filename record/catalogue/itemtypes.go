package catalogue

import (
	"cmp"
	"slices"
)

// ItemType is the sort of work that an item is.
type ItemType struct {
	// ID is the number in item_type filters and in an item's defined_type.
	ID int64
	// Name is what an item shows and what a client writes, in lower case with
	// spaces.
	Name string
	// StringID is the name with underscores in place of spaces.
	StringID string
	// Icon names the picture that pages show for the type. Types that people
	// think of together share one.
	Icon string
	// PublicDescription is one sentence to choose a type by.
	PublicDescription string
	// IsSelectable is true for every type in the list: a type that can no
	// longer be chosen is not listed.
	IsSelectable bool
	// URLName is the segment that stands for the type in addresses of items.
	URLName string
}

// itemTypes is ordered by id. Numbers 4 and 10 are missing: 4 was the fileset,
// which became the dataset, and there never was a 10.
var itemTypes = []ItemType{
	{1, "figure", "figure", "figure", "A chart, diagram, map, photograph or other single image.", true, "figure"},
	{2, "media", "media", "media", "Sound, film or animation.", true, "media"},
	{3, "dataset", "dataset", "dataset", "Data in one file or many, with what is needed to read them.", true, "dataset"},
	{5, "poster", "poster", "poster", "A sheet made to be hung up and talked about.", true, "poster"},
	{6, "journal contribution", "journal_contribution", "paper", "An article or another piece written for a journal.", true, "journal_contribution"},
	{7, "presentation", "presentation", "presentation", "Slides or notes of a talk.", true, "presentation"},
	{8, "thesis", "thesis", "thesis", "A work handed in for a degree.", true, "thesis"},
	{9, "software", "software", "software", "Programs, scripts and libraries, as source or ready to run.", true, "software"},
	{11, "online resource", "online_resource", "link", "Something kept elsewhere on the web and described here.", true, "online_resource"},
	{12, "preprint", "preprint", "paper", "A manuscript shared before peer review.", true, "preprint"},
	{13, "book", "book", "book", "A whole book, edited or by its authors.", true, "book"},
	{14, "conference contribution", "conference_contribution", "paper", "A paper, abstract or other piece made for a conference.", true, "conference_contribution"},
	{15, "chapter", "chapter", "book", "One chapter of a book.", true, "chapter"},
	{16, "peer review", "peer_review", "paper", "A review of somebody's work, with the consent to share it.", true, "peer_review"},
	{17, "educational resource", "educational_resource", "presentation", "Material for teaching or for learning alone.", true, "educational_resource"},
	{18, "report", "report", "paper", "An account of work done, written for those who asked for it.", true, "report"},
	{19, "standard", "standard", "paper", "An agreed way of doing or describing something.", true, "standard"},
	{20, "composition", "composition", "media", "A musical, literary or choreographic work.", true, "composition"},
	{21, "funding", "funding", "paper", "A grant, its application or its award.", true, "funding"},
	{22, "physical object", "physical_object", "object", "A thing that stands somewhere: a specimen, an instrument, a work of art.", true, "physical_object"},
	{23, "data management plan", "data_management_plan", "paper", "How the data of a project are made, kept and shared.", true, "data_management_plan"},
	{24, "workflow", "workflow", "software", "The steps that lead from one result to the next, for people or machines.", true, "workflow"},
	{25, "monograph", "monograph", "book", "A book on a single subject, by its authors.", true, "monograph"},
	{26, "performance", "performance", "media", "A concert, play, dance or reading that took place.", true, "performance"},
	{27, "event", "event", "event", "A conference, exhibition, workshop or other gathering.", true, "event"},
	{28, "service", "service", "object", "Something offered to others: a facility, an instrument, a help desk.", true, "service"},
	{29, "model", "model", "software", "A description of a system that can be computed or built.", true, "model"},
}

// oldNames are the values of the first vocabulary of defined_type that differ from today's
// (docs/reference/api.md#enumerations). Items always show today's.
var oldNames = map[string]int64{
	"fileset":  3,
	"paper":    6,
	"code":     9,
	"metadata": 11,
}

// ItemTypes returns all item types by id. The slice is the caller's own.
func ItemTypes() []ItemType { return slices.Clone(itemTypes) }

// ItemTypeByID returns the item type with that id, or false. The withdrawn 4
// (fileset) gives the dataset, id 3, as its name does, so an old filter finds
// what filesets have become.
func ItemTypeByID(id int64) (ItemType, bool) {
	if id == 4 {
		id = 3
	}
	i, found := slices.BinarySearchFunc(itemTypes, id, func(t ItemType, id int64) int {
		return cmp.Compare(t.ID, id)
	})
	if !found {
		return ItemType{}, false
	}
	return itemTypes[i], true
}

// ItemTypeByName returns the item type that a client means by s, which may be
// today's name or the old one. The match is exact: another case, surrounding
// spaces, underscores or letters that only look alike give false.
func ItemTypeByName(s string) (ItemType, bool) {
	if id, ok := oldNames[s]; ok {
		return ItemTypeByID(id)
	}
	for _, t := range itemTypes {
		if t.Name == s {
			return t, true
		}
	}
	return ItemType{}, false
}
