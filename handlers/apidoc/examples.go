package apidoc

// examples are a body of each operation that takes one, as a client could send it. Ids in them
// stand for those of the reader's own repository.
var examples = map[string]string{
	"POST /v2/articles/search":    `{"search_for": ":title: lake AND :tag: limnology", "order": "published_date", "order_direction": "desc", "page": 1, "page_size": 20}`,
	"POST /v2/projects/search":    `{"search_for": "lake", "page_size": 20}`,
	"POST /v2/collections/search": `{"search_for": "lake", "published_since": "2024-01-01", "limit": 50, "offset": 0}`,

	"POST /stats/count/articles": `{"groups": [{"id": 1}, {"id": 2}]}`,

	"POST /v2/token":        `{"grant_type": "authorization_code", "client_id": "4f0d0c2f6f1d4a52", "code": "Zm9y", "redirect_uri": "https://app.example.org/back", "code_verifier": "Y29kZSB2ZXJpZmllcg"}`,
	"POST /v2/token/revoke": `{"client_id": "4f0d0c2f6f1d4a52", "token": "alr_Zm9y"}`,

	"POST /v2/account/articles/search": `{"search_for": "lake", "item_type": 3}`,
	"POST /v2/account/articles":        exampleArticle,
	"PUT /v2/account/articles/:id":     exampleArticle,
	"PATCH /v2/account/articles/:id":   `{"tags": ["limnology", "temperature"], "license": 1}`,

	"POST /v2/account/articles/:id/authors":                          exampleAuthors,
	"PUT /v2/account/articles/:id/authors":                           exampleAuthors,
	"POST /v2/account/articles/:id/categories":                       exampleCategories,
	"PUT /v2/account/articles/:id/categories":                        exampleCategories,
	"POST /v2/account/articles/:id/files":                            `{"name": "temperatures.csv", "size": 2048, "md5": "9e107d9d372bb6826bd81d3542a419d6", "folder_path": "data/2024"}`,
	"PUT /v2/account/articles/:id/confidentiality":                   `{"reason": "Holds names of people"}`,
	"POST /v2/account/articles/:id/private_links":                    `{"expires_date": "2099-12-31"}`,
	"PUT /v2/account/articles/:id/private_links/:link_id":            `{"expires_date": "2099-12-31T12:00:00"}`,
	"PUT /v2/account/articles/:id/embargo":                           `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2099-12-31", "embargo_title": "Until the paper is out", "embargo_reason": "Under review"}`,
	"POST /v2/account/articles/:id/resource":                         exampleResource,
	"POST /v2/account/articles/:id/unpublish":                        exampleReason,
	"PUT /v2/account/articles/:id/versions/:version_id":              `{"title": "Temperatures of a lake", "description": "<p>Hourly, at four depths. The unit is kelvin.</p>"}`,
	"PATCH /v2/account/articles/:id/versions/:version_id":            `{"description": "<p>Hourly, at four depths. The unit is kelvin.</p>"}`,
	"PUT /v2/account/articles/:id/versions/:version_id/update_thumb": `{"file_id": 3}`,

	"POST /v2/account/projects":                   exampleProject,
	"PUT /v2/account/projects/:id":                exampleProject,
	"PATCH /v2/account/projects/:id":              `{"description": "All that was measured in the lake"}`,
	"POST /v2/account/projects/search":            `{"search_for": "lake", "storage": "individual", "roles": "owner"}`,
	"POST /v2/account/projects/:id/articles":      `{"title": "Temperatures of a lake", "defined_type": "dataset"}`,
	"POST /v2/account/projects/:id/collaborators": `{"role_name": "viewer", "email": "guest@example.org", "comment": "Have a look"}`,
	"POST /v2/account/projects/:id/notes":         exampleNote,
	"PUT /v2/account/projects/:id/notes/:note_id": exampleNote,
	"POST /v2/account/projects/:id/unpublish":     exampleReason,

	"POST /v2/account/collections/search":                    `{"search_for": "lake"}`,
	"POST /v2/account/collections":                           exampleCollection,
	"PUT /v2/account/collections/:id":                        exampleCollection,
	"PATCH /v2/account/collections/:id":                      `{"tags": ["limnology"]}`,
	"POST /v2/account/collections/:id/authors":               exampleAuthors,
	"PUT /v2/account/collections/:id/authors":                exampleAuthors,
	"POST /v2/account/collections/:id/categories":            exampleCategories,
	"PUT /v2/account/collections/:id/categories":             exampleCategories,
	"POST /v2/account/collections/:id/articles":              exampleMembers,
	"PUT /v2/account/collections/:id/articles":               exampleMembers,
	"POST /v2/account/collections/:id/private_links":         `{"expires_date": "2099-12-31", "read_only": true}`,
	"PUT /v2/account/collections/:id/private_links/:link_id": `{"read_only": false}`,
	"POST /v2/account/collections/:id/resource":              exampleResource,
	"POST /v2/account/collections/:id/unpublish":             exampleReason,

	"POST /v2/account/institution/accounts":                   `{"email": "grace@example.org", "first_name": "Grace", "last_name": "Hopper", "group_id": 1, "institution_user_id": "gh1906", "quota": 10000000000, "is_active": true}`,
	"POST /v2/account/institution/accounts/search":            `{"search_for": "Hopper", "is_active": 1}`,
	"PUT /v2/account/institution/accounts/:account_id":        `{"group_id": 1, "is_active": true}`,
	"POST /v2/account/institution/roles/:account_id":          `{"1": [2]}`,
	"POST /v2/account/institution/review/:review_id/comments": `{"text": "Please say in which unit the temperatures are", "type": "comment"}`,

	"PUT /v2/account/profile":         `{"first_name": "Grace", "last_name": "Hopper", "orcid": "0000-0002-1825-0097", "job_title": "Limnologist", "location": "Lund", "bio": "Measures lakes.", "fields_of_interest": [37], "personal_profiles": [{"label": "Group", "url": "https://lakes.example.org/hopper"}]}`,
	"POST /v2/account/authors/search": `{"search_for": "Hopper"}`,
	"POST /v2/account/funding/search": `{"search_for": "lake"}`,
}

