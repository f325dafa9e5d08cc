package words

// Profile are the texts of the page of a profile, and of the export of a person's data.
type Profile struct {
	Title, Text, Save, Saved                        string
	Fields, Help, Wrong                             map[string]string // by the name of the field
	AsBrowser                                       string            // of languages
	Mails, MailsHelp                                string
	Notices                                         map[string]string // by kind
	Picture, PictureNow, PictureChoose, PictureHelp string
	PictureSend, PictureRemove, PictureWrong        string
	SignIn                                          string
	Export, ExportAbout, ExportButton               string
	ExportTitle, ExportText                         string            // name of the person and of the repository
	Exported                                        map[string]string // by the name of the file
}

var englishProfile = Profile{
	Title: "Profile", Text: "Names, ORCID iD and picture are shown to others where you are named. What is public already keeps the names that it was published with.",
	Save: "Save the profile", Saved: "The profile was saved.",
	Fields: map[string]string{
		"first_name": "First name", "last_name": "Last name", "orcid": "ORCID iD", "job_title": "Position", "location": "Place", "bio": "About you",
		"personal_profiles": "Other pages of yours", "facebook": "Facebook", "x": "X", "linkedin": "LinkedIn", "language": "Language of pages and mails",
	},
	Help: map[string]string{
		"orcid": "16 digits, as 0000-0002-1825-0097; its last digit is checked.", "personal_profiles": "One a line: the address, then what it is called.",
		"language": "A language that was chosen in this browser goes before it.",
	},
	Wrong: map[string]string{
		"first_name": "The first name is too long", "last_name": "The last name is missing, or the names are too long", "orcid": "This is no ORCID iD: one of its digits is wrong or missing",
		"job_title": "The position is too long", "location": "The place is too long", "bio": "This needs to have at most 5,000 characters",
		"personal_profiles": "At most ten, each beginning with http:// or https://", "facebook": "The address of Facebook needs to begin with http:// or https://",
		"x": "The address of X needs to begin with http:// or https://", "linkedin": "The address of LinkedIn needs to begin with http:// or https://", "language": "There is no such language here",
	},
	AsBrowser: "As the browser prefers",
	Mails:     "Mails to you", MailsHelp: "Links that you ask for are always sent.",
	Notices: map[string]string{
		"project": "You were invited to a project", "review_handed_in": "Something was handed in that you review", "review_decided": "A review of yours was approved or returned",
		"embargo_ended": "The embargo of an item of yours has ended", "file_failed": "A file of yours could not be stored",
	},
	Picture: "Picture", PictureNow: "Your picture now", PictureChoose: "Choose a picture", PictureHelp: "PNG, JPEG, GIF, WebP or TIFF. A small copy is kept, without what cameras add.",
	PictureSend: "Use this picture", PictureRemove: "Remove the picture", PictureWrong: "This is no picture that can be read, or it is too large",
	SignIn: "Signing in",
	Export: "Your data", ExportAbout: "Everything that this repository has of you: profile, the description of all your items in all versions, projects, notes, comments, sessions and what you have done here. Files are not in it; they are downloaded from their items.",
	ExportButton: "Download as zip",
	ExportTitle:  "What %s has in %s", ExportText: "Each file is a list in JSON. The number behind it says how long it is. Nothing here opens anything: passwords, tokens and links are left out.",
	Exported: map[string]string{
		"account": "the account", "profile": "names, profile and picture", "roles": "roles in groups", "tokens": "names of personal tokens", "sessions": "where you are signed in", "passkeys": "names of passkeys",
		"applications": "applications that you have registered", "connected_applications": "applications that may act for you", "articles": "articles as they are being edited", "article_versions": "versions of articles",
		"files": "files, without their bytes", "reviews": "what you have handed in for review", "private_links": "private links to articles", "collections": "collections as they are being edited",
		"collection_versions": "versions of collections", "collection_links": "private links to collections", "projects": "projects that you belong to", "project_notes": "notes in projects",
		"review_comments": "comments on reviews", "changes": "what you have changed, and when",
	},
}

