package words

// Edit are the texts of the forms in which items are described and published.
type Edit struct {
	Save, Saved, Unsaved, Saving, NotSaved, SavedAt                                                                                                                                                           string
	Stale, Merged, BothChanged, TheirValue, TakeTheirs, Nothing, ChangedElsewhere, LoadAgain                                                                                                                  string
	AboutSection, PeopleSection, SortsSection, LinksSection, FieldsSection, TermsSection, DatesSection, FilesSection, EmbargoSection                                                                          string
	FilesText, FilesLink, NoFiles                                                                                                                                                                             string
	Description, DescriptionHelp                                                                                                                                                                              string
	Authors, AuthorsHelp, AuthorName, ORCID, ORCIDHelp, Place, Row, MoreRows, AddRow, RemoveRow, RowUp, AuthorTaken                                                                                           string
	CategoriesHelp, FindCategory, FindButton, FoundLabel, NoCategory, AllCategories, FilterCategories                                                                                                         string
	LineEach                                                                                                                                                                                                  string
	Licences                                                                                                                                                                                                  map[int64]string
	Grants, GrantsHelp, FundingText                                                                                                                                                                           string
	RelatedWorks, RelatedHelp, Identifier, IdentifierType, Relation, RelatedTitle, Linkout                                                                                                                    string
	ResourceTitle, ResourceDOI, ResourceHelp                                                                                                                                                                  string
	Needed                                                                                                                                                                                                    string
	MetadataOnly, MetadataReason, DownloadDisabled, Group, GroupHelp, GroupKeep, Handle                                                                                                                       string
	Embargo, EmbargoNone, EmbargoFiles, EmbargoFilesHelp, EmbargoAll, EmbargoAllHelp                                                                                                                          string
	EmbargoDate, EmbargoDateHelp, EmbargoTitle, EmbargoReason                                                                                                                                                 string
	LetIn, LetInHelp, LetInSignedIn, LetInAdministrators                                                                                                                                                      string
	FirstOnline, PublicationDate, AcceptanceDate                                                                                                                                                              string
	Checklist, Ready, LacksTitle, LacksAuthors, LacksField, LacksFile                                                                                                                                         string
	Advice, AdviceFiles, AdviceDescription, AdviceCategories, AdviceTags                                                                                                                                      string
	Agree, Agreed, AgreementMissing, ReadAgreement                                                                                                                                                            string // of the deposit agreement
	Preview, PreviewNotice, BackToForm, ToPublic                                                                                                                                                              string
	PublishVersion, HandIn, PublishTitle, HandInTitle, PublishText, HandInText, NotYet, WillBe, PublishedNow, Waits                                                                                           string
	MembersLink, Members, MembersText, MembersNone, MembersSave, MembersOut, MembersFind, MembersFound, MembersAdd, MembersMany, MembersWrong, MembersPublic                                                  string
	ChangedMeanwhile, NotPublic, UnpublishFirst                                                                                                                                                               string
	NoDOIYet, Changes, NoChanges, FilesChange, EmbargoKeeps, EmbargoKeepsFiles, NoEmbargo                                                                                                                     string
	ReserveDOI, ReserveText, Reserved                                                                                                                                                                         string
	Links, LinksText, MakeLink, LinkUntil, LinkUntilHelp, LinkAnonymous, LinkAnonymousHelp, LinkMade, LinkEnded, EndLink, EndLinkText, LinkActive, LinkOver, LinkAddress, NoLinks, LinkDateWrong, LinkRefused string
	Unpublish, UnpublishText, Reason, ReasonHelp, PublicReason, PublicReasonHelp, ReasonWrong, WithdrawnNow                                                                                                   string
	Delete, DeleteTitle, DeleteText                                                                                                                                                                           string
	Wrong                                                                                                                                                                                                     map[string]string // by key of the API
}

