package people

import (
	"testing"

	"alcove/tests/world"
)

// The page to try the API shows what a call takes and the line for a shell; the script does the rest.
func TestTryPage(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	b := s.Ada.SignIn()
	shows(t, b.Open("/account").Is(200), `<a href="/account/try">Try the API</a>`)
	shows(t, b.Open("/account/try").Is(200), "<code>/v2/account/articles</code>", `<optgroup label="Own articles">`, "page_size, in the query",
		`curl -H &#34;Authorization: token $TOKEN&#34; &#39;`+s.URL+`/v2/account/articles&#39;`, "/assets/try.js", "/v2/docs#get_account_articles")
	shows(t, b.Open("/account/try?call=put_account_articles_id").Is(200), "id, in the address", "for good", "-X PUT", "Content-Type: application/json",
		"/v2/account/articles/{id}")
	shows(t, b.Open("/account/try?call=post_account_profile_user_id_picture").Is(200), "takes a file", "--data-binary @FILE")
	shows(t, b.Open("/account/try", "Accept-Language", "de").Is(200), "API ausprobieren")
	b.Open("/account/try?call=none").Is(404)
	s.Browser().Open("/account/try").Is(303)
}
