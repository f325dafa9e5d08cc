package words

// Mine are the texts of the pages on which a person keeps what it has.
type Mine struct {
	MyData, Items, Collections, Projects           string
	NewItem, NewCollection, NewProject             string
	TitleOfItem, TitleOfCollection, TitleOfProject string
	TitleWrong                                     string
	UsedAll, UsedOf, UploadOne, UploadMany         string
	SearchBox, SearchShort, NothingFound           string
	Everything                                     string
	NoItems, NoCollections, NoProjects             string
	LastChange                                     string
	State, Holds, ArticleOne, ArticleMany          string
	Draft, Private, Public, Changed, Withdrawn     string
	Review, Returned, Held, Deleted, Gone          string
	Roles                                          map[string]string
	FirstDeposit                                   string // on the first page of an empty repository
}

var englishMine = Mine{
	MyData: "My data", Items: "Items", Collections: "Collections", Projects: "Projects",
	NewItem: "New item", NewCollection: "New collection", NewProject: "New project",
	TitleOfItem: "Title of the new item", TitleOfCollection: "Title of the new collection", TitleOfProject: "Title of the new project",
	TitleWrong: "A title has at least 3 characters, and of a project at most 500",
	UsedAll:    "%s used", UsedOf: "%s of %s used", UploadOne: "1 upload is not complete", UploadMany: "%d uploads are not complete",
	SearchBox: "Search in my data", SearchShort: "A search in own data needs a word of at least 4 characters.", NothingFound: "Nothing of it has these words.",
	Everything: "Show all",
	NoItems:    "There is nothing yet. Give the first item a title above: it stays a draft until it is published.", NoCollections: "There is no collection yet. A collection puts items together under one title and DOI.", NoProjects: "There is no project yet. In a project several people work on items.",
	LastChange: "Last change", State: "State", Holds: "Content", ArticleOne: "1 item", ArticleMany: "%d items",
	Draft: "Draft", Private: "Private", Public: "Published", Changed: "Changed since published", Withdrawn: "Withdrawn",
	Review: "Under review", Returned: "Returned by review", Held: "Published when the embargo ends", Deleted: "The draft was deleted.", Gone: "It was deleted.",
	Roles:        map[string]string{"Owner": "Owner", "Collaborator": "Collaborator", "Viewer": "Viewer"},
	FirstDeposit: "Make the first item in the browser",
}

var germanMine = Mine{
	MyData: "Meine Daten", Items: "Einträge", Collections: "Sammlungen", Projects: "Projekte",
	NewItem: "Neuer Eintrag", NewCollection: "Neue Sammlung", NewProject: "Neues Projekt",
	TitleOfItem: "Titel des neuen Eintrags", TitleOfCollection: "Titel der neuen Sammlung", TitleOfProject: "Titel des neuen Projekts",
	TitleWrong: "Ein Titel hat mindestens 3 Zeichen, der eines Projekts höchstens 500",
	UsedAll:    "%s belegt", UsedOf: "%s von %s belegt", UploadOne: "1 Datei ist noch nicht ganz hochgeladen", UploadMany: "%d Dateien sind noch nicht ganz hochgeladen",
	SearchBox: "In meinen Daten suchen", SearchShort: "Die Suche in eigenen Daten braucht ein Wort von mindestens 4 Zeichen.", NothingFound: "Nichts davon hat diese Wörter.",
	Everything: "Alles zeigen",
	NoItems:    "Noch ist nichts da. Geben Sie oben dem ersten Eintrag einen Titel: Er bleibt ein Entwurf, bis er veröffentlicht wird.", NoCollections: "Es gibt noch keine Sammlung. Eine Sammlung fasst Einträge unter einem Titel und einer DOI zusammen.", NoProjects: "Es gibt noch kein Projekt. In einem Projekt arbeiten mehrere an Einträgen.",
	LastChange: "Zuletzt geändert", State: "Stand", Holds: "Inhalt", ArticleOne: "1 Eintrag", ArticleMany: "%d Einträge",
	Draft: "Entwurf", Private: "Privat", Public: "Veröffentlicht", Changed: "Seitdem geändert", Withdrawn: "Zurückgezogen",
	Review: "In Begutachtung", Returned: "Von der Begutachtung zurück", Held: "Erscheint, wenn die Sperrfrist endet", Deleted: "Der Entwurf wurde gelöscht.", Gone: "Es wurde gelöscht.",
	Roles:        map[string]string{"Owner": "Eigentum", "Collaborator": "Mitarbeit", "Viewer": "Lesend"},
	FirstDeposit: "Den ersten Eintrag im Browser anlegen",
}
