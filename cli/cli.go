// Package cli holds the commands of the alcove program. Each is a thin shell over the packages
// that do the work. Answers of a command go to standard output, everything else to standard
// error; a command that fails exits with 1, a wrong call with 2.
package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"alcove/handlers"
)

// Router makes the handler of all routes; the route table lives in package main.
type Router func(*handlers.API) http.Handler

// line is a line of the table of commands. One without run only holds together those whose names begin with its own.
// Each has an example in examples.go, under its name.
type line struct {
	name, args, help string
	group            group
	run              func(ctx context.Context, c *command, args []string) error
}

// command is a line that is to be run or told about.
type command struct {
	line
	cmd       *cobra.Command
	describes bool       // parse only takes note of what it is given
	described *described // what it noted, nil before
}

// group is a heading in the list of commands.
type group string

const (
	running    group = "Run a repository"
	depositing group = "Your items, on any server that speaks the API"
	moving     group = "Many items at once"
	persons    group = "People"
	care       group = "Look after a repository"
	more       group = "More" // of which the list has the names only
)

var errUsage = errors.New("wrong call")

// Run executes one command line and returns its exit status.
func Run(args []string, router Router) int {
	catchHangups(args)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return execute(ctx, commands(router), args)
}

// commands is the table of all commands, in the order of the help.
func commands(router Router) []line {
	return []line{
		{"demo", "[flags]", "run a ready repository with sample items", running, demoCommand(router)},
		{"init", "[--data DIR] [--admin MAIL [--first-name F] [--last-name L]] [--config FILE]", "make a repository, its configuration and its first administrator", running, initRepository},
		{"serve", "[flags]", "run the repository", running, serveCommand(router)},
		{"login", "ADDRESS [--name N] [--token-file F] [--cacert PEM] | --list | --remove N", "keep a token for a server, for the commands below", depositing, loginTo},
		{"ls", "[ITEM] [--collections] [--limit N] [--json] [flags]", "list own items, or the files of one", depositing, listOwn},
		{"deposit", "FOLDER...|FILE...|ITEMS.jsonl [--publish] [--accept-warnings] [flags]", "deposit folders, files or many items through the API of a server", depositing, depositItems},
		{"get", "ITEM [--out DIR] [--version N | --draft] [--json] [flags]", "take the files of an item to a folder; again, only what is missing", depositing, getItem},
		{"publish", "ITEM [--json] [flags]", "publish an own item, or hand it in for a review", depositing, publishItem},
		{"link", "ITEM [--expires DAY | --list | --end ID] [--json] [flags]", "make a private link to an own item, print its address", depositing, linkItem},
		{"cite", "ITEM [--style S] [--version N | --draft] [--json] [flags]", "print a citation of an item", depositing, citeItem},
		{"rm", "ITEM [--yes] [--json] [flags]", "tell which draft would be deleted, and with --yes delete it", depositing, deleteDraft},
		{"import", "--account E [--dry-run] [--strict] [--index-later] [flags] ITEMS.jsonl", "load many items while no server runs", moving, importItems},
		{"export", "DIR --account E|--group ID|--all", "write all that a person has, drafts too, as folders readable without this program", moving, exportItems},
		{"pack", "ITEM... --out DIR|FILE.zip [--server URL] [--token-file F] [--cacert PEM]", "write public items with all versions and files to packages", moving, packItems},
		{"unpack", "--account E [--dry-run] [--index-later] [flags] FILE.zip...", "load packages, also while the server runs", moving, unpackItems},
		{"pull", "URL|DOI... --account E [--server URL] [--dry-run] [--index-later] [flags]", "load public items of other servers, also while the server runs", moving, pullItems},
		{"mirror", "", "items of other servers that are kept fresh here, and shown under their ids below /mirror", moving, nil},
		{"mirror add", "URL|DOI... --account E [--server URL] [--cacert PEM] [--accept-warnings]", "have public items of other servers kept fresh by the server, while it runs", moving, mirrorAdd},
		{"mirror list", "[--json]", "tell which are, and how the last look at each went", moving, mirrorList},
		{"mirror run", "[--index-later] [flags]", "read all of them again now, and load what is new", moving, mirrorRun},
		{"mirror remove", "URL...", "keep some fresh and show them no more; the items here stay", moving, mirrorRemove},
		{"account", "", "accounts of people", persons, nil},
		{"account add", "--email E --first-name F --last-name L [--admin] [--password-stdin]", "make an account, print its id", persons, accountAdd},
		{"account invite", "--email E [--admin] [--print]", "send, or print, a one-time address at which a person begins an account, for a week", persons, accountInvite},
		{"account import", "PEOPLE.csv [--dry-run] [--print] [--json]", "invite the people of a table: email, first_name, last_name, group", persons, accountImport},
		{"account reset", "--account E [--second-factor] [--print]", "send, or print, a one-time address at which a person sets a new password, for a day", persons, accountReset},
		{"account list", "[--json]", "list the accounts", persons, accountList},
		{"account show", "--account E [--json]", "show one account", persons, accountShow},
		{"account change", "--account E [--email M] [--first-name F] [--last-name L] [--orcid O]", "change the mail address, the name or the ORCID iD of a person", persons, accountChange},
		{"account disable", "--account E", "keep an account from acting, from the next request on", persons, accountDisable},
		{"account enable", "--account E", "let a disabled account act again", persons, accountEnable},
		{"account expire", "--account E --at DATE|never", "end an account at a moment", persons, accountExpire},
		{"account set-group", "--account E --group ID", "put an account into a group, 0 for none", persons, accountSetGroup},
		{"account set-admin", "--account E [--off]", "make an account an administrator of the institution", persons, accountSetAdmin},
		{"account hand-over", "--account E --to E [--dry-run]", "give all items of an account, and its places in projects, to another one", persons, accountHandOver},
		{"account merge", "--account E --to E [--dry-run]", "hand over all of an account, its roles too, and end it with all that it signs in with", persons, accountMerge},
		{"account set-quota", "--account E --bytes SIZE", "set what an account may store, 0 for the configured quota", persons, accountSetQuota},
		{"token", "", "personal tokens", persons, nil},
		{"token add", "--account E [--name N] [--out FILE]", "make a personal token, print it once", persons, tokenAdd},
		{"token list", "[--account E] [--json]", "list tokens by their ids", persons, tokenList},
		{"token revoke", "--account E (--id ID | --all)", "end tokens, print how many", persons, tokenRevoke},
		{"group", "", "groups, their reviews and custom fields", persons, nil},
		{"group add", "--name N [--parent ID] [--resource-id R] [--association-criteria C] [--review]", "make a group, print its id", persons, groupAdd},
		{"group list", "[--json]", "list the groups", persons, groupList},
		{"group change", "--group ID [--name N] [--parent ID] [--resource-id R] [--association-criteria C] [--review[=false]]", "change a group", persons, groupChange},
		{"group remove", "--group ID", "remove a group in which nothing is left", persons, groupRemove},
		{"group field", "", "custom fields of groups", persons, nil},
		{"group field add", "--group ID --name N [--type T] [--mandatory] [--option O]... [flags]", "define a custom field for a group and those below", persons, fieldAdd},
		{"group field list", "[--group ID] [--json]", "list the defined custom fields", persons, fieldList},
		{"group field remove", "--field ID", "remove a definition; items keep their values", persons, fieldRemove},
		{"erase", "", "erase a person, or a file, and what backups have of them", persons, nil},
		{"erase person", "E [--yes] [--backups DEST] [--json]", "tell what there is of a person, and with --yes erase it; what was published stays", persons, erasePerson},
		{"erase file", "FILE [--same] [--yes] [--backups DEST] [--json]", "tell what there is of a file, and with --yes erase it; a public article is withdrawn", persons, eraseFile},
		{"erase backups", "DEST [--json]", "rewrite the snapshots in DEST without what was erased", persons, eraseBackups},
		{"erase resume", "[--backups DEST] [--json]", "go on with erasures that were interrupted", persons, eraseResume},
		{"role", "", "roles of accounts in groups", persons, nil},
		{"role grant", "--account E --group ID --role R", "give an account a role in a group and those below", persons, roleGrant},
		{"role revoke", "--account E --group ID --role R", "take a role away", persons, roleRevoke},
		{"role list", "[--json]", "list who has which role", persons, roleList},
		{"audit", "[--account E] [--since T] [--until T] [--kind K [--id N]] [--json]", "tell who did what, from the change log", persons, auditTrail},
		{"audit verify", "[--head SEQUENCE:HASH]", "check the chain of the change log, print its head", persons, auditVerify},
		{"audit access", "[--account E] [--refused] [--since T] [--until T] [--json]", "tell who was refused, and what administrators' tokens were used for", persons, auditAccess},
		{"backup", "", "copy the repository to another disk", care, nil},
		{"backup create", "DEST [--keep N] [--rate N] [--json]", "copy the repository as it is now to DEST, only what is new", care, backupCreate},
		{"backup list", "DEST [--json]", "list the snapshots in DEST", care, backupList},
		{"backup verify", "DEST [--snapshot S] [--quick] [--rate N] [--json]", "read backups again, name what is damaged", care, backupVerify},
		{"backup prune", "DEST --keep N", "remove old snapshots, and what only they need", care, backupPrune},
		{"backup status", "[--json]", "tell when backups were made", care, backupStatus},
		{"restore", "DEST NEWDIR [--snapshot S] [--old DIR] [--next-id N] [--revoke-tokens] [--as-it-was] [--partial] [--json]", "make a data directory of a backup", care, restore},
		{"check", "[--json] [--rate N] [--restart] [--repair [--from BACKUP] | --rebuild --from BACKUP]", "read again all that is stored, name what is damaged", care, runCheck},
		{"check status", "[--json]", "tell what the last check has found", care, checkStatus},
		{"index", "", "the search index", care, nil},
		{"index status", "[--json]", "tell how the search index is", care, indexStatus},
		{"index rebuild", "[--background]", "build the search index again, beside the one in use", care, indexRebuild},
		{"doi", "", "DOIs and their registrar", care, nil},
		{"doi status", "[--json]", "tell which DOIs wait to be registered, and why", care, doiStatus},
		{"doi retry", "[--doi D [--take-over]] [--json]", "have what the registrar has refused tried again now", care, doiRetry},
		{"doi register", "--all [--json]", "have everything that is public registered, whenever it was published", care, doiRegister},
		{"doi check", "[--json]", "have the registrar asked what it knows, and told again what differs", care, doiCheck},
		{"review-check", "ITEM [--json]", "name the files of an article whose name or properties tell who made it", more, reviewCheck},
		{"agreements", "ITEM [--json]", "tell which deposit agreement each version of an article was published with", more, agreements},
		{"range", "", "address ranges that embargoes can let in", more, nil},
		{"range add", "--name N --network CIDR[,CIDR]...", "name an address range that embargoes can let in", more, rangeAdd},
		{"range list", "[--json]", "list the address ranges", more, rangeList},
		{"range remove", "--range ID", "remove an address range", more, rangeRemove},
		{"institution", "", "the institution that runs the repository", more, nil},
		{"institution show", "[--json]", "show the institution, as the configuration names it", more, institutionShow},
		{"sweep", "", "the sweeper of stored files", more, nil},
		{"sweep status", "[--json]", "tell what the sweeper of stored files has done, and what waits for a word", more, sweepStatus},
		{"sweep allow", "[--json]", "let the sweeper remove the files that it has told of, though they are many", more, sweepAllow},
		{"ocfl", "", "the preservation copy in ocfl_dir", more, nil},
		{"ocfl status", "[--json]", "tell which items wait to be written to ocfl_dir, and why", more, ocflStatus},
		{"ocfl again", "[--json]", "have every object in ocfl_dir compared with its item, after the directory was lost or put aside", more, ocflAgain},
		{"clock", "", "the clock of this machine", more, nil},
		{"clock status", "[--json]", "tell whether the clock of this machine is gone by", more, clockStatus},
		{"clock accept", "[--json]", "say that the clock of this machine is right, though it does not look so", more, clockAccept},
		{"compact", "[--json]", "write the database again without its free pages, while no server runs", more, compact},
		{"completion", "bash|zsh|fish|powershell", "print the script by which a shell completes commands and flags", more, printCompletion},
		{"docs", "[PAGE]", "list the pages of the documentation, or print one", more, printDocs},
		{"man", "DIR", "write the manual pages into a directory", more, writeManual},
		{"help", "[COMMAND]", "tell about a command", more, printHelp},
		{"version", "", "print the version", more, printVersion},
	}
}

// version is the version of the program: of a release its number, and otherwise what the build recorded.
func version() string {
	if Version != "" {
		return Version
	}
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
