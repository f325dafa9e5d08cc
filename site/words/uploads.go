package words

// Uploads are the texts of the page of own files. Its script has them, too.
type Uploads struct {
	Title, DropText, PickFolder, PickFiles string
	NeedsScript, PickFile, UploadButton    string
	FileMissing, Uploaded, MetadataOnly    string
	Here, Nothing, NoFolder, State         string
	Delete, DeleteNamed, Deleted, InUse    string
	LinkTitle, LinkText, LinkButton        string
	LinkLabel, LinkHelp, LinkMissing       string
	LinkBad, Linked                        string
	FolderLabel, FolderHelp, FolderBad     string

	Choose, Into, Move, ArrangeHelp, NoneChosen string // files come into folders, and in order
	RenameFolder, NewName, Rename, Up, Down     string
	Moved, Ordered, Renamed, MovedElsewhere     string

	Waiting, Reading, Sending, Checking, Stored, Skipped, Failed string // states of a file
	Elsewhere, NotCompleted, PartsMissing, SomeMissing           string
	SameName, SameContent                                        string // notes at a file

	Progress, Whole, Left, SkippedMany, FailedMany, Twice string
	Pause, Resume, Retry, Paused                          string
	KeepOpen, MayClose, SomeFailed                        string
	Cut, Busy, NoAnswer, SignedOut, SignInAgain           string
	Unreadable, Changed, Incomplete, Answered             string
}

var englishUploads = Uploads{
	Title: "Files", DropText: "Drop files or folders anywhere on this page, or choose them. Folders keep their names and what is in them. Files that are here already are not sent again.",
	PickFolder: "Choose a folder", PickFiles: "Choose files",
	NeedsScript: "Without JavaScript one file is sent at a time, into no folder, and one that is cut off begins again.", PickFile: "File", UploadButton: "Upload",
	FileMissing: "Choose one file", Uploaded: "The file was uploaded, and is being checked.",
	MetadataOnly: "This is a record without files. It can have files once that is switched off where it is edited.",
	Here:         "What is here", Nothing: "There are no files yet.", NoFolder: "In no folder", State: "State",
	Delete: "Delete", DeleteNamed: "Delete %s", Deleted: "The file was deleted. Published versions keep it.", InUse: "The file is being written or checked. Try again in a moment.",
	LinkTitle: "Link a file that stays elsewhere", LinkText: "Readers are sent to the address; nothing is copied.", LinkButton: "Link file",
	LinkLabel: "Address", LinkHelp: "It begins with https:// or http://", LinkMissing: "Enter the address of the file", LinkBad: "The address must begin with https:// or http:// and name a server", Linked: "The file was linked.",
	FolderLabel: "Folder (optional)", FolderHelp: "Names of folders with / between them", FolderBad: "The folder must be names with / between them, without backslashes",

	Choose: "Choose %s", Into: "Move what is chosen into the folder", Move: "Move", ArrangeHelp: "Choose files in the list and name a folder, a new one or one that is here. Without a name they come out of their folders. The arrows put files in order, and so does dragging a row.", NoneChosen: "Choose files in the list first.",
	RenameFolder: "Rename the folder %s", NewName: "New name of %s", Rename: "Rename", Up: "Move %s up", Down: "Move %s down",
	Moved: "The files were moved.", Ordered: "The order was changed.", Renamed: "The folder was renamed.", MovedElsewhere: "Files were moved or deleted elsewhere meanwhile. This is how they are now; what you chose is still chosen, and nothing of it was done.",

	Waiting: "waiting", Reading: "being read", Sending: "being sent", Checking: "being checked", Stored: "stored and verified", Skipped: "was here already", Failed: "failed: %s",
	Elsewhere: "stays elsewhere", NotCompleted: "all parts are here, not completed: choose it again", PartsMissing: "parts are missing: choose it again", SomeMissing: "%1 of %2 parts are missing: choose it again",
	SameName: "another file of this name is in this folder; both are kept", SameContent: "has the same content as %s",

	Progress: "Upload of all files", Whole: "%d of %d files stored, %s in all", Left: "%s left", SkippedMany: "%d were here already", FailedMany: "%d failed", Twice: "%d were in the list already",
	Pause: "Pause", Resume: "Resume", Retry: "Try again", Paused: "Paused",
	KeepOpen: "Keep this page open until everything is sent. If it closes, nothing that has arrived is lost: choose the same folder again, in any browser, and only the rest is sent.",
	MayClose: "Everything is sent. This page may be closed.", SomeFailed: "The files at the top of the list are not here.",
	Cut: "No connection. The next try is in %s.", Busy: "The server is busy. The next try is in %s.", NoAnswer: "The server did not answer. Try again.",
	SignedOut: "You are signed out. Sign in again, then go on here with Resume.", SignInAgain: "Sign in, in another tab",
	Unreadable: "%s cannot be read: %s", Changed: "the file was changed or moved meanwhile: choose it again", Incomplete: "not all of it is here", Answered: "the server answered %d",
}

