package record

import (
	"strings"
	"testing"
)

// The names of roles, exactly as they are written.
func TestProjectRoleByName(t *testing.T) {
	for name, want := range map[string]ProjectRole{
		"viewer": ProjectViewer, "collaborator": ProjectCollaborator, "owner": ProjectOwner,
		"": 0, "Viewer": 0, "OWNER": 0, " owner": 0, "admin": 0, "оwner": 0,
	} {
		if got, ok := ProjectRoleByName(name); got != want || ok != (want != 0) {
			t.Errorf("%q is %d, %v", name, got, ok)
		}
	}
}

// The changes that a member may make, by role and owner of the item (security.md A09).
func TestProjectMemberMay(t *testing.T) {
	for _, c := range []struct {
		role    ProjectRole
		account int64
		ok      bool
	}{
		{ProjectViewer, 1, false}, {ProjectViewer, 2, false}, {ProjectCollaborator, 1, true}, {ProjectCollaborator, 2, false},
		{ProjectOwner, 1, true}, {ProjectOwner, 2, true}, {0, 1, false},
	} {
		m := ProjectMember{AccountID: 1, Role: c.role}
		if err := m.May(c.account); (err == nil) != c.ok {
			t.Errorf("role %d on things of %d: %v", c.role, c.account, err)
		}
	}
}

// A license as a string or a number in project articles; the rest of the body is that of an
// article.
func TestProjectArticleBody(t *testing.T) {
	for text, want := range map[string]int64{
		`{"license": "2"}`: 2, `{"license": 2}`: 2, `{"license": ""}`: 0, `{"license": null}`: 0, `{"license": "0"}`: 0,
		`{"license": " 2"}`: -1, `{"license": "2.0"}`: -1, `{"license": "two"}`: -1, `{"license": 2.0}`: -1, `{"license": ["2"]}`: -1,
		`{"license": "99999999999999999999"}`: -1, `{"title": 7}`: -1,
	} {
		body, err := ReadBody([]byte(text), false)
		if err != nil {
			t.Fatal(err)
		}
		var b ProjectArticleBody
		_, err = body.Bind(&b)
		if want < 0 {
			if err == nil {
				t.Errorf("%s is taken as %v", text, b.License)
			}
			continue
		}
		if err != nil || b.License == nil || *b.License != want {
			t.Errorf("%s gives %v, %v", text, b.License, err)
		}
	}
}

// A project's title has 3 to 500 characters, a note at least 3.
func TestProjectLengths(t *testing.T) {
	for n, ok := range map[int]bool{0: false, 2: false, 3: true, 500: true, 501: false} {
		title := strings.Repeat("é", n)
		if err := (&ProjectBody{Title: &title}).Check(); (err == nil) != ok {
			t.Errorf("a title of %d characters: %v", n, err)
		}
		if err := (&NoteBody{Text: &title}).Check(); (err == nil) != (n >= 3) {
			t.Errorf("a note of %d characters: %v", n, err)
		}
	}
}
