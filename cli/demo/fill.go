// Package demo fills a repository with sample items, through its own API as any client
// would.
package demo

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"alcove/cli/demo/samples"
)

// Fill deposits the samples at a server. tokens are those of the accounts that own
// them, in the order of the samples' owners.
func Fill(ctx context.Context, base string, tokens []string) error {
	for _, it := range samples.Items() {
		c := client{ctx, base, tokens[it.Owner]}
		if err := c.deposit(it); err != nil {
			return fmt.Errorf("cannot deposit sample %q: %w", it.Title, err)
		}
	}
	if err := (client{ctx, base, tokens[0]}).collect(); err != nil {
		return fmt.Errorf("cannot make the sample collection: %w", err)
	}
	return nil
}

// collect publishes a collection of what there is about the pond, found as any reader
// would find it.
func (c client) collect() error {
	var found []struct {
		ID int64 `json:"id"`
	}
	search := fields{"search_for": ":title: pond", "page_size": 10}
	if err := c.call(http.MethodPost, c.base+"/v2/articles/search", search, 200, &found); err != nil {
		return err
	}
	ids := []int64{}
	for _, f := range found {
		ids = append(ids, f.ID)
	}
	var made struct {
		Location string `json:"location"`
	}
	body := fields{
		"title":       "Everything about Lantern Pond",
		"description": "<p>The invented pond in one place: measurements, pictures, and what was made of them.</p>",
		"authors":     []fields{{"name": "Ada Demo"}}, "tags": []string{"pond", "demonstration"},
		"categories": []int64{37}, "articles": ids,
	}
	if err := c.call(http.MethodPost, c.base+"/v2/account/collections", body, 201, &made); err != nil {
		return err
	}
	return c.call(http.MethodPost, made.Location+"/publish", nil, 201, nil)
}

type client struct {
	ctx         context.Context
	base, token string
}

type fields map[string]any

func (c client) deposit(it samples.Item) error {
	custom := fields{}
	for _, f := range it.CustomFields {
		custom[f.Name] = f.Value
	}
	authors := []fields{}
	for _, name := range it.Authors {
		authors = append(authors, fields{"name": name})
	}
	body := fields{
		"title": it.Title, "description": it.Description, "tags": list(it.Tags), "references": list(it.References),
		"categories": list(it.CategoryIDs), "authors": authors, "defined_type": it.DefinedType, "license": it.LicenseID,
		"funding": it.Funding, "custom_fields": custom,
	}
	var made struct {
		Location string `json:"location"`
	}
	if err := c.call(http.MethodPost, c.base+"/v2/account/articles", body, 201, &made); err != nil {
		return err
	}
	names, err := c.upload(made.Location, it.Files)
	if err != nil {
		return err
	}
	if e := it.Embargo; e != nil {
		body := fields{
			"is_embargoed": true, "embargo_type": "file", "embargo_title": e.Title, "embargo_reason": e.Reason,
			"embargo_date": time.Now().UTC().AddDate(0, 0, e.Days).Format(time.DateOnly),
		}
		if err := c.call(http.MethodPut, made.Location+"/embargo", body, 205, nil); err != nil {
			return err
		}
	}
	if !it.Publish {
		return nil
	}
	if err := c.call(http.MethodPost, made.Location+"/publish", nil, 201, nil); err != nil {
		return err
	}
	if it.SecondVersion == nil {
		return nil
	}
	return c.revise(made.Location, names, it.SecondVersion)
}

// revise publishes a second version. files are the addresses of the first one's, by name.
func (c client) revise(article string, files map[string]string, r *samples.Revision) error {
	if err := c.call(http.MethodPut, article, fields{"title": r.Title, "description": r.Description}, 205, nil); err != nil {
		return err
	}
	for _, name := range r.Removes {
		if err := c.call(http.MethodDelete, files[name], nil, 204, nil); err != nil {
			return err
		}
	}
	if _, err := c.upload(article, r.Files); err != nil {
		return err
	}
	return c.call(http.MethodPost, article+"/publish", nil, 201, nil)
}

// upload sends files in parts, and returns their addresses by name.
func (c client) upload(article string, files []samples.File) (map[string]string, error) {
	at := map[string]string{}
	for _, f := range files {
		data, err := f.Data()
		if err != nil {
			return nil, err
		}
		sum := md5.Sum(data)
		var made struct {
			Location string `json:"location"`
		}
		body := fields{"name": f.Name, "size": len(data), "md5": hex.EncodeToString(sum[:]), "folder_path": f.FolderPath}
		if err := c.call(http.MethodPost, article+"/files", body, 201, &made); err != nil {
			return nil, err
		}
		at[f.Name] = made.Location
		if err := c.send(made.Location, data); err != nil {
			return nil, fmt.Errorf("file %q: %w", f.Name, err)
		}
	}
	return at, nil
}

func (c client) send(file string, data []byte) error {
	var info struct {
		URL string `json:"upload_url"`
	}
	if err := c.call(http.MethodGet, file, nil, 200, &info); err != nil {
		return err
	}
	var plan struct {
		Parts []struct {
			No    int   `json:"partNo"`
			Start int64 `json:"startOffset"`
			End   int64 `json:"endOffset"`
		} `json:"parts"`
	}
	if err := c.call(http.MethodGet, info.URL, nil, 200, &plan); err != nil {
		return err
	}
	for _, p := range plan.Parts {
		if err := c.do(http.MethodPut, fmt.Sprintf("%s/%d", info.URL, p.No), bytes.NewReader(data[p.Start:p.End+1]), 200, nil); err != nil {
			return err
		}
	}
	return c.call(http.MethodPost, file, nil, 202, nil)
}

func (c client) call(method, url string, body fields, want int, to any) error {
	if body == nil {
		return c.do(method, url, http.NoBody, want, to)
	}
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.do(method, url, bytes.NewReader(b), want, to)
}

func (c client) do(method, url string, body io.Reader, want int, to any) error {
	ctx, cancel := context.WithTimeout(c.ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "token "+c.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return err
	}
	if res.StatusCode != want {
		return fmt.Errorf("%s answered %d: %s", method, res.StatusCode, strings.TrimSpace(string(reply)))
	}
	if to == nil {
		return nil
	}
	return json.Unmarshal(reply, to)
}

// list is never null in JSON.
func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}
