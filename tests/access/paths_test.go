package access

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// An address where a path is asked for is refused, whatever its scheme is, and makes no file of
// that name. A path that really has such a name is written with ./ before it.
func TestAddressIsNoPath(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	top := t.TempDir()
	dest := filepath.Join(top, "backups")
	s.BackedUp(dest)
	items := filepath.Join(top, "items.jsonl")
	disk.WriteFile(t, items, []byte("{\"title\": \"A line\"}\n"))
	data := "--data=" + s.Cfg.Data
	for name, args := range map[string][]string{
		"backup":          {"backup", "create", "s3://bucket/x", data},
		"in restic's way": {"backup", "create", "sftp:me@host:/backups", data},
		"in rsync's way":  {"backup", "create", "me@host:/backups", data},
		"a file address":  {"backup", "create", "file:///backups", data},
		"list":            {"backup", "list", "s3://bucket/x"},
		"verify":          {"backup", "verify", "s3://bucket/x"},
		"prune":           {"backup", "prune", "s3://bucket/x", "--keep", "1"},
		"restore from":    {"restore", "s3://bucket/x", top + "/new"},
		"restore to":      {"restore", dest, "s3://bucket/new"},
		"data":            {"account", "list", "--data", "s3://bucket/x"},
		"served data":     {"serve", "--data", "gs://bucket/x"},
		"demo data":       {"demo", "--data", "gs://bucket/x"},
		"configuration":   {"account", "list", "--config", "https://host/alcove.toml"},
		"certificate":     {"serve", data, "--tls", "files", "--tls-cert", "vault://cert", "--tls-key", "key"},
		"scheduled":       {"serve", data, "--backup-dir", "s3://bucket/x"},
		"repair":          {"check", data, "--repair", "--from", "s3://bucket/x"},
		"import":          {"import", data, "--account", "1", "https://host/items.jsonl"},
		"deposit":         {"deposit", "--to", s.URL, "--token-file", "vault://token", items},
		"deposit's state": {"deposit", "--to", s.URL, "--token-file", items, "--state", "s3://bucket/state", items},
		"deposit's lines": {"deposit", "--to", s.URL, "--token-file", items, "s3://bucket/items.jsonl"},
		"options":         {"group", "field", "add", data, "--group", "1", "--name", "N", "--options-file", "s3://options"},
	} {
		cwd := t.TempDir()
		out, msg, status := world.AlcoveIn(t, cwd, args...)
		want := "is an address, not a path"
		if name == "scheduled" {
			want = "must be an absolute path"
		}
		if status == 0 || !strings.Contains(msg, want) {
			t.Errorf("%s: %d: %s%s", name, status, out, msg)
		}
		if made, err := os.ReadDir(cwd); err != nil || len(made) > 0 {
			t.Errorf("%s made %v", name, made)
		}
	}
	cwd := t.TempDir()
	if out, msg, status := world.AlcoveIn(t, cwd, "backup", "create", "./s3:/x", data); status != 0 {
		t.Errorf("a directory with such a name: %d: %s%s", status, out, msg)
	}
	if _, err := os.Stat(filepath.Join(cwd, "s3:", "x", "snapshots")); err != nil {
		t.Error(err)
	}
	if out, msg, status := world.AlcoveIn(t, cwd, "deposit", "--to", "ftp://host/v2", "--token-file", items, items); status == 0 || !strings.Contains(msg, "is not an address") {
		t.Errorf("a server at ftp: %d: %s%s", status, out, msg)
	}
}