var englishEdit = Edit{
	Save: "Save", Saved: "Saved.", Unsaved: "Not saved yet", Saving: "Saving", NotSaved: "Not saved: %s", SavedAt: "Saved at %s",
	Stale:       "This was changed in another window meanwhile. Nothing of this form is saved yet. Where both changed the same, the saved value stands above yours.",
	Merged:      "This was changed in another window meanwhile. What was saved there is in the form now, beside what was written here. Save to keep both.",
	BothChanged: "changed here and elsewhere", TheirValue: "Saved meanwhile: %s", TakeTheirs: "Keep the saved value", Nothing: "nothing",
	ChangedElsewhere: "This was changed in another window. Saving by itself has stopped.", LoadAgain: "Show both",
	AboutSection: "Title and description", PeopleSection: "People", SortsSection: "Classification and licence", LinksSection: "Links and funding", FieldsSection: "Fields of the group", TermsSection: "When and for whom", DatesSection: "Dates of the publication", FilesSection: "Files", EmbargoSection: "Embargo",
	FilesText: "Files are uploaded on a page of their own.", FilesLink: "Files of this item", NoFiles: "No files yet",
	Description: "Description", DescriptionHelp: "What is in it, how it came about, and how to read it. Plain text or simple HTML.",
	Authors: "Authors", AuthorsHelp: "In the order of the citation. An empty name takes an author out.", AuthorName: "Name", ORCID: "ORCID", ORCIDHelp: "ORCID such as 0000-0002-1825-0097", Place: "Place", Row: "%s %d", MoreRows: "More rows", AddRow: "Add a row", RemoveRow: "Remove", RowUp: "Up", AuthorTaken: "%s is taken from the people of this repository",
	CategoriesHelp: "Fields of research that readers look under.", FindCategory: "Find a category", FindButton: "Find categories", FoundLabel: "Found categories", NoCategory: "No category has these words", AllCategories: "All categories", FilterCategories: "Words in a category",
	LineEach: "One in each line.",
	Licences: map[int64]string{
		1: "Everybody may use it for anything and has to name you.", 2: "Everybody may use it for anything. You give up all rights.", 3: "For software: everybody may use it and keeps your notice.",
		4: "For software: whoever passes it on does so under the GPL.", 5: "For software: the GPL in version 2 or a later one.", 6: "For software: the GPL in version 3 or a later one.", 7: "For software: everybody may use it; patents are granted, changes are told.",
		8: "As CC BY, and what is made of it has the same licence.", 9: "As CC BY, but only unchanged copies may be passed on.", 10: "As CC BY, but not for commercial use.",
		11: "Not for commercial use, and what is made of it has the same licence.", 12: "Unchanged, not for commercial use.", 43: "All rights are kept: others have to ask.",
	},
	Grants: "Grants", GrantsHelp: "One in each line: the funder and the number of the grant.", FundingText: "Funding in words",
	RelatedWorks: "References and related works", RelatedHelp: "Papers, data and programs that this belongs with. A DOI is checked for its form.", Identifier: "DOI or address", IdentifierType: "Type", Relation: "Relation", RelatedTitle: "Title", Linkout: "Show it prominently",
	ResourceTitle: "Title of the publication", ResourceDOI: "DOI of the publication", ResourceHelp: "The paper that this item belongs to.",
	Needed:       "needed to publish",
	MetadataOnly: "This item has no files", MetadataReason: "Why it has none", DownloadDisabled: "Switch off downloads", Group: "Group", GroupHelp: "The group decides on fields and on reviews.", GroupKeep: "The group of now", Handle: "Handle",
	Embargo: "What is held back", EmbargoNone: "Nothing: all of it is public", EmbargoFiles: "The files", EmbargoFilesHelp: "The description is public, the files are not.", EmbargoAll: "All of it", EmbargoAllHelp: "Nothing is public until the day below.",
	EmbargoDate: "Until", EmbargoDateHelp: "The day on which it ends, at 00:00 UTC. Files without a day are held back for good.", EmbargoTitle: "Heading of the embargo", EmbargoReason: "Reason for readers",
	LetIn: "Who gets the files all the same", LetInHelp: "Only while the files are held back.", LetInSignedIn: "People who are signed in", LetInAdministrators: "Administrators of the group",
	FirstOnline: "First online", PublicationDate: "Publisher: published", AcceptanceDate: "Publisher: accepted",
	Checklist: "Before publishing", Ready: "Nothing is missing.", LacksTitle: "A title", LacksAuthors: "At least one author", LacksField: "The field %s", LacksFile: "The file %s is not complete",
	Advice: "Readers will miss", AdviceFiles: "Files", AdviceDescription: "A description", AdviceCategories: "A category", AdviceTags: "Keywords",
	Agree: "I have read it and accept it for this version", Agreed: "Agreement accepted", AgreementMissing: "Accept the deposit agreement to publish", ReadAgreement: "Read the deposit agreement",
	Preview: "Preview", PreviewNotice: "This is a preview: readers see nothing of it until it is published.", BackToForm: "Back to the form", ToPublic: "The public page",
	PublishVersion: "Publish version %d", HandIn: "Hand in for review", PublishTitle: "Publish version %d", HandInTitle: "Hand in for review", PublishText: "This cannot be undone, but versions can follow.", HandInText: "The group reviews it first. It is published as it is now, once it is approved.", NotYet: "It cannot be published yet. It lacks:", WillBe: "What will be public", PublishedNow: "It is published.", Waits: "It was handed in, and is public as soon as nothing holds it back any more.",
	MembersLink: "Choose the items of this collection", Members: "Items of the collection", MembersText: "The order is that of the places. Readers see the items that are public.", MembersNone: "There is no item in it yet.", MembersSave: "Save the order", MembersOut: "Take out", MembersFind: "Words in items", MembersFound: "My items and public ones", MembersAdd: "Add what is chosen", MembersMany: "There are too many items to put in order on a page; they can be added and taken out.", MembersWrong: "Choose items of the list", MembersPublic: "public",
	ChangedMeanwhile: "It was changed meanwhile. Look at it again, as it is now.", NotPublic: "Nothing of it is public.", UnpublishFirst: "It is public: unpublish it first.",
	NoDOIYet: "It gets a DOI when it is published.", Changes: "What changes since version %d", NoChanges: "Nothing in the description", FilesChange: "Files: %s", EmbargoKeeps: "Nothing of it is public until %s.", EmbargoKeepsFiles: "The files are held back.", NoEmbargo: "Everything, at once",
	ReserveDOI: "Reserve the DOI", ReserveText: "The DOI stays with this item for good, and works once it is published.", Reserved: "The DOI is reserved.",
	Links: "Private links", LinksText: "People with the link see the draft without an account.", MakeLink: "Make link", LinkUntil: "Until", LinkUntilHelp: "Without a day it lives for a year.", LinkAnonymous: "Anonymous", LinkAnonymousHelp: "Everything that names people is left out, for reviews.", LinkMade: "The link is made.", LinkEnded: "The link was ended.", EndLink: "End link", EndLinkText: "Whoever has the link gets nothing any more. This cannot be undone.", LinkActive: "Open until %s", LinkOver: "Ended", LinkAddress: "Address", NoLinks: "There is no link.", LinkDateWrong: "This is no day in the future", LinkRefused: "The link was not made: %s",
	Unpublish: "Unpublish", UnpublishText: "All public versions are withdrawn. The page stays with title, authors, date and DOI; the DOI is never given again. The draft stays.", Reason: "Reason", ReasonHelp: "For those who run the repository, 5 to 500 characters.", PublicReason: "Reason for readers", PublicReasonHelp: "Stands on the page that is left.", ReasonWrong: "A reason has 5 to 500 characters", WithdrawnNow: "The item is withdrawn.",
	Delete: "Delete the draft", DeleteTitle: "Delete the draft", DeleteText: "The draft is deleted with its files. This cannot be undone.",
	Wrong: map[string]string{
		"title": "A title has at least 3 characters", "license": "Choose a licence of the list", "defined_type": "Choose a type of the list", "group_id": "You cannot put items into this group",
		"funding": "This is too long, or has an address that is not one of the web", "funding_list": "A grant has at most 2000 characters", "categories": "One of the categories does not exist",
		"is_metadata_record": "The item has files: delete them first", "timeline": "A date has the form 2026-05-04", "resource_doi": "A DOI looks like 10.1234/name", "doi": "This DOI cannot be used: it belongs to another item, or is none", "handle": "This handle cannot be used: it belongs to another item, or is none",
		"authors": "An author needs a name, and an ORCID with the right last digit", "related_materials": "A related work needs a DOI or an address of the right form", "embargo": "An embargo needs a day in the future, or for files none", "resource": "This is too long",
	},
}