var germanProfile = Profile{
	Title: "Profil", Text: "Namen, ORCID iD und Bild sehen andere dort, wo Sie genannt sind. Was schon öffentlich ist, behält die Namen, mit denen es veröffentlicht wurde.",
	Save: "Profil speichern", Saved: "Das Profil wurde gespeichert.",
	Fields: map[string]string{
		"first_name": "Vorname", "last_name": "Nachname", "orcid": "ORCID iD", "job_title": "Stellung", "location": "Ort", "bio": "Über Sie",
		"personal_profiles": "Andere Seiten von Ihnen", "facebook": "Facebook", "x": "X", "linkedin": "LinkedIn", "language": "Sprache der Seiten und Mails",
	},
	Help: map[string]string{
		"orcid": "16 Ziffern, wie 0000-0002-1825-0097; die letzte wird geprüft.", "personal_profiles": "Eine in jeder Zeile: die Adresse, dann der Name.",
		"language": "Eine Sprache, die in diesem Browser gewählt wurde, geht vor.",
	},
	Wrong: map[string]string{
		"first_name": "Der Vorname ist zu lang", "last_name": "Der Nachname fehlt, oder die Namen sind zu lang", "orcid": "Das ist keine ORCID iD: Eine Ziffer ist falsch oder fehlt",
		"job_title": "Die Stellung ist zu lang", "location": "Der Ort ist zu lang", "bio": "Das darf höchstens 5.000 Zeichen haben",
		"personal_profiles": "Höchstens zehn, und jede beginnt mit http:// oder https://", "facebook": "Die Adresse bei Facebook beginnt mit http:// oder https://",
		"x": "Die Adresse bei X beginnt mit http:// oder https://", "linkedin": "Die Adresse bei LinkedIn beginnt mit http:// oder https://", "language": "Diese Sprache gibt es hier nicht",
	},
	AsBrowser: "Wie der Browser es vorzieht",
	Mails:     "Mails an Sie", MailsHelp: "Links, die Sie anfordern, werden immer gesendet.",
	Notices: map[string]string{
		"project": "Sie wurden in ein Projekt eingeladen", "review_handed_in": "Etwas wurde eingereicht, das Sie begutachten", "review_decided": "Eine Einreichung von Ihnen wurde angenommen oder zurückgegeben",
		"embargo_ended": "Die Sperrfrist eines Eintrags von Ihnen ist zu Ende", "file_failed": "Eine Datei von Ihnen ließ sich nicht speichern",
	},
	Picture: "Bild", PictureNow: "Ihr Bild jetzt", PictureChoose: "Bild auswählen", PictureHelp: "PNG, JPEG, GIF, WebP oder TIFF. Behalten wird eine kleine Kopie ohne das, was Kameras dazuschreiben.",
	PictureSend: "Dieses Bild verwenden", PictureRemove: "Bild entfernen", PictureWrong: "Das ist kein Bild, das sich lesen lässt, oder es ist zu groß",
	SignIn: "Anmeldung",
	Export: "Ihre Daten", ExportAbout: "Alles, was dieses Repositorium von Ihnen hat: Profil, die Beschreibung aller Ihrer Einträge in allen Versionen, Projekte, Notizen, Kommentare, Sitzungen und was Sie hier getan haben. Dateien sind nicht darin; man lädt sie bei ihren Einträgen herunter.",
	ExportButton: "Als Zip herunterladen",
	ExportTitle:  "Was %s in %s hat", ExportText: "Jede Datei ist eine Liste in JSON. Die Zahl dahinter sagt, wie lang sie ist. Nichts hier öffnet etwas: Passwörter, Tokens und Links fehlen.",
	Exported: map[string]string{
		"account": "das Konto", "profile": "Namen, Profil und Bild", "roles": "Rollen in Gruppen", "tokens": "Namen persönlicher Tokens", "sessions": "wo Sie angemeldet sind", "passkeys": "Namen von Passkeys",
		"applications": "Anwendungen, die Sie angemeldet haben", "connected_applications": "Anwendungen, die für Sie handeln dürfen", "articles": "Artikel, wie sie bearbeitet werden", "article_versions": "Versionen von Artikeln",
		"files": "Dateien ohne ihren Inhalt", "reviews": "was Sie zur Begutachtung eingereicht haben", "private_links": "private Links zu Artikeln", "collections": "Sammlungen, wie sie bearbeitet werden",
		"collection_versions": "Versionen von Sammlungen", "collection_links": "private Links zu Sammlungen", "projects": "Projekte, zu denen Sie gehören", "project_notes": "Notizen in Projekten",
		"review_comments": "Kommentare zu Begutachtungen", "changes": "was Sie geändert haben, und wann",
	},
}
