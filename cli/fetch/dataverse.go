package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"alcove/record"
)

// filesPage is how many files of a dataset are asked for at once.
const filesPage = 1000

type dvVersion struct {
	State       string          `json:"versionState"`
	Major       int64           `json:"versionNumber"`
	Minor       int64           `json:"versionMinorNumber"`
	Dataset     string          `json:"datasetPersistentId"`
	Released    string          `json:"releaseTime"`
	Updated     string          `json:"lastUpdateTime"`
	License     json.RawMessage `json:"license"` // on older servers a text
	TermsOfUse  string          `json:"termsOfUse"`
	TermsAccess string          `json:"termsOfAccess"`
	Blocks      map[string]struct {
		Fields []dvField `json:"fields"`
	} `json:"metadataBlocks"`
}

// dvField is a field of a metadata block: its value is a text, an object of fields, or a list of such.
type dvField struct {
	Name  string          `json:"typeName"`
	Value json.RawMessage `json:"value"`
}

type dvFile struct {
	Label      string `json:"label"`
	Folder     string `json:"directoryLabel"`
	Restricted bool   `json:"restricted"`
	File       struct {
		ID       int64  `json:"id"`
		Size     int64  `json:"filesize"`
		MD5      string `json:"md5"`
		Checksum struct {
			Value string `json:"value"`
		} `json:"checksum"`
		Format       string `json:"originalFileFormat"` // of a table that was changed when it came in
		OriginalSize int64  `json:"originalFileSize"`
		OriginalName string `json:"originalFileName"`
		Embargo      struct {
			Until string `json:"dateAvailable"`
		} `json:"embargo"`
	} `json:"dataFile"`
}

// dv reads an answer of the API.
func (c *Client) dv(ctx context.Context, path string, to any) error {
	var reply struct {
		Data json.RawMessage `json:"data"`
	}
	if err := c.json(ctx, path, &reply); err != nil {
		return err
	}
	if err := json.Unmarshal(reply.Data, to); err != nil {
		return fmt.Errorf("the answer of %s %w: %w", shorten(c.Base+path), errOtherAnswer, err)
	}
	return nil
}

// datasetPath is the address of what a dataset has.
func datasetPath(name, below string, query url.Values) string {
	query.Set("persistentId", name)
	return "/api/datasets/:persistentId" + below + "?" + query.Encode()
}

// readDataset reads all released versions of a dataset.
func (c *Client) readDataset(ctx context.Context, name string) (*Item, error) {
	var documents []json.RawMessage
	if err := c.dv(ctx, datasetPath(name, "/versions", url.Values{"excludeFiles": {"true"}}), &documents); err != nil {
		return nil, err
	}
	if len(documents) > maxVersions {
		return nil, fmt.Errorf("it has %d versions, and at most %d are taken", len(documents), maxVersions)
	}
	it := &Item{Origin: c.Base + "/api/datasets/:persistentId/?persistentId=" + name}
	it.Name = strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '.' {
			return r
		}
		return '-'
	}, name)
	scheme, identifier, _ := strings.Cut(name, ":")
	type version struct {
		dvVersion
		text json.RawMessage
	}
	var all []version
	for _, text := range documents {
		v := version{text: text}
		if err := json.Unmarshal(text, &v.dvVersion); err != nil {
			return nil, fmt.Errorf("the list of its versions %w: %w", errOtherAnswer, err)
		}
		if v.Dataset != "" && !strings.EqualFold(v.Dataset, name) {
			return nil, fmt.Errorf("the list of its versions has one of %q", shorten(v.Dataset))
		}
		if v.State == "RELEASED" {
			all = append(all, v)
		}
	}
	slices.SortStableFunc(all, func(a, b version) int {
		if a.Major != b.Major {
			return int(a.Major - b.Major)
		}
		return int(a.Minor - b.Minor)
	})
	if len(all) == 0 {
		return nil, errors.New("it has no public version")
	}
	for i, d := range all {
		if i > 0 && d.Major == all[i-1].Major && d.Minor == all[i-1].Minor {
			return nil, fmt.Errorf("the version %d.%d is listed twice", d.Major, d.Minor)
		}
		v := Version{Number: int64(i + 1), Document: d.text}
		if scheme == "doi" {
			v.DOI, it.DOI = identifier, identifier
		} else if scheme == "hdl" {
			v.Handle = identifier
		}
		it.describeDataset(&v, &d.dvVersion)
		var err error
		if v.Files, err = c.datasetFiles(ctx, it, name, v.Number, fmt.Sprintf("%d.%d", d.Major, d.Minor)); err != nil {
			return nil, fmt.Errorf("version %d.%d: %w", d.Major, d.Minor, err)
		}
		it.Versions = append(it.Versions, v)
	}
	it.inOrder()
	return it, nil
}

