package own

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"alcove/record"
	"alcove/record/catalogue"
	"alcove/site"
	"alcove/site/words"
)

// controls are the single fields of the form.
func (v *editing) controls(a *articleForm, d *draft, admin bool) {
	w := &v.Edit
	v.About = []site.Control{
		{Name: "title", Kind: "line", Label: v.FieldTitle, Value: d.Title, Most: 10_000, Key: "title", As: "text"},
		{Name: "description", Kind: "area", Label: w.Description, Help: w.DescriptionHelp, Value: d.Description, Rows: 10, Key: "description", As: "text"},
	}
	v.Sorts = []site.Control{{Name: "tags", Kind: "area", Label: v.Keywords, Help: w.LineEach, Value: strings.Join(d.Tags, "\n"), Rows: 4, Key: "tags", As: "lines"}}
	v.Links = []site.Control{{Name: "funding_list", Kind: "area", Label: w.Grants, Help: w.GrantsHelp, Value: strings.Join(d.Grants, "\n"), Rows: 3, Key: "funding_list", As: "titles"}}
	v.Custom = fieldControls(v.Words, d.Custom)
	v.groups(a, d, admin)
	v.Dates = []site.Control{
		{Name: "first_online", Kind: "line", Input: "date", Label: w.FirstOnline, Value: d.FirstOnline, Key: "firstOnline", As: "part"},
		{Name: "publication", Kind: "line", Input: "date", Label: w.PublicationDate, Value: d.Publication, Key: "publisherPublication", As: "part"},
		{Name: "acceptance", Kind: "line", Input: "date", Label: w.AcceptanceDate, Value: d.Acceptance, Key: "publisherAcceptance", As: "part"},
	}
	if v.Article {
		v.ofArticle(a, d, admin)
	}
}

// ofArticle are the fields that collections do not have.
func (v *editing) ofArticle(a *articleForm, d *draft, admin bool) {
	w := &v.Edit
	types := site.Control{Name: "defined_type", Kind: "select", Label: v.Words.Type, Key: "defined_type", As: "text"}
	for _, t := range catalogue.ItemTypes() {
		if t.Name != d.Type && !a.choices.offersType(t.ID) {
			continue
		}
		types.Options = append(types.Options, site.Option{Value: t.Name, Words: site.Capital(v.Types[t.ID]), Chosen: t.Name == d.Type})
	}
	v.About = append(v.About, types)
	licences := site.Control{Name: "license", Kind: "radio", Label: v.License, Key: "license", As: "number"}
	kept, _ := strconv.ParseInt(d.License, 10, 64)
	for _, l := range a.choices.withLicence(kept) {
		value := strconv.FormatInt(l.Value, 10)
		licences.Options = append(licences.Options, site.Option{Value: value, Words: l.Name, Help: w.Licences[l.Value], Chosen: value == d.License})
	}
	v.Sorts = append(v.Sorts, licences)
	v.Links = append(v.Links, site.Control{Name: "funding", Kind: "line", Label: w.FundingText, Value: d.Funding, Most: 2000, Key: "funding", As: "text"})
	title, doi := site.Control{Name: "resource_title", Kind: "line", Label: w.ResourceTitle, Value: d.ResourceTitle, Most: 1000}, site.Control{Name: "resource_doi", Kind: "line", Label: w.ResourceDOI, Help: w.ResourceHelp, Value: d.ResourceDOI, Most: 255}
	if admin {
		title.Key, title.As, doi.Key, doi.As = "resource_title", "text", "resource_doi", "text"
	}
	v.Links = append(v.Links, doi, title)
	v.Terms = append([]site.Control{
		{Name: "is_metadata_record", Kind: "check", Label: w.MetadataOnly, Chosen: d.MetadataOnly, Key: "is_metadata_record", As: "flag"},
		{Name: "metadata_reason", Kind: "line", Label: w.MetadataReason, Value: d.MetadataReason, Most: 10_000, Key: "metadata_reason", As: "text"},
		{Name: "download_disabled", Kind: "check", Label: w.DownloadDisabled, Chosen: d.DownloadDisabled, Key: "download_disabled", As: "flag"},
	}, v.Terms...)
	v.embargo(a, d)
}

