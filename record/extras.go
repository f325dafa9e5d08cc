package record

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"alcove/record/catalogue"
)

// Extras are the keys that bodies of articles and of collections have in common beyond those of
// the item itself.
type Extras struct {
	SourceIDs *[]string      `json:"categories_by_source_id"` // the handler's; they win over categories
	Materials *[]MaterialRef `json:"related_materials"`       // they win over references
	Grants    *[]FundingRef  `json:"funding_list"`
	Timeline  *TimelineBody  `json:"timeline"`
	GroupID   *int64         `json:"group_id"` // the handler's; blank says nothing
	Handle    *string        `json:"handle"`
}

func (b *Extras) check() error {
	if b.Materials != nil {
		if err := checkMaterials(*b.Materials); err != nil {
			return err
		}
	}
	if b.Grants != nil {
		if err := checkGrants(*b.Grants); err != nil {
			return err
		}
	}
	if b.Timeline != nil {
		if err := b.Timeline.check(); err != nil {
			return err
		}
	}
	if b.Handle != nil && *b.Handle != "" {
		if _, ok := ReadHandle(*b.Handle); !ok {
			return Wrong("handle", "must be a handle such as 12345/name, of at most 255 characters")
		}
	}
	return nil
}

func (b *Extras) apply(m *Metadata) {
	if b.Materials != nil {
		m.setMaterials(materials(*b.Materials))
	}
	if b.Grants != nil {
		m.FundingList = grantTitles(*b.Grants)
	}
	if b.Timeline != nil {
		b.Timeline.apply(&m.Timeline)
	}
	if b.Handle != nil && *b.Handle != "" { // an identifier that was given out is not taken back
		m.Handle, _ = ReadHandle(*b.Handle)
	}
}

// CategoriesByCode are the ids of the categories that codes of the classification stand
// for, with a warning for each code that stands for none, up to a bound.
func CategoriesByCode(codes []string) (ids []int64, warnings []string) {
	unknown := map[string]bool{}
	for _, code := range codes {
		if c, ok := catalogue.CategoryBySourceID(code); ok {
			ids = append(ids, c.ID)
		} else if !unknown[code] && len(warnings) < maxWarnings {
			unknown[code] = true
			warnings = append(warnings, fmt.Sprintf("There is no category with the source id %q", shorten(code, 64)))
		}
	}
	return ids, warnings
}

// FundingRef names a grant: a known one by its id, or one by its title.
type FundingRef struct {
	ID    *int64  `json:"id"`
	Title *string `json:"title"`
}

// GrantTitles are the titles of all grants that the item names: those of its list, and
// what is written as its funding.
func (m *Metadata) GrantTitles() []string {
	titles := slices.Clone(m.FundingList)
	if t := strings.TrimSpace(m.Funding); t != "" && !slices.Contains(titles, t) {
		titles = append(titles, t)
	}
	return titles
}

// Grants are the titles of the grants that the item names, by their ids.
func (m *Metadata) Grants() map[int64]string {
	grants := map[int64]string{}
	for _, title := range m.GrantTitles() {
		if id := FundingID(title); grants[id] == "" {
			grants[id] = title
		}
	}
	return grants
}

// FundingID is the id of a grant by its text.
func FundingID(title string) int64 { return number(title) }

// Known is the id of the grant that is meant, 0 when the reference gives a title.
func (r *FundingRef) Known() int64 {
	if r.title() != "" {
		return 0
	}
	return sent(r.ID)
}

// Fill completes a reference by id with the title of the grant that it means.
func (r *FundingRef) Fill(title string) { r.Title = &title }

func (r *FundingRef) title() string { return strings.TrimSpace(sent(r.Title)) }

func checkGrants(list []FundingRef) error {
	for _, r := range list {
		switch {
		case r.title() == "" && sent(r.ID) == 0:
			return Wrong("funding_list", "must give every grant an id or a title")
		case r.title() != "" && sent(r.ID) != 0 && *r.ID != FundingID(r.title()):
			return Wrong("funding_list", "must give every grant an id or a title, not both")
		case longer(r.title(), maxFunding):
			return Wrong("funding_list", "must give titles of at most 2000 characters")
		}
		if err := checkSchemes("funding_list", r.title()); err != nil {
			return err
		}
	}
	return nil
}

