// Package cli holds the commands of the alcove program. Each is a thin shell over the packages
// that do the work. Answers of a command go to standard output, everything else to standard
// error; a command that fails exits with 1, a wrong call with 2.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"alcove/config"
	"alcove/handlers"
)

// Router makes the handler of all routes; the route table lives in package main.
type Router func(*handlers.API) http.Handler

type command struct {
	name, args, help string
	run              func(ctx context.Context, c *command, args []string) error
}

var errUsage = errors.New("wrong call")

// Run executes one command line and returns its exit status.
func Run(args []string, router Router) int {
	commands := []command{
		{"serve", "[flags]", "run the repository", serveCommand(router)},
		{"demo", "[flags]", "run a ready repository with sample items", demoCommand(router)},
		{"init", "[--data DIR] [--admin MAIL [--first-name F] [--last-name L]] [--config FILE]", "make a repository, its configuration and its first administrator", initRepository},
		{"account add", "--email E --first-name F --last-name L [--admin] [--password-stdin]", "make an account, print its id", accountAdd},
		{"account invite", "--email E [--admin] [--print]", "send, or print where no mail is configured, a one-time address at which a person begins an account, for a week", accountInvite},
		{"account reset", "--account E [--second-factor] [--print]", "the same for a one-time address at which the person sets a new password, for a day", accountReset},
		{"account list", "[--json]", "list the accounts", accountList},
		{"account show", "--account E [--json]", "show one account", accountShow},
		{"account disable", "--account E", "keep an account from acting, from the next request on", accountDisable},
		{"account enable", "--account E", "let a disabled account act again", accountEnable},
		{"account expire", "--account E --at DATE|never", "end an account at a moment", accountExpire},
		{"account set-group", "--account E --group ID", "put an account into a group, 0 for none", accountSetGroup},
		{"account set-admin", "--account E [--off]", "make an account an administrator of the institution", accountSetAdmin},
		{"account hand-over", "--account E --to E [--dry-run]", "give all items of an account, and its places in projects, to another one", accountHandOver},
		{"account merge", "--account E --to E [--dry-run]", "the same, and end the account: its roles go along, and all that it signs in with ends", accountMerge},
		{"account set-quota", "--account E --bytes N", "set what an account may store, 0 for the configured quota", accountSetQuota},
		{"token add", "--account E [--name N]", "make a personal token, print it once", tokenAdd},
		{"token list", "[--account E] [--json]", "list tokens by their ids", tokenList},
		{"token revoke", "--account E (--id ID | --all)", "end tokens, print how many", tokenRevoke},
		{"group add", "--name N [--parent ID] [--resource-id R] [--association-criteria C] [--review]", "make a group, print its id", groupAdd},
		{"group list", "[--json]", "list the groups", groupList},
		{"group change", "--group ID [--name N] [--parent ID] [--resource-id R] [--association-criteria C] [--review[=false]]", "change a group", groupChange},
		{"group remove", "--group ID", "remove a group in which nothing is left", groupRemove},
		{"group field add", "--group ID --name N [--type T] [--mandatory] [--option O]... [flags]", "define a custom field for a group and those below", fieldAdd},
		{"group field list", "[--group ID] [--json]", "list the defined custom fields", fieldList},
		{"group field remove", "--field ID", "remove a definition; items keep their values", fieldRemove},
		{"review-check", "ITEM [--json]", "name the files of an article whose name or properties tell who made it", reviewCheck},
		{"agreements", "ITEM [--json]", "tell which deposit agreement each version of an article was published with", agreements},
		{"erase person", "E [--yes] [--backups DEST] [--json]", "tell what there is of a person, and with --yes erase it; what was published stays", erasePerson},
		{"erase file", "FILE [--same] [--yes] [--backups DEST] [--json]", "the same of a file, whose article is withdrawn where it is public", eraseFile},
		{"erase backups", "DEST [--json]", "rewrite the snapshots in DEST without what was erased", eraseBackups},
		{"erase resume", "[--backups DEST] [--json]", "go on with erasures that were interrupted", eraseResume},
		{"range add", "--name N --network CIDR[,CIDR]...", "name an address range that embargoes can let in", rangeAdd},
		{"range list", "[--json]", "list the address ranges", rangeList},
		{"range remove", "--range ID", "remove an address range", rangeRemove},
		{"role grant", "--account E --group ID --role R", "give an account a role in a group and those below", roleGrant},
		{"role revoke", "--account E --group ID --role R", "take a role away", roleRevoke},
		{"role list", "[--json]", "list who has which role", roleList},
		{"institution show", "[--json]", "show the institution, as the configuration names it", institutionShow},
		{"deposit", "--to BASE_URL --token-file F [--cacert PEM] [flags] ITEMS.jsonl", "deposit many items through the API of a server", depositItems},
		{"import", "--account E [--dry-run] [--strict] [--index-later] [flags] ITEMS.jsonl", "load many items while no server runs", importItems},
		{"pack", "ITEM... --out DIR|FILE.zip [--server URL] [--token-file F] [--cacert PEM]", "write public items with all versions and files to packages", packItems},
		{"unpack", "--account E [--dry-run] [--index-later] [flags] FILE.zip...", "load packages while no server runs", unpackItems},
		{"pull", "URL|DOI... --account E [--server URL] [--dry-run] [--index-later] [flags]", "load public items of other servers while no server runs", pullItems},
		{"index status", "[--json]", "tell how the search index is", indexStatus},
		{"index rebuild", "[--background]", "build the search index anew, beside the one in use", indexRebuild},
		{"check status", "[--json]", "tell what the last check has found", checkStatus},
		{"check", "[--json] [--rate N] [--restart] [--repair [--from BACKUP] | --rebuild --from BACKUP]", "read again all that is stored, name what is damaged", runCheck},
		{"sweep status", "[--json]", "tell what the sweeper of stored files has done, and what waits for a word", sweepStatus},
		{"sweep allow", "[--json]", "let the sweeper remove the files that it has told of, though they are many", sweepAllow},
		{"doi status", "[--json]", "tell which DOIs wait to be registered, and why", doiStatus},
		{"doi retry", "[--doi D [--take-over]] [--json]", "have what the registrar has refused tried again now", doiRetry},
		{"doi register", "--all [--json]", "have everything that is public registered, whenever it was published", doiRegister},
		{"doi check", "[--json]", "have the registrar asked what it knows, and told again what differs", doiCheck},
		{"ocfl status", "[--json]", "tell which items wait to be written to ocfl_dir, and why", ocflStatus},
		{"ocfl again", "[--json]", "have every object in ocfl_dir compared with its item, after the directory was lost or put aside", ocflAgain},
		{"clock status", "[--json]", "tell whether the clock of this machine is gone by", clockStatus},
		{"clock accept", "[--json]", "say that the clock of this machine is right, though it does not look so", clockAccept},
		{"compact", "[--json]", "write the database anew without its free pages, while no server runs", compact},
		{"audit verify", "[--head SEQUENCE:HASH]", "check the chain of the change log, print its head", auditVerify},
		{"audit access", "[--account E] [--refused] [--since T] [--until T] [--json]", "tell who was refused, and what administrators' tokens were used for", auditAccess},
		{"audit", "[--account E] [--since T] [--until T] [--kind K [--id N]] [--json]", "tell who did what, from the change log", auditTrail},
		{"backup create", "DEST [--keep N] [--rate N] [--json]", "copy the repository as it is now to DEST, only what is new", backupCreate},
		{"backup list", "DEST [--json]", "list the snapshots in DEST", backupList},
		{"backup verify", "DEST [--snapshot S] [--quick] [--rate N] [--json]", "read backups again, name what is damaged", backupVerify},
		{"backup prune", "DEST --keep N", "remove old snapshots, and what only they need", backupPrune},
		{"backup status", "[--json]", "tell when backups were made", backupStatus},
		{"restore", "DEST NEWDIR [--snapshot S] [--old DIR] [--next-id N] [--revoke-tokens] [--as-it-was] [--partial] [--json]", "make a data directory of a backup", restore},
		{"version", "", "print the version", printVersion},
	}
	for i := range commands {
		c := &commands[i]
		words := strings.Fields(c.name)
		if len(args) < len(words) || strings.Join(args[:len(words)], " ") != c.name {
			continue
		}
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		return status(c, c.run(ctx, c, args[len(words):]))
	}
	if len(args) > 0 && (args[0] == "help" || args[0] == "--help" || args[0] == "-h") {
		usage(os.Stdout, commands)
		return 0
	}
	if len(args) > 0 {
		fmt.Fprintf(os.Stderr, "alcove: there is no command %q\n\n", strings.Join(args, " "))
	}
	usage(os.Stderr, commands)
	return 2
}

