// Package record holds the nouns of the repository and their rules: articles and their
// versions, files, people, accounts; the request bodies that check and apply themselves;
// and every message that the API promises. It imports nothing else of Alcove.
//
// Records are stored as the JSON of these structs. Times are UTC in whole seconds.
package record

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Metadata is what describes an item: the part of an article that its owner writes and
// that a publication freezes.
type Metadata struct {
	Title            string        `json:"title"`
	Description      string        `json:"description"`
	Type             int64         `json:"type"` // item type id, of catalogue
	Tags             []string      `json:"tags"`
	References       []string      `json:"references"`
	Categories       []int64       `json:"categories"`
	CustomFields     []CustomField `json:"custom_fields"`
	Defined          []Field       `json:"defined"` // of a version: the definitions of its group then
	Funding          string        `json:"funding"`
	License          int64         `json:"license"`
	DOI              string        `json:"doi"` // without a version
	Handle           string        `json:"handle"`
	ResourceDOI      string        `json:"resource_doi"`
	ResourceTitle    string        `json:"resource_title"`
	ResourceID       string        `json:"resource_id"`
	ResourceLink     string        `json:"resource_link"`
	ResourceStatus   string        `json:"resource_status"`
	ResourceVersion  int64         `json:"resource_version"`
	MetadataOnly     bool          `json:"metadata_only"`
	MetadataReason   string        `json:"metadata_reason"`
	DownloadDisabled bool          `json:"download_disabled"`
	GroupID          int64         `json:"group_id"`
	ProjectID        int64         `json:"project_id"`
	InstitutionID    int64         `json:"institution_id"`
	Embargo          Embargo       `json:"embargo"` // of a public version: of its files

	// Later keys: records from before have none of them.
	Related     []RelatedMaterial `json:"related"`      // empty where References say it all
	FundingList []string          `json:"funding_list"` // titles of grants
	Timeline    Timeline          `json:"timeline"`     // as it was told, not as it happened here

	// PlainDOI is set of a DOI that an operator has brought along: versions are not given one of
	// their own, which would not be registered. VersionDOI is that of a public version which
	// brought one along.
	PlainDOI   bool   `json:"plain_doi,omitempty"`
	VersionDOI string `json:"version_doi,omitempty"`

	// Origin is the address of the item in the repository that goes on publishing it, "" for one of this repository. The
	// DOI is then not ours to register, and the item is not ours to have harvested.
	Origin string `json:"origin,omitempty"`
}

// CustomField is a name with a JSON value: a string, number, boolean or null, or a list
// of strings, numbers and booleans, kept as it was sent.
type CustomField struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

// Working is what the working copies of articles and collections have in common.
type Working struct {
	ID        int64 `json:"id"`
	AccountID int64 `json:"account_id"`
	Metadata
	Authors   []int64    `json:"authors"`   // person ids, in order
	Saved     bool       `json:"saved"`     // its metadata was updated after it was made
	Version   int        `json:"version"`   // latest public version, 0 before the first
	Withdrawn bool       `json:"withdrawn"` // its public versions were withdrawn, and none followed
	First     *time.Time `json:"first_published"`
	Published *time.Time `json:"published"` // of the latest public version
	Created   time.Time  `json:"created"`
	Modified  time.Time  `json:"modified"`

	// The bytes that its metadata, and that of its public versions, counts against the quota.
	CopyWeight     int64 `json:"copy_weight,omitempty"`
	VersionsWeight int64 `json:"versions_weight,omitempty"`

	// Taken is the last version number that was given before a restore took it back: no other
	// version has it. 0 for none.
	Taken int `json:"taken,omitempty"`

	// Agreement is what its owner had accepted when it was published last, nil for nothing.
	Agreement *Agreement `json:"agreement,omitempty"`

	// OldPaths are where readers found it before it was here, see OldPath.
	OldPaths []string `json:"old_paths,omitempty"`
}

