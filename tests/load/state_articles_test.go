package load

import (
	"encoding/json"
	"fmt"
	stdmaps "maps"
	"slices"

	"pgregory.net/rapid"

	"alcove/tests/world"
)

func (a *modelArticle) at() string { return fmt.Sprintf("/v2/account/articles/%d", a.id) }

func (r *run) newArticle(t *rapid.T, who person) (*modelArticle, string) {
	a := &modelArticle{owner: who, versions: map[int]*modelVersion{}, links: map[string]bool{}}
	a.title, a.kind = r.words(t), rapid.SampledFrom([]string{"dataset", "figure"}).Draw(t, "kind")
	body := fmt.Sprintf(`{"title": %q, "defined_type": %q`, a.title, a.kind)
	if rapid.IntRange(0, 3).Draw(t, "with an author") > 0 {
		a.authors = []string{"Grace Hopper"}
		body += `, "authors": [{"name": "Grace Hopper"}]`
	}
	return a, body + "}"
}

func (r *run) createArticle(t *rapid.T) {
	if len(r.m.articles) >= mostItems {
		return
	}
	who := r.who(t)
	if rapid.IntRange(0, 9).Draw(t, "refused") == 0 {
		r.change(422, who, "POST", "/v2/account/articles", `{"description": "without a title"}`)
		return
	}
	a, body := r.newArticle(t, who)
	_, h := r.change(201, who, "POST", "/v2/account/articles", body)
	a.id = r.idOf(h)
	r.m.articles[a.id] = a
}

func (r *run) changeArticle(t *rapid.T) {
	a := pick(t, r.m.articles)
	if a == nil {
		return
	}
	who := r.whoOf(t, a.owner)
	if rapid.IntRange(0, 9).Draw(t, "refused") == 0 {
		r.change(either(who, a.owner, 422), who, "PUT", a.at(), `{"description": "without a title"}`)
		return
	}
	title, text, tag := r.words(t), r.words(t), rapid.SampledFrom(stateWords).Draw(t, "tag")
	r.change(either(who, a.owner, 205), who, "PUT", a.at(), fmt.Sprintf(`{"title": %q, "description": %q, "tags": [%q]}`, title, text, tag))
	if who == a.owner {
		a.title, a.text, a.tags = title, text, []string{tag}
	}
}

func (r *run) authors(t *rapid.T) {
	a := pick(t, r.m.articles)
	if a == nil {
		return
	}
	who := r.whoOf(t, a.owner)
	r.made++
	name := fmt.Sprintf("Author Number%d", r.made)
	method := rapid.SampledFrom([]string{"POST", "PUT"}).Draw(t, "method")
	r.change(either(who, a.owner, 205), who, method, a.at()+"/authors", fmt.Sprintf(`{"authors": [{"name": %q}]}`, name))
	switch {
	case who != a.owner:
	case method == "PUT":
		a.authors = []string{name}
	default:
		a.authors = append(a.authors, name)
	}
}

func (r *run) deleteArticle(t *rapid.T) {
	a := pick(t, r.m.articles)
	if a == nil || rapid.IntRange(0, 2).Draw(t, "sure") > 0 {
		return
	}
	who := r.whoOf(t, a.owner)
	if a.public() {
		r.change(either(who, a.owner, 403), who, "DELETE", a.at(), "")
		return
	}
	r.change(either(who, a.owner, 204), who, "DELETE", a.at(), "")
	if who == a.owner {
		delete(r.m.articles, a.id)
	}
}

func (r *run) publish(t *rapid.T) {
	a := pick(t, r.m.articles)
	if a == nil {
		return
	}
	who := r.whoOf(t, a.owner)
	if !a.publishable() {
		r.change(either(who, a.owner, 400), who, "POST", a.at()+"/publish", "")
		return
	}
	r.change(either(who, a.owner, 201), who, "POST", a.at()+"/publish", "")
	if who == a.owner {
		a.publish()
	}
}

func (r *run) unpublish(t *rapid.T) {
	a := pick(t, r.m.articles)
	if a == nil {
		return
	}
	who := r.whoOf(t, a.owner)
	want := 204
	if !a.public() && a.held == nil {
		want = 400
	}
	r.change(either(who, a.owner, want), who, "POST", a.at()+"/unpublish", world.WhyWithdrawn)
	if who == a.owner {
		a.unpublish()
	}
}

// begin announces a file of the owner.
func (r *run) begin(t *rapid.T, a *modelArticle) (*modelFile, string) {
	r.made++
	f := &modelFile{article: a.id, name: fmt.Sprintf("f%d.txt", r.made), data: rapid.SampledFrom([]string{"", "x", "some bytes", "other bytes of a file"}).Draw(t, "data")}
	_, h := r.change(201, a.owner, "POST", a.at()+"/files", fmt.Sprintf(`{"name": %q, "size": %d, "md5": %q}`, f.name, len(f.data), sumOf(f.data)))
	f.id = r.idOf(h)
	a.files = append(a.files, f)
	r.m.files = append(r.m.files, f)
	return f, fmt.Sprintf("%s/files/%d", a.at(), f.id)
}

func (r *run) beginUpload(t *rapid.T) {
	a := pick(t, r.m.articles)
	if a == nil || rapid.IntRange(0, 2).Draw(t, "sure") > 0 {
		return
	}
	f, at := r.begin(t, a)
	if f.data != "" { // parts are missing
		r.change(400, a.owner, "POST", at, "")
	}
	r.change(404, ben-a.owner, "POST", at, "")
	if rapid.IntRange(0, 3).Draw(t, "goes on") > 0 { // else nothing can be published any more
		r.change(204, a.owner, "DELETE", at, "")
		a.files = a.files[:len(a.files)-1]
	}
}

