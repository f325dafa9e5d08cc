package world

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/bucket/counting"
	"alcove/cli/operate"
	"alcove/record"
)

// Plant adds to the counts of an item.
func (s *Server) Plant(kind, id int64, more record.Counts) {
	s.T.Helper()
	s.Alter(func(tx *bucket.Tx) error { return counting.AddCounts(tx, bucket.Pair{A: kind, B: id}, more) })
}

// Walked follows cursors from the first page to the end.
func (c Client) Walked(method, path, body string, size int) (ids []string) {
	c.Server.T.Helper()
	at := path + map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")] + fmt.Sprintf("limit=%d", size)
	r := c.Send(method, at, body).Is(200)
	for {
		page := strings.Fields(r.Shown())
		if len(page) == 0 {
			return ids
		}
		ids = append(ids, page...)
		cursor := r.Header.Get("X-Cursor")
		if len(cursor) != 36 || len(ids) > 10_000 {
			c.Server.T.Fatalf("%s: cursor %q after %d items", at, cursor, len(ids))
		}
		r = c.Send(method, at, body, "X-Cursor", cursor).Is(200)
	}
}

// InSeconds is an embargo date that is at most some seconds away.
func InSeconds(n int) (text string, at time.Time) {
	at = time.Now().UTC().Add(time.Duration(n) * time.Second).Truncate(time.Second)
	return at.Format("2006-01-02T15:04:05"), at
}

// Embargo sets an embargo.
func (c Client) Embargo(article, kind, date string) {
	c.Server.T.Helper()
	c.Send("PUT", article+"/embargo", fmt.Sprintf(`{"is_embargoed": true, "embargo_type": %q, "embargo_date": %q}`, kind, date)).Is(205)
}

// Eventually waits for something that the server does by itself.
func (s *Server) Eventually(what string, done func() bool) {
	s.T.Helper()
	pause := time.Millisecond
	for deadline := time.Now().Add(WaitLimit); !done(); <-time.After(pause) {
		if time.Now().After(deadline) {
			s.T.Fatalf("still not: %s", what)
		}
		pause = min(2*pause, 50*time.Millisecond)
	}
}

// Leaks fails when a public channel tells one of the words. Article and file ids are
// those up to ten.
func (s *Server) Leaks(words ...string) {
	s.T.Helper()
	paths := []string{"/v2/articles?page_size=100", "/v2/articles?order_direction=asc", "/v2/articles/search", "/v2/collections", "/v2/projects"}
	for id := 1; id <= 10; id++ {
		at := fmt.Sprint("/v2/articles/", id)
		paths = append(paths, at+"/download", fmt.Sprint("/v2/file/download/", id), at, at+"/versions", at+"/files", fmt.Sprint("/files/", id), fmt.Sprint("/ndownloader/files/", id))
		for n := 1; n <= 3; n++ {
			v := fmt.Sprint(at, "/versions/", n)
			paths = append(paths, v+"/download", strings.TrimPrefix(v, "/v2"), v, v+"/embargo", v+"/confidentiality", v+"/files", fmt.Sprint(at, "/files/", n))
		}
	}
	for _, who := range []Client{s.Anon, s.Ben} {
		for _, path := range paths {
			method := "GET"
			if strings.HasSuffix(path, "/search") {
				method = "POST"
			}
			r := who.Send(method, path, "")
			for _, w := range words {
				if strings.Contains(string(r.Bytes), w) || strings.Contains(fmt.Sprint(r.Header), w) {
					s.T.Errorf("%s tells %q: %.300s", path, w, r.Bytes)
				}
			}
		}
		for _, w := range words {
			for _, q := range []string{w, `:title: ` + w, w + "*", `"` + w + `"`} {
				if got := who.Send("POST", "/v2/articles/search", fmt.Sprintf(`{"search_for": %q}`, q)).Is(200); string(got.Bytes) != "[]" {
					s.T.Errorf("a search for %s found %.300s", q, got.Bytes)
				}
			}
		}
	}
}

func (s *Server) Field(f record.Field) int64 {
	s.T.Helper()
	var id int64
	s.Operate("field", f, &id)
	return id
}

// JSONList is a JSON list of n entries, each made from its number.
func JSONList(n int, format string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.ReplaceAll(format, "#", fmt.Sprint(i+1))
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// Shown are the ids of a list, in order.
func (r *Reply) Shown() string {
	r.T.Helper()
	ids := []string{}
	for _, o := range r.Is(200).List() {
		ids = append(ids, fmt.Sprint(o["id"]))
	}
	if len(ids) == 0 && string(r.Bytes) != "[]" {
		r.T.Errorf("an empty list is %s", r.Bytes)
	}
	return strings.Join(ids, " ")
}

// AsBody is a query string as a JSON body, numbers as numbers.
func AsBody(query string) string {
	var fields []string
	for _, pair := range strings.Split(query, "&") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			if !json.Valid([]byte(value)) {
				value = fmt.Sprintf("%q", value)
			}
			fields = append(fields, fmt.Sprintf("%q: %s", name, value))
		}
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

const ReviewsAt = "/v2/account/institution/reviews"

func (s *Server) AsksForReview(group int64, yes bool) {
	s.T.Helper()
	s.Operate("group", operate.GroupEdit{ID: group, Review: &yes}, nil)
}

// Decide writes a comment of a type on a review.
func (c Client) Decide(review int, kind, text string) *Reply {
	c.Server.T.Helper()
	return c.Send("POST", fmt.Sprintf("/v2/account/institution/review/%d/comments", review), fmt.Sprintf(`{"type": %q, "text": %q}`, kind, text))
}

const WhyWithdrawn = `{"reason": "It shows people who did not agree"}`

func AsJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of texts and numbers are JSON
	}
	return string(b)
}

// Quoted is a JSON string.
func Quoted(s string) string {
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s)
	return `"` + s + `"`
}
