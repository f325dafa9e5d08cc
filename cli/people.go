package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"alcove/handlers"
)

func accountAdd(ctx context.Context, c *command, args []string) error {
	fs := c.flags()
	load := settings(fs, "data")
	email := fs.String("email", "", "e-mail address, which names the account")
	first := fs.String("first-name", "", "first name")
	last := fs.String("last-name", "", "last name")
	admin := fs.Bool("admin", false, "make it an administrator of the institution")
	fromStdin := fs.Bool("password-stdin", false, "read a password from the first line of standard input")
	if err := c.parse(fs, args, 0); err != nil {
		return err
	}
	if err := required(fs, "email", "first-name", "last-name"); err != nil {
		return err
	}
	cfg, err := load()
	if err != nil {
		return err
	}
	n := handlers.NewAccount{Email: *email, FirstName: *first, LastName: *last, Admin: *admin}
	if *fromStdin {
		line, err := bufio.NewReader(io.LimitReader(os.Stdin, 4096)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("cannot read the password: %w", err)
		}
		if n.Password = strings.TrimRight(line, "\r\n"); n.Password == "" {
			return errors.New("cannot read the password: standard input is empty")
		}
	}
	return printResult(ask[int64](ctx, cfg.Data, task{Account: &n}))
}

func tokenAdd(ctx context.Context, c *command, args []string) error {
	fs := c.flags()
	load := settings(fs, "data")
	account := fs.String("account", "", "e-mail address or id of the account")
	name := fs.String("name", "", "what the token is for")
	if err := c.parse(fs, args, 0); err != nil {
		return err
	}
	if err := required(fs, "account"); err != nil {
		return err
	}
	cfg, err := load()
	if err != nil {
		return err
	}
	return printResult(ask[string](ctx, cfg.Data, task{Token: &newToken{Account: *account, Name: *name}}))
}

func printResult[R any](result R, err error) error {
	if err != nil {
		return err
	}
	fmt.Println(result)
	return nil
}
