package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// helpWidth is how many columns a help takes.
const helpWidth = 100

// overview is the list of commands: those of one word, under their groups.
func overview(table []line) string {
	var b strings.Builder
	b.WriteString("Alcove, a research data repository in one program.\n\n")
	for _, g := range []group{running, depositing, moving, persons, care} {
		fmt.Fprintf(&b, "%s:\n", g)
		for _, c := range table {
			if c.group == g && !strings.Contains(c.name, " ") {
				fmt.Fprintf(&b, "  %-9s %s\n", c.name, c.help)
			}
		}
	}
	line := string(more) + ":"
	for _, c := range table {
		if c.group != more || strings.Contains(c.name, " ") {
			continue
		}
		if len(line)+len(c.name) > helpWidth-3 {
			b.WriteString(line + "\n")
			line = " "
		}
		line += " " + c.name + ","
	}
	b.WriteString(strings.TrimSuffix(line, ",") + "\n\n")
	b.WriteString("alcove COMMAND --help tells more of each, with an example.\n")
	return b.String()
}

// usage is how a command is called, in one line.
func (c *command) usage() string {
	if c.run == nil {
		return "usage: alcove " + c.name + " COMMAND"
	}
	return strings.TrimSpace("usage: alcove " + c.name + " " + c.args)
}

// printHelp prints the help of a command to standard output.
func (c *command) printHelp() {
	var b strings.Builder
	fmt.Fprintf(&b, "alcove %s – %s\n\n%s\n", c.name, c.help, c.usage())
	if example := examples[c.name]; example != "" {
		fmt.Fprintf(&b, "\nExample:\n  %s\n", strings.ReplaceAll(example, "\n", "\n  "))
	}
	width := 0
	for _, s := range c.cmd.Commands() {
		width = max(width, len(s.Name()))
	}
	if width > 0 {
		b.WriteString("\nCommands:\n")
		for _, s := range c.cmd.Commands() {
			fmt.Fprintf(&b, "  %-*s  %s\n", width, s.Name(), s.Short)
		}
	}
	if c.run != nil {
		b.WriteString(flagsHelp(c.describe().flags))
	}
	b.WriteString(moreHelp[c.name])
	fmt.Print(b.String())
}

// flagGroup is the annotation of a flag with the heading that it stands under in a help.
const flagGroup = "group"

// flagsHelp lists flags in groups.
func flagsHelp(fs *pflag.FlagSet) string {
	var b strings.Builder
	order, groups := grouped(fs)
	for _, heading := range order {
		title := heading
		if title == "" {
			title = "Flags"
		}
		fmt.Fprintf(&b, "\n%s:\n%s", title, groups[heading].FlagUsagesWrapped(helpWidth))
	}
	return b.String()
}

// grouped are flags under their headings: first those without one, then the others in the order of their first flag.
func grouped(fs *pflag.FlagSet) (order []string, groups map[string]*pflag.FlagSet) {
	groups = map[string]*pflag.FlagSet{}
	fs.VisitAll(func(f *pflag.Flag) {
		heading := strings.Join(f.Annotations[flagGroup], "")
		if groups[heading] == nil {
			groups[heading] = pflag.NewFlagSet("", pflag.ContinueOnError)
			groups[heading].SortFlags = false
			if heading == "" {
				order = append([]string{""}, order...)
			} else {
				order = append(order, heading)
			}
		}
		groups[heading].AddFlag(f)
	})
	return order, groups
}
