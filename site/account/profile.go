package account

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"alcove/bucket"
	"alcove/handlers/endpoint"
	"alcove/handlers/export"
	"alcove/handlers/people"
	"alcove/record"
	"alcove/site"
	"alcove/site/words"
)

// profile is the page of a person's own profile.
type profile struct {
	*site.Frame
	site.Form
	Email        string
	Tag          string // of what the form was made of
	Controls     []site.Control
	Picture      string // address, "" for none
	PictureError string
}

const pathToProfile = "/account/profile"

// ProfilePage is the form of the person's own profile.
func (s *Pages) ProfilePage(c *endpoint.Call) (endpoint.Reply, error) {
	p, err := s.api.Profile(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return s.profilePage(c, http.StatusOK, p, written(p), nil, "")
}

// profileFields are the names of the fields that a profile has a text of, in their order.
var profileFields = []string{"first_name", "last_name", "orcid", "job_title", "location", "bio", "personal_profiles", "facebook", "x", "linkedin"}

// written is what the form has in its fields of a profile that nothing was written in.
func written(p people.Profile) map[string]string {
	is := map[string]string{"first_name": p.Account.FirstName, "last_name": p.Account.LastName, "orcid": p.Person.ORCID, "language": p.Account.Language}
	if q := p.Person.Profile; q != nil {
		var links []string
		for _, l := range q.Links {
			links = append(links, strings.TrimSpace(l.URL+" "+l.Label))
		}
		for name, value := range map[string]string{"job_title": q.JobTitle, "location": q.Location, "bio": q.Bio, "facebook": q.Facebook, "x": q.X, "linkedin": q.LinkedIn, "personal_profiles": strings.Join(links, "\n")} {
			is[name] = value
		}
	}
	return is
}

// profileTag tells what a form was made of from what it would be made of later.
func profileTag(p people.Profile) string {
	return site.Sum([]any{written(p), p.Account.Muted})
}

// say puts what a field says into the body that the API takes.
func say(b *record.ProfileBody, name, value string) {
	switch name {
	case "first_name":
		b.FirstName = &value
	case "last_name":
		b.LastName = &value
	case "orcid":
		b.ORCID = &value
	case "job_title":
		b.JobTitle = &value
	case "location":
		b.Location = &value
	case "bio":
		b.Bio = &value
	case "facebook":
		b.Facebook = &value
	case "x":
		b.X = &value
	case "linkedin":
		b.LinkedIn = &value
	case "personal_profiles":
		links := []record.ProfileLinkIn{}
		for line := range strings.Lines(value) {
			address, label, _ := strings.Cut(strings.TrimSpace(line), " ")
			if label = strings.TrimSpace(label); address != "" {
				links = append(links, record.ProfileLinkIn{Label: &label, URL: &address})
			}
		}
		b.Links = &links
	}
}

// Profile takes the form, or removes the picture.
func (s *Pages) Profile(c *endpoint.Call) (endpoint.Reply, error) {
	if c.Field("do") == "remove-picture" {
		_, err := s.api.Change(c, nil, "", nil, people.ProfilePictureRemove)
		return endpoint.Reply{Status: http.StatusSeeOther, Location: pathToProfile + "?saved=1"}, err
	}
	p, err := s.api.Profile(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	w := &site.WordsOf(c).Profile
	was, kept := written(p), func(name string) bool { return slices.Contains(c.Fields("theirs"), name) }
	is, wrong := map[string]string{"language": c.Field("language")}, map[string]string{}
	if kept("language") {
		is["language"] = was["language"]
	}
	all := &record.ProfileBody{}
	for _, name := range profileFields {
		value := strings.TrimSpace(strings.ReplaceAll(c.Field(name), "\r\n", "\n"))
		if kept(name) {
			value = was[name]
		}
		is[name] = value
		var one record.ProfileBody
		say(&one, name, value)
		say(all, name, value)
		if err := one.Check(); err != nil || strings.ContainsFunc(value, site.Unshown) {
			wrong[name] = w.Wrong[name]
		}
	}
	if is["language"] != "" && site.WordsIn(is["language"]) == nil {
		wrong["language"] = w.Wrong["language"]
	}
	var muted []string
	for _, kind := range record.Mutable {
		if !slices.Contains(c.Fields("mails"), kind) {
			muted = append(muted, kind)
		}
	}
	if !s.api.Mails() || kept("mails") { // the form may have none to choose
		muted = []string{p.Account.Muted}
	}
	mute := strings.Join(muted, ",")
	if c.Field("tag") != profileTag(p) {
		return s.profileStale(c, site.StaleStatus(c), p, is, mute)
	}
	if len(wrong) > 0 {
		p.Account.Muted = mute
		return s.profilePage(c, http.StatusUnprocessableEntity, p, is, wrong, "")
	}
	same := func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) { // a profile has no entity tag
		now, err := people.ReadProfile(c, tx)
		if err == nil && profileTag(now) != c.Field("tag") {
			err = record.ErrStale
		}
		return endpoint.Reply{}, err
	}
	update := func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
		return s.api.ProfileUpdate(c.Unasked(), tx, all)
	}
	_, err = s.api.Change(c, nil, "", nil, same, update, people.ProfileSettings(is["language"], mute))
	if errors.Is(err, record.ErrStale) {
		if p, err = s.api.Profile(c); err != nil {
			return endpoint.Reply{}, err
		}
		return s.profileStale(c, http.StatusPreconditionFailed, p, is, mute)
	}
	p.Account.Muted = mute
	if refused := site.Refusal(err); refused != nil && refused.Class == record.Invalid {
		return s.profilePage(c, http.StatusUnprocessableEntity, p, is, map[string]string{"last_name": w.Wrong["last_name"]}, "")
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	r := endpoint.Reply{Status: http.StatusSeeOther, Location: pathToProfile + "?saved=1"}
	if is["language"] != "" {
		r.Location += "&lang=" + is["language"] // which the browser keeps then
	} else {
		r.Header = http.Header{"Set-Cookie": {site.KeepLanguage(c, "")}}
	}
	return r, nil
}

// profileStale shows the form as it was written, with what was saved meanwhile below what differs.
func (s *Pages) profileStale(c *endpoint.Call, status int, p people.Profile, is map[string]string, mute string) (endpoint.Reply, error) {
	saved := *p.Account
	return s.profileForm(c, status, p, is, mute, nil, "", &saved)
}

// ProfilePicture takes the form of the picture.
func (s *Pages) ProfilePicture(c *endpoint.Call) (endpoint.Reply, error) {
	_, err := s.api.PictureForm(c)
	if refused := site.Refusal(err); refused != nil && (refused.Class == record.Unreadable || refused.Class == record.Invalid || refused.Class == record.TooLarge) {
		p, failed := s.api.Profile(c)
		if failed != nil {
			return endpoint.Reply{}, failed
		}
		words := site.WordsOf(c).Profile.PictureWrong
		return s.profilePage(c, http.StatusUnprocessableEntity, p, written(p), nil, words)
	}
	return endpoint.Reply{Status: http.StatusSeeOther, Location: pathToProfile + "?saved=1"}, err
}

func (s *Pages) profilePage(c *endpoint.Call, status int, p people.Profile, is, wrong map[string]string, picture string) (endpoint.Reply, error) {
	return s.profileForm(c, status, p, is, p.Account.Muted, wrong, picture, nil)
}

// profileForm shows the form. saved is the account as it is where another window has saved it meanwhile, nil otherwise.
func (s *Pages) profileForm(c *endpoint.Call, status int, p people.Profile, is map[string]string, mute string, wrong map[string]string, picture string, saved *record.Account) (endpoint.Reply, error) {
	f := s.site.Frame(c)
	w := &f.Profile
	f.Title = w.Title
	v := profile{Frame: f, Email: p.Account.Email, PictureError: picture, Tag: profileTag(p)}
	if status == http.StatusUnprocessableEntity && saved == nil && c.Written("tag") { // a mistake is not a look at what is saved
		v.Tag = c.Field("tag")
	}
	shown := *p.Account
	shown.Muted = mute
	if p.Picture {
		v.Picture = fmt.Sprintf("/v2/profiles/%d/picture", p.Person.ID)
	}
	for _, name := range profileFields {
		k := site.Control{Name: name, Kind: "line", Label: w.Fields[name], Help: w.Help[name], Value: is[name], Most: 255, Error: wrong[name]}
		switch name {
		case "facebook", "x", "linkedin":
			k.Most = 2000
		case "bio":
			k.Kind, k.Rows = "area", 6
		case "personal_profiles":
			k.Kind, k.Rows = "area", 3
		}
		v.Controls = append(v.Controls, k)
	}
	language := site.Control{Name: "language", Kind: "select", Label: w.Fields["language"], Help: w.Help["language"], Error: wrong["language"], Options: []site.Option{{Words: w.AsBrowser, Chosen: is["language"] == ""}}}
	for _, code := range words.Languages {
		language.Options = append(language.Options, site.Option{Value: code, Words: site.WordsIn(code).Name, Chosen: is["language"] == code})
	}
	v.Controls = append(v.Controls, language)
	if s.api.Mails() {
		mails := site.Control{Name: "mails", Kind: "checks", Label: w.Mails, Help: w.MailsHelp}
		for _, kind := range record.Mutable {
			mails.Options = append(mails.Options, site.Option{Value: kind, Words: w.Notices[kind], Chosen: shown.Wants(kind)})
		}
		v.Controls = append(v.Controls, mails)
	}
	if saved != nil {
		v.Said = f.Edit.Stale
		v.beside(written(p), saved, is, mute)
	}
	for _, k := range v.Controls {
		if k.Error != "" {
			v.Fields = append(v.Fields, site.Field{Name: k.Name, Error: k.Error})
		}
	}
	if picture != "" {
		v.Fields = append(v.Fields, site.Field{Name: "profile_picture", Error: picture})
	}
	if site.Asked(c, "saved") != "" && status == http.StatusOK {
		v.Done = w.Saved
	}
	f.Main = v
	return s.formPage(c, "profile", status, f)
}

// beside says at each field that differs what is saved in it.
func (v *profile) beside(saved map[string]string, account *record.Account, is map[string]string, mute string) {
	for i := range v.Controls {
		k := &v.Controls[i]
		theirs, differs := saved[k.Name], saved[k.Name] != is[k.Name]
		switch k.Name {
		case "language":
			theirs = v.Profile.AsBrowser
			if w := site.WordsIn(saved["language"]); w != nil {
				theirs = w.Name
			}
		case "mails":
			var sent []string
			for _, kind := range record.Mutable {
				if account.Wants(kind) {
					sent = append(sent, v.Profile.Notices[kind])
				}
			}
			theirs, differs = strings.Join(sent, ", "), account.Muted != mute
		}
		if differs {
			k.Theirs, k.Take, k.TheirsKey = strings.Replace(v.Edit.TheirValue, "%s", cmp.Or(theirs, v.Edit.Nothing), 1), v.Edit.TakeTheirs, k.Name
		}
	}
}

// ProfileExport sends everything that the repository has of the person.
func (s *Pages) ProfileExport(c *endpoint.Call) (endpoint.Reply, error) {
	w := site.WordsOf(c)
	return s.api.ProfileExport(c, func(files []export.File) ([]byte, error) {
		var b bytes.Buffer
		v := exportIndex{Language: site.LanguageOf(c), Title: fmt.Sprintf(w.Profile.ExportTitle, site.NameOf(c.Person()), s.site.Name()), Text: w.Profile.ExportText, At: s.api.DB.Time().UTC().Format("2006-01-02 15:04 UTC")}
		for _, f := range files {
			v.Files = append(v.Files, exportFile{f.Name + ".json", w.Profile.Exported[f.Name], w.Number(f.Count)})
		}
		err := exportPage.Execute(&b, v)
		return b.Bytes(), err
	})
}

type exportIndex struct {
	Language, Title, Text, At string
	Files                     []exportFile
}

type exportFile struct{ Name, About, Count string }

// exportPage is read from a disk, without this server: it needs nothing beside itself.
var exportPage = template.Must(template.New("export").Parse(`<!DOCTYPE html>
<html lang="{{.Language}}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{.Title}}</title></head>
<body><h1>{{.Title}}</h1>
<p>{{.Text}}</p>
<p>{{.At}}</p>
<ul>
{{range .Files}}<li><a href="{{.Name}}">{{.Name}}</a>: {{.About}} ({{.Count}})</li>
{{end}}</ul>
</body></html>
`))
