package record

import (
	"slices"
	"time"
)

// EmbargoKind says what an embargo covers.
type EmbargoKind string

// The embargoes of an article.
const (
	NoEmbargo      EmbargoKind = ""
	ArticleEmbargo EmbargoKind = "article" // nothing of it is public until it ends
	FileEmbargo    EmbargoKind = "file"    // its metadata is public, its files are not until it ends
)

// Embargo keeps an article or its files from readers for a time. Its end is recorded, not
// computed: a clock that is put back hides nothing again.
type Embargo struct {
	Kind    EmbargoKind     `json:"kind"`
	Until   time.Time       `json:"until"` // when it ends by itself; zero for never, which only files can have
	Title   string          `json:"title"`
	Reason  string          `json:"reason"`
	Options []EmbargoOption `json:"options"`
}

// EmbargoOption is a group of readers that an embargo on files lets in.
type EmbargoOption struct {
	ID       int64   `json:"id"`
	Range    string  `json:"range"`     // name of the address range
	GroupIDs []int64 `json:"group_ids"` // whose people are let in; none for the whole institution
}

// Permanent reports whether the files are withheld until the embargo is lifted; the deprecated
// confidentiality is such an embargo.
func (e *Embargo) Permanent() bool { return e.Kind == FileEmbargo && e.Until.IsZero() }

// Due reports whether the embargo has come to its end.
func (e *Embargo) Due(now time.Time) bool {
	return e.Kind != NoEmbargo && !e.Until.IsZero() && !e.Until.After(now)
}

// At is the embargo as it is at a time: none when it is due.
func (e Embargo) At(now time.Time) Embargo {
	if e.Due(now) {
		return Embargo{}
	}
	return e
}

// OptionType is a sort of embargo option.
type OptionType struct {
	ID   int64
	Type string
}

// The options of an embargo on files: accounts, administrators of the item's group, and, behind
// rangeOptions, address ranges.
const (
	LoggedInOption      = 1
	AdministratorOption = 2
	rangeOptions        = 1000
)

// EmbargoOptions are the options that an embargo may always name.
var EmbargoOptions = []OptionType{{LoggedInOption, "logged_in"}, {AdministratorOption, "administrator"}}

// RangeOption is the option that lets in clients of an address range.
func RangeOption(r int64) OptionType { return OptionType{rangeOptions + r, "ip_range"} }

// AddressRange is the id of the range that the option lets in, 0 for another option.
func (o *EmbargoOption) AddressRange() int64 { return max(0, o.ID-rangeOptions) }

// EmbargoOptionByID finds an option. Whether there is such a range the store knows.
func EmbargoOptionByID(id int64) (OptionType, bool) {
	i := slices.IndexFunc(EmbargoOptions, func(t OptionType) bool { return t.ID == id })
	switch {
	case i >= 0:
		return EmbargoOptions[i], true
	case id > rangeOptions:
		return OptionType{id, "ip_range"}, true
	}
	return OptionType{}, false
}

// ErrNoOption is the refusal of an option that there is not.
var ErrNoOption = Wrong("embargo_options", "holds the id of no option")

// EmbargoBody is the body of an embargo update. A nil field was not sent and stays as it is.
type EmbargoBody struct {
	IsEmbargoed *bool              `json:"is_embargoed" null:"refused"`
	Type        *string            `json:"embargo_type"`
	Date        *embargoDate       `json:"embargo_date"`
	Title       *string            `json:"embargo_title"`
	Reason      *string            `json:"embargo_reason"`
	Options     *[]embargoOptionIn `json:"embargo_options"`
}

type embargoOptionIn struct {
	ID       *int64   `json:"id"`
	GroupIDs *[]int64 `json:"group_ids"`
}

// embargoDate is the text of a date; its zero value, which null sets, is no end.
type embargoDate struct {
	text string
	sent bool
}

func (d *embargoDate) bind(n *node, at *spot) error {
	if n.kind != '"' {
		return Wrong(at.String(), "must be a string")
	}
	d.text, d.sent = n.text, true
	return nil
}

