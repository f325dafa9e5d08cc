package index

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/index/segments"

	api "github.com/blevesearch/bleve_index_api"
)

// prepared makes a store of ten articles with a closed index of several segments.
func prepared(t *testing.T) (string, *bucket.DB) {
	dir := t.TempDir()
	db := openStore(t, dir)
	ix := openIndex(t, dir, db)
	for i := int64(1); i <= 10; i++ {
		publish(t, db, i, title(fmt.Sprintf("glacier number%d", i)), nil)
		wait(t, ix, db)
	}
	unpublish(t, db, 5)
	wait(t, ix, db)
	closeIndex(t, ix)
	return dir, db
}

// answers checks that a reopened index finds what the store has, and follows it.
func answers(t *testing.T, dir string, db *bucket.DB) *Index {
	t.Helper()
	ix := openIndex(t, dir, db)
	wait(t, ix, db)
	want(t, ix, "glacier", 1, 2, 3, 4, 6, 7, 8, 9, 10)
	want(t, ix, "number7", 7)
	publish(t, db, 11, title("glacier after"), nil)
	wait(t, ix, db)
	want(t, ix, "after", 11)
	want(t, ix, "glacier NOT number1", 2, 3, 4, 6, 7, 8, 9, 10, 11)
	return ix
}

func pathsIn(t *testing.T, dir string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, "index"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.Contains(path, "public-") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func TestEveryFileDamaged(t *testing.T) {
	write := func(t *testing.T, path string, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, harm := range map[string]func(t *testing.T, path string, b []byte){
		"removed":  func(t *testing.T, path string, b []byte) { os.Remove(path) },
		"empty":    func(t *testing.T, path string, b []byte) { write(t, path, nil) },
		"half":     func(t *testing.T, path string, b []byte) { write(t, path, b[:len(b)/2]) },
		"one page": func(t *testing.T, path string, b []byte) { write(t, path, b[:min(len(b), 4096)]) },
		"cut off":  func(t *testing.T, path string, b []byte) { write(t, path, b[:len(b)-1]) },
		"garbage": func(t *testing.T, path string, b []byte) {
			rand.Read(b)
			write(t, path, b)
		},
		"garbage inside": func(t *testing.T, path string, b []byte) {
			rand.Read(b[len(b)/4 : len(b)*3/4])
			write(t, path, b)
		},
		"flipped bit": func(t *testing.T, path string, b []byte) {
			b[len(b)/2] ^= 1
			write(t, path, b)
		},
		"zeros": func(t *testing.T, path string, b []byte) { write(t, path, make([]byte, len(b))) },
		"a directory": func(t *testing.T, path string, b []byte) {
			os.Remove(path)
			os.MkdirAll(filepath.Join(path, "x"), 0o700)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for n := 0; ; n++ {
				dir, db := prepared(t)
				paths := pathsIn(t, dir)
				if n == 0 && len(paths) < 2 {
					t.Fatalf("only %v to damage", paths)
				}
				if n == len(paths) || n == 3 {
					return
				}
				path := paths[len(paths)-1-n] // root.bolt is the last by name, then the newest segment
				if n == 2 {
					path = paths[0]
				}
				b, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				harm(t, path, b)
				answers(t, dir, db)
			}
		})
	}
}

func TestWholeDirectoryDamaged(t *testing.T) {
	for name, harm := range map[string]func(dir string) error{
		"deleted": func(dir string) error { return os.RemoveAll(dir) },
		"a file": func(dir string) error {
			os.RemoveAll(dir)
			return os.WriteFile(dir, []byte("not a directory"), 0o600)
		},
		"foreign content": func(dir string) error {
			os.RemoveAll(dir)
			os.MkdirAll(filepath.Join(dir, "public-000007", "store"), 0o700)
			return os.WriteFile(filepath.Join(dir, "public-000007", "index_meta.json"), []byte("{"), 0o600)
		},
		"a file as index": func(dir string) error {
			os.RemoveAll(dir)
			os.MkdirAll(dir, 0o700)
			return os.WriteFile(filepath.Join(dir, "public-000003"), nil, 0o600)
		},
		"empty index": func(dir string) error {
			os.RemoveAll(dir)
			return os.MkdirAll(filepath.Join(dir, "public-000001"), 0o700)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, db := prepared(t)
			if err := harm(filepath.Join(dir, "index")); err != nil {
				t.Fatal(err)
			}
			answers(t, dir, db)
		})
	}
}

