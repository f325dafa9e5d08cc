package load

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// loads runs an import of a text into a store.
func loads(t *testing.T, ctx context.Context, o Options, text string) (Summary, string, error) {
	t.Helper()
	if o.Items == "" {
		o.Items = filepath.Join(t.TempDir(), "items.jsonl")
	}
	if err := os.WriteFile(o.Items, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	o.Out = &out
	sum, err := Run(ctx, o)
	return sum, out.String(), err
}

// An account's quota holds for what is loaded, in the order of the lines, and many lines
// that break it in one commit do not hold up the others.
func TestFilesAndQuota(t *testing.T) {
	l, done := open(t, t.TempDir())
	defer done()
	dir := t.TempDir()
	var text strings.Builder
	for i := range 40 {
		name := fmt.Sprintf("f%d.bin", i)
		if err := os.WriteFile(filepath.Join(dir, name), bytes.Repeat([]byte{byte(i)}, 1<<10), 0o600); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, `{"key": "%d", "title": "With a file", "authors": [{"name": "Ada"}], "files": ["%s"], "publish": true}`+"\n", i, name)
	}
	sum, out, err := loads(t, t.Context(), Options{Loader: l, Items: filepath.Join(dir, "items.jsonl")}, text.String())
	if sum.Loaded != 10 || sum.Refused != 30 || err == nil {
		t.Errorf("%+v %v\n%s", sum, err, out)
	}
}

// Lines of every form are counted as what they are.
func TestLines(t *testing.T) {
	l, done := open(t, t.TempDir())
	defer done()
	text := "\ufeff" + `{"title": "First of two"}` + "\r\n\n" + `{"title": "First of two"}` + "\n" +
		`{"key": "k", "title": "With a key", "categories_by_source_id": ["?"]}` + "\n" + `{"key": "k", "title": "With a key", "categories_by_source_id": ["?"]}` + "\n" +
		`{"key": "` + strings.Repeat("long", 20000) + `", "title": "With a long key"}` + "\n" +
		`{"title": "Cut off` + "\n" + `[]` + "\n" + `{"title": "Too large", "description": "` + strings.Repeat("x", 1<<20) + `"}` + "\n" +
		`{"title": "` + "\xff" + `"}` + "\n" + `{"title": "The last one"}`
	want := Summary{Lines: 10, Loaded: 5, Already: 1, Refused: 4, Warned: 1}
	for _, w := range []Summary{want, {Lines: 10, Already: 6, Refused: 4}} {
		sum, out, err := loads(t, t.Context(), Options{Loader: l}, text)
		if sum != w || err == nil {
			t.Errorf("%+v, want %+v: %v\n%.2000s", sum, w, err, out)
		}
	}
}

// A run that is stopped says so, and the next one goes on.
func TestStop(t *testing.T) {
	l, done := open(t, t.TempDir())
	defer done()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	text := string(benchItems(600))
	if sum, _, err := loads(t, ctx, Options{Loader: l}, text); err == nil || sum.Loaded > 0 {
		t.Error(sum, err)
	}
	if sum, _, err := loads(t, t.Context(), Options{Loader: l}, text); err != nil || sum.Loaded != 600 {
		t.Error(sum, err)
	}
}

// torn are files in which a call panics.
type torn struct{ read, folder bool }

func (f torn) Read(context.Context, string) (io.ReadCloser, error) {
	if f.read {
		panic("torn")
	}
	return io.NopCloser(strings.NewReader("six\n")), nil
}

func (torn) Size(string) (int64, error) { return 4, nil }

func (f torn) FolderOf(string) string {
	if f.folder {
		panic("torn")
	}
	return ""
}

// A panic, wherever a line is read or prepared, is an error of the run: a server that loads for a command goes on.
func TestPanicEndsTheRun(t *testing.T) {
	l, done := open(t, t.TempDir())
	defer done()
	line := []byte(`{"key": "a", "title": "With a file", "authors": [{"name": "Ada"}], "files": ["a.txt"], "publish": true}`)
	for _, files := range []torn{{read: true}, {folder: true}} {
		if sum, err := One(t.Context(), Options{Loader: l, Out: io.Discard}, "a", line, files); err == nil || !strings.Contains(err.Error(), "panic: torn") || sum.Loaded > 0 {
			t.Errorf("%+v: %+v, %v", files, sum, err)
		}
	}
	if sum, err := One(t.Context(), Options{Loader: l, Out: io.Discard}, "a", line, torn{}); err != nil || sum.Loaded != 1 {
		t.Error(sum, err)
	}
}