// Says reports whether a version with some metadata and authors says what the working copy says at a time: to publish
// it would give a version that differs by its number, its dates and its identifiers alone.
func (w *Working) Says(m *Metadata, authors []Person, now time.Time) bool {
	if !slices.EqualFunc(w.Authors, authors, func(id int64, p Person) bool { return id == p.ID }) {
		return false
	}
	var texts [2][]byte
	for i, m := range []Metadata{w.Metadata, *m} {
		m.Defined, m.DOI, m.PlainDOI, m.VersionDOI, m.Origin = nil, "", false, "", ""
		m.Embargo = m.Embargo.At(now)
		var err error
		if texts[i], err = json.Marshal(m); err != nil {
			return false
		}
	}
	return bytes.Equal(texts[0], texts[1])
}

// NextVersion is the number of the next public version.
func (w *Working) NextVersion() int { return max(w.Version, w.Taken) + 1 }

// Common is the working copy itself, for code that serves both kinds.
func (w *Working) Common() *Working { return w }

// Status is the publication state of the working copy: draft until its metadata is updated, then
// private, public once a version is public.
func (w *Working) Status() string {
	switch {
	case w.Public():
		return "public"
	case w.Saved:
		return "private"
	}
	return "draft"
}

// Article is the working copy of a research item. Only its owner sees it.
type Article struct {
	Working
	Size  int64 `json:"size"`  // bytes of its files
	Files int   `json:"files"` // how many
	Links int   `json:"links"` // how many of them stay elsewhere
	Thumb Thumb `json:"thumb"` // one of them

	// FileOrder has the ids of its files in the order that a person gave them, nil for as they were made. Files that
	// it does not name come behind. Arranged is how often a person has moved or ordered files.
	FileOrder []int64 `json:"file_order,omitempty"`
	Arranged  int64   `json:"arranged,omitempty"`
}

// ArticleVersion is a published version: it never changes by itself. Its files are the public
// files of the article that were added up to it and not removed.
type ArticleVersion struct {
	ArticleID int64 `json:"article_id"`
	Version   int   `json:"version"`
	Metadata
	Authors   []Person  `json:"authors"`         // as they were named when it was published
	Size      int64     `json:"size"`            // bytes of its files
	Files     int       `json:"files"`           // how many
	Links     int       `json:"links"`           // how many of them stay elsewhere
	Thumb     Thumb     `json:"thumb"`           // one of them
	First     time.Time `json:"first_published"` // of version 1
	Published time.Time `json:"published"`
	Modified  time.Time `json:"modified"`

	FileOrder []int64 `json:"file_order,omitempty"` // as that of the working copy was

	// Notes of the institution's software; no representation shows them.
	Supplementary []CustomField `json:"supplementary_fields"`
	Internal      []CustomField `json:"internal_metadata"`

	// Agreement is what its owner had accepted; only the owner, reviewers and administrators learn it.
	Agreement *Agreement `json:"agreement,omitempty"`
}

// HidesFiles reports whether readers see nothing of the files of the version.
func (v *ArticleVersion) HidesFiles() bool { return v.Embargo.Kind == FileEmbargo }

// PublicArticle says which version of an article readers get.
type PublicArticle struct {
	ID            int64     `json:"id"`
	Latest        int       `json:"latest"`
	Type          int64     `json:"type"`
	GroupID       int64     `json:"group_id"`
	InstitutionID int64     `json:"institution_id"`
	ProjectID     int64     `json:"project_id"`
	First         time.Time `json:"first_published"`
	Published     time.Time `json:"published"` // of the latest version
	Modified      time.Time `json:"modified"`

	Oldest           int  `json:"oldest"`            // version that readers get, 0 for the first
	DownloadDisabled bool `json:"download_disabled"` // of the latest version

	Skipped Skipped `json:"skipped,omitempty"`

	Changed    time.Time `json:"changed,omitzero"`     // when what readers see of it changed here
	Categories []int64   `json:"categories,omitempty"` // of the latest version

	Foreign bool `json:"foreign,omitempty"` // it has an Origin
}

