package handlers

import (
	"testing"

	"alcove/bucket"
)

// Sheets with the same text have the same tag, and those with different texts have not.
func TestSheetTags(t *testing.T) {
	doc := func(text string) bucket.Doc {
		return bucket.Doc{List: []byte(text), ListSum: bucket.SumOf([]byte(text))}
	}
	one, two := doc(`{"id": 1}`), doc(`{"id": 2}`)
	texts := map[string]string{} // by tag
	for _, tt := range []struct {
		want string
		fill func(*listWriter)
	}{
		{`[]`, func(*listWriter) {}},
		{`[{"id": 1}]`, func(s *listWriter) { s.add(one) }},
		{`[{"id": 2}]`, func(s *listWriter) { s.add(two) }},
		{`[{"id": 1}, {"id": 2}]`, func(s *listWriter) { s.add(one); s.add(two) }},
		{`[{"id": 2}, {"id": 1}]`, func(s *listWriter) { s.add(two); s.add(one) }},
		{`[{"project_id": null, "id": 1}]`, func(s *listWriter) { s.addOfProject(one, 0) }},
		{`[{"project_id": 7, "id": 1}]`, func(s *listWriter) { s.addOfProject(one, 7) }},
		{`[{"project_id": 7, "id": 1}, {"project_id": 8, "id": 2}]`, func(s *listWriter) { s.addOfProject(one, 7); s.addOfProject(two, 8) }},
		{`[{"project_id": 8, "id": 1}, {"project_id": 7, "id": 2}]`, func(s *listWriter) { s.addOfProject(one, 8); s.addOfProject(two, 7) }},
		{`[{"id": 1}]`, func(s *listWriter) { s.add(two); s.add(two); s.clear(); s.add(one) }},
	} {
		s := newListWriter([]byte("what was there before"), 1)
		tt.fill(s)
		text, tag := s.end()
		if string(text) != tt.want {
			t.Errorf("%s, want %s", text, tt.want)
		}
		if had, ok := texts[tag]; ok && had != tt.want {
			t.Errorf("%s and %s have the same tag", had, tt.want)
		}
		for had, text := range texts {
			if text == tt.want && had != tag {
				t.Errorf("%s has two tags", text)
			}
		}
		texts[tag] = tt.want
	}
}
