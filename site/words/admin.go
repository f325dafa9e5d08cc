package words

// Admin are the texts of the administration.
type Admin struct {
	Title, Health, People, Groups, Storage, Settings, Audit, Export string
	Done                                                            map[string]string // by what was done

	// Accounts
	Name, Mail, NameOrMail, Group, State, Kept, KeptOf, Number, InstitutionID, Since, Ends string
	States                                                                                 map[string]string
	AnyState, AnyGroup, NoGroup, NoPeople                                                  string
	SignIn, HasPassword, HasCodes, HasPasskeys, HasTokens, HasApps, LastSeen, NotLately    string
	RoomAndGroup, Quota, QuotaHelp, QuotaBad, Store, Move, GroupHelp                       string
	Roles, RolesText, Role, NoRoles, Grant, Take                                           string
	RoleNames                                                                              map[int64]string
	Access, Reset, ResetMailed, ResetPrinted, ResetCodes, AddressMade, AddressOnce         string
	EndSessions, EndSessionsText, MakeAdmin, UnmakeAdmin, AdminText                        string
	Enable, Disable, DisableText, OwnAccount, Outranked                                    string

	// Handing over
	HandOver, HandOverText, HandOverLink, HandOverTo, NoHeir, HandOverWho, HandOverDry string
	HandOverButton, Merge, MergeText, MergedInto                                       string

	// Invitations
	Invite, InviteOne, InviteMany, InviteMailed, InvitePrinted, NameHelp string
	LinesFile, LinesFileHelp, LookFile                                   string
	Lines, LinesHelp, LinesBad, LinesMany, Look, WouldDo, WouldInvite    string
	WouldInviteOne, InvitedOne                                           string
	InviteThem, Invited, What                                            string
	Guests                                                               map[string]string // what becomes of a line

	// Groups and custom fields
	NoGroups, NewGroup, AddGroup, GroupName, GroupNameBad, Below, BelowHelp, AtTop, BelowItself string
	Reviewed, AsksReview, Criteria, CriteriaHelp, NameAndPlace, PeopleOfGroup                   string
	Remove, RemoveGroup, RemoveGroupText, GroupFull                                             string
	CustomFields, FieldsText, NoFields, NewField, AddField, Change, FieldType, Required, Order  string
	RequiredText, OrderHelp, Options, OptionsHelp, Multiple, MinLength, MaxLength, FieldHelp    string
	Identifying, RemoveField, RemoveFieldText, FieldNamed, FieldBad                             string
	FieldTypes                                                                                  map[string]string

	// Settings
	Banner, BannerText, BannerEnglish, BannerGerman, BannerUntil, BannerUntilHelp, BannerLong, DateBad string
	Licences, LicencesText, LicencesOffered, AlwaysOffered, Types, TypesText, TypesOffered             string
	Ranges, RangesText, NoRanges, Networks, NetworksHelp, AddRange, RangeBad                           string

	// Health; gaps are numbered
	Thing, Todo, Good, Bad, Unused                                                   string
	DiskUnknown, BackupNever, BackupPartly, BackupFailed, BackupSet                  string
	DrillNever, DrillNothing, DrillFirst, DrillFailed, NoDrills, DrillSet, DrillWait string
	CheckNever, NoChecks, IndexFails, CertificateElsewhere, CertificateThere         string
	CertificateNone, CertificateEnded                                                string
	MailsOff, MailsSet, MailsOld, MailsDropped, MailsUnsaid                          string
	Disk, DiskFree, DiskTodo, StoreName, StoreWrites, StoreStopped, StoreTodo        string
	Backup, LastBackup, NoBackups, BackupTodo, Drill, LastDrill, DrillTodo           string
	Check, LastCheck, CheckFound, CheckRuns, CheckTodo                               string
	Index, IndexLag, IndexBuilding, IndexTodo                                        string
	Certificate, CertificateEnds, CertificateTodo, MailQueue, MailsWait, MailTodo    string
	OpenUploads, VersionName, Mirrors, MirrorsNumbers, MirrorsTodo                   string
	OCFL, OCFLHalted, OCFLTodo                                                       string
	ByGroup, ByGroupText, ByPerson, KeptPublic, PeopleWho, NothingKept, KeptTogether string

	// DOIs; gaps are numbered
	DOIs, DOIsLost, DOIsSet, DOIsTests, DOIsNumbers, DOIsTodo  string
	Registrar, NoRegistrar, DOIsSent, DOIsHalted, DOIsCompared string
	LastTold, NotYet, Registered, Waiting, Refused, Failing    string
	DOIsTroubled, DOIsText, DOIsQuiet, DOI, Item, ToDo, Tries  string
	LastError, NoError, NextTry, TriedSoon, TriedNever         string
	Again, AgainAll, SomeArticle, SomeCollection               string
	ToDos, Causes                                              map[string]string

	// Audit trail and export
	AuditText, Actor, ActorHelp, AccountBad, Kind, AnyKind, KindBad, RecordNumber, RecordBad string
	From, UntilDay, When, Who, Operation, InNameOf, NothingFound, Older, AsCSV               string
	Operations                                                                               map[string]string
	ExportText, ItemsCSV, ItemsXLSX                                                          string
	UsageText, UsageCSV, UsageXLSX, DatasetReport                                            string // the last three with a year
}

