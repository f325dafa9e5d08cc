package words

// Project are the texts of the pages of a project for its members.
type Project struct {
	ItemsTab, NotesTab, MembersTab, EditTab string
	YourRole                                string
	Dones                                   map[string]string // what an address says was done
	InvitedText, Accept, Decline            string
	NoItems, EditItem, MoreFiles            string
	GroupStays, NothingAsked                string
	Group, GroupHelp, NoGroup               string // of a new project
	Publish, PublishTitle, PublishText      string
	IsPublic, Unpublish, UnpublishText      string
	Delete, DeleteText, DeleteGroupText     string
	InvitedBadge, RoleLabel, ChangeRole     string
	RoleMeans                               map[string]string
	TakeOut, Withdraw, MemberGone           string
	InviteTitle, InviteMailed, InviteSilent string
	InviteAddress, InviteHelp, AddressWrong string
	FindPeople, PeopleFound, PeopleNone     string
	PeopleShort, Comment, CommentHelp       string
	CommentWrong, Invite, Leave, LeaveText  string
	NoteText, NoteShort, AddNote, NoNotes   string
	NoteOf, NoteChanged, DeleteNote         string
	DeleteNoteText, Left                    string
}

var englishProject = Project{
	ItemsTab: "Items", NotesTab: "Notes", MembersTab: "People", EditTab: "Title and description", YourRole: "Your role: %s",
	Dones: map[string]string{
		"saved": "Saved.", "published": "The project is public.", "withdrawn": "The project is private again.", "accepted": "The others see your name now.", "out": "The person was taken out.", "role": "The role was changed.",
		"invited": "The invitation stands.", "noted": "The note was written.", "note-changed": "The note was changed.", "note-deleted": "The note was deleted.", "kept": "The saved note was kept.", "item-deleted": "The draft was deleted.",
	},
	InvitedText: "You are invited to this project, and can see it already. The others know your mail address only; they see your name once you accept, or write something.", Accept: "Accept", Decline: "Decline",
	NoItems: "There is no item in it yet.", EditItem: "Edit this item", MoreFiles: "The first %d files are shown.",
	GroupStays: "It belongs to the group %s, and stays there.", NothingAsked: "Nothing was asked for.",
	Group: "Group", GroupHelp: "A project of a group stays there, and its items with it.", NoGroup: "No group",
	Publish: "Publish the project", PublishTitle: "Publish the project", PublishText: "Readers see its title, description and members, and those of its items that are public. Drafts in it, notes and invitations stay hidden.",
	IsPublic: "It is public already.", Unpublish: "Make it private again", UnpublishText: "The project is withdrawn: its page says so. Its public items stay public.",
	Delete: "Delete the project", DeleteText: "The project is deleted with its notes. Its items stay with those who own them. This cannot be undone.", DeleteGroupText: "The project is deleted with its notes, its items and their files. This cannot be undone.",
	InvitedBadge: "invited", RoleLabel: "Role", ChangeRole: "Change the role",
	RoleMeans: map[string]string{"Viewer": "Viewer: reads everything in it", "Collaborator": "Collaborator: also adds items and notes"},
	TakeOut:   "Take out", Withdraw: "Withdraw the invitation", MemberGone: "This person is not in the project any more.",
	InviteTitle: "Invite somebody", InviteMailed: "Who is invited gets a mail with the address of the project.", InviteSilent: "No mail is sent: tell the person the address of this page.",
	InviteAddress: "Mail address", InviteHelp: "It need not have an account yet. Leave it empty where a person is chosen above.", AddressWrong: "Write a mail address such as name@example.org, or choose a person",
	FindPeople: "Find people by name", PeopleFound: "People with an account", PeopleNone: "Nobody with this name can be chosen. Invite the mail address.", PeopleShort: "A search for people needs at least 3 characters.", Comment: "Comment", CommentHelp: "It is kept with the invitation.",
	CommentWrong: "A comment has at most 2000 characters", Invite: "Invite", Leave: "Leave the project", LeaveText: "You do not see the project any more. What you own in it stays yours.",
	NoteText: "Note", NoteShort: "A note has at least 3 characters", AddNote: "Write the note", NoNotes: "There is no note yet. Only members read notes.",
	NoteOf: "Note by", NoteChanged: "changed", DeleteNote: "Delete the note", DeleteNoteText: "The note is gone for all members. This cannot be undone.", Left: "You have left the project.",
}

