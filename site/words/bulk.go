package words

// Bulk are the texts of the pages that change several items at once.
type Bulk struct {
	Choose, ChooseAll, Change, Download, Import   string // in the list of items
	Title, Text, Stays, AddTags, RemoveTags       string
	AddGrants, AddCategories, IntoCollection      string
	JoinsCollection, ShowChanges                  string
	NoItems, TooMany, ListLong, BackToItems       string
	Keys                                          map[string]string // of the API
	Becomes                                       string            // %field, %was, %is
	PreviewTitle, PreviewText, NothingChanges     string
	ApplyOne, ApplyMany, DoneTitle                string
	ChangedOne, ChangedMany                       string
	RefusedOne, RefusedMany                       string
	Item, Changes, NoChange, IsRefused, IsChanged string
	Line, NotShown, Fault                         string
	ImportTitle, ImportText, ImportFile           string
	ImportHelp, ImportButton                      string
	NoTable, TableLong, TableEncoding             string
	TableBroken, TableOld                         string
	ColumnUnknown, ColumnTwice, NoIDs             string
	CellsWrong, IDWrong, IDTwice                  string
	FieldNone, FieldName                          string
	FindCollection, FindCollectionButton          string
}

var englishBulk = Bulk{
	Choose: "Choose %s", ChooseAll: "Choose all of this page", Change: "Change what is chosen", Download: "Table of what is chosen, or of the 5,000 changed last (CSV)", Import: "Bring a table in",
	Title: "Change several items", Text: "What is left empty stays as it is. The next page shows what changes before anything does.", Stays: "stays as it is", AddTags: "Keywords to add", RemoveTags: "Keywords to remove",
	AddGrants: "Grants to add", AddCategories: "Categories to add", IntoCollection: "Add them to a collection",
	JoinsCollection: "Comes into the collection %s", ShowChanges: "Show what changes",
	NoItems: "Choose items in the list first.", TooMany: "At most 200 items are changed at once.", ListLong: "At most 200 keywords, grants or categories are added or removed at once.", BackToItems: "Back to the items",
	Keys: map[string]string{
		"title": "Title", "description": "Description", "defined_type": "Type", "license": "Licence", "tags": "Keywords", "funding": "Funding in words", "funding_list": "Grants", "categories": "Categories",
		"group_id": "Group", "authors": "Authors", "embargo": "What is held back", "resource": "Publication", "custom_fields_list": "Fields of the group",
	},
	Becomes:      "%field: %was → %is",
	PreviewTitle: "What will change", PreviewText: "Nothing is changed yet.", NothingChanges: "Nothing changes.",
	ApplyOne: "Change 1 item", ApplyMany: "Change %d items", DoneTitle: "What was changed",
	ChangedOne: "1 item was changed.", ChangedMany: "%d items were changed.",
	RefusedOne: "1 line is not changed. The table says why.", RefusedMany: "%d lines are not changed. The table says why.",
	Item: "Item", Changes: "Changes", NoChange: "No change", IsRefused: "Not changed:", IsChanged: "Changed",
	Line: "Line", NotShown: "Look at what changes first.", Fault: "The server has met a fault. This item was not tried.",
	ImportTitle: "Bring a table in", ImportText: "Take the table out, change cells in it, and bring it in again. Lines and columns can be left out; an item is known by its id. The next page shows what changes before anything does.", ImportFile: "Table (CSV, UTF-8)",
	ImportHelp: "At most 1000 lines and 750 kB. Several values in a cell have a bar | between them.", ImportButton: "Show what changes",
	NoTable: "Choose a table with a line for an item", TableLong: "The table has more than 1000 lines or 750 kB: bring it in in parts", TableEncoding: "The table is not in UTF-8: save it as “CSV UTF-8”",
	TableBroken: "Line %d cannot be read: a quotation mark stands where none may", TableOld: "The item was changed after this table was taken out. Take it out again, or leave the column state away.",
	ColumnUnknown: "The column %s is not read.", ColumnTwice: "The column %s is there twice", NoIDs: "The first line must name the columns, and id must be one of them",
	CellsWrong: "The line has another number of cells than the first one.", IDWrong: "The id is not one of an item.", IDTwice: "The item is in line %d already.",
	FieldNone: "The group of the item has no such field", FieldName: "name of a field of the group",
	FindCollection: "Find another of my collections by its words", FindCollectionButton: "Find collections",
}

