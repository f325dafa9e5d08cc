package secrets

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	mathrand "math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// random returns letters of an alphabet, the same on each run.
func random(seed uint64, alphabet string, n int) string {
	r := mathrand.New(mathrand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

const (
	digits = "0123456789"
	hexes  = "0123456789abcdef"
	base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	word   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

// lines breaks base64 of random bytes into lines.
func lines(seed uint64, n int) string {
	raw := base64.StdEncoding.EncodeToString([]byte(random(seed, word+"\x00\xff\x80", n)))
	var out strings.Builder
	for len(raw) > 64 {
		out.WriteString(raw[:64] + "\n")
		raw = raw[64:]
	}
	return out.String() + raw + "\n"
}

func armour(kind, body string) string {
	return "-----BEGIN " + kind + "-----\n" + body + "-----END " + kind + "-----\n"
}

func derKey(t *testing.T) []byte {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// Each file with a secret is found, by the rule of its kind.
func TestSecretsAreFound(t *testing.T) {
	der := derKey(t)
	for _, c := range []struct{ path, text, want string }{
		{"id_rsa", armour("OPENSSH PRIVATE KEY", lines(1, 300)), "private-key"},
		{"notes.txt", "see below\r\n" + armour("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n"+lines(2, 300)), "private-key"},
		{"a.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "private-key"},
		{"ec.key", armour("EC PRIVATE KEY", lines(3, 90)), "private-key"},
		{"me.asc", armour("PGP PRIVATE KEY BLOCK", "Version: GnuPG v2\n\n"+lines(4, 900)), "private-key"},
		{"service.json", `{"private_key": "` + strings.ReplaceAll(armour("PRIVATE KEY", lines(5, 900)), "\n", `\n`) + `"}`, "private-key"},
		{"utf16.txt", "\xff\xfe" + strings.Join(strings.Split(armour("RSA PRIVATE KEY", lines(6, 300)), ""), "\x00") + "\x00", "private-key"},
		{"a.ppk", "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: x\nPublic-Lines: 2\n" + lines(7, 60) + "Private-Lines: 1\n" + lines(8, 40), "putty-private-key"},
		{"ssh2", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n" + lines(9, 300) + "---- END SSH2 ENCRYPTED PRIVATE KEY ----\n", "ssh2-private-key"},
		{"key.der", string(der), "der-private-key"},
		{"store.p12", "\x30\x82" + string(shroudedKey) + random(10, word, 900), "pkcs12-store"},
		{"jwk.json", `{"kty":"EC","crv":"P-256","x":"a","d":"` + random(11, word, 43) + `"}`, "jwk-private-key"},
		{"wg0.conf", "[Interface]\nPrivateKey = " + random(12, word, 43) + "=\n", "wireguard-private-key"},
		{"age.txt", "AGE-SECRET-KEY-1" + random(13, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58), "age-secret-key"},
		{"token", "alc_" + random(14, hexes, 64) + "\n", "alcove-token"},
		{"run.py", `t = "ghp_` + random(15, word, 36) + `"`, "github-pat"},
		{"a.sh", "curl -H 'Authorization: token github_pat_" + random(16, word, 82) + "'", "github-fine-grained-pat"},
		{"ci.yml", "token: glpat-" + random(17, word, 20), "gitlab-pat"},
		{"runner.toml", `token = "glrt-` + random(18, word, 20) + `"`, "gitlab-runner-authentication-token"},
		{"x.ipynb", `"AKIA` + random(19, base32, 14) + `2Z"`, "aws-access-token"},
		{".aws/credentials", "[default]\naws_secret_access_key = " + random(20, word+"/+", 40) + "\n", "aws-secret-key"},
		{"bot.js", "xoxb-" + random(21, digits, 12) + "-" + random(22, digits, 12) + "-" + random(23, word, 24), "slack-bot-token"},
		{"hook.txt", "https://hooks.slack.com/services/T" + random(24, word, 8) + "/B" + random(25, word, 8) + "/" + random(26, word, 24), "slack-webhook-url"},
		{"src/.env", "DEBUG=1\nDB_PASSWORD=" + random(27, word, 14) + "\n", "env-file"},
		{".env.production", "DATABASE_URL=postgres://app:" + random(28, word, 12) + "@db/app\n", "env-url"},
		{".netrc", "machine example.org login me password " + random(29, word, 12), "netrc"},
		{"home/.pgpass", "db.example.org:5432:lab:me:" + random(30, word, 10) + "\n", "pgpass"},
		{".npmrc", "//registry.npmjs.org/:_authToken=" + random(31, word, 36), "npmrc"},
		{".docker/config.json", `{"auths":{"x":{"auth":"` + random(32, word, 30) + `"}}}`, "docker-config"},
		{".s3cfg", "[default]\nsecret_key = " + random(33, word, 40) + "\n", "s3cfg"},
		{".git-credentials", "https://me:" + random(34, word, 20) + "@example.org\n", "git-credentials"},
		{".kube/config", "users:\n- user:\n    token: " + random(35, word, 40) + "\n", "kubeconfig"},
		{"application_default_credentials.json", `{"refresh_token": "1//` + random(36, word, 60) + `"}`, "google-oauth-secret"},
		{"azure.txt", "AccountName=a;AccountKey=" + random(37, word, 86) + "==;", "azure-storage-key"},
		{"hf.py", `login("hf_` + random(38, word[:52], 34) + `")`, "huggingface-access-token"},
		{"s.rb", `"sk_live_` + random(39, word, 24) + `"`, "stripe-access-token"},
		{"up.cfg", "pypi-AgEIcHlwaS5vcmc" + random(40, word, 120), "pypi-upload-token"},
	} {
		if got := Text(c.path, []byte(c.text)); got != c.want {
			t.Errorf("%s: %q, want %q", c.path, got, c.want)
		}
	}
}

// Files that only look like secrets pass.
func TestLookAlikesPass(t *testing.T) {
	uuids, sums, peptides := "id,value\n", "", "peptide\n"
	for i := range uint64(500) {
		h := random(1000+i, hexes, 32)
		uuids += fmt.Sprintf("%s-%s-%s-%s-%s,%d\n", h[:8], h[8:12], h[12:16], h[16:20], h[20:], i)
		sums += random(2000+i, hexes, 64) + "  data/run" + fmt.Sprint(i) + ".csv\n"
		peptides += "AKIA" + random(3000+i, "ACDEFGHIKLMNPQRSTVWY", 16) + "\n"
	}
	noise := make([]byte, Head+Tail+12345)
	mathrand.NewChaCha8([32]byte{7}).Read(noise)
	for _, c := range []struct{ path, text string }{
		{"id_rsa.pub", "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ" + random(1, word, 500) + " me@example.org\n"},
		{"id_ed25519", "not a key\n"},
		{"public.pem", armour("PUBLIC KEY", lines(2, 294))},
		{"me.asc", armour("PGP PUBLIC KEY BLOCK", lines(3, 900))},
		{"signature.asc", armour("PGP SIGNATURE", lines(4, 300))},
		{"site.crt", armour("CERTIFICATE", lines(5, 900))},
		{"request.csr", armour("CERTIFICATE REQUEST", lines(6, 600))},
		{"uuids.csv", uuids},
		{"SHA256SUMS", sums},
		{"peptides.csv", peptides},
		{"aes.rsp", "[ENCRYPT]\nCOUNT = 0\nKEY = " + random(7, hexes, 64) + "\nIV = " + random(8, hexes, 32) + "\nPLAINTEXT = " + random(9, hexes, 64) + "\n"},
		{"ed25519.json", `{"privateKey": "` + random(10, hexes, 64) + `", "tests": [{"sig": "` + random(11, hexes, 128) + `"}]}`},
		{"jwk.json", `{"kty":"EC","crv":"P-256","x":"` + random(12, word, 43) + `","y":"` + random(13, word, 43) + `"}`},
		{"README.md", "Begin the file with `-----BEGIN PRIVATE KEY-----` and end it with `-----END PRIVATE KEY-----`.\n"},
		{"doc.md", armour("RSA PRIVATE KEY", "MIIEpAIBAAKCAQEA...\n")},
		{"zeros.pem", armour("PRIVATE KEY", strings.Repeat(strings.Repeat("A", 64)+"\n", 10))},
		{"aws.md", "AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n"},
		{".env.example", "API_TOKEN=" + random(14, word, 30) + "\n"},
		{".env", "PYTHONPATH=/work/lab/scripts\nTOKEN=changeme-please\nSECRET_KEY=${SECRET_KEY}\nPASSWORD=\n"},
		{"config.py", "password = getpass.getpass()\ntoken = os.environ['TOKEN']\n"},
		{"embeddings.json", `{"vector": "` + base64.StdEncoding.EncodeToString(noise[:50000]) + `"}`},
		{"noise.bin", string(noise)},
		{"hex.txt", hex.EncodeToString(noise[:100000])},
		{"trust.p12", "\x30\x82" + random(15, word, 900)},
	} {
		if got, err := File(c.path, strings.NewReader(c.text), int64(len(c.text))); got != "" || err != nil {
			t.Errorf("%s: %q, %v", c.path, got, err)
		}
	}
}

// Of a large file the beginning and the end are read, and no more.
func TestReadingIsBounded(t *testing.T) {
	token := []byte("\nalc_" + random(1, hexes, 64) + "\n")
	size := 3 * (Head + Tail)
	for at, want := range map[int]string{0: "alcove-token", Head - len(token): "alcove-token", Head + 1: "", size - Tail: "alcove-token", size - len(token): "alcove-token"} {
		text := bytes.Repeat([]byte("0.123,456\n"), size/10+1)[:size]
		copy(text[at:], token)
		r := &counting{r: bytes.NewReader(text)}
		got, err := File("data.csv", r, int64(size))
		if got != want || err != nil || r.n > Head+Tail {
			t.Errorf("at %d: %q, %v, %d bytes read", at, got, err, r.n)
		}
	}
	if _, err := File("short", strings.NewReader("abc"), 4); err == nil {
		t.Error("a file that is shorter than its size is no error")
	}
}

type counting struct {
	r *bytes.Reader
	n int
}

func (c *counting) ReadAt(b []byte, at int64) (int, error) {
	c.n += len(b)
	return c.r.ReadAt(b, at)
}

// The table is what both Go and JavaScript can read: every expression compiles, and none has syntax of one of them.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	only := regexp.MustCompile(`\(\?[^:]|\[\[:|\\[zAQEpPCa]|\\x\{`)
	for _, r := range rules() {
		if seen[r.ID] || !slices.Contains([]string{"key", "token", "password"}, r.Kind) || r.From == "" {
			t.Errorf("%s: id, kind or from is wrong", r.ID)
		}
		seen[r.ID] = true
		for _, text := range []string{r.Names, r.Others, r.Find, r.Must, r.Not} {
			if only.MatchString(text) {
				t.Errorf("%s: %s is not for both languages", r.ID, text)
			}
		}
		for _, w := range r.Words {
			if len(w) < 2 || w != strings.ToLower(w) {
				t.Errorf("%s: word %q", r.ID, w)
			}
		}
		r.find()
		r.names()
		r.others()
		r.must()
		r.not()
		if len(r.Words) == 0 && r.Names == "" {
			t.Errorf("%s reads every file", r.ID)
		}
	}
}

func BenchmarkText(b *testing.B) {
	text := []byte(strings.Repeat("2021-03-04,station "+random(1, word, 20)+",0.123,skating is 1.5\n", 20000))[:Head]
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Text("data.csv", text)
	}
}
