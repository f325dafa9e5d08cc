package words

// Mails are the texts of mails, and of the pages that have them sent.
type Mails struct {
	Forgot, ForgotTitle, ForgotText, ForgotButton string
	ForgotSent                                    string
	NoMail                                        string
	Tired                                         string // after too many requests
	Email, EmailText, NewEmail, EmailButton       string
	EmailSent                                     string
	Confirm, ConfirmText, Confirmed               string
	Greeting                                      string
	Invitation, InvitationText                    string // subject with the name of the repository, text with the address
	Reset, ResetText                              string
	ConfirmMail, ConfirmMailText                  string
	Changed, ChangedText                          string
	Project, ProjectText                          string            // text with who invites, the title and the address
	Notices                                       map[string]Letter // by kind, and what became of it
	Muting                                        string            // address of the page where notices are turned off
}

// Letter is a notice: its subject with the name of the repository, its text with the title of what it is about.
type Letter struct{ Subject, Text string }

var englishMails = Mails{
	Forgot: "Forgotten the password?", ForgotTitle: "Set a new password", ForgotText: "A link to set a new password is sent to the mail address of an account. It works once, within a day.",
	ForgotButton: "Send the link", ForgotSent: "If there is an account with this mail address, a link is on its way to it. Look among unwanted mails, too.",
	NoMail: "This repository sends no mails. Those who run it can do this for you.",
	Tired:  "Too many mails were asked for. Try again in %d minutes.",
	Email:  "Change the mail address", EmailText: "A link is sent to the new address. It becomes that of the account when the link is used; until then nothing changes.",
	NewEmail: "New mail address", EmailButton: "Send the link", EmailSent: "A link is on its way to the new address.",
	Confirm: "Confirm the mail address", ConfirmText: "This address becomes that of the account: people sign in with it, and mails go there.", Confirmed: "The mail address was changed.",
	Invitation:     "Invitation to %s",
	InvitationText: "you are invited to begin an account. Open this address within a week; it works once:\n\n%s\n\nThose who did not expect this can leave it be: there is no account before the address is used.",
	Reset:          "A new password for %s",
	ResetText:      "somebody, probably you, asked for a new password. Open this address within a day; it works once:\n\n%s\n\nThose who did not ask can leave it be: the old password stays.",
	ConfirmMail:    "Confirm your mail address for %s", ConfirmMailText: "this is to become the mail address of an account. Open this address within a day to confirm it:\n\n%s\n\nThose who did not ask for it can leave it be.",
	Changed: "Your mail address for %s was changed", ChangedText: "the account with this mail address has another one now. If that was not you, tell those who run the repository at once:\n\n%s",
	Project: "Invitation to a project: %s", ProjectText: "%s gives you a part in the project “%s”. Sign in with this mail address to see it:\n\n%s\n\nThose who have no account with this address ask those who run the repository for one. Those who did not expect this can leave it be.",
	Greeting: "Good day,",
	Notices: map[string]Letter{
		"review_handed_in":        {"Handed in for review in %s", "this was handed in for publication and waits for a review:\n\n%s"},
		"review_decided approved": {"Approved: your item in %s", "what you have handed in was approved:\n\n%s"},
		"review_decided rejected": {"Returned: your item in %s", "what you have handed in was returned. The review says why:\n\n%s"},
		"review_decided closed":   {"Closed: a review in %s", "the review of what you have handed in was closed without a decision:\n\n%s"},
		"embargo_ended":           {"An embargo has ended in %s", "the embargo of this item has come to its end:\n\n%s"},
		"file_failed":             {"A file could not be stored in %s", "the bytes of this file are not what was announced. Delete it and upload it again:\n\n%s"},
	},
	Muting: "Which of these mails are sent is set at %s",
}

