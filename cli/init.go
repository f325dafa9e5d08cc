package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/bucket/identity"
	"alcove/cli/command"
	"alcove/cli/operate"
	"alcove/config"
)

const (
	initConfig = "alcove.toml" // in the working directory
	initToken  = "admin-token" // in the data directory: a token of the first administrator
)

// initRepository makes a repository: its data directory, a configuration that names it, and the first
// administrator with a token. Nothing of that may be there before, but for the configuration,
// whose settings count then.
func initRepository(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	admin := fs.String("admin", "", "e-mail address of the first administrator, whose token goes to the file "+initToken+" in the data directory")
	first := fs.String("first-name", "", "first name of the administrator (default what is in front of the @)")
	last := fs.String("last-name", "", "last name of the administrator (default Administrator)")
	load := command.Settings(fs, "data")
	if err := c.Parse(fs, args, 0); err != nil {
		return err
	}
	file, err := initFile(fs.Lookup("config").Value.String())
	if err != nil {
		return err
	}
	read := file.path
	if !file.there {
		read = ""
		os.Unsetenv(config.FileEnv) // or it would be read
	}
	if err := fs.Set("config", read); err != nil {
		return err
	}
	cfg, err := load()
	if err != nil {
		return err
	}
	if cfg.Repository != "" {
		return fmt.Errorf("the configuration is that of the repository %s already", cfg.Repository)
	}
	person, err := firstAdministrator(*admin, *first, *last)
	if err != nil {
		return err
	}
	id, err := makeRepository(ctx, cfg, person)
	if err != nil {
		return err
	}
	fmt.Printf("made the repository %s in %s\n", id.ID, cfg.Data)
	if person != nil {
		fmt.Printf("token of %s: %s\n", person.Email, filepath.Join(cfg.Data, initToken))
	}
	return file.finish(cfg, id)
}

// configFile is the configuration that a new repository has.
type configFile struct {
	path  string
	there bool
}

// initFile is the file of the configuration: the one that is given, or one in the working directory.
func initFile(path string) (f configFile, err error) {
	if path == "" {
		path = os.Getenv(config.FileEnv)
	}
	if path == "" {
		path = initConfig
	}
	f.path = path
	switch _, err := os.Stat(path); {
	case err == nil:
		f.there = true
	case !errors.Is(err, fs.ErrNotExist):
		return f, fmt.Errorf("cannot use the configuration: %w", err)
	}
	return f, nil
}

// finish writes the configuration, or tells the line that one that was there has to get.
func (f configFile) finish(cfg config.Config, id identity.Identity) error {
	line := "repository = " + strconv.Quote(id.ID)
	if f.there {
		fmt.Printf("add this line to %s, above all that begins with [:\n\n    %s\n\n", f.path, line)
		return nil
	}
	data, err := filepath.Abs(cfg.Data)
	if err != nil {
		return fmt.Errorf("cannot write the configuration: %w", err)
	}
	text := "# Settings of this repository; config.example.toml has them all with their meaning.\n\ndata = " + strconv.Quote(data) + "\n" + line + "\n"
	out, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		_, err = out.WriteString(text)
		err = errors.Join(err, out.Sync(), out.Close())
	}
	if err != nil {
		return fmt.Errorf("cannot write the configuration, which should say\n\n%s\n%w", text, err)
	}
	fmt.Printf("configuration: %s; run: alcove serve --config %s\n", f.path, f.path)
	return nil
}

// firstAdministrator is the account to make, nil for none.
func firstAdministrator(mail, first, last string) (*operate.NewAccount, error) {
	if mail == "" {
		if first+last != "" {
			return nil, fmt.Errorf("%w: --first-name and --last-name are for --admin", command.ErrUsage)
		}
		return nil, nil
	}
	name, _, ok := strings.Cut(mail, "@")
	if !ok || name == "" {
		return nil, fmt.Errorf("%w: %q is not an e-mail address", command.ErrUsage, mail)
	}
	n := &operate.NewAccount{Email: mail, FirstName: name, LastName: "Administrator", Admin: true}
	if first != "" {
		n.FirstName = first
	}
	if last != "" {
		n.LastName = last
	}
	return n, nil
}

// makeRepository makes a data directory in which nothing of a repository is.
func makeRepository(ctx context.Context, cfg config.Config, person *operate.NewAccount) (id identity.Identity, err error) {
	switch err := identity.Admit(cfg.Data); {
	case err == nil:
		return id, fmt.Errorf("cannot make a repository in %s: there is one already; %s", cfg.Data, identity.Found(cfg.Data))
	case !errors.Is(err, identity.ErrAbsent):
		return id, err
	}
	if err := makeData(cfg); err != nil {
		return id, err
	}
	db, err := bucket.Open(cfg.Data, bucket.Options{Floor: cfg.DiskFloor})
	if err != nil {
		return id, unusable(cfg.Data, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if person == nil {
		return db.Identity(), nil
	}
	if _, err := operate.AddAccount(ctx, db, *person); err != nil {
		return id, err
	}
	token, err := operate.AddToken(ctx, db, person.Email, "init")
	if err != nil {
		return id, err
	}
	name := filepath.Join(cfg.Data, initToken)
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = out.WriteString(token + "\n")
		err = errors.Join(err, out.Sync(), out.Close())
	}
	if err != nil {
		return id, fmt.Errorf("cannot keep the token of the administrator, make another with alcove token add: %w", err)
	}
	return db.Identity(), nil
}