// until reads the date in UTC: zero for never. A part of a second counts as a whole one, so that
// nothing opens early.
func (d *embargoDate) until() (time.Time, bool) {
	if !d.sent || d.text == "0" {
		return time.Time{}, true
	}
	t, ok := Moment(d.text)
	if whole := t.Truncate(time.Second); whole.Before(t) {
		t = whole.Add(time.Second)
	}
	return t, ok && !t.IsZero() && t.Year() <= 9999
}

// Check refuses values that break a rule (422). It looks at nothing but the body.
func (b *EmbargoBody) Check() error {
	if b.Type != nil && *b.Type != "" && *b.Type != string(ArticleEmbargo) && *b.Type != string(FileEmbargo) {
		return Wrong("embargo_type", "must be article or file")
	}
	if b.Options == nil {
		return nil
	}
	for _, o := range *b.Options {
		if o.ID == nil {
			return Wrong("embargo_options", "must give every option an id")
		}
		if _, ok := EmbargoOptionByID(*o.ID); !ok {
			return ErrNoOption
		}
		if *o.ID == AdministratorOption && len(*b.Options) > 1 {
			return Wrong("embargo_options", "cannot mix the administrator option with others")
		}
	}
	return nil
}

// Apply is the embargo after an update of the one that is in force now. Without
// is_embargoed an embargo stays, and none does not begin. A date that is not in the
// future, cannot be read, or is missing where one is needed is ErrEmbargoDate (400). It
// must follow Check.
func (b *EmbargoBody) Apply(e Embargo, now time.Time) (Embargo, error) {
	on := e.Kind != NoEmbargo
	if b.IsEmbargoed != nil {
		on = *b.IsEmbargoed
	} else if !on {
		return e, Wrong("is_embargoed", "is required")
	}
	if !on {
		return Embargo{}, nil
	}
	dated := e.Kind != NoEmbargo
	if b.Type != nil {
		e.Kind = EmbargoKind(*b.Type)
	}
	if e.Kind == NoEmbargo {
		return e, Wrong("embargo_type", "is required")
	}
	if b.Date != nil {
		if e.Until, dated = b.Date.until(); e.Due(now) {
			return e, ErrEmbargoDate
		}
	}
	if !dated || e.Until.IsZero() && e.Kind == ArticleEmbargo {
		return e, ErrEmbargoDate
	}
	set(&e.Title, b.Title)
	set(&e.Reason, b.Reason)
	if b.Options != nil {
		e.Options = nil
		for _, o := range *b.Options {
			kept := EmbargoOption{ID: *o.ID}
			if o.GroupIDs != nil && kept.ID == LoggedInOption {
				kept.GroupIDs = *o.GroupIDs
			}
			e.Options = append(e.Options, kept)
		}
	}
	if e.Kind == ArticleEmbargo { // nothing of it can be shown
		if b.Options != nil && len(*b.Options) > 0 {
			return e, Wrong("embargo_options", "can let somebody in under an embargo on files only")
		}
		e.Options = nil
	}
	return e, nil
}

// ConfidentialityBody is the body of the deprecated confidentiality.
type ConfidentialityBody struct {
	Reason *string `json:"reason"`
}

// Check refuses a body without a reason.
func (b *ConfidentialityBody) Check() error {
	if b.Reason == nil || *b.Reason == "" {
		return Wrong("reason", "is required")
	}
	return nil
}

// Apply makes the embargo on files permanent, for all but the owner. An article that is wholly
// embargoed stays so: less of it than before must not be withheld (ErrWhollyEmbargoed).
func (b *ConfidentialityBody) Apply(e Embargo) (Embargo, error) {
	if e.Kind == ArticleEmbargo {
		return e, ErrWhollyEmbargoed
	}
	e.Kind, e.Until, e.Reason, e.Options = FileEmbargo, time.Time{}, *b.Reason, nil
	return e, nil
}
