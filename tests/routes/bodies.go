package routes

import "testing"

// WithForm are the forms of pages of an item, each with a good one; those of other pages are tried without.
var WithForm = map[string]string{
	"POST /account/reviews/:review_id":        "type=comment&text=Good",
	"POST /account/reviews/:review_id/assign": "do=take",
	"POST /account/articles/:id/edit":         "do=rows&title=Written",
	"POST /account/collections/:id/edit":      "do=rows&title=Written",
}

// WithJSON are the routes with a JSON body: one that is good, and one that is JSON with
// a value of the wrong type. A route that takes none is in NoJSON.
var WithJSON = map[string]struct{ Good, Wrong string }{
	"POST /v2/account/authors/search":                        {`{}`, `{"is_active": 1}`},
	"PUT /v2/account/profile":                                {`{"job_title": "Limnologist"}`, `{"job_title": 7}`},
	"POST /v2/account/funding/search":                        {`{}`, `{"search_for": 7}`},
	"POST /v2/account/institution/accounts":                  {`{"email": "fresh@example.org", "last_name": "New"}`, `{"email": 7}`},
	"POST /v2/account/institution/accounts/search":           {`{}`, `{"is_active": true}`},
	"PUT /v2/account/institution/accounts/:account_id":       {`{"is_active": true}`, `{"is_active": 1}`},
	"POST /v2/account/institution/roles/:account_id":         {`{"1": [2]}`, `{"1": "2"}`},
	"POST /v2/articles/search":                               {`{}`, `{"page": "x"}`},
	"POST /v2/account/articles/search":                       {`{}`, `{"page": "x"}`},
	"POST /v2/account/collections/search":                    {`{}`, `{"page": "x"}`},
	"POST /v2/collections/search":                            {`{}`, `{"page": "x"}`},
	"POST /v2/account/articles":                              {`{"title": "A title"}`, `{"title": 7}`},
	"PUT /v2/account/articles/:id":                           {`{"title": "A title"}`, `{"title": ["x"]}`},
	"PATCH /v2/account/articles/:id":                         {`{}`, `{"tags": "x"}`},
	"POST /v2/account/articles/:id/authors":                  {`{"authors": [{"name": "A Name"}]}`, `{"authors": [7]}`},
	"PUT /v2/account/articles/:id/authors":                   {`{"authors": [{"name": "A Name"}]}`, `{"authors": {}}`},
	"POST /v2/account/articles/:id/categories":               {`{"categories": [37]}`, `{"categories": ["37"]}`},
	"PUT /v2/account/articles/:id/categories":                {`{"categories": [37]}`, `{"categories": [37.0]}`},
	"PUT /v2/account/articles/:id/embargo":                   {`{"is_embargoed": true, "embargo_type": "file", "embargo_date": "0"}`, `{"is_embargoed": "true"}`},
	"PUT /v2/account/articles/:id/confidentiality":           {`{"reason": "Private"}`, `{"reason": 7}`},
	"POST /v2/account/articles/:id/unpublish":                {`{"reason": "Withdrawn"}`, `{"reason": 7}`},
	"POST /v2/account/collections/:id/unpublish":             {`{"reason": "Withdrawn"}`, `{"reason": 7}`},
	"POST /v2/account/projects/:id/unpublish":                {`{"reason": "Withdrawn"}`, `{"reason": 7}`},
	"POST /v2/account/articles/:id/resource":                 {`{"version": 1}`, `{"version": "1"}`},
	"PUT /v2/account/articles/:id/versions/:version_id":      {`{"title": "A title"}`, `{"title": 7}`},
	"PATCH /v2/account/articles/:id/versions/:version_id":    {`{}`, `{"tags": "x"}`},
	"POST /v2/account/articles/:id/private_links":            {`{"expires_date": "2099-01-02"}`, `{"expires_date": 7}`},
	"PUT /v2/account/articles/:id/private_links/:link_id":    {`{}`, `{"expires_date": 7}`},
	"POST /v2/account/collections/:id/resource":              {`{"version": 1}`, `{"version": "1"}`},
	"POST /v2/account/collections/:id/private_links":         {`{"read_only": false}`, `{"read_only": 7}`},
	"PUT /v2/account/collections/:id/private_links/:link_id": {`{}`, `{"read_only": 7}`},
	"POST /v2/account/collections":                           {`{"title": "A title"}`, `{"title": 7}`},
	"PUT /v2/account/collections/:id":                        {`{"title": "A title"}`, `{"title": 7}`},
	"PATCH /v2/account/collections/:id":                      {`{}`, `{"articles": ["x"]}`},
	"POST /v2/account/collections/:id/authors":               {`{"authors": [{"name": "A Name"}]}`, `{"authors": [7]}`},
	"PUT /v2/account/collections/:id/authors":                {`{"authors": [{"name": "A Name"}]}`, `{"authors": {}}`},
	"POST /v2/account/collections/:id/categories":            {`{"categories": [37]}`, `{"categories": ["37"]}`},
	"PUT /v2/account/collections/:id/categories":             {`{"categories": [37]}`, `{"categories": [37.0]}`},
	"POST /v2/account/collections/:id/articles":              {`{"articles": []}`, `{"articles": [true]}`},
	"PUT /v2/account/collections/:id/articles":               {`{"articles": []}`, `{"articles": {}}`},
	"POST /v2/account/articles/:id/files":                    {`{"link": "https://example.org"}`, `{"name": "a", "size": "1"}`},

	"POST /v2/account/institution/review/:review_id/comments": {`{"text": "A word"}`, `{"text": 7}`},

	"POST /stats/count/articles":                  {`{"groups": [{"id": 1}]}`, `{"groups": 1}`},
	"POST /v2/projects/search":                    {`{}`, `{"page": "x"}`},
	"POST /v2/account/projects/search":            {`{}`, `{"status": "1"}`},
	"POST /v2/account/projects":                   {`{"title": "A title"}`, `{"title": 7}`},
	"PUT /v2/account/projects/:id":                {`{"title": "A title"}`, `{"title": ["x"]}`},
	"PATCH /v2/account/projects/:id":              {`{}`, `{"funding": 7}`},
	"POST /v2/account/projects/:id/articles":      {`{"title": "A title"}`, `{"title": 7}`},
	"POST /v2/account/projects/:id/collaborators": {`{"email": "x@example.org", "role_name": "viewer"}`, `{"role_name": 7}`},
	"POST /v2/account/projects/:id/notes":         {`{"text": "A text"}`, `{"text": 7}`},
	"PUT /v2/account/projects/:id/notes/:note_id": {`{"text": "A text"}`, `{"text": []}`},

	"PUT /v2/account/articles/:id/versions/:version_id/update_thumb": {`{"file_id": 3}`, `{"file_id": "3"}`}, // the picture of the stage
}

