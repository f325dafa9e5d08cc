package access

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/cli/operate"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// A token is nowhere but with its owner (security.md B05, B10, B17). Neither the token nor the
// password is in any file of the data directory or of a backup, nor in the log, in any form; the
// store has the token's SHA-256, by which it is looked up, and the password's argon2id hash.
func TestThreatSecretsAtRest(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	const password = "correct horse battery staple"
	if _, err := operate.AddAccount(t.Context(), s.DB(), operate.NewAccount{Email: "dora@example.org", FirstName: "Dora", LastName: "Tester", Password: password}); err != nil {
		t.Fatal(err)
	}
	token, err := operate.AddToken(t.Context(), s.DB(), "dora@example.org", "hers")
	if err != nil {
		t.Fatal(err)
	}
	dora := world.Client{Server: s, Token: token}
	dora.Upload(dora.Article(`{"title": "Written by Dora"}`), "a.bin", disk.Random(5000, 3))
	s.Anon.Get("/v2/account?access_token=" + token).Is(200)
	s.Anon.Get("/v2/articles?search_for=" + token + "&access_token=" + token)
	backup := filepath.Join(t.TempDir(), "backup")
	if out, err := exec.Command("alcove", "backup", "create", backup, "--data", s.Cfg.Data).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.Stop()
	raw, _ := hex.DecodeString(strings.TrimPrefix(token, "alc_"))
	secrets := map[string][]byte{
		"the token": []byte(token), "its digits": []byte(token[4:]), "its bits": raw, "half of it": []byte(token[4:36]),
		"its base64": []byte(base64.StdEncoding.EncodeToString([]byte(token))), "the password": []byte(password),
	}
	files, hashed, salted := 0, 0, 0
	for _, dir := range []string{s.Cfg.Data, backup} {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			b, err := os.ReadFile(path)
			for what, secret := range secrets {
				if bytes.Contains(b, secret) {
					t.Errorf("%s is in %s", what, path)
				}
			}
			files++
			if bytes.Contains(b, []byte(auth.TokenKey(token))) {
				hashed++
			}
			if regexp.MustCompile(`\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}`).Match(b) {
				salted++
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 10 || hashed < 2 || salted < 2 {
		t.Errorf("of %d files %d have the hash of the token and %d that of the password", files, hashed, salted)
	}
	for what, secret := range secrets {
		if bytes.Contains(s.Logs.Bytes(), secret) {
			t.Errorf("%s is in the log", what)
		}
	}
}

// A token is found by its whole SHA-256 or not at all (security.md B10). Whatever is wrong with
// one, and where, the answer is the same; nothing is compared with it byte by byte.
func TestThreatTokensAlmostRight(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	key := auth.TokenKey(s.Ada.Token)
	err := s.DB().View(func(tx *bucket.Tx) error {
		for row, err := range users.Tokens.All(tx, nil) {
			if err != nil {
				return err
			}
			if len(row.Key) != 64 || strings.Trim(row.Key, "0123456789abcdef") != "" {
				t.Errorf("a token is stored under %q", row.Key)
			}
		}
		if !users.Tokens.Has(tx, key) {
			t.Error("the token is not stored under its SHA-256")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Ada.Get("/v2/account").Is(200)
	want := ""
	almost := []string{key, strings.ToUpper(s.Ada.Token), s.Ada.Token[1:], s.Ada.Token + "0", strings.TrimPrefix(s.Ada.Token, "alc_")}
	for i := range s.Ada.Token {
		b := []byte(s.Ada.Token)
		b[i] ^= 1
		almost = append(almost, string(b), s.Ada.Token[:i])
	}
	for i, token := range almost {
		if token == "" {
			continue
		}
		s.Anon = world.Client{Server: s, Token: token}
		r := s.Anon.Get("/v2/account", "X-Forwarded-For", fmt.Sprintf("10.0.%d.%d", i/256, i%256))
		if r.StatusCode == 429 { // many wrong ones from one address
			continue
		}
		if got := r.Is(401); want == "" {
			want = string(got.Bytes)
		} else if string(got.Bytes) != want {
			t.Errorf("token %d is answered %s", i, got.Bytes)
		}
	}
	s.Anon = world.Client{Server: s, Token: ""}
}
