package own

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"alcove/cli/command"
	"alcove/cli/deposit"
)

// me is the account of a token.
type me struct {
	Email string `json:"email"`
	First string `json:"first_name"`
	Last  string `json:"last_name"`
}

// Login tries a token at a server and keeps it. Further commands use it without being told.
func Login(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	name := fs.String("name", "", "name of the login (default host, port and account, such as data.example.org/mary@example.org)")
	tokenFile := command.PathFlag(fs, "token-file", "file whose first line is the personal token, - for standard input (default: it is asked for)")
	authority := command.PathFlag(fs, "cacert", "PEM file of a certificate authority to trust besides the system's")
	one := login{}
	InsecureFlag(fs, &one.insecure)
	show := fs.Bool("list", false, "list the logins instead")
	remove := fs.String("remove", "", "forget the login of this name instead; its token stays valid")
	asJSON := command.JSONFlag(fs)
	if err := c.Parse(fs, args, command.AnyTexts); err != nil {
		return err
	}
	l, err := ReadLogins()
	if err != nil {
		return err
	}
	if *show || *remove != "" {
		if fs.NArg() > 0 || *show && *remove != "" {
			return fmt.Errorf("%w: --list and --remove stand alone", command.ErrUsage)
		}
		if *show {
			return l.print(*asJSON)
		}
		return l.remove(*remove)
	}
	if fs.NArg() != 1 {
		return fmt.Errorf("%w: it takes the address of a server, such as https://data.example.org", command.ErrUsage)
	}
	if one.Address, err = deposit.BaseURL(fs.Arg(0)); err != nil {
		return fmt.Errorf("%w: %w", command.ErrUsage, err)
	}
	if *name != "" && !loginName.MatchString(*name) {
		return fmt.Errorf("%w: --name: %q is no name of letters, digits, dots and dashes", command.ErrUsage, *name)
	}
	if *authority != "" {
		if one.CACert, err = filepath.Abs(*authority); err != nil {
			return fmt.Errorf("cannot find the certificate authority: %w", err)
		}
	}
	if one.Token, err = askToken(*tokenFile); err != nil {
		return err
	}
	who, err := one.who(ctx)
	if err != nil {
		if deposit.Refused(err) {
			return fmt.Errorf("the token is not accepted at %s: make one there, on the page of the own account, and try again", one.Address)
		}
		return fmt.Errorf("cannot sign in at %s: %w", one.Address, err)
	}
	one.Account = who.Email
	if *name == "" {
		*name = one.usualName()
	}
	gone := l.replacedBy(ctx, *name, one)
	l.Logins[*name], l.Default = one, *name
	file, err := l.write()
	if err != nil {
		return err
	}
	if *asJSON {
		return command.PrintJSON(map[string]any{"name": *name, "address": one.Address, "email": who.Email, "file": file, "replaced": gone})
	}
	for _, old := range gone {
		fmt.Printf("Replaced the login %s. Its token stays valid until you revoke it at the server.\n", old)
	}
	fmt.Printf("Signed in at %s as %s. The login is called %s, and stands in %s.\n",
		one.Address, command.Cell(who.First+" "+who.Last+" <"+who.Email+">"), *name, file)
	return nil
}

// who returns the account of the token.
func (l login) who(ctx context.Context) (who me, err error) {
	client, err := l.client()
	if err != nil {
		return who, err
	}
	defer client.Close()
	return who, client.Read(ctx, "/account", &who)
}

// replacedBy removes the logins whose place a new one takes, and describes them: the login of its name, and the login of its
// account that an earlier version named by the host alone.
func (l logins) replacedBy(ctx context.Context, name string, one login) []string {
	gone := []string{}
	for _, old := range l.at(one.Address) {
		before := l.Logins[old]
		if u, err := url.Parse(one.Address); old == name || err != nil || before.Account != "" || old != u.Hostname() || name != one.usualName() {
			continue
		}
		before.insecure = one.insecure
		if who, err := before.who(ctx); err == nil && who.Email != one.Account || err != nil && !deposit.Refused(err) {
			continue // of another account, or unknown
		}
		gone = append(gone, fmt.Sprintf("%s (%s)", old, before.Address))
		delete(l.Logins, old)
	}
	if old, ok := l.Logins[name]; ok {
		gone = append(gone, fmt.Sprintf("%s (%s)", name, strings.Join(strings.Fields(old.Address+" "+old.Account), ", ")))
	}
	return gone
}

// askToken reads a token from a file, from standard input, or from the terminal, which does not show it.
func askToken(file string) (string, error) {
	switch in := int(os.Stdin.Fd()); {
	case file != "" && file != "-":
		return deposit.ReadToken(file)
	case file == "" && term.IsTerminal(in):
		fmt.Fprint(os.Stderr, "Personal token (it is not shown): ")
		text, err := term.ReadPassword(in)
		fmt.Fprintln(os.Stderr)
		if err != nil {
			return "", fmt.Errorf("cannot read the token: %w", err)
		}
		return deposit.ParseToken(string(text), "what was typed")
	}
	line, err := bufio.NewReader(io.LimitReader(os.Stdin, 1<<16)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("cannot read the token: %w", err)
	}
	return deposit.ParseToken(line, "standard input")
}

func (l logins) print(asJSON bool) error {
	rows, list := [][]any{}, []map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(l.Logins)) {
		one := l.Logins[name]
		rows = append(rows, []any{name, one.Address, one.Account, name == l.Default})
		list = append(list, map[string]any{"name": name, "address": one.Address, "account": one.Account, "default": name == l.Default})
	}
	if asJSON {
		return command.PrintJSON(list)
	}
	return command.PrintTable([]string{"NAME", "ADDRESS", "ACCOUNT", "DEFAULT"}, rows)
}

func (l logins) remove(name string) error {
	if _, ok := l.Logins[name]; !ok {
		return fmt.Errorf("there is no login %q; %s", name, l.names())
	}
	delete(l.Logins, name)
	if l.Default == name {
		l.Default = ""
		if rest := slices.Sorted(maps.Keys(l.Logins)); len(rest) > 0 {
			l.Default = rest[0]
		}
	}
	_, err := l.write()
	return err
}