var NoJSON = map[string]bool{
	"POST /v2/account/articles/:id/reserve_doi":                                true,
	"POST /v2/account/articles/:id/reserve_handle":                             true,
	"POST /v2/account/collections/:id/reserve_doi":                             true,
	"POST /v2/account/collections/:id/reserve_handle":                          true,
	"POST /v2/account/projects/:id/publish":                                    true,
	"POST /v2/account/projects/:id/leave":                                      true,
	"POST /v2/account/collections/:id/publish":                                 true,
	"POST /v2/account/articles/:id/publish":                                    true,
	"POST /v2/account/articles/:id/files/:file_id":                             true,
	"PUT /upload/:token/:part":                                                 true,
	"POST /v2/institution/hrfeed/upload":                                       true, // a form
	"POST /v2/account/institution/custom_fields/:custom_field_id/items/upload": true,
	"POST /v2/account/profile/:user_id/picture":                                true,
	"POST /v2/account/articles/export":                                         true,
	"POST /v2/token":                                                           true, // a form, or JSON with refusals of its own
	"POST /v2/oai":                                                             true, // a form
	"POST /v2/token/revoke":                                                    true,
}

// EachJSON calls fn for every route with a JSON body, and fails when the tables above
// forget one.
func EachJSON(t *testing.T, fn func(r route, name, good, wrong string)) {
	t.Helper()
	for _, r := range All() {
		name := r.Method + " " + r.Path
		b, ok := WithJSON[name]
		if ok {
			fn(r, name, b.Good, b.Wrong)
		} else if (r.Method == "POST" || r.Method == "PUT" || r.Method == "PATCH") && !NoJSON[name] && !r.About.IsPage() {
			t.Errorf("%s is in no table of this test", name)
		}
	}
}
