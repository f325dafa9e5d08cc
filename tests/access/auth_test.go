package access

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/handlers/endpoint"
	"alcove/record"
	"alcove/tests/routes"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// The ways to send a token, and one and the same refusal for everything else (security.md B01,
// B03, B21).
func TestAuthForms(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	tok := s.Ada.Token
	for _, h := range []string{"token " + tok, "Token " + tok, "TOKEN " + tok, "Bearer " + tok, "bearer " + tok, "  token  " + tok + "  "} {
		s.Anon.Get("/v2/account", "Authorization", h).Is(200)
	}
	for _, q := range []string{"?access_token=" + tok, "?x=1&access_token=" + tok, "?access%5Ftoken=" + tok} {
		r := s.Anon.Get("/v2/account" + q).Is(200)
		if r.Header.Get("Cache-Control") != "private, no-store" || r.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", q, r.Header)
		}
	}
	for _, name := range []string{"access_token", "token", "private_link"} {
		if got := s.Anon.Get("/v2/articles?" + name + "=x").Is(200).Header.Get("Cache-Control"); got != "private, no-store" {
			t.Errorf("with %s in the query: Cache-Control %q", name, got)
		}
	}
	s.Anon.Get("/v2/account?access_token="+tok, "Authorization", "token "+tok).Is(200)
	if r := s.Ada.Get("/v2/account"); r.Header.Get("Cache-Control") != "private, no-cache" || r.Header.Get("Vary") != "Authorization, Cookie" {
		t.Errorf("with a header: %v", r.Header)
	}

	refused := s.Anon.Get("/v2/account").Refuses(401, "")
	if refused.Header.Get("WWW-Authenticate") == "" || refused.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("401: %v", refused.Header)
	}
	wrong := s.Anon.Get("/v2/account", "Authorization", "token wrong").Refuses(401, "")
	same := func(what string, r *world.Reply) { // whether there is a token is told, and nothing of it
		t.Helper()
		like := refused
		if strings.Contains(string(r.Bytes), "OAuthInvalidToken") {
			like = wrong
		}
		if r.StatusCode != 401 || string(r.Bytes) != string(like.Bytes) || world.ErrorHeaders(r.Header) != world.ErrorHeaders(like.Header) {
			t.Errorf("%s answered %d %s\n%s", what, r.StatusCode, r.Bytes, world.ErrorHeaders(r.Header))
		}
	}
	for _, h := range []string{
		"", " ", "token", "token ", tok, "Basic " + tok, "Basic YWRhOnNlY3JldA==", "Tok " + tok, "token " + tok + "x", "token " + tok[1:],
		"token " + strings.ToUpper(tok), "token " + tok + " " + tok, "token " + tok + "," + tok, "token\t" + tok, "token=" + tok, "token \"" + tok + "\"",
		"token ünïcode", "token \xff\xfe", "token ../../etc", "token %00", "OAuth " + tok, "token " + auth.TokenKey(tok), "token " + strings.Repeat("x", 20_000),
	} {
		same(fmt.Sprintf("Authorization: %.60q", h), s.Anon.Get("/v2/account", "Authorization", h))
	}
	for _, q := range []string{
		"access_token=", "access_token=x", "access_token=" + tok + "x", "ACCESS_TOKEN=" + tok, "token=" + tok, "private_link=" + tok, "access_token=%zz",
		"access_token=" + tok + "%00", "access_token=%F0%28%8C%28",
	} {
		same(q, s.Anon.Get("/v2/account?"+q))
	}
	for _, body := range []string{`{"title": "abc", "access_token": "` + tok + `"}`, `{"token": "` + tok + `"}`, "access_token=" + tok} {
		same("token in the body", s.Anon.Send("POST", "/v2/account/articles", body))
	}
	same("cookie", s.Anon.Get("/v2/account", "Cookie", "access_token="+tok+"; session="+tok))
	for _, h := range []string{"token " + strings.Repeat("x", 100<<10)} {
		s.Anon.Get("/v2/account", "Authorization", h).Is(431)
	}
	if got := s.SendRaw("GET /v2/account HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: token " + tok + "\x00\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 400") {
		t.Errorf("NUL in a header: %.100q", got)
	}
}

