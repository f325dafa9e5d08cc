package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"alcove/record"
)

// A record of InvenioRDM is one version of an item; its parent is the item. Zenodo has a form of its own at the same addresses,
// and this one by its media type.
const rdmMedia = "application/vnd.inveniordm.v1+json"

// hitsPage is how many versions are asked for at once, which is what Zenodo gives to everyone.
const hitsPage = 25

// readRecord reads all versions of a record, or of the parent of records.
func (c *Client) readRecord(ctx context.Context, name string) (*Item, error) {
	one, _, err := c.record(ctx, name)
	if err != nil {
		return nil, err
	}
	if !recordForm.MatchString(one.Parent.ID) {
		return nil, fmt.Errorf("%s says of no item that it is a version of it", shorten(c.recordPath(name)))
	}
	it := &Item{Name: one.Parent.ID, Origin: c.Base + "/api/records/" + one.Parent.ID}
	it.DOI, _ = record.ReadDOI(one.Parent.PIDs.DOI.Identifier)
	names, err := c.recordVersions(ctx, one.ID)
	if err != nil {
		return nil, err
	}
	var all []*rdmRecord
	documents := map[*rdmRecord]json.RawMessage{}
	for _, name := range names {
		r, text, err := c.record(ctx, name)
		switch {
		case err != nil:
			return nil, err
		case r.ID != name || r.Parent.ID != one.Parent.ID:
			return nil, fmt.Errorf("%s answers with %q, of the item %q", shorten(c.Base+c.recordPath(name)), shorten(r.ID), shorten(r.Parent.ID))
		}
		all, documents[r] = append(all, r), text
	}
	slices.SortStableFunc(all, func(a, b *rdmRecord) int { return int(a.Versions.Index - b.Versions.Index) })
	files := 0
	for i, r := range all {
		v := Version{Number: int64(i + 1), Document: documents[r]} // those that were removed there leave gaps in its own numbers
		it.describeRecord(&v, r)
		if v.Files, err = c.recordFiles(ctx, it, &v, r); err != nil {
			return nil, fmt.Errorf("version %d: %w", v.Number, err)
		}
		if files += len(v.Files); files > 10*maxFiles {
			return nil, fmt.Errorf("its versions have more than %d files", 10*maxFiles)
		}
		it.Versions = append(it.Versions, v)
	}
	it.inOrder()
	return it, nil
}

func (c *Client) recordPath(name string) string { return "/api/records/" + url.PathEscape(name) }

// record reads a version.
func (c *Client) record(ctx context.Context, name string) (*rdmRecord, json.RawMessage, error) {
	var text json.RawMessage
	if err := c.rdm(ctx, c.recordPath(name), &text); err != nil {
		return nil, nil, err
	}
	r := new(rdmRecord)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, nil, fmt.Errorf("the answer of %s %w: %w", shorten(c.Base+c.recordPath(name)), errOtherAnswer, err)
	}
	return r, text, nil
}

func (c *Client) rdm(ctx context.Context, path string, to any) error {
	_, err := c.decode(ctx, path, http.Header{"Accept": {rdmMedia}}, to)
	return err
}

// recordVersions are the ids of the versions of the item that a record is a version of.
func (c *Client) recordVersions(ctx context.Context, name string) (names []string, err error) {
	for page := 1; ; page++ {
		var list struct {
			Hits struct {
				Hits []struct {
					ID string `json:"id"`
				} `json:"hits"`
			} `json:"hits"`
		}
		if err := c.rdm(ctx, fmt.Sprintf("%s/versions?size=%d&page=%d&sort=version", c.recordPath(name), hitsPage, page), &list); err != nil {
			return nil, err
		}
		for _, h := range list.Hits.Hits {
			if !recordForm.MatchString(h.ID) || slices.Contains(names, h.ID) {
				return nil, fmt.Errorf("the version %q is none, or listed twice", shorten(h.ID))
			}
			if names = append(names, h.ID); len(names) > maxVersions {
				return nil, fmt.Errorf("it has more than %d versions", maxVersions)
			}
		}
		if len(list.Hits.Hits) < hitsPage {
			break
		}
	}
	if len(names) == 0 {
		return nil, errors.New("it has no public version")
	}
	return names, nil
}