// describeDataset fills a version with what the metadata blocks say. A field that has no place of its own in an article stands in
// custom fields by the name that it has there.
func (it *Item) describeDataset(v *Version, d *dvVersion) {
	v.Type, v.Published = "dataset", moment(d.Released)
	v.changed(d.Updated)
	blocks := []string{}
	for name := range d.Blocks {
		blocks = append(blocks, name)
	}
	slices.Sort(blocks)
	for _, block := range blocks {
		for _, f := range d.Blocks[block].Fields {
			name, values := f.Name, f.values()
			if block != "citation" {
				v.more(name, texts(values, dvValue.flat)...)
				continue
			}
			for _, one := range values {
				switch name {
				case "title":
					v.Title = one.text
				case "dsDescription":
					v.Description += one.of("dsDescriptionValue")
				case "subject":
					v.tag(one.text)
				case "keyword":
					v.tag(one.of("keywordValue"))
				case "author":
					v.Authors = append(v.Authors, one.author())
				case "publication":
					it.published(v, one)
				case "grantNumber":
					v.Grants = append(v.Grants, grant{strings.Trim(one.of("grantNumberAgency")+": "+one.of("grantNumberValue"), ": ")})
				}
			}
			switch name {
			case "title", "dsDescription", "subject", "keyword", "author", "publication", "grantNumber", "datasetContact":
			default:
				v.more(name, texts(values, dvValue.flat)...)
			}
		}
	}
	v.more("Version", fmt.Sprintf("%d.%d", d.Major, d.Minor))
	v.more("Terms of use", d.TermsOfUse)
	v.more("Terms of access", d.TermsAccess)
	var l struct {
		Name string `json:"name"`
		URI  string `json:"uri"`
	}
	if json.Unmarshal(d.License, &l) != nil {
		_ = json.Unmarshal(d.License, &l.Name) // neither is no licence
	}
	id := ""
	if l.Name == "CC0" {
		id = "cc0-1.0"
	}
	it.license(v, id, l.Name, l.URI)
}

// dvValue is a value of a field: a text, or texts by name.
type dvValue struct {
	text  string
	parts []dvField
}

// values are those of a field, of which there can be one or a list.
func (f dvField) values() (out []dvValue) {
	var list []json.RawMessage
	if json.Unmarshal(f.Value, &list) != nil {
		list = []json.RawMessage{f.Value}
	}
	for _, text := range list {
		var v dvValue
		var parts map[string]dvField
		if json.Unmarshal(text, &v.text) != nil && json.Unmarshal(text, &parts) == nil {
			for _, p := range parts {
				v.parts = append(v.parts, p)
			}
			slices.SortFunc(v.parts, func(a, b dvField) int { return strings.Compare(a.Name, b.Name) })
		}
		out = append(out, v)
	}
	return out
}

// of is the text of a part.
func (v dvValue) of(name string) string {
	for _, p := range v.parts {
		if p.Name == name {
			var text string
			_ = json.Unmarshal(p.Value, &text) // another shape is none
			return text
		}
	}
	return ""
}

// flat is a value as one text.
func (v dvValue) flat() string {
	if len(v.parts) == 0 {
		return v.text
	}
	var out []string
	for _, p := range v.parts {
		for _, one := range p.values() {
			if one.text != "" {
				out = append(out, p.Name+": "+one.text)
			}
		}
	}
	return strings.Join(out, "; ")
}

