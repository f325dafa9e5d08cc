package own

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	slashpath "path"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"alcove/cli/command"
	"alcove/cli/deposit"
	"alcove/cli/fetch"
)

// own is an own item as lists and details have it. Blank texts are null or "".
type own struct {
	ID        int64  `json:"id"`
	Title     string `json:"title"`
	DOI       string `json:"doi"`
	Published string `json:"published_date"`
	Modified  string `json:"modified_date"`
	Status    string `json:"status"`
	Public    bool   `json:"is_public"`
	Page      string `json:"url_public_html"`
	Size      int64  `json:"size"`
}

// pageOfItems is how many items or files a request lists.
const pageOfItems = 100

// onServer runs a command on a server that a token is needed for: register adds its flags, and do gets the client.
func onServer(c *command.Command, args []string, positional int, register func(*pflag.FlagSet) func(*deposit.Client, []string) error) error {
	fs := c.Flags()
	do := register(fs)
	at := targetFlags(fs)
	if err := c.Parse(fs, args, positional); err != nil {
		return err
	}
	found, err := at.withToken()
	if err != nil {
		return err
	}
	client, err := found.client()
	if err != nil {
		return err
	}
	defer client.Close()
	return do(client, fs.Args())
}

// ownItem is the path of an own item that a person has named, behind /v2.
func ownItem(ctx context.Context, client *deposit.Client, text string) (path string, it own, err error) {
	ref, err := fetch.ParseRef(text)
	if err != nil {
		return "", it, fmt.Errorf("%w: %w", command.ErrUsage, err)
	}
	if ref.ID == 0 {
		return "", it, fmt.Errorf("%w: own items are named by their ids, as alcove ls shows them", command.ErrUsage)
	}
	kind := "articles"
	if ref.Collection {
		kind = "collections"
	}
	path = fmt.Sprintf("/account/%s/%d", kind, ref.ID)
	if err := client.Read(ctx, path, &it); err != nil {
		if s := deposit.Status(err); s == http.StatusNotFound || s == http.StatusForbidden {
			return "", it, fmt.Errorf("there is no own item %s: alcove ls lists those there are", text)
		}
		return "", it, err
	}
	return path, it, nil
}

// List lists the own articles, or the files of one.
func List(ctx context.Context, c *command.Command, args []string) error {
	return onServer(c, args, command.AnyTexts, func(fs *pflag.FlagSet) func(*deposit.Client, []string) error {
		collections := fs.Bool("collections", false, "list collections instead of articles")
		most := fs.Int("limit", 100, "how many items at most, 0 for all")
		asJSON := command.JSONFlag(fs)
		return func(client *deposit.Client, items []string) error {
			switch {
			case *most < 0:
				return fmt.Errorf("%w: --limit must not be below 0", command.ErrUsage)
			case len(items) > 1:
				return fmt.Errorf("%w: it takes one item at most", command.ErrUsage)
			case len(items) == 1:
				return listFiles(ctx, client, items[0], *asJSON)
			}
			path := "/account/articles"
			if *collections {
				path = "/account/collections"
			}
			list, err := pages[own](ctx, client, path, *most)
			if err != nil {
				return err
			}
			if *asJSON {
				return command.PrintJSON(list)
			}
			rows := [][]any{}
			for _, it := range list {
				state := "draft"
				if it.Published != "" {
					state = "public"
				}
				rows = append(rows, []any{it.ID, state, it.Modified, it.Title})
			}
			return command.PrintTable([]string{"ID", "STATE", "CHANGED", "TITLE"}, rows)
		}
	})
}

func listFiles(ctx context.Context, client *deposit.Client, item string, asJSON bool) error {
	path, _, err := ownItem(ctx, client, item)
	if err != nil {
		return err
	}
	if strings.HasPrefix(path, "/account/collections/") {
		return fmt.Errorf("%w: a collection has no files", command.ErrUsage)
	}
	type file struct {
		ID   int64  `json:"id"`
		Name string `json:"name"`
		Size int64  `json:"size"`
		MD5  string `json:"computed_md5"`
	}
	list, err := pages[file](ctx, client, path+"/files", 0)
	if err != nil {
		return err
	}
	if asJSON {
		return command.PrintJSON(list)
	}
	var about struct {
		Folders map[string]string `json:"folder_structure"` // by the id of a file
	}
	if err := client.Read(ctx, path, &about); err != nil {
		return err
	}
	rows := [][]any{}
	for _, f := range list {
		rows = append(rows, []any{f.ID, f.Size, f.MD5, slashpath.Join(about.Folders[strconv.FormatInt(f.ID, 10)], f.Name)})
	}
	return command.PrintTable([]string{"ID", "BYTES", "MD5", "NAME"}, rows)
}

// pages reads a list to its end, or to most entries where that is not 0.
func pages[T any](ctx context.Context, client *deposit.Client, path string, most int) (all []T, err error) {
	all = []T{}
	for page := 1; ; page++ {
		var some []T
		if err := client.Read(ctx, fmt.Sprintf("%s?page=%d&page_size=%d", path, page, pageOfItems), &some); err != nil {
			return nil, err
		}
		all = append(all, some...)
		if most > 0 && len(all) >= most {
			return all[:most], nil
		}
		if len(some) < pageOfItems {
			return all, nil
		}
	}
}

