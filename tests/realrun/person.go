package main

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// person is an account with a token.
type person struct {
	*site
	name  string
	user  int64 // by which others name it
	token string
}

// person makes an account with an address, and signs it in.
func (b *bench) person(ctx context.Context, name, email string) (*person, error) {
	token, err := b.Signed(ctx, email, name, "Run")
	if err != nil {
		return nil, err
	}
	p := &person{site: newSite(b.Base()), name: name, token: token}
	text, _, err := p.call(ctx, http.MethodGet, "/v2/account", nil)
	if err != nil {
		return nil, err
	}
	var account struct {
		User int64 `json:"user_id"`
	}
	err = json.Unmarshal(text, &account)
	p.user = account.User
	return p, err
}

// call sends JSON, or nothing for nil, and wants a status of success. It returns the body
// and the Location.
func (p *person) call(ctx context.Context, method, path string, body any) ([]byte, string, error) {
	var content io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, "", fmt.Errorf("cannot encode a body: %w", err)
		}
		content = bytes.NewReader(b)
	}
	return p.send(ctx, method, path, content)
}

func (p *person) send(ctx context.Context, method, path string, body io.Reader) ([]byte, string, error) {
	req, err := http.NewRequestWithContext(ctx, method, p.base+strings.TrimPrefix(path, p.base), body)
	if err != nil {
		return nil, "", fmt.Errorf("cannot make the request: %w", err)
	}
	req.Header.Set("Authorization", "token "+p.token)
	res, err := p.client.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	const most = 16 << 20
	text, err := io.ReadAll(io.LimitReader(res.Body, most))
	if err == nil && res.StatusCode/100 != 2 {
		err = fmt.Errorf("answered %s: %.200s", res.Status, text)
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s: %s %s: %w", p.name, method, path, err)
	}
	return text, strings.TrimPrefix(res.Header.Get("Location"), p.base), nil
}

// make creates something and returns its address below /v2/account and its id.
func (p *person) make(ctx context.Context, path string, body any) (at string, id int64, err error) {
	_, at, err = p.call(ctx, http.MethodPost, path, body)
	if err != nil {
		return "", 0, err
	}
	id, err = strconv.ParseInt(at[strings.LastIndexByte(at, '/')+1:], 10, 64)
	if err != nil {
		return "", 0, fmt.Errorf("POST %s: the Location %q ends in no id", path, at)
	}
	return at, id, nil
}

// upload puts one small file into an article.
func (p *person) upload(ctx context.Context, article, name, folder, content string) (int64, error) {
	sum := md5.Sum([]byte(content))
	at, id, err := p.make(ctx, article+"/files", map[string]any{
		"name": name, "size": len(content), "md5": hex.EncodeToString(sum[:]), "folder_path": folder,
	})
	if err != nil {
		return 0, err
	}
	text, _, err := p.call(ctx, http.MethodGet, at, nil)
	if err != nil {
		return 0, err
	}
	var file struct {
		Upload string `json:"upload_url"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return 0, fmt.Errorf("GET %s: %w", at, err)
	}
	if _, _, err := p.send(ctx, http.MethodPut, file.Upload+"/1", strings.NewReader(content)); err != nil {
		return 0, err
	}
	_, _, err = p.call(ctx, http.MethodPost, at, nil)
	return id, err
}

// link makes a private link to an item and keeps its token from strangers.
func (p *person) link(ctx context.Context, w *words, item string, body any) error {
	_, at, err := p.call(ctx, http.MethodPost, item+"/private_links", body)
	if err != nil {
		return err
	}
	w.keep(at[strings.LastIndexByte(at, '/')+1:], "the private link of "+item)
	return nil
}
