package export

import "strings"

// fitting is a name or a folder in characters that every file system has; what is the same then, archive.Rename numbers.
func fitting(name string) string {
	pieces := strings.Split(name, "/")
	for i, p := range pieces {
		p = strings.Map(func(r rune) rune {
			if strings.ContainsRune(`<>:"|?*\`, r) {
				return '_'
			}
			return r
		}, p)
		if cut := strings.TrimRight(p, ". "); cut != "" && cut != p {
			p = cut + "_"
		}
		stem, _, _ := strings.Cut(strings.ToUpper(p), ".")
		if device[stem] || len(stem) == 4 && (stem[:3] == "COM" || stem[:3] == "LPT") && stem[3] >= '0' && stem[3] <= '9' {
			p = "_" + p
		}
		pieces[i] = p
	}
	return strings.Join(pieces, "/")
}

// device are names that Windows keeps for itself, whatever stands behind a dot.
var device = map[string]bool{"CON": true, "PRN": true, "AUX": true, "NUL": true}

const readMe = `Items of a research data repository, written by "alcove export".
Nothing here needs that program: it is text, JSON, XML, and the files as they were deposited.

account-2/               one folder for each person whose items are here
  account.json           who that is
  items.jsonl            the items as lines that "alcove import" takes
  article-7/             an article; collection-3/ is a collection of articles
    v1/, v2/ ...         its public versions, the last one is what readers get
      metadata.json      everything that is said of it: title, authors, licence, DOI, dates
      datacite.xml       the same in the format of DataCite
      articles.json      of a collection: its articles
      files/             the files, under their own names and in their folders
    draft/               what was never published, or was changed since the last version
    manifest-sha256.txt  the SHA-256 of all of these

To see whether all is whole, in the folder of an item:

    sha256sum -c manifest-sha256.txt

To bring the items of a folder into a repository that runs Alcove, while its server is stopped:

    alcove import --data DIR --account EMAIL account-2/items.jsonl

They keep metadata, versions, dates, DOIs and files. They get other numbers, and belong to the account that is named.
Changes since the last version (draft/ beside v1/) are not brought along, nor are counts, private links, reviews, groups
and projects. Characters that some systems do not have in names of files are replaced by _ here; items.jsonl and
metadata.json have the names as they were.

This has what embargoes and drafts keep from others. Treat it like the repository itself.
`
