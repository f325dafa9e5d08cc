package own

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"alcove/cli/command"
	"alcove/cli/fetch"
	"alcove/cli/remote"
)

// readItem reads one state of the item that is named, of the server that is meant: the one in its address, or that of the
// flags and logins. A token is used where there is one.
func readItem(ctx context.Context, at *Target, text string, version int64, draft bool) (*fetch.Client, *fetch.Version, error) {
	ref, err := fetch.ParseRef(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", command.ErrUsage, err)
	}
	if ref.Base != "" {
		if at.Login == "" && at.To == "" {
			at.To = ref.Base
		} else if err := SameServer(ref.Base, at.To); at.To != "" && err != nil {
			return nil, nil, fmt.Errorf("%w: the item is of another server than --to: %w", command.ErrUsage, err)
		}
	}
	found, err := at.Find()
	if err == nil && ref.Base != "" {
		err = SameServer(ref.Base, found.Address)
	}
	if err != nil {
		return nil, nil, err
	}
	if draft && found.Token == "" {
		return nil, nil, fmt.Errorf("%w: a draft needs a token: run alcove login %s once", command.ErrUsage, found.Address)
	}
	client, err := fetch.New(ctx, found.Address, found.options())
	if err != nil {
		return nil, nil, err
	}
	v, err := client.One(ctx, fetch.Which{Ref: ref, Version: version, Draft: draft})
	if err != nil {
		client.Close()
		if fetch.Gone(err) {
			err = fmt.Errorf("%s has no item %s that this caller may read", found.Address, text)
		}
		return nil, nil, err
	}
	return client, v, nil
}

func stateFlags(fs *pflag.FlagSet) (version *int64, draft *bool) {
	return fs.Int64("version", 0, "number of a public version (default the newest)"),
		fs.Bool("draft", false, "the working copy of an own item instead of a public version")
}

// Get takes the files of an item to a folder.
func Get(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	out := command.PathFlag(fs, "out", "folder for the files (default one named after the item, such as article-7)")
	version, draft := stateFlags(fs)
	asJSON := command.JSONFlag(fs)
	at := targetFlags(fs)
	if err := c.Parse(fs, args, command.OneText); err != nil {
		return err
	}
	if *version < 0 || *version > 0 && *draft {
		return fmt.Errorf("%w: --version is the number of a public version, and does not go with --draft", command.ErrUsage)
	}
	client, v, err := readItem(ctx, at, fs.Arg(0), *version, *draft)
	if err != nil {
		return err
	}
	defer client.Close()
	if v.Withheld {
		return errors.New("its files are withheld by an embargo; --draft takes those of an own item")
	}
	if *out == "" {
		*out = fmt.Sprintf("article-%d", v.ID)
	}
	progress, end := showBytes(v.Files)
	list, err := remote.Get(ctx, client, v, *out, progress)
	end()
	if err != nil {
		if ctx.Err() != nil {
			err = errStopped
		}
		return err
	}
	count := map[string]int{}
	for _, f := range list {
		if count[f.State]++; f.State == remote.Linked {
			fmt.Fprintf(os.Stderr, "%s is elsewhere, and was not fetched: %s\n", command.Cell(f.Path), command.Cell(f.URL))
		}
	}
	if *asJSON {
		return command.PrintJSON(map[string]any{"id": v.ID, "version": v.Number, "title": v.Title, "folder": *out, "files": list})
	}
	fmt.Printf("%s: %d files fetched, %d were there\n", *out, count[remote.Fetched], count[remote.There])
	return nil
}

// errStopped ends a command that goes on where it was.
var errStopped = errors.New("stopped; the same command goes on from here")

// showBytes draws the bytes of files on a terminal as they come.
func showBytes(files []fetch.File) (add func(int64), end func()) {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return func(int64) {}, func() {}
	}
	var all int64
	for _, f := range files {
		all += f.Size
	}
	bar := progressbar.NewOptions64(all, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionShowBytes(true),
		progressbar.OptionSetPredictTime(true), progressbar.OptionFullWidth(), progressbar.OptionClearOnFinish())
	return func(n int64) { bar.Add64(n) }, func() { bar.Finish() }
}

// Cite prints the citation of an item.
func Cite(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	style := fs.String("style", "", strings.Join(remote.Styles(), ", ")+" (default as the server words it)")
	version, draft := stateFlags(fs)
	asJSON := command.JSONFlag(fs)
	at := targetFlags(fs)
	if err := c.Parse(fs, args, command.OneText); err != nil {
		return err
	}
	client, v, err := readItem(ctx, at, fs.Arg(0), *version, *draft)
	if err != nil {
		return err
	}
	defer client.Close()
	text, err := remote.Cite(v, *style)
	if err != nil {
		return fmt.Errorf("%w: --style: %w", command.ErrUsage, err)
	}
	if *asJSON {
		return command.PrintJSON(map[string]any{"id": v.ID, "version": v.Number, "style": *style, "citation": text})
	}
	fmt.Println(text)
	return nil
}
