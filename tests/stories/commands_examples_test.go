package stories

import (
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// examplesRun are the examples that a script has run, by their commands.
type examplesRun struct{}

// example runs the example in the help of each command: example COMMAND. With --as VARIABLE it only puts it there. Places that
// a machine of its own would have are in $WORK.
func example(ts *testscript.TestScript, _ bool, args []string) {
	variable := ""
	if len(args) > 1 && args[0] == "--as" {
		variable, args = args[1], args[2:]
	}
	name := strings.Join(args, " ")
	text := exampleOf(ts, args)
	ts.Value(examplesRun{}).(map[string]bool)[name] = true
	at := ts.Getenv("WORK")
	text = strings.NewReplacer(
		"/media/backup/", at+"/backup/", "/usr/local/share/man/", at+"/man/", "https://127.0.0.1:8443", ts.Getenv("URL"),
		"https://api.figshare.com/v2/articles/5616445", ts.Getenv("ORIGIN")+"/v2/articles/1",
		"https://figshare.com/articles/dataset/title/5616445", ts.Getenv("ORIGIN")+"/v2/articles/1 --server "+ts.Getenv("ORIGIN"),
	).Replace(text)
	if variable != "" {
		ts.Setenv(variable, text)
		return
	}
	ts.Check(ts.Exec("bash", "-e", "-c", text))
}

// exampleOf is the example in the help of a command.
func exampleOf(ts *testscript.TestScript, words []string) string {
	help, err := output(ts, append(slices.Clone(words), "--help")...)
	ts.Check(err)
	_, behind, _ := strings.Cut(help, "\nExample:\n")
	text, _, _ := strings.Cut(behind, "\n\n")
	if text = strings.ReplaceAll(strings.TrimSpace(text), "\n  ", "\n"); text == "" {
		ts.Fatalf("alcove %s --help has no example", strings.Join(words, " "))
	}
	return text
}

func output(ts *testscript.TestScript, args ...string) (string, error) {
	cmd := exec.Command("alcove", args...)
	cmd.Dir, cmd.Stderr = ts.Getenv("WORK"), os.Stderr
	out, err := cmd.Output()
	return string(out), err
}

// allExamples fails if the example of a command was not run. The commands are those that the shell completes.
func allExamples(ts *testscript.TestScript, _ bool, _ []string) {
	run := ts.Value(examplesRun{}).(map[string]bool)
	var look func(above []string)
	look = func(above []string) {
		said, err := output(ts, append(append([]string{"__complete"}, above...), "")...)
		ts.Check(err)
		for line := range strings.Lines(said) {
			name, _, found := strings.Cut(line, "\t")
			if !found || strings.HasPrefix(name, "-") || slices.Contains(above, "help") || slices.Contains(above, "completion") {
				continue
			}
			words := append(slices.Clone(above), name)
			if !run[strings.Join(words, " ")] {
				ts.Logf("the example of alcove %s was not run", strings.Join(words, " "))
				run["missing"] = true
			}
			look(words)
		}
	}
	look(nil)
	if run["missing"] || len(run) < 50 {
		ts.Fatalf("only these were run: %v", slices.Sorted(maps.Keys(run)))
	}
}
