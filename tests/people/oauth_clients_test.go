package people

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"alcove/tests/world"
)

var (
	oauthModules = flag.String("oauth-modules", "", "directory with node_modules/openid-client")
	oauthPython  = flag.String("oauth-python", "", "a Python that has requests-oauthlib")
)

// ledBack has a person allow what an address asks, and returns where the browser is led to.
func ledBack(t *testing.T, b *world.Browser, at string) *url.URL {
	t.Helper()
	u, err := url.Parse(strings.TrimSpace(at))
	if err != nil {
		t.Fatal(err)
	}
	b.Open(u.RequestURI()).Is(200)
	v := u.Query()
	v.Set("allow", "1")
	back, err := url.Parse(b.Post(u.Path, v).Is(303).Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// golang.org/x/oauth2 gets tokens with and without a secret, and refreshes them.
func TestOAuthGoClient(t *testing.T) {
	t.Parallel()
	z := newOAuth(t)
	ctx := context.Background()
	for _, c := range []client{z.web, z.native} {
		redirect := c.redirect
		if c.secret == "" {
			redirect = "http://127.0.0.1:40123/back"
		}
		conf := oauth2.Config{
			ClientID: c.id, ClientSecret: c.secret, RedirectURL: redirect, Scopes: []string{"upload"},
			Endpoint: oauth2.Endpoint{AuthURL: z.URL + pathAuthorize, TokenURL: z.URL + "/v2/token"},
		}
		verifier := oauth2.GenerateVerifier()
		back := ledBack(t, z.person, conf.AuthCodeURL("a state", oauth2.S256ChallengeOption(verifier)))
		if q := back.Query(); q.Get("state") != "a state" || q.Get("iss") != z.URL {
			t.Errorf("the application is told %v", q)
		}
		code := back.Query().Get("code")
		var refused *oauth2.RetrieveError
		if _, err := conf.Exchange(ctx, code, oauth2.VerifierOption(oauth2.GenerateVerifier())); !errors.As(err, &refused) || refused.ErrorCode != "invalid_grant" {
			t.Errorf("a wrong verifier: %v", err)
		}
		token, err := conf.Exchange(ctx, code, oauth2.VerifierOption(verifier))
		if err != nil {
			t.Fatal(err)
		}
		get := func(token *oauth2.Token) int {
			res, err := conf.Client(ctx, token).Get(z.URL + "/v2/account")
			if err != nil {
				t.Error(err)
				return 0
			}
			res.Body.Close()
			return res.StatusCode
		}
		if status := get(token); status != http.StatusOK || token.Extra("scope") != "upload" {
			t.Errorf("%d with %v", status, token.Extra("scope"))
		}
		token.Expiry = time.Now().Add(-time.Hour) // as if it were later
		next, err := conf.TokenSource(ctx, token).Token()
		if err != nil || next.RefreshToken == token.RefreshToken || get(next) != http.StatusOK {
			t.Fatalf("refreshing: %v", err)
		}
		c.revokes(z.Server, next.RefreshToken).Is(200)
		if status := get(next); status != http.StatusUnauthorized {
			t.Errorf("after revoking: %d", status)
		}
	}
}

// openid-client for Node and requests-oauthlib for Python do the same, in programs of their own.
func TestOAuthOtherClients(t *testing.T) {
	if *oauthModules == "" || *oauthPython == "" {
		t.Skip("make check-people runs it")
	}
	z := newOAuth(t)
	id := accountOf(t, z.Server, z.mail)
	server := register(t, z.dev, "Server", "confidential", "https://server.example/back") // openid-client leaves out the query of an address
	script := filepath.Join(*oauthModules, "oauth.mjs")                                   // modules are looked for beside it
	text, err := os.ReadFile("testdata/oauth.mjs")
	if err == nil {
		err = os.WriteFile(script, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range [][]string{{"node", script}, {*oauthPython, "testdata/oauth.py"}} {
		for _, c := range []client{server, z.native} {
			redirect := c.redirect
			if c.secret == "" {
				redirect = "http://127.0.0.1:40123/back"
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, program[0], program[1], z.URL, c.id, c.secret, redirect)
			var failed bytes.Buffer
			cmd.Stderr = &failed
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(out)
			if !lines.Scan() {
				cmd.Wait()
				t.Fatalf("%s asks nothing: %s", program[1], failed.String())
			}
			fmt.Fprintln(in, ledBack(t, z.person, lines.Text()))
			in.Close()
			lines.Scan()
			last := lines.Text()
			if err := cmd.Wait(); err != nil || last != fmt.Sprint("account ", id) {
				t.Errorf("%s: %v, %q\n%s", program[1], err, last, failed.String())
			}
		}
	}
}
