package handlers

import (
	"bytes"
	"net/url"
	"strings"

	"alcove/handlers/described"
	"alcove/handlers/oai"
	"alcove/record"
)

// OAI answers OAI-PMH at its two addresses, by GET.
func (a *API) OAI(c *Call) (Reply, error) { return a.harvest(c, c.request.URL.RawQuery) }

// Harvested is an endpoint of OAI-PMH whose arguments are the fields of a form. A page of another site may send it, as it
// changes nothing.
func Harvested(h func(*Call) (Reply, error)) Endpoint {
	e := Plain(h)
	e.body = formBody
	return e
}

// OAIForm is the same by POST.
func (a *API) OAIForm(c *Call) (Reply, error) {
	if len(c.form) > maxFields {
		return Reply{}, record.ErrBodyTooLarge
	}
	if c.request.URL.RawQuery != "" {
		return a.harvest(c, "verb=&verb=") // arguments of a POST stand in its body
	}
	return a.harvest(c, string(c.form))
}

func (a *API) harvest(c *Call, query string) (Reply, error) {
	base := a.Settings.API("/oai")
	if c.Pattern == "/oai" {
		base = a.Settings.SiteURL + "/oai"
	}
	host := ""
	if u, err := url.Parse(a.Settings.SiteURL); err == nil {
		host = u.Hostname()
	}
	mail := a.Contact
	if mail == "" {
		mail = "admin@" + host
		if !strings.Contains(host, ".") || strings.Trim(host, "0123456789.:abcdef") == "" {
			mail = "admin@localhost.invalid" // harvesters ask for one that looks like an address
		}
	}
	domain := a.OAIDomain
	if domain == "" {
		domain = host
	}
	r := oai.Repository{
		DB: a.DB, Items: a.Items, Settings: a.Settings, Name: described.Publisher(a.Settings), Mail: mail, Domain: domain, Groups: a.Branding().Groups,
	}
	text, err := r.Answer(base, query)
	_, lasting, _ := bytes.Cut(text, []byte("</responseDate>")) // the same answer is the same a second later
	return Reply{Raw: text, Type: oai.Media, Tag: etag(lasting)}, err
}