var germanEdit = Edit{
	Save: "Speichern", Saved: "Gespeichert.", Unsaved: "Noch nicht gespeichert", Saving: "Wird gespeichert", NotSaved: "Nicht gespeichert: %s", SavedAt: "Gespeichert um %s",
	Stale:       "Das wurde inzwischen in einem anderen Fenster geändert. Von diesem Formular ist noch nichts gespeichert. Wo beide dasselbe änderten, steht der gespeicherte Wert über Ihrem.",
	Merged:      "Das wurde inzwischen in einem anderen Fenster geändert. Was dort gespeichert wurde, steht jetzt mit im Formular, neben dem, was hier geschrieben wurde. Speichern behält beides.",
	BothChanged: "hier und anderswo geändert", TheirValue: "Inzwischen gespeichert: %s", TakeTheirs: "Den gespeicherten Wert behalten", Nothing: "nichts",
	ChangedElsewhere: "Das wurde in einem anderen Fenster geändert. Von selbst wird nicht mehr gespeichert.", LoadAgain: "Beides zeigen",
	AboutSection: "Titel und Beschreibung", PeopleSection: "Personen", SortsSection: "Einordnung und Lizenz", LinksSection: "Verweise und Förderung", FieldsSection: "Felder der Gruppe", TermsSection: "Wann und für wen", DatesSection: "Daten der Veröffentlichung", FilesSection: "Dateien", EmbargoSection: "Sperrfrist",
	FilesText: "Dateien haben eine eigene Seite.", FilesLink: "Dateien dieses Eintrags", NoFiles: "Noch keine Dateien",
	Description: "Beschreibung", DescriptionHelp: "Was darin ist, wie es entstand und wie man es liest. Text oder einfaches HTML.",
	Authors: "Autorinnen und Autoren", AuthorsHelp: "In der Reihenfolge des Zitats. Ein leerer Name nimmt die Person heraus.", AuthorName: "Name", ORCID: "ORCID", ORCIDHelp: "ORCID wie 0000-0002-1825-0097", Place: "Platz", Row: "%s %d", MoreRows: "Mehr Zeilen", AddRow: "Zeile hinzufügen", RemoveRow: "Entfernen", RowUp: "Nach oben", AuthorTaken: "%s ist aus den Personen dieses Repositoriums übernommen",
	CategoriesHelp: "Fachgebiete, unter denen gesucht wird.", FindCategory: "Fachgebiet suchen", FindButton: "Fachgebiete suchen", FoundLabel: "Gefundene Fachgebiete", NoCategory: "Kein Fachgebiet hat diese Wörter", AllCategories: "Alle Fachgebiete", FilterCategories: "Wörter eines Fachgebiets",
	LineEach: "Je Zeile eines.",
	Licences: map[int64]string{
		1: "Alle dürfen es für alles nutzen und müssen Sie nennen.", 2: "Alle dürfen es für alles nutzen. Sie verzichten auf alle Rechte.", 3: "Für Software: Alle dürfen sie nutzen und behalten Ihren Hinweis.",
		4: "Für Software: Wer sie weitergibt, tut es unter der GPL.", 5: "Für Software: die GPL in Version 2 oder einer späteren.", 6: "Für Software: die GPL in Version 3 oder einer späteren.", 7: "Für Software: Alle dürfen sie nutzen; Patente sind erlaubt, Änderungen werden genannt.",
		8: "Wie CC BY, und was daraus entsteht, hat dieselbe Lizenz.", 9: "Wie CC BY, aber nur unveränderte Kopien dürfen weitergegeben werden.", 10: "Wie CC BY, aber nicht für gewerbliche Nutzung.",
		11: "Nicht gewerblich, und was daraus entsteht, hat dieselbe Lizenz.", 12: "Unverändert und nicht gewerblich.", 43: "Alle Rechte bleiben: Andere müssen fragen.",
	},
	Grants: "Förderungen", GrantsHelp: "Je Zeile eine: Förderer und Nummer.", FundingText: "Förderung in Worten",
	RelatedWorks: "Literatur und verwandte Werke", RelatedHelp: "Aufsätze, Daten und Programme, zu denen dies gehört. Die Form einer DOI wird geprüft.", Identifier: "DOI oder Adresse", IdentifierType: "Art", Relation: "Beziehung", RelatedTitle: "Titel", Linkout: "Hervorheben",
	ResourceTitle: "Titel der Veröffentlichung", ResourceDOI: "DOI der Veröffentlichung", ResourceHelp: "Der Aufsatz, zu dem dieser Eintrag gehört.",
	Needed:       "zum Veröffentlichen nötig",
	MetadataOnly: "Dieser Eintrag hat keine Dateien", MetadataReason: "Warum er keine hat", DownloadDisabled: "Herunterladen abschalten", Group: "Gruppe", GroupHelp: "Die Gruppe bestimmt Felder und Begutachtung.", GroupKeep: "Die jetzige Gruppe", Handle: "Handle",
	Embargo: "Was zurückgehalten wird", EmbargoNone: "Nichts: alles ist öffentlich", EmbargoFiles: "Die Dateien", EmbargoFilesHelp: "Die Beschreibung ist öffentlich, die Dateien nicht.", EmbargoAll: "Alles", EmbargoAllHelp: "Nichts ist öffentlich bis zu dem Tag unten.",
	EmbargoDate: "Bis", EmbargoDateHelp: "Der Tag, an dem es endet, um 00:00 UTC. Dateien ohne Tag bleiben für immer zurückgehalten.", EmbargoTitle: "Überschrift der Sperrfrist", EmbargoReason: "Grund für Lesende",
	LetIn: "Wer die Dateien trotzdem bekommt", LetInHelp: "Nur solange die Dateien zurückgehalten sind.", LetInSignedIn: "Angemeldete", LetInAdministrators: "Wer die Gruppe verwaltet",
	FirstOnline: "Zuerst online", PublicationDate: "Verlag: veröffentlicht", AcceptanceDate: "Verlag: angenommen",
	Checklist: "Vor dem Veröffentlichen", Ready: "Es fehlt nichts.", LacksTitle: "Ein Titel", LacksAuthors: "Mindestens eine Person", LacksField: "Das Feld %s", LacksFile: "Die Datei %s ist nicht vollständig",
	Advice: "Lesende werden vermissen", AdviceFiles: "Dateien", AdviceDescription: "Eine Beschreibung", AdviceCategories: "Ein Fachgebiet", AdviceTags: "Schlagwörter",
	Agree: "Ich habe sie gelesen und nehme sie für diese Version an", Agreed: "Vereinbarung angenommen", AgreementMissing: "Nehmen Sie die Vereinbarung zur Ablage an, um zu veröffentlichen", ReadAgreement: "Die Vereinbarung zur Ablage lesen",
	Preview: "Vorschau", PreviewNotice: "Dies ist eine Vorschau: Lesende sehen nichts davon, bevor es veröffentlicht ist.", BackToForm: "Zurück zum Formular", ToPublic: "Die öffentliche Seite",
	PublishVersion: "Version %d veröffentlichen", HandIn: "Zur Begutachtung geben", PublishTitle: "Version %d veröffentlichen", HandInTitle: "Zur Begutachtung geben", PublishText: "Das lässt sich nicht rückgängig machen, aber es können Versionen folgen.", HandInText: "Die Gruppe begutachtet es zuerst. Es erscheint so, wie es jetzt ist, sobald es angenommen ist.", NotYet: "Es kann noch nicht veröffentlicht werden. Es fehlt:", WillBe: "Was öffentlich wird", PublishedNow: "Es ist veröffentlicht.", Waits: "Es ist abgegeben und wird öffentlich, sobald nichts es mehr zurückhält.",
	MembersLink: "Einträge dieser Sammlung wählen", Members: "Einträge der Sammlung", MembersText: "Die Reihenfolge ist die der Plätze. Lesende sehen, was davon öffentlich ist.", MembersNone: "Noch ist kein Eintrag darin.", MembersSave: "Reihenfolge speichern", MembersOut: "Herausnehmen", MembersFind: "Wörter in Einträgen", MembersFound: "Meine Einträge und öffentliche", MembersAdd: "Gewählte hinzufügen", MembersMany: "Es sind zu viele Einträge, um sie auf einer Seite zu ordnen; sie lassen sich hinzufügen und herausnehmen.", MembersWrong: "Wählen Sie Einträge der Liste", MembersPublic: "öffentlich",
	ChangedMeanwhile: "Das wurde inzwischen geändert. Sehen Sie es noch einmal an, wie es jetzt ist.", NotPublic: "Nichts davon ist öffentlich.", UnpublishFirst: "Es ist öffentlich: Ziehen Sie es zuerst zurück.",
	NoDOIYet: "Es bekommt eine DOI, wenn es veröffentlicht wird.", Changes: "Was sich seit Version %d ändert", NoChanges: "Nichts in der Beschreibung", FilesChange: "Dateien: %s", EmbargoKeeps: "Nichts davon ist öffentlich bis %s.", EmbargoKeepsFiles: "Die Dateien werden zurückgehalten.", NoEmbargo: "Alles, sofort",
	ReserveDOI: "DOI reservieren", ReserveText: "Die DOI bleibt für immer bei diesem Eintrag und führt zu ihm, sobald er veröffentlicht ist.", Reserved: "Die DOI ist reserviert.",
	Links: "Private Links", LinksText: "Wer den Link hat, sieht den Entwurf ohne Konto.", MakeLink: "Link anlegen", LinkUntil: "Bis", LinkUntilHelp: "Ohne Tag gilt er ein Jahr.", LinkAnonymous: "Anonym", LinkAnonymousHelp: "Alles, was Personen nennt, fehlt: für Begutachtungen.", LinkMade: "Der Link ist angelegt.", LinkEnded: "Der Link ist beendet.", EndLink: "Link beenden", EndLinkText: "Wer den Link hat, bekommt nichts mehr. Das lässt sich nicht rückgängig machen.", LinkActive: "Offen bis %s", LinkOver: "Beendet", LinkAddress: "Adresse", NoLinks: "Es gibt keinen Link.", LinkDateWrong: "Das ist kein Tag in der Zukunft", LinkRefused: "Der Link wurde nicht angelegt: %s",
	Unpublish: "Zurückziehen", UnpublishText: "Alle öffentlichen Versionen werden zurückgezogen. Die Seite bleibt mit Titel, Namen, Datum und DOI; die DOI wird nie wieder vergeben. Der Entwurf bleibt.", Reason: "Grund", ReasonHelp: "Für die, die das Repositorium betreiben, 5 bis 500 Zeichen.", PublicReason: "Grund für Lesende", PublicReasonHelp: "Steht auf der Seite, die bleibt.", ReasonWrong: "Ein Grund hat 5 bis 500 Zeichen", WithdrawnNow: "Der Eintrag ist zurückgezogen.",
	Delete: "Entwurf löschen", DeleteTitle: "Entwurf löschen", DeleteText: "Der Entwurf wird mit seinen Dateien gelöscht. Das lässt sich nicht rückgängig machen.",
	Wrong: map[string]string{
		"title": "Ein Titel hat mindestens 3 Zeichen", "license": "Wählen Sie eine Lizenz der Liste", "defined_type": "Wählen Sie einen Typ der Liste", "group_id": "In diese Gruppe können Sie nichts legen",
		"funding": "Das ist zu lang oder hat eine Adresse, die keine des Webs ist", "funding_list": "Eine Förderung hat höchstens 2000 Zeichen", "categories": "Eines der Fachgebiete gibt es nicht",
		"is_metadata_record": "Der Eintrag hat Dateien: Löschen Sie sie zuerst", "timeline": "Ein Datum hat die Form 2026-05-04", "resource_doi": "Eine DOI sieht aus wie 10.1234/name", "doi": "Diese DOI geht nicht: Sie gehört zu einem anderen Eintrag oder ist keine", "handle": "Dieses Handle geht nicht: Es gehört zu einem anderen Eintrag oder ist keines",
		"authors": "Eine Person braucht einen Namen, und eine ORCID die richtige letzte Ziffer", "related_materials": "Ein verwandtes Werk braucht eine DOI oder Adresse in der richtigen Form", "embargo": "Eine Sperrfrist braucht einen Tag in der Zukunft, oder für Dateien keinen", "resource": "Das ist zu lang",
	},
}