var englishAdmin = Admin{
	Title: "Administration", Health: "Health", People: "People", Groups: "Groups", Storage: "Storage", Settings: "Settings", Audit: "Audit trail", Export: "Export",
	Done: map[string]string{
		"quota": "The quota was stored.", "group": "The account was moved.", "grant": "The role was granted.", "revoke": "The role was taken.",
		"give": "Everything was handed over.", "merge": "The accounts were merged.", "part": "A part was handed over. Send the form again for the rest.",
		"reset": "A link to set a new password is on its way.", "sessions": "All sessions were ended.", "enable": "The account was enabled.", "disable": "The account was disabled, and signed out everywhere.",
		"admin": "The account administers the institution now.", "no_admin": "The account administers the institution no more.",
		"group_added": "The group was made.", "change": "The group was stored.", "remove": "The group was removed.",
		"add_field": "The field was added.", "change_field": "The field was stored.", "remove_field": "The field was removed.",
		"banner": "The banner was stored.", "licences": "The licences were stored.", "types": "The types were stored.", "add_range": "The range was added.", "remove_range": "The range was removed.",
		"retry": "The DOI is tried again now.", "retry_all": "All of them are tried again now.",
	},
	Name: "Name", Mail: "Mail address", NameOrMail: "Name or mail address", Group: "Group", State: "State", Kept: "Kept", KeptOf: "%1 of %2", Number: "Number of the account", InstitutionID: "Id in the institution", Since: "Since", Ends: "Ends",
	States:   map[string]string{"active": "Active", "disabled": "Disabled", "administrator": "Administrator"},
	AnyState: "Any state", AnyGroup: "Any group", NoGroup: "No group", NoPeople: "No account matches.",
	SignIn: "Signing in", HasPassword: "Password", HasCodes: "Codes as a second factor", HasPasskeys: "Passkeys", HasTokens: "Personal tokens", HasApps: "Connected applications", LastSeen: "Last seen", NotLately: "not lately",
	RoomAndGroup: "Room and group", Quota: "Quota in GB", QuotaHelp: "Left blank, the quota of the configuration holds.", QuotaBad: "Enter a number of gigabytes, such as 20 or 2.5", Store: "Store", Move: "Move to this group",
	GroupHelp: "Items of the person stay in the groups where they are.",
	Roles:     "Roles", RolesText: "A role in a group holds in the groups below it, too.", Role: "Role", NoRoles: "No roles in groups.", Grant: "Grant the role", Take: "Take the role",
	RoleNames: map[int64]string{1: "Administrator", 2: "Reviewer"},
	Access:    "Access", Reset: "Let the person set a new password", ResetMailed: "A link is sent to the mail address. It works once, within a day.",
	ResetPrinted: "This repository sends no mails: the page shows an address to hand over. It works once, within a day.", ResetCodes: "Turn codes off, too, as their device was lost",
	AddressMade: "One-time address", AddressOnce: "Addresses are shown this once. Hand each to its person only: who opens it sets the password.",
	EndSessions: "Sign out everywhere", EndSessionsText: "All browsers are signed out, and applications disconnected. Personal tokens stay.",
	MakeAdmin: "Make an administrator of the institution", UnmakeAdmin: "Administrator no more", AdminText: "Administrators of the institution see and change everything here.",
	Enable: "Enable the account", Disable: "Disable the account", DisableText: "The person is signed out everywhere, and tokens do nothing. Public items stay.",
	OwnAccount: "Nobody can disable the account in use", Outranked: "This account administers more than yours, so that it cannot be changed here.",
	HandOver: "What the account has", HandOverText: "Items and places in projects can go to another account, as when a person leaves, or when a person has two accounts. Names of authors stay as they are.",
	HandOverLink: "Hand over, or merge two accounts", HandOverTo: "To whom", NoHeir: "Enter the mail address or number of another account that is active",
	HandOverWho: "From %1 to %2 (%3)", HandOverDry: "Nothing has been done yet. All items, with their files and versions, and all places in projects would go there.",
	HandOverButton: "Hand over all of it", Merge: "Hand over, and merge the accounts", MergeText: "With a merge roles in groups and applications go there, too. Tokens, passkeys, sessions and one-time links of this account end, and it is disabled.", MergedInto: "Merged into account",
	Invite: "Invite people", InviteOne: "Invite one person", InviteMany: "Invite many", InviteMailed: "Each person is sent a link to begin an account. It works once, within a week.",
	InvitePrinted: "This repository sends no mails: the page shows an address for each person to hand over. It works once, within a week.", NameHelp: "The person can still change the name.",
	LinesFile: "Or a file", LinesFileHelp: "The same table as a CSV file in UTF-8, of at most %s people.", LookFile: "See what the file would do",
	Lines: "One line a person", LinesHelp: "Mail address, first name, last name, group, as in a table that was saved as CSV. Names may be left out; a group is written with its name or number.",
	LinesBad: "Enter lines of a CSV table, each beginning with a mail address", LinesMany: "At most %s people can be invited at once", Look: "See what would be done",
	WouldDo: "What would be done", WouldInvite: "%d people would be invited. Nothing has been done yet.", WouldInviteOne: "One person would be invited. Nothing has been done yet.", InviteThem: "Invite them", Invited: "%d people were invited", InvitedOne: "One person was invited", What: "What happens",
	Guests: map[string]string{
		"invite": "is invited", "known": "has an account", "invited": "was invited already", "wrong": "Left out",
		"mail": "This is no mail address", "name": "The name is too long, or cannot be shown", "group": "You administer no group, or several, of this name", "twice": "The address stands in a line above",
	},
	NoGroups: "There are no groups yet.", NewGroup: "New group", AddGroup: "Make the group", GroupName: "Name of the group", GroupNameBad: "Enter a name of at most 255 characters", Below: "Below", BelowHelp: "Roles and fields of the groups above hold in this one.",
	AtTop: "At the top", BelowItself: "A group cannot stand below itself", Reviewed: "reviews before it publishes", AsksReview: "Articles are reviewed before they are published",
	Criteria: "Code in the feed of people", CriteriaHelp: "People with this code are put into the group.", NameAndPlace: "Name and place", PeopleOfGroup: "People of the group",
	Remove: "Remove", RemoveGroup: "Remove the group", RemoveGroupText: "A group can go when it has no people, no items and no groups below it. Its custom fields go with it.", GroupFull: "The group still has people, items or groups below it",
	CustomFields: "Custom fields", FieldsText: "They are asked for on items of this group and of the groups below it.", NoFields: "The group has no fields of its own.", NewField: "New field", AddField: "Add the field",
	Change: "Change the field", FieldType: "Type", Required: "Needed", Order: "Place", RequiredText: "Needed before an item is published", OrderHelp: "Left blank, the field comes last.",
	Options: "Options", OptionsHelp: "One in each line, for lists.", Multiple: "Several options can be chosen", MinLength: "Least characters", MaxLength: "Most characters", FieldHelp: "A line of help",
	Identifying: "Tells who made the item: anonymous links leave it out", RemoveField: "Remove the field", RemoveFieldText: "Items keep what was written in it.", FieldNamed: "The group has a field of this name already", FieldBad: "Enter a name, and whole numbers for the lengths and the place",
	FieldTypes: map[string]string{"text": "Line of text", "textarea": "Text", "dropdown": "List", "url": "Web address", "email": "Mail address", "date": "Date", "dropdown_large_list": "Long list"},
	Banner:     "Announcement", BannerText: "It stands above every page, for everyone.", BannerEnglish: "Text in English", BannerGerman: "Text in German", BannerUntil: "Last day", BannerUntilHelp: "Left blank, it stays until the text is removed. Days are those of UTC.",
	BannerLong: "The text has more than %s characters, or some that cannot be shown", DateBad: "Enter a date",
	Licences: "Licences", LicencesText: "Those that are switched off cannot be chosen any more. Items keep what they have.", LicencesOffered: "Licences to choose from", AlwaysOffered: "what new items have",
	Types: "Types of items", TypesText: "Those that are switched off cannot be chosen any more. Items keep what they have.", TypesOffered: "Types to choose from",
	Ranges: "Address ranges", RangesText: "Embargoes on files can let in readers from these places.", NoRanges: "There are no ranges.", Networks: "Networks", NetworksHelp: "Networks and addresses with commas between them, such as 192.0.2.0/24, 2001:db8::/32",
	AddRange: "Add the range", RangeBad: "Enter a name, and networks such as 192.0.2.0/24",
	Thing: "What", Todo: "What to do", Good: "Good", Bad: "Needs attention", Unused: "Not used",
	DiskUnknown: "The system does not tell how much is free.",
	BackupNever: "There never was one.", BackupPartly: "The last one, of %1, lacks something that was missing or damaged here.", BackupFailed: "The last try failed.",
	BackupSet:  "Set backup_dir, or run alcove backup create each day.",
	DrillNever: "No backup was restored to try it yet.", DrillNothing: "There is no backup that could be tried.", DrillFirst: "Make a backup first: set backup_dir, or run alcove backup create.",
	DrillFailed: "The last try failed.", NoDrills: "The server tries none, as backup_dir is not set or drill_every is 0.", DrillSet: "Set both, or restore a backup elsewhere now and then with alcove restore.",
	DrillWait: "The server tries it by itself; alcove backup status tells when, and what kept it from that.", CheckNever: "There never was a whole one without a problem.", NoChecks: "The server makes none by itself.",
	IndexFails: "It cannot be read or written, and searches may wait.", CertificateElsewhere: "This server answers without TLS, so that another one in front of it has the certificate.", CertificateThere: "See to it there.",
	CertificateNone: "There is none yet: clients of this host are turned away.", CertificateEnded: "It ended on %1: clients turn away.",
	MailsOff: "No mail is configured: links for people are shown to you, and nobody is told of anything.", MailsSet: "Set mail_server and mail_from.", MailsOld: "The oldest has waited for %1 hours.",
	MailsDropped: "%1 were given up since the start.", MailsUnsaid: "%1 notices were not even stored, as too many waited.",
	Disk: "Disk", DiskFree: "%1 are free for uploads, %2 are kept in reserve.", DiskTodo: "Make room, or give the data directory a larger disk. Uploads are refused when only the reserve is left.",
	StoreName: "Database", StoreWrites: "It takes writes.", StoreStopped: "It takes no writes since a failed commit.", StoreTodo: "Look at the log and the disk, then restart the server.",
	Backup: "Backup", LastBackup: "The last whole one: %1.", NoBackups: "The server makes none by itself.", BackupTodo: "Set backup_dir, or look at the log why the last one failed.",
	Drill: "Restore drill", LastDrill: "The last backup that was restored and found whole: %1.", DrillTodo: "Run alcove backup status and read why.",
	Check: "Check of all data", LastCheck: "The last without a problem: %1.", CheckFound: "%1 problems were found.", CheckRuns: "One is running.", CheckTodo: "Run alcove check; alcove check --repair rebuilds what it can.",
	Index: "Search index", IndexLag: "%1 changes behind, for %2 seconds.", IndexBuilding: "It is being made again.", IndexTodo: "It heals by itself; when this stays, alcove index status says more.",
	Certificate: "Certificate", CertificateEnds: "It ends on %1, in %2 days.", CertificateTodo: "Renew it, or look at the log why that fails.",
	MailQueue: "Mails", MailsWait: "%1 wait to be sent.", MailTodo: "Look at the settings of mail and at the log: the mail server refuses, or cannot be reached.",
	OpenUploads: "Uploads under way", VersionName: "Version",
	Mirrors: "Mirrors", MirrorsNumbers: "%1 items of other servers are kept fresh; the last look at %2 failed.", MirrorsTodo: "Run alcove mirror list: it says why.",
	OCFL: "Copy as OCFL", OCFLHalted: "Nothing is written to ocfl_dir.", OCFLTodo: "Run alcove ocfl status: it says why.",
	ByGroup: "By group", ByGroupText: "What people of a group keep, wherever their items are.", ByPerson: "By person", KeptPublic: "Published", PeopleWho: "People", NothingKept: "Nothing is kept yet.", KeptTogether: "Together %1. Counted on %2.",
	DOIs: "DOIs", DOIsLost: "DOIs under %1 are given out, and nothing registers them: they lead nowhere.", DOIsSet: "Set doi_registrar; what is public already is registered by alcove doi register --all.",
	DOIsTests: "No registrar is configured: the DOIs here are examples that lead nowhere.", DOIsNumbers: "%1 wait, %2 failed.", DOIsTodo: "The page of the DOIs says what is wrong with each.",
	Registrar: "Registrar", NoRegistrar: "None is configured.", DOIsSent: "What is due is sent.", DOIsHalted: "Nothing is sent before %1.", DOIsCompared: "The registrar is asked first what it has.",
	LastTold: "Last success", NotYet: "None yet", Registered: "Registered", Waiting: "Waiting", Refused: "Refused", Failing: "Failed last time",
	DOIsTroubled: "Waiting or refused", DOIsText: "What failed last comes first. Refused DOIs are not tried again by themselves: see to the cause, then try again.", DOIsQuiet: "Nothing waits, and nothing is refused.",
	DOI: "DOI", Item: "Item", ToDo: "What is to be done", Tries: "Failed tries: %1", LastError: "Last error", NoError: "None", NextTry: "Next try", TriedSoon: "Now", TriedNever: "Not by itself",
	Again: "Try again", AgainAll: "Try all of them again", SomeArticle: "Article %1", SomeCollection: "Collection %1",
	ToDos: map[string]string{"register": "Register", "change": "Tell what changed", "reserve": "Reserve", "hide": "Hide: the item was withdrawn", "drop": "Give up the reservation"},
	Causes: map[string]string{
		"": "The last try failed.", "account": "The registrar refuses the account or its password.", "foreign": "The registrar does not let this account have the DOI: the prefix belongs to another one.",
		"invalid": "The registrar refuses what it was told.", "taken": "The registrar has the DOI already, for another item.", "form": "The DOI has characters that the registrar does not take.",
		"item": "The item cannot be read here; the log says more.", "busy": "The registrar asks to wait, or fails itself.", "away": "The registrar cannot be reached, or its answer cannot be read.",
	},
	AuditText: "Who changed what, from the change log.", Actor: "By", ActorHelp: "Mail address or number of an account", AccountBad: "There is no such account", Kind: "Kind", AnyKind: "All kinds", KindBad: "There is no such kind", RecordNumber: "Number", RecordBad: "Choose a kind, and enter a number",
	From: "From", UntilDay: "Until", When: "When", Who: "Who", Operation: "Change", InNameOf: "in the name of %1", NothingFound: "Nothing was found.", Older: "Older entries", AsCSV: "All of this as CSV",
	Operations: map[string]string{"create": "made", "change": "changed", "delete": "removed"},
	ExportText: "All articles that you administer, public or not, and the public collections, for annual reports. Authors stand with public items only. No cell begins as a formula.", ItemsCSV: "Items as CSV", ItemsXLSX: "Items as a workbook (XLSX)",
	UsageText: "How often each public item was seen, downloaded and shared in a year, with the metrics of COUNTER for people and for programs. Robots do not count.", UsageCSV: "Usage in %d as CSV", UsageXLSX: "Usage in %d as a workbook (XLSX)", DatasetReport: "Dataset report of COUNTER for %d (JSON)",
}

