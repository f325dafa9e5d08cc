package access

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"alcove/handlers/endpoint"
	"alcove/tests/routes"
)

// matrixCell is one cell of the matrix being tried.
type matrixCell struct {
	*matrixServer
	m                 *matrix
	r                 routes.Route
	c                 *class
	state, want       string
	path, link        string
	unknown, lastOnly string // addresses with ids that never were: all of them, only the last
	failed            bool
}

func (k *matrixCell) listing() bool { return k.want == "lists" || k.want == "absent" }

func (k *matrixCell) failf(t *testing.T, format string, args ...any) {
	t.Helper()
	if k.failed { // the first says enough
		t.Fail()
		return
	}
	k.failed = true
	t.Errorf("%s, %s, by %s: %s", routeName(k.r), k.state, k.caller.name, fmt.Sprintf(format, args...))
}

func (k *matrixCell) run(t *testing.T) {
	t.Helper()
	k.unknown, k.lastOnly = never(k.r.Path, k.path)
	bodies := routes.WithJSON[routeName(k.r)]
	good := bodies.Good
	if form, is := routes.WithForm[routeName(k.r)]; is {
		good = form
	}
	switch {
	case k.r.Access == endpoint.Upload:
		good = map[string]string{"PUT": "hello"}[k.r.Method]
	case strings.HasSuffix(k.r.Path, "/update_thumb"):
		good = fmt.Sprintf(`{"file_id": %s}`, k.plot.items[k.state].ids["articles"][":file_id"])
	}
	before := k.Sequence()
	switch {
	case k.listing():
		k.list(t)
	case k.want == "unknown" || k.want == "part":
		for _, v := range k.variants(good, bodies.Wrong) {
			k.same(t, v)
		}
	default:
		a := k.ask(t, k.path, variant{body: good})
		if got := k.outcome(a); got != k.want {
			k.failf(t, "%s, want %s: %d %.300q", got, k.want, a.Code, a.Body)
		}
		if k.want == "403" && bodies.Wrong != "" { // a caller that may not write learns nothing of the values
			if a := k.ask(t, k.path, variant{body: bodies.Wrong}); a.Code != 403 {
				k.failf(t, "%d for a wrong body: %.300q", a.Code, a.Body)
			}
		}
	}
	if k.want != "yes" && k.Sequence() != before {
		k.failf(t, "what was refused changed something")
	}
}

// never is the address of a route with other ids than any that were given, and that with
// only the last one replaced.
func never(pattern, path string) (all, last string) {
	if strings.HasPrefix(pattern, "/doi/") {
		return path + "987654", path + "987654"
	}
	names, parts := strings.Split(pattern, "/"), strings.Split(path, "/")
	allParts, lastParts := slices.Clone(parts), slices.Clone(parts)
	for i, n := range names {
		if !strings.HasPrefix(n, ":") || n == ":part" || n == ":format" || n == ":second" && parts[i] == "versions" { // a number in a plan, words
			continue
		}
		none := map[string]string{":token": "00000000-0000-4000-8000-000000000000", ":link_id": strings.Repeat("a", 32)}[n]
		if names[1] == "s" {
			none = strings.Repeat("a", 32)
		}
		if none == "" {
			none = "987654"
		}
		allParts[i] = none
		lastParts = slices.Clone(parts)
		lastParts[i] = none
	}
	return strings.Join(allParts, "/"), strings.Join(lastParts, "/")
}

// variant is a way to send the same request.
type variant struct {
	method, body string
	headers      []string
}

// variants are the ways in which an answer might tell that something is there: by HEAD,
// by conditions that hold only for what exists, by values that are looked at too early.
func (k *matrixCell) variants(good, wrong string) []variant {
	all := []variant{
		{body: good}, {body: good, headers: []string{"If-Match", `"x"`}},
		{body: good, headers: []string{"If-None-Match", "*", "If-Unmodified-Since", "Mon, 02 Jan 2006 15:04:05 GMT", "Range", "bytes=0-0"}},
	}
	if k.r.Method == "GET" {
		return append(all, variant{method: "HEAD"})
	}
	if wrong != "" {
		all = append(all, variant{body: wrong})
	}
	return all
}

