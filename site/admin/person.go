package admin

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/handlers/accounts"
	"alcove/handlers/endpoint"
	"alcove/handlers/people"
	"alcove/record"
	"alcove/site"
)

// person is what the page of one account tells.
type person struct {
	acc     *record.Account
	scope   *people.AdminScope
	may     error // why the account cannot be changed, nil where it can
	groups  map[int64]*record.Group
	grants  []*record.Grant
	methods people.SignInMethods
}

func (a *Admin) readPerson(c *endpoint.Call, tx *bucket.Tx) (p person, err error) {
	if _, err = a.scope(c, tx); err != nil {
		return p, err
	}
	if p.acc, p.scope, err = people.Administered(c, tx); err != nil {
		return p, err
	}
	p.may = p.scope.MayChange(tx, p.acc)
	if p.may != nil && !errors.Is(p.may, record.ErrOutranked) {
		return p, p.may
	}
	if p.groups, err = names(tx); err != nil {
		return p, err
	}
	p.grants, err = accounts.GrantsOf(tx, p.acc.ID)
	return p, err
}

// Person is the page of one account.
func (a *Admin) Person(c *endpoint.Call) (endpoint.Reply, error) {
	return a.personPage(c, http.StatusOK, "", "", nil)
}

// personPage is the page, with what is wrong with a form, and an address that was made, "" for none.
func (a *Admin) personPage(c *endpoint.Call, status int, wrong, address string, mistakes map[string]string) (endpoint.Reply, error) {
	var p person
	var v *page
	err := a.api.DB.View(func(tx *bucket.Tx) (err error) {
		if p, err = a.readPerson(c, tx); err != nil {
			return err
		}
		v = a.begin(c, p.scope, peoplePath, site.NameOf(p.acc))
		v.Parts = append(v.Parts, a.personFacts(v, tx, &p))
		return nil
	})
	if err == nil {
		p.methods, err = a.api.MethodsOf(p.acc)
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	w := &v.Admin
	v.Up, v.Said = site.Link{Text: w.People, URL: peoplePath}, wrong
	if address != "" {
		v.Parts = append([]part{secretPart(w.AddressMade, w.AddressOnce, address)}, v.Parts...)
	}
	v.Parts = append(v.Parts, a.methodsPart(v, &p))
	if p.may != nil {
		v.Parts[0].Text = w.Outranked
		return a.show(c, status, v)
	}
	v.Parts = append(v.Parts, a.personForms(c, v, &p, mistakes)...)
	return a.show(c, status, v)
}

func secretPart(heading, text, address string) part {
	return part{Done: true, Heading: heading, Text: text, Facts: []fact{{"", []cell{{Text: address, Code: true}}}}}
}

func (a *Admin) personFacts(v *page, tx *bucket.Tx, p *person) part {
	w, acc := &v.Admin, p.acc
	facts := []fact{
		{w.State, []cell{{State: accountState(w.States, acc, tx)}}},
		{w.Mail, []cell{{Text: acc.Email}}},
		{w.Group, []cell{{Text: groupName(p.groups, acc.GroupID)}}},
		{w.Number, []cell{{Text: strconv.FormatInt(acc.ID, 10)}}},
		{w.InstitutionID, []cell{{Text: acc.InstitutionUserID}}},
		{w.Kept, []cell{{Text: a.kept(v, acc)}}},
		{w.Since, []cell{{Day: v.Moment(acc.Created)}}},
	}
	if g := acc.Agreement; g != nil {
		facts = append(facts, fact{v.Edit.Agreed, []cell{{Day: v.Moment(g.Accepted), Small: "SHA-256 " + g.SHA256}}})
	}
	if facts[0].Cells[0].State == (state{}) {
		facts[0].Cells[0].Text = w.States[accounts.StateActive]
	}
	if acc.MergedInto != 0 {
		facts = append(facts, fact{w.MergedInto, []cell{{Text: strconv.FormatInt(acc.MergedInto, 10), URL: personAt(acc.MergedInto)}}})
	}
	if !acc.Expires.IsZero() {
		facts = append(facts, fact{w.Ends, []cell{{Day: v.Moment(acc.Expires)}}})
	}
	part := part{}
	for _, f := range facts {
		if c := f.Cells[0]; c.Text != "" || c.Day.Words != "" || c.State.Words != "" {
			part.Facts = append(part.Facts, f)
		}
	}
	return part
}

// kept is how much an account keeps, and of how much it may.
func (a *Admin) kept(v *page, acc *record.Account) string {
	if quota := a.api.Items.Quota(acc); quota > 0 {
		return strings.NewReplacer("%1", v.Bytes(acc.Used()), "%2", v.Bytes(quota)).Replace(v.Admin.KeptOf)
	}
	return v.Bytes(acc.Used())
}

// methodsPart tells how the account can be used.
func (a *Admin) methodsPart(v *page, p *person) part {
	w, m := &v.Admin, &p.methods
	is := map[bool]string{true: v.Yes, false: v.No}
	out := part{Heading: w.SignIn, Facts: []fact{
		{w.HasPassword, []cell{{Text: is[m.Password]}}}, {w.HasCodes, []cell{{Text: is[m.Factor]}}}, {w.HasPasskeys, nil},
		{w.HasTokens, []cell{{Text: v.Number(len(m.Tokens))}}}, {w.HasApps, []cell{{Text: v.Number(len(m.Apps))}}}, {w.LastSeen, []cell{{Text: w.NotLately}}},
	}}
	for _, k := range m.Passkeys {
		out.Facts[2].Cells = append(out.Facts[2].Cells, cell{Text: k.Name})
	}
	if len(m.Passkeys) == 0 {
		out.Facts[2].Cells = []cell{{Text: v.No}}
	}
	for _, l := range m.Logins {
		out.Facts = append(out.Facts, fact{l.Provider, []cell{{Text: l.Shown}}})
	}
	if len(m.Sessions) == 0 {
		return out
	}
	out.Facts[5].Cells = []cell{{Day: v.Moment(m.Sessions[0].Used)}}
	out.Table = &table{Caption: v.Accounts.Sessions, Head: []string{v.Accounts.Browser, v.Accounts.Begun, v.Accounts.Used}}
	for _, s := range m.Sessions {
		agent := s.Agent
		if agent == "" {
			agent = v.Accounts.UnknownBrowser
		}
		out.Table.Rows = append(out.Table.Rows, []cell{{Text: agent}, {Day: v.Moment(s.Created), Label: v.Accounts.Begun}, {Day: v.Moment(s.Used), Label: v.Accounts.Used}})
	}
	return out
}

// personForms are what can be done to the account.
func (a *Admin) personForms(c *endpoint.Call, v *page, p *person, mistakes map[string]string) []part {
	w, at := &v.Admin, personAt(p.acc.ID)
	own := p.acc.ID == c.Account.ID
	quota := ""
	if p.acc.Quota > 0 {
		quota = strconv.FormatFloat(float64(p.acc.Quota)/gigabyte, 'f', -1, 64)
	}
	if c.Written("quota") && mistakes != nil {
		quota = c.Field("quota")
	}
	room := do(at, "quota", w.Store)
	room.Controls = []site.Control{{Name: "quota", Kind: "line", Label: w.Quota, Help: w.QuotaHelp, Value: quota, Most: 20, Error: mistakes["quota"]}}
	if mistakes["quota"] != "" {
		v.Form.Fields = append(v.Form.Fields, site.Field{Name: "quota", Error: mistakes["quota"]})
	}
	group := do(at, "group", w.Move)
	none := ""
	if p.scope.Whole {
		none = w.NoGroup
	}
	group.Controls = []site.Control{{Name: "group", Kind: "select", Label: w.Group, Help: w.GroupHelp, Options: groupOptions(p.scope, p.groups, p.acc.GroupID, none)}}
	parts := []part{{Heading: w.RoomAndGroup, Forms: []action{room, group}}, a.rolesPart(v, p, at)}
	access := part{ID: "access", Heading: w.Access}
	active := p.acc.Active(a.api.DB.Time())
	if active {
		text := w.ResetPrinted
		if a.api.Mails() {
			text = w.ResetMailed
		}
		reset := do(at, "reset", w.Reset)
		reset.Text = text
		reset.Controls = []site.Control{{Name: "codes", Kind: "check", Label: w.ResetCodes}}
		access.Forms = append(access.Forms, reset)
	}
	if len(p.methods.Sessions)+len(p.methods.Apps) > 0 {
		end := do(at, "sessions", w.EndSessions)
		end.Text = w.EndSessionsText
		access.Forms = append(access.Forms, end)
	}
	if p.scope.Whole && !own {
		admin := do(at, "admin", w.MakeAdmin)
		if p.acc.Admin {
			admin = do(at, "no_admin", w.UnmakeAdmin)
		}
		admin.Text = w.AdminText
		access.Forms = append(access.Forms, admin)
	}
	switch {
	case own:
	case p.acc.Disabled:
		access.Forms = append(access.Forms, do(at, "enable", w.Enable))
	default:
		end := do(at, "disable", w.Disable)
		end.Text = w.DisableText
		access.Forms = append(access.Forms, end)
	}
	parts = append(parts, access)
	if p.scope.Whole {
		parts = append(parts, part{Heading: w.HandOver, Text: w.HandOverText, Links: []site.Link{{Text: w.HandOverLink, URL: handOverAt(p.acc.ID)}}})
	}
	return parts
}

// rolesPart are the roles in groups of the scope.
func (a *Admin) rolesPart(v *page, p *person, at string) part {
	w := &v.Admin
	t := &table{Caption: w.Roles, Head: []string{w.Group, w.Role, v.Actions}, None: w.NoRoles}
	for _, g := range p.grants {
		if !p.scope.Groups[g.GroupID] {
			continue
		}
		for _, role := range g.Roles {
			take := do(at, "revoke", w.Take)
			take.Hidden = []hidden{{"group", strconv.FormatInt(g.GroupID, 10)}, {"role", strconv.FormatInt(role, 10)}}
			take.Named = w.Take + ": " + w.RoleNames[role] + ", " + groupName(p.groups, g.GroupID)
			t.Rows = append(t.Rows, []cell{{Text: groupName(p.groups, g.GroupID)}, {Text: w.RoleNames[role]}, {Form: &take}})
		}
	}
	out := part{Heading: w.Roles, Text: w.RolesText, Table: t}
	if len(p.scope.Groups) > 0 {
		grant := do(at, "grant", w.Grant)
		roles := site.Control{Name: "role", Kind: "select", Label: w.Role}
		for _, r := range record.Roles() {
			roles.Options = append(roles.Options, site.Option{Value: strconv.FormatInt(r.ID, 10), Words: w.RoleNames[r.ID]})
		}
		grant.Controls = []site.Control{roles, {Name: "group", Kind: "select", Label: w.Group, Options: groupOptions(p.scope, p.groups, p.acc.GroupID, "")}}
		for i := range grant.Controls {
			grant.Controls[i].Name = "grant_" + grant.Controls[i].Name
		}
		out.Forms = []action{grant}
	}
	return out
}

// gigabyte is the unit of quotas on pages.
const gigabyte = 1e9

// bytesOf reads a number of gigabytes, blank for the configured quota.
func bytesOf(text string) (int64, bool) {
	text = strings.Replace(strings.TrimSpace(text), ",", ".", 1)
	if text == "" {
		return 0, true
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || n <= 0 || n > 1e9 {
		return 0, false
	}
	return max(1, int64(n*gigabyte)), true
}

// ChangePerson does what a form of the page says.
func (a *Admin) ChangePerson(c *endpoint.Call) (endpoint.Reply, error) {
	what, w := c.Field("do"), &site.WordsOf(c).Admin
	quota, readable := bytesOf(c.Field("quota"))
	if what == "quota" && !readable {
		return a.personPage(c, http.StatusUnprocessableEntity, "", "", map[string]string{"quota": w.QuotaBad})
	}
	address := ""
	_, err := a.api.Change(c, nil, "", nil, func(c *endpoint.Call, tx *bucket.Tx) (_ endpoint.Reply, err error) {
		if _, err := a.scope(c, tx); err != nil {
			return endpoint.Reply{}, err
		}
		acc, r, err := people.Changeable(c, tx)
		if err != nil {
			return endpoint.Reply{}, err
		}
		if what == "reset" {
			if !acc.Active(tx.Latest()) {
				return endpoint.Reply{}, record.Wrong("do", "is not for an account that is disabled")
			}
			address, err = a.api.GiveOneTime(tx, people.OneTime{Email: acc.Email, Reset: true, NoFactor: c.Field("codes") != ""})
			return endpoint.Reply{}, err
		}
		return endpoint.Reply{}, a.changePerson(c, tx, r, acc, what, quota)
	})
	if text, again := said(site.WordsOf(c), err); again {
		return a.personPage(c, statusOf(err), text, "", nil)
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	if address != "" {
		return a.personPage(c, http.StatusCreated, "", address, nil)
	}
	return site.Onward(personAt(c.ID("account_id")) + "?done=" + what), nil
}

func (a *Admin) changePerson(c *endpoint.Call, tx *bucket.Tx, r *people.AdminScope, acc *record.Account, what string, quota int64) error {
	yes, no := true, false
	own := acc.ID == c.Account.ID
	switch what {
	case "quota":
		return accounts.Change(tx, acc, accounts.Edit{Quota: &quota})
	case "group":
		to := id(c.Field("group"))
		if err := r.CheckGroup(to); err != nil {
			return err
		}
		return accounts.Change(tx, acc, accounts.Edit{GroupID: &to})
	case "grant":
		group, role := id(c.Field("grant_group")), id(c.Field("grant_role"))
		if _, known := record.RoleByID(role); !known || group == 0 {
			return record.Wrong("role", "is not known")
		}
		if err := r.CheckGroup(group); err != nil {
			return err
		}
		return accounts.Grant(tx, acc.ID, group, role)
	case "revoke":
		group := id(c.Field("group"))
		if err := r.CheckGroup(group); err != nil {
			return err
		}
		_, err := accounts.Revoke(tx, acc.ID, group, id(c.Field("role")))
		return err
	case "sessions":
		return a.api.SignOutOther(tx, acc.ID)
	case "enable":
		return accounts.Change(tx, acc, accounts.Edit{Disabled: &no})
	case "disable":
		if own {
			return record.ErrOwnAccount
		}
		return accounts.Change(tx, acc, accounts.Edit{Disabled: &yes})
	case "admin", "no_admin":
		if !r.Whole || own {
			return record.ErrGroupNotAllowed
		}
		admin := what == "admin"
		return accounts.Change(tx, acc, accounts.Edit{Admin: &admin})
	}
	return record.Wrong("do", "is not known")
}

// statusOf is the status of a page that says why a form was refused.
func statusOf(err error) int {
	if refused := site.Refusal(err); refused != nil && refused.Class == record.Forbidden {
		return http.StatusForbidden
	}
	return http.StatusUnprocessableEntity
}