// hold publishes an article under an embargo.
func (r *run) hold(t *rapid.T) {
	a := pick(t, r.m.articles)
	if a == nil || !a.publishable() {
		return
	}
	r.change(205, a.owner, "PUT", a.at()+"/embargo", `{"is_embargoed": true, "embargo_type": "article", "embargo_date": "2999-01-01"}`)
	a.setEmbargo("article")
	r.change(201, a.owner, "POST", a.at()+"/publish", "")
	a.publish()
}

func (r *run) upload(t *rapid.T) {
	a := pick(t, r.m.articles)
	if a == nil {
		return
	}
	f, at := r.begin(t, a)
	var record struct {
		URL string `json:"upload_url"`
	}
	r.get(a.owner, at, &record)
	if f.data != "" {
		r.change(200, noAccount, "PUT", record.URL+"/1", f.data)
	}
	if rapid.IntRange(0, 4).Draw(t, "restart") == 0 {
		r.restart(t)
	}
	r.change(202, a.owner, "POST", at, "")
	r.client(a.owner).Until(at, "available")
	f.complete = true
}

func (r *run) deleteFile(t *rapid.T) {
	a := pick(t, r.m.articles)
	if a == nil || len(a.files) == 0 {
		return
	}
	who := r.whoOf(t, a.owner)
	f := rapid.SampledFrom(a.files).Draw(t, "file")
	r.change(either(who, a.owner, 204), who, "DELETE", fmt.Sprintf("%s/files/%d", a.at(), f.id), "")
	if who == a.owner {
		a.files = slices.DeleteFunc(slices.Clone(a.files), func(g *modelFile) bool { return g == f })
	}
}

func (r *run) embargo(t *rapid.T) {
	a := pick(t, r.m.articles)
	if a == nil {
		return
	}
	who := r.whoOf(t, a.owner)
	kind := rapid.SampledFrom([]string{"article", "file"}).Draw(t, "kind")
	if rapid.IntRange(0, 5).Draw(t, "past") == 0 {
		r.change(either(who, a.owner, 400), who, "PUT", a.at()+"/embargo", fmt.Sprintf(`{"is_embargoed": true, "embargo_type": %q, "embargo_date": "2001-01-01"}`, kind))
		return
	}
	r.change(either(who, a.owner, 205), who, "PUT", a.at()+"/embargo", fmt.Sprintf(`{"is_embargoed": true, "embargo_type": %q, "embargo_date": "2999-01-01"}`, kind))
	if who == a.owner {
		a.setEmbargo(kind)
	}
}

func (r *run) liftEmbargo(t *rapid.T) {
	a := pick(t, r.m.articles)
	if a == nil {
		return
	}
	who := r.whoOf(t, a.owner)
	r.change(either(who, a.owner, 204), who, "DELETE", a.at()+"/embargo", "")
	if who == a.owner {
		a.setEmbargo("")
	}
}

func (r *run) confidentiality(t *rapid.T) {
	a := pick(t, r.m.articles)
	if a == nil {
		return
	}
	who := r.whoOf(t, a.owner)
	want := 205
	if a.embargo == "article" {
		want = 403
	}
	r.change(either(who, a.owner, want), who, "PUT", a.at()+"/confidentiality", `{"reason": "People are in it"}`)
	if who == a.owner && want == 205 {
		a.setEmbargo("permanent")
	}
}

func (r *run) liftConfidentiality(t *rapid.T) {
	a := pick(t, r.m.articles)
	if a == nil {
		return
	}
	who := r.whoOf(t, a.owner)
	r.change(either(who, a.owner, 204), who, "DELETE", a.at()+"/confidentiality", "")
	if who == a.owner && a.embargo == "permanent" {
		a.setEmbargo("")
	}
}

func (r *run) privateLink(t *rapid.T) {
	a := pick(t, r.m.articles)
	if a == nil {
		return
	}
	who := r.whoOf(t, a.owner)
	b, _ := r.change(either(who, a.owner, 201), who, "POST", a.at()+"/private_links", "")
	if who != a.owner {
		return
	}
	var link struct{ Token string }
	if err := json.Unmarshal(b, &link); err != nil || link.Token == "" {
		r.Fatalf("a link is %s", b)
	}
	a.links[link.Token] = true
}

func (r *run) disableLink(t *rapid.T) {
	a := pick(t, r.m.articles)
	if a == nil || len(a.links) == 0 {
		return
	}
	who := r.whoOf(t, a.owner)
	n := rapid.IntRange(0, len(a.links)-1).Draw(t, "link")
	// Tokens are other ones in each run, so the link is chosen by whether it is open.
	tokens := slices.SortedFunc(stdmaps.Keys(a.links), func(x, y string) int {
		if a.links[x] != a.links[y] {
			return map[bool]int{true: -1, false: 1}[a.links[x]]
		}
		return 0
	})
	want := 204
	if !a.links[tokens[n]] {
		want = 404
	}
	r.change(either(who, a.owner, want), who, "DELETE", a.at()+"/private_links/"+tokens[n], "")
	if who == a.owner {
		a.links[tokens[n]] = false
	}
}

func (r *run) restart(*rapid.T) {
	r.history = append(r.history, "restart")
	r.s.Restart()
}