var germanAdmin = Admin{
	Title: "Verwaltung", Health: "Zustand", People: "Personen", Groups: "Gruppen", Storage: "Speicher", Settings: "Einstellungen", Audit: "Protokoll", Export: "Export",
	Done: map[string]string{
		"quota": "Das Kontingent ist gespeichert.", "group": "Das Konto ist verschoben.", "grant": "Die Rolle ist vergeben.", "revoke": "Die Rolle ist entzogen.",
		"give": "Alles ist übergeben.", "merge": "Die Konten sind vereint.", "part": "Ein Teil ist übergeben. Senden Sie das Formular für den Rest noch einmal.",
		"reset": "Ein Link für ein neues Passwort ist unterwegs.", "sessions": "Alle Sitzungen sind beendet.", "enable": "Das Konto ist freigegeben.", "disable": "Das Konto ist gesperrt und überall abgemeldet.",
		"admin": "Das Konto verwaltet jetzt die Einrichtung.", "no_admin": "Das Konto verwaltet die Einrichtung nicht mehr.",
		"group_added": "Die Gruppe ist angelegt.", "change": "Die Gruppe ist gespeichert.", "remove": "Die Gruppe ist entfernt.",
		"add_field": "Das Feld ist hinzugefügt.", "change_field": "Das Feld ist gespeichert.", "remove_field": "Das Feld ist entfernt.",
		"banner": "Die Ankündigung ist gespeichert.", "licences": "Die Lizenzen sind gespeichert.", "types": "Die Arten sind gespeichert.", "add_range": "Der Bereich ist hinzugefügt.", "remove_range": "Der Bereich ist entfernt.",
		"retry": "Die DOI wird jetzt noch einmal versucht.", "retry_all": "Alle werden jetzt noch einmal versucht.",
	},
	Name: "Name", Mail: "Mailadresse", NameOrMail: "Name oder Mailadresse", Group: "Gruppe", State: "Zustand", Kept: "Belegt", KeptOf: "%1 von %2", Number: "Nummer des Kontos", InstitutionID: "Kennung in der Einrichtung", Since: "Seit", Ends: "Endet",
	States:   map[string]string{"active": "Aktiv", "disabled": "Gesperrt", "administrator": "Verwaltung"},
	AnyState: "Jeder Zustand", AnyGroup: "Jede Gruppe", NoGroup: "Keine Gruppe", NoPeople: "Kein Konto passt.",
	SignIn: "Anmeldung", HasPassword: "Passwort", HasCodes: "Codes als zweiter Faktor", HasPasskeys: "Passkeys", HasTokens: "Persönliche Token", HasApps: "Verbundene Anwendungen", LastSeen: "Zuletzt gesehen", NotLately: "nicht in letzter Zeit",
	RoomAndGroup: "Platz und Gruppe", Quota: "Kontingent in GB", QuotaHelp: "Leer gilt das Kontingent der Konfiguration.", QuotaBad: "Eine Zahl von Gigabytes wird gebraucht, etwa 20 oder 2,5", Store: "Speichern", Move: "In diese Gruppe verschieben",
	GroupHelp: "Einträge der Person bleiben in ihren Gruppen.",
	Roles:     "Rollen", RolesText: "Eine Rolle in einer Gruppe gilt auch in den Gruppen darunter.", Role: "Rolle", NoRoles: "Keine Rollen in Gruppen.", Grant: "Rolle vergeben", Take: "Rolle entziehen",
	RoleNames: map[int64]string{1: "Verwaltung", 2: "Begutachtung"},
	Access:    "Zugang", Reset: "Die Person ein neues Passwort setzen lassen", ResetMailed: "An die Mailadresse geht ein Link. Er gilt einmal, einen Tag lang.",
	ResetPrinted: "Dieses Repositorium versendet keine Mails: Die Seite zeigt eine Adresse zum Weitergeben. Sie gilt einmal, einen Tag lang.", ResetCodes: "Auch die Codes abschalten, weil ihr Gerät verloren ging",
	AddressMade: "Einmalige Adresse", AddressOnce: "Adressen werden nur dieses eine Mal gezeigt. Geben Sie jede nur ihrer Person: Wer sie öffnet, setzt das Passwort.",
	EndSessions: "Überall abmelden", EndSessionsText: "Alle Browser werden abgemeldet, Anwendungen getrennt. Persönliche Token bleiben.",
	MakeAdmin: "Die Einrichtung verwalten lassen", UnmakeAdmin: "Die Verwaltung entziehen", AdminText: "Wer die Einrichtung verwaltet, sieht und ändert hier alles.",
	Enable: "Konto freigeben", Disable: "Konto sperren", DisableText: "Die Person wird überall abgemeldet, Token tun nichts mehr. Öffentliche Einträge bleiben.",
	OwnAccount: "Das eigene Konto lässt sich nicht sperren", Outranked: "Dieses Konto verwaltet mehr als Ihres und lässt sich hier nicht ändern.",
	HandOver: "Was das Konto hat", HandOverText: "Einträge und Plätze in Projekten können an ein anderes Konto gehen, etwa wenn eine Person geht oder zwei Konten hat. Namen von Autorinnen und Autoren bleiben, wie sie sind.",
	HandOverLink: "Übergeben, oder zwei Konten vereinen", HandOverTo: "An wen", NoHeir: "Gebraucht wird die Mailadresse oder Nummer eines anderen, aktiven Kontos",
	HandOverWho: "Von %1 an %2 (%3)", HandOverDry: "Noch ist nichts geschehen. Alle Einträge mit ihren Dateien und Versionen und alle Plätze in Projekten gingen dorthin.",
	HandOverButton: "Alles übergeben", Merge: "Übergeben und die Konten vereinen", MergeText: "Beim Vereinen gehen auch Rollen in Gruppen und Anwendungen dorthin. Token, Passkeys, Sitzungen und einmalige Links dieses Kontos enden, und es wird gesperrt.", MergedInto: "Vereint mit Konto",
	Invite: "Personen einladen", InviteOne: "Eine Person einladen", InviteMany: "Viele einladen", InviteMailed: "Jede Person bekommt einen Link, um ein Konto zu beginnen. Er gilt einmal, eine Woche lang.",
	InvitePrinted: "Dieses Repositorium versendet keine Mails: Die Seite zeigt für jede Person eine Adresse zum Weitergeben. Sie gilt einmal, eine Woche lang.", NameHelp: "Die Person kann den Namen noch ändern.",
	LinesFile: "Oder eine Datei", LinesFileHelp: "Dieselbe Tabelle als CSV-Datei in UTF-8, mit höchstens %s Personen.", LookFile: "Ansehen, was mit der Datei geschähe",
	Lines: "Eine Zeile je Person", LinesHelp: "Mailadresse, Vorname, Nachname, Gruppe, wie in einer Tabelle, die als CSV gespeichert wurde. Namen können fehlen; eine Gruppe steht mit Namen oder Nummer da.",
	LinesBad: "Zeilen einer CSV-Tabelle werden gebraucht, jede beginnt mit einer Mailadresse", LinesMany: "Es lassen sich höchstens %s Personen auf einmal einladen", Look: "Ansehen, was geschähe",
	WouldDo: "Was geschähe", WouldInvite: "%d Personen würden eingeladen. Noch ist nichts geschehen.", WouldInviteOne: "Eine Person würde eingeladen. Noch ist nichts geschehen.", InviteThem: "Einladen", Invited: "%d Personen sind eingeladen", InvitedOne: "Eine Person ist eingeladen", What: "Was geschieht",
	Guests: map[string]string{
		"invite": "wird eingeladen", "known": "hat ein Konto", "invited": "ist schon eingeladen", "wrong": "Ausgelassen",
		"mail": "Das ist keine Mailadresse", "name": "Der Name ist zu lang oder lässt sich nicht zeigen", "group": "Sie verwalten keine oder mehrere Gruppen dieses Namens", "twice": "Die Adresse steht in einer Zeile darüber",
	},
	NoGroups: "Es gibt noch keine Gruppen.", NewGroup: "Neue Gruppe", AddGroup: "Gruppe anlegen", GroupName: "Name der Gruppe", GroupNameBad: "Ein Name von höchstens 255 Zeichen wird gebraucht", Below: "Unter", BelowHelp: "Rollen und Felder der Gruppen darüber gelten auch in dieser.",
	AtTop: "Ganz oben", BelowItself: "Eine Gruppe kann nicht unter sich selbst stehen", Reviewed: "begutachtet vor der Veröffentlichung", AsksReview: "Artikel werden vor der Veröffentlichung begutachtet",
	Criteria: "Kürzel in der Liste des Personals", CriteriaHelp: "Personen mit diesem Kürzel kommen in die Gruppe.", NameAndPlace: "Name und Ort", PeopleOfGroup: "Personen der Gruppe",
	Remove: "Entfernen", RemoveGroup: "Gruppe entfernen", RemoveGroupText: "Eine Gruppe kann gehen, wenn sie keine Personen, keine Einträge und keine Gruppen unter sich hat. Ihre Felder gehen mit.", GroupFull: "Die Gruppe hat noch Personen, Einträge oder Gruppen unter sich",
	CustomFields: "Eigene Felder", FieldsText: "Nach ihnen wird bei Einträgen dieser Gruppe und der Gruppen darunter gefragt.", NoFields: "Die Gruppe hat keine eigenen Felder.", NewField: "Neues Feld", AddField: "Feld hinzufügen",
	Change: "Feld ändern", FieldType: "Art", Required: "Nötig", Order: "Platz", RequiredText: "Nötig, bevor ein Eintrag veröffentlicht wird", OrderHelp: "Leer kommt das Feld ans Ende.",
	Options: "Möglichkeiten", OptionsHelp: "Eine je Zeile, für Listen.", Multiple: "Mehrere lassen sich wählen", MinLength: "Mindestens Zeichen", MaxLength: "Höchstens Zeichen", FieldHelp: "Eine Zeile Hilfe",
	Identifying: "Sagt, wer den Eintrag gemacht hat: anonyme Links lassen es aus", RemoveField: "Feld entfernen", RemoveFieldText: "Einträge behalten, was darin steht.", FieldNamed: "Die Gruppe hat schon ein Feld dieses Namens", FieldBad: "Gebraucht werden ein Name und ganze Zahlen für die Längen und den Platz",
	FieldTypes: map[string]string{"text": "Textzeile", "textarea": "Text", "dropdown": "Liste", "url": "Webadresse", "email": "Mailadresse", "date": "Datum", "dropdown_large_list": "Lange Liste"},
	Banner:     "Ankündigung", BannerText: "Sie steht für alle über jeder Seite.", BannerEnglish: "Text auf Englisch", BannerGerman: "Text auf Deutsch", BannerUntil: "Letzter Tag", BannerUntilHelp: "Leer bleibt sie, bis der Text entfernt wird. Es gelten Tage in UTC.",
	BannerLong: "Der Text hat mehr als %s Zeichen, oder solche, die sich nicht zeigen lassen", DateBad: "Ein Datum wird gebraucht",
	Licences: "Lizenzen", LicencesText: "Was ausgeschaltet ist, lässt sich nicht mehr wählen. Einträge behalten, was sie haben.", LicencesOffered: "Lizenzen zur Wahl", AlwaysOffered: "was neue Einträge haben",
	Types: "Arten von Einträgen", TypesText: "Was ausgeschaltet ist, lässt sich nicht mehr wählen. Einträge behalten, was sie haben.", TypesOffered: "Arten zur Wahl",
	Ranges: "Adressbereiche", RangesText: "Embargos auf Dateien können Lesende von diesen Orten einlassen.", NoRanges: "Es gibt keine Bereiche.", Networks: "Netze", NetworksHelp: "Netze und Adressen, durch Kommas getrennt, etwa 192.0.2.0/24, 2001:db8::/32",
	AddRange: "Bereich hinzufügen", RangeBad: "Gebraucht werden ein Name und Netze wie 192.0.2.0/24",
	Thing: "Was", Todo: "Was zu tun ist", Good: "Gut", Bad: "Braucht Aufmerksamkeit", Unused: "Nicht genutzt",
	DiskUnknown: "Das System sagt nicht, wie viel frei ist.",
	BackupNever: "Es gab noch keine.", BackupPartly: "Der letzten, vom %1, fehlt etwas, das hier fehlte oder beschädigt war.", BackupFailed: "Der letzte Versuch scheiterte.",
	BackupSet:  "Setzen Sie backup_dir, oder rufen Sie täglich alcove backup create auf.",
	DrillNever: "Noch keine Sicherung wurde zur Probe zurückgespielt.", DrillNothing: "Es gibt keine Sicherung, die sich erproben ließe.", DrillFirst: "Machen Sie zuerst eine: mit backup_dir oder alcove backup create.",
	DrillFailed: "Der letzte Versuch scheiterte.", NoDrills: "Der Server macht keine, da backup_dir fehlt oder drill_every 0 ist.", DrillSet: "Setzen Sie beides, oder spielen Sie ab und zu eine Sicherung mit alcove restore an anderer Stelle zurück.",
	DrillWait: "Der Server macht sie von selbst; alcove backup status sagt, wann, und was ihn abhielt.", CheckNever: "Es gab noch keine ganze ohne Befund.", NoChecks: "Der Server macht von selbst keine.",
	IndexFails: "Er lässt sich nicht lesen oder schreiben, Suchen warten vielleicht.", CertificateElsewhere: "Dieser Server antwortet ohne TLS, das Zertifikat hat also ein anderer vor ihm.", CertificateThere: "Sehen Sie dort danach.",
	CertificateNone: "Es gibt noch keines: Wer zu diesem Namen will, wird abgewiesen.", CertificateEnded: "Es endete am %1: Browser weisen es zurück.",
	MailsOff: "Mail ist nicht eingerichtet: Links für Personen werden Ihnen gezeigt, und niemand erfährt, was geschah.", MailsSet: "Setzen Sie mail_server und mail_from.", MailsOld: "Die älteste wartet seit %1 Stunden.",
	MailsDropped: "%1 wurden seit dem Start aufgegeben.", MailsUnsaid: "%1 Nachrichten wurden nicht einmal gespeichert, weil zu viele warteten.",
	Disk: "Platte", DiskFree: "%1 sind für Dateien frei, %2 bleiben als Reserve.", DiskTodo: "Schaffen Sie Platz, oder geben Sie den Daten eine größere Platte. Ist nur noch die Reserve da, werden Dateien abgewiesen.",
	StoreName: "Datenbank", StoreWrites: "Sie nimmt Änderungen an.", StoreStopped: "Sie nimmt seit einem Fehler keine Änderungen an.", StoreTodo: "Sehen Sie ins Log und auf die Platte, und starten Sie den Server neu.",
	Backup: "Sicherung", LastBackup: "Die letzte vollständige: %1.", NoBackups: "Der Server macht von selbst keine.", BackupTodo: "Setzen Sie backup_dir, oder sehen Sie im Log nach, warum die letzte scheiterte.",
	Drill: "Probe der Sicherung", LastDrill: "Die letzte, die zurückgespielt wurde und ganz war: %1.", DrillTodo: "Lesen Sie, was alcove backup status sagt.",
	Check: "Prüfung aller Daten", LastCheck: "Die letzte ohne Befund: %1.", CheckFound: "Es gibt %1 Befunde.", CheckRuns: "Eine läuft.", CheckTodo: "Lesen Sie, was alcove check sagt; alcove check --repair stellt her, was es kann.",
	Index: "Suchindex", IndexLag: "%1 Änderungen zurück, seit %2 Sekunden.", IndexBuilding: "Er wird neu aufgebaut.", IndexTodo: "Er heilt von selbst; bleibt es dabei, sagt alcove index status mehr.",
	Certificate: "Zertifikat", CertificateEnds: "Es endet am %1, in %2 Tagen.", CertificateTodo: "Erneuern Sie es, oder sehen Sie im Log nach, warum das scheitert.",
	MailQueue: "Mails", MailsWait: "%1 warten darauf, gesendet zu werden.", MailTodo: "Sehen Sie nach den Einstellungen für Mail und ins Log: Der Mailserver weist ab oder ist nicht zu erreichen.",
	OpenUploads: "Laufende Übertragungen", VersionName: "Version",
	Mirrors: "Spiegel", MirrorsNumbers: "%1 Einträge anderer Server werden aktuell gehalten; bei %2 ist das zuletzt gescheitert.", MirrorsTodo: "Lesen Sie, was alcove mirror list dazu sagt.",
	OCFL: "Kopie als OCFL", OCFLHalted: "In ocfl_dir wird nichts geschrieben.", OCFLTodo: "Lesen Sie, was alcove ocfl status dazu sagt.",
	ByGroup: "Nach Gruppen", ByGroupText: "Was Personen einer Gruppe belegen, wo immer ihre Einträge sind.", ByPerson: "Nach Personen", KeptPublic: "Veröffentlicht", PeopleWho: "Personen", NothingKept: "Es ist noch nichts belegt.", KeptTogether: "Zusammen %1. Gezählt am %2.",
	DOIs: "DOIs", DOIsLost: "DOIs unter %1 werden vergeben, und nichts meldet sie an: Sie führen nirgendwohin.", DOIsSet: "Setzen Sie doi_registrar; was schon öffentlich ist, meldet alcove doi register --all an.",
	DOIsTests: "Es ist keine Registrierung eingerichtet: Die DOIs hier sind Beispiele, die nirgendwohin führen.", DOIsNumbers: "%1 warten, %2 scheiterten.", DOIsTodo: "Die Seite der DOIs sagt, was jeder fehlt.",
	Registrar: "Registrierungsstelle", NoRegistrar: "Es ist keine eingerichtet.", DOIsSent: "Was fällig ist, wird gesendet.", DOIsHalted: "Vor %1 wird nichts gesendet.", DOIsCompared: "Zuerst wird gefragt, was dort bekannt ist.",
	LastTold: "Letzter Erfolg", NotYet: "Noch keiner", Registered: "Registriert", Waiting: "Wartend", Refused: "Abgelehnt", Failing: "Zuletzt gescheitert",
	DOIsTroubled: "Wartend oder abgelehnt", DOIsText: "Was zuletzt scheiterte, steht zuerst. Abgelehnte DOIs werden nicht von selbst noch einmal versucht: Beheben Sie die Ursache, und versuchen Sie es dann noch einmal.", DOIsQuiet: "Nichts wartet, und nichts ist abgelehnt.",
	DOI: "DOI", Item: "Eintrag", ToDo: "Was zu tun ist", Tries: "Gescheiterte Versuche: %1", LastError: "Letzter Fehler", NoError: "Keiner", NextTry: "Nächster Versuch", TriedSoon: "Jetzt", TriedNever: "Nicht von selbst",
	Again: "Wiederholen", AgainAll: "Alle wiederholen", SomeArticle: "Artikel %1", SomeCollection: "Sammlung %1",
	ToDos: map[string]string{"register": "Registrieren", "change": "Änderung melden", "reserve": "Reservieren", "hide": "Verbergen: Der Eintrag ist zurückgezogen", "drop": "Reservierung aufgeben"},
	Causes: map[string]string{
		"": "Der letzte Versuch scheiterte.", "account": "Das Konto oder sein Passwort wird abgelehnt.", "foreign": "Dieses Konto darf die DOI nicht haben: Das Präfix gehört einem anderen.",
		"invalid": "Was gesendet wurde, wird abgelehnt.", "taken": "Die DOI ist dort schon bekannt, für einen anderen Eintrag.", "form": "Die DOI hat Zeichen, die dort nicht angenommen werden.",
		"item": "Der Eintrag lässt sich hier nicht lesen; das Log sagt mehr.", "busy": "Die Stelle bittet zu warten oder hat selbst einen Fehler.", "away": "Die Stelle ist nicht zu erreichen, oder ihre Antwort lässt sich nicht lesen.",
	},
	AuditText: "Wer was geändert hat, aus dem Änderungsprotokoll.", Actor: "Von", ActorHelp: "Mailadresse oder Nummer eines Kontos", AccountBad: "Ein solches Konto gibt es nicht", Kind: "Art", AnyKind: "Alle Arten", KindBad: "Eine solche Art gibt es nicht", RecordNumber: "Nummer", RecordBad: "Gebraucht werden eine Art und eine Nummer",
	From: "Ab", UntilDay: "Bis", When: "Wann", Who: "Wer", Operation: "Änderung", InNameOf: "im Namen von %1", NothingFound: "Es wurde nichts gefunden.", Older: "Ältere Einträge", AsCSV: "Alles davon als CSV",
	Operations: map[string]string{"create": "angelegt", "change": "geändert", "delete": "entfernt"},
	ExportText: "Alle Artikel, die Sie verwalten, öffentlich oder nicht, und die öffentlichen Sammlungen, für Jahresberichte. Autorinnen und Autoren stehen nur bei öffentlichen Einträgen. Keine Zelle beginnt als Formel.", ItemsCSV: "Einträge als CSV", ItemsXLSX: "Einträge als Arbeitsmappe (XLSX)",
	UsageText: "Wie oft jeder öffentliche Eintrag in einem Jahr angesehen, heruntergeladen und geteilt wurde, mit den Kennzahlen von COUNTER für Menschen und für Programme. Suchroboter zählen nicht.", UsageCSV: "Nutzung %d als CSV", UsageXLSX: "Nutzung %d als Arbeitsmappe (XLSX)", DatasetReport: "Nutzungsbericht nach COUNTER für %d (JSON)",
}
