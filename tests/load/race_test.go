package load

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/working"
	"alcove/cli/operate"
	"alcove/tests/world"
)

var (
	raceRounds = flag.Int("races", 12, "how often TestRace plays each race")
	raceSeed   = flag.Uint64("race-seed", 1, "of the delays in TestRace")
)

// race is a round in which several clients do things to the same items at the same moment.
type race struct {
	*world.Server
	t      *testing.T
	random *rand.Rand
	round  int
	all    sync.WaitGroup
	start  chan struct{}
	mu     sync.Mutex
	did    []done
}

// done is a call that has come back.
type done struct {
	what       string
	status     int
	began, end time.Time
	location   string
	body       []byte
}

// beside makes a call at the same time as the others, a moment after the start.
func (r *race) beside(c world.Client, method, path, body string) {
	pause := time.Duration(r.random.IntN(3000)) * time.Microsecond
	if r.random.IntN(3) == 0 {
		pause = 0
	}
	r.all.Go(func() {
		<-r.start
		<-time.After(pause)
		d := done{what: method + " " + path, began: time.Now()}
		got := c.Do(method, path, strings.NewReader(body))
		d.end, d.status, d.location, d.body = time.Now(), got.StatusCode, got.Header.Get("Location"), got.Bytes
		r.mu.Lock()
		defer r.mu.Unlock()
		r.did = append(r.did, d)
	})
}

// run lets them all go, waits for them, and checks their statuses.
func (r *race) run(allowed ...int) {
	r.t.Helper()
	close(r.start)
	r.all.Wait()
	for _, d := range r.did {
		if !slices.Contains(allowed, d.status) {
			r.t.Errorf("round %d: %s answered %d: %.300s", r.round, d.what, d.status, d.body)
		}
	}
}

// call is what came of a call.
func (r *race) call(what string) done {
	r.t.Helper()
	i := slices.IndexFunc(r.did, func(d done) bool { return d.what == what })
	if i < 0 {
		r.t.Fatalf("%s was not called", what)
	}
	return r.did[i]
}

// Calls at the same moment on the same records happen in some order, and leave a state that some
// order could have left (security.md J01 to J14).
func TestRace(t *testing.T) {
	t.Parallel()
	for name, play := range map[string]func(*race){
		"J01 publishing at once": racePublish, "J03 publishing and files": racePublishFiles, "J06 deleting and everything": raceDelete,
		"J07 a collection and its articles": raceCollection, "J08 a project and its articles": raceProject, "J09 a token and its end": raceToken,
		"J10 a link and its end": raceLink, "J13 an embargo and its end": raceEmbargo, "J14 reserving at once": raceReserve,
	} {
		t.Run(name, func(t *testing.T) {
			s := world.StartWithin(t)
			random := rand.New(rand.NewPCG(*raceSeed, 1))
			for round := range *raceRounds {
				if play(&race{Server: s, t: t, random: random, round: round, start: make(chan struct{})}); t.Failed() {
					return
				}
			}
			if err := agrees(s, s.Ada.ID()); err != nil {
				t.Error(err)
			}
		})
	}
}

func racePublish(r *race) {
	at := r.Ada.Article(`{"title": "Published at once", "authors": [{"name": "Grace Hopper"}]}`)
	for range 10 {
		r.beside(r.Ada, "POST", at+"/publish", "")
	}
	r.run(201)
	public := strings.Replace(at, "/account", "", 1)
	var numbers []int
	for _, v := range r.Anon.Get(public + "/versions").Is(200).List() {
		numbers = append(numbers, int(v["version"].(float64)))
	}
	slices.Sort(numbers)
	if fmt.Sprint(numbers) != "[1 2 3 4 5 6 7 8 9 10]" || r.Anon.Get(public).Object()["version"] != 10.0 {
		r.t.Errorf("round %d: the versions are %v", r.round, numbers)
	}
}

