// Package cli holds the commands of the alcove program. Each is a thin shell over the packages
// that do the work. Answers of a command go to standard output, everything else to standard
// error; a command that fails exits with 1, a wrong call with 2, one that would send a secret with 5.
package cli

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"alcove/cli/command"
	"alcove/cli/own"
	"alcove/handlers"
)

// Router makes the handler of all routes; the route table lives in package main.
type Router func(*handlers.API) http.Handler

// Run executes one command line and returns its exit status.
func Run(args []string, router Router) int {
	catchHangups(args)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return command.Execute(ctx, commands(router), version(), args)
}

// line is a line of the table, which has no names of fields.
type line command.Line

// commands is the table of all commands, in the order of the help.
func commands(router Router) (table []command.Line) {
	for _, l := range []line{
		{"demo", "[flags]", "run a ready repository with sample items", command.Running, demoCommand(router)},
		{"init", "[--data DIR] [--admin MAIL [--first-name F] [--last-name L]] [--config FILE]", "make a repository, its configuration and its first administrator", command.Running, initRepository},
		{"serve", "[flags]", "run the repository", command.Running, serveCommand(router)},
		{"login", "ADDRESS [--name N] [--token-file F] [--cacert PEM] [--insecure-http] | --list | --remove N", "keep a token for a server, for the commands below", command.Depositing, own.Login},
		{"ls", "[ITEM] [--collections] [--limit N] [--json] [flags]", "list own items, or the files of one", command.Depositing, own.List},
		{"deposit", "FOLDER...|FILE...|ITEMS.jsonl [--publish] [--accept-warnings] [flags]", "deposit folders, files or many items through the API of a server", command.Depositing, own.Deposit},
		{"get", "ITEM [--out DIR] [--version N | --draft] [--json] [flags]", "take the files of an item to a folder; again, only what is missing", command.Depositing, own.Get},
		{"publish", "ITEM [--json] [flags]", "publish an own item, or hand it in for a review", command.Depositing, own.Publish},
		{"link", "ITEM [--expires DAY | --list | --end ID] [--json] [flags]", "make a private link to an own item, print its address", command.Depositing, own.Link},
		{"cite", "ITEM [--style S] [--version N | --draft] [--json] [flags]", "print a citation of an item", command.Depositing, own.Cite},
		{"rm", "ITEM [--yes] [--json] [flags]", "tell which draft would be deleted, and with --yes delete it", command.Depositing, own.Delete},
		{"import", "--account E [--dry-run] [--strict] [--index-later] [flags] ITEMS.jsonl", "load many items while no server runs", command.Moving, importItems},
		{"export", "DIR --account E|--group ID|--all", "write all that a person has, drafts too, as folders readable without this program", command.Moving, exportItems},
		{"pack", "ITEM... --out DIR|FILE.zip [--server URL] [--token-file F] [--cacert PEM]", "write public items with all versions and files to packages", command.Moving, packItems},
		{"unpack", "--account E [--dry-run] [--index-later] [flags] FILE.zip...", "load packages, also while the server runs", command.Moving, unpackItems},
		{"pull", "URL|DOI... --account E [--server URL] [--dry-run] [--index-later] [flags]", "load public items of other servers, also while the server runs", command.Moving, pullItems},
		{"mirror", "", "items of other servers that are kept fresh here, and shown under their ids below /mirror", command.Moving, nil},
		{"mirror add", "URL|DOI... --account E [--server URL] [--cacert PEM] [--accept-warnings]", "have public items of other servers kept fresh by the server, while it runs", command.Moving, mirrorAdd},
		{"mirror list", "[--json]", "tell which are, and how the last look at each went", command.Moving, mirrorList},
		{"mirror run", "[--index-later] [flags]", "read all of them again now, and load what is new", command.Moving, mirrorRun},
		{"mirror remove", "URL...", "keep some fresh and show them no more; the items here stay", command.Moving, mirrorRemove},
		{"account", "", "accounts of people", command.Persons, nil},
		{"account add", "--email E --first-name F --last-name L [--admin] [--password-stdin]", "make an account, print its id", command.Persons, accountAdd},
		{"account invite", "--email E [--admin] [--print]", "send, or print, a one-time address at which a person begins an account, for a week", command.Persons, accountInvite},
		{"account import", "PEOPLE.csv [--dry-run] [--print] [--json]", "invite the people of a table: email, first_name, last_name, group", command.Persons, accountImport},
		{"account reset", "--account E [--second-factor] [--print]", "send, or print, a one-time address at which a person sets a new password, for a day", command.Persons, accountReset},
		{"account list", "[--json]", "list the accounts", command.Persons, accountList},
		{"account show", "--account E [--json]", "show one account", command.Persons, accountShow},
		{"account change", "--account E [--email M] [--first-name F] [--last-name L] [--orcid O]", "change the mail address, the name or the ORCID iD of a person", command.Persons, accountChange},
		{"account disable", "--account E", "keep an account from acting, from the next request on", command.Persons, accountDisable},
		{"account enable", "--account E", "let a disabled account act again", command.Persons, accountEnable},
		{"account expire", "--account E --at DATE|never", "end an account at a moment", command.Persons, accountExpire},
		{"account set-group", "--account E --group ID", "put an account into a group, 0 for none", command.Persons, accountSetGroup},
		{"account set-admin", "--account E [--off]", "make an account an administrator of the institution", command.Persons, accountSetAdmin},
		{"account hand-over", "--account E --to E [--dry-run]", "give all items of an account, and its places in projects, to another one", command.Persons, accountHandOver},
		{"account merge", "--account E --to E [--dry-run]", "hand over all of an account, its roles too, and end it with all that it signs in with", command.Persons, accountMerge},
		{"account set-quota", "--account E --bytes SIZE", "set what an account may store, 0 for the configured quota", command.Persons, accountSetQuota},
		{"token", "", "personal tokens", command.Persons, nil},
		{"token add", "--account E [--name N] [--out FILE]", "make a personal token, print it once", command.Persons, tokenAdd},
		{"token list", "[--account E] [--json]", "list tokens by their ids", command.Persons, tokenList},
		{"token revoke", "--account E (--id ID | --all)", "end tokens, print how many", command.Persons, tokenRevoke},
		{"group", "", "groups, their reviews and custom fields", command.Persons, nil},
		{"group add", "--name N [--parent ID] [--resource-id R] [--association-criteria C] [--review]", "make a group, print its id", command.Persons, groupAdd},
		{"group list", "[--json]", "list the groups", command.Persons, groupList},
		{"group change", "--group ID [--name N] [--parent ID] [--resource-id R] [--association-criteria C] [--review[=false]]", "change a group", command.Persons, groupChange},
		{"group remove", "--group ID", "remove a group in which nothing is left", command.Persons, groupRemove},
		{"group field", "", "custom fields of groups", command.Persons, nil},
		{"group field add", "--group ID --name N [--type T] [--mandatory] [--option O]... [flags]", "define a custom field for a group and those below", command.Persons, fieldAdd},
		{"group field list", "[--group ID] [--json]", "list the defined custom fields", command.Persons, fieldList},
		{"group field remove", "--field ID", "remove a definition; items keep their values", command.Persons, fieldRemove},
		{"erase", "", "erase a person, or a file, and what backups have of them", command.Persons, nil},
		{"erase person", "E [--yes] [--backups DEST] [--json]", "tell what there is of a person, and with --yes erase it; what was published stays", command.Persons, erasePerson},
		{"erase file", "FILE [--same] [--yes] [--backups DEST] [--json]", "tell what there is of a file, and with --yes erase it; a public article is withdrawn", command.Persons, eraseFile},
		{"erase backups", "DEST [--json]", "rewrite the snapshots in DEST without what was erased", command.Persons, eraseBackups},
		{"erase resume", "[--backups DEST] [--json]", "go on with erasures that were interrupted", command.Persons, eraseResume},
		{"role", "", "roles of accounts in groups", command.Persons, nil},
		{"role grant", "--account E --group ID --role R", "give an account a role in a group and those below", command.Persons, roleGrant},
		{"role revoke", "--account E --group ID --role R", "take a role away", command.Persons, roleRevoke},
		{"role list", "[--json]", "list who has which role", command.Persons, roleList},
		{"audit", "[--account E] [--since T] [--until T] [--kind K [--id N]] [--json]", "tell who did what, from the change log", command.Persons, auditTrail},
		{"audit verify", "[--head SEQUENCE:HASH]", "check the chain of the change log, print its head", command.Persons, auditVerify},
		{"audit access", "[--account E] [--refused] [--since T] [--until T] [--json]", "tell who was refused, and what administrators' tokens were used for", command.Persons, auditAccess},
		{"backup", "", "copy the repository to another disk", command.Care, nil},
		{"backup create", "DEST [--keep N] [--rate N] [--json]", "copy the repository as it is now to DEST, only what is new", command.Care, backupCreate},
		{"backup list", "DEST [--json]", "list the snapshots in DEST", command.Care, backupList},
		{"backup verify", "DEST [--snapshot S] [--quick] [--rate N] [--json]", "read backups again, name what is damaged", command.Care, backupVerify},
		{"backup prune", "DEST --keep N", "remove old snapshots, and what only they need", command.Care, backupPrune},
		{"backup status", "[--json]", "tell when backups were made", command.Care, backupStatus},
		{"restore", "DEST NEWDIR [--snapshot S] [--old DIR] [--next-id N] [--revoke-tokens] [--as-it-was] [--partial] [--json]", "make a data directory of a backup", command.Care, restore},
		{"check", "[--json] [--rate N] [--restart] [--repair [--from BACKUP] | --rebuild --from BACKUP]", "read again all that is stored, name what is damaged", command.Care, runCheck},
		{"check status", "[--json]", "tell what the last check has found", command.Care, checkStatus},
		{"index", "", "the search index", command.Care, nil},
		{"index status", "[--json]", "tell how the search index is", command.Care, indexStatus},
		{"index rebuild", "[--background]", "build the search index again, beside the one in use", command.Care, indexRebuild},
		{"doi", "", "DOIs and their registrar", command.Care, nil},
		{"doi status", "[--json]", "tell which DOIs wait to be registered, and why", command.Care, doiStatus},
		{"doi retry", "[--doi D [--take-over]] [--json]", "have what the registrar has refused tried again now", command.Care, doiRetry},
		{"doi register", "--all [--json]", "have everything that is public registered, whenever it was published", command.Care, doiRegister},
		{"doi check", "[--json]", "have the registrar asked what it knows, and told again what differs", command.Care, doiCheck},
		{"review-check", "ITEM [--json]", "name the files of an article whose name or properties tell who made it", command.More, reviewCheck},
		{"agreements", "ITEM [--json]", "tell which deposit agreement each version of an article was published with", command.More, agreements},
		{"range", "", "address ranges that embargoes can let in", command.More, nil},
		{"range add", "--name N --network CIDR[,CIDR]...", "name an address range that embargoes can let in", command.More, rangeAdd},
		{"range list", "[--json]", "list the address ranges", command.More, rangeList},
		{"range remove", "--range ID", "remove an address range", command.More, rangeRemove},
		{"institution", "", "the institution that runs the repository", command.More, nil},
		{"institution show", "[--json]", "show the institution, as the configuration names it", command.More, institutionShow},
		{"sweep", "", "the sweeper of stored files", command.More, nil},
		{"sweep status", "[--json]", "tell what the sweeper of stored files has done, and what waits for a word", command.More, sweepStatus},
		{"sweep allow", "[--json]", "let the sweeper remove the files that it has told of, though they are many", command.More, sweepAllow},
		{"ocfl", "", "the preservation copy in ocfl_dir", command.More, nil},
		{"ocfl status", "[--json]", "tell which items wait to be written to ocfl_dir, and why", command.More, ocflStatus},
		{"ocfl again", "[--json]", "have every object in ocfl_dir compared with its item, after the directory was lost or put aside", command.More, ocflAgain},
		{"clock", "", "the clock of this machine", command.More, nil},
		{"clock status", "[--json]", "tell whether the clock of this machine is gone by", command.More, clockStatus},
		{"clock accept", "[--json]", "say that the clock of this machine is right, though it does not look so", command.More, clockAccept},
		{"compact", "[--json]", "write the database again without its free pages, while no server runs", command.More, compact},
		{"completion", "bash|zsh|fish|powershell", "print the script by which a shell completes commands and flags", command.More, command.PrintCompletion},
		{"docs", "[PAGE]", "list the pages of the documentation, or print one", command.More, printDocs},
		{"man", "DIR", "write the manual pages into a directory", command.More, writeManual},
		{"help", "[COMMAND]", "tell about a command", command.More, command.PrintHelp},
		{"version", "", "print the version", command.More, printVersion},
	} {
		table = append(table, command.Line(l))
	}
	return table
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

func printVersion(_ context.Context, c *command.Command, args []string) error {
	if err := c.Parse(c.Flags(), args, 0); err != nil {
		return err
	}
	fmt.Println("alcove", version())
	return nil
}
