package deposit

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheFirstThingsToGoWrongAreClear(t *testing.T) {
	tests := []struct {
		name    string
		prepare func(*bench, *Options)
		want    string
	}{
		{"address", func(_ *bench, o *Options) { o.To = "host/v2" }, "is not an address"},
		{"user in address", func(_ *bench, o *Options) { o.To = "http://me@host/" }, "must not hold a user"},
		{"no token file", func(_ *bench, o *Options) { o.TokenFile += "x" }, "cannot read the token"},
		{"empty token", func(b *bench, _ *Options) { b.write("token", "\nabc") }, "holds no token"},
		{"odd token", func(b *bench, _ *Options) { b.write("token", "a b") }, "is not a token"},
		{"wrong token", func(b *bench, _ *Options) { b.write("token", "other") }, "answered 401"},
		{"no authority", func(b *bench, o *Options) { o.CACert = filepath.Join(b.dir, "token") }, "holds no PEM certificate"},
		{"no items", func(_ *bench, o *Options) { o.Items += "x" }, "cannot read the items"},
		{"nobody there", func(b *bench, _ *Options) { b.Close() }, "no reply from the server"},
		{"redirect", func(b *bench, o *Options) {
			o.To = b.redirector()
		}, "it redirects to"},
		{"other server's state", func(b *bench, o *Options) {
			b.write("items.jsonl.deposit-state", `{"op":"deposit","format":1,"server":"https://elsewhere"}`+"\n")
		}, "belongs to the deposit at https://elsewhere"},
		{"not a state file", func(b *bench, _ *Options) { b.write("items.jsonl.deposit-state", "hello\n") }, "not a record of a deposit"},
		{"state file in use", func(b *bench, o *Options) {
			s, err := openState(o.Items+".deposit-state", b.URL)
			if err != nil {
				b.t.Fatal(err)
			}
			b.t.Cleanup(s.close)
		}, "another deposit is at work"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, `{"title":"Abc"}`)
			b.t = t
			o := b.options()
			tt.prepare(b, &o)
			_, err := b.run(o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v", err)
			}
			if len(b.articles) != 0 {
				t.Error("something was deposited")
			}
		})
	}
}

// redirector answers every request with a redirect to the server.
func (b *bench) redirector() string {
	s := newServer(b.t)
	s.Config.Handler = http.RedirectHandler(b.URL, http.StatusTemporaryRedirect)
	return s.URL
}

func TestBaseURL(t *testing.T) {
	tests := map[string]string{
		"https://Host.org":             "https://host.org",
		"https://host.org/":            "https://host.org",
		"https://host.org/v2":          "https://host.org",
		"https://host.org/v2/":         "https://host.org",
		"https://host.org:443//v2//":   "https://host.org",
		"http://127.0.0.1:8080/api/v2": "http://127.0.0.1:8080/api",
		"http://[::1]:80/":             "http://[::1]",
	}
	for in, want := range tests {
		if got, err := BaseURL(in); err != nil || got != want {
			t.Errorf("%s: %s %v", in, got, err)
		}
	}
}
