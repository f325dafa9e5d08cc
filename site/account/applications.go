package account

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"alcove/auth"
	"alcove/handlers/endpoint"
	"alcove/record"
	"alcove/record/markup"
	"alcove/site"
	"alcove/site/words"
)

const pathToApplications = "/account/applications"

// applications is the page with what may act for a person beside its browsers.
type applications struct {
	*site.Frame
	site.Form
	Made       made
	TokenName  site.Field
	Lasts      selection
	Tokens     []tokenRow
	Connected  []connectedRow
	Links      []linkRow
	Registered []applicationRow
	AppName    site.Field
	Redirects  site.Field
	Public     bool              // that is to be registered
	mistakes   map[string]string // by field
	written    map[string]string
	tokenLasts string
}

// made is a secret that is shown once.
type made struct {
	Heading, ClientID, Secret string // "" for none
}

// selection is a list in a form of which one is chosen.
type selection struct {
	Name, Label string
	Options     []option
}

type option struct {
	Value, Label string
	Chosen       bool
}

type tokenRow struct {
	ID, Name            string
	Made, Used, Expires site.Day
	Never, Ended        bool // it does not expire, it has expired
}

type connectedRow struct {
	ID, Name, Owner string
	May             []string
	Since, Used     site.Day
}

type linkRow struct {
	Item, URL, Application string
	Expires                site.Day
}

type applicationRow struct {
	ID, Name     string
	Made         site.Day
	Redirects    []string
	Confidential bool
}

// Applications is the page.
func (s *Pages) Applications(c *endpoint.Call) (endpoint.Reply, error) {
	v := s.applications(c)
	w := v.Words.Applications
	v.Done = map[string]string{"token": w.TokenEnded, "application": w.ApplicationDeleted, "connection": w.Disconnected}[site.Asked(c, "ended")]
	return s.applicationsPage(c, http.StatusOK, v)
}

func (s *Pages) applications(c *endpoint.Call) *applications {
	return &applications{Frame: s.site.Frame(c), mistakes: map[string]string{}, written: map[string]string{}, tokenLasts: "90"}
}

