package handlers

import (
	"bytes"
	"net/url"
	"strings"

	"alcove/handlers/described"
	"alcove/handlers/endpoint"
	"alcove/handlers/oai"
)

// OAI answers OAI-PMH at its two addresses, by GET.
func (a *API) OAI(c *endpoint.Call) (endpoint.Reply, error) {
	return a.harvest(c, c.Request.URL.RawQuery)
}

// OAIForm is the same by POST.
func (a *API) OAIForm(c *endpoint.Call) (endpoint.Reply, error) {
	form, err := c.FormText()
	if err != nil {
		return endpoint.Reply{}, err
	}
	if c.Request.URL.RawQuery != "" {
		return a.harvest(c, "verb=&verb=") // arguments of a POST stand in its body
	}
	return a.harvest(c, string(form))
}

func (a *API) harvest(c *endpoint.Call, query string) (endpoint.Reply, error) {
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
	return endpoint.Reply{Raw: text, Type: oai.Media, Tag: endpoint.ETag(lasting)}, err
}