var germanBulk = Bulk{
	Choose: "%s auswählen", ChooseAll: "Alle dieser Seite auswählen", Change: "Ausgewähltes ändern", Download: "Tabelle des Ausgewählten, oder der 5000 zuletzt geänderten (CSV)", Import: "Eine Tabelle einlesen",
	Title: "Mehrere Einträge ändern", Text: "Was leer bleibt, ändert sich nicht. Die nächste Seite zeigt, was sich ändert, bevor etwas geschieht.", Stays: "bleibt, wie es ist", AddTags: "Schlagwörter hinzufügen", RemoveTags: "Schlagwörter entfernen",
	AddGrants: "Förderungen hinzufügen", AddCategories: "Fachgebiete hinzufügen", IntoCollection: "In eine Sammlung aufnehmen",
	JoinsCollection: "Kommt in die Sammlung %s", ShowChanges: "Zeigen, was sich ändert",
	NoItems: "Wählen Sie zuerst Einträge in der Liste.", TooMany: "Höchstens 200 Einträge werden auf einmal geändert.", ListLong: "Höchstens 200 Schlagwörter, Förderungen oder Fachgebiete kommen oder gehen auf einmal.", BackToItems: "Zurück zu den Einträgen",
	Keys: map[string]string{
		"title": "Titel", "description": "Beschreibung", "defined_type": "Art", "license": "Lizenz", "tags": "Schlagwörter", "funding": "Förderung in Worten", "funding_list": "Förderungen", "categories": "Fachgebiete",
		"group_id": "Gruppe", "authors": "Namen", "embargo": "Was zurückgehalten wird", "resource": "Veröffentlichung", "custom_fields_list": "Felder der Gruppe",
	},
	Becomes:      "%field: %was → %is",
	PreviewTitle: "Was sich ändern wird", PreviewText: "Noch ist nichts geändert.", NothingChanges: "Nichts ändert sich.",
	ApplyOne: "1 Eintrag ändern", ApplyMany: "%d Einträge ändern", DoneTitle: "Was geändert wurde",
	ChangedOne: "1 Eintrag wurde geändert.", ChangedMany: "%d Einträge wurden geändert.",
	RefusedOne: "1 Zeile ändert sich nicht. Die Tabelle sagt, warum.", RefusedMany: "%d Zeilen ändern sich nicht. Die Tabelle sagt, warum.",
	Item: "Eintrag", Changes: "Änderungen", NoChange: "Keine Änderung", IsRefused: "Nicht geändert:", IsChanged: "Geändert",
	Line: "Zeile", NotShown: "Sehen Sie zuerst, was sich ändert.", Fault: "Der Server ist auf einen Fehler gestoßen. Dieser Eintrag wurde nicht versucht.",
	ImportTitle: "Eine Tabelle einlesen", ImportText: "Nehmen Sie die Tabelle heraus, ändern Sie Zellen darin, und lesen Sie sie wieder ein. Zeilen und Spalten dürfen fehlen; ein Eintrag ist an seiner id kenntlich. Die nächste Seite zeigt, was sich ändert, bevor etwas geschieht.", ImportFile: "Tabelle (CSV, UTF-8)",
	ImportHelp: "Höchstens 1000 Zeilen und 750 kB. Mehrere Werte einer Zelle haben einen Strich | zwischen sich.", ImportButton: "Zeigen, was sich ändert",
	NoTable: "Wählen Sie eine Tabelle mit einer Zeile für einen Eintrag", TableLong: "Die Tabelle hat mehr als 1000 Zeilen oder 750 kB: Lesen Sie sie in Teilen ein", TableEncoding: "Die Tabelle ist nicht in UTF-8: Speichern Sie sie als „CSV UTF-8“",
	TableBroken: "Zeile %d lässt sich nicht lesen: Ein Anführungszeichen steht, wo keines sein darf", TableOld: "Der Eintrag wurde geändert, seit diese Tabelle herausgenommen wurde. Nehmen Sie sie neu heraus, oder lassen Sie die Spalte state weg.",
	ColumnUnknown: "Die Spalte %s wird nicht gelesen.", ColumnTwice: "Die Spalte %s ist zweimal da", NoIDs: "Die erste Zeile nennt die Spalten, und id muss dabei sein",
	CellsWrong: "Die Zeile hat eine andere Zahl von Zellen als die erste.", IDWrong: "Die id ist keine eines Eintrags.", IDTwice: "Der Eintrag steht schon in Zeile %d.",
	FieldNone: "Die Gruppe des Eintrags hat kein solches Feld", FieldName: "Name eines Feldes der Gruppe",
	FindCollection: "Eine andere meiner Sammlungen an ihren Wörtern finden", FindCollectionButton: "Sammlungen finden",
}
