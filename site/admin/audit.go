package admin

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/handlers/accounts"
	"alcove/handlers/audit"
	"alcove/handlers/endpoint"
	"alcove/record"
	"alcove/site"
	"alcove/site/words"
)

const (
	auditPath = root + "/audit"
	auditEach = 100
)

// asked is what an address asks of the audit trail.
type asked struct{ account, kind, record, since, until string }

func auditAsked(c *endpoint.Call) asked {
	of := func(name string) string { return strings.TrimSpace(site.Asked(c, name)) }
	return asked{of("account"), of("kind"), of("record"), of("since"), of("until")}
}

// values are the query of the address that asks it.
func (q asked) values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"account": q.account, "kind": q.kind, "record": q.record, "since": q.since, "until": q.until} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v
}

// query reads what is asked, and says what is wrong with it, by field.
func (a *Admin) query(q asked, w *words.Admin) (out audit.Query, mistakes map[string]string, err error) {
	mistakes = map[string]string{}
	day := func(name, text string) time.Time {
		if text == "" {
			return time.Time{}
		}
		t, err := time.Parse(time.DateOnly, text)
		if err != nil {
			mistakes[name] = w.DateBad
		}
		return t
	}
	out = audit.Query{Limited: true, Account: q.account, Kind: q.kind, Since: day("since", q.since), Until: day("until", q.until)}
	if !out.Until.IsZero() {
		out.Until = out.Until.AddDate(0, 0, 1)
	}
	if q.kind != "" && !audit.Follows(q.kind) {
		mistakes["kind"] = w.KindBad
	}
	if out.ID = id(q.record); q.record != "" && (out.ID == 0 || q.kind == "") {
		mistakes["record"] = w.RecordBad
	}
	if q.account != "" {
		err = a.api.DB.View(func(tx *bucket.Tx) error {
			if _, err := accounts.Find(tx, q.account); err != nil {
				mistakes["account"] = w.AccountBad
			}
			return nil
		})
	}
	return out, mistakes, err
}

// auditKinds are the kinds of records that the list of the page offers. Any other may stand in the address.
var auditKinds = []string{
	"accounts", "articles", "article_versions", "choices", "collections", "fields", "files", "grants", "groups", "people", "private_links", "projects", "project_members", "reviews", "tokens",
}

// Audit is the audit trail, the newest first.
func (a *Admin) Audit(c *endpoint.Call) (endpoint.Reply, error) {
	var v *page
	err := a.api.DB.View(func(tx *bucket.Tx) error {
		r, err := a.whole(c, tx)
		if err == nil {
			v = a.begin(c, r, auditPath, site.WordsOf(c).Admin.Audit)
		}
		return err
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	w, asked := &v.Admin, auditAsked(c)
	q, mistakes, err := a.query(asked, w)
	if err != nil {
		return endpoint.Reply{}, err
	}
	kinds := site.Control{Name: "kind", Kind: "select", Label: w.Kind, Options: []site.Option{{Words: w.AnyKind}}, Error: mistakes["kind"]}
	for _, k := range auditKinds {
		kinds.Options = append(kinds.Options, site.Option{Value: k, Words: k, Chosen: k == asked.kind})
	}
	search := action{Action: auditPath, Query: true, Named: w.Audit, Button: v.Words.Search, Controls: []site.Control{
		{Name: "account", Kind: "line", Label: w.Actor, Help: w.ActorHelp, Value: asked.account, Most: 150, Error: mistakes["account"]}, kinds,
		{Name: "record", Kind: "line", Label: w.RecordNumber, Value: asked.record, Most: 18, Error: mistakes["record"]},
		{Name: "since", Kind: "line", Input: "date", Label: w.From, Value: asked.since, Error: mistakes["since"]},
		{Name: "until", Kind: "line", Input: "date", Label: w.UntilDay, Value: asked.until, Error: mistakes["until"]},
	}}
	v.Lead = w.AuditText
	v.Parts = []part{{Forms: []action{search}}}
	if len(mistakes) > 0 {
		for _, k := range search.Controls {
			if k.Error != "" {
				v.Form.Fields = append(v.Form.Fields, site.Field{Name: k.Name, Error: k.Error})
			}
		}
		return a.show(c, http.StatusUnprocessableEntity, v)
	}
	q.Newest, q.Most = true, auditEach
	q.Before, _ = strconv.ParseUint(site.Asked(c, "before"), 10, 63)
	found, err := audit.Read(a.api.DB, q)
	if err != nil {
		return endpoint.Reply{}, err
	}
	values := asked.values()
	v.Parts = append(v.Parts, part{Table: auditTable(v, found.Lines), Links: []site.Link{{Text: w.AsCSV, URL: auditPath + ".csv?" + values.Encode()}}})
	if !found.Done {
		values.Set("before", strconv.FormatUint(found.Next, 10))
		v.Parts[1].Links = append([]site.Link{{Text: w.Older, URL: auditPath + "?" + values.Encode()}}, v.Parts[1].Links...)
	}
	return a.show(c, http.StatusOK, v)
}

func auditTable(v *page, lines []audit.Line) *table {
	w := &v.Admin
	t := &table{Caption: w.Audit, Head: []string{w.When, w.Who, w.Operation, w.Kind, w.RecordNumber}, None: w.NothingFound}
	for _, l := range lines {
		who := cell{Text: l.Who, Label: w.Who}
		if l.ForWhom != "" {
			who.Small = put(w.InNameOf, l.ForWhom)
		}
		t.Rows = append(t.Rows, []cell{{Day: v.Moment(l.Time)}, who, {Text: w.Operations[l.Op], Label: w.Operation}, {Text: l.Kind, Label: w.Kind}, {Text: l.ID, Small: l.Title, Label: w.RecordNumber}})
	}
	return t
}

// AuditTable is the audit trail as CSV, the oldest first.
func (a *Admin) AuditTable(c *endpoint.Call) (endpoint.Reply, error) {
	if err := a.wholeOnly(c); err != nil {
		return endpoint.Reply{}, err
	}
	q, mistakes, err := a.query(auditAsked(c), &site.WordsOf(c).Admin)
	if err != nil {
		return endpoint.Reply{}, err
	}
	for name := range mistakes {
		return endpoint.Reply{}, record.Wrong(name, "is not known")
	}
	return a.api.AuditExport(c, q), nil
}