// groups are the groups that the item may be put into, and for administrators its identifiers.
func (v *editing) groups(a *articleForm, d *draft, admin bool) {
	w := &v.Edit
	if len(a.choices.groups) > 1 || len(a.choices.groups) == 1 && d.Group == "" {
		groups := site.Control{Name: "group_id", Kind: "select", Label: w.Group, Help: w.GroupHelp, Key: "group_id", As: "number"}
		known := false
		for _, g := range a.choices.groups {
			value := strconv.FormatInt(g.ID, 10)
			groups.Options, known = append(groups.Options, site.Option{Value: value, Words: g.Name, Chosen: value == d.Group}), known || value == d.Group
		}
		if !known {
			groups.Options = append([]site.Option{{Value: d.Group, Words: w.GroupKeep, Chosen: true}}, groups.Options...)
		}
		v.Terms = append(v.Terms, groups)
	}
	if admin {
		v.Terms = append(v.Terms, site.Control{Name: "doi", Kind: "line", Label: v.Words.DOI, Value: d.DOI, Most: 500, Key: "doi", As: "text"}, site.Control{Name: "handle", Kind: "line", Label: w.Handle, Value: d.Handle, Most: 500, Key: "handle", As: "text"})
	}
}

func (v *editing) embargo(a *articleForm, d *draft) {
	w := &v.Edit
	kinds := site.Control{Name: "embargo_type", Kind: "radio", Label: w.Embargo, Key: "embargo_type", As: "part"}
	for _, k := range []site.Option{{Value: "", Words: w.EmbargoNone}, {Value: "file", Words: w.EmbargoFiles, Help: w.EmbargoFilesHelp}, {Value: "article", Words: w.EmbargoAll, Help: w.EmbargoAllHelp}} {
		k.Chosen = k.Value == d.Embargo.Kind
		kinds.Options = append(kinds.Options, k)
	}
	v.Held = []site.Control{
		kinds,
		{Name: "embargo_date", Kind: "line", Input: "date", Label: w.EmbargoDate, Help: w.EmbargoDateHelp, Value: d.Embargo.Until, Key: "embargo_date", As: "part"},
		{Name: "embargo_title", Kind: "line", Label: w.EmbargoTitle, Value: d.Embargo.Title, Most: 1000, Key: "embargo_title", As: "part"},
		{Name: "embargo_reason", Kind: "area", Label: w.EmbargoReason, Value: d.Embargo.Reason, Rows: 2, Key: "embargo_reason", As: "part"},
	}
	who := site.Control{Name: "embargo_options", Kind: "checks", Label: w.LetIn, Help: w.LetInHelp, Key: "embargo_options", As: "part"}
	for _, o := range a.choices.embargo {
		words := site.Text(o.IPName)
		switch o.Type {
		case "logged_in":
			words = w.LetInSignedIn
		case "administrator":
			words = w.LetInAdministrators
		}
		id := strconv.FormatInt(o.ID, 10)
		who.Options = append(who.Options, site.Option{Value: id, Words: words, Chosen: slices.Contains(d.Embargo.Options, id)})
	}
	v.Held = append(v.Held, who)
}

// rows are the authors and related works of the form, with empty ones behind.
func (v *editing) rows(d *draft, more bool) {
	v.Authors, v.Related = slices.Clone(d.Authors), slices.Clone(d.Related)
	empty := emptyRows
	if more {
		empty += 5
	}
	for range empty {
		v.Authors = append(v.Authors, authorRow{})
		v.Related = append(v.Related, relatedRow{Relation: record.DefaultRelation})
	}
	for i := range v.Authors {
		v.Authors[i].Place, v.Authors[i].Number = i+1, strconv.Itoa(i)
	}
	for i := range v.Related {
		v.Related[i].Place, v.Related[i].Number = i+1, strconv.Itoa(i)
	}
}

// foundCategories is how many categories a search in them shows.
const foundCategories = 40

