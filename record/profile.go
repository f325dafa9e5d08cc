package record

import (
	"fmt"
	"strings"
)

// Profile is what people say of themselves beside their names.
type Profile struct {
	JobTitle string        `json:"job_title"`
	Location string        `json:"location"`
	Bio      string        `json:"bio"`
	Facebook string        `json:"facebook"` // addresses
	X        string        `json:"x"`
	LinkedIn string        `json:"linkedin"`
	Fields   []int64       `json:"fields"` // categories of interest
	Links    []ProfileLink `json:"links"`
}

// ProfileLink is an address of a person elsewhere.
type ProfileLink struct {
	Label string `json:"label"`
	URL   string `json:"url"`
}

// ProfileBody is the body of a profile update. A nil field was not sent.
type ProfileBody struct {
	FirstName *string          `json:"first_name"`
	LastName  *string          `json:"last_name"`
	ORCID     *string          `json:"orcid"`
	JobTitle  *string          `json:"job_title"`
	Fields    *[]int64         `json:"fields_of_interest"`
	SourceIDs *[]string        `json:"fields_of_interest_by_source_id"` // these win over fields_of_interest
	Location  *string          `json:"location"`
	Facebook  *string          `json:"facebook"`
	X         *string          `json:"x"`
	LinkedIn  *string          `json:"linkedin"`
	Bio       *string          `json:"bio"`
	Links     *[]ProfileLinkIn `json:"personal_profiles"`
}

// ProfileLinkIn is a link of a ProfileBody.
type ProfileLinkIn struct {
	Label *string `json:"label"`
	URL   *string `json:"url"`
}

// Bounds of profiles, texts in characters.
const (
	maxBio     = 5000
	maxLinks   = 10
	maxFields  = 100
	maxAddress = 2000
)

// Check refuses values that break a rule (422).
func (b *ProfileBody) Check() error {
	for _, f := range []struct {
		name string
		text *string
		most int
	}{
		{"first_name", b.FirstName, maxName}, {"last_name", b.LastName, maxName}, {"job_title", b.JobTitle, maxName},
		{"location", b.Location, maxName}, {"bio", b.Bio, maxBio},
	} {
		if f.text != nil && longer(*f.text, f.most) {
			return Wrong(f.name, fmt.Sprintf("must have at most %d characters", f.most))
		}
	}
	if b.LastName != nil && blankText(*b.LastName) {
		return Wrong("last_name", "must not be blank")
	}
	if b.ORCID != nil && !blankText(*b.ORCID) {
		orcid, ok := ReadORCID(*b.ORCID)
		if !ok {
			return Wrong("orcid", "must be an ORCID iD")
		}
		b.ORCID = &orcid
	}
	for name, address := range map[string]*string{"facebook": b.Facebook, "x": b.X, "linkedin": b.LinkedIn} {
		if address != nil && !blankText(*address) && !webAddress(*address) {
			return Wrong(name, "must be an address that begins with http:// or https://")
		}
	}
	if b.Fields != nil && len(*b.Fields) > maxFields || b.SourceIDs != nil && len(*b.SourceIDs) > maxFields {
		return Wrong("fields_of_interest", fmt.Sprintf("may be at most %d", maxFields))
	}
	return b.checkLinks()
}

func (b *ProfileBody) checkLinks() error {
	if b.Links == nil {
		return nil
	}
	if len(*b.Links) > maxLinks {
		return Wrong("personal_profiles", fmt.Sprintf("may be at most %d", maxLinks))
	}
	for i, l := range *b.Links {
		switch {
		case l.URL == nil || !webAddress(*l.URL):
			return Wrong(fmt.Sprintf("personal_profiles[%d].url", i), "must be an address that begins with http:// or https://")
		case l.Label != nil && longer(*l.Label, maxName):
			return Wrong(fmt.Sprintf("personal_profiles[%d].label", i), "must have at most 255 characters")
		}
	}
	return nil
}

func webAddress(text string) bool {
	text = strings.TrimSpace(text)
	return followable.MatchString(text) && strings.HasPrefix(strings.ToLower(text), "http") && !strings.ContainsAny(text, " \t\r\n") && !longer(text, maxAddress)
}

// Apply changes an account, which may have no last name together with a longer first one, and its
// person. It must follow Check.
func (b *ProfileBody) Apply(a *Account, person *Person) error {
	set(&a.FirstName, b.FirstName)
	set(&a.LastName, b.LastName)
	a.FirstName, a.LastName = strings.TrimSpace(a.FirstName), strings.TrimSpace(a.LastName)
	if longer(a.FirstName+a.LastName, maxName) {
		return Wrong("last_name", "must have at most 255 characters together with first_name")
	}
	if b.FirstName != nil || b.LastName != nil {
		person.FirstName, person.LastName = a.FirstName, a.LastName
		person.FullName = strings.TrimSpace(a.FirstName + " " + a.LastName)
	}
	if b.ORCID != nil {
		person.ORCID = strings.TrimSpace(*b.ORCID)
	}
	p := Profile{}
	if person.Profile != nil {
		p = *person.Profile
	}
	for to, from := range map[*string]*string{&p.JobTitle: b.JobTitle, &p.Location: b.Location, &p.Bio: b.Bio, &p.Facebook: b.Facebook, &p.X: b.X, &p.LinkedIn: b.LinkedIn} {
		if from != nil {
			*to = strings.TrimSpace(*from)
		}
	}
	if b.Fields != nil {
		p.Fields = *b.Fields
	}
	if b.Links != nil {
		p.Links = nil
		for _, l := range *b.Links {
			link := ProfileLink{URL: strings.TrimSpace(*l.URL)}
			set(&link.Label, l.Label)
			p.Links = append(p.Links, link)
		}
	}
	person.Profile = &p
	return nil
}

// JobTitle is that of the person's profile.
func (p *Person) JobTitle() string {
	if p.Profile == nil {
		return ""
	}
	return p.Profile.JobTitle
}
