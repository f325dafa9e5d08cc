package stories

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"alcove/auth"
	"alcove/tests/world"
)

const (
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	base32  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

// some returns random letters of an alphabet.
func some(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[mathrand.IntN(len(alphabet))]
	}
	return string(b)
}

// body returns random bytes as the lines of an armour.
func body(n int) string {
	raw := make([]byte, n)
	rand.Read(raw)
	var lines strings.Builder
	for text := base64.StdEncoding.EncodeToString(raw); text != ""; {
		n := min(64, len(text))
		lines.WriteString(text[:n] + "\n")
		text = text[n:]
	}
	return lines.String()
}

func armour(kind, text string) string {
	return "-----BEGIN " + kind + "-----\n" + text + "-----END " + kind + "-----\n"
}

// privateKeys returns a private key in five forms: PKCS #1, PKCS #8, SEC 1, OpenSSH, and OpenSSH with a passphrase.
func privateKeys(t *testing.T) (forms []string, public string) {
	t.Helper()
	big, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(edwards)
	if err != nil {
		t.Fatal(err)
	}
	sec1, err := x509.MarshalECPrivateKey(curve)
	if err != nil {
		t.Fatal(err)
	}
	open, err := ssh.MarshalPrivateKey(edwards, "me@example.org")
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := ssh.MarshalPrivateKeyWithPassphrase(big, "me", []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []*pem.Block{{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(big)}, {Type: "PRIVATE KEY", Bytes: pkcs8}, {Type: "EC PRIVATE KEY", Bytes: sec1}, open, sealed} {
		forms = append(forms, string(pem.EncodeToMemory(b)))
	}
	key, err := ssh.NewPublicKey(&big.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	return forms, string(ssh.MarshalAuthorizedKey(key))
}

// secretFiles returns 30 files with a secret each, by their paths.
func secretFiles(t *testing.T) map[string]string {
	keys, _ := privateKeys(t)
	return map[string]string{
		"keys/server.key":      keys[0],
		"pkcs8.pem":            keys[1],
		"ec.pem":               keys[2],
		"id_ed25519":           keys[3],
		"backup/id_rsa":        keys[4],
		"notebook.ipynb":       `{"cells": [{"source": ["key = \"` + strings.ReplaceAll(keys[0], "\n", `\n`) + `\""]}]}`,
		"secret.asc":           armour("PGP PRIVATE KEY BLOCK", "\n"+body(900)),
		"putty.ppk":            "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: me\nPublic-Lines: 4\n" + body(180) + "Private-Lines: 4\n" + body(180) + "Private-MAC: 00\n",
		"token":                auth.NewToken() + "\n",
		"upload.sh":            "curl -H 'Authorization: token " + auth.NewToken() + "' https://data.example.org/v2/account\n",
		"fetch.py":             "TOKEN = 'ghp_" + some(letters, 36) + "'\n",
		"fine.R":               "Sys.setenv(GITHUB_PAT = \"github_pat_" + some(letters, 82) + "\")\n",
		"oauth.txt":            "gho_" + some(letters, 36) + "\n",
		".gitlab-ci.yml":       "variables:\n  TOKEN: glpat-" + some(letters, 20) + "\n",
		"deploy.yml":           "deploy: gldt-" + some(letters, 20) + "\n",
		"runner.toml":          "token = \"glrt-" + some(letters, 20) + "\"\n",
		"aws.py":               "boto3.client('s3', aws_access_key_id='AKIA" + some(base32, 15) + "4')\n",
		".aws/credentials":     "[default]\naws_secret_access_key = " + some(letters+"/+", 40) + "\n",
		"export.sh":            "export AWS_SECRET_ACCESS_KEY=" + some(letters+"/+", 40) + "\n",
		"bot.js":               "const t = 'xoxb-" + some("123456789", 12) + "-" + some("123456789", 12) + "-" + some(letters, 24) + "'\n",
		"user.json":            `{"slack": "xoxp-` + some("123456789", 11) + "-" + some("123456789", 11) + "-" + some("123456789", 11) + "-" + some("0123456789abcdef", 32) + `"}`,
		"hook.md":              "https://hooks.slack.com/services/T" + some(base32, 8) + "/B" + some(base32, 8) + "/" + some(letters, 24) + "\n",
		".env":                 "DEBUG=1\nDB_PASSWORD=" + some(letters, 16) + "\n",
		"app/.env.production":  "SMTP_PASSWORD=\"" + some(letters, 12) + "\"\n",
		"url.env":              "DATABASE_URL=postgres://app:" + some(letters, 12) + "@db.example.org/app\n",
		".netrc":               "machine ftp.example.org\n  login me\n  password " + some(letters, 12) + "\n",
		"service-account.json": `{"type": "service_account", "private_key": "` + strings.ReplaceAll(keys[1], "\n", `\n`) + `"}`,
		"config/application_default_credentials.json": `{"type": "authorized_user", "refresh_token": "1//` + some(letters, 60) + `"}`,
		"azure.config": "DefaultEndpointsProtocol=https;AccountName=lab;AccountKey=" + some(letters+"+/", 86) + "==;\n",
		".kube/config": "users:\n- name: me\n  user:\n    token: " + some(letters, 40) + "\n",
	}
}

// plainFiles returns 30 files without a secret, by their paths; ten of them look like one.
func plainFiles(t *testing.T) map[string]string {
	keys, public := privateKeys(t)
	block, _ := pem.Decode([]byte(keys[0]))
	raw := sha256.Sum256(block.Bytes)
	uuids, sums, peptides := "sample,uuid\n", "", "sequence\n"
	for i := range 2000 {
		h := some("0123456789abcdef", 32)
		uuids += fmt.Sprintf("%d,%s-%s-%s-%s-%s\n", i, h[:8], h[8:12], h[12:16], h[16:20], h[20:])
		sums += some("0123456789abcdef", 64) + "  raw/" + fmt.Sprint(i) + ".fits\n"
		peptides += "AKIA" + some("ACDEFGHIKLMNPQRSTVWY", 16) + "\n"
	}
	noise := make([]byte, 3<<20)
	rand.Read(noise)
	files := map[string]string{
		"id_rsa.pub":      public,
		"public.pem":      armour("PUBLIC KEY", body(294)),
		"site.crt":        armour("CERTIFICATE", body(900)),
		"signature.asc":   armour("PGP SIGNATURE", "\n"+body(300)),
		"uuids.csv":       uuids,
		"SHA256SUMS":      sums,
		"peptides.csv":    peptides,
		"aes_vectors.rsp": "[ENCRYPT]\nCOUNT = 0\nKEY = " + hex.EncodeToString(raw[:]) + "\nPLAINTEXT = " + some("0123456789abcdef", 64) + "\n",
		"noise.bin":       string(noise),
		".env.example":    "API_TOKEN=" + some(letters, 30) + "\n",

		"README.md":       "# Survey\n\nThe key of station 7 is in column `key`. Run `ssh-keygen` before; keys begin with `-----BEGIN OPENSSH PRIVATE KEY-----`.\n",
		"analysis.py":     "password = getpass.getpass()\ntoken = os.environ['TOKEN']\n",
		"analysis.R":      "token <- Sys.getenv('GITHUB_PAT')\n",
		"config.yml":      "secret: ${SECRET}\npassword: <your password>\n",
		"aws.md":          "Set aws_access_key_id to AKIAIOSFODNN7EXAMPLE in ~/.aws/credentials.\n",
		"embedding.json":  `{"v": "` + base64.StdEncoding.EncodeToString(noise[:60000]) + `"}`,
		"notes/.env.dist": "TOKEN=change-me-now\n",
		"secrets.csv":     "country,bank_secrecy_score\nCH,72\n",
		"tokens.tsv":      "token\tlemma\nkeys\tkey\nprivate\tprivate\n",
		"credentials.txt": "Credentials of the reviewers: PhD, MD, MSc.\n",
	}
	for i := len(files); i < 30; i++ {
		files[fmt.Sprintf("run%02d.csv", i)] = "time,value\n0," + some("0123456789", 12) + "\n"
	}
	return files
}

// Of 30 folders with one secret each the tool sends nothing and exits with 5, naming file and rule and never the secret. Of 30
// folders without one, ten of which look as if they had one, it publishes all.
func TestSecretsAreNotSent(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	dir := t.TempDir()
	token := filepath.Join(dir, "upload-token")
	if err := os.WriteFile(token, []byte(s.Ada.Token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n := 0
	deposit := func(at, text string, more ...string) (said string, status int) {
		t.Helper()
		n++
		folder := filepath.Join(dir, fmt.Sprint("item", n))
		for name, text := range map[string]string{at: text, "data.csv": "a,b\n1,2\n"} {
			name = filepath.Join(folder, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		args := append([]string{"deposit", folder, "--publish", "--include-hidden", "--title", fmt.Sprint("Item ", n), "--author", "Ada Lovelace", "--license", "CC BY 4.0",
			"--to", s.URL, "--token-file", token}, more...)
		stdout, stderr, status := world.AlcoveRun(t, args...)
		return stdout + stderr, status
	}
	missed, alarms := 0, 0
	secret := secretFiles(t)
	for at, text := range secret {
		said, status := deposit(at, text)
		if status != 5 || !strings.Contains(said, "nothing was sent") || !strings.Contains(said, at+" (") {
			missed++
			t.Errorf("%s: %d %s", at, status, said)
		}
		for piece := range strings.FieldsSeq(text) {
			if len(piece) > 30 && strings.Contains(said, piece) {
				t.Errorf("%s: the secret is printed", at)
			}
		}
	}
	if made := s.Ada.Get("/v2/account/articles").Is(200).List(); len(made) > 0 {
		t.Errorf("%d items were made", len(made))
	}
	plain := plainFiles(t)
	for at, text := range plain {
		if said, status := deposit(at, text); status != 0 {
			alarms++
			t.Errorf("%s: %d %s", at, status, said)
		}
	}
	t.Logf("%d folders with a secret: %d sent; %d without: %d false alarms", len(secret), missed, len(plain), alarms)
	if len(secret) != 30 || len(plain) != 30 {
		t.Errorf("%d and %d folders", len(secret), len(plain))
	}
	if said, status := deposit("id_ed25519", secret["id_ed25519"], "--allow-secret", "id_ed25519"); status != 0 {
		t.Errorf("allowed: %d %s", status, said)
	}
	if said, status := deposit("id_ed25519", secret["id_ed25519"], "--exclude", "id_*"); status != 0 {
		t.Errorf("excluded: %d %s", status, said)
	}
	if said, status := deposit("id_ed25519", secret["id_ed25519"], "--dry-run"); status != 5 {
		t.Errorf("dry run: %d %s", status, said)
	}
}