const (
	exampleArticle = `{
  "title": "Temperatures of a lake",
  "description": "<p>Hourly, at four depths.</p>",
  "defined_type": "dataset",
  "authors": [{"name": "Grace Hopper"}, {"first_name": "Ada", "last_name": "Lovelace", "orcid_id": "0000-0002-1825-0097"}],
  "categories": [37],
  "tags": ["limnology", "temperature"],
  "license": 1,
  "related_materials": [{"identifier": "10.1234/lake", "identifier_type": "DOI", "relation": "IsSupplementTo", "title": "The paper"}],
  "funding_list": [{"title": "Grant 12 of the Pond Foundation"}],
  "timeline": {"firstOnline": "2024-05-01"}
}`
	exampleCollection = `{
  "title": "Lakes of the north",
  "description": "<p>Ten years of measurements.</p>",
  "authors": [{"name": "Grace Hopper"}],
  "categories": [37],
  "tags": ["limnology"],
  "articles": [2]
}`
	exampleProject    = `{"title": "Lakes of the north", "description": "What was measured", "funding_list": [{"title": "Grant 12 of the Pond Foundation"}]}`
	exampleAuthors    = `{"authors": [{"name": "Hopper, Grace"}, {"first_name": "Ada", "last_name": "Lovelace"}, {"name": "Pond Watch", "kind": "organisation"}]}`
	exampleCategories = `{"categories": [37]}`
	exampleMembers    = `{"articles": [2]}`
	exampleNote       = `{"text": "The thermometer at 10 m was changed in May."}`
	exampleReason     = `{"reason": "Replaced by a corrected data set"}`
	exampleResource   = `{"id": "paper-7", "title": "Warm water", "doi": "10.1234/lake", "link": "https://doi.org/10.1234/lake", "status": "published", "version": 1}`
)
