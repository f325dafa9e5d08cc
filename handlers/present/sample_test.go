package present

import (
	"encoding/json"
	"time"

	"alcove/record"
)

var settings = Settings{
	BaseURL: "https://api.example.org", SiteURL: "https://example.org", DownloadURL: "https://files.example.org",
	UploadURL: "https://up.example.org/upload", Publisher: "Example Repository", FilesInDetail: 1000,
}

func day(month, d int) time.Time { return time.Date(2026, time.Month(month), d, 4, 5, 6, 0, time.UTC) }

// tricky has what an encoder of JSON could get wrong.
const tricky = `a":"b","c":{,}, [1,2] \ ` + "\t\n\u0001\u2028 <b>&amp;</b> é 日本 😀"

func metadata1() record.Metadata {
	return record.Metadata{
		Title: `Rain: "a, b" & <i>c</i>`, Description: tricky, Type: 9, Tags: []string{"one", tricky},
		References: []string{"https://example.com/a?b=c,d&e=f"}, Categories: []int64{30, 300101, 999999999},
		CustomFields: []record.CustomField{
			{Name: "list: of, things", Value: json.RawMessage(`["a, b:c",1.50,true,"\u00e9\/<"]`)},
			{Name: tricky, Value: json.RawMessage(`null`)},
		},
		Funding: "Grant 1,2", License: 2, DOI: "10.1234/alcove.7", Handle: "1234/7", ResourceDOI: "10.1/r", ResourceTitle: "R",
		MetadataOnly: true, MetadataReason: "Because", DownloadDisabled: true, GroupID: 3,
		Related: []record.RelatedMaterial{
			{Identifier: "https://example.com/a?b=c,d&e=f", Relation: "References", Type: "URL"},
			{Identifier: "10.1234/b", Title: tricky, Relation: "IsSupplementTo", Type: "DOI", Linkout: true},
			{Identifier: "978-3-16-148410-0", Title: "A book", Relation: "Cites", Type: "ISBN"},
		},
		FundingList: []string{"Grant 1,2", tricky}, Timeline: record.Timeline{FirstOnline: "2015-12-31", Acceptance: "2015-11-30T01:02:03"},
	}
}

var people = []record.Person{
	{ID: 11, AccountID: 5, FullName: "Ada King-Noël", FirstName: "Ada", LastName: "King-Noël", ORCID: "0000-0002-1825-0097", Suffix: "II",
		Affiliations: []record.Affiliation{{Name: "Analytical Society", ROR: "05dxps055"}, {Name: tricky}}},
	{ID: 12, FullName: "Plato", LastName: "Plato"},
	{ID: 13, FullName: "Jan van der Berg", FirstName: "Jan", LastName: "van der Berg", Particle: "van der", Guessed: true},
	{ID: 14, FullName: "Kelp Group", Kind: record.OrganisationKind, ROR: "05dxps055"},
}

var embargo = &record.Embargo{
	Kind: record.FileEmbargo, Until: day(12, 31), Title: tricky, Reason: "Because",
	Options: []record.EmbargoOption{{ID: 1, GroupIDs: []int64{3, 4}}, {ID: 2}},
}

func fullVersion() *record.ArticleVersion {
	return &record.ArticleVersion{
		ArticleID: 7, Version: 2, Metadata: metadata1(), Authors: people, Size: 12345678901, Files: 2, Links: 1,
		First: day(1, 2), Published: day(3, 4), Modified: day(5, 6),
	}
}

func fullArticle() *record.Article {
	first, published := day(1, 2), day(3, 4)
	return &record.Article{
		Working: record.Working{
			ID: 7, AccountID: 5, Metadata: metadata1(), Authors: []int64{11, 12}, Saved: true,
			Version: 2, First: &first, Published: &published, Created: day(1, 1), Modified: day(5, 7),
		},
		Size: 12345678901, Files: 2, Links: 1,
	}
}

