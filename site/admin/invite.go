package admin

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"alcove/bucket"
	"alcove/handlers/accounts"
	"alcove/handlers/endpoint"
	"alcove/handlers/people"
	"alcove/record"
	"alcove/site"
)

const (
	invitePath  = peoplePath + "/invite"
	mostInvited = 500 // at once
	linesBytes  = 256 << 10
	mostName    = 100 // characters of a name
)

type guest = accounts.Guest

// InvitePage has the forms to invite one person, and many.
func (a *Admin) InvitePage(c *endpoint.Call) (endpoint.Reply, error) {
	return a.invitePage(c, http.StatusOK, nil, "", nil)
}

// invitePage has the forms with what was written in them. guests is what the lines would do, or, where addresses were
// made or mails are on their way, have done.
func (a *Admin) invitePage(c *endpoint.Call, status int, mistakes map[string]string, lines string, parts []part) (endpoint.Reply, error) {
	var v *page
	err := a.api.DB.View(func(tx *bucket.Tx) error {
		var r *people.AdminScope
		var groups map[int64]*record.Group
		var err error
		if v, r, groups, err = a.beginWithGroups(c, tx, peoplePath, site.WordsOf(c).Admin.Invite); err != nil {
			return err
		}
		w := &v.Admin
		v.Up = site.Link{Text: w.People, URL: peoplePath}
		v.Lead = w.InvitePrinted
		if a.api.Mails() {
			v.Lead = w.InviteMailed
		}
		none := ""
		if r.Whole {
			none = w.NoGroup
		}
		written := func(name string) string {
			if status >= http.StatusBadRequest {
				return c.Field(name)
			}
			return ""
		}
		one := action{Action: invitePath, Name: "do", Value: "one", Button: w.InviteOne, Controls: []site.Control{
			{Name: "email", Kind: "line", Input: "email", Label: w.Mail, Value: written("email"), Most: 150, Error: mistakes["email"]},
			{Name: "first_name", Kind: "line", Label: v.Accounts.FirstName, Help: w.NameHelp, Value: written("first_name"), Most: mostName, Error: mistakes["first_name"]},
			{Name: "last_name", Kind: "line", Label: v.Accounts.LastName, Value: written("last_name"), Most: mostName, Error: mistakes["last_name"]},
			{Name: "group", Kind: "select", Label: w.Group, Options: groupOptions(r, groups, id(written("group")), none), Error: mistakes["group"]},
		}}
		many := action{Action: invitePath, Name: "do", Value: "look", Button: w.Look, Second: true, Controls: []site.Control{
			{Name: "lines", Kind: "area", Label: w.Lines, Help: w.LinesHelp, Value: lines, Rows: 8, Error: mistakes["lines"]},
		}}
		file := action{Action: invitePath, File: true, Name: "do", Value: "look", Button: w.LookFile, Second: true, Controls: []site.Control{
			{Name: "file", Kind: "file", Input: ".csv,text/csv,text/plain", Label: w.LinesFile, Help: fmt.Sprintf(w.LinesFileHelp, strconv.Itoa(mostInvited)), Error: mistakes["file"]},
		}}
		for _, k := range slices.Concat(one.Controls, many.Controls, file.Controls) {
			if k.Error != "" {
				v.Form.Fields = append(v.Form.Fields, site.Field{Name: k.Name, Error: k.Error})
			}
		}
		v.Parts = append(parts, part{Heading: w.InviteOne, Forms: []action{one}}, part{ID: "many", Heading: w.InviteMany, Forms: []action{many, file}})
		return nil
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	return a.show(c, status, v)
}

// Invite invites a person, tells what many lines would do, or does it.
func (a *Admin) Invite(c *endpoint.Call) (endpoint.Reply, error) {
	words := site.WordsOf(c)
	w := &words.Admin
	err := a.api.DB.View(func(tx *bucket.Tx) error {
		_, err := a.scope(c, tx)
		return err
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	switch c.Field("do") {
	case "one":
		g := guest{Email: strings.TrimSpace(c.Field("email")), First: strings.TrimSpace(c.Field("first_name")), Last: strings.TrimSpace(c.Field("last_name")), Group: c.Field("group")}
		guests := []guest{g}
		if err := a.sendInvitations(c, guests, true); err != nil {
			return endpoint.Reply{}, err
		}
		if g = guests[0]; g.Wrong != "" || g.Known != 0 {
			field, text := "email", w.Guests[g.Wrong]
			switch {
			case g.Known != 0:
				text = words.Accounts.EmailTaken
			case g.Wrong == accounts.WrongGroup:
				field = "group"
			case g.Wrong == accounts.WrongName:
				field = "first_name"
			}
			return a.invitePage(c, http.StatusUnprocessableEntity, map[string]string{field: text}, "", nil)
		}
		return a.invited(c, guests)
	case "look", "apply":
	default:
		return endpoint.Reply{}, record.Wrong("do", "is not known")
	}
	from, lines := "lines", c.Field("lines")
	if c.Written("file") {
		from, lines = "file", c.Sent("file")
	}
	guests, err := []guest(nil), error(nil)
	if len(lines) <= linesBytes && utf8.ValidString(lines) {
		guests, err = accounts.ReadGuests(lines, mostInvited)
	}
	if from == "file" && len(guests) == 0 {
		lines = "" // the field of lines stays as it is for what is none
	}
	if err != nil || len(guests) == 0 || len(guests) > mostInvited {
		text := w.LinesBad
		if len(guests) > mostInvited {
			text = fmt.Sprintf(w.LinesMany, strconv.Itoa(mostInvited))
		}
		return a.invitePage(c, http.StatusUnprocessableEntity, map[string]string{from: text}, lines, nil)
	}
	if c.Field("do") == "apply" {
		if err := a.sendInvitations(c, guests, false); err != nil {
			return endpoint.Reply{}, err
		}
		return a.invited(c, guests)
	}
	err = a.api.DB.View(func(tx *bucket.Tx) error {
		r, err := a.scope(c, tx)
		if err != nil {
			return err
		}
		return a.look(tx, r, guests)
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	dry := part{ID: "dry", Heading: w.WouldDo, Text: words.Count(pending(guests), w.WouldInviteOne, w.WouldInvite), Table: a.guestTable(words, guests)}
	if pending(guests) > 0 {
		dry.Forms = []action{{Action: invitePath, Name: "do", Value: "apply", Button: w.InviteThem, Hidden: []hidden{{"lines", lines}}}}
	}
	return a.invitePage(c, http.StatusOK, nil, lines, []part{dry})
}

// pending is how many of some guests are to be invited.
func pending(guests []guest) (n int) {
	for _, g := range guests {
		if g.Pending() {
			n++
		}
	}
	return n
}

// look tells what each line would do.
func (a *Admin) look(tx *bucket.Tx, r *people.AdminScope, guests []guest) error {
	accounts.CheckGuests(guests)
	return accounts.FindGuests(tx, guests, func(group int64) bool { return r.Groups[group] }, r.Whole)
}

// sendInvitations invites those of the lines that are right and have no account. Again also invites those who have an
// invitation, in place of that.
func (a *Admin) sendInvitations(c *endpoint.Call, guests []guest, again bool) error {
	written := append([]guest{}, guests...)
	_, err := a.api.Change(c, nil, "", nil, func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
		copy(guests, written) // it may run twice
		r, err := a.scope(c, tx)
		if err != nil {
			return endpoint.Reply{}, err
		}
		if err := a.look(tx, r, guests); err != nil {
			return endpoint.Reply{}, err
		}
		for i := range guests {
			g := &guests[i]
			if again {
				g.Invited = false
			}
			if !g.Pending() {
				continue
			}
			if g.Address, err = a.api.GiveOneTime(tx, people.OneTime{Email: g.Email, GroupID: g.GroupID, FirstName: g.First, LastName: g.Last}); err != nil {
				return endpoint.Reply{}, err
			}
		}
		return endpoint.Reply{}, nil
	})
	return err
}

// invited tells what was done. The addresses in it are shown this once.
func (a *Admin) invited(c *endpoint.Call, guests []guest) (endpoint.Reply, error) {
	words := site.WordsOf(c)
	w := &words.Admin
	done := part{Done: true, Heading: words.Count(pending(guests), w.InvitedOne, w.Invited), Text: w.AddressOnce, Table: a.guestTable(words, guests)}
	if a.api.Mails() {
		done.Text = ""
	}
	return a.invitePage(c, http.StatusCreated, nil, "", []part{done})
}

func (a *Admin) guestTable(words *site.Words, guests []guest) *table {
	w := &words.Admin
	t := &table{Caption: w.InviteMany, Head: []string{w.Mail, w.Name, w.Group, w.What}}
	for _, g := range guests {
		group, what := g.Group, cell{Text: w.Guests["invite"]}
		if group == "0" {
			group = w.NoGroup
		}
		switch {
		case g.Wrong != "":
			what = cell{State: state{"draft", w.Guests["wrong"]}, Text: w.Guests[g.Wrong]}
		case g.Known != 0:
			what = cell{Text: w.Guests["known"]}
		case g.Invited:
			what = cell{Text: w.Guests["invited"]}
		case g.Address != "":
			what = cell{Text: g.Address, Code: true}
		}
		t.Rows = append(t.Rows, []cell{{Text: g.Email}, {Text: strings.TrimSpace(g.First + " " + g.Last)}, {Text: group}, what})
	}
	return t
}
