package record

// ErrorClass says what sort of refusal an error is; the adapter turns it into a status.
type ErrorClass int

// The refusals of the API.
const (
	Unreadable     ErrorClass = iota + 1 // 400: the request cannot be understood or breaks a rule stated as 400
	Unauthorized                         // 401
	Forbidden                            // 403
	NotFound                             // 404
	NotAllowed                           // 405
	NotAcceptable                        // 406
	Conflict                             // 409
	Stale                                // 412: a condition of the request does not hold
	TooLarge                             // 413
	RangeUnmet                           // 416
	Invalid                              // 422: understood, but a value or rule is not met
	MissingStep                          // 428: something must be done first
	TooMany                              // 429
	Misdirected                          // 421: the request is for another host
	HeaderTooLarge                       // 431
	NoSpace                              // 507
	Unavailable                          // 503
)

// Error is an answer to a caller, with nothing that it may not know.
type Error struct {
	Class   ErrorClass
	Code    string
	Message string
	Data    map[string]any
}

func (e *Error) Error() string { return e.Message }

// With is the error with one more fact in its data.
func (e *Error) With(key string, value any) *Error {
	c := *e
	c.Data = map[string]any{}
	for k, v := range e.Data {
		c.Data[k] = v
	}
	c.Data[key] = value
	return &c
}

