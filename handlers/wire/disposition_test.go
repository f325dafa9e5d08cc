package wire

import (
	"mime"
	"strings"
	"testing"
)

// RFC 6266, 8187: any name comes out as it went in, beside one for old clients that any
// file system takes.
func TestFileName(t *testing.T) {
	long := strings.Repeat("é", 200)
	for name, want := range map[string]string{
		"a.txt":                            `filename="a.txt"`,
		"two words.txt":                    `filename="two words.txt"`,
		"it's (1); x=y, z.txt":             `filename="it's (1); x=y, z.txt"`,
		"naïve.csv":                        `filename="na_ve.csv"; filename*=UTF-8''na%C3%AFve.csv`,
		"日本 😀.zip":                         `filename="__ _.zip"; filename*=UTF-8''%E6%97%A5%E6%9C%AC%20%F0%9F%98%80.zip`,
		"a\"b.txt":                         `filename="a_b.txt"; filename*=UTF-8''a%22b.txt`,
		"100%41.txt":                       `filename="100_41.txt"; filename*=UTF-8''100%2541.txt`,
		"a+b~c!.txt":                       `filename="a+b~c!.txt"`,
		"é+ *'().txt":                      `filename="_+ *'().txt"; filename*=UTF-8''%C3%A9%2B%20%2A%27%28%29.txt`,
		"../../etc/passwd":                 `filename=".._.._etc_passwd"; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd`,
		`C:\x.exe`:                         `filename="C__x.exe"; filename*=UTF-8''C%3A%5Cx.exe`,
		"a\r\nSet-Cookie: x\x00":           `filename="aSet-Cookie: x"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x%00`,
		"photo\u202egpj.exe":               `filename="photogpj.exe"; filename*=UTF-8''photo%E2%80%AEgpj.exe`,
		"":                                 `filename="file"`,
		" \t":                              `filename="file"; filename*=UTF-8''%20%09`,
		".":                                `filename="_"; filename*=UTF-8''.`,
		"..":                               `filename="__"; filename*=UTF-8''..`,
		"\xff.txt":                         `filename="_.txt"; filename*=UTF-8''%EF%BF%BD.txt`,
		long + ".tar":                      "filename=\"" + strings.Repeat("_", 125) + ".tar\"; filename*=UTF-8''" + strings.Repeat("%C3%A9", 200) + ".tar",
		strings.Repeat("x", 5000):          `filename="` + strings.Repeat("x", 255) + `"; filename*=UTF-8''` + strings.Repeat("x", 255),
		strings.Repeat("雨", 1000) + ".csv": `filename="` + strings.Repeat("_", 83) + `.csv"; filename*=UTF-8''` + strings.Repeat("%E9%9B%A8", 83) + ".csv",
	} {
		if got := FileName(name); got != want {
			t.Errorf("%.40q is %s, want %s", name, got, want)
		}
	}
}

func FuzzFileName(f *testing.F) {
	for _, seed := range []string{"a.txt", "日本 😀.zip", "a\"b\\c.txt", "%41", "../x", "a\r\nb: c", "\u202e", "\xff", strings.Repeat("é.", 300), ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		header := "attachment; " + FileName(name)
		for _, c := range []byte(header) {
			if c < ' ' || c > '~' {
				t.Fatalf("%q is not printable ASCII", header)
			}
		}
		kind, params, err := mime.ParseMediaType(header)
		want := strings.ToValidUTF8(name, "\ufffd")
		if want == "" {
			want = "file"
		}
		if len(percent(want)) > maxEncoded {
			want = shortened(want)
		}
		if len(header) > maxEncoded+maxFileName+60 {
			t.Fatalf("%d bytes for a name of %d", len(header), len(name))
		}
		if got := params["filename"]; err != nil || kind != "attachment" || len(params) != 1 || got != want {
			t.Fatalf("%q reads %q, %v; want %q", header, got, err, want)
		}
		plain, _, _ := strings.Cut(header, "; filename*=")
		_, params, err = mime.ParseMediaType(plain)
		disk := params["filename"]
		if err != nil || disk == "" || disk == "." || disk == ".." || len(disk) > 1 && disk[1] == ':' || strings.ContainsAny(disk, "/\\\r\n\x00") || len(disk) > maxFileName {
			t.Fatalf("%q is no name of a file", plain)
		}
		if twice := nameOnDisk(nameOnDisk(want)); twice != nameOnDisk(want) {
			t.Fatalf("%q becomes %q the second time", nameOnDisk(want), twice)
		}
	})
}