func racePublishFiles(r *race) {
	at := r.Ada.Article(`{"title": "Published while files come and go", "authors": [{"name": "Grace Hopper"}]}`)
	old := r.Ada.Upload(at, "old.bin", []byte("old bytes"))
	fresh, upload := r.Ada.Begin(at, "new.bin", []byte("new bytes"))
	r.Anon.Send("PUT", upload+"/1", "new bytes").Is(200)
	r.beside(r.Ada, "POST", at+"/publish", "")
	r.beside(r.Ada, "DELETE", old, "")
	r.beside(r.Ada, "POST", fresh, "")
	r.run(201, 202, 204, 400)
	r.Ada.Until(fresh, "available")
	r.Ada.Do("POST", at+"/publish", nil).Is(201)
	public := strings.Replace(at, "/account", "", 1)
	for _, v := range r.Anon.Get(public + "/versions").Is(200).List() {
		for _, f := range r.Anon.Get(fmt.Sprintf("%s/versions/%v/files", public, v["version"])).Is(200).List() {
			if got := r.Anon.Get(f["download_url"].(string)).Is(200); string(got.Bytes) != strings.TrimSuffix(f["name"].(string), ".bin")+" bytes" {
				r.t.Errorf("round %d: version %v has %s as %q", r.round, v["version"], f["name"], got.Bytes)
			}
		}
	}
	if got := world.FileNames(r.Anon.Get(public + "/files").List()); got != "new.bin" {
		r.t.Errorf("round %d: the last version has %s", r.round, got)
	}
}

