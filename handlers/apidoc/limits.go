package apidoc

import (
	"fmt"
	"maps"

	"alcove/record"
)

// fieldsWithin is aboutFields with how many entries lists may have, as it is configured.
func fieldsWithin(l record.Lists) map[string]Schema {
	all := maps.Clone(aboutFields)
	for _, b := range []struct {
		most int
		keys []string
	}{
		{l.Authors, []string{"record.AuthorsBody.authors", "record.CollectionBody.authors"}},
		{l.References, []string{"record.ArticleBody.references", "record.ProjectArticleBody.references", "record.CollectionBody.references", "record.Extras.related_materials"}},
		{l.Tags, []string{
			"record.ArticleBody.tags", "record.ProjectArticleBody.tags", "record.CollectionBody.tags",
			"record.ArticleBody.keywords", "record.ProjectArticleBody.keywords", "record.CollectionBody.keywords",
		}},
		{l.Funding, []string{"record.Extras.funding_list", "record.ProjectBody.funding_list"}},
		{l.Categories, []string{
			"record.ArticleBody.categories", "record.ProjectArticleBody.categories", "record.CollectionBody.categories",
			"record.CategoriesBody.categories", "record.Extras.categories_by_source_id",
		}},
		{l.CustomValues, []string{
			"record.ArticleBody.custom_fields_list", "record.ProjectArticleBody.custom_fields_list",
			"record.CollectionBody.custom_fields_list", "record.ProjectBody.custom_fields_list",
		}},
	} {
		for _, key := range b.keys {
			about := all[key]
			about.MaxItems = b.most
			all[key] = about
		}
	}
	if l.CustomValues > 0 {
		for _, body := range []string{"ArticleBody", "ProjectArticleBody", "CollectionBody", "ProjectBody"} {
			key := "record." + body + ".custom_fields"
			about := all[key]
			about.Description += fmt.Sprintf("; at most %d values in all", l.CustomValues)
			all[key] = about
		}
	}
	return all
}
