package command

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"alcove/docs"
)

// Manual writes manual pages into a directory: alcove.1, and one for each command with all that are below it. They are
// in mdoc(7), which man knows everywhere. cobra's own writer makes pages that mandoc warns of, and one for each of a hundred
// commands.
func Manual(table []Line, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	code := 0
	_, all := NewTree(table, "", &code)
	pages := map[string]*manualPage{"alcove": overviewPage(table)}
	order := []string{"alcove"}
	for _, c := range all {
		first, _, _ := strings.Cut(c.Name, " ")
		name := "alcove-" + first
		if pages[name] == nil {
			pages[name] = newManualPage(name, c.Help)
			order = append(order, name)
		}
		pages[name].command(c)
	}
	for _, name := range order {
		if err := os.WriteFile(filepath.Join(dir, name+".1"), []byte(pages[name].String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// manualPage is a page about a command.
type manualPage struct {
	name, help            string
	synopsis, description strings.Builder
	examples              strings.Builder
}

func newManualPage(name, help string) *manualPage { return &manualPage{name: name, help: help} }

// overviewPage is that of the program, with the list of commands.
func overviewPage(table []Line) *manualPage {
	p := newManualPage("alcove", "a research data repository in one program")
	p.synopsis.WriteString(".Nm\n.Ar COMMAND\n.Op Ar ARGUMENT ...\n")
	for _, g := range []Group{Running, Depositing, Moving, Persons, Care, More} {
		fmt.Fprintf(&p.description, ".Ss %s\n.Bl -tag -width review-check\n", roff(string(g)))
		for _, c := range table {
			if c.Group == g && !strings.Contains(c.Name, " ") {
				fmt.Fprintf(&p.description, ".It Xr alcove-%s 1\n%s\n", c.Name, filled(c.Help))
			}
		}
		p.description.WriteString(".El\n")
	}
	p.description.WriteString(".Ss Documentation that the program has in it\n.Bl -tag -width Ds\n")
	for _, d := range docs.Pages() {
		fmt.Fprintf(&p.description, ".It Ic alcove docs %s\n%s\n", roff(d.Name), filled(d.Title))
	}
	p.description.WriteString(".El\n.Sh EXIT STATUS\n" + filled("0 when the command did what it says, 1 when it failed, 2 when the call was wrong or a check could not be made to its end, 5 when it sent nothing because a private key or a token would have left this machine.") + "\n")
	return p
}

// command adds a command to the page.
func (p *manualPage) command(c *Command) {
	if c.Run == nil {
		return
	}
	fmt.Fprintf(&p.synopsis, ".Nm alcove %s\n", roff(c.Name))
	if c.Args != "" {
		p.synopsis.WriteString(filled(c.Args) + "\n")
	}
	if "alcove-"+c.Name != p.name {
		fmt.Fprintf(&p.description, ".Ss alcove %s\n", roff(c.Name))
	}
	fmt.Fprintf(&p.description, "%s\n", filled(strings.ToUpper(c.Help[:1])+c.Help[1:]+"."))
	order, groups := grouped(c.Describe().flags)
	for _, heading := range order {
		if heading == "" {
			p.description.WriteString(".Pp\nFlags:\n")
		} else {
			fmt.Fprintf(&p.description, ".Pp\n%s:\n", roff(heading))
		}
		p.description.WriteString(".Bl -tag -width Ds\n")
		groups[heading].VisitAll(func(f *pflag.Flag) {
			value, usage := pflag.UnquoteUsage(f)
			short := ""
			if f.Shorthand != "" {
				short = "Fl " + f.Shorthand + " , "
			}
			if value != "" {
				value = " Ar " + roff(value)
			}
			switch f.DefValue {
			case "", "0", "0s", "false", "[]":
			default:
				usage += " (default " + f.DefValue + ")"
			}
			fmt.Fprintf(&p.description, ".It %sFl \\-%s%s\n%s\n", short, roff(f.Name), value, filled(usage))
		})
		p.description.WriteString(".El\n")
	}
	if text := strings.Trim(moreHelp[c.Name], "\n"); text != "" {
		p.description.WriteString(".Bd -literal\n" + roff(text) + "\n.Ed\n")
	}
	p.examples.WriteString(".Dl " + roff(strings.ReplaceAll(Examples[c.Name], "\n", "\n.Dl ")) + "\n")
}

// String is the page as man reads it.
func (p *manualPage) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, ".Dd %s\n.Dt %s 1\n.Os\n.Sh NAME\n.Nm %s\n.Nd %s\n", built().Format("January 2, 2006"), strings.ToUpper(p.name), p.name, roff(p.help))
	fmt.Fprintf(&b, ".Sh SYNOPSIS\n%s.Sh DESCRIPTION\n%s", p.synopsis.String(), p.description.String())
	if p.examples.Len() > 0 {
		b.WriteString(".Sh EXAMPLES\n" + p.examples.String())
	}
	if p.name != "alcove" {
		b.WriteString(".Sh SEE ALSO\n.Xr alcove 1\n")
	}
	return b.String()
}

// filled is a text of lines that are no longer than mandoc likes them. A sentence begins on a line of its own, so that it gets
// the space that a sentence gets.
func filled(text string) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if word = roff(word); line != "" && (len(line)+1+len(word) > 78 || strings.HasSuffix(line, ".") && !strings.HasSuffix(line, "...")) {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return strings.Join(append(lines, line), "\n")
}

// roff is text in which nothing is taken for a request, an escape or a macro.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\u2013", `\(en`, "\u2026", `\&...`, "'", `\(aq`, "`", `\(ga`, `"`, `\(dq`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}

// built is when the commit was made that the program is of, so that the same commit makes the same pages.
func built() time.Time {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if t, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
				return t
			}
		}
	}
	return time.Unix(0, 0).UTC()
}
