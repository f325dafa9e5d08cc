package command

import "github.com/spf13/pflag"

// LinesFlags are the flags of commands that read lines of items.
func LinesFlags(fs *pflag.FlagSet, acceptWarnings, followOutside *bool) {
	fs.BoolVar(acceptWarnings, "accept-warnings", false, "publish also what the server warns of, instead of stopping before")
	fs.BoolVar(followOutside, "follow-outside", false, "read also files outside the folder of ITEMS.jsonl, and through links that lead out of it")
}

// moreHelp stands behind the flags in the help of a command.
var moreHelp = map[string]string{"deposit": wholeHelp + linesHelp, "import": linesHelp + importHelp}

// wholeHelp is what stands in the help of deposit beside the flags.
const wholeHelp = `
Each FOLDER is an item; several FILEs, or what a pattern matches, are one item together, with
--title. Metadata come from the first of these that is there, and flags replace them:

  alcove.json             the body of an article as the API takes it; it is not deposited itself
  alcove.csv              beside the folder: the row with the name of the folder
  datacite.json, CITATION.cff, ro-crate-metadata.json

A value that is not understood is told, and stops --publish, unless --accept-warnings is given.

Interrupted, the same command goes on. What was done is kept beside the folder, in
FOLDER.deposit-state; the folder is not written to.

ITEMS.jsonl (a name that ends with .jsonl or .ndjson, without --title) has an item on each line.
`

// linesHelp is what a line of articles can have.
const linesHelp = `
A line is a JSON object: the body of an article as the API takes it, and beside it

  key               your own id of the line
  files             paths below the folder of ITEMS.jsonl, whose folders are kept, or
                    {"path": …, "name": …, "folder_path": …}
  publish           true to publish it
  is_embargoed      true, with embargo_type (article, file), embargo_date, and as you like
                    embargo_title, embargo_reason, embargo_options
  is_confidential   true, with confidential_reason
  private_links     a list such as [{"expires_date": "2030-01-31"}]; the links are printed
  project_id        to make it in a project
  collections       ids of collections to put it into
  resource          the publication that it belongs to: {"doi": …, "title": …}

A key that is none of these fails its line before anything is sent.
`

// importHelp is what only alcove import knows of lines.
const importHelp = `
A file may also be {"link": …}, which stays elsewhere. An item that moves in from another
repository keeps what it has:

  doi, handle       as they are given; versions get none of their own
  published_date, created_date, modified_date
                    timeline.firstOnline is when it was first online
  versions          the public versions, the oldest first, each with published_date and what
                    was other than in the line: {"doi": …, "title": …, "files": …, …}
  origin            its address in the repository that goes on publishing it
  views, downloads, shares
  old_urls          addresses at which readers found it; requests for their paths are
                    answered with 301

With "kind": "collection" a line makes a collection. It takes the body of a collection, key,
publish, private_links, resource, all of these but downloads, in versions articles instead of
files, and

  articles          its articles, in order: the key of a line before it, the DOI or handle of
                    an article (text), or the id of an article that is here (number)
`