func (s *Pages) applicationsPage(c *endpoint.Call, status int, v *applications) (endpoint.Reply, error) {
	f := v.Frame
	w := &f.Words.Applications
	f.Title = w.Title
	tokens, err := s.api.Tokens(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	for _, t := range tokens {
		row := tokenRow{ID: t.ID, Name: t.Name, Made: f.Moment(t.Created), Never: t.Expires.IsZero()}
		if !t.Used.IsZero() {
			row.Used = f.Moment(t.Used)
		}
		if !row.Never {
			row.Expires, row.Ended = f.Moment(t.Expires), t.Ended
		}
		v.Tokens = append(v.Tokens, row)
	}
	v.TokenName = v.field(site.Field{Name: "token_name", Label: w.TokenName, Help: w.TokenNameHelp, Most: mostName})
	v.Lasts = selection{Name: "lasts", Label: w.Lasts}
	for _, o := range []option{{Value: "30", Label: w.Month}, {Value: "90", Label: w.Quarter}, {Value: "365", Label: w.Year}, {Value: "0", Label: w.Forever}} {
		o.Chosen = o.Value == v.tokenLasts
		v.Lasts.Options = append(v.Lasts.Options, o)
	}
	v.AppName = v.field(site.Field{Name: "app_name", Label: w.AppName, Help: w.AppNameHelp, Most: mostName})
	v.Redirects = v.field(site.Field{Name: "redirects", Label: w.Redirects, Help: w.RedirectsHelp, Most: record.MaxRedirects * (record.MaxRedirect + 1)})
	v.Fields = []site.Field{v.TokenName, v.AppName, v.Redirects}
	connected, err := s.api.Connected(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	for _, one := range connected {
		v.Connected = append(v.Connected, connectedRow{ID: one.ID, Name: one.Name, Owner: one.Owner, May: mayDo(w, one.Scope), Since: f.Moment(one.Since), Used: f.Moment(one.Used)})
	}
	links, err := s.api.ApplicationLinks(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	for _, l := range links {
		v.Links = append(v.Links, linkRow{
			Item: markup.Title(l.Title).String(), URL: fmt.Sprintf("/account/%s/%d/links", l.Kind, l.Item), Application: l.Application, Expires: f.Moment(l.Expires),
		})
	}
	own, err := s.api.Applications(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	for _, app := range own {
		v.Registered = append(v.Registered, applicationRow{ID: app.ID, Name: app.Name, Made: f.Moment(app.Created), Redirects: app.Redirects, Confidential: app.Secret != ""})
	}
	f.Main = v
	return s.formPage(c, "applications", status, f)
}

// field is one with what was written in it, and what is wrong with that.
func (v *applications) field(f site.Field) site.Field {
	f.Type, f.Complete = "text", "off"
	f.Value, f.Error = v.written[f.Name], v.mistakes[f.Name]
	return f
}

// mostName is how many characters the name of a token or an application has.
const mostName = 100

// name is what was written as the name of something.
func (v *applications) name(c *endpoint.Call, field string) string {
	name := strings.TrimSpace(c.Field(field))
	v.written[field] = name
	switch w := &v.Words.Applications; {
	case name == "":
		v.mistakes[field] = w.NameMissing
	case len([]rune(name)) > mostName || strings.ContainsFunc(name, site.Unprintable):
		v.mistakes[field] = w.NameBad
	}
	return name
}

// TokenAdd makes a personal token and shows it, which a second time nothing does.
func (s *Pages) TokenAdd(c *endpoint.Call) (endpoint.Reply, error) {
	v := s.applications(c)
	w := &v.Words.Applications
	name := v.name(c, "token_name")
	lasts, known := map[string]time.Duration{"30": 30 * day24, "90": 90 * day24, "365": 365 * day24, "0": 0}[c.Field("lasts")]
	if known {
		v.tokenLasts = c.Field("lasts")
	} else {
		v.Said = w.LastsBad
	}
	if !known || len(v.mistakes) > 0 {
		return s.applicationsPage(c, http.StatusUnprocessableEntity, v)
	}
	token, err := s.api.TokenAdd(c, name, lasts)
	if errors.Is(err, auth.ErrTooMany) {
		v.Said = w.TokensMany
		return s.applicationsPage(c, http.StatusUnprocessableEntity, v)
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	delete(v.written, "token_name")
	v.Made = made{Heading: w.TokenMade, Secret: token}
	return s.applicationsPage(c, http.StatusCreated, v)
}

const day24 = 24 * time.Hour

// TokenEnd ends a personal token.
func (s *Pages) TokenEnd(c *endpoint.Call) (endpoint.Reply, error) {
	return endpoint.Reply{Status: http.StatusSeeOther, Location: pathToApplications + "?ended=token"}, s.api.TokenEnd(c, c.Field("token"))
}

// ApplicationAdd registers an application and shows its client_id, and its secret, which a second time nothing
// does.
func (s *Pages) ApplicationAdd(c *endpoint.Call) (endpoint.Reply, error) {
	v := s.applications(c)
	w := &v.Words.Applications
	name := v.name(c, "app_name")
	v.written["redirects"] = c.Field("redirects")
	redirects := strings.Fields(c.Field("redirects"))
	switch {
	case len(redirects) == 0:
		v.mistakes["redirects"] = w.RedirectMissing
	case len(redirects) > record.MaxRedirects:
		v.mistakes["redirects"] = fmt.Sprintf(w.RedirectsMany, strconv.Itoa(record.MaxRedirects))
	}
	for _, at := range redirects {
		if err := record.CheckRedirect(at); err != nil && v.mistakes["redirects"] == "" {
			v.mistakes["redirects"] = fmt.Sprintf(redirectWrong(w, err), at)
		}
	}
	v.Public = c.Field("kind") == "public"
	if len(v.mistakes) > 0 {
		return s.applicationsPage(c, http.StatusUnprocessableEntity, v)
	}
	id, secret, err := s.api.ApplicationAdd(c, name, slices.Compact(redirects), !v.Public)
	if errors.Is(err, auth.ErrTooMany) {
		v.Said = w.ApplicationsMany
		return s.applicationsPage(c, http.StatusUnprocessableEntity, v)
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	v.written, v.Public = map[string]string{}, false
	v.Made = made{Heading: w.Registered, ClientID: id, Secret: secret}
	return s.applicationsPage(c, http.StatusCreated, v)
}

// redirectWrong says what is wrong with an address, which its text leaves a gap for.
func redirectWrong(w *words.Applications, err error) string {
	switch {
	case errors.Is(err, record.ErrRedirectPart):
		return w.RedirectPart
	case errors.Is(err, record.ErrRedirectInsecure):
		return w.RedirectInsecure
	case errors.Is(err, record.ErrRedirectScheme):
		return w.RedirectScheme
	}
	return w.RedirectForm
}

// ApplicationSecret gives an application another secret and shows it.
func (s *Pages) ApplicationSecret(c *endpoint.Call) (endpoint.Reply, error) {
	id := c.Field("application")
	secret, err := s.api.ApplicationSecret(c, id)
	if errors.Is(err, auth.ErrNoApplication) {
		return endpoint.Reply{}, record.ErrNotFound
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	v := s.applications(c)
	v.Made = made{Heading: v.Words.Applications.SecretMade, ClientID: id, Secret: secret}
	return s.applicationsPage(c, http.StatusCreated, v)
}

// ApplicationDelete deletes an application.
func (s *Pages) ApplicationDelete(c *endpoint.Call) (endpoint.Reply, error) {
	return endpoint.Reply{Status: http.StatusSeeOther, Location: pathToApplications + "?ended=application"}, s.api.ApplicationDelete(c, c.Field("application"))
}

// Disconnect ends what an application may do for the person.
func (s *Pages) Disconnect(c *endpoint.Call) (endpoint.Reply, error) {
	return endpoint.Reply{Status: http.StatusSeeOther, Location: pathToApplications + "?ended=connection"}, s.api.Disconnect(c, c.Field("application"))
}
