package record

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// FeedPerson is a person in a feed of an institution's own register of people (interop F1). A
// blank text leaves what the account has.
type FeedPerson struct {
	UniqueID  string `xml:"UniqueID"`
	ORCID     string `xml:"Orcid"`
	FirstName string `xml:"FirstName"`
	LastName  string `xml:"LastName"`
	Title     string `xml:"Title"` // not kept, nor are Initials and Suffix
	Initials  string `xml:"Initials"`
	Suffix    string `xml:"Suffix"`
	Email     string `xml:"Email"`
	IsActive  string `xml:"IsActive"`                // Y or N
	Quota     string `xml:"UserQuota"`               // bytes
	Criteria  string `xml:"UserAssociationCriteria"` // that of a group
}

// feedMost is how many people a feed may have.
const feedMost = 50_000

// fields are the texts of a person by their names in feeds.
func (p *FeedPerson) fields() map[string]*string {
	return map[string]*string{
		"UniqueID": &p.UniqueID, "Orcid": &p.ORCID, "FirstName": &p.FirstName, "LastName": &p.LastName, "Title": &p.Title,
		"Initials": &p.Initials, "Suffix": &p.Suffix, "Email": &p.Email, "IsActive": &p.IsActive, "UserQuota": &p.Quota,
		"UserAssociationCriteria": &p.Criteria,
	}
}

// ReadFeed reads a feed, XML (HRFeed with a Record for each person) or CSV with the same names in
// its first line, and refuses one with a wrong value.
func ReadFeed(file []byte) (people []FeedPerson, err error) {
	file = bytes.TrimSpace(bytes.TrimPrefix(file, []byte("\ufeff")))
	switch {
	case !utf8.Valid(file):
		return nil, errors.New("it is not UTF-8 text")
	case bytes.HasPrefix(file, []byte("<")):
		people, err = readFeedXML(file)
	default:
		people, err = readFeedCSV(file)
	}
	if err != nil {
		return nil, err
	}
	if len(people) == 0 {
		return nil, errors.New("it names nobody")
	}
	ids, emails := map[string]bool{}, map[string]bool{}
	for i := range people {
		p := &people[i]
		if err := p.check(i); err != nil {
			return nil, err
		}
		if email := FoldEmail(p.Email); ids[p.UniqueID] || email != "" && emails[email] {
			return nil, Wrong(feedPlace(i, "UniqueID"), "and Email must each stand once in a feed")
		}
		ids[p.UniqueID], emails[FoldEmail(p.Email)] = true, true
	}
	return people, nil
}

func readFeedXML(file []byte) (people []FeedPerson, err error) {
	d := xml.NewDecoder(bytes.NewReader(file))
	depth := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && depth == 0 {
			return people, nil
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.EndElement:
			depth--
		case xml.StartElement:
			switch {
			case depth == 0 && t.Name.Local == "HRFeed":
				depth++
			case depth == 1 && t.Name.Local == "Record":
				var p FeedPerson
				if err := d.DecodeElement(&p, &t); err != nil {
					return nil, err
				}
				if people = append(people, p); len(people) > feedMost {
					return nil, Wrong("Record", fmt.Sprintf("may stand at most %d times", feedMost))
				}
			default:
				return nil, fmt.Errorf("it has %s where HRFeed and in it Record are expected", shorten(t.Name.Local, 64))
			}
		}
	}
}

func readFeedCSV(file []byte) (people []FeedPerson, err error) {
	rows := csv.NewReader(bytes.NewReader(file))
	head, err := rows.Read()
	if err != nil {
		return nil, err
	}
	var blank FeedPerson
	known := blank.fields()
	columns := make([]string, len(head))
	for i, name := range head {
		for k := range known {
			if strings.EqualFold(k, strings.TrimSpace(name)) && !slices.Contains(columns, k) {
				columns[i] = k
			}
		}
		if columns[i] == "" {
			return nil, Wrong(shorten(name, 64), "is not the name of a column, or stands twice")
		}
	}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return people, nil
		}
		if err != nil {
			return nil, err
		}
		var p FeedPerson
		fields := p.fields()
		for i, text := range row {
			*fields[columns[i]] = text
		}
		if people = append(people, p); len(people) > feedMost {
			return nil, Wrong("Record", fmt.Sprintf("may stand at most %d times", feedMost))
		}
	}
}

func feedPlace(i int, field string) string { return fmt.Sprintf("records[%d].%s", i, field) }

// check trims the texts of a person and refuses wrong ones.
func (p *FeedPerson) check(i int) error {
	for name, text := range p.fields() {
		if *text = strings.TrimSpace(*text); longer(*text, maxName) {
			return Wrong(feedPlace(i, name), "must have at most 255 characters")
		}
	}
	if p.UniqueID == "" || longer(p.UniqueID, 50) {
		return Wrong(feedPlace(i, "UniqueID"), "must have 1 to 50 characters")
	}
	if longer(p.FirstName+p.LastName, maxName) {
		return Wrong(feedPlace(i, "LastName"), "must have at most 255 characters together with FirstName")
	}
	if p.Email != "" && CheckEmail(p.Email) != nil {
		return Wrong(feedPlace(i, "Email"), "must be an e-mail address of at most 150 characters")
	}
	if p.ORCID != "" {
		orcid, ok := ReadORCID(p.ORCID)
		if !ok {
			return Wrong(feedPlace(i, "Orcid"), "must be an ORCID iD")
		}
		p.ORCID = orcid
	}
	if p.IsActive = strings.ToUpper(p.IsActive); p.IsActive != "" && p.IsActive != "Y" && p.IsActive != "N" {
		return Wrong(feedPlace(i, "IsActive"), "must be Y or N")
	}
	if n, err := strconv.ParseInt(p.Quota, 10, 64); p.Quota != "" && (err != nil || n < 0) {
		return Wrong(feedPlace(i, "UserQuota"), "must be a number of bytes")
	}
	return nil
}

// Apply makes an account and its person what the feed says of them, and reports whether that
// changes anything. group is the one that the feed means, 0 for none. It must follow ReadFeed.
func (p *FeedPerson) Apply(a *Account, person *Person, group int64) (changed bool) {
	before, was := *a, *person
	for to, text := range map[*string]string{
		&a.InstitutionUserID: p.UniqueID, &a.FirstName: p.FirstName, &a.LastName: p.LastName, &a.Email: p.Email, &person.ORCID: p.ORCID,
	} {
		if text != "" {
			*to = text
		}
	}
	if n, err := strconv.ParseInt(p.Quota, 10, 64); err == nil {
		a.Quota = n
	}
	if p.IsActive != "" {
		a.Disabled = p.IsActive == "N"
	}
	if group != 0 {
		a.GroupID = group
	}
	if a.FirstName != before.FirstName || a.LastName != before.LastName {
		person.FirstName, person.LastName = a.FirstName, a.LastName
		person.FullName = strings.TrimSpace(a.FirstName + " " + a.LastName)
	}
	return *a != before || !reflect.DeepEqual(*person, was)
}
