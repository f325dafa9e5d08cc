package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"alcove/cli/sentence"
	"alcove/config"
)

// Execute runs the command that args name and returns the exit status. The version is that of the program.
func Execute(ctx context.Context, table []Line, version string, args []string) (code int) {
	root, all := NewTree(table, version, &code)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		describeAll(all)
	}
	root.SetArgs(args)
	if err := root.ExecuteContext(ctx); err != nil { // only of what is no command of the table
		fmt.Fprintf(os.Stderr, "alcove: %v\n%s", err, hint(root))
		return 2
	}
	return code
}

// NewTree makes cobra's tree of the table. Cobra finds the command, and the command parses its flags itself, as its
// variables do not exist before it runs; code becomes its exit status.
func NewTree(table []Line, version string, code *int) (root *cobra.Command, all []*Command) {
	cobra.EnableCommandSorting = false // they stand in the order of the table
	root = &cobra.Command{
		Use: "alcove", Version: version, SilenceErrors: true, SilenceUsage: true, Args: cobra.ArbitraryArgs,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.RunE = func(cmd *cobra.Command, args []string) error { return notFound(cmd, args) }
	root.SetVersionTemplate("alcove {{.Version}}\n")
	root.SetHelpFunc(func(*cobra.Command, []string) { fmt.Print(Overview(table)) })
	tree := map[string]*cobra.Command{"": root}
	for _, l := range table {
		c := &Command{Line: l}
		all = append(all, c)
		words := strings.Fields(c.Name)
		name := words[len(words)-1]
		c.Cmd = &cobra.Command{
			Use: name, Short: c.Help, Example: Examples[c.Name], SuggestFor: synonyms[c.Name],
			DisableFlagParsing: true, Args: cobra.ArbitraryArgs,
		}
		c.Cmd.SetHelpFunc(func(*cobra.Command, []string) { c.printHelp() })
		c.Cmd.RunE = func(cmd *cobra.Command, args []string) error {
			*code = c.Execute(cmd.Context(), args)
			return nil
		}
		tree[strings.Join(words[:len(words)-1], " ")].AddCommand(c.Cmd)
		tree[c.Name] = c.Cmd
		if name == "help" {
			root.SetHelpCommand(c.Cmd)
		}
	}
	return root, all
}

// synonyms are names under which other programs have a command.
var synonyms = map[string][]string{
	"serve": {"start", "run", "server", "up"}, "deposit": {"upload", "add", "put"}, "account": {"user", "users", "people"},
	"check": {"fsck", "verify", "doctor"}, "backup": {"snapshot", "dump"}, "init": {"setup", "install", "new"},
	"version": {"about"}, "audit": {"log", "logs"},
}

// Execute runs a command, or tells what it needs beside it.
func (c *Command) Execute(ctx context.Context, args []string) int {
	if c.Run != nil {
		return status(c, c.Run(ctx, c, args))
	}
	switch {
	case slices.Contains(args, "--help"), slices.Contains(args, "-h"):
		c.printHelp()
		return 0
	}
	err := notFound(c.Cmd, args)
	fmt.Fprintf(os.Stderr, "alcove: %v\n%s", err, hint(c.Cmd))
	return 2
}

// notFound tells what is wrong with a call that names no command.
func notFound(cmd *cobra.Command, args []string) error {
	wanted := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, "-") })
	above := strings.TrimPrefix(cmd.CommandPath()+" ", "alcove ")
	if len(wanted) == 0 {
		var below []string
		for _, s := range cmd.Commands() {
			below = append(below, s.Name())
		}
		if above == "" {
			return errors.New("a command is needed")
		}
		return fmt.Errorf("a command is needed after %q: %s", cmd.CommandPath(), strings.Join(below, ", "))
	}
	text := fmt.Sprintf("there is no command %q", above+wanted[0])
	if near := Suggest(cmd, wanted[0]); len(near) > 0 {
		for i := range near {
			near[i] = fmt.Sprintf("\"alcove %s%s\"", above, near[i])
		}
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return errors.New(text)
}

// Suggest names the commands that may have been meant.
func Suggest(cmd *cobra.Command, word string) []string {
	cmd.SuggestionsMinimumDistance = 2
	if len(word) < 4 {
		cmd.SuggestionsMinimumDistance = 1 // or any three letters are like any others
	}
	return cmd.SuggestionsFor(word)
}

// hint is the line after the error of a call that names no command.
func hint(cmd *cobra.Command) string { return cmd.CommandPath() + " --help tells more.\n" }

func status(c *Command, err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, pflag.ErrHelp):
		return 0
	case errors.Is(err, ErrUsage):
		fmt.Fprintf(os.Stderr, "alcove %s: %v\n%s\n", c.Name, strings.TrimPrefix(sentence.Of(err), ErrUsage.Error()+": "), c.usage())
		return 2
	}
	fmt.Fprintf(os.Stderr, "alcove %s: %s\n", c.Name, sentence.Of(err))
	if errors.Is(err, ErrNotChecked) {
		return 2
	}
	if own, ok := errors.AsType[interface {
		error
		ExitStatus() int
	}](err); ok {
		return own.ExitStatus()
	}
	return 1
}

// describeAll gives cobra the flags of all commands, with the values that they can have, for a shell that completes them.
func describeAll(all []*Command) {
	values := map[string][]string{}
	for _, s := range config.Settings() {
		values[s.Flag] = s.Of
		if s.ValueType == config.Switch {
			values[s.Flag] = []string{"true", "false"}
		}
	}
	for _, c := range all {
		if c.Run == nil {
			continue
		}
		d := c.Describe()
		c.Cmd.DisableFlagParsing = false
		c.Cmd.Flags().AddFlagSet(d.flags)
		d.flags.VisitAll(func(f *pflag.Flag) {
			switch _, path := f.Value.(*PathValue); {
			case len(values[f.Name]) > 0:
				c.Cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(values[f.Name], cobra.ShellCompDirectiveNoFileComp))
			case !path && f.Annotations[FlagGroup] == nil:
				c.Cmd.RegisterFlagCompletionFunc(f.Name, cobra.NoFileCompletions)
			}
		})
		if c.Cmd.ValidArgsFunction == nil && (d.positional == 0 || d.positional < SomePaths) {
			c.Cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
		if c.Name == "completion" {
			c.Cmd.ValidArgsFunction = cobra.FixedCompletions(shells, cobra.ShellCompDirectiveNoFileComp)
		}
	}
}

// shells are those that completions are for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

// PrintCompletion prints the script by which a shell asks this program for completions.
func PrintCompletion(_ context.Context, c *Command, args []string) error {
	fs := c.Flags()
	if err := c.Parse(fs, args, OneText); err != nil {
		return err
	}
	root := c.Cmd.Root()
	switch fs.Arg(0) {
	case "bash":
		return root.GenBashCompletionV2(os.Stdout, true)
	case "zsh":
		return root.GenZshCompletion(os.Stdout)
	case "fish":
		return root.GenFishCompletion(os.Stdout, true)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(os.Stdout)
	}
	return fmt.Errorf("%w: %q is none of %s", ErrUsage, fs.Arg(0), strings.Join(shells, ", "))
}

// PrintHelp prints the help of the command that its arguments name.
func PrintHelp(_ context.Context, c *Command, args []string) error {
	fs := c.Flags()
	if err := c.Parse(fs, args, AnyTexts); err != nil {
		return err
	}
	cmd, rest, err := c.Cmd.Root().Find(fs.Args())
	if err == nil && len(rest) > 0 {
		err = notFound(cmd, rest)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUsage, err)
	}
	return cmd.Help()
}
