package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alcove/cli/command"
)

// Each command describes its flags without running, has an example that calls it, and stands below one that holds its
// likes together.
func TestTable(t *testing.T) {
	table := commands(nil)
	code := 0
	_, all := command.NewTree(table, "", &code)
	for _, c := range all {
		example := command.Examples[c.Name]
		if !strings.Contains(" "+example, " alcove "+c.Name) {
			t.Errorf("%s: its example in examples.go is %q", c.Name, example)
		}
		if c.Run != nil {
			c.Describe()
		}
		if c.Help == "" || c.Group == "" || (c.Run == nil) != (c.Args == "" && c.Cmd.HasSubCommands() && c.Name != "check" && c.Name != "audit") {
			t.Errorf("%s: %q, %q, %q", c.Name, c.Args, c.Help, c.Group)
		}
	}
	if len(command.Examples) != len(all) {
		t.Errorf("%d examples, %d commands", len(command.Examples), len(all))
	}
	list := command.Overview(table)
	if lines := strings.Count(list, "\n"); lines > 40 {
		t.Errorf("the list of commands has %d lines:\n%s", lines, list)
	}
	for _, line := range strings.Split(list, "\n") {
		if len(line) > command.HelpWidth {
			t.Errorf("a line of the list of commands is too long: %s", line)
		}
	}
}

// The manual pages are such as mandoc has nothing to say about, and each that is named is there.
func TestManual(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	code := 0
	_, all := command.NewTree(commands(nil), "", &code)
	for _, c := range all {
		if c.Name == "man" {
			code = c.Execute(t.Context(), []string{dir})
		}
	}
	if code != 0 {
		t.Fatal("alcove man ended with", code)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil || len(pages) < 30 {
		t.Fatal(err, pages)
	}
	said, err := exec.Command("mandoc", append([]string{"-T", "lint"}, pages...)...).CombinedOutput()
	for line := range strings.Lines(string(said)) {
		_, name, named := strings.Cut(line, "referenced manual not found: Xr ") // it looks among those that are installed
		name = strings.TrimSuffix(strings.TrimSpace(name), " 1")
		if !named || !slices.Contains(pages, filepath.Join(dir, name+".1")) {
			t.Error(line)
		}
	}
	if errors.Is(err, exec.ErrNotFound) {
		t.Fatal("this test needs mandoc; make check installs it")
	}
	text, err := os.ReadFile(filepath.Join(dir, "alcove-account.1"))
	for _, wanted := range []string{".Nm alcove account hand\\-over\n", ".It Fl \\-to Ar", ".Dl alcove account hand\\-over"} {
		if !strings.Contains(string(text), wanted) {
			t.Errorf("%v: alcove-account.1 has no %q", err, wanted)
		}
	}
}
