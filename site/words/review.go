package words

import "alcove/record"

// Review are the texts of the pages for those who review, and whose items are reviewed.
type Review struct {
	Reviews, Review, None                      string
	Item, HandedInOn, LastComment, Yours       string
	Version, Again, AssignedYou, AssignedOther string
	States                                     map[record.ReviewStatus]string
	PublicVersion, HandedIn, Field, Embargo    string
	ChangedField, ToPublic, FilesThen          string
	Comments, NoComments, You, Owner, Reviewer string
	Text, TextHelp, TextMissing, Decided       string
	Comment, Approve, Return, Close, Withdraw  string
	Done                                       map[string]string // by the type of the comment
	AssignedNamed, Assign, AssignOther, Take   string
	Release, ReviewerEmail, ReviewerHelp       string
	ReviewerMissing, NoReviewer                string
}

var englishReview = Review{
	Reviews: "Reviews", Review: "Review", None: "There is nothing here.",
	Item: "Item", HandedInOn: "Handed in", LastComment: "Last comment", Yours: "handed in by you",
	Version: "Version %d", Again: "handed in for the %d. time", AssignedYou: "you review it", AssignedOther: "someone reviews it",
	States: map[record.ReviewStatus]string{
		record.ReviewPending: "Waiting", record.ReviewApproved: "Approved", record.ReviewRejected: "Returned", record.ReviewClosed: "Closed",
	},
	PublicVersion: "Public: version %d", HandedIn: "Handed in", Field: "Field", Embargo: "Embargo",
	ChangedField: "changed", ToPublic: "See the public version", FilesThen: "Files are listed here while the review waits.",
	Comments: "Comments", NoComments: "Nothing has been said yet.", You: "You", Owner: "Who handed it in", Reviewer: "A reviewer",
	Text: "Comment", TextHelp: "Who handed it in and all reviewers of the group read this. A decision needs a reason.", TextMissing: "Write a comment", Decided: "This review has been decided meanwhile. A comment can still be added.",
	Comment: "Comment only", Approve: "Approve and publish", Return: "Return with this reason", Close: "Close without a decision", Withdraw: "Withdraw it from review",
	Done:          map[string]string{"comment": "The comment was added.", "approved": "Approved. The item is public, or will be when its embargo ends.", "rejected": "Returned, with the reason.", "closed": "The review was closed.", "assigned": "It was noted who reviews it."},
	AssignedNamed: "%s reviews it", Assign: "Who reviews it", AssignOther: "Give it to this person", Take: "I review it", Release: "Leave it to all reviewers",
	ReviewerEmail: "Mail address of the reviewer", ReviewerHelp: "Someone who reviews or administers in this group. All others of them can still comment and decide.",
	ReviewerMissing: "Enter a mail address", NoReviewer: "Nobody with this address reviews in this group",
}

var germanReview = Review{
	Reviews: "Begutachtung", Review: "Begutachtung", None: "Hier ist nichts.",
	Item: "Eintrag", HandedInOn: "Eingereicht", LastComment: "Letzter Kommentar", Yours: "von Ihnen eingereicht",
	Version: "Version %d", Again: "zum %d. Mal eingereicht", AssignedYou: "Sie begutachten", AssignedOther: "wird begutachtet",
	States: map[record.ReviewStatus]string{
		record.ReviewPending: "Wartend", record.ReviewApproved: "Angenommen", record.ReviewRejected: "Zurückgegeben", record.ReviewClosed: "Geschlossen",
	},
	PublicVersion: "Öffentlich: Version %d", HandedIn: "Eingereicht", Field: "Feld", Embargo: "Sperrfrist",
	ChangedField: "geändert", ToPublic: "Die öffentliche Version ansehen", FilesThen: "Dateien stehen hier, solange die Begutachtung wartet.",
	Comments: "Kommentare", NoComments: "Noch wurde nichts gesagt.", You: "Sie", Owner: "Wer es eingereicht hat", Reviewer: "Begutachtung",
	Text: "Kommentar", TextHelp: "Das lesen, wer es eingereicht hat, und alle, die in der Gruppe begutachten. Eine Entscheidung braucht einen Grund.", TextMissing: "Schreiben Sie einen Kommentar", Decided: "Diese Begutachtung ist inzwischen entschieden. Kommentare sind weiter möglich.",
	Comment: "Nur kommentieren", Approve: "Annehmen und veröffentlichen", Return: "Mit diesem Grund zurückgeben", Close: "Ohne Entscheidung schließen", Withdraw: "Aus der Begutachtung nehmen",
	Done:          map[string]string{"comment": "Der Kommentar steht da.", "approved": "Angenommen. Der Eintrag ist öffentlich oder wird es, wenn seine Sperrfrist endet.", "rejected": "Zurückgegeben, mit dem Grund.", "closed": "Die Begutachtung ist geschlossen.", "assigned": "Es ist vermerkt, wer begutachtet."},
	AssignedNamed: "%s begutachtet", Assign: "Wer begutachtet", AssignOther: "Dieser Person geben", Take: "Ich begutachte", Release: "Allen Begutachtenden überlassen",
	ReviewerEmail: "E-Mail-Adresse", ReviewerHelp: "Jemand, der in dieser Gruppe begutachtet oder sie verwaltet. Alle anderen können weiter kommentieren und entscheiden.",
	ReviewerMissing: "Geben Sie eine E-Mail-Adresse ein", NoReviewer: "Niemand mit dieser Adresse begutachtet in dieser Gruppe",
}
