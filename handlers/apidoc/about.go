package apidoc

import (
	"maps"
	"strings"
)

var aboutAPI = []string{
	"A research data repository that speaks the public figshare API v2.",
	"Bodies are JSON objects in UTF-8, whatever their Content-Type says. Keys that are not known, or say nothing where they are, are ignored and named in warnings, where an answer has that key, and always in the header X-Warnings. In answers blank values are null and no key is left out; clients should ignore keys that they do not know.",
	"Lists are arrays. They are read in pages, by page and page_size or by limit and offset; the end is a page that is not full.",
	"GET answers carry an ETag and, where it is known, Last-Modified. If-None-Match and If-Modified-Since are answered 304, If-Match and If-Unmodified-Since 412 where they do not hold, before writes too.",
	"What a caller may not see is answered as if it did not exist. Administrators of an institution may put impersonate, the id of an account, into a body too.",
}

var aboutRefusals = map[int]string{
	0:   "Refused: a body too large (413), requests that come too fast (429; Retry-After says how long to wait), too many headers (431), a fault of the server (500), no space (507), or out of service for the moment (503)",
	400: "The request cannot be read, or breaks a rule that is answered so",
	401: "The token is missing, not known, or no longer good",
	403: "The caller may see this, but not do it",
	404: "There is no such thing that the caller may see",
	409: "Something else is under way",
	412: "It is not in the state that the request expects",
	413: "The body is larger than the server accepts",
	406: "The item is not to be had in a form that Accept takes",
	416: "The file has no such range",
	422: "Understood, but a value is not acceptable; data names the field",
	428: "Something must be done first",
}

var waysIn = []Scheme{
	{Name: "token", In: "header", Key: "Authorization", About: "A personal token, after the word token: Authorization: token 0123…"},
	{Name: "bearer", In: "bearer", About: "The same after the word Bearer"},
	{Name: "access_token", In: "query", Key: "access_token", About: "The same in the query string"},
	{Name: "download_token", In: "query", Key: "token", About: "The same in the query string of a download"},
	{Name: "private_link", In: "query", Key: "private_link", About: "The token of a private link"},
}

var sharedParameters = []Parameter{
	{Name: "impersonate", In: "query", Schema: &Schema{
		Type: Types{"integer"}, Format: "int64", Minimum: Limit(1),
		Description: "The account to act as, for administrators of the institution",
	}},
	{Name: cursorHeader, In: "header", Schema: &Schema{
		Type: Types{"string"}, Description: "That of the page before, to go on behind it without the limits of page and offset; with limit or page_size",
	}},
}

const (
	cursorHeader   = "X-Cursor"
	warningsHeader = "X-Warnings"
)

// sharedHeaders are those of answers.
var sharedHeaders = []Parameter{
	{Name: cursorHeader, In: "header", Schema: &Schema{Type: Types{"string"}, Description: "Where the next page begins"}},
	{Name: warningsHeader, In: "header", Schema: &Schema{
		Type: Types{"string"}, Description: "What was ignored of the body, as a JSON list of texts; where the answer has warnings, the same",
	}},
}

func values(list ...any) []any { return list }

// anyField is the value of a custom field. It has no type, since generators of clients refuse
// a choice of several, or leave the key out.
var anyField = Schema{Any: true, Description: "A text, number, boolean or null, or a list of texts, numbers and booleans"}

// timelineIn is the part of a timeline that is told.
var timelineIn = func() Schema {
	when := &Schema{Type: Types{"string", "null"}, Description: "YYYY-MM-DD or YYYY-MM-DDThh:mm:ss"}
	return Schema{Type: Types{"object", "null"}, Properties: Properties{
		{Name: "firstOnline", Schema: when}, {Name: "publisherPublication", Schema: when}, {Name: "publisherAcceptance", Schema: when},
	}}
}()

var fieldMap = Schema{
	Type: Types{"object", "null"}, Values: &Schema{Description: anyField.Description}, Description: "Values by the names of the fields",
}

