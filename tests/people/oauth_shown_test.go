package people

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"alcove/handlers/endpoint"
	"alcove/tests/routes"
	"alcove/tests/world"
)

// capabilityForm matches everything in an answer that may be a secret: tokens, UUIDs, runs of hex digits, base64.
var capabilityForm = regexp.MustCompile(`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[A-Za-z0-9_-]{20,}`)

// A token that may read finds nothing to write with: an application with the scope read fetches every private address, takes
// whatever looks like a secret from the answers, and tries to change something with it.
func TestScopeBoundsWhatIsShown(t *testing.T) {
	t.Parallel()
	z := newOAuth(t)
	s := z.Server
	of := map[string]world.Client{}
	for _, scope := range []string{"read", "upload", "all"} {
		access, _ := tokens(t, z.web.exchanges(s, z.web.allows(t, z.person, "scope", scope)))
		of[scope] = world.Client{Server: s, Token: access}
	}
	owner := of["all"]
	article := owner.Article(`{"title": "Three scopes", "authors": [{"name": "Ada Lovelace"}]}`)
	file, upload := owner.Begin(article, "open.bin", []byte("hello"))
	articleLink := owner.Link(article, "")
	collection := owner.NewCollection("Collected")
	link := owner.Link(collection, `{"read_only": false}`)
	project := owner.Project("A project")
	inside, own := owner.InProject(project, `{"title": "In the project"}`)
	owner.Begin(own, "inside.bin", []byte("hello"))

	last := func(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
	read := func(who world.Client) (found []string) {
		for _, r := range routes.All() {
			if r.Method != "GET" || r.Access != endpoint.Account && r.Access != endpoint.Either {
				continue
			}
			ids := map[string]string{":id": last(article), ":file_id": last(file), ":link_id": articleLink}
			if strings.Contains(r.Path, "/collections") {
				ids = map[string]string{":id": last(collection), ":link_id": link}
			}
			if strings.Contains(r.Path, "/projects") {
				ids = map[string]string{":id": last(project), ":article_id": last(inside)}
			}
			path := routes.FillPath(r.Path, ids)
			answer := who.Get(path)
			text := string(answer.Bytes)
			for _, values := range answer.Header {
				text += "\n" + strings.Join(values, "\n")
			}
			text = strings.ReplaceAll(text, path, "") // it was known before
			found = append(found, capabilityForm.FindAllString(text, -1)...)
		}
		slices.Sort(found)
		return slices.Compact(found)
	}
	// writes are the secrets of a list with which something can be changed.
	writes := func(secrets []string) (good []string) {
		for _, secret := range secrets {
			holder := world.Client{Server: s, Token: secret}
			tries := []*world.Reply{
				s.Anon.Send("PUT", "/upload/"+secret+"/1", "hello"), s.Anon.Send("DELETE", "/upload/"+secret+"/1", ""),
				s.Anon.Linked(secret, "PATCH", collection, `{"title": "Changed by a link"}`), s.Anon.Linked(secret, "PATCH", article, `{"title": "Changed by a link"}`),
				holder.Send("PATCH", article, `{"title": "Changed by a token"}`), holder.Send("PATCH", collection, `{"title": "Changed by a token"}`),
				s.Anon.Send("POST", "/one-time/"+secret, ""), s.Anon.Get("/s/"+secret, "Accept", "text/html"),
			}
			if slices.ContainsFunc(tries, func(r *world.Reply) bool { return r.StatusCode < 400 }) {
				good = append(good, secret)
			}
		}
		return good
	}
	token := last(upload)
	if shown := read(owner); !slices.Contains(shown, token) || !slices.Contains(shown, link) || !slices.Contains(shown, articleLink) {
		t.Errorf("the scope all is not shown the upload and the links: %v", shown)
	}
	if shown := read(of["upload"]); !slices.Contains(shown, token) || slices.Contains(shown, link) || slices.Contains(shown, articleLink) {
		t.Errorf("the scope upload is not shown the upload alone: %v", shown)
	}
	if good := writes(read(of["read"])); len(good) > 0 {
		t.Errorf("with the scope read these let write: %v", good)
	}
	if good := writes([]string{token, link}); len(good) != 2 {
		t.Errorf("the test finds only %v of an upload and a link", good)
	}

	// The keys are there, and null.
	for path, keys := range map[string][]string{
		file: {"upload_url", "upload_token"}, article + "/private_links/" + articleLink: {"id", "html_location"}, collection + "/private_links/" + link: {"id", "html_location"},
	} {
		o := of["read"].Get(path).Is(200).Object()
		for _, key := range keys {
			if v, there := o[key]; !there || v != nil {
				t.Errorf("%s of %s is %v, %v", key, path, v, there)
			}
		}
	}

	// The page that disconnects applications lists the links they made, also afterwards.
	for range 2 {
		shows(t, z.person.Open(pathApplications).Is(200), "Private links made by applications", fmt.Sprintf(`href="/account/articles/%s/links"`, last(article)), fmt.Sprintf(`href="/account/collections/%s/links"`, last(collection)))
		z.person.Post(pathApplications+"/disconnect", form("application", z.web.id)).Is(303)
	}
}
