package catalogue

import (
	"net/url"
	"strings"
	"testing"
)

func TestLicenses(t *testing.T) {
	for i, l := range PublicLicenses() {
		if l.Value != int64(i+1) {
			t.Errorf("public licence %d has the value %d", i+1, l.Value)
		}
	}
	var values []int64
	for _, l := range InstitutionLicenses() {
		values = append(values, l.Value)
	}
	if len(PublicLicenses()) != 7 || len(values) != 6 || values[0] != 8 || values[5] != 43 {
		t.Errorf("%d public licences, institution's %v", len(PublicLicenses()), values)
	}

	names := map[string]bool{}
	for _, l := range append(PublicLicenses(), InstitutionLicenses()...) {
		if names[l.Name] || names[l.URL] {
			t.Errorf("%+v is there twice", l)
		}
		names[l.Name], names[l.URL] = true, true
		if u, err := url.Parse(l.URL); err != nil || u.Scheme != "https" || u.Host == "" || len(u.Path) < 2 {
			t.Errorf("%s has the address %q", l.Name, l.URL)
		}
		if got, ok := LicenseByValue(l.Value); !ok || got != l {
			t.Errorf("LicenseByValue(%d) = %+v, %v", l.Value, got, ok)
		}
	}
	for _, value := range []int64{-1, 0, 13, 42, 44} {
		if l, ok := LicenseByValue(value); ok {
			t.Errorf("LicenseByValue(%d) = %+v", value, l)
		}
	}
}

func TestItemTypeByName(t *testing.T) {
	for name, id := range map[string]int64{
		// Both vocabularies of item types.
		"figure": 1, "media": 2, "dataset": 3, "fileset": 3, "poster": 5, "paper": 6,
		"presentation": 7, "thesis": 8, "code": 9, "metadata": 11,
		"journal contribution": 6, "software": 9, "online resource": 11,
		"preprint": 12, "book": 13, "conference contribution": 14, "chapter": 15,
		"peer review": 16, "educational resource": 17, "report": 18, "standard": 19,
		"composition": 20, "funding": 21, "physical object": 22, "data management plan": 23,
		"workflow": 24, "monograph": 25, "performance": 26, "event": 27, "service": 28, "model": 29,
		// Anything else is nothing.
		"": 0, "Dataset": 0, "DATASET": 0, " dataset": 0, "dataset ": 0, "data set": 0,
		"journal_contribution": 0, "journal  contribution": 0, "Code": 0, "3": 0, "dаtaset": 0,
		"online\u00a0resource": 0, "registration": 0,
	} {
		got, ok := ItemTypeByName(name)
		if got.ID != id || ok != (id != 0) {
			t.Errorf("%q is %d, %v; want %d", name, got.ID, ok, id)
		}
	}
}

func TestItemTypes(t *testing.T) {
	all := ItemTypes()
	if len(all) != 27 {
		t.Errorf("%d item types", len(all))
	}
	last := int64(0)
	for _, it := range all {
		if it.ID <= last {
			t.Errorf("%d comes after %d", it.ID, last)
		}
		last = it.ID
		if byID, ok := ItemTypeByID(it.ID); !ok || byID != it {
			t.Errorf("by id %d: %+v, %v", it.ID, byID, ok)
		}
		if byName, ok := ItemTypeByName(it.Name); !ok || byName != it {
			t.Errorf("by name %q: %+v, %v", it.Name, byName, ok)
		}
		underscored := strings.ReplaceAll(it.Name, " ", "_")
		if it.StringID != underscored || it.URLName != underscored {
			t.Errorf("%q has the string id %q and the segment %q", it.Name, it.StringID, it.URLName)
		}
		if it.Icon == "" || !it.IsSelectable || !strings.HasSuffix(it.PublicDescription, ".") {
			t.Errorf("%+v", it)
		}
	}
	if it, ok := ItemTypeByID(4); !ok || it.Name != "dataset" {
		t.Errorf("the withdrawn 4 is %+v, %v", it, ok)
	}
	for _, id := range []int64{-1, 0, 10, 30, 1 << 40} {
		if it, ok := ItemTypeByID(id); ok {
			t.Errorf("%d is %+v", id, it)
		}
	}
}
