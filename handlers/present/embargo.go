package present

import "alcove/record"

// Embargo is the embargo of an article.
type Embargo struct {
	IsEmbargoed bool            `json:"is_embargoed"`
	Date        *string         `json:"embargo_date"`
	Type        *string         `json:"embargo_type"`
	Title       *string         `json:"embargo_title"`
	Reason      *string         `json:"embargo_reason"`
	Options     []EmbargoOption `json:"embargo_options"`
}

// GroupEmbargoOption is a choice of the readers that an embargo lets in.
type GroupEmbargoOption struct {
	ID     int64   `json:"id"`
	Type   string  `json:"type"`
	IPName *string `json:"ip_name"`
}

// GroupEmbargoOptions are all the choices; each range is one.
func (s Settings) GroupEmbargoOptions(ranges []*record.AddressRange) []GroupEmbargoOption {
	out := []GroupEmbargoOption{}
	for _, t := range record.EmbargoOptions {
		out = append(out, GroupEmbargoOption{t.ID, t.Type, s.text("")})
	}
	for _, r := range ranges {
		t := record.RangeOption(r.ID)
		out = append(out, GroupEmbargoOption{t.ID, t.Type, s.text(r.Name)})
	}
	return out
}

// EmbargoOption is a group of readers that an embargo lets in.
type EmbargoOption struct {
	ID       int64   `json:"id"`
	Type     string  `json:"type"`
	IPName   *string `json:"ip_name"`
	GroupIDs []int64 `json:"group_ids"`
}

// Embargo is an embargo, or the lack of one. Its date is without a zone and in UTC, null
// for a permanent one.
func (s Settings) Embargo(e *record.Embargo) Embargo {
	out := Embargo{
		IsEmbargoed: e.Kind != record.NoEmbargo, Type: nullable(string(e.Kind)), Date: bare(e.Until),
		Title: s.text(e.Title), Reason: s.text(e.Reason), Options: []EmbargoOption{},
	}
	for _, o := range e.Options {
		t, _ := record.EmbargoOptionByID(o.ID)
		out.Options = append(out.Options, EmbargoOption{o.ID, t.Type, s.text(o.Range), list(o.GroupIDs)})
	}
	return out
}

// Confidentiality is the deprecated confidentiality of an article.
type Confidentiality struct {
	IsConfidential bool    `json:"is_confidential"`
	Reason         *string `json:"reason"`
}

// Confidentiality says whether an embargo withholds the files for good.
func (s Settings) Confidentiality(e *record.Embargo) Confidentiality {
	if !e.Permanent() {
		return Confidentiality{Reason: s.text("")}
	}
	return Confidentiality{true, s.text(e.Reason)}
}