func publicFiles() []*record.PublicFile {
	return []*record.PublicFile{
		{
			ID: 21, ArticleID: 7, Name: `a": "b,c".csv`, Folder: "x/y", Size: 1 << 40, SuppliedMD5: "d41d8cd98f00b204e9800998ecf8427e",
			MD5: "d41d8cd98f00b204e9800998ecf8427e", MIME: "text/csv; charset=utf-8", Added: 1,
		},
		{ID: 22, ArticleID: 7, Name: "there", Link: "https://example.com/there?a=b,c", Added: 2},
	}
}

func ownFiles() []*record.File {
	return []*record.File{
		{
			ID: 21, ArticleID: 7, Name: `a": "b,c".csv`, Folder: "x/y", Size: 1 << 40, SuppliedMD5: "d41d8cd98f00b204e9800998ecf8427e",
			MD5: "d41d8cd98f00b204e9800998ecf8427e", MIME: "text/csv", Token: "9660bbfd-119b-41cb-b5db-e18ed96f42e3",
			Status: record.FileAvailable, Added: 1,
		},
		{ID: 22, ArticleID: 7, Name: "there", Link: "https://example.com/there?a=b,c", Status: record.FileAvailable},
		{ID: 23, ArticleID: 7, Name: "new", Size: 5, Token: "1f0e3dad-9990-4f2b-8d0e-5b1f0f6f2a11", Status: record.FileCreated},
		{ID: 24, ArticleID: 7, Name: "bad", Size: 5, Token: "1f0e3dad-9990-4f2b-8d0e-5b1f0f6f2a12", Status: record.FileFailed, Failure: "md5 differs"},
	}
}