// The promised messages, word for word: clients compare them.
var (
	ErrTokenMissing = &Error{Class: Unauthorized, Code: "OAuthMissingToken", Message: "Missing OAuth token"}
	ErrTokenInvalid = &Error{Class: Unauthorized, Code: "OAuthInvalidToken", Message: "Missing, invalid or unknown authorization"}

	ErrArticleUnknown  = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Article with specified ID does not exist"}
	ErrArticleNotOwn   = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Article not found"}
	ErrEntityArticle   = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Entity not found: article"}
	ErrEntityVersion   = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Entity not found: ArticleVersion"}
	ErrNoVersion       = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Version does not exist"}
	ErrFileNotFound    = &Error{Class: NotFound, Code: "EntityNotFound", Message: "File not found"}
	ErrAuthorUnknown   = &Error{Class: Unreadable, Code: "AuthorNotFound", Message: "Author with ID not found"}
	ErrAuthorAbsent    = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Author with ID not found"}
	ErrCategoryUnknown = &Error{Class: Unreadable, Code: "CategoryNotFound", Message: "Category with ID not found"}
	ErrCategoryAbsent  = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Category with ID not found"}

	ErrCollectionNotFound     = &Error{Class: NotFound, Code: "EntityNotFoundException", Message: "Collection not found"}
	ErrCollectionAuthor       = &Error{Class: Invalid, Code: "EntityNotFoundException", Message: "Author not found"}
	ErrCollectionCategory     = &Error{Class: Invalid, Code: "EntityNotFoundException", Message: "Category not found"}
	ErrCollectionCategoryGone = &Error{Class: NotFound, Code: "EntityNotFoundException", Message: "Category not found"}
	ErrCollectionArticle      = &Error{Class: Invalid, Code: "EntityNotFoundException", Message: "Article not found"}
	ErrCollectionArticleGone  = &Error{Class: NotFound, Code: "EntityNotFoundException", Message: "Article not found"}
	ErrCollectionAuthorless   = &Error{Class: MissingStep, Code: "MissingMandatoryFieldException", Message: "Collection has no associated authors"}
	ErrCollectionTitleless    = &Error{Class: MissingStep, Code: "MissingMandatoryFieldException", Message: "Collection has no title"}
	ErrCollectionVersion      = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Entity not found: CollectionVersion"}

	ErrProjectNotFound = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Project not found"}
	ErrNoteNotFound    = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Note not found"}
	ErrMemberNotFound  = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Collaborator not found"}
	ErrProjectRole     = &Error{Class: Forbidden, Code: "ProjectRole", Message: "Your role in this project does not allow this"}
	ErrProjectOwner    = &Error{Class: Forbidden, Code: "ProjectOwner", Message: "The owner of a project cannot leave it or be removed"}
	ErrProjectPublic   = &Error{Class: Forbidden, Code: "ProjectIsPublic", Message: "A project that is public or has public articles cannot be deleted"}
	ErrProjectGroup    = &Error{Class: Forbidden, Code: "GroupNotAllowed", Message: "You cannot make projects in this group"}
	ErrItemGroup       = &Error{Class: Forbidden, Code: "GroupNotAllowed", Message: "You cannot put items into this group"}
	ErrMetadataRecord  = &Error{Class: Invalid, Code: "MetadataRecord", Message: "A metadata record has no files; set is_metadata_record to false first"}
	ErrProjectFull     = &Error{Class: Invalid, Code: "TooManyMembers", Message: "The project has as many members and invitations as this server allows"}

	ErrLinkAbsent           = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Private Link with ID not found"}
	ErrCollectionLinkAbsent = &Error{Class: NotFound, Code: "EntityNotFoundException", Message: "Private link not found"}
	ErrAnonymousPublic      = &Error{Class: Invalid, Code: "AnonymousLinkRefused", Message: "An item that was public cannot have an anonymous link: its authors are known"}
	ErrTooManyLinks         = &Error{Class: Invalid, Code: "TooManyLinks", Message: "The item has as many private links as this server keeps; disable one first"}

	ErrMissingAuthors  = &Error{Class: Unreadable, Code: "MissingMandatoryField", Message: "Missing mandatory field for publication - authors"}
	ErrMissingTitle    = &Error{Class: Unreadable, Code: "MissingMandatoryField", Message: "Missing mandatory field for publication - title"}
	ErrEmbargoDate     = &Error{Class: Unreadable, Code: "InvalidDate", Message: "Invalid expires date"}
	ErrWhollyEmbargoed = &Error{Class: Forbidden, Code: "ArticleEmbargoed", Message: "The whole article is under embargo; lift it first"}

	ErrDeletePublic = &Error{Class: Forbidden, Code: "ArticleIsPublic", Message: "An article with public versions cannot be deleted; unpublish it first"}

	ErrNotPublic           = &Error{Class: Unreadable, Code: "ArticleNotPublic", Message: "The article has no public version"}
	ErrCollectionNotPublic = &Error{Class: Unreadable, Code: "CollectionNotPublic", Message: "The collection has no public version"}
	ErrProjectNotPublic    = &Error{Class: Unreadable, Code: "ProjectNotPublic", Message: "The project is not public"}
	ErrNoFiles             = &Error{Class: NotFound, Code: "EntityNotFound", Message: "There are no files to download"}
	ErrDownloadDisabled    = &Error{Class: Forbidden, Code: "DownloadDisabled", Message: "Downloads of this item are switched off"}
	ErrBadFormat           = &Error{Class: Invalid, Code: "InvalidFormat", Message: "format must be zip or bagit"}
	ErrBagOfFolder         = &Error{Class: Invalid, Code: "InvalidFormat", Message: "A bag has all files of a version: folder_path does not go with format=bagit"}
	ErrBagOfDraft          = &Error{Class: Invalid, Code: "InvalidFormat", Message: "Only public versions come as a bag"}

	ErrNotAdministrator   = &Error{Class: Forbidden, Code: "NotAdministrator", Message: "Only administrators may do this"}
	ErrGroupNotAllowed    = &Error{Class: Forbidden, Code: "GroupNotAllowed", Message: "This account does not administer that group"}
	ErrGroupNotFound      = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Group not found"}
	ErrGroupForeign       = &Error{Class: Forbidden, Code: "GroupNotAllowed", Message: "This account has nothing to do with that group"}
	ErrOutranked          = &Error{Class: Forbidden, Code: "AccountOutOfReach", Message: "That account administers more than yours"}
	ErrOwnAccount         = &Error{Class: Forbidden, Code: "OwnAccount", Message: "Nobody can disable the account in use"}
	ErrImpersonate        = &Error{Class: Forbidden, Code: "ImpersonationNotAllowed", Message: "Only administrators of the institution may act as another account"}
	ErrFieldNotFound      = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Custom field not found"}
	ErrFieldNoLargeList   = &Error{Class: Unreadable, Code: "FieldNoLargeList", Message: "Only a field of type dropdown_large_list takes its items from a file"}
	ErrFieldItemsSoon     = &Error{Class: Conflict, Code: "TooSoon", Message: "The items of a field can be replaced once an hour"}
	ErrFeedUnconfirmed    = &Error{Class: Conflict, Code: "FeedUnconfirmed", Message: "The feed changes more than a tenth of all accounts; send it with dry_run=true, and then with the confirm of the answer"}
	ErrFeedOther          = &Error{Class: Conflict, Code: "FeedUnconfirmed", Message: "The feed would not do what was confirmed; send it with dry_run=true again"}
	ErrLastAdministrator  = &Error{Class: Forbidden, Code: "LastAdministrator", Message: "The feed would disable the last administrator"}
	ErrInstitutionUnknown = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Institution not found"}
	ErrAccountNotFound    = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Account not found"}
	ErrNoInstitution      = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Institution not found"}
	ErrRoleNotFound       = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Role not found"}
	ErrReportSoon         = &Error{Class: TooMany, Code: "TooSoon", Message: "A report can be made once a day; wait as long as Retry-After says"}
	ErrReportNotFound     = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Report not found"}
	ErrProfileForeign     = &Error{Class: Forbidden, Code: "ProfileForeign", Message: "Only the person itself can change the picture of a profile"}
	ErrProfileNotFound    = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Profile not found"}
	ErrPictureNotFound    = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Picture not found"}
	ErrPictureUnreadable  = &Error{Class: Unreadable, Code: "FileUnreadable", Message: "The file is not a picture that can be read: PNG, JPEG, GIF, WebP or TIFF"}
	ErrPictureTooLarge    = &Error{Class: Unreadable, Code: "PictureTooLarge", Message: "The picture has too many pixels"}
	ErrPersonNotFound     = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Author not found"}

	ErrMaxPage       = &Error{Class: Unreadable, Code: "MaxPageReached", Message: "Max page reached. Please narrow down your search"}
	ErrBadOrder      = &Error{Class: Unreadable, Code: "InvalidOrder", Message: "Invalid value received for order"}
	ErrPaginationMix = &Error{Class: Invalid, Code: "InvalidPagination", Message: "Use either page and page_size or limit and offset"}
	ErrCursorMix     = &Error{Class: Invalid, Code: "InvalidPagination", Message: "Use X-Cursor with page_size or limit, without page and offset"}

	ErrOtherOrigin     = &Error{Class: Forbidden, Code: "OtherOrigin", Message: "Only a page of this server may ask for this"}
	ErrNotFound        = &Error{Class: NotFound, Code: "NotFound", Message: "There is nothing at this address"}
	ErrNotAcceptable   = &Error{Class: NotAcceptable, Code: "NotAcceptable", Message: "The item is not to be had in a form that the Accept header takes"}
	ErrNotAllowed      = &Error{Class: NotAllowed, Code: "MethodNotAllowed", Message: "This address does not answer to this method"}
	ErrBadID           = &Error{Class: Unreadable, Code: "InvalidID", Message: "An id in the address is not a positive integer"}
	ErrStale           = &Error{Class: Stale, Code: "PreconditionFailed", Message: "The item is not in the state that the request expects"}
	ErrBodyTooLarge    = &Error{Class: TooLarge, Code: "BodyTooLarge", Message: "The request body is larger than this server accepts"}
	ErrNoSpace         = &Error{Class: NoSpace, Code: "NoSpace", Message: "The server has no space left for this"}
	ErrDiskTooSmall    = &Error{Class: NoSpace, Code: "NoSpace", Message: "The disk of the server has no room for a file of this size; ask who runs it, or try again later"}
	ErrTooFast         = &Error{Class: TooMany, Code: "TooManyRequests", Message: "Requests come too fast; wait as long as Retry-After says"}
	ErrSignInNeeded    = &Error{Class: Unauthorized, Code: "SignInNeeded", Message: "Only a person who is signed in may ask for this"}
	ErrFormUnreadable  = &Error{Class: Unreadable, Code: "FormUnreadable", Message: "The body must be the fields of a form (application/x-www-form-urlencoded)"}
	ErrPartsUnreadable = &Error{Class: Unreadable, Code: "FormUnreadable", Message: "The body must be the fields of a form (multipart/form-data)"}
	ErrTooManySecrets  = &Error{Class: TooMany, Code: "TooManySecrets", Message: "Too many wrong secrets of applications; wait as long as Retry-After says"}
	ErrScope           = &Error{Class: Forbidden, Code: "InsufficientScope", Message: "The token was granted for less than this"}
	ErrTooManyWrong    = &Error{Class: TooMany, Code: "TooManyPasswords", Message: "Too many wrong passwords; wait as long as Retry-After says"}
	ErrTooManyTokens   = &Error{Class: TooMany, Code: "TooManyTokens", Message: "Too many unknown tokens from this address; wait as long as Retry-After says"}
	ErrMisdirected     = &Error{Class: Misdirected, Code: "MisdirectedRequest", Message: "This server does not answer for this host; set base_url, or add the host to allowed_hosts"}
	ErrTooManyHeaders  = &Error{Class: HeaderTooLarge, Code: "TooManyHeaders", Message: "The request has too many header lines"}
	ErrDiskFull        = &Error{Class: NoSpace, Code: "NoSpace", Message: "The disk of the server is full: what is there can be read and deleted, and nothing can be stored; try again later"}
	ErrReadOnly        = &Error{Class: Unavailable, Code: "ReadOnly", Message: "The server can only be read at the moment; try again later"}
	ErrBusy            = &Error{Class: Unavailable, Code: "Busy", Message: "Too much is waiting to be stored; try again later"}
	ErrUnavailable     = &Error{Class: Unavailable, Code: "Unavailable", Message: "The server cannot do this at the moment; try again later"}

	ErrFileInUse       = &Error{Class: Conflict, Code: "FileInUse", Message: "The file is being written or checked; try again later"}
	ErrPartLocked      = &Error{Class: Conflict, Code: "PartLocked", Message: "This part is being written by another request"}
	ErrUploadClosed    = &Error{Class: Conflict, Code: "UploadClosed", Message: "This upload takes no more changes"}
	ErrUploadUnknown   = &Error{Class: NotFound, Code: "EntityNotFound", Message: "Upload or part not found"}
	ErrPartShort       = &Error{Class: Unreadable, Code: "PartTooShort", Message: "The body is shorter than this part"}
	ErrPartLong        = &Error{Class: Unreadable, Code: "PartTooLong", Message: "The body is longer than this part"}
	ErrPartInterrupted = &Error{Class: Unreadable, Code: "PartInterrupted", Message: "The body ended before the part was complete"}
	ErrFileFailed      = &Error{Class: Unreadable, Code: "FileFailed", Message: "The file failed its integrity check; delete it and upload it again"}
	ErrPartsMissing    = &Error{Class: Unreadable, Code: "UploadIncomplete", Message: "The upload is not complete: parts are missing"}
	ErrTooManyToOrder  = &Error{Class: Invalid, Code: "TooManyFiles", Message: "The order of so many files is not kept"}
	ErrTooManyFiles    = &Error{Class: Invalid, Code: "TooManyFiles", Message: "The article has as many files as this server allows"}
	ErrFileTooLarge    = &Error{Class: Invalid, Code: "FileTooLarge", Message: "The file is larger than this server accepts"}
	ErrQuota           = &Error{Class: Invalid, Code: "QuotaExceeded", Message: "The file does not fit into the quota of the account"}
	ErrMetadataQuota   = &Error{Class: Invalid, Code: "QuotaExceeded", Message: "The metadata does not fit into the quota of the account"}
)

// Bad is a request that cannot be understood (400).
func Bad(code, message string) *Error { return &Error{Class: Unreadable, Code: code, Message: message} }

// Wrong is a value that is understood and refused (422); field names it.
func Wrong(field, message string) *Error {
	return (&Error{Class: Invalid, Code: "InvalidValue", Message: field + " " + message}).With("field", field)
}

// Refused is something that this caller may not do (403).
func Refused(code, message string) *Error {
	return &Error{Class: Forbidden, Code: code, Message: message}
}

// UnfinishedFile is the refusal to publish while a file is not whole.
func UnfinishedFile(f *File) *Error {
	why := "has not been uploaded completely"
	switch f.Status {
	case FileFailed:
		why = "failed its integrity check"
	case FileChecking, FileMoving:
		why = "is still being checked; try again later"
	}
	return (&Error{
		Class: Unreadable, Code: "FileNotReady",
		Message: "File " + shorten(f.Name, 200) + " " + why,
	}).With("file_id", f.ID)
}

// shorten cuts text for a message at a number of characters.
func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n]) + "…"
}
