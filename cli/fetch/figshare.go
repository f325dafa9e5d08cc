package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Bounds of an item.
const (
	maxVersions = 1000
	maxFiles    = 100_000 // of a version; of an item ten times as many
	maxMembers  = 100_000
	pageSize    = 1000
)

// fields are what a version of an item says in the API of figshare. Blank texts are null or "".
type fields struct {
	ID               int64             `json:"id"`
	Title            string            `json:"title"`
	Description      string            `json:"description"`
	Type             string            `json:"defined_type_name"`
	DOI              string            `json:"doi"`
	Handle           string            `json:"handle"`
	Page             string            `json:"url_public_html"`
	Published        string            `json:"published_date"`
	Modified         string            `json:"modified_date"`
	Tags             []string          `json:"tags"`
	References       []string          `json:"references"`
	Materials        []material        `json:"related_materials"`
	Categories       []category        `json:"categories"`
	Authors          []author          `json:"authors"`
	Custom           []custom          `json:"custom_fields"`
	Funding          json.RawMessage   `json:"funding"` // of a collection: a list of grants
	Grants           []grant           `json:"funding_list"`
	License          license           `json:"license"`
	ResourceID       string            `json:"resource_id"`
	ResourceDOI      string            `json:"resource_doi"`
	ResourceTitle    string            `json:"resource_title"`
	ResourceLink     string            `json:"resource_link"`
	ResourceVersion  int64             `json:"resource_version"`
	MetadataRecord   bool              `json:"is_metadata_record"`
	MetadataReason   string            `json:"metadata_reason"`
	DownloadDisabled bool              `json:"download_disabled"`
	Timeline         timeline          `json:"timeline"`
	Embargoed        bool              `json:"is_embargoed"`
	EmbargoType      string            `json:"embargo_type"`
	EmbargoDate      string            `json:"embargo_date"`
	EmbargoTitle     string            `json:"embargo_title"`
	EmbargoReason    string            `json:"embargo_reason"`
	EmbargoOptions   []embargoOption   `json:"embargo_options"`
	Folders          map[string]string `json:"folder_structure"`
	Listed           []listedFile      `json:"files"`
}

type (
	material struct {
		Identifier string `json:"identifier"`
		Title      string `json:"title"`
		Relation   string `json:"relation"`
		Type       string `json:"identifier_type"`
		Linkout    bool   `json:"is_linkout"`
	}
	category struct {
		ID int64 `json:"id"`
	}
	author struct {
		Full         string        `json:"full_name"`
		First        string        `json:"first_name"`
		Last         string        `json:"last_name"`
		ORCID        string        `json:"orcid_id"`
		Kind         string        `json:"kind"` // "" where the server does not say
		Particle     string        `json:"name_particle"`
		Suffix       string        `json:"name_suffix"`
		Guessed      bool          `json:"is_guessed"`
		ROR          string        `json:"ror_id"`
		Affiliations []affiliation `json:"affiliations"`
	}
	affiliation struct {
		Name string `json:"name"`
		ROR  string `json:"ror_id"`
	}
	custom struct {
		Name  string          `json:"name"`
		Value json.RawMessage `json:"value"`
	}
	grant struct {
		Title string `json:"title"`
	}
	license struct {
		Value int64 `json:"value"`
	}
	timeline struct {
		FirstOnline string `json:"firstOnline"`
		Publication string `json:"publisherPublication"`
		Acceptance  string `json:"publisherAcceptance"`
	}
	embargoOption struct {
		ID int64 `json:"id"`
	}
	listedFile struct {
		ID       int64  `json:"id"`
		Name     string `json:"name"`
		Size     int64  `json:"size"`
		LinkOnly bool   `json:"is_link_only"`
		URL      string `json:"download_url"`
		MD5      string `json:"computed_md5"`
		Supplied string `json:"supplied_md5"`
		document json.RawMessage
	}
)

// UnmarshalJSON keeps the JSON beside what it says.
func (f *listedFile) UnmarshalJSON(text []byte) error {
	type plain listedFile
	f.document = slices.Clone(text)
	return json.Unmarshal(text, (*plain)(f))
}

// readFigshare reads an article or a collection with all its public versions.
func (c *Client) readFigshare(ctx context.Context, collection bool, id int64) (*Item, error) {
	name := strconv.FormatInt(id, 10)
	it := &Item{Collection: collection, Name: name, Origin: c.origin(collection, id)}
	path := "/v2/" + it.Kind() + "s/" + name
	numbers, err := c.versions(ctx, path, &it.Listed)
	if err != nil {
		return nil, err
	}
	files := 0
	for _, n := range numbers {
		v, err := c.version(ctx, it, id, path, n)
		if err != nil {
			return nil, fmt.Errorf("version %d: %w", n, err)
		}
		if files += len(v.Files); files > 10*maxFiles {
			return nil, fmt.Errorf("its versions have more than %d files", 10*maxFiles)
		}
		it.Versions = append(it.Versions, *v)
	}
	if collection {
		it.Members, err = c.members(ctx, path)
	}
	return it, err
}

// origin is the address of an item in the API, by which it is known wherever it goes.
func (c *Client) origin(collection bool, id int64) string {
	return c.Base + "/v2/" + kindName(collection) + "s/" + strconv.FormatInt(id, 10)
}

