package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
)

// people is how many accounts there are beside the one that has all items.
const people = 10_000

// enter signs in a person, by a one-time link, and returns the header line of its session.
func (a *alcove) enter(ctx context.Context, program, account string) (string, error) {
	said, err := command(ctx, ".", program, "account", "reset", "--data", a.data, "--account", account, "--print")
	if err != nil {
		return "", err
	}
	path := regexp.MustCompile(`/one-time/\S+`).FindString(said)
	if path == "" {
		return "", fmt.Errorf("there is no link in %q", said)
	}
	const password = "the rain in the north is measured by hand"
	body := url.Values{"new": {password}, "again": {password}}.Encode()
	got, err := a.ask(fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n%s\r\n%s", path, len(body), asBrowser, body))
	if err != nil {
		return "", err
	}
	cookies := (&http.Response{Header: got.header}).Cookies()
	if got.status != http.StatusSeeOther || len(cookies) == 0 {
		return "", fmt.Errorf("cannot sign in: %d %s", got.status, got.body)
	}
	line := "Cookie: "
	for i, k := range cookies {
		if i > 0 {
			line += "; "
		}
		line += k.Name + "=" + k.Value
	}
	return line + "\r\n", nil
}

// populate makes accounts, several at a time.
func (a *alcove) populate(ctx context.Context, program string, n int) error {
	id, err := command(ctx, ".", program, "account", "add", "--data", a.data, "--email", "admin@example.org", "--first-name", "Ad", "--last-name", "Min", "--admin")
	if err != nil {
		return err
	}
	token, err := command(ctx, ".", program, "token", "add", "--data", a.data, "--account", strings.TrimSpace(id))
	if err != nil {
		return err
	}
	signed := "Authorization: token " + strings.TrimSpace(token) + "\r\n"
	var next atomic.Int64
	var wait sync.WaitGroup
	errs := make(chan error, 16)
	for range cap(errs) {
		wait.Go(func() {
			for i := next.Add(1); i <= int64(n) && ctx.Err() == nil; i = next.Add(1) {
				body := fmt.Sprintf(`{"email": "person%d@example.org", "first_name": "Person", "last_name": "Number %d"}`, i, i)
				got, err := a.ask(post("/v2/account/institution/accounts", signed, body))
				if err == nil && got.status != http.StatusCreated {
					err = fmt.Errorf("an account was not made: %d %s", got.status, got.body)
				}
				if err != nil {
					errs <- err
					return
				}
			}
		})
	}
	wait.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return ctx.Err()
	}
}

// mine are the pages of the person who has all items, and those of people in the administration.
func (a *alcove) mine(ctx context.Context, program, prefix string, clients int) ([]measure, error) {
	session, err := a.enter(ctx, program, "bench@example.org")
	if err != nil {
		return nil, err
	}
	admin, err := a.enter(ctx, program, "admin@example.org")
	if err != nil {
		return nil, err
	}
	var list []measure
	for _, page := range []struct{ name, at string }{
		{"account: page", "/account"}, {"my data: page", "/account/items"}, {"my data, page 20: page", "/account/items?page=20"}, {"my data, searched: page", "/account/items?q=measured"},
		{"form of an item: page", ""},
	} {
		next := always(get(page.at, asBrowser+session))
		if page.at == "" {
			next = func() []byte {
				return get(fmt.Sprintf("/account/articles/%d/edit", a.ids[int(serial.Add(1))%len(a.ids)]), asBrowser+session)
			}
		}
		t := trial{server: a.server, clients: clients, next: next, want: 200}
		list = append(list, measure{prefix + page.name, t.run})
	}
	for _, page := range []struct{ name, at string }{
		{"people: page", ""}, {"people, page 100: page", "?page=100"}, {"people, by name: page", "?name=number+97"}, {"people, by mail: page", "?name=person876%40example.org"},
	} {
		t := trial{server: a.server, clients: clients, next: always(get("/account/admin/people"+page.at, asBrowser+admin)), want: 200}
		list = append(list, measure{prefix + page.name, t.run})
	}
	return list, nil
}
