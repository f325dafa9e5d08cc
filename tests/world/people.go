package world

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"time"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/bucket/users"
	"alcove/cli/operate"
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
		acc, err := users.Accounts.Get(tx, id)
		if err != nil {
			return err
		}
		change(acc)
		return users.Accounts.Put(tx, id, acc)
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

const ExportAt = "/v2/account/articles/export"

// Report stores a report of a client's, as if it had been made at a time.
func (s *Server) Report(c Client, created time.Time) (id int64) {
	s.T.Helper()
	account := c.ID()
	s.Alter(func(tx *bucket.Tx) (err error) {
		if id, err = exchange.Reports.NextID(tx); err != nil {
			return err
		}
		return exchange.Reports.Put(tx, bucket.Pair{A: account, B: id}, &record.Report{ID: id, AccountID: account, Created: created})
	})
	return id
}
