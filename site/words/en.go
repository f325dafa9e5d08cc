package words

import (
	"strings"

	"alcove/record/catalogue"
)

var english = Words{
	Name: "English",
	Months: [12]string{
		"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
	},
	Date: "day month year", DecimalPoint: ".",
	Types: func() map[int64]string {
		names := map[int64]string{}
		for _, t := range catalogue.ItemTypes() {
			names[t.ID] = strings.ToUpper(t.Name[:1]) + t.Name[1:]
		}
		return names
	}(),
	SkipToContent: "Skip to content", Browse: "Browse", API: "API", Language: "Language", MadeWith: "Runs on Alcove",
	Search: "Search", SearchBox: "Search the repository", SearchHint: "Title, author, keyword, DOI",

	HomeLead:   "Research data, software and papers, each with a citation and files to keep.",
	HomeNewest: "Newest", HomeAll: "All items", HomeTypes: "By type",
	EmptyTitle: "Nothing is published yet", EmptyText: "This repository is ready. The first item appears here when it is published.",
	EmptyScript: "Deposit the first one through the API, with a token from “alcove token add”:", EmptyLearn: "Description of the API",

	SearchTitle: "Search", SearchOf: "Search: %s", AllItems: "All items",
	SortBy: "Sort by", Newest: "newest", Oldest: "oldest", MostViewed: "most viewed", MostDownloaded: "most downloaded",
	Sort: "Sort", TypeLabel: "Type", Remove: "Remove: %s", Filters: "Narrowed to",
	FoundPage: "Page %d", Results: "Results", Previous: "Previous", Next: "Next", Pages: "Pages of results",
	NothingFound: "Nothing matches “%s”", NothingFoundFilters: "Nothing matches", WithoutFilters: "Search without filters",
	NothingFoundText: "Fewer or other words may find more: a search finds what has any of its words, those with all of them first.",
	TooShort:         "A search needs at least three characters.",
	SearchHelp:       "How to search", SearchHelpText: "Words are looked for in all texts of an item, whatever their endings, case and accents. What is no operator or field is read as words.",

	Help: []Example{
		{"rain glacier", "either word, both first"},
		{"\"rain gauge\"", "the words one after another"},
		{"rain AND glacier", "both words; AND, OR and NOT are upper case"},
		{"rain NOT snow", "the first without the second"},
		{"(rain OR snow) AND glacier", "groups"},
		{"glaci*", "words that begin so; three letters at least"},
		{":title: rain", "in titles"},
		{":author: Ada Lovelace", "all names of one author"},
		{":tag: open data", "a whole keyword"},
		{":category: geology", "a category, by name or number"},
		{":extension: csv", "items with such a file"},
		{":published_after: 2024-05-17", "from that day on"},
		{"10.5072/alcove.7", "a DOI"},
	},
	HelpWrite: "Written", HelpFinds: "Finds", AtomFeed: "These results as an Atom feed", Titles: "Titles",
	NothingHas: "Nothing has the word “%s”.", ResultsFor: "These are results for", AsWritten: "Search for “%s” as it is written",
	DidYouMean:   "Nearest spelling:",
	MostRelevant: "most relevant",
	Thousands:    ",", Kinds: map[string]string{"article": "Items", "collection": "Collections", "project": "Projects"},
	KindOne:  map[string]string{"article": "Item", "collection": "Collection", "project": "Project"},
	OwnPages: map[string]string{"about": "About", "terms": "Terms of use", "privacy": "Privacy", "accessibility": "Accessibility", "agreement": "Deposit agreement"}, AboutSite: "About this repository",
	KindLabel: "Kind", CategoryLabel: "Category", YearLabel: "Year", GroupLabel: "Group", TagLabel: "Keyword",
	GroupNumber: "Group %s", MoreValues: "More", FewerValues: "Fewer", Narrow: "Narrow the results",
	Total: "%s results", TotalOne: "1 result", ByAuthor: "Author: %s", WorkOf: "Work by %s", CollectionKind: "Collection", ProjectKind: "Project",

	Version: "Version %d", VersionOf: "Version %d", NewestVersion: "The newest version is %d.", OlderVersion: "This is an earlier version.", Published: "Published %s", Authors: "Authors",
	Files: "Files", OneFile: "1 file", ManyFiles: "%d files", DownloadAll: "Download all (%s)", Download: "Download", View: "View", OpenLink: "Open link",
	Folder: "Folder", Size: "Size", Checksums: "Checksums", FileName: "Name", Actions: "Actions", UpFolder: "Up to %s",
	NoFiles: "This item has no files.", FilesWithheld: "The files are withheld.", DownloadOff: "The files are shown, and not offered for download.",
	MetadataOnly: "This is a record without files: %s", LinkedFile: "elsewhere", MoreFiles: "More files", FirstFiles: "To the beginning", AllFolders: "All files",
	AboutItem: "About", Cite: "Cite this", Copy: "Copy", Copied: "Copied", License: "Licence", Categories: "Categories", Keywords: "Keywords",
	Funding: "Funding", References: "References", Related: "Related", Versions: "Versions", DOI: "DOI", Fields: "More about it", Type: "Type", Modified: "Changed %s",
	EmbargoUntil: "The files are under embargo until %s.", EmbargoForever: "The files are under embargo.", Confidential: "The files are confidential.",
	ForScripts: "For your script", ForScriptsText: "The same as JSON, with the addresses of all files:", Publication: "Belongs to", Yes: "yes", No: "no",

	PrivateLink: "Private link", LinkNotice: "Only people with the link see this page. The link ends on %s.", LinkAnonymous: "It does not tell who made the item.",
	LinkMembers: "Items in this collection", LinkNoMembers: "Nothing in this collection is public yet.", Collection: "Collection", Untitled: "Untitled",
	Items: "Items", NoItems: "None of its items is public.", Details: "Details", Export: "Export", MoreStyles: "More styles",
	ShareTitle: "Pass it on", ShareButton: "Share", ShareMail: "Write a mail", ShareEmbed: "To show it on a page of yours:",
	PartOfLabel: "Part of", CitedHere: "Cited by", MoreItems: "and %s more",
	WhatChanged: "What changed", ChangedSince: "Changed since version %d", FileAdded: "Added: %s", FileRemoved: "Removed: %s", MoreChanges: "and %d more files", NothingChanged: "Nothing that readers see.",
	FieldTitle: "Title", FieldChanged: "Changed: %s", UsedLabel: "Use", ChartSays: "%s from %s to %s, at most %s in a month, in %s", ViewsOne: "1 view", ViewsMany: "%d views", DownloadsOne: "1 download", DownloadsMany: "%d downloads",
	WithdrawnOn: "Withdrawn on %s", WithdrawnText: "What was here has been withdrawn. Its files are no longer available; this page stays, so that its address keeps its meaning.", WithdrawnReason: "Reason",

	PreviewNone: "There is no preview of files of this kind.", PreviewBroken: "There is no preview: the file cannot be read as what its name says.", PreviewCut: "This is the beginning of the file. Download it to have all of it.",
	PreviewOff: "This server does not read files of this kind, because it cannot limit what that would cost.", PreviewBusy: "Many previews are being made at this moment. Open this page again in a while.",
	PreviewFailed: "The file could not be shown as what it is: that took too much time or memory, or failed.", PreviewAsText: "It is shown as plain text.",
	PreviewSchema: "Schema, of %s rows in all", CellOutput: "Result", CellPicture: "Picture that came out of the cell above", CellHidden: "A result of a kind that is not shown here.",
	PreviewColumns: "Columns", PreviewRows: "%s rows read", PreviewMoreColumns: "and %d more columns", ColumnValues: "Values", ColumnMissing: "Missing", ColumnMin: "Lowest", ColumnMax: "Highest", ColumnDistinct: "Different",
	TypeNumber: "number", TypeDate: "date", TypeText: "text",
	MapOf: "Map of %s", MapText: "%s points, %s lines and %s areas, between %s and %s and between %s and %s.", North: "N", East: "E", South: "S", West: "W",
	GlanceOf: "Preview: %s", FirstRows: "the first %d rows", FirstLines: "the first %d lines", RowsOf: "%d of %s rows", LinesOf: "%d of %s lines",
	OpenFile: "Open the file in the browser",

	Accounts:     englishAccounts,
	Uploads:      englishUploads,
	Mails:        englishMails,
	Admin:        englishAdmin,
	Applications: englishApplications,
	Try:          englishTry,
	Mine:         englishMine,
	Edit:         englishEdit,
	Review:       englishReview,
	Factors:      englishFactors,
	Passkeys:     englishPasskeys,
	OwnProject:   englishProject,
	Bulk:         englishBulk,
	Refusals:     englishRefusals,
	RefusalsOf:   englishRefusalsOf,
	Logins:       englishLogins,
	Profile:      englishProfile,

	ErrorTitles: map[int]string{
		0: "This did not work", 400: "This address cannot be read", 401: "A token is needed", 403: "Not allowed", 404: "There is no page at this address",
		405: "Not possible here", 410: "Withdrawn", 416: "There is no such part of the file", 421: "Wrong host name", 429: "Too many requests", 500: "Something failed here", 503: "Out of service for the moment",
	},
	ErrorTexts: map[int]string{
		0:   "The server has refused the request.",
		400: "A part of the address is not as it should be. It may have been cut off when it was copied.",
		401: "What this address leads to is open to those who send a token.",
		403: "What this address leads to is there, and not open to everyone.",
		404: "It may have been cut off when it was copied, or what was here may not be public. A search may find it.",
		405: "This address cannot be used in that way.",
		410: "What was here has been withdrawn, and its files are no longer available.",
		416: "The download asked for a part that the file does not have. Begin it again.",
		421: "This server does not answer under the host name in the address. Its administrators can add the name to allowed_hosts.",
		429: "More requests came from this address than the server answers at a time. Wait a moment, and load the page again.",
		500: "The fault is the server's. The number below leads those who run it to the reason.",
		503: "The server is starting or under repair. Nothing was lost; load the page again in a moment.",
	},
	ErrorCode: "Request", ErrorWhat: "The server says", BackHome: "Home page", TryAgain: "Try again",
}
