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
	"time"
)

// site is the public server: HTTP without a token.
type site struct {
	base   string // without /v2
	client http.Client
}

func newSite(base string) *site {
	return &site{base: base, client: http.Client{Timeout: 5 * time.Minute}}
}

// json sends a request and decodes the reply, which must be 200.
func (s *site) json(ctx context.Context, method, path string, body []byte, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, s.base+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("cannot make the request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 256<<20))
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s answered %s: %.200q", method, path, resp.Status, text)
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

// download reads a file to its end and returns its size and md5.
func (s *site) download(ctx context.Context, address string) (int64, string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, "", fmt.Errorf("cannot make the request: %w", err)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return 0, "", fmt.Errorf("%s answered %s", address, resp.Status)
	}
	h := md5.New()
	n, err := io.Copy(h, resp.Body)
	if err != nil {
		return n, "", fmt.Errorf("%s: %w", address, err)
	}
	return n, hex.EncodeToString(h.Sum(nil)), nil
}

// licences returns the ids that the server offers.
func (s *site) licences(ctx context.Context) (map[int]bool, error) {
	var list []struct {
		Value int `json:"value"`
	}
	if err := s.json(ctx, http.MethodGet, "/v2/licenses", nil, &list); err != nil {
		return nil, err
	}
	offered := map[int]bool{}
	for _, l := range list {
		offered[l.Value] = true
	}
	return offered, nil
}

// retrievable is how many entries of a list can be read without a cursor.
const retrievable = 9000

// walk lists all public articles, by pages and again by offsets, and returns
// their ids. Both ways must show the same.
func (s *site) walk(ctx context.Context) (ids []int64, differences []string, err error) {
	byPage, err := s.list(ctx, func(i int) string { return fmt.Sprintf("page=%d&page_size=1000", i+1) }, 1000)
	if err != nil {
		return nil, nil, err
	}
	byOffset, err := s.list(ctx, func(i int) string { return fmt.Sprintf("offset=%d&limit=700", i*700) }, 700)
	if err != nil {
		return nil, nil, err
	}
	if fmt.Sprint(byPage) != fmt.Sprint(byOffset) {
		differences = append(differences, fmt.Sprintf("the list by pages (%d) differs from the list by offsets (%d)", len(byPage), len(byOffset)))
	}
	seen := map[int64]bool{}
	for _, id := range byPage {
		if seen[id] {
			differences = append(differences, fmt.Sprintf("the list shows article %d twice", id))
			continue
		}
		seen[id] = true
		ids = append(ids, id)
	}
	return ids, differences, nil
}

// list reads pages of the given size until a short one.
func (s *site) list(ctx context.Context, query func(i int) string, size int) ([]int64, error) {
	var ids []int64
	for i := 0; (i+1)*size <= retrievable; i++ {
		var page []struct {
			ID int64 `json:"id"`
		}
		if err := s.json(ctx, http.MethodGet, "/v2/articles?"+query(i), nil, &page); err != nil {
			return nil, err
		}
		for _, a := range page {
			ids = append(ids, a.ID)
		}
		if len(page) < size {
			break
		}
	}
	return ids, nil
}
