package world

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"os"
	"path/filepath"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/cli/operate"
	"alcove/config"
	"alcove/record"
)

// Form sends a file in a field of a form.
func (c Client) Form(path, field, file string) *Reply {
	c.Server.T.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile(field, "a.csv")
	if err != nil {
		c.Server.T.Fatal(err)
	}
	part.Write([]byte(file))
	w.Close()
	return c.Do("POST", path, &b, "Content-Type", w.FormDataContentType())
}

// ID is the account of a client.
func (c Client) ID() int64 {
	c.Server.T.Helper()
	return int64(c.Get("/v2/account").Is(200).Object()["id"].(float64))
}

// Account changes an account in the store.
func (s *Server) Account(id int64, change func(*record.Account)) {
	s.T.Helper()
	s.Alter(func(tx *bucket.Tx) error {
		acc, err := bucket.Accounts.Get(tx, id)
		if err != nil {
			return err
		}
		change(acc)
		return bucket.Accounts.Put(tx, id, acc)
	})
}

func (s *Server) Group(name string, parent int64) int64 {
	s.T.Helper()
	var id int64
	s.Operate("group", operate.GroupEdit{Name: &name, ParentID: &parent}, &id)
	return id
}

func (s *Server) Role(c Client, group int64, role string) {
	s.T.Helper()
	s.Operate("role", operate.RoleEdit{Account: fmt.Sprint(c.ID()), GroupID: group, Role: role}, nil)
}

// Joins puts an account into a group.
func (s *Server) Joins(c Client, group int64) {
	s.T.Helper()
	s.Operate("account_edit", operate.AccountEdit{Account: fmt.Sprint(c.ID()), GroupID: &group}, nil)
}

// NewInstitution has a faculty (1) with a department (2) in it and another faculty (3).
// Ada administers the first faculty; Ben is in the department, Cyd in the other faculty.
func NewInstitution(t *testing.T, change ...func(*config.Config)) (s *Server, cyd Client) {
	t.Helper()
	s = Start(t, append([]func(*config.Config){func(c *config.Config) {
		c.InstitutionName, c.InstitutionDomain = "Vell College", "vell.example"
	}}, change...)...)
	cyd = s.Person("Cyd", false)
	faculty := s.Group("Sciences", 0)
	department := s.Group("Limnology", faculty)
	other := s.Group("Arts", 0)
	s.Role(s.Ada, faculty, "administrator")
	s.Joins(s.Ben, department)
	s.Joins(cyd, other)
	return s, cyd
}

const ExportAt = "/v2/account/articles/export"

// Report stores a report of a client's, as if it had been made at a time.
func (s *Server) Report(c Client, created time.Time) (id int64) {
	s.T.Helper()
	account := c.ID()
	s.Alter(func(tx *bucket.Tx) (err error) {
		if id, err = bucket.Reports.NextID(tx); err != nil {
			return err
		}
		return bucket.Reports.Put(tx, bucket.Pair{A: account, B: id}, &record.Report{ID: id, AccountID: account, Created: created})
	})
	return id
}

// Secret is a file that has a secret.
func Secret(t testing.TB, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(name, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