func raceDelete(r *race) {
	at := r.Ada.Article(`{"title": "Deleted while others write", "authors": [{"name": "Grace Hopper"}]}`)
	file, upload := r.Ada.Begin(at, "a.bin", []byte("bytes"))
	collection := r.Ada.NewCollection("Has it")
	id := world.LastNumber(r.t, at)
	r.beside(r.Ada, "DELETE", at, "")
	r.beside(r.Ada, "PUT", at, `{"title": "Changed in between"}`)
	r.beside(r.Ada, "POST", at+"/authors", `{"authors": [{"name": "Another Author"}]}`)
	r.beside(r.Ada, "PUT", at+"/categories", `{"categories": [37]}`)
	r.beside(r.Ada, "POST", at+"/files", `{"name": "b.bin", "size": 7}`)
	r.beside(r.Ada, "POST", at+"/private_links", "")
	r.beside(r.Ada, "PUT", at+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2999-01-01"}`)
	r.beside(r.Ada, "POST", at+"/reserve_doi", "")
	r.beside(r.Ada, "DELETE", file, "")
	r.beside(r.Ada, "POST", collection+"/articles", fmt.Sprintf(`{"articles": [%d]}`, id))
	r.beside(r.Anon, "PUT", strings.TrimPrefix(upload, r.URL)+"/1", "bytes")
	r.beside(r.Ada, "GET", at, "")
	r.run(200, 201, 204, 205, 404, 422, 409)
	gone := r.call("DELETE " + at)
	if gone.status != 204 {
		r.t.Errorf("round %d: it was not deleted: %d", r.round, gone.status)
	}
	for _, d := range r.did {
		if d.began.After(gone.end) && d.status < 400 {
			r.t.Errorf("round %d: %s answered %d after it was deleted", r.round, d.what, d.status)
		}
	}
	for _, below := range []string{"", "/authors", "/categories", "/files", "/private_links", "/embargo"} {
		r.Ada.Get(at + below).Is(404)
	}
	if got := r.Ada.Get(collection + "/articles").Is(200).List(); len(got) != 0 {
		r.t.Errorf("round %d: a collection has what was deleted: %v", r.round, got)
	}
	if got := r.Ada.FileQuota(); got != "0+0=0" {
		r.t.Errorf("round %d: used %s when all is deleted", r.round, got)
	}
}

func raceCollection(r *race) {
	one, other := r.Ada.Article(`{"title": "Stays in it"}`), r.Ada.Article(`{"title": "Does not stay"}`)
	at := r.Ada.NewCollection("Of both")
	body := fmt.Sprintf(`{"articles": [%d, %d]}`, world.LastNumber(r.t, one), world.LastNumber(r.t, other))
	r.beside(r.Ada, "PUT", at+"/articles", body)
	r.beside(r.Ada, "POST", at+"/articles", body)
	r.beside(r.Ada, "DELETE", other, "")
	r.beside(r.Ada, "GET", at+"/articles", "")
	r.run(200, 201, 204, 205, 422)
	for _, item := range r.Ada.Get(at + "/articles").Is(200).List() {
		if fmt.Sprint(item["title"]) != "Stays in it" {
			r.t.Errorf("round %d: the collection has %v", r.round, item)
		}
	}
	if n := r.Ada.Get(at).Object()["articles_count"]; n != nil && n.(float64) > 1 {
		r.t.Errorf("round %d: the collection says that it has %v", r.round, n)
	}
}

func raceProject(r *race) {
	at := r.Ada.Project(fmt.Sprintf("Round %d", r.round))
	for range 4 {
		r.beside(r.Ada, "POST", at+"/articles", `{"title": "In time or not"}`)
	}
	r.beside(r.Ada, "POST", at+"/notes", `{"text": "A note in time or not"}`)
	r.beside(r.Ada, "DELETE", at, "")
	r.run(201, 204, 404)
	r.Alter(func(tx *bucket.Tx) error {
		for _, d := range r.did {
			if d.status != 201 || !strings.HasSuffix(d.what, "/articles") {
				continue
			}
			if art, err := working.Articles.Get(tx, world.LastNumber(r.t, d.location)); err != nil || art.ProjectID != 0 {
				r.t.Errorf("round %d: %s: %v, %+v", r.round, d.location, err, art)
			}
		}
		return nil
	})
}

// untilRefused lets readers ask the same until it is refused, and ends the right to it meanwhile:
// a request after the acknowledged end is refused at once.
func (r *race) untilRefused(c world.Client, path string, refused int, end func()) {
	ended := make(chan struct{})
	for range 3 {
		r.all.Go(func() {
			for {
				late := false
				select {
				case <-ended:
					late = true
				default:
				}
				got := c.Get(path)
				if got.StatusCode == refused {
					return
				}
				if late || got.StatusCode != 200 {
					r.t.Errorf("round %d: %s answered %d, ended before: %v", r.round, path, got.StatusCode, late)
					return
				}
			}
		})
	}
	<-time.After(time.Duration(r.random.IntN(5000)) * time.Microsecond)
	end()
	close(ended)
	r.all.Wait()
}

func raceToken(r *race) {
	token, err := operate.AddToken(r.t.Context(), r.DB(), "ben@example.org", "short")
	if err != nil {
		r.t.Fatal(err)
	}
	r.untilRefused(world.Client{Server: r.Server, Token: token}, "/v2/account/articles", 401, func() {
		// All of Ben's tokens end; no other test uses them.
		if _, err := operate.RevokeTokens(r.t.Context(), r.DB(), operate.TokenEnd{Account: "ben@example.org"}); err != nil {
			r.t.Error(err)
		}
	})
}

func raceLink(r *race) {
	at := r.Ada.Article(`{"title": "Shown by a link"}`)
	file := world.LastNumber(r.t, r.Ada.Upload(at, "a.bin", []byte("bytes")))
	token := r.Ada.Link(at, "")
	r.untilRefused(r.Anon, fmt.Sprintf("/files/%d?private_link=%s", file, token), 404, func() {
		r.Ada.Do("DELETE", at+"/private_links/"+token, nil).Is(204)
	})
}

func raceEmbargo(r *race) {
	at := r.Ada.Article(`{"title": "Opened while it is read", "authors": [{"name": "Grace Hopper"}]}`)
	r.Ada.Upload(at, "a.bin", []byte("bytes"))
	r.Ada.Embargo(at, "article", "2999-01-01")
	r.Ada.Do("POST", at+"/publish", nil).Is(201)
	public := strings.Replace(at, "/account", "", 1)
	for range 3 {
		for _, path := range []string{public, public + "/versions/1", public + "/files"} {
			r.beside(r.Anon, "GET", path, "")
		}
	}
	r.beside(r.Ada, "DELETE", at+"/embargo", "")
	r.run(200, 204, 404)
	lifted := r.call("DELETE " + at + "/embargo")
	for _, d := range r.did {
		switch open := d.status == 200; {
		case d.began.After(lifted.end) && !open && d.what != lifted.what:
			r.t.Errorf("round %d: %s answered %d after the embargo", r.round, d.what, d.status)
		case open && d.end.Before(lifted.began):
			r.t.Errorf("round %d: %s was open before the embargo ended", r.round, d.what)
		case open && !strings.Contains(string(d.body), `"a.bin"`):
			r.t.Errorf("round %d: %s is open without its file: %s", r.round, d.what, d.body)
		}
	}
}

func raceReserve(r *race) {
	at := r.Ada.Article(`{"title": "With one DOI"}`)
	for range 10 {
		r.beside(r.Ada, "POST", at+"/reserve_doi", "")
	}
	r.run(200)
	for _, d := range r.did {
		if string(d.body) != string(r.did[0].body) {
			r.t.Errorf("round %d: reserved %s and %s", r.round, d.body, r.did[0].body)
		}
	}
}
