package admin

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/handlers/accounts"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/record"
	"alcove/record/catalogue"
	"alcove/site"
)

const settingsPath = root + "/settings"

// Settings has what administrators of the institution choose: licences, types of items, address ranges, the banner.
func (a *Admin) Settings(c *endpoint.Call) (endpoint.Reply, error) {
	return a.settingsPage(c, http.StatusOK, "", nil)
}

func (a *Admin) settingsPage(c *endpoint.Call, status int, what string, mistakes map[string]string) (endpoint.Reply, error) {
	var v *page
	var ranges []*record.AddressRange
	err := a.api.DB.View(func(tx *bucket.Tx) error {
		r, err := a.whole(c, tx)
		if err != nil {
			return err
		}
		v = a.begin(c, r, settingsPath, site.WordsOf(c).Admin.Settings)
		ranges, err = items.AddressRanges(tx)
		return err
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	written := func(of, name, now string) string {
		if of == what {
			return c.Field(name)
		}
		return now
	}
	v.Parts = []part{a.bannerPart(v, written, mistakes), a.licencesPart(v), a.typesPart(v), a.rangesPart(v, ranges, written, mistakes)}
	for _, p := range v.Parts {
		for _, f := range p.Forms {
			for _, k := range f.Controls {
				if k.Error != "" {
					v.Form.Fields = append(v.Form.Fields, site.Field{Name: k.Name, Error: k.Error})
				}
			}
		}
	}
	return a.show(c, status, v)
}

func (a *Admin) bannerPart(v *page, written func(of, name, now string) string, mistakes map[string]string) part {
	w, b := &v.Admin, a.api.Choices().Banner
	until := ""
	if !b.Until.IsZero() {
		until = b.Until.Add(-time.Second).Format(time.DateOnly)
	}
	set := do(settingsPath, "banner", w.Store)
	set.Controls = []site.Control{
		{Name: "en", Kind: "area", Label: w.BannerEnglish, Value: written("banner", "en", b.English), Rows: 2, Error: mistakes["en"]},
		{Name: "de", Kind: "area", Label: w.BannerGerman, Value: written("banner", "de", b.German), Rows: 2, Error: mistakes["de"]},
		{Name: "until", Kind: "line", Input: "date", Label: w.BannerUntil, Help: w.BannerUntilHelp, Value: written("banner", "until", until), Error: mistakes["until"]},
	}
	return part{ID: "banner", Heading: w.Banner, Text: w.BannerText, Forms: []action{set}}
}

func (a *Admin) licencesPart(v *page) part {
	w, chosen := &v.Admin, a.api.Choices()
	all := slices.Concat(catalogue.PublicLicenses(), catalogue.InstitutionLicenses())
	offered := site.Control{Name: "licence", Kind: "checks", Label: w.LicencesOffered}
	for _, l := range all {
		o := site.Option{Value: strconv.FormatInt(l.Value, 10), Words: l.Name, Chosen: chosen.OffersLicence(l.Value)}
		if l.Value == record.DefaultLicense {
			o.Help = w.AlwaysOffered
		}
		offered.Options = append(offered.Options, o)
	}
	set := do(settingsPath, "licences", w.Store)
	set.Controls = []site.Control{offered}
	return part{ID: "licences", Heading: w.Licences, Text: w.LicencesText, Forms: []action{set}}
}

func (a *Admin) typesPart(v *page) part {
	w, chosen := &v.Admin, a.api.Choices()
	offered := site.Control{Name: "type", Kind: "checks", Label: w.TypesOffered}
	for _, t := range catalogue.ItemTypes() {
		o := site.Option{Value: strconv.FormatInt(t.ID, 10), Words: v.Types[t.ID], Chosen: chosen.OffersType(t.ID)}
		if t.ID == record.DefaultType {
			o.Help = w.AlwaysOffered
		}
		offered.Options = append(offered.Options, o)
	}
	set := do(settingsPath, "types", w.Store)
	set.Controls = []site.Control{offered}
	return part{ID: "types", Heading: w.Types, Text: w.TypesText, Forms: []action{set}}
}

func (a *Admin) rangesPart(v *page, ranges []*record.AddressRange, written func(of, name, now string) string, mistakes map[string]string) part {
	w := &v.Admin
	t := &table{Caption: w.Ranges, Head: []string{w.Name, w.Networks, v.Actions}, None: w.NoRanges}
	for _, r := range ranges {
		var networks []string
		for _, n := range r.Networks {
			networks = append(networks, n.String())
		}
		remove := do(settingsPath, "remove_range", w.Remove)
		remove.Hidden, remove.Named = []hidden{{"range", strconv.FormatInt(r.ID, 10)}}, w.Remove+": "+r.Name
		t.Rows = append(t.Rows, []cell{{Text: r.Name}, {Text: strings.Join(networks, ", "), Label: w.Networks}, {Form: &remove}})
	}
	add := do(settingsPath, "add_range", w.AddRange)
	add.Controls = []site.Control{
		{Name: "range_name", Kind: "line", Label: w.Name, Value: written("add_range", "range_name", ""), Most: 255},
		{Name: "networks", Kind: "line", Label: w.Networks, Help: w.NetworksHelp, Value: written("add_range", "networks", ""), Most: 2000, Error: mistakes["networks"]},
	}
	return part{ID: "ranges", Heading: w.Ranges, Text: w.RangesText, Table: t, Forms: []action{add}}
}

// mostRanges bounds the address ranges that are made in the browser.
const mostRanges = 200

// ChangeSettings stores what a form of the page says.
func (a *Admin) ChangeSettings(c *endpoint.Call) (endpoint.Reply, error) {
	if err := a.wholeOnly(c); err != nil {
		return endpoint.Reply{}, err
	}
	what, w := c.Field("do"), &site.WordsOf(c).Admin
	var step endpoint.Step
	mistakes := map[string]string{}
	switch what {
	case "banner":
		b := record.Banner{English: strings.TrimSpace(c.Field("en")), German: strings.TrimSpace(c.Field("de"))}
		for name, text := range map[string]string{"en": b.English, "de": b.German} {
			if len([]rune(text)) > record.MaxBanner || strings.ContainsFunc(text, site.Unshown) {
				mistakes[name] = fmt.Sprintf(w.BannerLong, strconv.Itoa(record.MaxBanner))
			}
		}
		if until := strings.TrimSpace(c.Field("until")); until != "" {
			day, err := time.Parse(time.DateOnly, until)
			if b.Until = day.AddDate(0, 0, 1); err != nil || day.Year() > 9000 {
				mistakes["until"] = w.DateBad
			}
		}
		step = a.api.Choose(func(o *record.Choices) { o.Banner = b })
	case "licences":
		var off []int64
		for _, l := range slices.Concat(catalogue.PublicLicenses(), catalogue.InstitutionLicenses()) {
			if l.Value != record.DefaultLicense && !slices.Contains(c.Fields("licence"), strconv.FormatInt(l.Value, 10)) {
				off = append(off, l.Value)
			}
		}
		step = a.api.Choose(func(o *record.Choices) { o.LicencesOff = off })
	case "types":
		var off []int64
		for _, t := range catalogue.ItemTypes() {
			if t.ID != record.DefaultType && !slices.Contains(c.Fields("type"), strconv.FormatInt(t.ID, 10)) {
				off = append(off, t.ID)
			}
		}
		step = a.api.Choose(func(o *record.Choices) { o.TypesOff = off })
	case "add_range":
		r, err := accounts.NewRange(strings.TrimSpace(c.Field("range_name")), c.Field("networks"))
		if err != nil {
			mistakes["networks"] = w.RangeBad
		}
		step = func(_ *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
			all, err := items.AddressRanges(tx)
			if err == nil && len(all) >= mostRanges {
				err = record.Wrong("range", "is one too many")
			}
			if err != nil {
				return endpoint.Reply{}, err
			}
			return endpoint.Reply{}, accounts.AddRange(tx, r)
		}
	case "remove_range":
		step = func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
			if !users.AddressRanges.Has(tx, id(c.Field("range"))) {
				return endpoint.Reply{}, record.ErrNotFound
			}
			return endpoint.Reply{}, accounts.RemoveRange(tx, id(c.Field("range")))
		}
	default:
		return endpoint.Reply{}, record.Wrong("do", "is not known")
	}
	if len(mistakes) > 0 {
		return a.settingsPage(c, http.StatusUnprocessableEntity, what, mistakes)
	}
	guarded := func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
		if _, err := a.whole(c, tx); err != nil {
			return endpoint.Reply{}, err
		}
		return step(c, tx)
	}
	if _, err := a.api.Change(c, nil, "", nil, guarded); err != nil {
		return endpoint.Reply{}, err
	}
	return site.Onward(settingsPath + "?done=" + what), nil
}
