package config

import (
	"strconv"
	"strings"
)

const exampleHead = `# Settings of "alcove serve". Every setting is shown with its default; remove the
# "#" in front of a setting to change it.
#
# The same setting can be given in the environment and on the command line:
# base_url here is ALCOVE_BASE_URL there, and --base-url as a flag. A flag wins
# over the environment, the environment over this file, and this file over the
# defaults. Unknown names and impossible values stop the server from starting.
# SIGHUP has a running server read some settings again; they say so.
#
# Sizes: "64KiB", "1MiB", "20GiB", "1TiB" count in steps of 1024; "64kB", "1MB",
# "20GB", "1TB" in steps of 1000; a plain number is bytes. Durations: "30s", "5m",
# "168h".
`

// Example returns the text of config.example.toml: every setting with its meaning,
// commented out at its default.
func Example() string {
	var b strings.Builder
	b.WriteString(exampleHead)
	for _, g := range new(Config).groups() {
		b.WriteString("\n## " + g.title + "\n")
		for _, f := range g.fields {
			b.WriteString("\n")
			help := f.help
			if f.again {
				help += " SIGHUP has it read again."
			}
			writeWrapped(&b, help)
			b.WriteString("#" + f.key + " = " + f.example() + "\n")
		}
	}
	b.WriteString(signInExample)
	return b.String()
}

// example writes the default as TOML.
func (f field) example() string {
	switch f.valueType() {
	case Number, Switch:
		return f.def
	case Networks, Names:
		return "[]"
	}
	return strconv.Quote(f.def)
}

// writeWrapped writes a comment in lines of at most 80 characters.
func writeWrapped(b *strings.Builder, text string) {
	line := "#"
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > 80 {
			b.WriteString(line + "\n")
			line = "#"
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
}
