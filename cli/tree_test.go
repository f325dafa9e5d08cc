package cli

import (
	"strings"
	"testing"
)

// Each command describes its flags without running, has an example that calls it, and stands below one that holds its
// likes together.
func TestTable(t *testing.T) {
	table := commands(nil)
	code := 0
	_, all := newTree(table, &code)
	for _, c := range all {
		example := examples[c.name]
		if !strings.Contains(" "+example, " alcove "+c.name) {
			t.Errorf("%s: its example in examples.go is %q", c.name, example)
		}
		if c.run != nil {
			c.describe()
		}
		if c.help == "" || c.group == "" || (c.run == nil) != (c.args == "" && c.cmd.HasSubCommands() && c.name != "check" && c.name != "audit") {
			t.Errorf("%s: %q, %q, %q", c.name, c.args, c.help, c.group)
		}
	}
	if len(examples) != len(all) {
		t.Errorf("%d examples, %d commands", len(examples), len(all))
	}
	list := overview(table)
	if lines := strings.Count(list, "\n"); lines > 40 {
		t.Errorf("the list of commands has %d lines:\n%s", lines, list)
	}
	for _, line := range strings.Split(list, "\n") {
		if len(line) > helpWidth {
			t.Errorf("a line of the list of commands is too long: %s", line)
		}
	}
}