// same tests that the answer is the one for an id that never was.
func (k *matrixCell) same(t *testing.T, v variant) {
	t.Helper()
	path := map[string]string{"unknown": k.unknown, "part": k.lastOnly}[k.want]
	got, key := k.ask(t, k.path, v), fmt.Sprint(k.r.Method, path, k.link, v)
	none, asked := k.nevers[key]
	if !asked {
		none = k.ask(t, path, v).told()
		k.nevers[key] = none
	}
	if got.Code < 400 || got.told() != none {
		k.failf(t, "%s %v is not answered like an id that never was: %.600q, not %.600q", v.method, v.headers, got.told(), none)
	}
}

// ask sends a request and looks for words that the caller may not know.
func (k *matrixCell) ask(t *testing.T, path string, v variant) heard {
	t.Helper()
	method := v.method
	if method == "" {
		method = k.r.Method
	}
	a := k.send(method, path, k.link, v.body, v.headers...)
	if a.Code >= 500 {
		k.failf(t, "%d %.600q", a.Code, a.Body)
	}
	for _, word := range k.plot.planted(a.text()) {
		s := k.plot.secrets[word]
		by, ok := k.m.knows[s.kind]
		if !ok {
			t.Fatalf("nothing is said of who knows %q", s.kind)
		}
		i := max(slices.Index(k.m.states, s.state), 0)
		if !by[k.caller.row()][i] && !(slices.Contains(k.c.shows, s.kind) && (a.Code < 300 || a.Code == 410)) {
			k.failf(t, "the answer tells %s: %d %.600q", word, a.Code, a.Body)
		}
	}
	return a
}

// rights are the codes of 403 that speak of the caller, not of the state of something.
var rights = []string{"ProjectRole", "NotAdministrator", "AccountOutOfReach", "ProfileForeign", "ImpersonationNotAllowed"}

// outcome says what kind of answer one is.
func (k *matrixCell) outcome(a heard) string {
	switch {
	case a.Code < 400:
		return "yes"
	case a.Code == 401, a.Code == 410, a.Code == 404 && k.want == "404", a.Code == 403 && slices.ContainsFunc(rights, func(code string) bool {
		return strings.Contains(a.Body.String(), fmt.Sprintf(`"code": %q`, code))
	}):
		return fmt.Sprint(a.Code)
	case k.unknown != k.path && a.told() == k.send(k.r.Method, k.unknown, k.link, routes.WithJSON[routeName(k.r)].Good).told():
		return "unknown"
	}
	return "state"
}

// list tests whether a list or search that leads to many items has those of the state.
func (k *matrixCell) list(t *testing.T) {
	t.Helper()
	found := false
	ask := func(body string) {
		a := k.ask(t, k.path+"?page_size=100", variant{body: body})
		if a.Code != 200 {
			k.failf(t, "%s answered %d %.300q", body, a.Code, a.Body)
		}
		for _, word := range k.plot.planted(a.Body.String()) {
			found = found || k.plot.secrets[word].state == k.state
		}
		if strings.HasSuffix(k.path, "/reviews") { // they tell of articles by their ids
			found = found || strings.Contains(a.Body.String(), fmt.Sprintf(`"article_id": %s,`, k.plot.items[k.state].ids["articles"][":id"]))
		}
	}
	ask(routes.WithJSON[routeName(k.r)].Good)
	for word, s := range k.plot.secrets {
		if k.r.Method == "POST" && s.state == k.state && strings.HasPrefix(word, "zq") {
			ask(fmt.Sprintf(`{"search_for": %q}`, word))
		}
	}
	if got := map[bool]string{true: "lists", false: "absent"}[found]; got != k.want {
		k.failf(t, "%s, want %s", got, k.want)
	}
}