// aboutFields says of keys what their Go types do not: units, limits, words that they may
// hold.
var aboutFields = func() map[string]Schema {
	all := map[string]Schema{
		"lists.Paging.page":      {Minimum: Limit(1), Maximum: Limit(5000), Description: "With page_size; up to 100 in lists and searches of own items"},
		"lists.Paging.page_size": {Minimum: Limit(1), Maximum: Limit(1000), Description: "Up to 100 in searches of own items; 10 when left out, 1000 for files"},
		"lists.Paging.limit":     {Minimum: Limit(1), Maximum: Limit(1000), Description: "With offset, instead of page and page_size"},
		"lists.Paging.offset":    {Minimum: Limit(0), Maximum: Limit(5000)},

		"lists.Asked.search_for":                 {MinLength: 3, Description: "Words, or :field: words, with AND, OR, NOT and brackets; from 4 characters in own items"},
		"lists.Asked.order":                      {Description: "published_date or modified_date; lists, and searches of public items and of projects, also created_date; those of public items also views, of public articles and collections shares and cites, of public articles downloads; under the profile of the public service lists and searches of own items, too"},
		"handlers.fileListQuery.order":           {Enum: values("id", "name", "size"), Description: "As they were made, unless a person has ordered the files of the article"},
		"handlers.fileListQuery.order_direction": {Enum: values("asc", "desc"), Default: "asc"},
		"handlers.fileListQuery.name":            {Description: "Only files with this name, to the letter"},
		"handlers.fileListQuery.status":          {Enum: values("created", "ic_checking", "moving_to_final", "available", "ic_failed")},
		"lists.Asked.order_direction":            {Enum: values("asc", "desc"), Default: "desc"},
		"lists.Asked.institution":                {Description: "Id of an institution"},
		"lists.Asked.group":                      {Description: "Id of a group"},
		"lists.Asked.published_since":            {Description: "YYYY-MM-DD: published on this day (UTC) or later"},
		"lists.Asked.modified_since":             {Description: "YYYY-MM-DD: changed on this day (UTC) or later"},

		"lists.ArticleSearch.item_type":     {Description: "Id of a type of items"},
		"lists.ArticleSearch.project_id":    {Description: "Id of a project"},
		"lists.ArticleSearch.resource_doi":  {Description: "DOI of the publication that items belong to"},
		"lists.ArticleSearch.doi":           {Description: "With or without a version"},
		"lists.OwnSearch.resource_id":       {Description: "The institution's own id of an item"},
		"lists.ProjectSearch.storage":       {Enum: values("group", "individual")},
		"lists.ProjectSearch.roles":         {Description: "The caller's: owner, collaborator, viewer, with commas between them"},
		"lists.ProjectSearch.status":        {Enum: values(0, 1), Description: "1 for public, 0 for private projects"},
		"handlers.institutionQuery.status":  {Enum: values(1, 2, 3), Description: "1 for drafts, 2 for private, 3 for public articles"},
		"handlers.reviewQuery.status":       {Enum: values("pending", "approved", "rejected", "closed")},
		"handlers.fieldQuery.group_id":      {Description: "A group"},
		"handlers.fileQuery.inline":         {Description: "With true a browser shows a picture (PNG, JPEG, GIF, WebP) or a plain text; everything else is an attachment"},
		"handlers.archiveQuery.folder_path": {Description: "Only this folder, with what is below it"},
		"reports.StatsQuery.start_date":     {Format: "date", Description: "The first day, UTC; the first of this month when left out"},
		"reports.StatsQuery.end_date":       {Format: "date", Description: "The last day; today when left out"},
		"reports.StatsQuery.sub_item":       {Enum: values("category", "item_type"), Description: "Nothing is told of an item that is not of sub_item_id; not for authors and groups"},
		"reports.StatsQuery.sub_item_id":    {Description: "Id of a category, or id or name of a type; needed with sub_item"},
		"reports.TopQuery.count":            {Minimum: Limit(1), Maximum: Limit(1000), Default: 10, Description: "How many"},

		"handlers.versionArchiveQuery.format": {Enum: values("zip", "bagit"), Default: "zip", Description: "bagit for a bag (RFC 8493) in a zip: the files with their sums, an RO-Crate, and the metadata"},

		"people.AccountSearch.is_active": {Enum: values(0, 1)},

		"record.ArticleBody.title":              {MinLength: 3},
		"record.ArticleBody.funding":            {MaxLength: 2000},
		"record.ArticleBody.authors":            {MaxItems: 10, Description: "Replaces those that are there"},
		"record.ArticleBody.categories":         {Description: "Ids; replaces those that are there"},
		"record.ArticleBody.keywords":           {Description: "The same as tags"},
		"record.ArticleBody.license":            {Description: "The value of a licence"},
		"record.ArticleBody.defined_type":       {Description: "Name of a type of items, or its string_id"},
		"record.ArticleBody.custom_fields":      fieldMap,
		"record.ArticleBody.doi":                {Description: "For administrators"},
		"record.ArticleBody.resource_doi":       {Description: "For administrators"},
		"record.ArticleBody.resource_title":     {Description: "For administrators"},
		"record.ArticleBody.is_metadata_record": {Description: "The article has no files, and metadata_reason says why"},
		"record.ProjectArticleBody.license":     {Any: true, Description: "The value of a licence, as a number or a text"},

		"record.Extras.categories_by_source_id":  {Description: "Codes of categories; they win over categories"},
		"record.Extras.related_materials":        {Description: "They win over references"},
		"record.Extras.funding_list":             {Description: "Grants, by id or title"},
		"record.Extras.timeline":                 timelineIn,
		"record.Extras.handle":                   {MaxLength: 255, Description: "For administrators"},
		"record.VersionBody.internal_metadata":   fieldMap,
		"record.CommentBody.type":                {Description: "approved, rejected or closed decide the review"},
		"record.ThumbBody.file_id":               {Description: "Of a picture in the version"},
		"record.customField.value":               anyField,
		"record.AuthorRef.id":                    {Description: "Of a person; the rest is ignored then"},
		"record.AuthorRef.name":                  {MaxLength: 255, Description: "In one text: \"Family, Given\", or {Name} for an organisation. Without a comma the family name is a guess"},
		"record.AuthorRef.last_name":             {MaxLength: 255, Description: "Family name with its particle"},
		"record.AuthorRef.family_name":           {MaxLength: 255, Description: "Family name, without its particle where name_particle is sent"},
		"record.AuthorRef.name_particle":         {MaxLength: 50, Description: "Such as \"van der\""},
		"record.AuthorRef.name_suffix":           {MaxLength: 50, Description: "Such as \"Jr.\""},
		"record.AuthorRef.kind":                  {Enum: values("person", "organisation")},
		"record.AuthorRef.ror_id":                {Description: "ROR ID of an organisation, with or without an address"},
		"record.AuthorRef.affiliations":          {MaxItems: 10, Description: "Organisations that the person belongs to"},
		"record.AffiliationRef.name":             {MaxLength: 255},
		"record.AffiliationRef.ror_id":           {Description: "ROR ID, with or without an address"},
		"record.CollectionBody.title":            {MinLength: 3},
		"record.CollectionBody.articles":         {MaxItems: 10, Description: "Ids; replaces those that are there"},
		"record.CollectionBody.authors":          {Description: "Replaces those that are there"},
		"record.CollectionBody.keywords":         {Description: "The same as tags"},
		"record.CollectionBody.custom_fields":    fieldMap,
		"record.CollectionBody.resource_id":      {MaxLength: 255, Description: "For administrators"},
		"record.CollectionBody.resource_link":    {MaxLength: 255, Description: "For administrators"},
		"record.CollectionBody.resource_title":   {MaxLength: 1000, Description: "For administrators"},
		"record.CollectionBody.resource_doi":     {Description: "For administrators"},
		"record.CollectionBody.resource_version": {Description: "For administrators"},
		"record.ArticlesBody.articles":           {MaxItems: 10, Description: "Ids"},
		"record.ResourceBody.id":                 {MaxLength: 255},
		"record.ResourceBody.title":              {MaxLength: 1000},
		"record.ResourceBody.doi":                {MaxLength: 255},
		"record.ResourceBody.link":               {MaxLength: 255},
		"record.ResourceBody.status":             {MaxLength: 100},
		"record.ResourceBody.version":            {Minimum: Limit(0)},
		"record.ProjectBody.title":               {MinLength: 3, MaxLength: 500},
		"record.ProjectBody.funding":             {MaxLength: 2000},
		"record.ProjectBody.custom_fields":       fieldMap,
		"record.ProjectBody.group_id":            {Description: "When a project is made: the group that it belongs to; left out for an individual one"},
		"record.InviteBody.role_name":            {Enum: values("viewer", "collaborator")},
		"record.InviteBody.user_id":              {Description: "This or email is needed"},
		"record.InviteBody.comment":              {MaxLength: 2000},
		"record.NoteBody.text":                   {MinLength: 3},
		"record.EmbargoBody.embargo_type":        {Enum: values("article", "file", "")},
		"record.EmbargoBody.embargo_date":        {Type: Types{"string", "null"}, Description: "YYYY-MM-DD or YYYY-MM-DDThh:mm:ss, UTC; 0 or null for no end, for files only"},
		"record.LinkBody.expires_date":           {Description: "YYYY-MM-DD or YYYY-MM-DDThh:mm:ss, UTC; after 365 days when left out"},
		"record.LinkBody.anonymous":              {Description: "True withholds who made the item: authors, ORCID, funding, references, group, DOI, id and identifying custom fields. Not for an item that was ever public; it is said when the link is made, and stays"},
		"record.LinkBody.read_only":              {Description: "False lets the holder of the link edit a collection"},
		"record.FileBody.link":                   {MaxLength: 8192, Description: "An http or https address, for a file that stays elsewhere; else name and size are needed"},
		"record.FileBody.name":                   {MaxLength: 4096},
		"record.FileBody.size":                   {Minimum: Limit(0), Description: "Bytes"},
		"record.FileBody.md5":                    {Description: "32 hexadecimal digits; checked when the upload is completed"},
		"record.FileBody.folder_path":            {MaxLength: 4096, Description: "Folders with / between them"},
		"record.AccountBody.email":               {MaxLength: 150},
		"record.AccountBody.quota":               {Minimum: Limit(0), Description: "Bytes"},
		"record.GroupRoles": {
			Description: "Lists of ids of roles, under the ids of groups",
			Values:      &Schema{Type: Types{"array"}, Items: &Schema{Type: Types{"integer"}}},
		},

		"present.head.doi":                      {Description: "Of the version in public answers, without a version in own ones"},
		"present.head.defined_type":             {Description: "Id of the type of the item"},
		"present.head.published_date":           {Description: "Of the latest public version, UTC"},
		"present.metadata.size":                 {Description: "Bytes of all files"},
		"present.metadata.status":               {Enum: values("draft", "private", "public")},
		"present.metadata.embargo_type":         {Enum: values("article", "file")},
		"present.metadata.folder_structure":     {Description: "Folders by the ids of files"},
		"present.metadata.keywords":             {Description: "The same as tags"},
		"present.CustomField.value":             anyField,
		"present.PublicFile.size":               {Description: "Bytes; 0 for links"},
		"present.PublicFile.is_link_only":       {Description: "The file stays elsewhere"},
		"present.PrivateFile.status":            {Enum: values("created", "ic_checking", "moving_to_final", "available", "ic_failed")},
		"present.PrivateFile.upload_url":        {Description: "As long as the upload is open; null for a token with the scope read, as is upload_token"},
		"present.PrivateFile.failure_reason":    {Description: "Why the check of the bytes failed"},
		"present.PrivateFile.folder_path":       {Description: "Names of folders with / between them"},
		"present.UploadInfo.status":             {Enum: values("PENDING", "COMPLETED", "ABORTED")},
		"present.Part.status":                   {Enum: values("PENDING", "COMPLETE")},
		"present.Part.endOffset":                {Description: "Of the last byte"},
		"present.Embargo.embargo_type":          {Enum: values("article", "file")},
		"present.Embargo.embargo_date":          {Description: "UTC; null for no end"},
		"present.ProjectPrivate.role":           {Enum: values("Owner", "Collaborator", "Viewer")},
		"present.ProjectPrivate.storage":        {Enum: values("group", "individual")},
		"present.Collaborator.role_name":        {Enum: values("Owner", "Collaborator", "Viewer")},
		"present.ProjectCollaborator.status":    {Enum: values("invited", "")},
		"present.Account.quota":                 {Description: "Bytes"},
		"present.Error.code":                    {Description: "A word for programs"},
		"present.Error.message":                 {Description: "A sentence for people"},
		"present.LocationWarnings.warnings":     {Description: "What was ignored"},
		"present.CollectionVersion.id":          {Description: "The same as version"},
		"present.CollectionLink.read_only":      {Description: "False lets the holder of the link edit the collection"},
		"present.ProjectNote.abstract":          {Description: "The beginning of the text"},
		"present.Account.maximum_file_size":     {Description: "Bytes"},
		"present.ListedCategory.is_selectable":  {Description: "Items can be put into it"},
		"present.License.value":                 {Description: "What bodies name it by"},
		"present.ArticleWithProject.project_id": {Description: "Null where it is in none"},
		"present.ProjectCompletePrivate.quota":  {Description: "Bytes of a group's storage"},
		"present.PrivateLink.anonymous":         {Description: "The link withholds who made the item"},
		"present.NewLink.warnings":              {Description: "Of an anonymous link: texts of the item that name an author; nothing is rewritten"},
		"present.PrivateLink.id":                {Description: "The token of the link; null for a token with a scope other than all"},
		"present.PrivateLink.html_location":     {Description: "The page that the link opens; null for a token with a scope other than all"},
		"present.Timeline.posted":               {Description: "UTC, without a zone"},
		"present.ShortAccount.active":           {Enum: values(0, 1)},
		"present.Author.kind":                   {Enum: values("person", "organisation")},
		"present.Author.is_guessed":             {Description: "The parts of the name follow from the order of its words alone and were not confirmed"},
		"present.AuthorComplete.is_public":      {Enum: values(0, 1)},
		"present.Funding.is_user_defined":       {Enum: values(0, 1)},

		"present.Account.maximum_files_per_article": {Description: "How many files one article may have, 0 for any number"},
	}
	const article, inProject = "record.ArticleBody.", "record.ProjectArticleBody."
	for name, about := range maps.Clone(all) { // the same body, but for its license
		if key, ok := strings.CutPrefix(name, article); ok && !all[inProject+key].Any {
			all[inProject+key] = about
		}
	}
	return all
}()
