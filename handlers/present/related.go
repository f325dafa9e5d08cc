package present

import "alcove/record"

// RelatedMaterial links an item to another output.
type RelatedMaterial struct {
	ID             int64   `json:"id"`
	Identifier     string  `json:"identifier"`
	Title          *string `json:"title"`
	Relation       string  `json:"relation"`
	IdentifierType string  `json:"identifier_type"`
	IsLinkout      bool    `json:"is_linkout"`
	Link           *string `json:"link"`
}

func (s Settings) relatedMaterials(m *record.Metadata) []RelatedMaterial {
	out := []RelatedMaterial{}
	for _, r := range m.Materials() {
		out = append(out, RelatedMaterial{
			ID: r.ID(), Identifier: r.Identifier, Title: s.text(r.Title), Relation: r.Relation,
			IdentifierType: r.Type, IsLinkout: r.Linkout, Link: s.text(r.Link()),
		})
	}
	return out
}

// Funding is a grant as its holder wrote it.
type Funding struct {
	ID            int64   `json:"id"`
	Title         string  `json:"title"`
	GrantCode     *string `json:"grant_code"`
	FunderName    *string `json:"funder_name"`
	IsUserDefined int     `json:"is_user_defined"`
	URL           *string `json:"url"`
}

// Funding is a grant by its text.
func (s Settings) Funding(title string) Funding {
	return Funding{ID: record.FundingID(title), Title: title, GrantCode: s.text(""), FunderName: s.text(""), IsUserDefined: 1, URL: s.text("")}
}

func (s Settings) fundings(titles []string) []Funding {
	out := []Funding{}
	for _, t := range titles {
		out = append(out, s.Funding(t))
	}
	return out
}