// Publish publishes an own item, or hands it in for a review.
func Publish(ctx context.Context, c *command.Command, args []string) error {
	return onServer(c, args, command.OneText, func(fs *pflag.FlagSet) func(*deposit.Client, []string) error {
		asJSON := command.JSONFlag(fs)
		return func(client *deposit.Client, items []string) error {
			path, _, err := ownItem(ctx, client, items[0])
			if err != nil {
				return err
			}
			warnings, err := client.Change(ctx, http.MethodPost, path+"/publish", nil, nil)
			if err != nil {
				return fmt.Errorf("it was not published: %w", err)
			}
			for _, w := range warnings {
				fmt.Fprintln(os.Stderr, "warning: "+w)
			}
			var it own
			if err := client.Read(ctx, path, &it); err != nil {
				return fmt.Errorf("it was handed in, and cannot be read again: %w", err)
			}
			if *asJSON {
				return command.PrintJSON(it)
			}
			if !it.Public && it.Published == "" {
				fmt.Println("handed in; it is not public yet")
				return nil
			}
			fmt.Println(command.Cell(it.Page))
			return nil
		}
	})
}

// Link makes a private link to an own item, or lists and ends those there are.
func Link(ctx context.Context, c *command.Command, args []string) error {
	return onServer(c, args, command.OneText, func(fs *pflag.FlagSet) func(*deposit.Client, []string) error {
		show := fs.Bool("list", false, "list the links instead of making one")
		end := fs.String("end", "", "end the link with this id instead, as --list shows it")
		expires := fs.String("expires", "", "the day on which the link ends, such as 2030-01-31 (default as the server has it)")
		asJSON := command.JSONFlag(fs)
		return func(client *deposit.Client, items []string) error {
			if *show && *end != "" || *expires != "" && (*show || *end != "") {
				return fmt.Errorf("%w: --list, --end and --expires do not go together", command.ErrUsage)
			}
			if *expires != "" {
				if _, err := time.Parse(time.DateOnly, *expires); err != nil {
					return fmt.Errorf("%w: --expires: %q is no day such as 2030-01-31", command.ErrUsage, *expires)
				}
			}
			path, _, err := ownItem(ctx, client, items[0])
			if err != nil {
				return err
			}
			path += "/private_links"
			switch {
			case *end != "":
				_, err := client.Change(ctx, http.MethodDelete, path+"/"+url.PathEscape(*end), nil, nil)
				if deposit.Status(err) == http.StatusNotFound {
					return fmt.Errorf("there is no link %q: alcove link %s --list shows those there are", *end, items[0])
				}
				return err
			case *show:
				return listLinks(ctx, client, path, *asJSON)
			}
			body := map[string]string{}
			if *expires != "" {
				body["expires_date"] = *expires
			}
			var made struct {
				Location string `json:"location"`
				Page     string `json:"html_location"`
				Token    string `json:"token"`
			}
			if _, err := client.Change(ctx, http.MethodPost, path, body, &made); err != nil {
				return err
			}
			if *asJSON {
				return command.PrintJSON(made)
			}
			if made.Page == "" {
				made.Page = made.Location
			}
			fmt.Println(command.Cell(made.Page))
			return nil
		}
	})
}

func listLinks(ctx context.Context, client *deposit.Client, path string, asJSON bool) error {
	type link struct {
		ID      string `json:"id"`
		Active  bool   `json:"is_active"`
		Expires string `json:"expires_date"`
		Page    string `json:"html_location"`
	}
	list := []link{}
	if err := client.Read(ctx, path, &list); err != nil {
		return err
	}
	if asJSON {
		return command.PrintJSON(list)
	}
	rows := [][]any{}
	for _, l := range list {
		rows = append(rows, []any{l.ID, l.Active, l.Expires, l.Page})
	}
	return command.PrintTable([]string{"ID", "ACTIVE", "EXPIRES", "PAGE"}, rows)
}

// Delete tells which draft would be deleted, and with --yes deletes it.
func Delete(ctx context.Context, c *command.Command, args []string) error {
	return onServer(c, args, command.OneText, func(fs *pflag.FlagSet) func(*deposit.Client, []string) error {
		yes := fs.Bool("yes", false, "do it; without, only tell what would be deleted")
		asJSON := command.JSONFlag(fs)
		return func(client *deposit.Client, items []string) error {
			path, it, err := ownItem(ctx, client, items[0])
			if err != nil {
				return err
			}
			if it.Public || it.Published != "" {
				return fmt.Errorf("item %d is public, and only drafts are deleted: withdraw it on its page", it.ID)
			}
			if *yes {
				if _, err := client.Change(ctx, http.MethodDelete, path, nil, nil); err != nil {
					return fmt.Errorf("it was not deleted: %w", err)
				}
			}
			if *asJSON {
				return command.PrintJSON(map[string]any{"id": it.ID, "title": it.Title, "size": it.Size, "deleted": *yes})
			}
			what := strconv.FormatInt(it.ID, 10) + ", " + strconv.Quote(deposit.Clean(it.Title)) + fmt.Sprintf(", %d bytes of files", it.Size)
			if *yes {
				fmt.Println("deleted: draft " + what)
				return nil
			}
			fmt.Println("would be deleted: draft " + what)
			fmt.Printf("Nothing was deleted. To do it: alcove rm %s --yes\n", items[0])
			return nil
		}
	})
}
