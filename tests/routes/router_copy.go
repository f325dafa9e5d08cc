// Code generated from router.go by make router. DO NOT EDIT.

package routes

import (
	"net/http"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"alcove/handlers"
	"alcove/handlers/apidoc"
	"alcove/handlers/endpoint"
	"alcove/handlers/people"
	"alcove/handlers/present"
	"alcove/site"
	"alcove/site/account"
	"alcove/site/admin"
	"alcove/site/own"
)

// route is a line of the table.
type route endpoint.Route

// section is the routes of a resource, under their heading in the description of the API.
type section struct {
	name   string
	routes []route
}

// routes is the table of contents, line by line.
func routes(h *handlers.API) (all []route) {
	for _, s := range sections(h) {
		for _, r := range s.routes {
			r.About = r.About.Under(s.name)
			all = append(all, r)
		}
	}
	return all
}

// sections is the table of contents: every address that the server answers, who may call it, what
// it does to the store, and what it is for, which is what /v2/openapi.json says of it.
func sections(h *handlers.API) []section {
	const (
		Public  = endpoint.Public
		Account = endpoint.Account
		Either  = endpoint.Either
		Upload  = endpoint.Upload
		Session = endpoint.Session
	)
	var (
		PublicRead = endpoint.PublicRead
		Read       = endpoint.Read
		Write      = endpoint.Write
		Plain      = endpoint.Plain
		Stream     = endpoint.Stream
		Form       = endpoint.Form

		op        = apidoc.Op
		asks      = apidoc.Asks
		needs     = apidoc.Needs
		refuses   = apidoc.Refuses
		walked    = apidoc.Walked
		unlocated = apidoc.Unlocated

		byArticleLink    = func(e endpoint.Endpoint) endpoint.Endpoint { return endpoint.Linked("articles", e) }
		byCollectionLink = func(e endpoint.Endpoint) endpoint.Endpoint { return endpoint.Linked("collections", e) }
	)
	pages := site.New(h)
	person := account.New(h, pages)
	work := own.New(h, pages)
	desk := admin.New(h, pages)
	return []section{
		{"Pages", []route{
			{"GET", "/", Public, Plain(pages.Home), apidoc.Page("The first page")},
			{"GET", "/search", Public, Plain(pages.Search), apidoc.Page("Find public items")},
			{"GET", "/search/suggest", Public, Plain(pages.Suggest), apidoc.Page("Titles, authors and tags for the beginning of a search, as a piece of a page")},
			{"GET", "/search.atom", Public, Plain(pages.Feed), apidoc.Page("The first page of a search as an Atom feed")},
			{"GET", "/articles/:first/:second/:third/:fourth", Public, Plain(pages.Article), apidoc.Page("The page of a version of an article: /articles/{type}/{title}/{id}/{version}")},
			{"GET", "/articles/:first/:second/:third/:fourth/*path", Public, endpoint.Free(Plain(pages.Folder)), apidoc.Page("A folder of an article as plain HTML, and its files by their names: …/{id}/files/, or …/{id}/{version}/files/; the article in another form: …/{id}/export/{format}; its typed links: …/{id}/linkset")},
			{"GET", "/s/:token", Public, Plain(pages.Link), apidoc.Page("What a private link opens, for a browser; 404 for other clients")},
			{"GET", "/s/:token/download", Public, Plain(pages.LinkDownload), apidoc.Page("The files of the article that a private link opens, as one archive")},
			{"GET", "/collections/:first", Public, Plain(pages.Collection), apidoc.Page("Leads to the page of a collection: /collections/{id}")},
			{"GET", "/collections/:first/:second", Public, Plain(pages.Collection), apidoc.Page("The page of a collection: /collections/{title}/{id}")},
			{"GET", "/collections/:first/:second/:third", Public, Plain(pages.Collection), apidoc.Page("The page of a version of a collection: /collections/{title}/{id}/{version}")},
			{"GET", "/collections/:first/:second/:third/*path", Public, Plain(pages.BesideCollection), apidoc.Page("A collection in another form, or its typed links: …/{id}/export/{format}, …/{id}/{version}/linkset")},
			{"GET", "/projects/:first", Public, Plain(pages.Project), apidoc.Page("Leads to the page of a project: /projects/{id}")},
			{"GET", "/projects/:first/:second", Public, Plain(pages.Project), apidoc.Page("The page of a project: /projects/{title}/{id}")},
			{"GET", "/doi/*doi", Public, Plain(pages.DOI), apidoc.Page("Leads to the page of the item that a DOI names")},
			{"POST", "/share/articles/:id", Public, Plain(pages.ShareArticle), apidoc.Page("Counts that a reader shares an article, and leads back to its page")},
			{"POST", "/share/collections/:id", Public, Plain(pages.ShareCollection), apidoc.Page("Counts that a reader shares a collection, and leads back to its page")},
			{"GET", "/embed/articles/:id", Public, Plain(pages.EmbedArticle), apidoc.Page("An article as a card for the pages of others; 404 where the operator does not allow it")},
			{"GET", "/embed/collections/:id", Public, Plain(pages.EmbedCollection), apidoc.Page("A collection as a card for the pages of others; 404 where the operator does not allow it")},
			{"GET", "/export/articles/:id/:version/:format", Public, PublicRead(pages.ArticleExport), apidoc.Page("A version of an article as a citation or description")},
			{"GET", "/export/collections/:id/:version/:format", Public, PublicRead(pages.CollectionExport), apidoc.Page("A version of a collection as a citation or description")},
			{"GET", "/oai", Public, endpoint.Free(Plain(h.OAI)), apidoc.Page("OAI-PMH, as at /v2/oai")},
			{"POST", "/oai", Public, endpoint.Free(endpoint.PlainForm(h.OAIForm)), apidoc.Page("OAI-PMH, as at /v2/oai")},
			{"GET", "/sitemap.xml", Public, Plain(pages.Sitemap), apidoc.Page("The pages of the sitemap, for crawlers")},
			{"GET", "/sitemap/:name", Public, Plain(pages.SitemapPage), apidoc.Page("Public items of a run of ids, for crawlers, in gzip format: /sitemap/{number}.xml.gz")},
			{"GET", "/files/:file_id/view", Either, Plain(pages.View), apidoc.Page("A file, or its beginning, as a page")},
			{"GET", "/about", Public, pages.Own("about"), apidoc.Page("What the operator says of the repository; 404 where there is no text")},
			{"GET", "/terms", Public, pages.Own("terms"), apidoc.Page("The terms of use; 404 where there is no text")},
			{"GET", "/privacy", Public, pages.Own("privacy"), apidoc.Page("What is kept of readers; 404 where there is no text")},
			{"GET", "/accessibility", Public, pages.Own("accessibility"), apidoc.Page("For whom the pages work and where they do not; 404 where there is no text")},
			{"GET", "/agreement", Public, pages.Own("agreement"), apidoc.Page("What depositors accept when they publish; 404 where there is no text")},
			{"GET", "/sign-in", Public, Plain(person.SignInPage), apidoc.Page("The form to sign in")},
			{"POST", "/sign-in", Public, Form(person.SignIn), apidoc.Page("Signs a person in, and leads to a page of this server")},
			{"GET", "/sign-in/forgot", Public, Plain(person.ForgotPage), apidoc.Page("The form to have a link sent at which a new password is set")},
			{"POST", "/sign-in/forgot", Public, Form(person.Forgot), apidoc.Page("Has such a link sent, and says the same whether or not there is an account")},
			{"POST", "/sign-in/passkey", Public, Form(person.SignInPasskey), apidoc.Page("Signs a person in by a passkey, or tells the script of the page what to ask the browser for")},
			{"GET", "/sign-in/code", Public, Plain(person.CodePage), apidoc.Page("The second step of signing in, where the account has codes")},
			{"POST", "/sign-in/code", Public, Form(person.Code), apidoc.Page("Takes the code, and leads to a page of this server")},
			{"GET", "/sign-in/with/:name", Public, Plain(person.SignInWith), apidoc.Page("Sends the browser to another service to sign in at")},
			{"GET", "/sign-in/back/:name", Public, Plain(person.SignInBack), apidoc.Page("Takes what the browser brings back from there, and leads to a page of this server")},
			{"POST", "/sign-out", Public, Form(person.SignOut), apidoc.Page("Ends the session of the browser")},
			{"GET", "/one-time/:token", Public, Plain(person.OneTime), apidoc.Page("What a one-time link opens: the form to begin an account, to set a password, or to confirm a mail address")},
			{"POST", "/one-time/:token", Public, Form(person.UseOneTime), apidoc.Page("Begins the account or sets the password, and signs the person in; or confirms the address")},
			{"GET", "/account", Session, Plain(person.Account), apidoc.Page("The person who is signed in")},
			{"GET", "/account/items", Session, Plain(work.Items), apidoc.Page("The articles of the person, with their states")},
			{"POST", "/account/items", Session, Form(work.NewItem), apidoc.Page("Makes a draft with a title, and leads to its form")},
			{"GET", "/account/collections", Session, Plain(work.MyCollections), apidoc.Page("The collections of the person")},
			{"POST", "/account/collections", Session, Form(work.NewCollection), apidoc.Page("Makes a collection with a title, and leads to its form")},
			{"GET", "/account/projects", Session, Plain(work.MyProjects), apidoc.Page("The projects of which the person is a member")},
			{"GET", "/account/bulk", Session, Plain(work.Bulk), apidoc.Page("The form that changes several own items")},
			{"POST", "/account/bulk", Session, endpoint.LongForm(work.ChangeBulk), apidoc.Page("Shows what the form changes in each item, and changes it once that is confirmed")},
			{"GET", "/account/items/table", Session, Plain(work.Table), apidoc.Page("Own items, those that are chosen or all, as CSV")},
			{"GET", "/account/items/import", Session, Plain(work.ImportPage), apidoc.Page("The form that takes such a table")},
			{"POST", "/account/items/import", Session, endpoint.FileForm(work.Import), apidoc.Page("Shows what a table changes in each item, and changes it once that is confirmed")},
			{"POST", "/account/projects", Session, Form(work.NewProject), apidoc.Page("Makes a project with a title, and leads to its page")},
			{"GET", "/account/projects/:id", Session, Plain(work.OwnProject), apidoc.Page("A project as its members see it, with its items")},
			{"POST", "/account/projects/:id", Session, Form(work.NewInProject), apidoc.Page("Makes a draft in a project, and leads to its form")},
			{"GET", "/account/projects/:id/edit", Session, Plain(work.ProjectForm), apidoc.Page("The form of a project")},
			{"POST", "/account/projects/:id/edit", Session, endpoint.LongForm(work.SaveProject), apidoc.Page("Stores what the form says, or shows it again with what is wrong")},
			{"GET", "/account/projects/:id/members", Session, Plain(work.ProjectPeople), apidoc.Page("The members of a project and who is invited")},
			{"POST", "/account/projects/:id/members", Session, Form(work.ChangeProjectPeople), apidoc.Page("Invites a person, gives another role or takes a member out; accepts an invitation, or leaves")},
			{"GET", "/account/projects/:id/notes", Session, Plain(work.ProjectNotes), apidoc.Page("The notes of a project")},
			{"POST", "/account/projects/:id/notes", Session, endpoint.LongForm(work.AddNote), apidoc.Page("Writes a note")},
			{"GET", "/account/projects/:id/notes/:note_id", Session, Plain(work.ProjectNote), apidoc.Page("A note, and for those who may change it its form")},
			{"POST", "/account/projects/:id/notes/:note_id", Session, endpoint.LongForm(work.ChangeNote), apidoc.Page("Changes or deletes a note")},
			{"GET", "/account/projects/:id/articles/:article_id", Session, Plain(work.ProjectItem), apidoc.Page("An item of a project, with its files")},
			{"POST", "/account/projects/:id/articles/:article_id", Session, Form(work.DeleteProjectItem), apidoc.Page("Deletes a draft in a project")},
			{"GET", "/account/projects/:id/publish", Session, Plain(work.PublishProjectPage), apidoc.Page("What will be public of a project, to be confirmed")},
			{"POST", "/account/projects/:id/publish", Session, Form(work.PublishProject), apidoc.Page("Makes a project public")},
			{"GET", "/account/projects/:id/unpublish", Session, Plain(work.UnpublishProjectPage), apidoc.Page("The form to make a public project private again")},
			{"POST", "/account/projects/:id/unpublish", Session, Form(work.UnpublishProject), apidoc.Page("Makes a public project private again")},
			{"GET", "/account/projects/:id/delete", Session, Plain(work.DeleteProjectPage), apidoc.Page("The form to delete a project")},
			{"POST", "/account/projects/:id/delete", Session, Form(work.DeleteProject), apidoc.Page("Deletes a project")},
			{"GET", "/account/articles/:id", Session, Plain(work.Working), apidoc.Page("Leads to the form of an article")},
			{"GET", "/account/articles/:id/edit", Session, Plain(work.Edit), apidoc.Page("The form of an article, with what is missing before it can be published")},
			{"POST", "/account/articles/:id/edit", Session, endpoint.LongForm(work.Save), apidoc.Page("Stores what the form says, or shows it again with what is wrong")},
			{"GET", "/account/articles/:id/preview", Session, Plain(pages.Preview), apidoc.Page("The page of an article as it would be public now")},
			{"GET", "/account/articles/:id/publish", Session, Plain(work.PublishPage), apidoc.Page("What will be public, to be confirmed")},
			{"POST", "/account/articles/:id/publish", Session, Form(work.Publish), apidoc.Page("Publishes an article, or hands it in for review")},
			{"GET", "/account/articles/:id/unpublish", Session, Plain(work.UnpublishPage), apidoc.Page("The form to withdraw a public article")},
			{"POST", "/account/articles/:id/unpublish", Session, Form(work.Unpublish), apidoc.Page("Withdraws a public article")},
			{"GET", "/account/articles/:id/delete", Session, Plain(work.DeletePage), apidoc.Page("The form to delete a draft")},
			{"POST", "/account/articles/:id/delete", Session, Form(work.Delete), apidoc.Page("Deletes a draft with its files")},
			{"GET", "/account/articles/:id/links", Session, Plain(work.PrivateLinks), apidoc.Page("The private links of an article")},
			{"POST", "/account/articles/:id/links", Session, Form(work.ChangeLinks), apidoc.Page("Makes a private link, or ends one")},
			{"POST", "/account/articles/:id/doi", Session, Form(work.ReserveDOI), apidoc.Page("Reserves the DOI of an article")},
			{"GET", "/account/collections/:id/edit", Session, Plain(work.Edit), apidoc.Page("The form of a collection")},
			{"POST", "/account/collections/:id/edit", Session, endpoint.LongForm(work.Save), apidoc.Page("Stores what the form says, or shows it again with what is wrong")},
			{"GET", "/account/collections/:id/articles", Session, Plain(work.Members), apidoc.Page("The articles of a collection, and a search for more")},
			{"POST", "/account/collections/:id/articles", Session, Form(work.ChangeMembers), apidoc.Page("Adds articles to a collection, takes them out, or puts them in order")},
			{"GET", "/account/collections/:id/publish", Session, Plain(work.PublishPage), apidoc.Page("What will be public of a collection, to be confirmed")},
			{"POST", "/account/collections/:id/publish", Session, Form(work.Publish), apidoc.Page("Publishes a collection")},
			{"GET", "/account/collections/:id/unpublish", Session, Plain(work.UnpublishPage), apidoc.Page("The form to withdraw a public collection")},
			{"POST", "/account/collections/:id/unpublish", Session, Form(work.Unpublish), apidoc.Page("Withdraws a public collection")},
			{"GET", "/account/collections/:id/delete", Session, Plain(work.DeletePage), apidoc.Page("The form to delete a collection")},
			{"POST", "/account/collections/:id/delete", Session, Form(work.Delete), apidoc.Page("Deletes a collection; its articles stay")},
			{"GET", "/account/collections/:id/links", Session, Plain(work.PrivateLinks), apidoc.Page("The private links of a collection")},
			{"POST", "/account/collections/:id/links", Session, Form(work.ChangeLinks), apidoc.Page("Makes a private link to a collection, or ends one")},
			{"POST", "/account/collections/:id/doi", Session, Form(work.ReserveDOI), apidoc.Page("Reserves the DOI of a collection")},
			{"GET", "/account/reviews", Session, Plain(work.Reviews), apidoc.Page("What was handed in for review, to those who review it and to its owners")},
			{"GET", "/account/reviews/:review_id", Session, Plain(work.Review), apidoc.Page("A review: what was handed in beside what is public, with comments")},
			{"POST", "/account/reviews/:review_id", Session, Form(work.ReviewComment), apidoc.Page("Comments on a review, or decides it")},
			{"POST", "/account/reviews/:review_id/assign", Session, Form(work.AssignReview), apidoc.Page("Gives a review to one of those who decide it, or to none")},
			{"GET", "/account/profile", Session, Plain(person.ProfilePage), apidoc.Page("The person's own profile: names, ORCID iD, picture, language, and which mails are sent")},
			{"POST", "/account/profile", Session, Form(person.Profile), apidoc.Page("Changes the profile, or removes its picture")},
			{"POST", "/account/profile/picture", Session, endpoint.WithFile("profile_picture", person.ProfilePicture), apidoc.Page("Gives the profile a picture")},
			{"GET", "/account/profile/export", Session, Plain(person.ProfileExport), apidoc.Page("Everything that the repository has of the person, as a zip")},
			{"GET", "/account/admin", Session, Plain(desk.Start), apidoc.Page("The administration: how the repository is; 404 to those who administer nothing, as on the pages below")},
			{"GET", "/account/admin/people", Session, Plain(desk.People), apidoc.Page("The accounts that the person administers, and a search in them")},
			{"GET", "/account/admin/people/invite", Session, Plain(desk.InvitePage), apidoc.Page("The forms to invite one person, and many")},
			{"POST", "/account/admin/people/invite", Session, endpoint.LongOrFileForm(desk.Invite), apidoc.Page("Invites a person, tells what a table of people would do, or invites them")},
			{"GET", "/account/admin/people/:account_id", Session, Plain(desk.Person), apidoc.Page("An account that the person administers")},
			{"POST", "/account/admin/people/:account_id", Session, Form(desk.ChangePerson), apidoc.Page("Changes its quota, group, roles or access")},
			{"GET", "/account/admin/people/:account_id/hand-over", Session, Plain(desk.HandOverPage), apidoc.Page("The form to give what an account has to another one, or to merge the two")},
			{"POST", "/account/admin/people/:account_id/hand-over", Session, Form(desk.HandOver), apidoc.Page("Tells what would be handed over, or does it")},
			{"GET", "/account/admin/groups", Session, Plain(desk.Groups), apidoc.Page("The tree of the groups that the person administers")},
			{"POST", "/account/admin/groups", Session, Form(desk.AddGroup), apidoc.Page("Makes a group, for administrators of the institution")},
			{"GET", "/account/admin/groups/:group_id", Session, Plain(desk.Group), apidoc.Page("A group with its custom fields")},
			{"POST", "/account/admin/groups/:group_id", Session, endpoint.LongForm(desk.ChangeGroup), apidoc.Page("Changes or removes a group, or a custom field of it")},
			{"GET", "/account/admin/storage", Session, Plain(desk.Storage), apidoc.Page("How much is kept, by group and by person")},
			{"GET", "/account/admin/dois", Session, Plain(desk.DOIs), apidoc.Page("How the registration of DOIs is, and which of them wait or are refused; for administrators of the institution")},
			{"POST", "/account/admin/dois", Session, Form(desk.RetryDOIs), apidoc.Page("Has one of them tried again, or all")},
			{"GET", "/account/admin/settings", Session, Plain(desk.Settings), apidoc.Page("The announcement, licences, types of items and address ranges")},
			{"POST", "/account/admin/settings", Session, Form(desk.ChangeSettings), apidoc.Page("Stores them")},
			{"GET", "/account/admin/audit", Session, Plain(desk.Audit), apidoc.Page("The audit trail, the newest entries first")},
			{"GET", "/account/admin/audit.csv", Session, Plain(desk.AuditTable), apidoc.Page("The audit trail as CSV")},
			{"GET", "/account/admin/export", Session, Plain(desk.ExportPage), apidoc.Page("The ways to all items that the person administers, as a table")},
			{"GET", "/account/admin/items.csv", Session, Plain(desk.ItemsCSV), apidoc.Page("All items that the person administers, as CSV")},
			{"GET", "/account/admin/items.xlsx", Session, Plain(desk.ItemsXLSX), apidoc.Page("The same as a workbook")},
			{"GET", "/account/admin/usage.csv", Session, Plain(desk.UsageCSV), apidoc.Page("How often public items were used in some months, as CSV")},
			{"GET", "/account/admin/usage.xlsx", Session, Plain(desk.UsageXLSX), apidoc.Page("The same as a workbook")},
			{"GET", "/account/admin/dataset-report.json", Session, Plain(desk.DatasetReport), apidoc.Page("The same as a dataset report of COUNTER")},
			{"GET", "/account/sessions", Session, Plain(person.Sessions), apidoc.Page("Where the person is signed in")},
			{"POST", "/account/sessions", Session, Form(person.EndSession), apidoc.Page("Ends a session of the person, or all")},
			{"GET", "/account/password", Session, Plain(person.PasswordPage), apidoc.Page("The form to change the password")},
			{"POST", "/account/password", Session, Form(person.Password), apidoc.Page("Changes the password, and ends all other sessions")},
			{"GET", "/account/articles/:id/files", Session, Plain(work.Files), apidoc.Page("The files of an own article, and how more come")},
			{"POST", "/account/articles/:id/files", Session, Form(work.ChangeFiles), apidoc.Page("Deletes a file of an own article, or links one that stays elsewhere")},
			{"POST", "/account/articles/:id/files/arrange", Session, endpoint.LongForm(work.ArrangeFiles), apidoc.Page("Moves files of an own article, names a folder, or puts files in order")},
			{"POST", "/account/articles/:id/files/upload", Session, Stream(work.UploadFile).Announcing(), apidoc.Page("Takes a file from a browser without a script")},
			{"GET", "/account/email", Session, Plain(person.EmailPage), apidoc.Page("The form to change the mail address")},
			{"GET", "/account/passkeys", Session, Plain(person.PasskeysPage), apidoc.Page("The passkeys of the person, and the form to add one")},
			{"POST", "/account/passkeys", Session, Form(person.Passkeys), apidoc.Page("Adds, names or removes a passkey")},
			{"GET", "/account/sign-in-methods", Session, Plain(person.LoginsPage), apidoc.Page("The accounts at other services that the person signs in with")},
			{"POST", "/account/sign-in-methods", Session, Form(person.Logins), apidoc.Page("Connects such an account, or disconnects it")},
			{"GET", "/account/second-factor", Session, Plain(person.FactorPage), apidoc.Page("Whether codes are asked for when the person signs in, and the forms to change that")},
			{"POST", "/account/second-factor", Session, Form(person.Factor), apidoc.Page("Sets codes up, renews recovery codes, or turns codes off")},
			{"POST", "/account/email", Session, Form(person.Email), apidoc.Page("Has a link sent to another mail address, which becomes that of the account when it is used")},
			{"GET", "/account/applications", Session, Plain(person.Applications), apidoc.Page("The personal tokens of the person, and its applications")},
			{"GET", "/account/try", Session, Plain(pages.TryPage), apidoc.Page("Tries a call of the API as the person, and shows the line for a shell")},
			{"POST", "/account/applications/tokens", Session, Form(person.TokenAdd), apidoc.Page("Makes a personal token, and shows it this once")},
			{"POST", "/account/applications/tokens/revoke", Session, Form(person.TokenEnd), apidoc.Page("Revokes a personal token of the person")},
			{"POST", "/account/applications/register", Session, Form(person.ApplicationAdd), apidoc.Page("Registers an application, and shows its secret this once")},
			{"POST", "/account/applications/secret", Session, Form(person.ApplicationSecret), apidoc.Page("Gives an application of the person another secret, and shows it this once")},
			{"POST", "/account/applications/delete", Session, Form(person.ApplicationDelete), apidoc.Page("Deletes an application of the person")},
			{"POST", "/account/applications/disconnect", Session, Form(person.Disconnect), apidoc.Page("Ends what an application may do for the person")},
			{"GET", "/account/applications/authorize", Session, Plain(person.AuthorizePage), apidoc.Page("Asks the person whether an application may act for them (OAuth 2.0)")},
			{"POST", "/account/applications/authorize", Session, Form(person.Authorize), apidoc.Page("Takes the answer, and leads back to the application")},
			{"GET", "/robots.txt", Public, endpoint.Free(Plain(pages.Robots)), apidoc.Page("Where crawlers may go")},
			{"GET", "/assets/site.css", Public, endpoint.Free(pages.Asset("site.css")), apidoc.Page("The style of all pages")},
			{"GET", "/assets/site.js", Public, endpoint.Free(pages.Asset("site.js")), apidoc.Page("The script of all pages")},
			{"GET", "/assets/passkey.js", Public, endpoint.Free(pages.Asset("passkey.js")), apidoc.Page("The script of pages with passkeys")},
			{"GET", "/assets/try.js", Public, endpoint.Free(pages.Asset("try.js")), apidoc.Page("The script of the page to try the API")},
			{"GET", "/assets/upload.js", Public, endpoint.Free(pages.Asset("upload.js")), apidoc.Page("The script of the page of own files")},
			{"GET", "/assets/md5.js", Public, endpoint.Free(pages.Asset("md5.js")), apidoc.Page("The script that computes MD5s for that page")},
			{"GET", "/assets/edit.js", Public, endpoint.Free(pages.Asset("edit.js")), apidoc.Page("The script of forms that save themselves")},
			{"GET", "/assets/icon.svg", Public, endpoint.Free(pages.Asset("icon.svg")), apidoc.Page("The icon of all pages")},
			{"GET", "/assets/brand.css", Public, endpoint.Free(pages.Brand("brand.css")), apidoc.Page("The colours of the operator; 404 where none are set")},
			{"GET", "/assets/logo", Public, endpoint.Free(pages.Brand("logo")), apidoc.Page("The logo of the operator; 404 where none is set")},
		}},
		{"Public articles", []route{
			{"GET", "/v2/articles", Public, endpoint.PublicList(h.PublicArticleList), op("List public articles, the newest first", asks("ArticleSearch", "search_for"), walked(), apidoc.Gives[[]present.Article](200))},
			{"POST", "/v2/articles/search", Public, endpoint.PlainBody(h.PublicArticleSearch), op("Search public articles", asks("ArticleSearch"), walked(), apidoc.Gives[[]present.ArticleWithProject](200))},
			{"GET", "/v2/articles/:id", Public, PublicRead(h.PublicArticleRead), op("Read the latest version of a public article", apidoc.Gives[present.ArticleComplete](200))},
			{"GET", "/v2/articles/:id/versions", Public, PublicRead(h.PublicVersionList), op("List the versions of a public article", apidoc.Gives[[]present.ArticleVersion](200))},
			{"GET", "/v2/articles/:id/versions/:version", Public, PublicRead(h.PublicVersionRead), op("Read a version of a public article", apidoc.Gives[present.ArticleComplete](200))},
			{"GET", "/v2/articles/:id/versions/:version/embargo", Public, PublicRead(h.PublicEmbargoRead), op("Read the embargo of a version", apidoc.Gives[present.Embargo](200))},
			{"GET", "/v2/articles/:id/versions/:version/confidentiality", Public, PublicRead(h.PublicConfidentialityRead), op("Read the confidentiality of a version; embargoes have replaced it", apidoc.Gives[present.Confidentiality](200))},
			{"GET", "/v2/articles/:id/files", Either, handlers.LetIn(h.PublicFileList, handlers.FilesLetIn), op("List the files of a public article", asks("Paging"), walked(), apidoc.Gives[[]present.PublicFile](200))},
			{"GET", "/v2/articles/:id/files/:file_id", Either, handlers.LetIn(h.PublicFileRead, handlers.FileLetIn), op("Read what is known of a public file", apidoc.Gives[present.PublicFile](200))},
			{"GET", "/v2/articles/:id/versions/:version/files", Either, handlers.LetIn(h.PublicVersionFiles, handlers.FilesLetIn), op("List the files of a version", asks("Paging"), walked(), apidoc.Gives[[]present.PublicFile](200))},
			{"GET", "/v2/oai", Public, Plain(h.OAI), op("Harvest the metadata of all public items by OAI-PMH 2.0", apidoc.Gives[apidoc.XMLText](200))},
			{"POST", "/v2/oai", Public, endpoint.PlainForm(h.OAIForm), op("Harvest, with the arguments in the body (application/x-www-form-urlencoded)", apidoc.Gives[apidoc.XMLText](200))},
			{"GET", "/v2/articles/:id/download", Either, Plain(h.PublicDownload), op("Download the files of a public article as one archive", asks("versionArchiveQuery"), refuses(403, 416), apidoc.Gives[apidoc.ZipFile](200), apidoc.Gives[apidoc.FileBytes](206))},
			{"GET", "/v2/articles/:id/versions/:version/download", Either, Plain(h.PublicVersionDownload), op("Download the files of a version as one archive", asks("versionArchiveQuery"), refuses(403, 416), apidoc.Gives[apidoc.ZipFile](200), apidoc.Gives[apidoc.FileBytes](206))},
		}},
		{"Own articles", []route{
			{"GET", "/v2/account/articles", Account, Read(h.ArticleList), op("List own articles, the newest first", asks("OwnSearch", "search_for"), walked(), apidoc.Gives[[]present.Article](200))},
			{"POST", "/v2/account/articles/search", Account, endpoint.PlainRequired(h.Articles.Search), op("Search own articles as they were last saved", asks("OwnSearch"), walked(), apidoc.Gives[[]present.ArticleWithProject](200))},
			{"POST", "/v2/account/articles", Account, endpoint.WriteBody(h.ArticleCreate).Uploads(), op("Make an article, which is a draft at first", needs("title"), apidoc.Gives[present.Created](201))},
			{"GET", "/v2/account/articles/:id", Account, byArticleLink(Read(h.ArticleRead)), op("Read an own article", apidoc.Gives[present.ArticlePrivate](200))},
			{"PUT", "/v2/account/articles/:id", Account, endpoint.WriteBody(h.ArticleReplace).Ahead(handlers.FilesHeld).Uploads(), op("Change an own article; keys that are not sent stay", needs("title"), apidoc.Gives[present.LocationWarnings](205))},
			{"PATCH", "/v2/account/articles/:id", Account, endpoint.WriteBody(h.ArticleChange).Ahead(handlers.FilesHeld).Uploads(), op("Change some keys of an own article", apidoc.Gives[present.LocationWarnings](205))},
			{"DELETE", "/v2/account/articles/:id", Account, Write(h.ArticleDelete).Ahead(handlers.FilesOfDraft), op("Delete an own article that is not public", apidoc.Gives[apidoc.Nothing](204))},
			{"POST", "/v2/account/articles/:id/publish", Account, Write(h.ArticlePublish).Ahead(handlers.FilesToPublish), op("Publish an own article as its next version; `warnings` say what it waits for when it is not public at once", apidoc.Gives[present.LocationWarnings](201))},
			{"POST", "/v2/account/articles/:id/reserve_doi", Account, Write(h.Articles.DOIReserve), op("Reserve the DOI that an own article will have", apidoc.Gives[present.DOI](200))},
			{"POST", "/v2/account/articles/:id/reserve_handle", Account, Write(h.Articles.HandleReserve), op("Reserve the handle that an own article will have", apidoc.Gives[present.Handle](200))},
			{"POST", "/v2/account/articles/:id/resource", Account, endpoint.WriteBody(h.Articles.ResourceWrite), op("Name the publication that an own article belongs to", apidoc.Gives[present.LocationWarnings](205))},
			{"GET", "/v2/account/articles/:id/versions/:version_id", Account, Read(h.VersionRead), op("Read a public version of an own article", apidoc.Gives[present.ArticleComplete](200))},
			{"PUT", "/v2/account/articles/:id/versions/:version_id", Account, endpoint.WriteBody(h.VersionReplace), op("Correct the metadata of a public version; a title is needed beside anything but notes", apidoc.Gives[present.LocationWarnings](205))},
			{"PATCH", "/v2/account/articles/:id/versions/:version_id", Account, endpoint.WriteBody(h.VersionChange), op("Correct some metadata of a public version", apidoc.Gives[present.LocationWarnings](205))},
			{"PUT", "/v2/account/articles/:id/versions/:version_id/update_thumb", Account, endpoint.WriteBody(h.ThumbUpdate), op("Choose the picture that stands for a public version", needs("file_id"), apidoc.Gives[present.LocationWarnings](205))},
			{"GET", "/v2/account/articles/export", Account, Read(h.ReportList), op("List the reports of own articles, the newest first", asks("fieldQuery"), apidoc.Gives[[]present.AccountReport](200))},
			{"POST", "/v2/account/articles/export", Account, Write(h.ReportCreate), op("Make a report of own articles, or of those in a group; once a day", asks("fieldQuery"), apidoc.Gives[present.AccountReport](200))},
			{"GET", "/v2/account/reports/:report_id", Account, Plain(h.ReportRead), op("Download a report: the own articles as they are now, as CSV", apidoc.Gives[apidoc.CsvFile](200))},
			{"POST", "/v2/account/articles/:id/unpublish", Account, endpoint.WriteBody(h.ArticleUnpublish).On(h.ToUnpublish).Ahead(handlers.FilesToWithdraw), op("Withdraw a public article", needs("reason"), apidoc.Gives[apidoc.Nothing](204))},
			{"GET", "/v2/account/articles/:id/download", Account, Read(h.ArticleDownload), op("Download the files of an own article as one archive", asks("archiveQuery"), refuses(416), apidoc.Gives[apidoc.ZipFile](200), apidoc.Gives[apidoc.FileBytes](206))},
		}},
		{"Parts of own articles", []route{
			{"GET", "/v2/account/articles/:id/authors", Account, byArticleLink(Read(h.Articles.AuthorsRead)), op("List the authors of an own article, in order", apidoc.Gives[[]present.Author](200))},
			{"POST", "/v2/account/articles/:id/authors", Account, endpoint.WriteAfter(h.Articles.StoreAuthors, h.Articles.AuthorsAdd).Uploads(), op("Add authors behind those that are there", needs("authors"), apidoc.Gives[apidoc.Nothing](205))},
			{"PUT", "/v2/account/articles/:id/authors", Account, endpoint.WriteAfter(h.Articles.StoreAuthors, h.Articles.AuthorsReplace).Uploads(), op("Replace all authors", needs("authors"), apidoc.Gives[apidoc.Nothing](205))},
			{"DELETE", "/v2/account/articles/:id/authors/:author_id", Account, Write(h.Articles.AuthorDelete).Uploads(), op("Take an author away", apidoc.Gives[apidoc.Nothing](204))},
			{"GET", "/v2/account/articles/:id/categories", Account, byArticleLink(Read(h.Articles.CategoriesRead)), op("List the categories of an own article", apidoc.Gives[[]present.Category](200))},
			{"POST", "/v2/account/articles/:id/categories", Account, endpoint.WriteBody(h.Articles.CategoriesAdd).Uploads(), op("Add categories", needs("categories"), apidoc.Gives[apidoc.Nothing](205))},
			{"PUT", "/v2/account/articles/:id/categories", Account, endpoint.WriteBody(h.Articles.CategoriesReplace).Uploads(), op("Replace all categories", needs("categories"), apidoc.Gives[apidoc.Nothing](205))},
			{"DELETE", "/v2/account/articles/:id/categories/:category_id", Account, Write(h.Articles.CategoryDelete).Uploads(), op("Take a category away", apidoc.Gives[apidoc.Nothing](204))},
			{"GET", "/v2/account/articles/:id/files", Account, byArticleLink(Read(h.FileList)), op("List the files of an own article", asks("fileListQuery"), walked(), apidoc.Gives[[]present.PrivateFile](200))},
			{"POST", "/v2/account/articles/:id/files", Account, endpoint.WriteBody(h.FileCreate).Announcing().Uploads(), op("Begin a file: link to where it stays, or announce its bytes", apidoc.Gives[present.Location](201))},
			{"GET", "/v2/account/articles/:id/files/:file_id", Account, byArticleLink(Read(h.FileRead)), op("Read what is known of an own file, and where to upload its bytes", apidoc.Gives[present.PrivateFile](200))},
			{"POST", "/v2/account/articles/:id/files/:file_id", Account, Plain(h.FileComplete).Uploads(), op("Complete an upload", apidoc.Gives[apidoc.HtmlPage](202))},
			{"DELETE", "/v2/account/articles/:id/files/:file_id", Account, Write(h.FileDelete).Uploads(), op("Delete a file of an own article", refuses(409), apidoc.Gives[apidoc.Nothing](204))},
			{"GET", "/v2/account/articles/:id/confidentiality", Account, Read(h.ConfidentialityRead), op("Read the confidentiality; embargoes have replaced it", apidoc.Gives[present.Confidentiality](200))},
			{"PUT", "/v2/account/articles/:id/confidentiality", Account, endpoint.WriteBody(h.ConfidentialityUpdate), op("Withhold the files until that is lifted", needs("reason"), apidoc.Gives[present.LocationWarnings](205))},
			{"DELETE", "/v2/account/articles/:id/confidentiality", Account, Write(h.ConfidentialityDelete), op("Lift the confidentiality", apidoc.Gives[apidoc.Nothing](204))},
			{"GET", "/v2/account/articles/:id/private_links", Account, Read(h.Articles.LinksRead), op("List the private links to an own article", apidoc.Gives[[]present.PrivateLink](200))},
			{"POST", "/v2/account/articles/:id/private_links", Account, endpoint.WriteOptional(h.Articles.LinkAdd), op("Make a private link to an own article", apidoc.Gives[present.NewLink](201))},
			{"GET", "/v2/account/articles/:id/private_links/:link_id", Account, Read(h.Articles.LinkRead), op("Read a private link to an own article", apidoc.Gives[present.PrivateLink](200))},
			{"PUT", "/v2/account/articles/:id/private_links/:link_id", Account, endpoint.WriteOptional(h.Articles.LinkChange), op("Change when a private link expires", apidoc.Gives[apidoc.Nothing](205))},
			{"DELETE", "/v2/account/articles/:id/private_links/:link_id", Account, Write(h.Articles.LinkDelete), op("Disable a private link for good", apidoc.Gives[apidoc.Nothing](204))},
			{"GET", "/v2/account/articles/:id/embargo", Account, Read(h.EmbargoRead), op("Read the embargo of an own article", apidoc.Gives[present.Embargo](200))},
			{"PUT", "/v2/account/articles/:id/embargo", Account, endpoint.WriteBody(h.EmbargoUpdate).Ahead(handlers.FilesHeld), op("Set, change or lift the embargo of an own article", apidoc.Gives[present.LocationWarnings](205))},
			{"DELETE", "/v2/account/articles/:id/embargo", Account, Write(h.EmbargoDelete).Ahead(handlers.FilesHeld), op("Lift the embargo of an own article", apidoc.Gives[apidoc.Nothing](204))},
		}},
		{"Uploads and downloads", []route{
			{"GET", "/upload/:token", Upload, Plain(h.UploadRead), op("Read the parts into which an upload is divided", apidoc.Gives[present.UploadInfo](200))},
			{"GET", "/upload/:token/:part", Upload, Plain(h.UploadPartRead), op("Read the state of a part", apidoc.Gives[present.Part](200))},
			{"PUT", "/upload/:token/:part", Upload, Stream(h.UploadPartWrite), op("Upload the bytes of a part", refuses(409), apidoc.Gives[apidoc.PlainText](200))},
			{"DELETE", "/upload/:token/:part", Upload, Plain(h.UploadPartDelete), op("Put a part back to pending", refuses(409), apidoc.Gives[apidoc.PlainText](200))},
			{"GET", "/files/:file_id", Either, Plain(h.FileDownload), op("Download a file; ranges are served", asks("fileQuery"), refuses(403, 416), apidoc.Gives[apidoc.FileBytes](200), apidoc.Gives[apidoc.FileBytes](206), apidoc.Gives[apidoc.Elsewhere](302))},
			{"GET", "/ndownloader/files/:file_id", Either, Plain(h.FileDownload), op("Download a file, at the address of older clients", asks("fileQuery"), refuses(403, 416), apidoc.Gives[apidoc.FileBytes](200), apidoc.Gives[apidoc.FileBytes](206), apidoc.Gives[apidoc.Elsewhere](302))},
			{"GET", "/files/:file_id/preview/:preview_id/thumb.png", Either, Plain(h.ThumbRead), op("Read the thumbnail of a picture", refuses(403), apidoc.Gives[apidoc.PngImage](200))},
			{"GET", "/ndownloader/files/:file_id/preview/:preview_id/thumb.png", Either, Plain(h.ThumbRead), op("Read the thumbnail of a picture, at the address of older clients", refuses(403), apidoc.Gives[apidoc.PngImage](200))},
			{"GET", "/v2/file/download/:file_id", Public, Plain(h.PublicFileDownload), op("Download a public file", asks("fileQuery"), refuses(403, 416), apidoc.Gives[apidoc.FileBytes](200), apidoc.Gives[apidoc.FileBytes](206), apidoc.Gives[apidoc.Elsewhere](302))},
			{"GET", "/articles/:first", Either, Plain(pages.ShortArticle), op("Download the files of an article that a private link opens", asks("archiveQuery"), refuses(403, 416), apidoc.Gives[apidoc.ZipFile](200), apidoc.Gives[apidoc.FileBytes](206), apidoc.Gives[apidoc.Elsewhere](301), apidoc.Gives[apidoc.Elsewhere](302))},
			{"GET", "/articles/:first/:second/:third", Either, Plain(pages.Article), op("Download a version as one archive: /articles/{id}/versions/{version}; url_public_html is a page, or another form of the item where Accept prefers one, and another path at which readers found an item elsewhere leads to it", asks("versionArchiveQuery"), refuses(403, 406, 416), apidoc.Gives[apidoc.FileBytes](200), apidoc.Gives[apidoc.FileBytes](206), apidoc.Gives[apidoc.Elsewhere](301), apidoc.Gives[apidoc.Elsewhere](302))},
		}},
		{"Mirrored items", []route{
			{"GET", "/mirror/:host/v2/articles", Public, PublicRead(h.MirroredList("articles")), op("List the articles of another repository that are mirrored here, the newest first", asks("Paging"), apidoc.Gives[[]present.Article](200))},
			{"GET", "/mirror/:host/v2/articles/:id", Public, PublicRead(h.MirroredRead("articles")), op("Read the newest version of one, by its id there", apidoc.Gives[present.ArticleComplete](200))},
			{"GET", "/mirror/:host/v2/articles/:id/versions", Public, PublicRead(h.MirroredVersions("articles")), op("List its versions", apidoc.Gives[[]present.ArticleVersion](200))},
			{"GET", "/mirror/:host/v2/articles/:id/versions/:version", Public, PublicRead(h.MirroredVersion("articles")), op("Read a version of it", apidoc.Gives[present.ArticleComplete](200))},
			{"GET", "/mirror/:host/v2/articles/:id/versions/:version/files", Public, PublicRead(h.MirroredFiles), op("List the files of a version", asks("Paging"), apidoc.Gives[[]present.PublicFile](200))},
			{"GET", "/mirror/:host/v2/articles/:id/files", Public, PublicRead(h.MirroredFiles), op("List the files of the newest version", asks("Paging"), apidoc.Gives[[]present.PublicFile](200))},
			{"GET", "/mirror/:host/v2/articles/:id/files/:file_id", Public, PublicRead(h.MirroredFile), op("Read what is known of a file, by its id there", apidoc.Gives[present.PublicFile](200))},
			{"GET", "/mirror/:host/v2/collections", Public, PublicRead(h.MirroredList("collections")), op("List the collections of another repository that are mirrored here, the newest first", asks("Paging"), apidoc.Gives[[]present.Collection](200))},
			{"GET", "/mirror/:host/v2/collections/:id", Public, PublicRead(h.MirroredRead("collections")), op("Read the newest version of one, by its id there", apidoc.Gives[present.CollectionComplete](200))},
			{"GET", "/mirror/:host/v2/collections/:id/articles", Public, PublicRead(h.MirroredMembers), op("List its articles", asks("Paging"), apidoc.Gives[[]present.Article](200))},
			{"GET", "/mirror/:host/v2/collections/:id/versions", Public, PublicRead(h.MirroredVersions("collections")), op("List its versions", apidoc.Gives[[]present.CollectionVersion](200))},
			{"GET", "/mirror/:host/v2/collections/:id/versions/:version", Public, PublicRead(h.MirroredVersion("collections")), op("Read a version of it", apidoc.Gives[present.CollectionComplete](200))},
			{"GET", "/mirror/:host/v2/file/download/:file_id", Public, Plain(h.MirroredDownload), op("Download a file, by its id there", refuses(403, 416), apidoc.Gives[apidoc.FileBytes](200), apidoc.Gives[apidoc.FileBytes](206), apidoc.Gives[apidoc.Elsewhere](302))},
		}},
		{"Projects", []route{
			{"GET", "/v2/projects", Public, endpoint.PublicList(h.PublicProjectList), op("List public projects, the newest first", asks("ArticleSearch", "search_for", "item_type", "project_id", "resource_doi", "doi", "handle"), walked(), apidoc.Gives[[]present.Project](200))},
			{"POST", "/v2/projects/search", Public, endpoint.PlainBody(h.PublicProjectSearch), op("Search public projects", asks("ArticleSearch", "item_type", "project_id", "resource_doi", "doi", "handle"), walked(), apidoc.Gives[[]present.Project](200))},
			{"GET", "/v2/projects/:id", Public, PublicRead(h.PublicProjectRead), op("Read a public project", apidoc.Gives[present.ProjectComplete](200))},
			{"GET", "/v2/projects/:id/articles", Public, PublicRead(h.PublicProjectArticles), op("List the public articles of a public project", asks("ArticleSearch", "search_for"), walked(), apidoc.Gives[[]present.Article](200))},
			{"GET", "/v2/account/projects", Account, Read(h.ProjectList), op("List the projects of which the caller is a member", asks("ProjectSearch", "search_for"), apidoc.Gives[[]present.ProjectPrivate](200))},
			{"POST", "/v2/account/projects/search", Account, endpoint.PlainBody(h.ProjectSearch), op("Search the projects of which the caller is a member", asks("ProjectSearch"), apidoc.Gives[[]present.ProjectPrivate](200))},
			{"POST", "/v2/account/projects", Account, endpoint.WriteBody(h.ProjectCreate), op("Make a project", needs("title"), apidoc.Gives[present.CreatedProject](201))},
			{"GET", "/v2/account/projects/:id", Account, Read(h.ProjectRead), op("Read a project as its members see it", apidoc.Gives[present.ProjectCompletePrivate](200))},
			{"PUT", "/v2/account/projects/:id", Account, endpoint.WriteBody(h.ProjectUpdate).When(handlers.OwnsProject), op("Change an own project; keys that are not sent stay", apidoc.Gives[apidoc.Nothing](205))},
			{"PATCH", "/v2/account/projects/:id", Account, endpoint.WriteBody(h.ProjectUpdate).When(handlers.OwnsProject), op("Change some keys of an own project", apidoc.Gives[apidoc.Nothing](205))},
			{"POST", "/v2/account/projects/:id/publish", Account, Write(h.ProjectPublish).When(handlers.OwnsProject), op("Make an own project public, with those of its articles that are", apidoc.Gives[present.Message](201))},
			{"POST", "/v2/account/projects/:id/unpublish", Account, endpoint.WriteBody(h.ProjectUnpublish).On(h.ToUnpublishProject), op("Withdraw a public project; its articles stay as they are", needs("reason"), apidoc.Gives[apidoc.Nothing](204))},
			{"DELETE", "/v2/account/projects/:id", Account, Write(h.ProjectDelete).When(handlers.DeletesProject), op("Delete a project that is not public", apidoc.Gives[apidoc.Nothing](204))},
			{"GET", "/v2/account/projects/:id/articles", Account, Read(h.ProjectArticles), op("List the articles of a project", asks("ArticleSearch", "search_for", "institution", "group", "project_id", "resource_doi", "doi", "handle"), apidoc.Gives[[]present.Article](200))},
			{"GET", "/v2/account/projects/:id/articles/:article_id", Account, Read(h.ProjectArticleRead), op("Read an article of a project", apidoc.Gives[present.ArticlePrivate](200))},
			{"POST", "/v2/account/projects/:id/articles", Account, endpoint.WriteBody(h.ProjectArticleCreate).When(handlers.WorksInProject).Uploads(), op("Make an article in a project", needs("title"), apidoc.Gives[present.LocationWarnings](201))},
			{"DELETE", "/v2/account/projects/:id/articles/:article_id", Account, Write(h.ProjectArticleDelete).When(handlers.RemovesProjectArticle), op("Delete a draft in a project", apidoc.Gives[apidoc.Nothing](204))},
			{"GET", "/v2/account/projects/:id/articles/:article_id/files", Account, Read(h.ProjectFiles), op("List the files of an article of a project", asks("fileListQuery"), walked(), apidoc.Gives[[]present.PrivateFile](200))},
			{"GET", "/v2/account/projects/:id/articles/:article_id/files/:file_id", Account, Read(h.ProjectFileRead), op("Read what is known of a file in a project", apidoc.Gives[present.PrivateFile](200))},
			{"GET", "/v2/account/projects/:id/collaborators", Account, Read(h.ProjectMembers), op("List the members of a project, and who was invited", apidoc.Gives[[]present.ProjectCollaborator](200))},
			{"POST", "/v2/account/projects/:id/collaborators", Account, endpoint.WriteBody(h.ProjectInvite).When(handlers.OwnsProject), op("Invite a person by id or e-mail address", needs("role_name"), unlocated(), apidoc.Gives[present.Message](201))},
			{"DELETE", "/v2/account/projects/:id/collaborators/:user_id", Account, Write(h.ProjectMemberDelete).When(handlers.OwnsProject), op("Remove a member, or withdraw an invitation", apidoc.Gives[apidoc.Nothing](204))},
			{"POST", "/v2/account/projects/:id/leave", Account, Write(h.ProjectLeave), op("Leave a project", apidoc.Gives[apidoc.Nothing](204))},
			{"GET", "/v2/account/projects/:id/notes", Account, Read(h.NoteList), op("List the notes in a project", asks("Paging"), apidoc.Gives[[]present.ProjectNote](200))},
			{"GET", "/v2/account/projects/:id/notes/:note_id", Account, Read(h.NoteRead), op("Read a note", apidoc.Gives[present.ProjectNotePrivate](200))},
			{"POST", "/v2/account/projects/:id/notes", Account, endpoint.WriteBody(h.NoteCreate).When(handlers.WorksInProject), op("Write a note, which only members read", needs("text"), apidoc.Gives[present.LocationWarnings](201))},
			{"PUT", "/v2/account/projects/:id/notes/:note_id", Account, endpoint.WriteBody(h.NoteUpdate).When(handlers.ChangesNote), op("Change a note", needs("text"), apidoc.Gives[apidoc.Nothing](205))},
			{"DELETE", "/v2/account/projects/:id/notes/:note_id", Account, Write(h.NoteDelete).When(handlers.ChangesNote), op("Delete a note", apidoc.Gives[apidoc.Nothing](204))},
		}},
		{"Collections", []route{
			{"GET", "/v2/collections", Public, endpoint.PublicList(h.PublicCollectionList), op("List public collections, the newest first", asks("ArticleSearch", "search_for", "item_type", "project_id"), walked(), apidoc.Gives[[]present.Collection](200))},
			{"POST", "/v2/collections/search", Public, endpoint.PlainBody(h.PublicCollectionSearch), op("Search public collections", asks("ArticleSearch", "item_type", "project_id"), walked(), apidoc.Gives[[]present.Collection](200))},
			{"GET", "/v2/collections/:id", Public, PublicRead(h.PublicCollectionRead), op("Read the latest version of a public collection", apidoc.Gives[present.CollectionComplete](200))},
			{"GET", "/v2/collections/:id/articles", Public, PublicRead(h.PublicCollectionArticles), op("List the articles of a public collection", asks("Paging"), apidoc.Gives[[]present.Article](200))},
			{"GET", "/v2/collections/:id/versions", Public, PublicRead(h.PublicCollectionVersions), op("List the versions of a public collection", apidoc.Gives[[]present.CollectionVersion](200))},
			{"GET", "/v2/collections/:id/versions/:version", Public, PublicRead(h.PublicCollectionVersion), op("Read a version of a public collection", apidoc.Gives[present.CollectionComplete](200))},
			{"GET", "/v2/account/collections", Account, Read(h.CollectionList), op("List own collections, the newest first", asks("OwnSearch", "search_for", "item_type", "project_id"), walked(), apidoc.Gives[[]present.Collection](200))},
			{"POST", "/v2/account/collections/search", Account, endpoint.PlainBody(h.Collections.Search), op("Search own collections as they were last saved", asks("OwnSearch", "item_type", "project_id"), walked(), apidoc.Gives[[]present.Collection](200))},
			{"POST", "/v2/account/collections", Account, endpoint.WriteBody(h.CollectionCreate), op("Make a collection", needs("title"), apidoc.Gives[present.Created](201))},
			{"GET", "/v2/account/collections/:id", Account, byCollectionLink(Read(h.CollectionRead)), op("Read an own collection", apidoc.Gives[present.CollectionPrivate](200))},
			{"PUT", "/v2/account/collections/:id", Account, byCollectionLink(endpoint.WriteBody(h.CollectionChange)), op("Change an own collection; keys that are not sent stay", apidoc.Gives[present.LocationWarnings](205))},
			{"PATCH", "/v2/account/collections/:id", Account, byCollectionLink(endpoint.WriteBody(h.CollectionChange)), op("Change some keys of an own collection", apidoc.Gives[present.LocationWarnings](205))},
			{"POST", "/v2/account/collections/:id/unpublish", Account, endpoint.WriteBody(h.CollectionUnpublish).On(h.ToUnpublishCollection), op("Withdraw a public collection", needs("reason"), apidoc.Gives[apidoc.Nothing](204))},
			{"DELETE", "/v2/account/collections/:id", Account, Write(h.CollectionDelete), op("Delete an own collection; what is public of it is withdrawn", apidoc.Gives[apidoc.Nothing](204))},
			{"POST", "/v2/account/collections/:id/reserve_doi", Account, Write(h.Collections.DOIReserve), op("Reserve the DOI that an own collection will have", apidoc.Gives[present.DOI](200))},
			{"POST", "/v2/account/collections/:id/reserve_handle", Account, Write(h.Collections.HandleReserve), op("Reserve the handle that an own collection will have", apidoc.Gives[present.Handle](200))},
			{"POST", "/v2/account/collections/:id/resource", Account, endpoint.WriteBody(h.Collections.ResourceWrite), op("Name the publication that an own collection belongs to", apidoc.Gives[present.LocationWarnings](205))},
			{"POST", "/v2/account/collections/:id/publish", Account, Write(h.CollectionPublish), op("Publish an own collection as its next version", refuses(428), apidoc.Gives[present.Location](201))},
			{"GET", "/v2/account/collections/:id/authors", Account, byCollectionLink(Read(h.Collections.AuthorsRead)), op("List the authors of an own collection, in order", apidoc.Gives[[]present.Author](200))},
			{"POST", "/v2/account/collections/:id/authors", Account, byCollectionLink(endpoint.WriteAfter(h.Collections.StoreAuthors, h.Collections.AuthorsAdd)), op("Add authors behind those that are there", needs("authors"), apidoc.Gives[present.LocationWarnings](201))},
			{"PUT", "/v2/account/collections/:id/authors", Account, byCollectionLink(endpoint.WriteAfter(h.Collections.StoreAuthors, h.Collections.AuthorsReplace)), op("Replace all authors", needs("authors"), apidoc.Gives[apidoc.Nothing](205))},
			{"DELETE", "/v2/account/collections/:id/authors/:author_id", Account, byCollectionLink(Write(h.Collections.AuthorDelete)), op("Take an author away", apidoc.Gives[apidoc.Nothing](204))},
			{"GET", "/v2/account/collections/:id/categories", Account, byCollectionLink(Read(h.Collections.CategoriesRead)), op("List the categories of an own collection", apidoc.Gives[[]present.Category](200))},
			{"POST", "/v2/account/collections/:id/categories", Account, byCollectionLink(endpoint.WriteBody(h.Collections.CategoriesAdd)), op("Add categories", needs("categories"), apidoc.Gives[present.LocationWarnings](201))},
			{"PUT", "/v2/account/collections/:id/categories", Account, byCollectionLink(endpoint.WriteBody(h.Collections.CategoriesReplace)), op("Replace all categories", needs("categories"), apidoc.Gives[apidoc.Nothing](205))},
			{"DELETE", "/v2/account/collections/:id/categories/:category_id", Account, byCollectionLink(Write(h.Collections.CategoryDelete)), op("Take a category away", apidoc.Gives[apidoc.Nothing](204))},
			{"GET", "/v2/account/collections/:id/articles", Account, byCollectionLink(Read(h.CollectionArticles)), op("List the articles of an own collection", asks("Paging"), apidoc.Gives[[]present.Article](200))},
			{"POST", "/v2/account/collections/:id/articles", Account, byCollectionLink(endpoint.WriteBody(h.CollectionArticlesAdd)), op("Add articles behind those that are there", needs("articles"), apidoc.Gives[present.LocationWarnings](201))},
			{"PUT", "/v2/account/collections/:id/articles", Account, byCollectionLink(endpoint.WriteBody(h.CollectionArticlesReplace)), op("Replace all articles", needs("articles"), apidoc.Gives[apidoc.Nothing](205))},
			{"DELETE", "/v2/account/collections/:id/articles/:article_id", Account, byCollectionLink(Write(h.CollectionArticleDelete)), op("Take an article out of an own collection", apidoc.Gives[apidoc.Nothing](204))},
			{"GET", "/v2/account/collections/:id/private_links", Account, Read(h.Collections.LinksRead), op("List the private links to an own collection", apidoc.Gives[[]present.CollectionLink](200))},
			{"POST", "/v2/account/collections/:id/private_links", Account, endpoint.WriteOptional(h.Collections.LinkAdd), op("Make a private link to an own collection", apidoc.Gives[present.NewLink](201))},
			{"GET", "/v2/account/collections/:id/private_links/:link_id", Account, Read(h.Collections.LinkRead), op("Read a private link to an own collection", apidoc.Gives[present.CollectionLink](200))},
			{"PUT", "/v2/account/collections/:id/private_links/:link_id", Account, endpoint.WriteOptional(h.Collections.LinkChange), op("Change what a private link lets its holder do, or when it expires", apidoc.Gives[apidoc.Nothing](205))},
			{"DELETE", "/v2/account/collections/:id/private_links/:link_id", Account, Write(h.Collections.LinkDelete), op("Disable a private link for good", apidoc.Gives[apidoc.Nothing](204))},
		}},
		{"Institution", []route{
			{"GET", "/v2/account/institution", Account, Read(h.InstitutionRead), op("Read the institution of the caller", apidoc.Gives[present.Institution](200))},
			{"GET", "/v2/account/institution/articles", Account, Read(h.InstitutionArticles), op("List the articles of the institution, for those who administer it", asks("institutionQuery", "search_for", "institution", "project_id", "doi", "handle"), apidoc.Gives[[]present.Article](200))},
			{"GET", "/v2/account/institution/groups", Account, Read(h.InstitutionGroups), op("List the groups of the institution", apidoc.Gives[[]present.Group](200))},
			{"GET", "/v2/account/institution/accounts", Account, Read(h.AccountList), op("List the accounts that the caller administers", asks("AccountSearch"), apidoc.Gives[[]present.ShortAccount](200))},
			{"POST", "/v2/account/institution/accounts", Account, endpoint.WriteBody(h.AccountCreate), op("Make an account", needs("email", "last_name"), refuses(409), apidoc.Gives[present.CreatedAccount](201))},
			{"POST", "/v2/account/institution/accounts/search", Account, endpoint.PlainBody(h.AccountSearch), op("Search the accounts that the caller administers", asks("AccountSearch"), apidoc.Gives[[]present.ShortAccount](200))},
			{"GET", "/v2/account/institution/accounts/:account_id", Account, Read(h.InstitutionAccountRead), op("Read an account that the caller administers", apidoc.Gives[present.Account](200))},
			{"PUT", "/v2/account/institution/accounts/:account_id", Account, endpoint.WriteBody(h.AccountChange).When(people.ChangesAccount), op("Disable an account, or move it to another group", apidoc.Gives[present.LocationWarnings](205))},
			{"GET", "/v2/account/institution/users/:account_id", Account, Read(h.UserRead), op("Read the person of an account", apidoc.Gives[present.User](200))},
			{"GET", "/v2/account/institution/roles", Account, Read(h.RoleList), op("List the roles that can be granted", apidoc.Gives[[]present.Role](200))},
			{"GET", "/v2/account/institution/roles/:account_id", Account, Read(h.RolesRead), op("Read the roles of an account, by group", apidoc.Gives[map[string][]present.GroupRole](200))},
			{"POST", "/v2/account/institution/roles/:account_id", Account, endpoint.WriteBody(h.RolesAdd), op("Grant an account roles in groups", apidoc.Gives[present.LocationWarnings](201))},
			{"DELETE", "/v2/account/institution/roles/:account_id/:group_id/:role_id", Account, Write(h.RoleDelete), op("Take a role away from an account", apidoc.Gives[apidoc.Nothing](204))},
			{"GET", "/v2/account/institution/custom_fields", Account, Read(h.FieldList), op("List the custom fields that are defined for a group", asks("fieldQuery"), apidoc.Gives[[]present.ShortCustomField](200))},
			{"POST", "/v2/account/institution/custom_fields/:custom_field_id/items/upload", Account, endpoint.WithFile("external_file", h.FieldItemsUpload), op("Replace the options of a dropdown_large_list by the first column of a CSV file, at most once an hour", refuses(409), apidoc.Gives[present.Outcome](200))},
			{"GET", "/v2/institutions/:institution_string_id/articles/filter-by", Public, PublicRead(h.PublicResourceFiles), op("List the public articles that belong to a resource and have a file of a name; both are needed", asks("resourceQuery"), apidoc.Gives[[]present.Article](200))},
			{"GET", "/v2/account/groups/:group_id/metadata/item", Account, Read(h.GroupFieldList), op("List the custom fields of the items of a group, as items have them", apidoc.Gives[[]present.CustomField](200))},
			{"POST", "/v2/institution/hrfeed/upload", Account, endpoint.WithFile("hrfeed", h.FeedUpload), op("Make accounts as a feed of people says, XML or CSV; one that changes more than a tenth of all accounts is confirmed after a dry run", asks("feedQuery"), refuses(409), apidoc.Gives[present.Feed](200))},
			{"GET", "/v2/account/institution/embargo_options", Account, Read(h.EmbargoOptionList), op("List whom an embargo on files can let in", apidoc.Gives[[]present.GroupEmbargoOption](200))},
			{"GET", "/v2/account/institution/groups/:group_id/embargo_options", Account, Read(h.GroupEmbargoOptionList), op("List whom an embargo on files of a group can let in", apidoc.Gives[[]present.GroupEmbargoOption](200))},
			{"GET", "/v2/account/institution/reviews", Account, Read(h.ReviewList), op("List the reviews that the caller may read, the newest first", asks("reviewQuery"), apidoc.Gives[[]present.Curation](200))},
			{"GET", "/v2/account/institution/review/:review_id", Account, Read(h.ReviewRead), op("Read a review with what was handed in", apidoc.Gives[present.CurationDetail](200))},
			{"GET", "/v2/account/institution/review/:review_id/comments", Account, Read(h.CommentList), op("List the comments of a review", asks("Paging"), apidoc.Gives[[]present.CurationComment](200))},
			{"POST", "/v2/account/institution/review/:review_id/comments", Account, endpoint.WriteBody(h.CommentAdd).Ahead(handlers.FilesToApprove), op("Comment on a review, or decide it", needs("text"), apidoc.Gives[present.CurationComment](200))},
		}},
		{"Vocabulary and people", []route{
			{"GET", "/v2/licenses", Public, Plain(h.Licenses), op("List the licences that anybody may use", apidoc.Gives[[]present.License](200))},
			{"GET", "/v2/account/licenses", Account, Read(h.LicensesOwn), op("List the licences that the caller may use", apidoc.Gives[[]present.License](200))},
			{"GET", "/v2/categories", Public, Plain(h.CategoriesAll), op("List all categories", apidoc.Gives[[]present.ListedCategory](200))},
			{"GET", "/v2/account/categories", Account, Read(h.CategoriesOwn), op("List the categories that the caller may use", apidoc.Gives[[]present.ListedCategory](200))},
			{"GET", "/v2/item_types", Public, Plain(h.ItemTypes), op("List the types of items", asks("fieldQuery"), apidoc.Gives[[]present.ItemType](200))},
			{"PUT", "/v2/account/profile", Account, endpoint.WriteBody(h.ProfileUpdate), op("Change the caller's own profile, or that of an account that the caller administers", asks("ProfileQuery"), apidoc.Gives[present.Outcome](200))},
			{"POST", "/v2/account/profile/:user_id/picture", Account, endpoint.WithFile("profile_picture", h.PictureUpload), op("Give the caller's own profile a picture, of which a small copy is kept", apidoc.Gives[present.Outcome](200))},
			{"GET", "/v2/profiles/:user_id/picture", Either, Plain(h.PictureRead), op("Read the picture of a person who is named in something public, or the caller's own", apidoc.Gives[apidoc.PngImage](200))},
			{"GET", "/v2/account", Account, Read(h.AccountRead), op("Read the caller's own account", apidoc.Gives[present.Account](200))},
			{"POST", "/v2/account/authors/search", Account, endpoint.PlainBody(h.PersonSearch), op("Search people who can be named as authors", asks("Paging"), apidoc.Gives[[]present.AuthorComplete](200))},
			{"GET", "/v2/account/authors/:author_id", Account, Read(h.PersonRead), op("Read a person who can be named as an author", apidoc.Gives[present.AuthorComplete](200))},
			{"POST", "/v2/account/funding/search", Account, endpoint.PlainBody(h.FundingSearch), op("Search what the caller has written about funding", apidoc.Gives[[]present.Funding](200))},
		}},
		{"OAuth 2.0", []route{
			{"GET", "/.well-known/oauth-authorization-server", Public, Plain(h.OAuthServer), op("Read where applications ask for what (RFC 8414)", apidoc.Gives[present.OAuthServer](200))},
			{"POST", "/v2/token", Public, endpoint.FormOrJSON(h.TokenGive), op("Get tokens for a code, a refresh token or the secret of an application; refusals have error and error_description (RFC 6749)", needs("grant_type"), apidoc.Gives[present.OAuthToken](200), apidoc.Gives[present.OAuthRefusal](400))},
			{"GET", "/v2/token", Account, Plain(h.TokenRead), op("Read what the token that is sent is good for", apidoc.Gives[present.OAuthToken](200))},
			{"POST", "/v2/token/revoke", Public, endpoint.FormOrJSON(h.TokenRevoke), op("End a token of an application, known or not (RFC 7009)", needs("token"), apidoc.Gives[map[string]any](200), apidoc.Gives[present.OAuthRefusal](400))},
		}},
		{"Statistics", []route{
			{"GET", "/stats/total/:first/:second", Public, PublicRead(h.StatsTotals), op("Read all counters of a public item, an author or a group: /stats/total/{item}/{id}", apidoc.Gives[present.CounterTotals](200))},
			{"GET", "/stats/total/:first/:second/:third", Public, PublicRead(h.StatsTotal), op("Read one of them: /stats/total/{counter}/{item}/{id}", apidoc.Gives[present.CounterTotal](200))},
			{"GET", "/stats/timeline/:first/:second/:third/:fourth", Public, PublicRead(h.StatsTimeline), op("Read when it was used: /stats/timeline/{granularity}/{counter}/{item}/{id}", asks("StatsQuery"), apidoc.Gives[present.UsageTimeline](200))},
			{"GET", "/stats/breakdown/:first/:second/:third/:fourth", Public, PublicRead(h.StatsBreakdown), op("Read from where it was used: /stats/breakdown/{granularity}/{counter}/{item}/{id}", asks("StatsQuery"), apidoc.Gives[present.UsageBreakdown](200))},
			{"GET", "/stats/top/:first/:second", Public, PublicRead(h.StatsTop), op("Read what was used most: /stats/top/{counter}/{item}", asks("TopQuery"), apidoc.Gives[present.UsageTop](200))},
			{"POST", "/stats/count/articles", Public, endpoint.PlainRequired(h.StatsArticles), op("Read how many public articles groups have, under their ids", needs("groups"), apidoc.Gives[map[string]int64](200))},
		}},
		{"Server", []route{
			{"GET", "/v2/openapi.json", Public, Plain(h.OpenAPI), op("Read this description as an OpenAPI 3.1 document", apidoc.Gives[map[string]any](200))},
			{"GET", "/v2/docs", Public, Plain(h.DocsPage), op("Read this description as a page", apidoc.Gives[apidoc.HtmlPage](200))},
			{"GET", "/healthz", Public, Plain(h.Health).AnyHost(), op("Ask whether the server answers", apidoc.Gives[present.State](200))},
			{"GET", "/readyz", Public, Plain(h.Ready).AnyHost(), op("Ask whether the server can work", apidoc.Gives[present.State](200))},
		}},
	}
}