// Skipped are the numbers between public versions that no version has, as the first and the last of
// each run: they were given before a restore took them back.
type Skipped [][2]int

// Between adds the numbers between two versions that follow each other.
func (s Skipped) Between(last, next int) Skipped {
	if last == 0 || next <= last+1 {
		return s
	}
	return append(s, [2]int{last + 1, next - 1})
}

// Has reports whether no version has a number.
func (s Skipped) Has(version int) bool {
	return slices.ContainsFunc(s, func(run [2]int) bool { return run[0] <= version && version <= run[1] })
}

// Person can be an author. The id differs from account ids. The store shares Affiliations and Profile between copies:
// replace them, and never change them in place.
type Person struct {
	ID        int64  `json:"id"`
	AccountID int64  `json:"account_id"` // whose profile this is, 0 for a name only
	CreatedBy int64  `json:"created_by"` // account that named this person
	FullName  string `json:"full_name"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	ORCID     string `json:"orcid"`
	Public    bool   `json:"public"` // named in a public version

	Kind         string        `json:"kind,omitempty"`         // OrganisationKind, "" for a person
	Particle     string        `json:"particle,omitempty"`     // that LastName begins with
	Suffix       string        `json:"suffix,omitempty"`       // "Jr."
	Guessed      bool          `json:"guessed,omitempty"`      // first and last name are a guess, see ReadName
	ROR          string        `json:"ror,omitempty"`          // of an organisation, as ReadROR has it
	Affiliations []Affiliation `json:"affiliations,omitempty"` // in order

	Profile *Profile `json:"profile,omitempty"` // of an account that has written one
}

// VisibleTo reports whether an account may name the person by id: people with a
// profile, people of public items, and those it named itself.
func (p *Person) VisibleTo(account int64) bool {
	return p.Public || p.AccountID != 0 || p.CreatedBy == account
}

// Account can sign in or hold a token.
type Account struct {
	ID                int64     `json:"id"`
	Email             string    `json:"email"`
	FirstName         string    `json:"first_name"`
	LastName          string    `json:"last_name"`
	Password          string    `json:"password"` // argon2id in PHC form, empty when none was set
	PersonID          int64     `json:"person_id"`
	Admin             bool      `json:"admin"` // administrator of its institution
	Disabled          bool      `json:"disabled"`
	Expires           time.Time `json:"expires"` // zero for never
	InstitutionID     int64     `json:"institution_id"`
	InstitutionUserID string    `json:"institution_user_id"`
	SymplecticUserID  string    `json:"symplectic_user_id"`
	GroupID           int64     `json:"group_id"`
	Quota             int64     `json:"quota"`                   // bytes, 0 for the configured default
	UsedPrivate       int64     `json:"used_private"`            // bytes of files in no public version
	UsedPublic        int64     `json:"used_public"`             // bytes of files in public versions
	UsedMetadata      int64     `json:"used_metadata,omitempty"` // bytes, see Metadata.Weight
	Language          string    `json:"language,omitempty"`      // of pages and mails, "" for what the browser prefers
	Muted             string    `json:"muted,omitempty"`         // kinds of mails that the person does not want, with commas
	MergedInto        int64     `json:"merged_into,omitempty"`   // account that took over what this one had, 0 for none

	Agreement *Agreement `json:"agreement,omitempty"` // the last that it has accepted, nil for none

	Created  time.Time `json:"created"`
	Modified time.Time `json:"modified"`
}

// Used is how many bytes of the quota are used.
func (a *Account) Used() int64 { return a.UsedPrivate + a.UsedPublic + a.UsedMetadata }

// Active reports whether the account may act at a time.
func (a *Account) Active(now time.Time) bool {
	return !a.Disabled && (a.Expires.IsZero() || now.Before(a.Expires))
}

// SearchText is what searches for people look in: names, address and the institution's id, as they are compared.
func (a *Account) SearchText() string {
	return FoldName(a.FirstName+" "+a.LastName) + " " + FoldEmail(a.Email) + " " + strings.ToLower(a.InstitutionUserID)
}

// Token is a personal access token; its key is the hex SHA-256 of the secret, which is
// shown once and not stored.
type Token struct {
	AccountID int64     `json:"account_id"`
	Name      string    `json:"name"`
	Created   time.Time `json:"created"`
	Expires   time.Time `json:"expires"` // zero for never

	// Of an access token that an application has:
	Authorization string `json:"authorization,omitempty"` // key of the one that it belongs to
	Scope         Scope  `json:"scope,omitempty"`
}

// Personal reports whether a person made the token, who has it without an application.
func (t *Token) Personal() bool { return t.Authorization == "" }

// TokenUse says when a token was used last, to about a minute; its key is that of the token.
type TokenUse struct {
	Used time.Time `json:"used"`
}

// Session is a browser that a person has signed in with; its key is the hex SHA-256 of the secret in
// the cookie, which is not stored.
type Session struct {
	AccountID int64     `json:"account_id"`
	Created   time.Time `json:"created"`
	Used      time.Time `json:"used"`            // last, to about a minute
	Agent     string    `json:"agent"`           // browser and system in a few words, may be empty
	Plain     bool      `json:"plain,omitempty"` // begun over plain HTTP, where alone it is good
	Half      bool      `json:"half,omitempty"`  // the second factor of the account is still to come: it opens nothing but that
}

// Passkey is a key pair that an account signs in with instead of its password; its key in the store is the hex SHA-256 of
// the id that the device gave it. There is nothing secret in it: the private key stays in the device.
type Passkey struct {
	AccountID  int64           `json:"account_id"`
	Name       string          `json:"name"`
	Credential json.RawMessage `json:"credential"` // public key, counter and flags, as package webauthn has them
	Created    time.Time       `json:"created"`
	Used       time.Time       `json:"used"` // last, zero for never
}

// Challenge is what a device has to sign, once and soon; its key in the store is the hex SHA-256 of it. Or it is what a
// browser comes back with from another service that the person signs in at; its key is that of the secret in a cookie.
type Challenge struct {
	AccountID int64           `json:"account_id,omitempty"` // that adds a passkey or a login, 0 for signing in
	Away      bool            `json:"away,omitempty"`       // at another service
	Session   json.RawMessage `json:"session"`              // as package webauthn has it, or as it went away
	Expires   time.Time       `json:"expires"`
}

// SecondFactor is what an account proves itself by beside its password; its key is the account's id. The secret is
// needed to compare codes, so that it is stored as it is.
type SecondFactor struct {
	AccountID int64     `json:"account_id"`
	Secret    string    `json:"secret"`         // of a program that makes codes (TOTP), in base32
	Used      bool      `json:"used,omitempty"` // a first code was right: it is asked for from then on
	Last      int64     `json:"last,omitempty"` // step of time of the last code that was taken
	Recovery  []string  `json:"recovery"`       // hex SHA-256 of each recovery code that is left
	Created   time.Time `json:"created"`
}

// OneTimeLink lets the person who holds it begin an account, or set the password of one, once; its key is
// the hex SHA-256 of the secret in its address, which is not stored.
type OneTimeLink struct {
	AccountID int64     `json:"account_id,omitempty"` // whose password it sets, 0 for an invitation
	Email     string    `json:"email"`                // of the account, or of the one that begins
	Change    bool      `json:"change,omitempty"`     // instead of the password it makes Email the address of the account
	NoFactor  bool      `json:"no_factor,omitempty"`  // with the password it removes the second factor
	Admin     bool      `json:"admin,omitempty"`      // it becomes an administrator
	GroupID   int64     `json:"group_id,omitempty"`   // of an invitation: the group that it will be in
	FirstName string    `json:"first_name,omitempty"` // that its form begins with
	LastName  string    `json:"last_name,omitempty"`
	Created   time.Time `json:"created"`
	Expires   time.Time `json:"expires"`
}