// shapes are all representations, of records with everything and of records with nothing.
func shapes(s Settings) map[string][2]any {
	account := &record.Account{
		ID: 5, Email: "ada@example.org", FirstName: "Ada", LastName: "King", PersonID: 11, InstitutionID: 1, InstitutionUserID: "u1",
		GroupID: 3, UsedPrivate: 10, UsedPublic: 20, Created: day(1, 1), Modified: day(2, 2),
	}
	none := []record.Person{{}}
	return map[string][2]any{
		"public_list":   {s.PublicArticle(fullVersion()), s.PublicArticle(&record.ArticleVersion{})},
		"own_list":      {s.OwnArticle(fullArticle()), s.OwnArticle(&record.Article{})},
		"public_detail": {s.PublicDetail(fullVersion(), publicFiles(), true), s.PublicDetail(&record.ArticleVersion{Authors: none}, []*record.PublicFile{{}}, false)},
		"own_detail":    {s.OwnDetail(fullArticle(), people, ownFiles(), true), s.OwnDetail(&record.Article{}, none, []*record.File{{}}, false)},
		"account":       {s.Account(account, &people[0], 20<<30, 5<<30), s.Account(&record.Account{}, &record.Person{}, 0, 0)},
		"error": {
			Error{Message: "Not: this, or that", Code: "C", Data: map[string]any{"b": 1, "a": []string{"x"}}},
			Error{Data: map[string]any{}},
		},
		"upload": {
			NewUploadInfo(ownFiles()[2], []Part{NewPart(1, 0, 10485759, true, false), NewPart(2, 10485760, 10485764, false, true)}),
			NewUploadInfo(&record.File{}, nil),
		},
		"project_list":       {s.PublicProject(fullProject().Public(projectMembers())), s.PublicProject(&record.PublicProject{})},
		"project_own_list":   {s.OwnProject(fullProject(), record.ProjectViewer), s.OwnProject(&record.Project{}, record.ProjectOwner)},
		"project_detail":     {s.PublicProjectDetail(fullProject().Public(projectMembers())), s.PublicProjectDetail(&record.PublicProject{})},
		"project_own_detail": {s.OwnProjectDetail(fullProject(), record.ProjectOwner, projectMembers()), s.OwnProjectDetail(&record.Project{}, record.ProjectOwner, nil)},
		"project_member": {
			s.ProjectMember(&record.ProjectMember{UserID: 12, AccountID: 6, Role: record.ProjectCollaborator, Email: "hidden@example.org"}, "Plato"),
			s.ProjectMember(&record.ProjectMember{UserID: 13, Role: record.ProjectViewer, Email: "new@example.org"}, ""),
		},
		"project_note": {
			NewProjectNotePrivate(&record.ProjectNote{ID: 1, UserID: 11, Text: tricky, Created: day(1, 1), Modified: day(2, 2)}, "Ada King-Noël"),
			NewProjectNotePrivate(&record.ProjectNote{}, ""),
		},
		"collection_list":       {s.PublicCollection(fullCollection()), s.PublicCollection(&record.CollectionVersion{})},
		"collection_detail":     {s.CollectionDetail(fullCollection(), len(fullCollection().Articles), true), s.CollectionDetail(&record.CollectionVersion{Authors: none}, 0, false)},
		"collection_own_detail": {s.OwnCollectionDetail(ownCollection(), people, len(ownCollection().Articles), true), s.OwnCollectionDetail(&record.Collection{}, none, 0, false)},

		"search": {s.OwnArticleWithProject(fullArticle()), s.OwnArticleWithProject(&record.Article{})},
		"review": {
			s.Curation(&record.Review{ID: 1, GroupID: 3, AccountID: 5, Assigned: 6, ArticleID: 7, Version: 2, Request: 1, Status: record.ReviewApproved, Comments: 1, Resolution: tricky, Created: day(1, 1), Modified: day(2, 2), Reviewed: day(2, 2)}),
			s.Curation(&record.Review{Status: record.ReviewPending}),
		},
		"author":        {s.AuthorComplete(&people[0], account), s.AuthorComplete(&record.Person{}, nil)},
		"short_account": {s.ShortAccount(account, &people[0], true, 20<<30), s.ShortAccount(&record.Account{}, &record.Person{}, false, 0)},
		"user":          {s.User(&people[0], true), s.User(&record.Person{}, false)},
		"group":         {s.Groups([]*record.Group{{ID: 3, Name: "A group", ResourceID: "r", ParentID: 2, AssociationCriteria: "c"}})[0], s.Groups([]*record.Group{{}})[0]},
		"field_definition": {
			s.ShortCustomFields([]record.Field{{ID: 1, Name: "F", Type: record.FieldText, Mandatory: true, MinLength: 1, MaxLength: 9, Placeholder: "here"}})[0],
			s.ShortCustomFields([]record.Field{{}})[0],
		},
		"private_file":       {s.PrivateFile(ownFiles()[0]), s.PrivateFile(&record.File{})},
		"collection_version": {s.CollectionVersions(8, 2, map[int][]string{2: {"Grant 1,2"}})[1], s.CollectionVersions(8, 1, nil)[0]},

		"created":         {NewCreated(7, "https://api.example.org/v2/account/articles/7", []string{"w"}), NewCreated(0, "", nil)},
		"embargo":         {s.Embargo(embargo), s.Embargo(&record.Embargo{})},
		"confidentiality": {s.Confidentiality(&record.Embargo{Kind: record.FileEmbargo, Reason: "Because"}), s.Confidentiality(embargo)},
	}
}

func fullCollection() *record.CollectionVersion {
	return &record.CollectionVersion{
		CollectionID: 8, Version: 2, Metadata: metadata1(), Authors: people, Articles: []int64{7, 6},
		First: day(1, 2), Published: day(3, 4), Modified: day(5, 6),
	}
}

func ownCollection() *record.Collection {
	return &record.Collection{Working: fullArticle().Working, Articles: []int64{7}}
}

func fullProject() *record.Project {
	published := day(3, 4)
	return &record.Project{
		ID: 9, AccountID: 5, Title: `Rain: "a, b" & <i>c</i>`, Description: tricky, Funding: "Grant 1,2", CustomFields: metadata1().CustomFields,
		GroupID: 3, InstitutionID: 1, Published: &published, FundingList: []string{"Grant 1", tricky}, Created: day(1, 1), Modified: day(5, 6),
	}
}

func projectMembers() []record.PublicMember {
	return []record.PublicMember{
		{UserID: 11, Name: "Ada King-Noël", Role: record.ProjectOwner}, {UserID: 12, Name: "Plato", Role: record.ProjectViewer},
	}
}