// author is a person, whose family name stands before a comma. A name of several words without a comma, or one with a ROR
// ID, is that of an organisation, as Dataverse itself tells DataCite.
func (v dvValue) author() author {
	name, scheme, id := strings.TrimSpace(v.of("authorName")), v.of("authorIdentifierScheme"), v.of("authorIdentifier")
	n := record.ReadName(name)
	if n.Guessed && scheme != "ORCID" || scheme == "ROR" {
		n = record.Name{Full: name, Organisation: true}
	}
	a := named(n)
	switch {
	case scheme == "ORCID":
		a.ORCID = id[strings.LastIndexByte(id, '/')+1:]
	case scheme == "ROR":
		a.ROR = id
	}
	a.belongs(v.of("authorAffiliation"), "")
	return a
}

// published adds a publication that a dataset belongs to.
func (it *Item) published(v *Version, one dvValue) {
	relation, kind, number := one.of("publicationRelationType"), one.of("publicationIDType"), one.of("publicationIDNumber")
	if relation == "" {
		relation = "IsSupplementTo" // as Dataverse tells DataCite
	}
	if number == "" {
		kind, number = "url", one.of("publicationURL")
	}
	if doi, ok := record.ReadDOI(number); ok && kind == "doi" {
		number = doi
	}
	if number == "" {
		v.more("Publication", one.of("publicationCitation"))
		return
	}
	it.related(v, number, relation, kind, one.of("publicationCitation"))
}

// datasetFiles are the files of a version that everyone gets.
func (c *Client) datasetFiles(ctx context.Context, it *Item, name string, number int64, version string) (files []File, err error) {
	seen, withheld := map[int64]bool{}, 0
	for offset := 0; ; offset += filesPage {
		var some []dvFile
		query := url.Values{"limit": {strconv.Itoa(filesPage)}, "offset": {strconv.Itoa(offset)}}
		if err := c.dv(ctx, datasetPath(name, "/versions/"+version+"/files", query), &some); err != nil {
			return nil, err
		}
		if offset > 0 && len(some) > 0 && seen[some[0].File.ID] {
			break // a server that has no pages
		}
		for _, d := range some {
			if seen[d.File.ID] {
				return nil, fmt.Errorf("the file %d is listed twice", d.File.ID)
			}
			if seen[d.File.ID] = true; len(seen) > maxFiles {
				return nil, fmt.Errorf("it has more than %d files", maxFiles)
			}
			if d.Restricted || d.File.Embargo.Until > time.Now().UTC().Format(time.DateOnly) {
				withheld++
				continue
			}
			f, err := c.datasetFile(d)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
		if len(some) != filesPage {
			break
		}
	}
	if withheld > 0 {
		it.note(fmt.Sprintf("%d files of version %d are left out, as not everyone gets them", withheld, number))
	}
	return files, nil
}

// datasetFile is a file as it was deposited: of a table that was changed when it came in the checksum is of the original.
func (c *Client) datasetFile(d dvFile) (File, error) {
	f := File{ID: strconv.FormatInt(d.File.ID, 10), Name: d.Label, Folder: d.Folder, Size: d.File.Size, Sum: strings.ToLower(d.File.Checksum.Value),
		URL: fmt.Sprintf("%s/api/access/datafile/%d", c.Base, d.File.ID)}
	if d.File.Format != "" {
		f.URL, f.Size = f.URL+"?format=original", d.File.OriginalSize
		if d.File.OriginalName != "" {
			f.Name = d.File.OriginalName
		}
		if f.Size == 0 {
			return f, fmt.Errorf("the server does not tell the size of the original of %q", shorten(d.Label))
		}
	}
	if f.Sum == "" {
		f.Sum = strings.ToLower(d.File.MD5)
	}
	return f, f.check()
}

// findDataset finds the dataset with a DOI.
func (c *Client) findDataset(ctx context.Context, doi string) (Ref, error) {
	c.system = Dataverse
	name := "doi:" + doi
	var versions []struct{}
	err := c.dv(ctx, datasetPath(name, "/versions", url.Values{"excludeFiles": {"true"}}), &versions)
	if err != nil || len(versions) == 0 {
		return Ref{}, err
	}
	return Ref{System: Dataverse, Name: name}, nil
}

// plainText is text in HTML.
func plainText(s string) string { return html.EscapeString(s) }
