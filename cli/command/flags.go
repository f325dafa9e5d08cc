package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"alcove/config"
)

// described is what is known of the arguments of a command before it runs.
type described struct {
	flags      *pflag.FlagSet
	positional int
}

// errDescribed ends a command that is only asked for its flags.
var errDescribed = errors.New("only described")

// Describe has a command register its flags without running: each begins with that, and calls Parse before anything else.
func (c *Command) Describe() *described {
	if c.described == nil {
		c.describes = true
		err := c.Run(context.Background(), c, nil)
		c.describes = false
		if !errors.Is(err, errDescribed) {
			panic("alcove " + c.Name + " does something before it parses its flags")
		}
	}
	return c.described
}

// Flags is the flag set of a command. Its help goes to standard output.
func (c *Command) Flags() *pflag.FlagSet {
	fs := pflag.NewFlagSet(c.Name, pflag.ContinueOnError)
	fs.SortFlags = false
	fs.SetOutput(io.Discard)
	return fs
}

// Numbers of arguments that are not fixed.
const (
	SomePaths = -1 // paths, at least one
	SomeTexts = -2 // other texts, at least one
	AnyTexts  = -3 // other texts, or none
	OneText   = -4 // one other text
)

// Parse reads the arguments; wrong ones are ErrUsage, and --help prints the help.
func (c *Command) Parse(fs *pflag.FlagSet, args []string, positional int) error {
	c.described = &described{fs, positional}
	if c.describes {
		return errDescribed
	}
	err := fs.Parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		c.printHelp()
		return err
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		if near := similarFlags(fs, unknown.GetSpecifiedName()); len(near) > 0 {
			err = fmt.Errorf("%w; did you mean %s?", err, strings.Join(near, " or "))
		}
	}
	if err == nil {
		err = c.counts(fs.NArg(), positional)
	}
	for _, path := range fs.Args() {
		if err == nil && positional >= SomePaths {
			err = config.CheckPath(path)
		}
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUsage, err)
	}
	return nil
}

// counts refuses a wrong number of arguments that are no flags.
func (c *Command) counts(given, wanted int) error {
	if wanted == OneText {
		wanted = 1
	}
	switch {
	case wanted == AnyTexts, wanted < 0 && given > 0, given == wanted:
		return nil
	case wanted < 0:
		return errors.New("it takes at least one argument besides flags")
	case wanted == 0:
		return errors.New("it takes no arguments besides flags")
	case wanted == 1:
		return fmt.Errorf("it takes one argument besides flags, not %d", given)
	}
	return fmt.Errorf("it takes %d arguments besides flags, not %d", wanted, given)
}

// similarFlags are the flags that may have been meant.
func similarFlags(fs *pflag.FlagSet, name string) (list []string) {
	all := &cobra.Command{}
	fs.VisitAll(func(f *pflag.Flag) {
		all.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}}) // cobra knows how alike names are
	})
	for _, near := range Suggest(all, name) {
		list = append(list, "--"+near)
	}
	return list
}

// PathFlag is a flag with the path of a file or a directory, empty by default.
func PathFlag(fs *pflag.FlagSet, name, help string) *string {
	p := new(PathValue)
	fs.Var(p, name, help)
	return (*string)(p)
}

// PathValue is the value of such a flag.
type PathValue string

func (p *PathValue) Set(text string) error {
	if err := config.CheckPath(text); err != nil {
		return err
	}
	*p = PathValue(text)
	return nil
}

func (p *PathValue) String() string { return string(*p) }
func (p *PathValue) Type() string   { return "string" }

// SizeFlag is a flag with a number of bytes, such as 5GiB; a bare number counts units of so many.
func SizeFlag(fs *pflag.FlagSet, name string, unit int64, help string) *int64 {
	s := &sizeValue{unit: unit}
	fs.Var(s, name, help)
	return &s.bytes
}

// sizeValue is the value of such a flag.
type sizeValue struct{ bytes, unit int64 }

func (s *sizeValue) Set(text string) error {
	n, err := config.ParseSize(text)
	if err != nil {
		return err
	}
	if _, bare := strconv.ParseInt(text, 10, 64); bare == nil {
		if n > math.MaxInt64/s.unit {
			return fmt.Errorf("%q is too large", text)
		}
		n *= s.unit
	}
	s.bytes = n
	return nil
}

func (s *sizeValue) String() string { return strconv.FormatInt(s.bytes, 10) }
func (s *sizeValue) Type() string   { return "size" }

// Required refuses a call in which a flag is missing.
func Required(fs *pflag.FlagSet, names ...string) error {
	for _, n := range names {
		if !fs.Changed(n) {
			return fmt.Errorf("%w: --%s is required", ErrUsage, n)
		}
	}
	return nil
}

// someSettings is the heading of settings in the help of a command that takes some of them only.
const someSettings = "Settings"

// Settings registers the flags of the named settings, of all when none are named, and
// returns what loads the configuration once the flags are parsed.
func Settings(fs *pflag.FlagSet, names ...string) func() (config.Config, error) {
	file := PathFlag(fs, "config", "TOML file with settings (or $"+config.FileEnv+")")
	for _, s := range config.Settings() {
		if len(names) > 0 && !slices.Contains(names, s.Flag) {
			continue
		}
		if s.ValueType == config.Switch {
			fs.Bool(s.Flag, s.Default == "true", s.Help)
		} else {
			fs.String(s.Flag, s.Default, s.Help)
		}
		fs.SetAnnotation(s.Flag, FlagGroup, []string{s.Group})
		if len(names) > 0 {
			fs.SetAnnotation(s.Flag, FlagGroup, []string{someSettings})
		}
	}
	if len(names) > 0 {
		fs.SetAnnotation("config", FlagGroup, []string{someSettings})
	}
	return func() (config.Config, error) {
		src := config.Sources{File: *file, Env: os.Environ(), Flags: map[string]string{}}
		if src.File == "" {
			src.File = os.Getenv(config.FileEnv)
			if err := config.CheckPath(src.File); err != nil {
				return config.Config{}, fmt.Errorf("environment variable %s: %w", config.FileEnv, err)
			}
		}
		for _, s := range config.Settings() {
			if f := fs.Lookup(s.Flag); f != nil && f.Changed {
				src.Flags[s.Flag] = f.Value.String()
			}
		}
		return config.Load(src)
	}
}

// JSONFlag is the flag of commands that print a table.
func JSONFlag(fs *pflag.FlagSet) *bool {
	return fs.Bool("json", false, "print JSON instead of a table")
}