var germanProject = Project{
	ItemsTab: "Einträge", NotesTab: "Notizen", MembersTab: "Beteiligte", EditTab: "Titel und Beschreibung", YourRole: "Ihre Rolle: %s",
	Dones: map[string]string{
		"saved": "Gespeichert.", "published": "Das Projekt ist öffentlich.", "withdrawn": "Das Projekt ist wieder privat.", "accepted": "Die anderen sehen jetzt Ihren Namen.", "out": "Die Person ist nicht mehr beteiligt.", "role": "Die Rolle wurde geändert.",
		"invited": "Die Einladung steht.", "noted": "Die Notiz wurde geschrieben.", "note-changed": "Die Notiz wurde geändert.", "note-deleted": "Die Notiz wurde gelöscht.", "kept": "Die gespeicherte Notiz blieb.", "item-deleted": "Der Entwurf wurde gelöscht.",
	},
	InvitedText: "Sie sind zu diesem Projekt eingeladen und sehen es schon. Die anderen kennen nur Ihre Mailadresse; Ihren Namen sehen sie, sobald Sie annehmen oder etwas schreiben.", Accept: "Annehmen", Decline: "Ablehnen",
	NoItems: "Es ist noch kein Eintrag darin.", EditItem: "Diesen Eintrag bearbeiten", MoreFiles: "Gezeigt sind die ersten %d Dateien.",
	GroupStays: "Es gehört der Gruppe %s und bleibt dort.", NothingAsked: "Es war nichts zu tun.",
	Group: "Gruppe", GroupHelp: "Ein Projekt einer Gruppe bleibt dort, und seine Einträge mit ihm.", NoGroup: "Keine Gruppe",
	Publish: "Das Projekt veröffentlichen", PublishTitle: "Das Projekt veröffentlichen", PublishText: "Alle sehen dann Titel, Beschreibung und Beteiligte und die Einträge, die öffentlich sind. Entwürfe, Notizen und Einladungen bleiben verborgen.",
	IsPublic: "Es ist schon öffentlich.", Unpublish: "Wieder privat machen", UnpublishText: "Das Projekt wird zurückgezogen, und seine Seite sagt das. Seine öffentlichen Einträge bleiben öffentlich.",
	Delete: "Das Projekt löschen", DeleteText: "Das Projekt wird mit seinen Notizen gelöscht. Seine Einträge bleiben bei denen, denen sie gehören. Das lässt sich nicht rückgängig machen.", DeleteGroupText: "Das Projekt wird mit seinen Notizen, seinen Einträgen und deren Dateien gelöscht. Das lässt sich nicht rückgängig machen.",
	InvitedBadge: "eingeladen", RoleLabel: "Rolle", ChangeRole: "Rolle ändern",
	RoleMeans: map[string]string{"Viewer": "Lesend: sieht alles darin", "Collaborator": "Mitarbeit: legt auch Einträge und Notizen an"},
	TakeOut:   "Herausnehmen", Withdraw: "Einladung zurückziehen", MemberGone: "Diese Person ist nicht mehr im Projekt.",
	InviteTitle: "Jemanden einladen", InviteMailed: "Wer eingeladen wird, erhält eine Mail mit der Adresse des Projekts.", InviteSilent: "Es geht keine Mail hinaus: Nennen Sie der Person die Adresse dieser Seite.",
	InviteAddress: "Mailadresse", InviteHelp: "Sie braucht noch kein Konto zu haben. Leer lassen, wenn oben eine Person gewählt ist.", AddressWrong: "Schreiben Sie eine Mailadresse wie name@example.org, oder wählen Sie eine Person",
	FindPeople: "Personen nach Namen suchen", PeopleFound: "Personen mit Konto", PeopleNone: "Niemand mit diesem Namen lässt sich wählen. Laden Sie die Mailadresse ein.", PeopleShort: "Die Suche nach Personen braucht mindestens 3 Zeichen.", Comment: "Bemerkung", CommentHelp: "Sie wird mit der Einladung aufbewahrt.",
	CommentWrong: "Eine Bemerkung hat höchstens 2000 Zeichen", Invite: "Einladen", Leave: "Das Projekt verlassen", LeaveText: "Sie sehen das Projekt dann nicht mehr. Was Ihnen darin gehört, bleibt Ihres.",
	NoteText: "Notiz", NoteShort: "Eine Notiz hat mindestens 3 Zeichen", AddNote: "Notiz schreiben", NoNotes: "Es gibt noch keine Notiz. Notizen lesen nur Beteiligte.",
	NoteOf: "Notiz von", NoteChanged: "geändert", DeleteNote: "Notiz löschen", DeleteNoteText: "Die Notiz ist dann für alle weg. Das lässt sich nicht rückgängig machen.", Left: "Sie haben das Projekt verlassen.",
}
