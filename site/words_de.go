package site

var german = Words{
	Name: "Deutsch",
	Months: [12]string{
		"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember",
	},
	Date: "day. month year", DecimalPoint: ",",
	Types: map[int64]string{
		1: "Abbildung", 2: "Ton oder Film", 3: "Datensatz", 5: "Poster", 6: "Zeitschriftenbeitrag", 7: "Präsentation", 8: "Abschlussarbeit",
		9: "Software", 11: "Online-Quelle", 12: "Preprint", 13: "Buch", 14: "Konferenzbeitrag", 15: "Kapitel", 16: "Gutachten",
		17: "Lehrmaterial", 18: "Bericht", 19: "Norm", 20: "Komposition", 21: "Förderung", 22: "Gegenstand", 23: "Datenmanagementplan",
		24: "Arbeitsablauf", 25: "Monographie", 26: "Aufführung", 27: "Veranstaltung", 28: "Dienst", 29: "Modell",
	},
	SkipToContent: "Zum Inhalt", Browse: "Stöbern", API: "API", Language: "Sprache", MadeWith: "Läuft mit Alcove",
	Search: "Suchen", SearchBox: "Im Repositorium suchen", SearchHint: "Titel, Name, Schlagwort, DOI",

	HomeLead:   "Forschungsdaten, Software und Aufsätze, jeweils mit Zitierangabe und Dateien zum Behalten.",
	HomeNewest: "Neu", HomeAll: "Alle Einträge", HomeTypes: "Nach Art",
	EmptyTitle: "Noch ist nichts veröffentlicht", EmptyText: "Dieses Repositorium ist bereit. Der erste Eintrag erscheint hier, sobald er veröffentlicht ist.",
	EmptyScript: "Der erste wird über die API eingereicht, mit einem Token von „alcove token add“:", EmptyLearn: "Beschreibung der API",

	SearchTitle: "Suche", SearchOf: "Suche: %s", AllItems: "Alle Einträge",
	SortBy: "Sortiert nach", Newest: "neueste", Oldest: "älteste", MostViewed: "meistgesehen", MostDownloaded: "meistgeladen",
	Sort: "Sortieren", TypeLabel: "Art", Remove: "Entfernen: %s", Filters: "Eingegrenzt auf",
	FoundPage: "Seite %d", Previous: "Zurück", Next: "Weiter", Pages: "Seiten der Ergebnisse",
	NothingFound: "Nichts passt zu „%s“", NothingFoundFilters: "Nichts passt", WithoutFilters: "Ohne Eingrenzung suchen",
	NothingFoundText: "Weniger oder andere Wörter finden vielleicht mehr: Gefunden wird, was eines der Wörter enthält; was alle hat, kommt zuerst.",
	TooShort:         "Eine Suche braucht mindestens drei Zeichen.",
	SearchHelp:       "So wird gesucht", SearchHelpText: "Wörter werden in allen Texten eines Eintrags gesucht. OR und NOT, groß geschrieben, und Klammern verbinden sie; :title: Regen sucht nur in Titeln, :author: Lovelace unter den Namen, :tag: Teich unter den Schlagwörtern.",

	Thousands: ".", Kinds: map[string]string{"article": "Einträge", "collection": "Sammlungen", "project": "Projekte"},
	KindLabel: "Form", CategoryLabel: "Fachgebiet", YearLabel: "Jahr", GroupLabel: "Gruppe", TagLabel: "Schlagwort",
	GroupNumber: "Gruppe %s", MoreValues: "Mehr", FewerValues: "Weniger", Narrow: "Ergebnisse eingrenzen",
	Total: "%s Ergebnisse", TotalOne: "1 Ergebnis", ByAuthor: "Von: %s", WorkOf: "Werke von %s", CollectionKind: "Sammlung", ProjectKind: "Projekt",

	Version: "Version %d", VersionOf: "Version %d", NewestVersion: "Die neueste Version ist %d.", OlderVersion: "Dies ist eine frühere Version.", Published: "Veröffentlicht am %s", Authors: "Namen",
	Files: "Dateien", OneFile: "1 Datei", ManyFiles: "%d Dateien", DownloadAll: "Alles herunterladen (%s)", Download: "Herunterladen", View: "Ansehen", OpenLink: "Link öffnen",
	Folder: "Ordner", Size: "Größe", Checksums: "Prüfsummen", FileName: "Name", Actions: "Aktionen", UpFolder: "Hinauf zu %s",
	NoFiles: "Dieser Eintrag hat keine Dateien.", FilesWithheld: "Die Dateien werden zurückgehalten.", DownloadOff: "Die Dateien werden gezeigt, aber nicht zum Herunterladen angeboten.",
	MetadataOnly: "Dies ist ein Eintrag ohne Dateien: %s", LinkedFile: "an anderem Ort", MoreFiles: "Weitere Dateien", FirstFiles: "Zum Anfang", AllFolders: "Alle Dateien",
	AboutItem: "Beschreibung", Cite: "Zitieren", Copy: "Kopieren", Copied: "Kopiert", License: "Lizenz", Categories: "Fachgebiete", Keywords: "Schlagwörter",
	Funding: "Förderung", References: "Quellen", Related: "Verwandtes", Versions: "Versionen", DOI: "DOI", Fields: "Weitere Angaben", Type: "Art", Modified: "Geändert am %s",
	EmbargoUntil: "Die Dateien stehen bis zum %s unter Embargo.", EmbargoForever: "Die Dateien stehen unter Embargo.", Confidential: "Die Dateien sind vertraulich.",
	ForScripts: "Für Skripte", ForScriptsText: "Dasselbe als JSON, mit den Adressen aller Dateien:", Publication: "Gehört zu", Yes: "ja", No: "nein",

	PrivateLink: "Privater Link", LinkNotice: "Diese Seite sieht nur, wer den Link hat. Der Link endet am %s.", LinkAnonymous: "Von wem der Eintrag stammt, sagt sie nicht.",
	LinkMembers: "Einträge dieser Sammlung", LinkNoMembers: "Noch ist nichts in dieser Sammlung öffentlich.", Collection: "Sammlung", Untitled: "Ohne Titel",
	Items: "Einträge", NoItems: "Keiner der Einträge ist öffentlich.", Details: "Angaben", Export: "Exportieren",
	WhatChanged: "Was sich geändert hat", ChangedSince: "Geändert seit Version %d", FileAdded: "Neu: %s", FileRemoved: "Entfernt: %s", MoreChanges: "und %d weitere Dateien", NothingChanged: "Nichts, was zu sehen ist.",
	FieldTitle: "Titel", FieldChanged: "Geändert: %s", UsedLabel: "Nutzung", ViewsOne: "1-mal gesehen", ViewsMany: "%d-mal gesehen", DownloadsOne: "1-mal geladen", DownloadsMany: "%d-mal geladen",
	WithdrawnOn: "Zurückgezogen am %s", WithdrawnText: "Was hier war, wurde zurückgezogen. Seine Dateien sind nicht mehr verfügbar; diese Seite bleibt, damit die Adresse ihre Bedeutung behält.", WithdrawnReason: "Grund",

	ErrorTitles: map[int]string{
		0: "Das hat nicht geklappt", 400: "Diese Adresse ist nicht lesbar", 401: "Ein Token ist nötig", 403: "Nicht erlaubt", 404: "Unter dieser Adresse gibt es keine Seite",
		405: "Hier nicht möglich", 410: "Zurückgezogen", 416: "Diesen Teil hat die Datei nicht", 429: "Zu viele Anfragen", 500: "Hier ist etwas fehlgeschlagen", 503: "Zur Zeit außer Betrieb",
	},
	ErrorTexts: map[int]string{
		0:   "Der Server hat die Anfrage abgelehnt.",
		400: "Ein Teil der Adresse ist nicht, wie er sein soll. Vielleicht wurde sie beim Kopieren abgeschnitten.",
		401: "Wohin diese Adresse führt, steht denen offen, die ein Token senden.",
		403: "Wohin diese Adresse führt, gibt es, aber es steht nicht allen offen.",
		404: "Vielleicht wurde sie beim Kopieren abgeschnitten, oder was hier war, ist nicht öffentlich. Eine Suche findet es vielleicht.",
		405: "Diese Adresse lässt sich so nicht benutzen.",
		410: "Was hier war, wurde zurückgezogen, und seine Dateien sind nicht mehr verfügbar.",
		416: "Verlangt war ein Teil, den die Datei nicht hat. Das Herunterladen beginnt am besten von vorn.",
		429: "Von dieser Adresse kamen mehr Anfragen, als der Server auf einmal beantwortet. In einem Moment geht es wieder.",
		500: "Der Fehler liegt beim Server. Die Nummer unten führt die, die ihn betreiben, zur Ursache.",
		503: "Der Server startet oder wird repariert. Nichts ging verloren; in einem Moment geht es wieder.",
	},
	ErrorCode: "Anfrage", ErrorWhat: "Der Server sagt", BackHome: "Startseite", TryAgain: "Noch einmal",
}