// categories are those that are chosen, and those that a search has found.
func (v *editing) categories(d *draft, sought string) {
	v.Categories = site.Control{Name: "categories", Kind: "checks", Label: v.Words.Categories, Help: v.Edit.CategoriesHelp, Key: "categories", As: "numbers"}
	v.Sought = sought
	for _, id := range d.Categories {
		n, _ := strconv.ParseInt(id, 10, 64)
		k, ok := catalogue.CategoryByID(n)
		if !ok {
			k.Title = id
		}
		v.Categories.Options = append(v.Categories.Options, site.Option{Value: id, Words: k.Title, Chosen: true})
	}
	if sought == "" {
		return
	}
	words := strings.Fields(strings.ToLower(sought))
	for _, k := range catalogue.Categories() {
		title, id := strings.ToLower(k.Title), strconv.FormatInt(k.ID, 10)
		if slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(title, word) }) || slices.Contains(d.Categories, id) {
			continue
		}
		if v.Found = append(v.Found, site.Option{Value: id, Words: k.Title, Help: above(&v.Edit, k)}); len(v.Found) == foundCategories {
			break
		}
	}
	if len(v.Found) == 0 {
		v.Categories.Error = v.Edit.NoCategory
	}
}

// above names the division that a category is in.
func above(w *words.Edit, k catalogue.Category) string {
	for k.ParentID != 0 {
		parent, ok := catalogue.CategoryByID(k.ParentID)
		if !ok || parent.ParentID == 0 {
			return parent.Title
		}
		k = parent
	}
	return ""
}

// mistakes puts what is wrong, and what was saved meanwhile, to the fields that it is about.
func (v *editing) mistakes(w *site.Words, d *draft, back *formState) {
	said := func(key string) string {
		err := back.wrong[key]
		if err == nil {
			return ""
		}
		if words := w.Edit.Wrong[key]; words != "" {
			return words
		}
		return w.Refused(err)
	}
	theirs := func(key string) string {
		if !slices.Contains(back.both, key) {
			return ""
		}
		if says := back.now.says(key); says != "" {
			return says
		}
		return w.Edit.Nothing
	}
	note := func(list []site.Control, key func(*site.Control) string) {
		for i := range list {
			if k := key(&list[i]); k != "" {
				list[i].Error, list[i].Theirs = cmp.Or(list[i].Error, said(k)), theirs(k)
				list[i].TheirsKey, list[i].Take = k, w.Edit.TakeTheirs
				if list[i].Theirs != "" {
					list[i].Theirs = strings.Replace(w.Edit.TheirValue, "%s", list[i].Theirs, 1)
				}
				if list[i].Error != "" || list[i].Theirs != "" {
					v.Fields = append(v.Fields, site.Field{Name: list[i].Name, Label: list[i].Label, Error: cmp.Or(list[i].Error, list[i].Label+": "+w.Edit.BothChanged)})
				}
			}
		}
	}
	byKey := func(k *site.Control) string { return k.Key }
	first := func(key string) func(*site.Control) string { // the first control stands for all of a key
		return func(k *site.Control) string {
			was := key
			key = ""
			return was
		}
	}
	note(v.About, byKey)
	v.AuthorsError, v.AuthorsTheirs = said(keyAuthors), theirs(keyAuthors)
	if v.AuthorsError != "" || v.AuthorsTheirs != "" {
		v.Fields = append(v.Fields, site.Field{Name: "authors", Error: cmp.Or(v.AuthorsError, w.Authors+": "+w.Edit.BothChanged)})
	}
	one := []site.Control{v.Categories}
	note(one, byKey)
	v.Categories = one[0]
	note(v.Sorts, byKey)
	resource := first(keyResource)
	note(v.Links, func(k *site.Control) string {
		if k.Key == "" {
			return resource(k)
		}
		return k.Key
	})
	v.RelatedError, v.RelatedTheirs = said("related_materials"), theirs("related_materials")
	if v.RelatedError != "" || v.RelatedTheirs != "" {
		v.Fields = append(v.Fields, site.Field{Name: "related", Error: cmp.Or(v.RelatedError, w.Edit.RelatedWorks+": "+w.Edit.BothChanged)})
	}
	note(v.Custom, first(keyFields))
	note(v.Held, first(keyEmbargo))
	note(v.Terms, byKey)
	note(v.Dates, first("timeline"))
}