// rdmTypes are our types of items by the beginnings of theirs, the longer ones first.
var rdmTypes = [][2]string{
	{"publication-preprint", "preprint"}, {"publication-workingpaper", "preprint"}, {"publication-conferencepaper", "conference contribution"},
	{"publication-conferenceproceeding", "conference contribution"}, {"publication-thesis", "thesis"}, {"publication-dissertation", "thesis"},
	{"publication-book", "book"}, {"publication-section", "chapter"}, {"publication-report", "report"}, {"publication-deliverable", "report"},
	{"publication-milestone", "report"}, {"publication-technicalnote", "report"}, {"publication-datamanagementplan", "data management plan"},
	{"publication-standard", "standard"}, {"publication-peerreview", "peer review"}, {"publication-datapaper", "journal contribution"},
	{"publication-softwaredocumentation", "report"}, {"publication", "journal contribution"}, {"dataset", "dataset"}, {"image", "figure"},
	{"video", "media"}, {"audio", "media"}, {"poster", "poster"}, {"presentation", "presentation"}, {"software", "software"},
	{"lesson", "educational resource"}, {"workflow", "workflow"}, {"model", "model"}, {"physicalobject", "physical object"}, {"event", "event"},
}

// describeRecord fills a version with what a record says.
func (it *Item) describeRecord(v *Version, r *rdmRecord) {
	m := &r.Metadata
	v.Title, v.Description = m.Title, m.Description
	v.DOI, v.Published = r.PIDs.DOI.Identifier, moment(r.Created)
	v.changed(r.Updated)
	for _, d := range m.MoreText {
		v.Description += "<p><b>" + plainText(d.Type.text()) + "</b></p>" + d.Description
	}
	for _, t := range rdmTypes {
		if m.Type.ID == t[0] || strings.HasPrefix(m.Type.ID, t[0]+"-") {
			v.Type = t[1]
			break
		}
	}
	if v.Type == "" {
		v.Type = "dataset"
		it.note(fmt.Sprintf("its type %q is none of those that there are here, and becomes dataset", shorten(m.Type.ID)))
	}
	var contributors []string
	for _, p := range m.Creators {
		v.Authors = append(v.Authors, p.author())
	}
	for _, p := range m.Contributors {
		text := p.author().Full
		if role := p.Role.text(); role != "" {
			text += " (" + role + ")"
		}
		contributors = append(contributors, text)
	}
	for _, s := range m.Subjects {
		v.tag(s.text())
	}
	for _, i := range m.Identifiers {
		it.related(v, i.Identifier, "IsIdenticalTo", i.Scheme, "")
	}
	for _, i := range m.Related {
		it.related(v, i.Identifier, i.Relation.ID, i.Scheme, "")
	}
	for _, f := range m.Funding {
		title := f.Award.text()
		if f.Award.Number != "" && f.Award.Number != title {
			title = strings.TrimSpace(title + " (" + f.Award.Number + ")")
		}
		if funder := f.Funder.text(); funder != "" {
			title = strings.TrimSuffix(funder+": "+title, ": ")
		}
		v.Grants = append(v.Grants, grant{title})
	}
	if len(m.Rights) > 1 {
		it.note("it has more than one licence, and the first is taken")
	}
	var right rdmWord
	if len(m.Rights) > 0 {
		right = m.Rights[0]
	}
	link, _ := right.Props["url"].(string)
	if right.Link != "" {
		link = right.Link
	}
	it.license(v, right.ID, right.text(), link)
	if at := moment(m.Date); at != "" {
		v.Timeline.Publication = m.Date
	} else {
		v.more("Publication date", m.Date)
	}
	v.more("Version", m.Version)
	v.more("Publisher", m.Publisher)
	v.more("Contributors", contributors...)
	v.more("Other titles", texts(m.MoreTitles, func(t rdmText) string { return t.Title })...)
	v.more("Languages", texts(m.Languages, rdmWord.text)...)
	v.more("References", texts(m.References, func(r rdmText) string { return r.Reference })...)
}