func usage(w io.Writer, commands []command) {
	fmt.Fprint(w, "Alcove, a research data repository in one process.\n\n")
	for _, c := range commands {
		fmt.Fprintf(w, "  alcove %-18s %s\n", c.name, c.help)
	}
	fmt.Fprint(w, "\nalcove COMMAND --help tells the flags of a command.\n")
}

func status(c *command, err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, pflag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		fmt.Fprintf(os.Stderr, "alcove %s: %v\nusage: alcove %s %s\n", c.name, strings.TrimPrefix(err.Error(), errUsage.Error()+": "), c.name, c.args)
		return 2
	}
	fmt.Fprintf(os.Stderr, "alcove %s: %v\n", c.name, err)
	if errors.Is(err, errNotChecked) {
		return 2
	}
	return 1
}

// flags is the flag set of a command. Its help goes to standard output.
func (c *command) flags() *pflag.FlagSet {
	fs := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	fs.SortFlags = false
	fs.SetOutput(io.Discard)
	return fs
}

// Numbers of arguments that are at least one.
const (
	some  = -1 // paths
	names = -2 // other texts
)

// parse reads the arguments; wrong ones are errUsage, and --help prints the help. Those that are no
// flags are paths in every command.
func (c *command) parse(fs *pflag.FlagSet, args []string, positional int) error {
	err := fs.Parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		fmt.Printf("alcove %s – %s\n\nusage: alcove %s %s\n\n%s%s", c.name, c.help, c.name, c.args, fs.FlagUsagesWrapped(100), moreHelp[c.name])
		return err
	}
	if err == nil && positional < 0 && fs.NArg() == 0 {
		err = errors.New("it takes at least one argument besides flags")
	}
	if err == nil && positional >= 0 && fs.NArg() != positional {
		err = fmt.Errorf("it takes %d arguments besides flags, not %d", positional, fs.NArg())
	}
	for _, path := range fs.Args() {
		if err == nil && positional != names {
			err = config.CheckPath(path)
		}
	}
	if err != nil {
		return fmt.Errorf("%w: %v", errUsage, err)
	}
	return nil
}

