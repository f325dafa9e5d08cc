package routes

import (
	"strings"

	"alcove/handlers"
	"alcove/handlers/endpoint"
)

func All() []route { return routes(&handlers.API{}) }

// AsksForMore reports whether a GET of an address alone is refused: it must be asked for something
// (422), as a browser does, with a link that an operator made or of a repository that is mirrored (404), or by a person who is signed in (401).
func (r route) AsksForMore() bool {
	return strings.HasSuffix(r.Path, "/filter-by") || r.Path == "/s/:token" || r.Path == "/one-time/:token" || strings.HasPrefix(r.Path, "/mirror/") || strings.HasPrefix(r.Path, "/sign-in/with/") || strings.HasPrefix(r.Path, "/sign-in/back/") || r.Access == endpoint.Session
}

func FillPath(pattern string, ids map[string]string) string {
	parts := strings.Split(pattern, "/")
	for i, p := range parts {
		if strings.HasPrefix(p, ":") {
			if parts[i] = ids[p]; parts[i] == "" {
				parts[i] = "1"
			}
		}
	}
	return strings.Join(parts, "/")
}

// PagePath is the path of a page of an item, of its first version where the pattern has one, or of its
// statistics, and reports whether the pattern is that of such a page.
func PagePath(pattern, title, id string) (string, bool) {
	if id == "" {
		id = "1"
	}
	switch pattern {
	case "/articles/:first/:second/:third/:fourth":
		return "/articles/dataset/" + title + "/" + id + "/1", true
	case "/articles/:first/:second/:third/:fourth/*path":
		return "/articles/dataset/" + title + "/" + id + "/1/files", true
	case "/collections/:first/:second/:third/*path":
		return "/collections/" + title + "/" + id + "/1/linkset", true
	case "/collections/:first", "/projects/:first":
		return strings.Replace(pattern, ":first", id, 1), true
	case "/collections/:first/:second", "/projects/:first/:second", "/collections/:first/:second/:third":
		return strings.NewReplacer(":first", title, ":second", id, ":third", "1").Replace(pattern), true
	case "/stats/total/:first/:second":
		return "/stats/total/article/" + id, true
	case "/stats/total/:first/:second/:third":
		return "/stats/total/views/article/" + id, true
	case "/stats/timeline/:first/:second/:third/:fourth", "/stats/breakdown/:first/:second/:third/:fourth":
		return strings.NewReplacer(":first", "day", ":second", "views", ":third", "article", ":fourth", id).Replace(pattern), true
	case "/stats/top/:first/:second":
		return "/stats/top/views/article", true
	case "/doi/*doi":
		return "/doi/10.5072/alcove." + id, true
	case "/export/articles/:id/:version/:format", "/export/collections/:id/:version/:format":
		return strings.NewReplacer(":id", id, ":version", "1", ":format", "ris").Replace(pattern), true
	}
	return "", false
}