var germanMails = Mails{
	Forgot: "Passwort vergessen?", ForgotTitle: "Neues Passwort setzen", ForgotText: "An die Mailadresse eines Kontos geht ein Link, mit dem sich ein neues Passwort setzen lässt. Er gilt einmal, einen Tag lang.",
	ForgotButton: "Link senden", ForgotSent: "Wenn es ein Konto mit dieser Mailadresse gibt, ist ein Link dorthin unterwegs. Sehen Sie auch bei unerwünschten Mails nach.",
	NoMail: "Dieses Repositorium versendet keine Mails. Die es betreiben, können das für Sie tun.",
	Tired:  "Es wurden zu viele Mails angefordert. In %d Minuten geht es weiter.",
	Email:  "Mailadresse ändern", EmailText: "An die neue Adresse geht ein Link. Erst wenn er benutzt wird, gilt sie für das Konto; bis dahin ändert sich nichts.",
	NewEmail: "Neue Mailadresse", EmailButton: "Link senden", EmailSent: "Ein Link ist an die neue Adresse unterwegs.",
	Confirm: "Mailadresse bestätigen", ConfirmText: "Diese Adresse gilt dann für das Konto: Mit ihr meldet man sich an, und Mails gehen dorthin.", Confirmed: "Die Mailadresse wurde geändert.",
	Invitation:     "Einladung: %s",
	InvitationText: "Sie sind eingeladen, ein Konto zu beginnen. Öffnen Sie diese Adresse innerhalb einer Woche; sie gilt einmal:\n\n%s\n\nWer das nicht erwartet hat, braucht nichts zu tun: Ohne die Adresse entsteht kein Konto.",
	Reset:          "Ein neues Passwort: %s",
	ResetText:      "jemand, vermutlich Sie, hat ein neues Passwort angefordert. Öffnen Sie diese Adresse innerhalb eines Tages; sie gilt einmal:\n\n%s\n\nWer das nicht war, braucht nichts zu tun: Das alte Passwort bleibt.",
	ConfirmMail:    "Mailadresse bestätigen: %s", ConfirmMailText: "dies soll die Mailadresse eines Kontos werden. Öffnen Sie diese Adresse innerhalb eines Tages, um sie zu bestätigen:\n\n%s\n\nWer das nicht war, braucht nichts zu tun.",
	Changed: "Ihre Mailadresse wurde geändert: %s", ChangedText: "das Konto mit dieser Mailadresse hat jetzt eine andere. Wenn Sie das nicht waren, sagen Sie es sofort denen, die das Repositorium betreiben:\n\n%s",
	Project: "Einladung zu einem Projekt: %s", ProjectText: "%s beteiligt Sie am Projekt „%s“. Melden Sie sich mit dieser Mailadresse an, um es zu sehen:\n\n%s\n\nWer kein Konto mit dieser Adresse hat, bittet die, die das Repositorium betreiben, um eines. Wer das nicht erwartet hat, braucht nichts zu tun.",
	Greeting: "Guten Tag,",
	Notices: map[string]Letter{
		"review_handed_in":        {"Zur Begutachtung eingereicht: %s", "dies wurde zur Veröffentlichung eingereicht und wartet auf eine Begutachtung:\n\n%s"},
		"review_decided approved": {"Angenommen: %s", "was Sie eingereicht haben, wurde angenommen:\n\n%s"},
		"review_decided rejected": {"Zurückgegeben: %s", "was Sie eingereicht haben, wurde zurückgegeben. In der Begutachtung steht, warum:\n\n%s"},
		"review_decided closed":   {"Begutachtung geschlossen: %s", "die Begutachtung dessen, was Sie eingereicht haben, wurde ohne Entscheidung geschlossen:\n\n%s"},
		"embargo_ended":           {"Eine Sperrfrist ist zu Ende: %s", "die Sperrfrist dieses Eintrags ist zu Ende:\n\n%s"},
		"file_failed":             {"Eine Datei ließ sich nicht speichern: %s", "die Bytes dieser Datei sind nicht, was angekündigt war. Löschen Sie sie, und laden Sie sie neu hoch:\n\n%s"},
	},
	Muting: "Welche dieser Mails kommen, lässt sich hier einstellen: %s",
}
