package config

import (
	"flag"
	"os"
	"reflect"
	"regexp"
	"testing"
)

var update = flag.Bool("update", false, "rewrite config.example.toml")

const examplePath = "../config.example.toml"

func TestExampleIsUpToDate(t *testing.T) {
	if *update {
		if err := os.WriteFile(examplePath, []byte(Example()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(examplePath)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != Example() {
		t.Error("config.example.toml differs from the table of settings; run go test ./config -update")
	}
}

// Taking away the "#" in front of every setting must change nothing.
func TestExampleShowsTheDefaults(t *testing.T) {
	text, err := os.ReadFile(examplePath)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := Load(Sources{File: examplePath}); err != nil || !reflect.DeepEqual(c, Default()) {
		t.Errorf("as it is: %v", err)
	}
	setting := regexp.MustCompile(`(?m)^#(\w+ = .*)$`)
	if n := len(setting.FindAll(text, -1)); n != len(Settings()) {
		t.Errorf("%d settings in the file, %d in the table", n, len(Settings()))
	}
	c, err := Load(Sources{File: write(t, string(setting.ReplaceAll(text, []byte("$1"))))})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(c, Default()) {
		t.Errorf("got  %+v\nwant %+v", c, Default())
	}
}