// Expired tokens, disabled and expired accounts are 401 on private routes; public routes do not
// look at the token at all.
func TestAuthExpiry(t *testing.T) {
	s := world.StartWithin(t)
	refused := s.Anon.Get("/v2/account", "Authorization", "token unknown").Is(401)
	now := time.Now()
	id := int64(s.Ada.Get("/v2/account").Object()["id"].(float64))
	set := func(account func(*record.Account), token func(*record.Token)) {
		t.Helper()
		err := s.DB().Update(context.Background(), 0, func(tx *bucket.Tx) error {
			acc, err := users.Accounts.Get(tx, id)
			if err != nil {
				return err
			}
			acc.Disabled, acc.Expires = false, time.Time{}
			account(acc)
			tok := &record.Token{AccountID: id}
			token(tok)
			if err := users.Accounts.Put(tx, id, acc); err != nil {
				return err
			}
			return users.Tokens.Put(tx, auth.TokenKey(s.Ada.Token), tok)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	keepA, keepT := func(*record.Account) {}, func(*record.Token) {}
	for _, c := range []struct {
		name    string
		account func(*record.Account)
		token   func(*record.Token)
		status  int
	}{
		{"disabled account", func(a *record.Account) { a.Disabled = true }, keepT, 401},
		{"expired account", func(a *record.Account) { a.Expires = now.Add(-time.Second) }, keepT, 401},
		{"expired token", keepA, func(t *record.Token) { t.Expires = now.Add(-time.Second) }, 401},
		{"token of nobody", keepA, func(t *record.Token) { t.AccountID = 9999 }, 401},
		{"token that will expire", keepA, func(t *record.Token) { t.Expires = now.Add(time.Hour) }, 200},
	} {
		set(c.account, c.token)
		r := s.Ada.Get("/v2/account")
		if r.StatusCode != c.status || c.status == 401 && (string(r.Bytes) != string(refused.Bytes) || world.ErrorHeaders(r.Header) != world.ErrorHeaders(refused.Header)) {
			t.Errorf("%s: %d %s", c.name, r.StatusCode, r.Bytes)
		}
		s.Ada.Get("/v2/articles").Is(200)
	}
	for _, h := range []string{"token x", "Basic x", "\xff", "token " + strings.Repeat("y", 10_000)} {
		s.Anon.Get("/v2/articles", "Authorization", h).Is(200)
		s.Anon.Get("/v2/articles?access_token=z").Is(200)
		s.Anon.Send("POST", "/v2/articles/search?access_token=z", "").Is(200)
		s.Anon.Send("POST", "/v2/articles/search", "", "Authorization", h).Is(200)
	}
}

// A token and a private link that expire at a second open nothing from that second on.
func TestExpiryOnTheSecond(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	s := world.StartWithin(t)
	s.Stop()
	now.Store(time.Now().Unix() + 1) // after the last change of the store
	s.Clock = func() time.Time { return time.Unix(now.Load(), 0) }
	s.Boot()
	end := time.Unix(now.Load()+100, 0).UTC()
	item := s.Ada.Article(`{"title": "An article"}`)
	link := item + "?private_link=" + s.Ada.Link(item, `{"expires_date": "`+end.Format("2006-01-02T15:04:05")+`"}`)
	key := auth.TokenKey(s.Ben.Token)
	err := s.DB().Update(context.Background(), 0, func(tx *bucket.Tx) error {
		tok, err := users.Tokens.Get(tx, key)
		if err != nil {
			return err
		}
		tok.Expires = end
		return users.Tokens.Put(tx, key, tok)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at     time.Time
		status int
	}{{end.Add(-time.Second), 200}, {end, 401}} {
		now.Store(c.at.Unix())
		if r := s.Ben.Get("/v2/account"); r.StatusCode != c.status {
			t.Errorf("a token that expires at %v answers %d at %v", end, r.StatusCode, c.at)
		}
		if r := s.Anon.Get(link); (r.StatusCode == 200) != (c.status == 200) {
			t.Errorf("a link that expires at %v answers %d at %v", end, r.StatusCode, c.at)
		}
	}
}

// On every private route the record of another account, and the part of another record, answer
// exactly as an id that never existed (security.md A01, A02, A03, A05).
func TestAuthForeign(t *testing.T) {
	t.Parallel()
	s := stage.New(t)
	ben := s.Ben.Article(`{"title": "Ben's own", "categories": [37], "authors": [{"name": "Ben Friend"}]}`)
	before, other := s.Sequence(), ben[strings.LastIndexByte(ben, '/')+1:]
	compare := func(what string, got, unknown *world.Reply) {
		t.Helper()
		if got.StatusCode != 404 || string(got.Bytes) != string(unknown.Bytes) || world.ErrorHeaders(got.Header) != world.ErrorHeaders(unknown.Header) {
			t.Errorf("%s: %d %s\n%s\nunknown: %d %s\n%s", what, got.StatusCode, got.Bytes, world.ErrorHeaders(got.Header),
				unknown.StatusCode, unknown.Bytes, world.ErrorHeaders(unknown.Header))
		}
	}
	private := 0
	for _, r := range routes.All() {
		if r.Access != endpoint.Account {
			continue
		}
		private++
		name := r.Method + " " + r.Path
		body := routes.WithJSON[name].Good
		s.Anon.Send(r.Method, s.At(r), body).Refuses(401, "")
		s.Anon.Send(r.Method, s.At(r), body, "Authorization", "token "+strings.Repeat("0", 68)).Refuses(401, "")
		if !strings.Contains(r.Path, ":id") {
			continue
		}
		unknown := routes.FillPath(r.Path, map[string]string{":id": "987654", ":file_id": "987654", ":author_id": "987654", ":category_id": "42"})
		for _, headers := range [][]string{nil, {"If-Match", `"x"`}, {"If-None-Match", "*"}, {"If-Unmodified-Since", "Mon, 02 Jan 2006 15:04:05 GMT"}} {
			compare(name, s.Ben.Send(r.Method, s.At(r), body, headers...), s.Ben.Send(r.Method, unknown, body, headers...))
		}
		if rest := strings.TrimPrefix(r.Path, "/v2/account/articles/:id/"); strings.Contains(rest, "/:") && rest != r.Path {
			mixed := maps(s.IDs, ":id", other) // Ben's article with a part of Ada's
			none := maps(s.IDs, ":id", other, ":file_id", "987654", ":author_id", "987654", ":category_id", "42")
			if strings.Contains(rest, "category") {
				mixed[":category_id"] = "3702"
			}
			compare(name+" with a foreign part", s.Ben.Send(r.Method, routes.FillPath(r.Path, mixed), body), s.Ben.Send(r.Method, routes.FillPath(r.Path, none), body))
		}
	}
	if private < 20 {
		t.Errorf("only %d private routes were tried", private)
	}
	draftFile := "/files/" + s.IDs[":file_id"]
	compare("download", s.Ben.Get(draftFile), s.Ben.Get("/files/987654"))
	compare("public read of a draft", s.Anon.Get("/v2/articles/"+s.IDs[":id"]), s.Anon.Get("/v2/articles/987654"))
	s.Ben.Send("PATCH", ben, `{"authors": [{"id": `+s.IDs[":author_id"]+`}]}`).Refuses(400, "Author with ID not found")
	if s.Sequence() != before {
		t.Error("somebody else's request changed the store")
	}
}

// maps is a copy with other values.
func maps(m map[string]string, change ...string) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		out[k] = v
	}
	for i := 0; i < len(change); i += 2 {
		out[change[i]] = change[i+1]
	}
	return out
}

// Secrets stand in no answer and no log line; clients cannot forge a log line (security.md B05,
// B06, D21). Lines name routes by their patterns.
func TestAuthSecrets(t *testing.T) {
	t.Parallel()
	s := stage.New(t)
	s.Restart() // an empty log
	secrets := []string{s.Ada.Token, "s3cr3t-link", "s3cr3t-token", auth.TokenKey(s.Ada.Token)}
	query := "?access_token=" + s.Ada.Token + "&private_link=s3cr3t-link&token=s3cr3t-token"
	requests := 0
	check := func(r *world.Reply) {
		t.Helper()
		requests++
		for _, secret := range secrets {
			if bytes.Contains(r.Bytes, []byte(secret)) || strings.Contains(fmt.Sprint(r.Header), secret) {
				t.Errorf("%s %s shows a secret", r.Request.Method, r.Request.URL.Path)
			}
		}
		if want := "private, no-store"; r.Header.Get("Cache-Control") != want && r.StatusCode != 204 && r.StatusCode != 405 {
			t.Errorf("%s %s: Cache-Control %q", r.Request.Method, r.Request.URL.Path, r.Header.Get("Cache-Control"))
		}
		if r.StatusCode >= 300 && r.StatusCode < 400 && r.Request.URL.Path != "/files/"+s.IDs[":file_id"] {
			t.Errorf("%s is redirected", r.Request.URL.Path)
		}
	}
	for _, r := range routes.All() {
		if r.Method == "DELETE" || r.Access == endpoint.Upload {
			continue
		}
		for _, form := range []string{s.At(r), s.At(r) + "/", "/" + s.At(r), strings.ToUpper(s.At(r))} {
			check(s.Anon.Send(r.Method, s.URL+form+query, routes.WithJSON[r.Method+" "+r.Path].Good))
		}
		check(s.Anon.Do("OPTIONS", s.At(r)+query, nil))
	}
	for _, path := range []string{"/nowhere", "/v2/articles/x", "/v2/articles/99", "/upload/s3cr3t-token"} {
		check(s.Anon.Get(path + query))
	}
	s.Anon.Get("/v2/articles%0alevel=ERROR%20forged%0d%1b[31m", "User-Agent", "forged\u2028y", "X-Forwarded-For", "forged").Is(404)
	s.Anon.Get("/v2/articles/1%0aforged/files").Is(400)
	s.SendRaw("GET /v2/licenses HTTP/1.1\r\nHost: forged\r\nUser-Agent: \xff forged\r\nConnection: close\r\n\r\n")
	requests += 3
	s.Stop() // every line is written
	logs := s.Logs.String()
	for _, bad := range append(secrets, s.IDs[":token"], "forged", "\x1b", "\r", "access_token") {
		if strings.Contains(logs, bad) {
			t.Errorf("%q stands in the log", bad)
		}
	}
	lines := strings.Split(strings.TrimSpace(logs), "\n")
	n := 0
	for _, line := range lines {
		if !strings.HasPrefix(line, "time=") {
			t.Errorf("a log line begins with %q", line)
		}
		if strings.Contains(line, "msg=request") {
			n++
		}
	}
	if n != requests {
		t.Errorf("%d requests made %d lines", requests, n)
	}
	if want := "route=/v2/account/articles/:id "; !strings.Contains(logs, want) {
		t.Errorf("no line has %q", want)
	}
}
