package deposit

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Patterns of .alcoveignore match the same paths as in git, except that ? matches a letter here and a byte in git.
func TestIgnoredAsByGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("this test needs git; make check installs it")
	}
	paths := []string{"a.csv", "a.tmp", "b/a.tmp", "b/keep.tmp", "b/c/d.txt", "b/c/e.csv", "logs/x.log", "b/logs/y.log", "logs.txt", "cache/deep/er/f", "ü.csv", "a b.txt",
		"#hash", "!bang", "x[1].csv", "x1.csv", "x2.csv", "doc/a/z.pdf", "doc/z.pdf", "q?.txt", "qq.txt", "trail ", "back\\slash"}
	for _, patterns := range []string{
		"*.tmp\n!keep.tmp\n", "/a.tmp\n", "logs/\n", "logs\n", "b/*.tmp\n", "**/d.txt\n", "cache/**\n", "doc/**/z.pdf\n", "/b/c\n", "# comment\n\n*.csv\n",
		"\\#hash\n\\!bang\n", "x[12].csv\n", "x[!1].csv\n", "x\\[1\\].csv\n", "a b.txt\n", "*.log\r\n", "b/\n!b/c/e.csv\n", "q\\?.txt\n", "**\n!a.csv\n", "trail\\ \n", "b/**/e.csv\n", "*\n!*/\n!*.csv\n",
	} {
		dir := t.TempDir()
		for _, p := range paths {
			name := filepath.Join(dir, p)
			if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte("x"), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{".gitignore", ignoreFile} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(patterns), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		git := func(args ...string) string {
			cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "core.quotePath=false"}, args...)...)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("git %v: %v %s", args, err, out)
			}
			return string(out)
		}
		git("init", "-q")
		var want []string
		for p := range strings.SplitSeq(strings.TrimRight(git("ls-files", "-z", "--others", "--exclude-standard"), "\x00"), "\x00") {
			if !strings.HasPrefix(p, ".") && !strings.Contains(p, `\`) && p != "" {
				want = append(want, p)
			}
		}
		os.Remove(filepath.Join(dir, `back\slash`))
		in, err := OpenFolder(dir, false)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := walkFolder(in, false, nil, nil)
		in.Close()
		var got []string
		for _, f := range tree.files {
			got = append(got, f.String())
		}
		slices.Sort(got)
		slices.Sort(want)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v\n got %q\nwant %q", patterns, err, got, want)
		}
	}
	var list ignored
	if err := list.add("x[1", ""); err == nil {
		t.Error("a bracket without its end is a pattern")
	}
}

// A file with a secret stops folders and lines before anything is sent, and goes where it is allowed or excluded.
func TestSecretsStopADeposit(t *testing.T) {
	token := "alc_" + strings.Repeat("0123456789abcdef", 4)
	b, o := folder(t)
	b.write("survey/keys/token", token)
	for _, dry := range []bool{false, true} {
		o.DryRun = dry
		_, err := RunWhole(t.Context(), o)
		status, ok := errors.AsType[*secretsError](err)
		if !ok || status.ExitStatus() != 5 || !strings.Contains(err.Error(), "keys/token (alcove-token)") || strings.Contains(err.Error(), token) {
			t.Errorf("dry run %v: %v", dry, err)
		}
	}
	if _, err := os.Stat(b.state()); len(b.articles) > 0 || err == nil {
		t.Errorf("%d articles, state file %v", len(b.articles), err)
	}
	o.DryRun, o.Exclude = false, []string{"keys/"}
	if r := b.whole(o); slices.Contains(r.Sent, "keys/token") || len(r.Sent) != len(contents()) {
		t.Errorf("excluded: %v", r.Sent)
	}

	b, o = folder(t)
	b.write("survey/keys/token", token)
	o.AllowSecrets = []string{"keys/token"}
	if r := b.whole(o); !slices.Contains(r.Sent, "keys/token") {
		t.Errorf("allowed: %v", r.Sent)
	}

	b = newBench(t, `{"title":"Abc","files":["plain.txt"]}`, `{"title":"Bcd","files":["secret.txt"]}`)
	b.write("plain.txt", "x")
	b.write("secret.txt", token)
	lines := b.options()
	if _, err := b.run(lines); len(b.articles) > 0 || err == nil || !strings.Contains(err.Error(), "secret.txt (alcove-token)") {
		t.Errorf("lines: %d articles, %v", len(b.articles), err)
	}
	lines.AllowSecrets = []string{"secret.txt"}
	if sum, err := b.run(lines); err != nil || sum.Deposited != 2 {
		t.Errorf("lines: %+v, %v", sum, err)
	}
}

// Quota, file size, existing drafts, name collisions and junk files are checked before the first byte is sent.
func TestForeseen(t *testing.T) {
	b, o := folder(t)
	o.Publish = false
	account := map[string]int64{"quota": 100, "used_quota": 95, "max_file_size": 1000}
	b.account = func(w http.ResponseWriter) { json.NewEncoder(w).Encode(account) }
	b.fails(o, "the files need")
	o.DryRun = true
	b.fails(o, "the files need")
	o.DryRun, account["used_quota"], account["max_file_size"] = false, 0, 10
	b.fails(o, "takes files of up to")
	if len(b.articles) > 0 {
		t.Fatal("something was sent")
	}
	account["max_file_size"] = 1000
	b.whole(o)

	if err := os.Remove(b.state()); err != nil {
		t.Fatal(err)
	}
	b.fails(o, "has this title and 8 files of this folder, and its state file is not here")
	o.NewDraft = true
	b.whole(o)
	if len(b.articles) != 2 {
		t.Errorf("%d articles", len(b.articles))
	}

	b, o = folder(t)
	b.write("survey/node_modules/a/index.js", "x")
	b.write("survey/src/__pycache__/a.bin", "x")
	b.write("survey/draft.txt~", "x")
	b.fails(o, "node_modules (1 file) was made by a program; leave it out with --exclude node_modules")
	o.Exclude = []string{"node_modules", "*~"}
	o.Publish = false
	if r := b.whole(o); len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], "src/__pycache__ (1 file)") {
		t.Errorf("%q", r.Warnings)
	}

	b, o = folder(t)
	b.write("survey/caf\u00e9.txt", "x")
	b.write("survey/cafe\u0301.txt", "y")
	b.fails(o, "are one name on many systems")
	o.AcceptWarnings = true
	if r := b.whole(o); len(r.Sent) != len(contents())+2 {
		t.Errorf("%q", r.Sent)
	}
}
