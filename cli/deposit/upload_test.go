package deposit

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

type jsonRaw = json.RawMessage

const oneFile = `{"key":"x","title":"Abc","authors":[{"name":"A"}],"custom_fields":{"k":"x"},"files":["f.bin"],"publish":true}`

func TestUploadsGetThroughTrouble(t *testing.T) {
	tests := []struct {
		name    string
		trouble func(*bench)
	}{
		{"parts locked", func(b *bench) { b.lock = 3 }},
		{"parts lost after OK", func(b *bench) { b.lose = 2 }},
		{"parts refused once each", func(b *bench) {
			seen := map[string]bool{}
			b.set(func(n int, r *http.Request) fault {
				if r.Method == http.MethodPut && !seen[r.URL.Path] {
					seen[r.URL.Path] = true
					return failBefore
				}
				return none
			})
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, oneFile)
			b.t = t
			b.write("f.bin", strings.Repeat("x", 45))
			tt.trouble(b)
			o := b.options()
			o.Parallel = 3
			b.must(o)
			if f := b.byKey("x")[0].files[0]; f.status != "available" || string(f.content) != strings.Repeat("x", 45) {
				t.Errorf("%s %q", f.status, f.content)
			}
		})
	}
}

// A file that the server finds wrong fails its line with the reason and is
// removed, so that the next run sends it again.
func TestAFileTheServerRefuses(t *testing.T) {
	tests := []struct {
		name    string
		trouble func(*bench)
		want    string
	}{
		{"md5", func(b *bench) { b.badMD5 = func(string) bool { return true } }, "the server computed the md5 00000000000000000000000000000000, it is "},
		{"status", func(b *bench) { b.failing = func(string) bool { return true } }, `the status "failed": the disk is on fire`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, oneFile, `{"title":"Other","custom_fields":{"k":"y"}}`)
			b.t = t
			b.write("f.bin", "hello")
			tt.trouble(b)
			sum, err := b.run(b.options())
			if err == nil || len(sum.Failures) != 1 || !strings.Contains(sum.Failures[0].Reason, tt.want) {
				t.Errorf("%v %v", err, sum.Failures)
			}
			if a := b.byKey("x")[0]; a.version != 0 || len(a.files) != 0 || sum.Deposited != 1 {
				t.Errorf("version %d, %d files, %+v", a.version, len(a.files), sum)
			}
			b.set(nil)
			b.badMD5 = func(string) bool { return false }
			b.failing = b.badMD5
			b.must(b.options())
			if a := b.byKey("x"); len(a) != 1 || a[0].version != 1 || len(a[0].files) != 1 {
				t.Errorf("after the second run %+v", a)
			}
		})
	}
}

// Parts of a file that were sent are not sent again, unless the file is another by now.
func TestAnUploadGoesOnWhereItEnded(t *testing.T) {
	for _, changed := range []bool{false, true} {
		b := newBench(t, oneFile)
		b.write("f.bin", strings.Repeat("x", 45))
		b.set(func(n int, r *http.Request) fault {
			if b.puts == 3 {
				return dropBefore
			}
			return none
		})
		if _, err := b.run(b.options()); err == nil {
			t.Fatal("the first run did not fail")
		}
		want := strings.Repeat("x", 45)
		if changed {
			want = strings.Repeat("y", 47)
			b.write("f.bin", want)
		}
		b.set(nil)
		b.puts = 0
		b.must(b.options())
		a := b.byKey("x")[0]
		if len(a.files) != 1 || string(a.files[0].content) != want {
			t.Errorf("files %+v", a.files)
		}
		if sent := map[bool]int{false: 2, true: 5}[changed]; b.puts != sent {
			t.Errorf("changed %v: %d parts were sent", changed, b.puts)
		}
	}
}

func TestPlansThatDoNotFit(t *testing.T) {
	tests := []struct {
		size  int64
		parts []part
		ok    bool
	}{
		{0, nil, true},
		{0, []part{{No: 1, Start: 0, End: 0}}, true},
		{5, []part{{No: 1, Start: 0, End: 4}}, true},
		{5, nil, false},
		{5, []part{{No: 1, Start: 0, End: 5}}, false},
		{5, []part{{No: 1, Start: 0, End: 1}, {No: 2, Start: 3, End: 4}}, false},
		{5, []part{{No: 1, Start: 0, End: 1}}, false},
		{5, []part{{No: 1, Start: -1, End: 4}}, false},
	}
	for _, tt := range tests {
		p := plan{Parts: tt.parts}
		if err := p.check(tt.size); (err == nil) != tt.ok {
			t.Errorf("%d bytes in %v: %v", tt.size, tt.parts, err)
		}
	}
}

func TestUploadAddresses(t *testing.T) {
	tests := []struct{ base, given, want string }{
		{"https://a.org/api", "https://up.org/upload/x", "https://up.org/upload/x"},
		{"https://a.org/api", "//up.org/upload/x", "https://up.org/upload/x"},
		{"https://a.org/api", "/upload/x", "https://a.org/upload/x"},
		{"http://a.org", "https://up.org/upload/x", "https://up.org/upload/x"},
		{"https://a.org", "http://up.org/upload/x", ""},
		{"https://a.org", "file:///etc/passwd", ""},
		{"https://a.org", "", ""},
	}
	for _, tt := range tests {
		got, err := (&client{base: tt.base}).uploadURL(tt.given)
		if tt.want == "" {
			if err == nil {
				t.Errorf("%s: %s", tt.given, got)
			}
		} else if err != nil || got.String() != tt.want {
			t.Errorf("%s: %s %v", tt.given, got, err)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "5": 5 * time.Second, "-1": 0, "x": 0,
		"Fri, 01 May 2026 12:01:00 GMT": time.Minute, "Fri, 01 May 2026 11:00:00 GMT": 0,
	} {
		if got := retryAfter(value, now); got != want {
			t.Errorf("%q: %s", value, got)
		}
	}
}