func texts[T any](list []T, text func(T) string) (out []string) {
	for _, e := range list {
		out = append(out, text(e))
	}
	return out
}

// author is a person, or an organisation.
func (p rdmCreator) author() author {
	var a author
	switch n := (record.Name{Given: strings.TrimSpace(p.Who.Given), Family: strings.TrimSpace(p.Who.Family)}); {
	case p.Who.Type == "organizational":
		a = named(record.Name{Full: p.Who.Name, Organisation: true})
	case n.Given != "" || n.Family != "":
		n.Full = strings.TrimSpace(n.Given + " " + n.Family)
		a = named(n)
	default:
		a = named(record.ReadName(p.Who.Name))
	}
	for _, i := range p.Who.Identifiers {
		switch {
		case i.Scheme == "orcid" && !a.organisation():
			a.ORCID = i.Identifier
		case i.Scheme == "ror" && a.organisation():
			a.ROR = i.Identifier
		}
	}
	for _, w := range p.Affiliations {
		a.belongs(w.text(), w.ID)
	}
	return a
}

// recordFiles are the files of a version, with names that are unique in it.
func (c *Client) recordFiles(ctx context.Context, it *Item, v *Version, r *rdmRecord) (files []File, err error) {
	if !r.Files.Enabled {
		v.MetadataRecord = true
		return nil, nil
	}
	if r.Access.Files == "restricted" {
		v.Embargoed, v.EmbargoType, v.EmbargoReason, v.Withheld = true, "file", r.Access.Embargo.Reason, true
		if r.Access.Embargo.Active {
			v.EmbargoDate = r.Access.Embargo.Until
		}
		return nil, nil
	}
	var list struct {
		Entries []struct {
			Key      string `json:"key"`
			Checksum string `json:"checksum"`
			Size     int64  `json:"size"`
		} `json:"entries"`
	}
	if err := c.json(ctx, c.recordPath(r.ID)+"/files", &list); err != nil {
		return nil, err
	}
	if len(list.Entries) > maxFiles {
		return nil, fmt.Errorf("it has %d files, and at most %d are taken", len(list.Entries), maxFiles)
	}
	seen := map[string]bool{}
	for _, e := range list.Entries {
		if seen[e.Key] {
			return nil, fmt.Errorf("the file %q is listed twice", shorten(e.Key))
		}
		seen[e.Key] = true
		_, sum, _ := strings.Cut(e.Checksum, ":")
		f := File{ID: url.PathEscape(e.Key), Size: e.Size, Sum: strings.ToLower(sum), URL: c.Base + c.recordPath(r.ID) + "/files/" + url.PathEscape(e.Key) + "/content"}
		f.named(e.Key)
		if err := f.check(); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// findRecord finds the record with a DOI, its own or that of all versions.
func (c *Client) findRecord(ctx context.Context, doi string) (Ref, error) {
	c.system = Invenio
	quoted := strconv.Quote(doi)
	query := url.Values{"q": {"pids.doi.identifier:" + quoted + " OR parent.pids.doi.identifier:" + quoted}, "size": {"1"}, "allversions": {"true"}}
	var list struct {
		Hits struct {
			Hits []struct {
				ID     string `json:"id"`
				PIDs   rdmPIDs
				Parent struct{ PIDs rdmPIDs }
			} `json:"hits"`
		} `json:"hits"`
	}
	if err := c.rdm(ctx, "/api/records?"+query.Encode(), &list); err != nil {
		return Ref{}, err
	}
	for _, h := range list.Hits.Hits {
		for _, is := range []string{h.PIDs.DOI.Identifier, h.Parent.PIDs.DOI.Identifier} {
			if record.BareDOI(is) == record.BareDOI(doi) && recordForm.MatchString(h.ID) {
				return Ref{System: Invenio, Name: h.ID}, nil
			}
		}
	}
	return Ref{}, nil
}