// grantTitles are the titles of grants, each once. References by id must be filled.
func grantTitles(refs []FundingRef) []string {
	titles := []string{}
	seen := map[string]bool{}
	for _, r := range refs {
		if t := r.title(); !seen[t] {
			seen[t] = true
			titles = append(titles, t)
		}
	}
	return titles
}

// Timeline are the stated dates of the steps of an item: days as 2006-01-02, times as
// 2006-01-02T15:04:05, in UTC.
type Timeline struct {
	FirstOnline string `json:"first_online"`
	Publication string `json:"publication"`
	Acceptance  string `json:"acceptance"`
}

// TimelineBody changes the steps that are sent; null clears all of them.
type TimelineBody struct {
	sent  bool // not null
	steps timelineSteps
}

type timelineSteps struct {
	FirstOnline *string `json:"firstOnline"`
	Publication *string `json:"publisherPublication"`
	Acceptance  *string `json:"publisherAcceptance"`
}

func (*TimelineBody) keys() reflect.Type { return reflect.TypeFor[timelineSteps]() }

func (b *TimelineBody) bind(n *node, at *spot) error {
	if n.kind != '{' {
		return Wrong(at.String(), "must be an object")
	}
	b.sent = true
	return bindStruct(n, reflect.ValueOf(&b.steps).Elem(), at)
}

func (b *TimelineBody) check() error {
	for _, s := range []struct {
		name string
		text *string
	}{{"firstOnline", b.steps.FirstOnline}, {"publisherPublication", b.steps.Publication}, {"publisherAcceptance", b.steps.Acceptance}} {
		if _, ok := step(sent(s.text)); !ok {
			return Wrong("timeline."+s.name, "must be a date in the form YYYY-MM-DD or YYYY-MM-DDThh:mm:ss")
		}
	}
	return nil
}

func (b *TimelineBody) apply(t *Timeline) {
	if !b.sent {
		*t = Timeline{}
	}
	for _, s := range []struct {
		to   *string
		text *string
	}{{&t.FirstOnline, b.steps.FirstOnline}, {&t.Publication, b.steps.Publication}, {&t.Acceptance, b.steps.Acceptance}} {
		if s.text != nil {
			*s.to, _ = step(*s.text)
		}
	}
}

// step is a date of a request in the form in which it is kept; blank stays blank.
func step(text string) (string, bool) {
	if text == "" {
		return "", true
	}
	t, ok := Moment(text)
	if len(text) == len(time.DateOnly) {
		return text, ok
	}
	return t.Format("2006-01-02T15:04:05"), ok
}

// VersionBody is the body of an update of a public version: that of an article, and notes of the
// institution's software, which are shown to no caller.
type VersionBody struct {
	ArticleBody
	Supplementary *[]customField `json:"supplementary_fields"`
	Internal      *CustomFields  `json:"internal_metadata"`
}

const maxNoted = 200 // fields of each kind

// OnlyNotes reports whether the body has nothing that needs a title beside it.
func (b *VersionBody) OnlyNotes() bool {
	return (b.Supplementary != nil || b.Internal != nil) && reflect.ValueOf(b.ArticleBody).IsZero()
}

// CheckNotes refuses notes that are too many or have no name (422).
func (b *VersionBody) CheckNotes() error {
	if b.Supplementary != nil {
		if len(*b.Supplementary) > maxNoted {
			return Wrong("supplementary_fields", "may hold at most 200 fields")
		}
		if err := namedFields("supplementary_fields", *b.Supplementary); err != nil {
			return err
		}
	}
	if b.Internal != nil && len(*b.Internal) > maxNoted {
		return Wrong("internal_metadata", "may hold at most 200 fields")
	}
	return nil
}

// ApplyNotes writes the notes to the version. It must follow CheckNotes.
func (b *VersionBody) ApplyNotes(v *ArticleVersion) {
	if b.Supplementary != nil {
		v.Supplementary = listed(*b.Supplementary)
	}
	if b.Internal != nil {
		v.Internal = append([]CustomField{}, *b.Internal...)
	}
}

func namedFields(key string, list []customField) error {
	for _, f := range list {
		if f.Name == "" {
			return Wrong(key, "must give every field a name")
		}
	}
	return nil
}

func listed(list []customField) []CustomField {
	out := []CustomField{}
	for _, f := range list {
		out = append(out, CustomField{f.Name, []byte(f.Value)})
	}
	return out
}
