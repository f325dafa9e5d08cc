package access

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"alcove/tests/routes"
)

// Every route, for every kind of caller, in every state of what it leads to, answers as
// tests/testdata/authorisation.tsv says (security.md A01 to A15). A caller that may not know of an item
// gets the answer for an unknown id, to the byte. No answer holds a word that its caller may not
// know, and what is refused changes nothing.
func TestAuthorisation(t *testing.T) {
	t.Parallel()
	m := readMatrix(t)
	for _, r := range routes.All() {
		if m.routes[routeName(r)] == nil {
			t.Errorf("%s has no line in tests/testdata/authorisation.tsv", routeName(r))
		}
	}
	for line := range m.routes {
		if !slices.ContainsFunc(routes.All(), func(r routes.Route) bool { return routeName(r) == line }) {
			t.Errorf("%s has a line in tests/testdata/authorisation.tsv and is no route", line)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	p := newPlot(t, m.states)
	names := []string{}
	for _, c := range p.callers {
		names = append(names, c.name)
	}
	if !slices.Equal(names, m.callers) {
		t.Fatalf("the callers are %q and %q", names, m.callers)
	}
	for _, who := range append(p.callers, p.signedIn...) {
		t.Run(who.name, func(t *testing.T) {
			t.Parallel()
			w := p.newWorld(t, who)
			for _, r := range routes.All() {
				if who.site == "cross-site" && r.About.IsPage() {
					continue // a link from elsewhere to a page is followed as who is signed in, and nothing else is
				}
				if r.Path == "/v2/token" && who.session != "" {
					continue // it tells of a token, and a session has none
				}
				w.try(t, m, r)
				if who.name == "other account" {
					w.tryParts(t, m, r)
				}
			}
		})
	}
}

func routeName(r routes.Route) string { return r.Method + " " + r.Path }

// try calls a route in every state.
func (w *matrixServer) try(t *testing.T, m *matrix, r routes.Route) {
	t.Helper()
	begin, c := w.Sequence(), m.routes[routeName(r)]
	w.route = r
	tried := map[string]bool{}
	for i, state := range m.states {
		k := &matrixCell{matrixServer: w, m: m, r: r, c: c, state: state, want: c.cells[w.caller.row()][i]}
		k.path = w.plot.items[state].path(r)
		if link := w.caller.link; link != nil {
			k.link = link(w.plot.items[state])[family(r)]
		}
		if strings.HasPrefix(r.Path, "/s/") { // the link is the path
			k.path, k.link = routes.FillPath(r.Path, map[string]string{":token": cmp.Or(k.link, strings.Repeat("0", 32))}), ""
		}
		if at := k.path + k.link; !k.listing() && tried[at] {
			continue // it leads to nothing that has the state
		} else {
			tried[at] = true
		}
		k.run(t)
	}
	if w.Sequence() != begin || w.bySession() && r.Method == "POST" && r.About.IsPage() { // a session that ended is no change of the log
		w.fresh(t)
	}
}

// ownParts are the parts of paths whose ids belong to one item.
var ownParts = []string{":file_id", ":author_id", ":link_id", ":article_id", ":note_id", ":user_id"}

// tryParts puts ids of other accounts' parts below the caller's own items: they answer like
// unknown ids.
func (w *matrixServer) tryParts(t *testing.T, m *matrix, r routes.Route) {
	t.Helper()
	last := ""
	for _, part := range strings.Split(r.Path, "/") {
		if slices.Contains(ownParts, part) && strings.Contains(r.Path, "/:id/") {
			last = part
		}
	}
	if last == "" {
		return
	}
	w.route = r
	bens := w.plot.bens.ids[family(r)]
	for _, state := range m.states {
		theirs := w.plot.items[state].ids[family(r)]
		k := &matrixCell{matrixServer: w, m: m, r: r, c: m.routes[routeName(r)], state: state + ", part of another item", want: "part"}
		for _, ids := range []map[string]string{maps(theirs, ":id", bens[":id"]), maps(bens, last, theirs[last])} {
			k.path = routes.FillPath(r.Path, ids)
			k.run(t)
		}
	}
}

// family is the kind of thing that the ids of a route belong to.
func family(r routes.Route) string {
	for _, kind := range []string{"projects", "collections"} {
		if strings.Contains(r.Path, "/"+kind) {
			return kind
		}
	}
	return "articles"
}

func (i *planted) path(r routes.Route) string {
	if strings.HasPrefix(r.Path, "/sitemap/") { // its content is compressed: TestSitemap looks at that
		return "/sitemap/articles-1.xml.gz"
	}
	if page, is := routes.PagePath(r.Path, "_", i.ids[family(r)][":id"]); is { // it leads to the page with the right title
		return page
	}
	return routes.FillPath(r.Path, i.ids[family(r)])
}