// pathFlag is a flag with the path of a file or a directory, empty by default.
func pathFlag(fs *pflag.FlagSet, name, help string) *string {
	p := new(pathValue)
	fs.Var(p, name, help)
	return (*string)(p)
}

// pathValue is the value of such a flag.
type pathValue string

func (p *pathValue) Set(text string) error {
	if err := config.CheckPath(text); err != nil {
		return err
	}
	*p = pathValue(text)
	return nil
}

func (p *pathValue) String() string { return string(*p) }
func (p *pathValue) Type() string   { return "string" }

// required refuses a call in which a flag is missing.
func required(fs *pflag.FlagSet, names ...string) error {
	for _, n := range names {
		if !fs.Changed(n) {
			return fmt.Errorf("%w: --%s is required", errUsage, n)
		}
	}
	return nil
}

// settings registers the flags of the named settings, of all when none are named, and
// returns what loads the configuration once the flags are parsed.
func settings(fs *pflag.FlagSet, names ...string) func() (config.Config, error) {
	file := pathFlag(fs, "config", "TOML file with settings (or $"+config.FileEnv+")")
	for _, s := range config.Settings() {
		if len(names) > 0 && !contains(names, s.Flag) {
			continue
		}
		if s.ValueType == config.Switch {
			fs.Bool(s.Flag, s.Default == "true", s.Help)
		} else {
			fs.String(s.Flag, s.Default, s.Help)
		}
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

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// version is the version of the program as the build recorded it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && (v == "" || v == "(devel)") {
			v = s.Value
		}
	}
	return v
}

func printVersion(_ context.Context, c *command, args []string) error {
	if err := c.parse(c.flags(), args, 0); err != nil {
		return err
	}
	fmt.Println("alcove", version())
	return nil
}
