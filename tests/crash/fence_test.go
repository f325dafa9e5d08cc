package crash

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"alcove/bucket"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// note changes the settings record of a closed database, with its checksum.
func note(t *testing.T, path string, settings map[string]string) {
	t.Helper()
	b, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	err = b.Update(func(tx *bbolt.Tx) error {
		m, sum, table := tx.Bucket([]byte("meta")), uint32(0), crc32.MakeTable(crc32.Castagnoli)
		for k, v := range settings {
			if err := m.Put([]byte(k), []byte(v)); err != nil {
				return err
			}
		}
		err := m.ForEach(func(k, v []byte) error {
			if string(k) == "sum" {
				return nil
			}
			for _, part := range [][]byte{k, v} {
				sum = crc32.Update(sum, table, binary.BigEndian.AppendUint32(nil, uint32(len(part))))
				sum = crc32.Update(sum, table, part)
			}
			return nil
		})
		if err != nil {
			return err
		}
		return m.Put([]byte("sum"), binary.BigEndian.AppendUint32(nil, sum))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A database that only a newer version may open is refused by every command, which says so and
// changes nothing; and one that this version has written is refused by those from before it, which
// ask for the format.
func TestDowngradeRefused(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	s.Ada.Published("An item")
	backups := t.TempDir()
	s.BackedUp(backups)
	s.Stop()
	path := filepath.Join(s.Cfg.Data, bucket.FileName)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	note(t, path, map[string]string{"schema number": "900", "least reader": "899"})
	newer, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := filepath.Join(t.TempDir(), "lines.jsonl")
	disk.WriteFile(t, lines, []byte(`{"title": "An item", "authors": [{"name": "A B"}]}`+"\n"))
	for _, args := range [][]string{
		{"serve", "--listen", "127.0.0.1:0", "--tls", "off"}, {"check"}, {"check", "--repair"}, {"compact"}, {"account", "list"}, {"group", "list"},
		{"account", "add", "--email", "new@example.org", "--first-name", "A", "--last-name", "B"}, {"token", "add", "--account", "ada@example.org"}, {"backup", "create", backups}, {"index", "status"}, {"audit"}, {"import", "--account", "ada@example.org", lines},
	} {
		out, msg, status := world.AlcoveRun(t, append(args, "--data", s.Cfg.Data)...)
		if status == 0 || !strings.Contains(msg, "newer version of Alcove") {
			t.Errorf("%q: %d: %s%s", args, status, out, msg)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, newer) {
			t.Fatalf("%q has changed the database: %v", args, err)
		}
	}
	copies, err := filepath.Glob(filepath.Join(backups, "snapshots", "*", bucket.FileName))
	if err != nil || len(copies) != 1 {
		t.Fatal(copies, err)
	}
	note(t, copies[0], map[string]string{"schema number": "900", "least reader": "899"})
	dir := filepath.Join(t.TempDir(), "restored")
	if out, msg, status := world.AlcoveRun(t, "restore", backups, dir); status == 0 || !strings.Contains(msg, "newer version of Alcove") {
		t.Errorf("restore: %d: %s%s", status, out, msg)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("restore has made a directory")
	}
	disk.WriteFile(t, path, good)
	s.Boot()
	if name := formatNoted(s, path); name != "2" {
		t.Errorf("its format is %q; what reads the format 1 would take it", name)
	}
}

// formatNoted is the format of a database, which is open.
func formatNoted(s *world.Server, path string) (format string) {
	s.T.Helper()
	s.Stop()
	b, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		s.T.Fatal(err)
	}
	defer s.Boot()
	defer b.Close()
	err = b.View(func(tx *bbolt.Tx) error {
		format = string(tx.Bucket([]byte("meta")).Get([]byte("format")))
		return nil
	})
	if err != nil {
		s.T.Fatal(err)
	}
	return format
}