var germanUploads = Uploads{
	Title: "Dateien", DropText: "Ziehen Sie Dateien oder Ordner irgendwo auf diese Seite, oder wählen Sie sie aus. Ordner behalten ihre Namen und was darin ist. Was schon hier ist, wird nicht noch einmal gesendet.",
	PickFolder: "Ordner auswählen", PickFiles: "Dateien auswählen",
	NeedsScript: "Ohne JavaScript wird eine Datei auf einmal gesendet, in keinen Ordner, und eine abgebrochene beginnt von vorn.", PickFile: "Datei", UploadButton: "Hochladen",
	FileMissing: "Wählen Sie eine Datei aus", Uploaded: "Die Datei wurde hochgeladen und wird geprüft.",
	MetadataOnly: "Dies ist ein Eintrag ohne Dateien. Er kann welche haben, sobald das beim Bearbeiten abgeschaltet ist.",
	Here:         "Was hier ist", Nothing: "Noch gibt es keine Dateien.", NoFolder: "In keinem Ordner", State: "Zustand",
	Delete: "Löschen", DeleteNamed: "%s löschen", Deleted: "Die Datei wurde gelöscht. Veröffentlichte Versionen behalten sie.", InUse: "Die Datei wird gerade geschrieben oder geprüft. Gleich geht es.",
	LinkTitle: "Eine Datei verlinken, die woanders bleibt", LinkText: "Leserinnen und Leser werden zu der Adresse geleitet; kopiert wird nichts.", LinkButton: "Datei verlinken",
	LinkLabel: "Adresse", LinkHelp: "Sie beginnt mit https:// oder http://", LinkMissing: "Die Adresse der Datei fehlt", LinkBad: "Die Adresse muss mit https:// oder http:// beginnen und einen Server nennen", Linked: "Die Datei wurde verlinkt.",
	FolderLabel: "Ordner (freiwillig)", FolderHelp: "Namen von Ordnern mit / dazwischen", FolderBad: "Der Ordner muss aus Namen mit / dazwischen bestehen, ohne umgekehrte Schrägstriche",

	Choose: "%s auswählen", Into: "Ausgewähltes in den Ordner verschieben", Move: "Verschieben", ArrangeHelp: "Wählen Sie Dateien in der Liste aus und nennen Sie einen Ordner, einen neuen oder einen von hier. Ohne Namen kommen sie aus ihren Ordnern heraus. Die Pfeile ordnen die Dateien, und ebenso das Ziehen einer Zeile.", NoneChosen: "Wählen Sie zuerst Dateien in der Liste aus.",
	RenameFolder: "Den Ordner %s umbenennen", NewName: "Neuer Name von %s", Rename: "Umbenennen", Up: "%s nach oben", Down: "%s nach unten",
	Moved: "Die Dateien wurden verschoben.", Ordered: "Die Reihenfolge wurde geändert.", Renamed: "Der Ordner wurde umbenannt.", MovedElsewhere: "Dateien wurden inzwischen woanders verschoben oder gelöscht. So sind sie jetzt; was Sie ausgewählt haben, ist noch ausgewählt, und nichts davon wurde getan.",

	Waiting: "wartet", Reading: "wird gelesen", Sending: "wird gesendet", Checking: "wird geprüft", Stored: "gespeichert und geprüft", Skipped: "war schon hier", Failed: "fehlgeschlagen: %s",
	Elsewhere: "bleibt woanders", NotCompleted: "alle Teile sind hier, nicht abgeschlossen: noch einmal auswählen", PartsMissing: "es fehlen Teile: noch einmal auswählen", SomeMissing: "%1 von %2 Teilen fehlen: noch einmal auswählen",
	SameName: "eine andere Datei dieses Namens ist in diesem Ordner; beide bleiben", SameContent: "hat denselben Inhalt wie %s",

	Progress: "Hochladen aller Dateien", Whole: "%d von %d Dateien gespeichert, insgesamt %s", Left: "noch %s", SkippedMany: "%d waren schon hier", FailedMany: "%d fehlgeschlagen", Twice: "%d standen schon in der Liste",
	Pause: "Anhalten", Resume: "Fortsetzen", Retry: "Noch einmal", Paused: "Angehalten",
	KeepOpen: "Lassen Sie diese Seite offen, bis alles gesendet ist. Schließt sie sich, geht nichts verloren, was angekommen ist: Wählen Sie denselben Ordner noch einmal aus, in irgendeinem Browser, und nur der Rest wird gesendet.",
	MayClose: "Alles ist gesendet. Diese Seite kann geschlossen werden.", SomeFailed: "Die Dateien oben in der Liste sind nicht hier.",
	Cut: "Keine Verbindung. Der nächste Versuch ist in %s.", Busy: "Der Server ist ausgelastet. Der nächste Versuch ist in %s.", NoAnswer: "Der Server hat nicht geantwortet. Bitte noch einmal.",
	SignedOut: "Sie sind abgemeldet. Melden Sie sich wieder an, und gehen Sie hier mit Fortsetzen weiter.", SignInAgain: "Anmelden, in einem anderen Tab",
	Unreadable: "%s ist nicht lesbar: %s", Changed: "die Datei wurde inzwischen geändert oder verschoben: noch einmal auswählen", Incomplete: "es ist nicht alles hier", Answered: "der Server antwortete mit %d",
}
