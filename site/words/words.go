// Package words has every text of the pages and mails, by language.
//
//	words.go      which texts there are
//	en.go, de.go  those of the pages that everyone sees
//	other files   those of an area, in all languages
package words

import (
	"strconv"
	"strings"
	"time"
)

// Words are the texts of all pages in a language. It is a struct, not a table of keys: a text that a
// page names and no language has does not compile or fails the test of the templates, and one that a
// language has left out fails TestWords. Numbers, dates and plurals of English and German need no
// more than what is below; golang.org/x/text chooses the language.
type Words struct {
	Name string // of the language, in it

	Months        [12]string
	Date          string // day, month, year
	DecimalPoint  string
	Types         map[int64]string // of items; English has them from the catalogue
	SkipToContent string
	Browse        string
	API           string
	Language      string
	MadeWith      string
	Search        string
	SearchBox     string
	SearchHint    string

	HomeLead, HomeNewest, HomeAll, HomeTypes       string
	EmptyTitle, EmptyText, EmptyScript, EmptyLearn string

	SearchTitle, SearchOf, AllItems                        string
	SortBy, Newest, Oldest, MostViewed, MostDownloaded     string
	Sort, TypeLabel, Remove, Filters                       string
	FoundPage, Results, Previous, Next, Pages              string
	NothingFound, NothingFoundFilters, WithoutFilters      string
	NothingFoundText, TooShort, SearchHelp, SearchHelpText string

	Thousands                                                 string    // between groups of digits
	Help                                                      []Example // the language of searches, by examples
	HelpWrite, HelpFinds, AtomFeed, Titles                    string
	NothingHas, ResultsFor, AsWritten, DidYouMean             string
	MostRelevant                                              string
	Kinds, KindOne, OwnPages                                  map[string]string
	AboutSite                                                 string // heading of the links at the foot
	KindLabel, CategoryLabel, YearLabel, GroupLabel, TagLabel string
	GroupNumber, MoreValues, FewerValues, Narrow              string
	Total, TotalOne, ByAuthor, WorkOf                         string
	CollectionKind, ProjectKind                               string

	Version, VersionOf, NewestVersion, OlderVersion, Published, Authors, Files, OneFile, ManyFiles   string
	DownloadAll, Download, View, OpenLink, Folder, Size, Checksums, FileName, Actions, UpFolder      string
	NoFiles, FilesWithheld, DownloadOff, MetadataOnly, LinkedFile, MoreFiles, FirstFiles, AllFolders string
	AboutItem, Cite, Copy, Copied, License, Categories, Keywords, Funding, References, Related       string
	Versions, DOI, Fields, Type, Modified, EmbargoUntil, EmbargoForever, Confidential, ForScripts    string
	ForScriptsText, Publication, Yes, No                                                             string

	PrivateLink, LinkNotice, LinkAnonymous, LinkMembers, LinkNoMembers, Collection, Untitled string // of private links
	Items, NoItems, Details, Export, MoreStyles                                              string
	ShareTitle, ShareButton, ShareMail, ShareEmbed, PartOfLabel, CitedHere, MoreItems        string
	WhatChanged, ChangedSince, FileAdded, FileRemoved, MoreChanges, NothingChanged           string
	FieldTitle, FieldChanged, UsedLabel, ViewsOne, ViewsMany, DownloadsOne, DownloadsMany    string
	ChartSays                                                                                string // uses, the first month and the last, the most in one, and that month
	WithdrawnOn, WithdrawnText, WithdrawnReason                                              string

	PreviewNone, PreviewBroken, PreviewCut, PreviewColumns, PreviewRows, PreviewMoreColumns string
	PreviewOff, PreviewBusy, PreviewFailed, PreviewAsText                                   string
	PreviewSchema, CellOutput, CellPicture, CellHidden                                      string
	ColumnValues, ColumnMissing, ColumnMin, ColumnMax, ColumnDistinct                       string
	TypeNumber, TypeDate, TypeText                                                          string
	MapOf, MapText, North, East, South, West                                                string
	GlanceOf, FirstRows, FirstLines, RowsOf, LinesOf                                        string // of a file, on the page of its item
	OpenFile                                                                                string // in the browser, beside the place where it is shown

	Accounts     Accounts
	Uploads      Uploads
	Mails        Mails
	Admin        Admin
	Applications Applications
	Try          Try
	Mine         Mine
	Edit         Edit
	Review       Review
	Factors      Factors
	Passkeys     Passkeys
	OwnProject   Project
	Bulk         Bulk
	Logins       Logins

	Refusals   map[string]string // by the message of the API
	RefusalsOf map[string]string // by its beginning, before a name
	Profile    Profile

	ErrorTitles map[int]string // by status; 0 for all others
	ErrorTexts  map[int]string
	ErrorCode   string
	ErrorWhat   string
	BackHome    string
	TryAgain    string
}

// Example is an example of the language of searches.
type Example struct{ Write, Finds string }

// Languages are the codes of all languages, in the order in which a browser is offered them. The slice is not to be changed.
var Languages = []string{"en", "de"}

// In are the words in a language by its code, nil for a language that has none.
func In(code string) *Words {
	switch code {
	case "en":
		return &english
	case "de":
		return &german
	}
	return nil
}

// Day is a date in words.
func (w *Words) Day(t time.Time) string {
	return strings.NewReplacer("day", strconv.Itoa(t.Day()), "month", w.Months[t.Month()-1], "year", strconv.Itoa(t.Year())).Replace(w.Date)
}

// Bytes is a size in the unit that keeps it short: powers of 1000, as disks have them.
func (w *Words) Bytes(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10) + " B"
	}
	size, unit := float64(n), 0
	units := []string{"B", "kB", "MB", "GB", "TB", "PB"}
	for size >= 999.5 && unit < len(units)-1 {
		size, unit = size/1000, unit+1
	}
	decimals := 0
	if size < 9.95 {
		decimals = 1
	}
	return strings.Replace(strconv.FormatFloat(size, 'f', decimals, 64), ".", w.DecimalPoint, 1) + " " + units[unit]
}

// Count is a number with its noun.
func (w *Words) Count(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return strings.Replace(many, "%d", w.Number(n), 1)
}

// Number is a number as people write it.
func (w *Words) Number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + w.Thousands + s[i:]
	}
	return s
}

// ErrorTitle is the heading of the page of an error with a status, ErrorText what it says.
func (w *Words) ErrorTitle(status int) string { return byStatus(w.ErrorTitles, status) }
func (w *Words) ErrorText(status int) string  { return byStatus(w.ErrorTexts, status) }

func byStatus(texts map[int]string, status int) string {
	if text, ok := texts[status]; ok {
		return text
	}
	return texts[0]
}
