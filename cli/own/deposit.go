package own

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"alcove/cli/command"
	"alcove/cli/deposit"
)

// Deposit is alcove deposit: folders, files or lines of items through the API of a server.
func Deposit(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	o := deposit.WholeOptions{Options: deposit.Options{Out: os.Stderr, IsTerminal: term.IsTerminal(int(os.Stderr.Fd()))}}
	state := command.PathFlag(fs, "state", "file that remembers what was done (default: beside the folder, FOLDER.deposit-state)")
	fs.IntVar(&o.Parallel, "parallel", 4, "how many items, files and file parts travel at once")
	asJSON := fs.Bool("json", false, "print what became of it as JSON on the standard output")
	fs.StringArrayVar(&o.AllowSecrets, "allow-secret", nil, "send the file of this `name` (its path in the item) although it holds a private key or a token; again for each")
	command.LinesFlags(fs, &o.AcceptWarnings, &o.FollowOutside)
	whole := wholeFlags(fs, &o)
	at := targetFlags(fs)
	if err := c.Parse(fs, args, command.SomePaths); err != nil {
		return err
	}
	if o.Parallel < 1 || o.Parallel > 64 {
		return fmt.Errorf("%w: --parallel must be from 1 to 64", command.ErrUsage)
	}
	if fs.Changed("new-version") && o.NewVersion < 1 {
		return fmt.Errorf("%w: --new-version must be the id of an article", command.ErrUsage)
	}
	if o.DryRun && !*asJSON {
		o.Out = os.Stdout
	}
	found, err := at.withToken()
	if err != nil {
		return err
	}
	o.To, o.Token, o.CACert, o.InsecureHTTP = found.Address, found.Token, found.CACert, at.InsecureHTTP
	o.State, o.Paths = *state, fs.Args()
	var said any
	if isLines(fs) {
		for _, name := range whole {
			if fs.Changed(name) {
				return fmt.Errorf("%w: --%s is for folders and files; a line of %s says it of its item", command.ErrUsage, name, fs.Arg(0))
			}
		}
		o.Items = fs.Arg(0)
		said, err = deposit.Run(ctx, o.Options)
	} else {
		var results []*deposit.Result
		if results, err = deposit.RunWhole(ctx, o); results == nil {
			results = []*deposit.Result{}
		}
		said = map[string]any{"items": results}
	}
	if *asJSON {
		if err := command.PrintJSON(said); err != nil {
			return err
		}
	}
	if errors.Is(err, context.Canceled) {
		return errors.New("stopped before the end")
	}
	return err
}

// wholeFlags are the flags for folders and files. It returns their names.
func wholeFlags(fs *pflag.FlagSet, o *deposit.WholeOptions) (names []string) {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	own.SortFlags = false
	own.StringVar(&o.Words.Title, "title", "", "title of the item")
	own.StringVar(&o.Words.Description, "description", "", "description, as plain text")
	own.StringArrayVar(&o.Words.Authors, "author", nil, "an author `name`, with an ORCID iD behind the name if there is one; again for each")
	own.StringVar(&o.Words.License, "license", "", "licence: its name, SPDX identifier, address or number")
	own.StringArrayVar(&o.Words.Categories, "category", nil, "a category: its `name`, code or id; again for each")
	own.StringArrayVar(&o.Words.Keywords, "keyword", nil, "a keyword `word`; again for each")
	own.StringVar(&o.Words.Type, "type", "", "type of the item, such as dataset or software")
	own.StringVar(&o.Words.EmbargoUntil, "embargo-until", "", "withhold the files until this day, such as 2027-01-31")
	own.Var((*command.PathValue)(&o.Metadata), "metadata", "file to read the metadata from, instead of the one in the folder")
	own.Int64Var(&o.NewVersion, "new-version", 0, "bring this published article up to date: send what changed, remove what is gone")
	own.BoolVar(&o.Publish, "publish", false, "publish the item when all of it is there")
	own.BoolVar(&o.DryRun, "dry-run", false, "tell what would be sent, and send nothing")
	own.StringArrayVar(&o.Exclude, "exclude", nil, "leave out files and folders that match this `pattern`, as in a .gitignore or .alcoveignore file; again for each")
	own.BoolVar(&o.NewDraft, "new-draft", false, "make another draft although one of this folder exists")
	own.BoolVar(&o.Hidden, "include-hidden", false, "deposit hidden files, too")
	fs.AddFlagSet(own)
	own.VisitAll(func(f *pflag.Flag) {
		names = append(names, f.Name)
		fs.SetAnnotation(f.Name, command.FlagGroup, []string{"Folders and files"})
	})
	return names
}

// isLines tells whether what was named is one file of lines of items. A file that becomes an item has a title.
func isLines(fs *pflag.FlagSet) bool {
	if fs.NArg() != 1 || fs.Changed("title") {
		return false
	}
	switch strings.ToLower(filepath.Ext(fs.Arg(0))) {
	case ".jsonl", ".ndjson":
		info, err := os.Stat(fs.Arg(0))
		return err != nil || !info.IsDir()
	}
	return false
}
