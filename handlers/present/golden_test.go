package present

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"alcove/record"
)

var update = flag.Bool("update", false, "write the representations again")

// The bytes of every representation, in all settings of blanks. Clients read them with
// patterns as well as with parsers, so each change is a decision: see it with -update. The file has a
// line for each, its name before a tab; forms that differ in nothing share one.
func TestGolden(t *testing.T) {
	const path = "testdata/representations.tsv"
	empty := settings
	empty.EmptyBlanks = true
	public := empty
	public.Figshare = true
	nulls, empties, publics := shapes(settings), shapes(empty), shapes(public)
	got := map[string]string{}
	for name, shape := range nulls {
		encode := Encode
		if name == "upload" {
			encode = Compact
		}
		seen := map[string]bool{}
		for _, form := range []struct {
			name string
			v    any
		}{
			{name, shape[0]}, {name + "_blank", shape[1]},
			{name + "_empty_blanks", empties[name][0]}, {name + "_blank_empty_blanks", empties[name][1]},
			{name + "_figshare", publics[name][0]}, {name + "_blank_figshare", publics[name][1]},
		} {
			b, err := encode(form.v)
			if err != nil {
				t.Fatal(err)
			}
			if !seen[string(b)] {
				got[form.name] = string(b)
			}
			seen[string(b)] = true
		}
	}
	if *update {
		var text strings.Builder
		for _, name := range slices.Sorted(maps.Keys(got)) {
			fmt.Fprintf(&text, "%s\t%s\n", name, got[name])
		}
		if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		name, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		compare(t, name, got[name], want)
		delete(got, name)
	}
	for name := range got {
		t.Errorf("%s is not in %s", name, path)
	}
}

// compare compares bytes, and shows where they begin to differ.
func compare(t *testing.T, name, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	from := max(0, at-60)
	t.Errorf("%s differs at byte %d:\n got …%.200s\nwant …%.200s", name, at, got[min(from, len(got)):], want[min(from, len(want)):])
}

// A blank field is there with null, "" or an empty list, and no list is null: the forms
// of a record with everything and of one with nothing have the same keys.
func TestNothingIsLeftOut(t *testing.T) {
	for name, shape := range shapes(settings) {
		var full, blank map[string]any
		for i, to := range []*map[string]any{&full, &blank} {
			noNil(t, name, reflect.ValueOf(shape[i]))
			b, err := Encode(shape[i])
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(b, to); err != nil {
				t.Fatal(err)
			}
		}
		if a, b := slices.Sorted(maps.Keys(full)), slices.Sorted(maps.Keys(blank)); !slices.Equal(a, b) {
			t.Errorf("%s: keys %v, and when blank %v", name, a, b)
		}
		for key, v := range full {
			if _, ok := v.([]any); ok {
				if _, ok := blank[key].([]any); !ok {
					t.Errorf("%s.%s is %v when blank", name, key, blank[key])
				}
			}
		}
	}
}

// noNil fails for lists and maps that encode as null, and for tags that leave fields out.
func noNil(t *testing.T, path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() && !f.Anonymous {
				continue
			}
			if tag := f.Tag.Get("json"); tag == "" != f.Anonymous || strings.Contains(tag, ",") {
				t.Errorf("%s.%s has the tag %q", path, f.Name, tag)
			}
			noNil(t, path+"."+f.Name, v.Field(i))
		}
	case reflect.Slice, reflect.Map:
		if v.IsNil() {
			t.Errorf("%s is null", path)
		}
	}
}

// The keys that the public service has stand in its order, whatever of ours is between them.
func TestKeyOrder(t *testing.T) {
	const item = "id title doi handle url published_date thumb defined_type defined_type_name group_id url_private_api " +
		"url_public_api url_private_html url_public_html timeline resource_title resource_doi"
	const about = "files folder_structure authors custom_fields figshare_url download_disabled description funding funding_list " +
		"version status size created_date modified_date is_public is_confidential is_metadata_record confidential_reason " +
		"metadata_reason license tags keywords categories references has_linked_file citation related_materials is_embargoed " +
		"embargo_date embargo_type embargo_title embargo_reason embargo_options "
	for want, v := range map[string]any{
		item + " created_date modified_date": settings.PublicArticle(fullVersion()),
		about + item:                         settings.PublicDetail(fullVersion(), nil, true),
		"id name size is_link_only download_url supplied_md5 computed_md5 mimetype":           PublicFile{},
		"id full_name first_name last_name is_active url_name orcid_id":                       Author{},
		"posted firstOnline revision submission publisherPublication publisherAcceptance":     Timeline{},
		"token md5 size name status parts":                                                    UploadInfo{},
		"partNo startOffset endOffset status locked":                                          Part{},
		"entity_id location warnings":                                                         NewCreated(1, "x", nil),
		"location warnings":                                                                   NewUpdated("x", nil),
		"message code data":                                                                   Error{},
		"id identifier title relation identifier_type is_linkout link":                        RelatedMaterial{},
		"name value is_mandatory field_type settings order":                                   CustomField{},
		"id title parent_id path source_id taxonomy_id is_selectable has_children":            ListedCategory{},
		"is_embargoed embargo_date embargo_type embargo_title embargo_reason embargo_options": Embargo{},
		"upload_token upload_url status preview_state viewer_type is_attached_to_public_version id name size is_link_only download_url supplied_md5 computed_md5 mimetype failure_reason folder_path": PrivateFile{},
	} {
		known := strings.Fields(want)
		got := strings.Join(slices.DeleteFunc(keys(t, v), func(key string) bool { return !slices.Contains(known, key) }), " ")
		if got != want {
			t.Errorf("%T has the keys\n%s, want\n%s", v, got, want)
		}
	}
	all := keys(t, settings.OwnDetail(fullArticle(), people, nil, true))
	public := keys(t, settings.PublicDetail(fullVersion(), nil, true))
	for _, k := range append(public, "curation_status", "group_resource_id", "account_id") {
		if !slices.Contains(all, k) {
			t.Errorf("the own detail has no %s", k)
		}
	}
	if len(all) != len(public)+3 {
		t.Errorf("the own detail has %d keys, the public one %d", len(all), len(public))
	}
}

