package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"alcove/cli/command"
	"alcove/cli/operate"
)

func accountAdd(ctx context.Context, c *command.Command, args []string) error {
	return onData(ctx, c, args, "email first-name last-name", func(fs *pflag.FlagSet) func(string) error {
		email := fs.String("email", "", "e-mail address, which names the account")
		first := fs.String("first-name", "", "first name")
		last := fs.String("last-name", "", "last name")
		admin := fs.Bool("admin", false, "make it an administrator of the institution")
		fromStdin := fs.Bool("password-stdin", false, "read a password from the first line of standard input")
		return func(dir string) error {
			n := operate.NewAccount{Email: *email, FirstName: *first, LastName: *last, Admin: *admin}
			if *fromStdin {
				line, err := bufio.NewReader(io.LimitReader(os.Stdin, 4096)).ReadString('\n')
				if err != nil && !errors.Is(err, io.EOF) {
					return fmt.Errorf("cannot read the password: %w", err)
				}
				if n.Password = strings.TrimRight(line, "\r\n"); n.Password == "" {
					return errors.New("cannot read the password: standard input is empty")
				}
			}
			return printResult(ask[int64](ctx, dir, task{Account: &n}))
		}
	})
}

func accountInvite(ctx context.Context, c *command.Command, args []string) error {
	return onData(ctx, c, args, "email", func(fs *pflag.FlagSet) func(string) error {
		email := fs.String("email", "", "e-mail address of the person, which names the account")
		admin := fs.Bool("admin", false, "the account will be an administrator of the institution")
		plain := printFlag(fs)
		return func(dir string) error {
			return printResult(ask[string](ctx, dir, task{OneTime: &operate.OneTime{Email: *email, Admin: *admin, Print: *plain}}))
		}
	})
}

func accountReset(ctx context.Context, c *command.Command, args []string) error {
	return onData(ctx, c, args, "account", func(fs *pflag.FlagSet) func(string) error {
		account, plain := accountFlag(fs), printFlag(fs)
		noFactor := fs.Bool("second-factor", false, "the second factor goes, too, when the address is used")
		return func(dir string) error {
			return printResult(ask[string](ctx, dir, task{OneTime: &operate.OneTime{Email: *account, Reset: true, NoFactor: *noFactor, Print: *plain}}))
		}
	})
}

func printFlag(fs *pflag.FlagSet) *bool {
	return fs.Bool("print", false, "print the address, also where the server sends mails")
}

func tokenAdd(ctx context.Context, c *command.Command, args []string) error {
	return onData(ctx, c, args, "account", func(fs *pflag.FlagSet) func(string) error {
		account := accountFlag(fs)
		name := fs.String("name", "", "what the token is for")
		out := command.PathFlag(fs, "out", "new file for the token, which only its owner reads, instead of standard output")
		return func(dir string) error {
			if *out != "" {
				return tokenTo(ctx, dir, *out, newToken{Account: *account, Name: *name})
			}
			return printResult(ask[string](ctx, dir, task{Token: &newToken{Account: *account, Name: *name}}))
		}
	})
}

// tokenTo makes a token and puts it into a new file. The file comes first, so that no token is made that is then lost.
func tokenTo(ctx context.Context, dir, path string, t newToken) error {
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already, and is not replaced: choose another --out", path)
	}
	if err != nil {
		return fmt.Errorf("cannot make the file of the token: %w", err)
	}
	token, err := ask[string](ctx, dir, task{Token: &t})
	if err == nil {
		_, err = out.WriteString(token + "\n")
	}
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	fmt.Println(path)
	return nil
}

func printResult[R any](result R, err error) error {
	if err != nil {
		return err
	}
	fmt.Println(result)
	return nil
}
