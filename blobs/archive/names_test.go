package archive

import (
	"fmt"
	"path"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Names cannot lead out of the folder that they are unpacked in, nor over one another, and are
// otherwise what they were (security.md G10).
func TestNames(t *testing.T) {
	long := strings.Repeat("é", 200)
	for _, c := range []struct{ given, want string }{
		{"a.txt", "a.txt"}, {"a/b/c.txt", "a/b/c.txt"}, {"/a.txt", "a.txt"}, {"//a//b", "a/b"}, {"a/", "a"}, {"", "_"}, {"/", "_"}, {"///", "_"},
		{"..", "__"}, {"../../etc/passwd", "__/__/etc/passwd"}, {"a/../../b", "a/__/__/b"}, {"./a", "_/a"}, {"a/./b", "a/_/b"}, {". .", "___"}, {".. /x", "___/x"},
		{"...", "___"}, {" ", "_"}, {".bashrc", ".bashrc"}, {"a..b", "a..b"}, {"..a", "..a"}, {"a.", "a."},
		{`..\..\x`, ".._.._x"}, {`\\host\share`, "__host_share"}, {`a\b.txt`, "a_b.txt"}, {"C:/Windows/x", "C_/Windows/x"}, {"c:x", "c_x"}, {"a/c:x", "a/c:x"}, {"12:30.csv", "12:30.csv"},
		{"a\x00b", "a_b"}, {"a\nb\r\t\x7f", "a_b___"}, {"\u0085x", "_x"}, {"invoice\u202efdp.exe", "invoice_fdp.exe"}, {"\u2066x\u2069", "_x_"}, {"a\u2028b", "a_b"},
		{"bad\xffname", "bad_name"}, {"日本語/ä ö.txt", "日本語/ä ö.txt"}, {"👩‍🔬.csv", "👩‍🔬.csv"}, {`what? "<*>|.txt`, `what? "<*>|.txt`}, {"-rf", "-rf"},
		{long + ".txt", long[:236] + ".txt"}, {"x" + long + ".txt", "x" + long[:234] + ".txt"}, {strings.Repeat("a", 300), strings.Repeat("a", 240)}, {"a." + strings.Repeat("b", 300), "a." + strings.Repeat("b", 238)},
	} {
		if got := named(c.given)[0]; got != c.want {
			t.Errorf("%q became %q, want %q", c.given, got, c.want)
		}
	}
	for _, c := range []struct{ given, want string }{
		{"a.txt a.txt a.txt", "a.txt|a (1).txt|a (2).txt"}, {"a.txt A.TXT", "a.txt|A (1).TXT"},
		{"x/a x/a a", "x/a|x/a (1)|a"}, {".rc .rc", ".rc|.rc (1)"}, {"x/.rc x/.rc", "x/.rc|x/.rc (1)"}, {"a.tar.gz a.tar.gz", "a.tar.gz|a.tar (1).gz"},
		{"a a/b", "a (1)|a/b"}, {"a/b a", "a/b|a (1)"}, {"A/b a", "A/b|a (1)"}, {"a/b/c a/b a", "a/b/c|a/b (1)|a (1)"}, {"é é", "é|é (1)"}, {"ß ẞ", "ß|ẞ (1)"},
		{"../x __/x", "__/x|__/x (1)"}, {"a\\b a_b", "a_b|a_b (1)"},
	} {
		if got := strings.Join(named(strings.Split(c.given, " ")...), "|"); got != c.want {
			t.Errorf("%q became %q, want %q", c.given, got, c.want)
		}
	}
	if got := strings.Join(named("a", "a", "a (1)"), "|"); got != "a|a (2)|a (1)" {
		t.Errorf("a file lost its own name: %s", got)
	}
	deep := named(strings.Repeat("a/", 4000)+"x.csv", strings.Repeat("a/", 4000)+"x.csv")
	if why := unsafe(deep); why != "" || strings.Count(deep[0], "/") != 99 {
		t.Errorf("a deep name became %q, %s", deep[0], why)
	}
	many := make([]string, 20_000)
	for i := range many {
		many[i] = "same.txt"
	}
	if got := named(many...); got[19_999] != "same (19999).txt" {
		t.Errorf("the last of many is %s", got[19_999])
	}
}

func named(given ...string) (names []string) {
	var entries []Entry
	for _, g := range given {
		entries = append(entries, Entry{Name: g})
	}
	Rename(entries)
	for _, e := range entries {
		names = append(names, e.Name)
	}
	return names
}

// unsafe says what is wrong with the names of an archive, if anything is.
func unsafe(names []string) string {
	seen, folders := map[string]bool{}, map[string]bool{}
	for _, n := range names {
		if n == "" || !utf8.ValidString(n) || path.Clean(n) != n || path.IsAbs(n) || len(n) > 65_535 || strings.ContainsAny(n, "\\\x00") || strings.ContainsFunc(n, unicode.IsControl) || len(n) > 1 && n[1] == ':' {
			return fmt.Sprintf("%q is not safe", n)
		}
		for _, piece := range strings.Split(n, "/") {
			if piece == "" || strings.Trim(piece, ". ") == "" || len(piece) > 255 {
				return fmt.Sprintf("%q has the piece %q", n, piece)
			}
		}
		if seen[fold(n)] {
			return fmt.Sprintf("%q is there twice", n)
		}
		seen[fold(n)] = true
		for dir := path.Dir(n); dir != "."; dir = path.Dir(dir) {
			folders[fold(dir)] = true
		}
	}
	for dir := range folders {
		if seen[dir] {
			return fmt.Sprintf("%q is a file and a folder", dir)
		}
	}
	return ""
}

func FuzzNames(f *testing.F) {
	for _, s := range []string{"a\na\nA", "..\n../..\n/etc/passwd", `C:\x` + "\nC:/x", "a\na/b\na (1)", "\xff\u202e\n\u2028", "é\ne\u0301", "İ\ni\u0307\nI", strings.Repeat("x", 300) + "\n" + strings.Repeat("x", 301), "ſ\ns\nS", "K\nk"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		given := strings.Split(text, "\n")
		names := named(given...)
		if why := unsafe(names); why != "" {
			t.Errorf("%q: %s", given, why)
		}
		if again := named(given...); strings.Join(again, "\n") != strings.Join(names, "\n") {
			t.Errorf("%q: other names the second time", given)
		}
	})
}
