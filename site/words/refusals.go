package words

import "alcove/record"

// germanRefusals are what a form can show, by the message of the API.
var germanRefusals = map[string]string{
	record.ErrMissingAuthors.Message:           "Es fehlt mindestens ein Name.",
	record.ErrMissingTitle.Message:             "Es fehlt der Titel.",
	record.ErrCollectionAuthorless.Message:     "Der Sammlung fehlt mindestens ein Name.",
	record.ErrCollectionTitleless.Message:      "Der Sammlung fehlt der Titel.",
	record.ErrEmbargoDate.Message:              "Die Sperrfrist braucht einen Tag in der Zukunft.",
	record.ErrWhollyEmbargoed.Message:          "Der ganze Eintrag steht unter einer Sperrfrist: Heben Sie sie zuerst auf.",
	record.ErrDeletePublic.Message:             "Ein veröffentlichter Eintrag lässt sich nicht löschen: Ziehen Sie ihn zuerst zurück.",
	record.ErrNotPublic.Message:                "Von diesem Eintrag ist nichts veröffentlicht.",
	record.ErrCollectionNotPublic.Message:      "Von dieser Sammlung ist nichts veröffentlicht.",
	record.ErrProjectNotPublic.Message:         "Das Projekt ist nicht öffentlich.",
	record.ErrProjectRole.Message:              "Ihre Rolle in diesem Projekt erlaubt das nicht.",
	record.ErrProjectOwner.Message:             "Wem ein Projekt gehört, der kann es nicht verlassen.",
	record.ErrProjectPublic.Message:            "Ein Projekt, das öffentlich ist oder öffentliche Einträge hat, lässt sich nicht löschen.",
	record.ErrProjectGroup.Message:             "In dieser Gruppe können Sie keine Projekte anlegen.",
	record.ErrProjectFull.Message:              "Das Projekt hat so viele Beteiligte und Einladungen, wie dieser Server zulässt.",
	record.ErrItemGroup.Message:                "In diese Gruppe können Sie keine Einträge stellen.",
	record.ErrMetadataRecord.Message:           "Ein Eintrag ohne Dateien nimmt keine auf: Schalten Sie das zuerst aus.",
	record.ErrAnonymousPublic.Message:          "Ein Eintrag, der öffentlich war, kann keinen anonymen Link haben: Seine Namen sind bekannt.",
	record.ErrTooManyLinks.Message:             "Der Eintrag hat so viele Links, wie dieser Server aufbewahrt: Beenden Sie zuerst einen.",
	record.ErrFileInUse.Message:                "Die Datei wird gerade geschrieben oder geprüft. Versuchen Sie es später noch einmal.",
	record.ErrFileFailed.Message:               "Die Datei hat die Prüfung nicht bestanden: Löschen Sie sie, und laden Sie sie noch einmal hoch.",
	record.ErrTooManyToOrder.Message:           "Die Reihenfolge so vieler Dateien wird nicht behalten.",
	record.ErrTooManyFiles.Message:             "Der Eintrag hat so viele Dateien, wie dieser Server zulässt.",
	record.ErrFileTooLarge.Message:             "Die Datei ist größer, als dieser Server annimmt.",
	record.ErrQuota.Message:                    "Die Datei passt nicht in den Speicherplatz des Kontos.",
	record.ErrMetadataQuota.Message:            "Die Beschreibung passt nicht in den Speicherplatz des Kontos.",
	record.ErrPartInterrupted.Message:          "Die Übertragung endete, bevor alles da war.",
	record.ErrAuthorUnknown.Message:            "Eine der Personen gibt es nicht.",
	record.ErrCategoryUnknown.Message:          "Eines der Fachgebiete gibt es nicht.",
	record.ErrCollectionAuthor.Message:         "Eine der Personen gibt es nicht.",
	record.ErrCollectionCategory.Message:       "Eines der Fachgebiete gibt es nicht.",
	record.ErrCollectionArticle.Message:        "Einen der Einträge gibt es nicht, oder er ist nicht Ihrer.",
	record.ErrArticleNotOwn.Message:            "Diesen Eintrag gibt es nicht, oder er ist nicht Ihrer.",
	record.ErrCollectionNotFound.Message:       "Diese Sammlung gibt es nicht, oder sie ist nicht Ihre.",
	record.ErrStale.Message:                    "Der Eintrag wurde inzwischen geändert.",
	record.ErrNoSpace.Message:                  "Der Server hat dafür keinen Platz mehr.",
	record.ErrDiskTooSmall.Message:             "Der Server hat für eine so große Datei keinen Platz.",
	record.ErrTooFast.Message:                  "Das ging zu schnell hintereinander: Warten Sie einen Augenblick.",
	record.ErrBodyTooLarge.Message:             "Das ist mehr, als dieser Server annimmt.",
	record.ErrReadOnly.Message:                 "Der Server lässt sich im Augenblick nur lesen.",
	record.ErrBusy.Message:                     "Es wartet gerade zu viel: Versuchen Sie es später noch einmal.",
	record.ErrUnavailable.Message:              "Der Server kann das im Augenblick nicht: Versuchen Sie es später noch einmal.",
	record.ErrDiskFull.Message:                 "Die Festplatte des Servers ist voll: Was da ist, lässt sich lesen und löschen.",
	record.ErrNotAdministrator.Message:         "Das dürfen nur Administratoren.",
	"Only administrators may set doi":          "Eine DOI geben nur Administratoren ein.",
	"Only administrators may set handle":       "Ein Handle geben nur Administratoren ein.",
	"Article with specified ID does not exist": "Diesen Eintrag gibt es nicht.",
}

// englishRefusals are those of which English pages speak more plainly than the API.
var englishRefusals = map[string]string{
	record.ErrMissingAuthors.Message: "At least one author is missing.", record.ErrMissingTitle.Message: "The title is missing.", record.ErrEmbargoDate.Message: "An embargo needs a day in the future.",
}

// englishRefusalsOf and germanRefusalsOf are messages with a name in them.
var englishRefusalsOf = map[string]string{"Missing mandatory field for publication - %s": "The field %s is missing.", "Collection has no %s": "The collection lacks the field %s."}

var germanRefusalsOf = map[string]string{
	"Missing mandatory field for publication - %s": "Es fehlt das Feld %s.", "Collection has no %s": "Der Sammlung fehlt das Feld %s.",
	"File %s has not been uploaded completely": "Die Datei %s ist nicht ganz hochgeladen.", "File %s failed its integrity check": "Die Datei %s hat die Prüfung nicht bestanden.",
	"File %s is still being checked; try again later": "Die Datei %s wird noch geprüft. Versuchen Sie es später noch einmal.",
}