// newRouter serves the route table, and lets the API describe itself by it. Refusals
// to browsers are pages.
func newRouter(h *handlers.API) http.Handler {
	table := routes(h)
	h.Describe(forHandlers(table))
	pages := site.New(h)
	h.ErrorPage, h.Jobs.Letter = pages.Error, account.New(h, pages).Letter
	return newMux(h, table)
}

func forHandlers(table []route) []endpoint.Route {
	var out []endpoint.Route
	for _, r := range table {
		out = append(out, endpoint.Route(r))
	}
	return out
}

// mux finds the route of a request. httprouter 1.3 cannot hold a fixed path beside a
// parameter, so paths without parameters are looked up in a map first; httprouter only
// matches the others, with its redirects and automatic answers off.
type mux struct {
	api   *handlers.API
	fixed map[string]map[string]*endpoint.Route // path → method → route
	tree  *httprouter.Router
	state map[*endpoint.Route]*endpoint.Route
}

// found carries a match out of httprouter's Lookup, which only hands back a handler.
type found struct {
	http.ResponseWriter
	route *endpoint.Route
}

func newMux(h *handlers.API, table []route) *mux {
	m := &mux{api: h, fixed: map[string]map[string]*endpoint.Route{}, tree: httprouter.New(),
		state: map[*endpoint.Route]*endpoint.Route{}}
	m.tree.RedirectTrailingSlash, m.tree.RedirectFixedPath = false, false
	m.tree.HandleMethodNotAllowed, m.tree.HandleOPTIONS = false, false
	for i := range table {
		r := (*endpoint.Route)(&table[i])
		if !strings.ContainsAny(r.Path, ":*") {
			if m.fixed[r.Path] == nil {
				m.fixed[r.Path] = map[string]*endpoint.Route{}
			}
			m.fixed[r.Path][r.Method] = r
		} else {
			m.tree.Handle(r.Method, r.Path, func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
				w.(*found).route = r
			})
		}
		m.state[r] = readAbove(table, r)
	}
	return m
}

