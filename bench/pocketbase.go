package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// The requests to PocketBase: a page of ten without descriptions, with the count of all as it
// does by default, and in its fast mode without.
const (
	pbList = "/api/collections/items/records?perPage=10&sort=-published&fields=id,title,doi,url,type,published"
	pbFast = pbList + "&skipTotal=1"
)

// startPocketBase fills PocketBase when it has no data yet, then starts it again to
// measure. Its data stand in pb/ beside items.jsonl.
func startPocketBase(ctx context.Context, dir, corpus, program string) (*server, error) {
	data := filepath.Join(corpus, "pb")
	full := filepath.Join(corpus, "pb.full")
	if _, err := os.Stat(full); err != nil {
		if err := os.RemoveAll(data); err != nil {
			return nil, fmt.Errorf("cannot begin PocketBase again: %w", err)
		}
		s, err := servePocketBase(ctx, dir, data, program)
		if err != nil {
			return nil, err
		}
		s.stop()
		if err := os.WriteFile(full, nil, 0o600); err != nil {
			return nil, fmt.Errorf("cannot note that PocketBase is full: %w", err)
		}
	}
	return servePocketBase(ctx, dir, data, program)
}

func servePocketBase(ctx context.Context, dir, data, program string) (*server, error) {
	listen, err := freeAddress()
	if err != nil {
		return nil, err
	}
	return startServer(ctx, dir, "pocketbase", listen, "/api/health", false, program, "serve", "--dir", data, "--http", listen)
}
