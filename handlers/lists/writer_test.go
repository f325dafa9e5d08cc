package lists

import (
	"testing"

	"alcove/bucket"
)

// Lists with the same text have the same sum, and those with different texts have not.
func TestSheetTags(t *testing.T) {
	doc := func(text string) bucket.Doc {
		return bucket.Doc{List: []byte(text), ListSum: bucket.SumOf([]byte(text))}
	}
	one, two := doc(`{"id": 1}`), doc(`{"id": 2}`)
	texts := map[bucket.Sum]string{}
	for _, tt := range []struct {
		want string
		fill func(*Writer)
	}{
		{`[]`, func(*Writer) {}},
		{`[{"id": 1}]`, func(s *Writer) { s.Add(one) }},
		{`[{"id": 2}]`, func(s *Writer) { s.Add(two) }},
		{`[{"id": 1}, {"id": 2}]`, func(s *Writer) { s.Add(one); s.Add(two) }},
		{`[{"id": 2}, {"id": 1}]`, func(s *Writer) { s.Add(two); s.Add(one) }},
		{`[{"project_id": null, "id": 1}]`, func(s *Writer) { s.addOfProject(one, 0) }},
		{`[{"project_id": 7, "id": 1}]`, func(s *Writer) { s.addOfProject(one, 7) }},
		{`[{"project_id": 7, "id": 1}, {"project_id": 8, "id": 2}]`, func(s *Writer) { s.addOfProject(one, 7); s.addOfProject(two, 8) }},
		{`[{"project_id": 8, "id": 1}, {"project_id": 7, "id": 2}]`, func(s *Writer) { s.addOfProject(one, 8); s.addOfProject(two, 7) }},
	} {
		s := NewWriter([]byte("what was there before"), 1, "")
		tt.fill(s)
		text, sum := s.End()
		if string(text) != tt.want {
			t.Errorf("%s, want %s", text, tt.want)
		}
		if had, ok := texts[sum]; ok && had != tt.want {
			t.Errorf("%s and %s have the same sum", had, tt.want)
		}
		for had, text := range texts {
			if text == tt.want && had != sum {
				t.Errorf("%s has two sums", text)
			}
		}
		texts[sum] = tt.want
	}
}
