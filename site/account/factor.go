package account

import (
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strconv"

	"rsc.io/qr"

	"alcove/auth"
	"alcove/handlers/endpoint"
	"alcove/record"
	"alcove/site"
)

const mostCode = 40

type codeStep struct {
	*site.Frame
	site.Form
	Next string
}

// CodePage asks for the code of a second factor: the second step of signing in. Without the first step it is that one's page.
func (s *Pages) CodePage(c *endpoint.Call) (endpoint.Reply, error) {
	next := localPath(site.Asked(c, "next"))
	if !c.HalfSignedIn() {
		return s.signInPage(c, http.StatusOK, next, "", nil, "")
	}
	return s.codePage(c, http.StatusOK, next, "", "")
}

// Code takes the code. Where a person is halfway no more, it leads back to the first step.
func (s *Pages) Code(c *endpoint.Call) (endpoint.Reply, error) {
	w, next := site.WordsOf(c), localPath(c.Field("next"))
	if !c.HalfSignedIn() {
		return endpoint.Reply{Status: http.StatusSeeOther, Location: endpoint.SignInPath}, nil
	}
	if c.Field("code") == "" {
		return s.codePage(c, http.StatusUnprocessableEntity, next, w.Factors.CodeMissing, "")
	}
	r, err := s.api.SignInCode(c, c.Field("code"))
	if errors.Is(err, auth.ErrCode) {
		return s.codePage(c, http.StatusUnprocessableEntity, next, w.Factors.CodeWrong, "")
	}
	if wait := site.Waiting(err); wait > 0 {
		page, err := s.codePage(c, http.StatusTooManyRequests, next, "", w.Count(site.Minutes(wait), w.Factors.WaitOne, w.Factors.WaitMany))
		page.Header.Set("Retry-After", strconv.Itoa(wait))
		return page, err
	}
	return onward(r, next), err
}

func (s *Pages) codePage(c *endpoint.Call, status int, next, wrong, said string) (endpoint.Reply, error) {
	f := s.site.Frame(c)
	f.Title, f.SignIn = f.Factors.Step, ""
	f.Main = codeStep{Frame: f, Next: next, Form: site.Form{Said: said, Fields: []site.Field{
		{Name: "code", Type: "text", Complete: "one-time-code", Label: f.Factors.Code, Help: f.Factors.StepHelp, Most: mostCode, Error: wrong},
	}}}
	return s.formPage(c, "code", status, f)
}

type secondFactor struct {
	*site.Frame
	site.Form
	Used     bool
	Left     string       // recovery codes, in words
	Picture  template.URL // of a secret that is not in use yet, "" for none
	Secret   string       // the same in groups of letters
	Recovery []string     // new ones
}

// FactorPage shows whether the person has a second factor, and the forms to set it up and to end it.
func (s *Pages) FactorPage(c *endpoint.Call) (endpoint.Reply, error) {
	return s.factorPage(c, http.StatusOK, nil, nil, "")
}

// Factor takes those forms.
func (s *Pages) Factor(c *endpoint.Call) (endpoint.Reply, error) {
	w := site.WordsOf(c)
	again := func(wrong map[string]string) (endpoint.Reply, error) {
		return s.factorPage(c, http.StatusUnprocessableEntity, wrong, nil, "")
	}
	var codes []string
	var session endpoint.Reply
	var err error
	do, password := c.Field("do"), c.Field("password")
	switch {
	case do == "use" && c.Field("code") == "":
		return again(map[string]string{"code": w.Factors.CodeMissing})
	case do == "use":
		codes, session, err = s.api.FactorUse(c, c.Field("code"))
	case password == "" && c.Person().Password != "":
		return again(map[string]string{"password": w.Accounts.PasswordMissing})
	case do == "begin":
		err = s.api.FactorBegin(c, password)
	case do == "renew":
		codes, err = s.api.FactorRecovery(c, password)
	case do == "end":
		err = s.api.FactorEnd(c, password)
	default:
		return again(nil)
	}
	switch {
	case errors.Is(err, auth.ErrWrong) && c.Person().Password == "":
		return s.factorPage(c, http.StatusUnprocessableEntity, nil, nil, w.Logins.Again)
	case errors.Is(err, auth.ErrWrong):
		return again(map[string]string{"password": w.Accounts.CurrentWrong})
	case errors.Is(err, auth.ErrCode):
		return again(map[string]string{"code": w.Factors.CodeWrong})
	case site.Waiting(err) > 0:
		page, failed := s.factorPage(c, http.StatusTooManyRequests, nil, nil, w.Count(site.Minutes(site.Waiting(err)), w.Factors.WaitOne, w.Factors.WaitMany))
		page.Header.Set("Retry-After", strconv.Itoa(site.Waiting(err)))
		return page, failed
	case err != nil:
		return endpoint.Reply{}, err
	case codes != nil:
		page, err := s.factorPage(c, http.StatusOK, nil, codes, "")
		if cookie := session.Header["Set-Cookie"]; err == nil && cookie != nil {
			page.Header["Set-Cookie"] = cookie
		}
		return page, err
	}
	at := "/account/second-factor"
	if do == "end" {
		at += "?ended=1"
	}
	return endpoint.Reply{Status: http.StatusSeeOther, Location: at}, nil
}

func (s *Pages) factorPage(c *endpoint.Call, status int, wrong map[string]string, codes []string, said string) (endpoint.Reply, error) {
	is, err := s.api.Factor(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	f := s.site.Frame(c)
	w := &f.Factors
	f.Title = w.Title
	v := secondFactor{Frame: f, Recovery: codes, Form: site.Form{Said: said}}
	password := site.Field{Name: "password", Type: "password", Complete: "current-password", Label: f.Accounts.CurrentPassword, Most: auth.MaxPassword, Error: wrong["password"]}
	if c.Person().Password != "" {
		v.Fields = []site.Field{password}
	}
	switch {
	case is != nil && is.Used:
		v.Used, v.Left = true, f.Count(len(is.Recovery), w.RecoveryOne, w.RecoveryMany)
	case is != nil:
		v.Fields = []site.Field{{Name: "code", Type: "text", Complete: "one-time-code", Label: w.Code, Help: w.CodeHelp, Most: mostCode, Error: wrong["code"]}}
		if err := v.show(is, s.site.Name(), c.Person().Email); err != nil {
			return endpoint.Reply{}, err
		}
	}
	if len(v.Wrong()) == 0 && wrong["code"] != "" { // codes were begun in no browser, or are in use already
		v.Said = wrong["code"]
	}
	if site.Asked(c, "ended") != "" && status == http.StatusOK && !v.Used {
		v.Done = w.TurnedOff
	}
	f.Main = v
	return s.formPage(c, "factor", status, f)
}

// show puts the secret of a second factor on the page, as a picture and as text.
func (v *secondFactor) show(is *record.SecondFactor, site, email string) error {
	code, err := qr.Encode(auth.CodeAddress(is.Secret, site, email), qr.M)
	if err != nil {
		return fmt.Errorf("cannot draw a secret: %w", err)
	}
	code.Scale = 5
	v.Picture = template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(code.PNG()))
	for i := 0; i < len(is.Secret); i += 4 {
		if i > 0 {
			v.Secret += " "
		}
		v.Secret += is.Secret[i:min(i+4, len(is.Secret))]
	}
	return nil
}