// versions are the numbers of the public versions of an item, the oldest first and without a gap: a loader counts them up. The
// list itself is put into listed.
func (c *Client) versions(ctx context.Context, path string, listed *json.RawMessage) ([]int64, error) {
	var list []struct {
		Version int64 `json:"version"`
		ID      int64 `json:"id"` // of a collection, on older servers
	}
	if err := c.json(ctx, path+"/versions", listed); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(*listed, &list); err != nil {
		return nil, fmt.Errorf("the answer of %s %w: %w", shorten(c.Base+path+"/versions"), errOtherAnswer, err)
	}
	if len(list) > maxVersions {
		return nil, fmt.Errorf("it has %d versions, and at most %d are taken", len(list), maxVersions)
	}
	var numbers []int64
	for _, v := range list {
		if v.Version == 0 {
			v.Version = v.ID
		}
		numbers = append(numbers, v.Version)
	}
	slices.Sort(numbers)
	for i, n := range numbers {
		if n < 1 || n != numbers[0]+int64(i) {
			return nil, fmt.Errorf("its versions are not counted one by one: %d stands at place %d", n, i+1)
		}
	}
	if len(numbers) == 0 {
		return nil, errors.New("it has no public version")
	}
	return numbers, nil
}

// version reads a version.
func (c *Client) version(ctx context.Context, it *Item, id int64, path string, number int64) (*Version, error) {
	return c.versionAt(ctx, it, id, fmt.Sprintf("%s/versions/%d", path, number), number)
}

// versionAt reads a version, or another state of an item, at a path of its own.
func (c *Client) versionAt(ctx context.Context, it *Item, id int64, at string, number int64) (*Version, error) {
	v := &Version{Number: number}
	if err := c.json(ctx, at, &v.Document); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(v.Document, &v.fields); err != nil {
		return nil, fmt.Errorf("the answer of %s is not the JSON that was expected: %w", shorten(c.Base+at), err)
	}
	if v.fields.ID != id {
		return nil, fmt.Errorf("%s answers with the item %d", shorten(c.Base+at), v.fields.ID)
	}
	if len(v.Custom) > 1000 || len(v.Authors) > maxMembers {
		return nil, errors.New("it has too many authors or custom fields")
	}
	if it.Collection {
		v.Export = fmt.Sprintf("%s/export/collections/%d/%d/datacite-xml", c.Base, id, number)
		return v, nil
	}
	v.Export = fmt.Sprintf("%s/export/articles/%d/%d/datacite-xml", c.Base, id, number)
	files, err := c.files(ctx, at)
	if err != nil {
		return nil, err
	}
	if files == nil {
		files = v.Listed
	}
	v.Withheld = v.Embargoed && len(files) == 0
	v.Files, err = placed(files, v.Listed, v.Folders)
	return v, err
}

// files are all files of a version; nil where the server does not list them apart.
func (c *Client) files(ctx context.Context, at string) ([]listedFile, error) {
	all, err := list[listedFile](ctx, c, at+"/files", maxFiles)
	if Gone(err) {
		return nil, nil
	}
	seen := map[int64]bool{}
	for _, f := range all {
		if seen[f.ID] {
			return nil, fmt.Errorf("the file %d is listed twice", f.ID)
		}
		seen[f.ID] = true
	}
	return all, err
}

// placed are files with their folders, which only the detail tells, of the files that it shows.
func placed(files, listed []listedFile, folders map[string]string) (list []File, err error) {
	if len(files) > len(listed) && len(folders) > 0 {
		return nil, fmt.Errorf("it has %d files in folders, and the server tells the folders of %d only", len(files), len(listed))
	}
	for _, f := range files {
		out := File{ID: strconv.FormatInt(f.ID, 10), Name: f.Name, Folder: folders[strconv.FormatInt(f.ID, 10)], Document: f.document}
		if f.LinkOnly {
			out.Link = f.URL
			list = append(list, out)
			continue
		}
		out.URL, out.Size, out.Sum = f.URL, f.Size, strings.ToLower(f.MD5)
		if out.Sum == "" {
			out.Sum = strings.ToLower(f.Supplied)
		}
		if err := out.check(); err != nil {
			return nil, err
		}
		list = append(list, out)
	}
	return list, nil
}

// check refuses a file of which not everything is known that is needed to verify it.
func (f *File) check() error {
	u, err := url.Parse(f.URL)
	switch {
	case f.Name == "":
		return fmt.Errorf("the file %s has no name", shorten(f.ID))
	case f.Size < 0:
		return fmt.Errorf("the file %q has a size of %d bytes", shorten(f.Name), f.Size)
	case algorithmOf(f.Sum) == nil:
		return fmt.Errorf("the file %q has no MD5 or other checksum, so that it could not be verified", shorten(f.Name))
	case err != nil || webAddress(u) != nil:
		return fmt.Errorf("the file %q has no address of http or https", shorten(f.Name))
	}
	return nil
}

// members are the public articles of a collection.
func (c *Client) members(ctx context.Context, path string) (members []Member, err error) {
	all, err := list[struct {
		ID  int64  `json:"id"`
		DOI string `json:"doi"`
	}](ctx, c, path+"/articles", maxMembers)
	if err != nil {
		return nil, err
	}
	seen := map[int64]bool{}
	for _, m := range all {
		if m.ID < 1 || seen[m.ID] {
			return nil, fmt.Errorf("the article %d is no member, or listed twice", m.ID)
		}
		seen[m.ID] = true
		members = append(members, Member{m.ID, c.origin(false, m.ID), m.DOI})
	}
	return members, nil
}