// readAbove is the endpoint that tells the state a write acts on: a GET of the same
// address, or of the nearest address above it.
func readAbove(table []route, r *endpoint.Route) *endpoint.Route {
	for path := r.Path; path != ""; path = path[:strings.LastIndexByte(path, '/')] {
		for i := range table {
			if table[i].Method == http.MethodGet && table[i].Path == path && table[i].Endpoint.Reads() {
				return (*endpoint.Route)(&table[i])
			}
		}
	}
	return nil
}

// lookup finds the route of a method and a tidy path. A fixed path is never taken for
// one with a parameter: no article has the id "search".
func (m *mux) lookup(method, path string) (*endpoint.Route, []endpoint.Param) {
	if byMethod, ok := m.fixed[path]; ok {
		return byMethod[method], nil
	}
	handle, params, _ := m.tree.Lookup(method, path)
	if handle == nil {
		return nil, nil
	}
	values := make([]endpoint.Param, 0, len(params))
	for _, p := range params {
		if p.Value == "" {
			return nil, nil
		}
		values = append(values, endpoint.Param{Name: p.Key, Value: p.Value})
	}
	f := &found{}
	handle(f, nil, nil)
	return f.route, values
}

var methods = []string{"DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"}

// find matches a request. Double slashes count as one and a trailing slash for nothing; nothing
// is ever redirected, because a redirect would repeat credentials. A slash that is written %2F
// does not separate anything, and no address holds one but that of a DOI.
func (m *mux) find(r *http.Request) endpoint.Match {
	if strings.Contains(strings.ToLower(r.URL.RawPath), "%2f") && !strings.HasPrefix(r.URL.Path, "/doi/") {
		return endpoint.Match{}
	}
	path := tidy(r.URL.Path)
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if route, params := m.lookup(method, path); route != nil {
		return endpoint.Match{Route: route, State: m.state[route], Params: params}
	}
	var allow []string
	for _, other := range methods {
		if other == http.MethodHead {
			if slices.Contains(allow, http.MethodGet) {
				allow = append(allow, other)
			}
		} else if route, _ := m.lookup(other, path); route != nil {
			allow = append(allow, other)
		}
	}
	if allow != nil {
		allow = append(allow, http.MethodOptions)
	}
	return endpoint.Match{Allow: allow}
}

func tidy(path string) string {
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	return path
}

func (m *mux) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.api.Serve(w, r, m.find) }
