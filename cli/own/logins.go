// Package own has the commands for items on any server that speaks the API, own ones most of all, and the logins that they use.
package own

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"alcove/cli/command"
	"alcove/cli/deposit"
	"alcove/cli/fetch"
)

// logins are the servers that a person has a token for, in a file that only that person reads:
//
//	CONFIG/alcove/logins.json   CONFIG is the user's folder for configurations (os.UserConfigDir)
type logins struct {
	Default string           `json:"default"` // the name of the one that counts where none is named
	Logins  map[string]login `json:"logins"`
}

// login is one of them.
type login struct {
	Address string `json:"address"` // without /v2
	Account string `json:"account"` // email address; empty in logins of earlier versions
	Token   string `json:"token"`
	CACert  string `json:"cacert,omitempty"` // absolute path

	insecure bool // the token may cross a network unencrypted, by a flag of this call
}

var loginName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// usualName returns the name of a login that was given none: host, port unless it is that of https, path and account.
func (l login) usualName() string {
	u, err := url.Parse(l.Address)
	if err != nil {
		return l.Address
	}
	host := u.Host
	if u.Scheme == "http" && u.Port() == "" {
		host += ":80"
	}
	return host + u.Path + "/" + l.Account
}

// loginsFile is the path of the file.
func loginsFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("cannot find the folder for configurations of this user (set HOME or XDG_CONFIG_HOME): %w", err)
	}
	return filepath.Join(dir, "alcove", "logins.json"), nil
}

// ReadLogins reads the file, which may not be there.
func ReadLogins() (l logins, err error) {
	l.Logins = map[string]login{}
	name, err := loginsFile()
	if err != nil {
		return l, nil // no place for any
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return l, fmt.Errorf("cannot read the logins: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return l, fmt.Errorf("others can read the tokens in %s: run chmod 600 on it", name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return l, fmt.Errorf("cannot read the logins: %w", err)
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return l, fmt.Errorf("%s is not what alcove login has written: correct it or remove it: %w", name, err)
	}
	if l.Logins == nil {
		l.Logins = map[string]login{}
	}
	return l, nil
}

// write puts a new file in the place of the old one.
func (l logins) write() (name string, err error) {
	if name, err = loginsFile(); err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return "", fmt.Errorf("cannot keep the login: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return "", fmt.Errorf("cannot keep the login: %w", err)
	}
	out, err := os.CreateTemp(filepath.Dir(name), "logins-*") // of mode 0600
	if err != nil {
		return "", fmt.Errorf("cannot keep the login: %w", err)
	}
	defer os.Remove(out.Name()) // where it did not get its name
	_, err = out.Write(append(text, '\n'))
	if err = errors.Join(err, out.Sync(), out.Close()); err == nil {
		err = os.Rename(out.Name(), name)
	}
	if err != nil {
		return "", fmt.Errorf("cannot keep the login: %w", err)
	}
	return name, nil
}

// Target are the flags that say which server is meant, and with which token.
type Target struct {
	Login, To, TokenFile, Cacert string
	InsecureHTTP                 bool
}

func targetFlags(fs *pflag.FlagSet) *Target {
	t := &Target{}
	fs.StringVar(&t.Login, "login", "", "name of the login to use (default the one of the last alcove login)")
	fs.StringVar(&t.To, "to", "", "base address of another server, with or without /v2")
	fs.Var((*command.PathValue)(&t.TokenFile), "token-file", "file whose first line is the personal token")
	fs.Var((*command.PathValue)(&t.Cacert), "cacert", "PEM file of a certificate authority to trust besides the system's")
	InsecureFlag(fs, &t.InsecureHTTP)
	for _, name := range []string{"login", "to", "token-file", "cacert", "insecure-http"} {
		fs.SetAnnotation(name, command.FlagGroup, []string{"Server"})
	}
	return t
}

// InsecureFlag adds the flag without which no token crosses a network unencrypted.
func InsecureFlag(fs *pflag.FlagSet, to *bool) {
	fs.BoolVar(to, "insecure-http", false, "send the token over plain HTTP to another machine; others on the way can read it")
}

// Find is the server that the flags and the logins name. A token goes only to the server that it was given for.
func (t *Target) Find() (found login, err error) {
	l, err := ReadLogins()
	if err != nil {
		return found, err
	}
	switch {
	case t.Login != "":
		var ok bool
		if found, ok = l.Logins[t.Login]; !ok {
			return found, fmt.Errorf("%w: there is no login %q; %s", command.ErrUsage, t.Login, l.names())
		}
		if t.To != "" && SameServer(t.To, found.Address) != nil {
			return found, fmt.Errorf("%w: the login %q is for %s, and --to names another server", command.ErrUsage, t.Login, found.Address)
		}
	case t.To != "":
		found.Address = t.To
		if names := l.at(t.To); t.TokenFile == "" && len(names) > 0 {
			found = l.Logins[names[0]]
			if slices.Contains(names, l.Default) {
				found = l.Logins[l.Default]
			} else if len(names) > 1 {
				return found, fmt.Errorf("%w: there are several logins for %s: name one with --login: %s", command.ErrUsage, found.Address, strings.Join(names, ", "))
			}
		}
	default:
		found = l.Logins[l.Default]
	}
	if found.Address == "" {
		return found, fmt.Errorf("%w: no server is named: run alcove login ADDRESS once, or give --to ADDRESS and --token-file FILE", command.ErrUsage)
	}
	if found.Address, err = deposit.BaseURL(found.Address); err != nil {
		return found, fmt.Errorf("%w: --to: %w", command.ErrUsage, err)
	}
	if t.Cacert != "" {
		found.CACert = t.Cacert
	}
	found.insecure = t.InsecureHTTP
	if t.TokenFile != "" {
		found.Token, err = deposit.ReadToken(t.TokenFile)
	}
	return found, err
}

// SameServer says that two addresses are not of the same server.
func SameServer(a, b string) error {
	first, err := deposit.BaseURL(a)
	second, other := deposit.BaseURL(b)
	if err = errors.Join(err, other); err == nil && first != second {
		err = fmt.Errorf("%s is not %s", first, second)
	}
	return err
}

// at returns the names of the logins for a server, in their order.
func (l logins) at(address string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(l.Logins)) {
		if SameServer(address, l.Logins[name].Address) == nil {
			names = append(names, name)
		}
	}
	return names
}

// names lists the logins in a sentence.
func (l logins) names() string {
	if len(l.Logins) == 0 {
		return "alcove login ADDRESS makes one"
	}
	return "there are " + strings.Join(slices.Sorted(maps.Keys(l.Logins)), ", ")
}

// withToken is Find for what needs a token.
func (t *Target) withToken() (login, error) {
	found, err := t.Find()
	if err == nil && found.Token == "" {
		err = fmt.Errorf("%w: there is no token for %s: run alcove login %s once, or give --token-file FILE", command.ErrUsage, found.Address, found.Address)
	}
	return found, err
}

// client is one for single calls.
func (l login) client() (*deposit.Client, error) {
	return deposit.NewClient(deposit.Options{To: l.Address, Token: l.Token, CACert: l.CACert, InsecureHTTP: l.insecure})
}

// options are those of a client that reads.
func (l login) options() fetch.Options {
	return fetch.Options{Token: l.Token, CACert: l.CACert, InsecureHTTP: l.insecure}
}
