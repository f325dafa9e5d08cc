//go:build generated

// Command goclient takes an item through its life with the client that oapi-codegen makes: it is
// created, listed, updated, given a file, published, searched for and downloaded. It ends at the
// first answer that the client cannot read, or that does not say what was written.
package main

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"alcove/tools/goclient/api"
)

const title, tag = "An item of a generated client", "generatedclient"

func main() {
	if err := run(context.Background(), os.Getenv("ALCOVE_URL"), os.Getenv("ALCOVE_TOKEN")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("created, listed, updated, uploaded, published, searched, downloaded")
}

func run(ctx context.Context, server, token string) error {
	authorise := func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "token "+token)
		return nil
	}
	c, err := api.NewClientWithResponses(server, api.WithRequestEditorFn(authorise))
	if err != nil {
		return err
	}
	id, err := create(ctx, c)
	if err != nil {
		return err
	}
	data := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	file, err := upload(ctx, c, id, data)
	if err != nil {
		return err
	}
	if err := publish(ctx, c, id); err != nil {
		return err
	}
	got, err := c.GetFilesFileIdWithResponse(ctx, file, nil)
	if err != nil || !bytes.Equal(got.Body, data) {
		return fmt.Errorf("download: %w", or(err))
	}
	return nil
}

// or is an error, or one that says that there was an answer that is not the expected one.
func or(err error) error {
	if err == nil {
		return errors.New("another answer than expected")
	}
	return err
}

func create(ctx context.Context, c *api.ClientWithResponses) (int64, error) {
	titled, kind, name, grant := title, "dataset", "Grace Hopper", "Grant 12"
	made, err := c.PostAccountArticlesWithResponse(ctx, nil, api.PostAccountArticlesJSONRequestBody{
		Title: &titled, DefinedType: &kind, Tags: &[]string{tag}, Authors: &[]api.AuthorRef{{Name: &name}},
		CustomFields: &map[string]any{"number": 1.5, "list": []string{"a", "b"}},
		FundingList:  &[]api.FundingRef{{Title: &grant}},
	})
	if err != nil || made.JSON201 == nil {
		return 0, fmt.Errorf("create: %w", or(err))
	}
	id := made.JSON201.EntityId
	one := int64(1)
	list, err := c.GetAccountArticlesWithResponse(ctx, &api.GetAccountArticlesParams{Page: &one, PageSize: &one})
	if err != nil || list.JSON200 == nil || len(*list.JSON200) != 1 || (*list.JSON200)[0].Id != id {
		return 0, fmt.Errorf("list: %w", or(err))
	}
	text := "<p>Updated.</p>"
	changed, err := c.PatchAccountArticlesIdWithResponse(ctx, id, nil, api.ArticleBody{Description: &text})
	if err != nil || changed.StatusCode() != http.StatusResetContent {
		return 0, fmt.Errorf("update: %w", or(err))
	}
	read, err := c.GetAccountArticlesIdWithResponse(ctx, id, nil)
	if err != nil || read.JSON200 == nil || read.JSON200.Description == nil || *read.JSON200.Description != text {
		return 0, fmt.Errorf("read: %w", or(err))
	}
	return id, nil
}

func upload(ctx context.Context, c *api.ClientWithResponses, id int64, data []byte) (int64, error) {
	name, size, sum := "data.bin", int64(len(data)), md5.Sum(data)
	digits := hex.EncodeToString(sum[:])
	begun, err := c.PostAccountArticlesIdFilesWithResponse(ctx, id, nil, api.FileBody{Name: &name, Size: &size, Md5: &digits})
	if err != nil || begun.JSON201 == nil {
		return 0, fmt.Errorf("begin: %w", or(err))
	}
	var file int64
	if _, err := fmt.Sscan(begun.JSON201.Location[strings.LastIndexByte(begun.JSON201.Location, '/')+1:], &file); err != nil {
		return 0, err
	}
	known, err := c.GetAccountArticlesIdFilesFileIdWithResponse(ctx, id, file, nil)
	if err != nil || known.JSON200 == nil || known.JSON200.UploadToken == nil {
		return 0, fmt.Errorf("file: %w", or(err))
	}
	token := *known.JSON200.UploadToken
	plan, err := c.GetUploadTokenWithResponse(ctx, token)
	if err != nil || plan.JSON200 == nil {
		return 0, fmt.Errorf("parts: %w", or(err))
	}
	for _, p := range plan.JSON200.Parts {
		put, err := c.PutUploadTokenPartWithBodyWithResponse(ctx, token, int64(p.PartNo), "application/octet-stream", bytes.NewReader(data[p.StartOffset:p.EndOffset+1]))
		if err != nil || put.StatusCode() != http.StatusOK {
			return 0, fmt.Errorf("part %d: %w", p.PartNo, or(err))
		}
	}
	if _, err := c.PostAccountArticlesIdFilesFileIdWithResponse(ctx, id, file, nil); err != nil {
		return 0, fmt.Errorf("complete: %w", or(err))
	}
	for range 200 {
		known, err := c.GetAccountArticlesIdFilesFileIdWithResponse(ctx, id, file, nil)
		if err != nil || known.JSON200 == nil {
			return 0, fmt.Errorf("file: %w", or(err))
		}
		if s := known.JSON200.Status; s != nil && *s == "available" {
			return file, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return 0, fmt.Errorf("the file is not available after ten seconds")
}

func publish(ctx context.Context, c *api.ClientWithResponses, id int64) error {
	done, err := c.PostAccountArticlesIdPublishWithResponse(ctx, id, nil)
	if err != nil || done.JSON201 == nil {
		return fmt.Errorf("publish: %w", or(err))
	}
	public, err := c.GetArticlesIdWithResponse(ctx, id)
	if err != nil || public.JSON200 == nil || public.JSON200.Title == nil || *public.JSON200.Title != title || len(public.JSON200.Files) != 1 {
		return fmt.Errorf("public: %w", or(err))
	}
	words := ":tag: " + tag
	found, err := c.PostArticlesSearchWithResponse(ctx, nil, api.ArticleSearch{SearchFor: &words})
	if err != nil || found.JSON200 == nil || len(*found.JSON200) != 1 || (*found.JSON200)[0].Id != id {
		return fmt.Errorf("search: %w", or(err))
	}
	return nil
}