// keys are the keys of an object in the order in which they are written.
func keys(t *testing.T, v any) (keys []string) {
	t.Helper()
	b, err := Compact(v)
	if err != nil {
		t.Fatal(err)
	}
	d, depth, key := json.NewDecoder(bytes.NewReader(b)), 0, false
	for {
		token, err := d.Token()
		if err != nil {
			return keys
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
			key = depth == 1
			continue
		case json.Delim('}'), json.Delim(']'):
			depth--
			key = depth == 1
			continue
		}
		if depth == 1 {
			if key {
				keys = append(keys, fmt.Sprint(token))
			}
			key = !key
		}
	}
}

// Both forms of a version that are made together are those that are made apart.
func TestPublicForms(t *testing.T) {
	for _, v := range []*record.ArticleVersion{fullVersion(), {}} {
		list, whole := settings.PublicForms(v, publicFiles(), true)
		if want := settings.PublicArticle(v); !reflect.DeepEqual(list, want) {
			t.Errorf("the list form is %+v, want %+v", list, want)
		}
		if want := settings.PublicDetail(v, publicFiles(), true); !reflect.DeepEqual(whole, want) {
			t.Errorf("the full form is %+v, want %+v", whole, want)
		}
	}
}

// Every setting is part of the hash, and nothing else is.
func TestHash(t *testing.T) {
	seen := map[uint64]string{settings.Hash(): "as they are"}
	for i := range reflect.TypeFor[Settings]().NumField() {
		changed := settings
		f := reflect.ValueOf(&changed).Elem().Field(i)
		switch f.Kind() {
		case reflect.String:
			f.SetString(f.String() + "x")
		case reflect.Bool:
			f.SetBool(!f.Bool())
		case reflect.Int:
			f.SetInt(f.Int() + 1)
		default:
			t.Fatalf("a setting of kind %s", f.Kind())
		}
		name := reflect.TypeFor[Settings]().Field(i).Name
		if before, ok := seen[changed.Hash()]; ok {
			t.Errorf("the hash is the same with another %s and %s", name, before)
		}
		seen[changed.Hash()] = name
	}
	swapped := settings
	swapped.BaseURL, swapped.SiteURL = settings.SiteURL, settings.BaseURL
	if _, ok := seen[swapped.Hash()]; ok {
		t.Error("the hash is the same with two settings swapped")
	}
	if same := settings; same.Hash() != settings.Hash() {
		t.Error("the hash of the same settings differs")
	}
}

// Addresses are put together from the settings alone.
func TestAddresses(t *testing.T) {
	odd := Settings{BaseURL: "http://[::1]:8443/%41", SiteURL: "S", DownloadURL: "D", UploadURL: "U"}
	if got := odd.API("/articles/%d/%s", 5, "a%b"); got != "http://[::1]:8443/%41/v2/articles/5/a%b" {
		t.Error(got)
	}
	files := ownFiles()
	for i, want := range []struct {
		download, upload string
		attached         bool
	}{
		{"D/files/21", "", true}, {"https://example.com/there?a=b,c", "", false},
		{"D/files/23", "U/" + files[2].Token, false}, {"D/files/24", "", false},
	} {
		p := odd.PrivateFile(files[i])
		upload := ""
		if p.UploadURL != nil {
			upload = *p.UploadURL
		}
		if p.DownloadURL != want.download || upload != want.upload || p.IsAttached != want.attached || p.IsLinkOnly != (i == 1) {
			t.Errorf("%s: %+v, %s", files[i].Name, p, upload)
		}
	}
	for status, want := range map[record.FileStatus]string{
		record.FileCreated: "PENDING", record.FileChecking: "COMPLETED", record.FileMoving: "COMPLETED",
		record.FileAvailable: "COMPLETED", record.FileFailed: "ABORTED",
	} {
		if u := NewUploadInfo(&record.File{ID: 3, Name: "/a/b//c", Status: status}, nil); u.Status != want || u.Name != "3/abc" {
			t.Errorf("%s: %+v", status, u)
		}
	}
	if v := odd.ArticleVersions(4, 0, 2); len(v) != 2 || v[1].URL != "http://[::1]:8443/%41/v2/articles/4/versions/2" || v[1].Version != 2 {
		t.Errorf("versions: %+v", v)
	}
	if v := odd.ArticleVersions(4, 0, 0); v == nil || len(v) != 0 {
		t.Errorf("no versions: %+v", v)
	}
}
