package command

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// HelpWidth is how many columns a help takes.
const HelpWidth = 100

// Overview is the list of commands: those of one word, under their groups.
func Overview(table []Line) string {
	var b strings.Builder
	b.WriteString("Alcove, a research data repository in one program.\n\n")
	for _, g := range []Group{Running, Depositing, Moving, Persons, Care} {
		fmt.Fprintf(&b, "%s:\n", g)
		for _, c := range table {
			if c.Group == g && !strings.Contains(c.Name, " ") {
				fmt.Fprintf(&b, "  %-9s %s\n", c.Name, c.Help)
			}
		}
	}
	line := string(More) + ":"
	for _, c := range table {
		if c.Group != More || strings.Contains(c.Name, " ") {
			continue
		}
		if len(line)+len(c.Name) > HelpWidth-3 {
			b.WriteString(line + "\n")
			line = " "
		}
		line += " " + c.Name + ","
	}
	b.WriteString(strings.TrimSuffix(line, ",") + "\n\n")
	b.WriteString("alcove COMMAND --help tells more of each, with an example.\n")
	return b.String()
}

// usage is how a command is called, in one line.
func (c *Command) usage() string {
	if c.Run == nil {
		return "usage: alcove " + c.Name + " COMMAND"
	}
	return strings.TrimSpace("usage: alcove " + c.Name + " " + c.Args)
}

// printHelp prints the help of a command to standard output.
func (c *Command) printHelp() {
	var b strings.Builder
	fmt.Fprintf(&b, "alcove %s – %s\n\n%s\n", c.Name, c.Help, c.usage())
	if example := Examples[c.Name]; example != "" {
		fmt.Fprintf(&b, "\nExample:\n  %s\n", strings.ReplaceAll(example, "\n", "\n  "))
	}
	width := 0
	for _, s := range c.Cmd.Commands() {
		width = max(width, len(s.Name()))
	}
	if width > 0 {
		b.WriteString("\nCommands:\n")
		for _, s := range c.Cmd.Commands() {
			fmt.Fprintf(&b, "  %-*s  %s\n", width, s.Name(), s.Short)
		}
	}
	if c.Run != nil {
		b.WriteString(flagsHelp(c.Describe().flags))
	}
	b.WriteString(moreHelp[c.Name])
	fmt.Print(b.String())
}

// FlagGroup is the annotation of a flag with the heading that it stands under in a help.
const FlagGroup = "group"

// flagsHelp lists flags in groups.
func flagsHelp(fs *pflag.FlagSet) string {
	var b strings.Builder
	order, groups := grouped(fs)
	for _, heading := range order {
		title := heading
		if title == "" {
			title = "Flags"
		}
		fmt.Fprintf(&b, "\n%s:\n%s", title, groups[heading].FlagUsagesWrapped(HelpWidth))
	}
	return b.String()
}

// grouped are flags under their headings: first those without one, then the others in the order of their first flag.
func grouped(fs *pflag.FlagSet) (order []string, groups map[string]*pflag.FlagSet) {
	groups = map[string]*pflag.FlagSet{}
	fs.VisitAll(func(f *pflag.Flag) {
		heading := strings.Join(f.Annotations[FlagGroup], "")
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