// An index that another program, another log or an unfinished build left is not used.
func TestUnusableIndex(t *testing.T) {
	for name, spoil := range map[string]func(*api.Batch){
		"another fingerprint": func(b *api.Batch) { b.SetInternal(keyFingerprint, []byte("older")) },
		"no fingerprint":      func(b *api.Batch) { b.DeleteInternal(keyFingerprint) },
		"unfinished":          func(b *api.Batch) { b.DeleteInternal(keyComplete) },
		"ahead of the store":  func(b *api.Batch) { b.SetInternal(keyPosition, position{seq: 1 << 40}.encode()) },
		"of another history":  func(b *api.Batch) { b.SetInternal(keyPosition, position{seq: 5}.encode()) },
		"no position":         func(b *api.Batch) { b.DeleteInternal(keyPosition) },
		"a document missing":  func(b *api.Batch) { b.Delete(key{'a', 7}.doc()) },
		"a document too many": func(b *api.Batch) { b.Update((&item{key: key{'a', 99}, name: "article"}).doc()) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, db := prepared(t)
			g, err := openGeneration(filepath.Join(dir, "index", "public-000001"), time.Minute, func(error) {})
			if err != nil {
				t.Fatal(err)
			}
			b := api.NewBatch()
			spoil(b)
			persisted := make(chan error, 1)
			b.SetPersistedCallback(func(err error) { persisted <- err })
			if err := g.scorch.Batch(b); err != nil {
				t.Fatal(err)
			}
			if err := <-persisted; err != nil {
				t.Fatal(err)
			}
			g.close()
			ix := openIndex(t, dir, db)
			awaitRebuilt(t, ix)
			closeIndex(t, ix)
			if ix := answers(t, dir, db); ix.public.number < 2 {
				t.Error("the index was used as it was")
			}
		})
	}
}

// awaitRebuilt returns when the index has been built again.
func awaitRebuilt(t *testing.T, ix *Index) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for {
		ix.public.mu.Lock()
		built, moved := ix.public.built, ix.public.moved
		ix.public.mu.Unlock()
		if built > 0 {
			return
		}
		select {
		case <-moved:
		case <-ctx.Done():
			t.Fatalf("it was not built again: %+v", ix.Status())
		}
	}
}

// A damaged segment is gone before Bleve reads a length in it; what is whole stays.
func TestSift(t *testing.T) {
	dir, _ := prepared(t)
	at := filepath.Join(dir, "index", "public-000001")
	before, err := filepath.Glob(filepath.Join(at, "*"))
	if err != nil || len(before) < 2 {
		t.Fatal(before, err)
	}
	half := filepath.Join(at, "00000000ffff.zap") // as a crash leaves it
	if err := os.WriteFile(half, []byte("half a segment"), 0o600); err != nil {
		t.Fatal(err)
	}
	checked, err := verifySegments(context.Background(), at)
	after, _ := filepath.Glob(filepath.Join(at, "*"))
	if !checked || err != nil || !slices.Equal(before, after) {
		t.Errorf("%v, %v: %v is now %v", checked, err, before, after)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := verifySegments(ctx, at); err == nil {
		t.Error("it does not end with its context")
	}
}

// Whatever byte of a segment is changed, the check of the files says so.
func TestVerify(t *testing.T) {
	dir, _ := prepared(t)
	paths, err := filepath.Glob(filepath.Join(dir, "index", "public-000001", "*.zap"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	if err := segments.VerifyAll(context.Background(), append(paths, filepath.Join(dir, "merged away"))); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, b []byte) {
		t.Helper()
		if err := os.WriteFile(paths[0], b, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := segments.VerifyAll(context.Background(), paths); err == nil {
			t.Errorf("%s was not noticed", what)
		}
	}
	for i := range whole {
		b := bytes.Clone(whole)
		b[i] ^= 0x10
		check(fmt.Sprintf("byte %d of %d", i, len(whole)), b)
	}
	check("a lost end", whole[:len(whole)-1])
	check("an empty file", nil)
	check("bytes behind the end", append(bytes.Clone(whole), 0, 0, 0, 0))
}
