package words

// Applications are the texts of the pages about what may act for a person: tokens and applications.
type Applications struct {
	Title, Link                          string
	ShownOnce                            string
	Tokens, TokensText, NoTokens         string
	Name, Made, Used, Expires            string
	NeverUsed, NeverExpires, Ended       string
	Revoke, RevokeNamed                  string
	NewToken, TokenName, TokenNameHelp   string
	Lasts, Month, Quarter, Year, Forever string
	MakeToken, TokenMade, TokenEnded     string
	NameMissing, NameBad                 string
	LastsBad, TokensMany                 string

	Connected, ConnectedText, NoConnected    string
	MayDo, Since, Disconnect                 string
	DisconnectNamed, Disconnected            string
	ConnectedMany                            string
	Links, LinksText, Item, Application      string
	Own, OwnText, NoOwn                      string
	ClientID, Redirects, RedirectsHelp       string
	Kind, Confidential, Public               string
	NewSecret, NewSecretText, NewSecretNamed string
	Delete, DeleteText, DeleteNamed          string
	NewApplication, AppName, AppNameHelp     string
	Register, Registered, SecretMade         string
	ApplicationDeleted, ApplicationsMany     string
	RedirectMissing, RedirectsMany           string
	RedirectForm, RedirectPart               string // of an address
	RedirectInsecure, RedirectScheme         string

	Authorize, Asks, RegisteredBy, LeadsTo string
	AskedAs, ItMay, CanBeEnded             string
	Allow, Refuse                          string
	MayRead, MayNotChange, MayUpload       string
	MayNotPublish, MayAll                  string
	AuthorizeRefused, NothingGranted       string
	UnknownApplication, UnknownRedirect    string
}

var englishApplications = Applications{
	Title: "Applications and tokens", Link: "Applications and tokens",
	ShownOnce: "Copy it now. It is shown this once and cannot be read again.",
	Tokens:    "Personal tokens", TokensText: "A token lets a program do everything here that you may do. Make one for each program, and revoke it when the program is not in use any more.", NoTokens: "There are none.",
	Name: "Name", Made: "Made", Used: "Last used", Expires: "Expires",
	NeverUsed: "Never", NeverExpires: "Never", Ended: "Expired",
	Revoke: "Revoke", RevokeNamed: "Revoke the token: %s",
	NewToken: "Make a token", TokenName: "Name of the token", TokenNameHelp: "What it is for, such as the program and the machine.",
	Lasts: "Good for", Month: "30 days", Quarter: "90 days", Year: "A year", Forever: "Ever, until it is revoked",
	MakeToken: "Make the token", TokenMade: "The token was made", TokenEnded: "The token was revoked. Programs that have it are refused from now on.",
	NameMissing: "Enter a name", NameBad: "The name is too long, or has characters that cannot be shown",
	LastsBad: "Choose how long the token is good for", TokensMany: "There are as many tokens as an account may have. Revoke one that is not in use.",

	Connected: "Connected applications", ConnectedText: "Applications that you have allowed to act for you. To disconnect one ends everything it was given.", NoConnected: "There are none.",
	MayDo: "It may", Since: "Since", Disconnect: "Disconnect", DisconnectNamed: "Disconnect the application: %s", Disconnected: "The application was disconnected. It is refused from now on.",
	ConnectedMany: "As many applications act for you as may. Disconnect one that is not in use.",
	Links:         "Private links made by applications", LinksText: "These links stay open when you disconnect the application. To end a link, open its item's private links.",
	Item: "Item", Application: "Application",
	Own: "Your own applications", OwnText: "For people who write programs: an application asks others whether it may act for them (OAuth 2.0).", NoOwn: "There are none.",
	ClientID: "client_id", Redirects: "Addresses people are led back to", RedirectsHelp: "One on each line, to the letter: https, http on 127.0.0.1 or [::1] with any port, or a scheme such as org.example.app:/back.",
	Kind: "Kind", Confidential: "Confidential: runs on a server that keeps a secret", Public: "Public: runs on the machine or in the browser of the person, without a secret",
	NewSecret: "New secret…", NewSecretText: "The old secret is refused at once.", NewSecretNamed: "Make a new secret for %s",
	Delete: "Delete…", DeleteText: "It is disconnected from everybody who uses it, and its client_id is not given again.", DeleteNamed: "Delete %s",
	NewApplication: "Register an application", AppName: "Name of the application", AppNameHelp: "People are asked by this name.",
	Register: "Register the application", Registered: "The application was registered", SecretMade: "The application has a new secret",
	ApplicationDeleted: "The application was deleted.", ApplicationsMany: "There are as many applications as an account may have. Delete one that is not in use.",
	RedirectMissing: "Enter an address", RedirectsMany: "There may be %s addresses",
	RedirectForm: "This is not a whole address: %s", RedirectPart: "An address has no fragment, user name, backslash, star, or steps of dots: %s",
	RedirectInsecure: "http is for the machine of the person only, 127.0.0.1 or [::1]: %s", RedirectScheme: "A scheme of an application's own is a domain backwards, with one slash behind the colon: %s",

	Authorize: "Allow an application", Asks: "%s asks to act for you", RegisteredBy: "It was registered by %s.", LeadsTo: "You are led back to %s.",
	AskedAs: "You are signed in as %s.", ItMay: "It would be allowed to", CanBeEnded: "This ends after a year, when the application has not used it for 90 days, and when you disconnect the application under Applications and tokens.",
	Allow: "Allow %s", Refuse: "Refuse",
	MayRead: "read everything here that you may read, also what is not public", MayNotChange: "change nothing", MayUpload: "make and change drafts and upload files",
	MayNotPublish: "not publish, delete or share anything", MayAll: "do everything here that you may do, as if it were you",
	AuthorizeRefused: "This request is not to be trusted", NothingGranted: "Nothing was granted. Whoever runs the application has to mend this.",
	UnknownApplication: "No application with this client_id is registered here.", UnknownRedirect: "The application wants you led to an address that it has not registered.",
}

var germanApplications = Applications{
	Title: "Anwendungen und Token", Link: "Anwendungen und Token",
	ShownOnce: "Kopieren Sie es jetzt. Es wird dieses eine Mal gezeigt und lässt sich nicht wieder lesen.",
	Tokens:    "Persönliche Token", TokensText: "Mit einem Token darf ein Programm hier alles, was Sie dürfen. Machen Sie für jedes Programm ein eigenes, und widerrufen Sie es, wenn das Programm nicht mehr in Gebrauch ist.", NoTokens: "Es gibt keine.",
	Name: "Name", Made: "Gemacht", Used: "Zuletzt benutzt", Expires: "Läuft ab",
	NeverUsed: "Nie", NeverExpires: "Nie", Ended: "Abgelaufen",
	Revoke: "Widerrufen", RevokeNamed: "Token widerrufen: %s",
	NewToken: "Ein Token machen", TokenName: "Name des Tokens", TokenNameHelp: "Wofür es ist, etwa das Programm und der Rechner.",
	Lasts: "Gültig für", Month: "30 Tage", Quarter: "90 Tage", Year: "Ein Jahr", Forever: "Immer, bis es widerrufen wird",
	MakeToken: "Token machen", TokenMade: "Das Token wurde gemacht", TokenEnded: "Das Token wurde widerrufen. Programme, die es haben, werden von jetzt an abgewiesen.",
	NameMissing: "Der Name fehlt", NameBad: "Der Name ist zu lang oder hat Zeichen, die sich nicht zeigen lassen",
	LastsBad: "Wählen Sie, wie lange das Token gilt", TokensMany: "Es gibt so viele Token, wie ein Konto haben darf. Widerrufen Sie eines, das nicht in Gebrauch ist.",

	Connected: "Verbundene Anwendungen", ConnectedText: "Anwendungen, denen Sie erlaubt haben, für Sie zu handeln. Trennen beendet alles, was eine bekommen hat.", NoConnected: "Es gibt keine.",
	MayDo: "Sie darf", Since: "Seit", Disconnect: "Trennen", DisconnectNamed: "Anwendung trennen: %s", Disconnected: "Die Anwendung wurde getrennt. Sie wird von jetzt an abgewiesen.",
	ConnectedMany: "So viele Anwendungen handeln für Sie, wie dürfen. Trennen Sie eine, die nicht in Gebrauch ist.",
	Links:         "Private Links von Anwendungen", LinksText: "Diese Links bleiben offen, wenn Sie die Anwendung trennen. Beenden können Sie einen Link bei den privaten Links seines Eintrags.",
	Item: "Eintrag", Application: "Anwendung",
	Own: "Eigene Anwendungen", OwnText: "Für alle, die Programme schreiben: Eine Anwendung fragt andere, ob sie für sie handeln darf (OAuth 2.0).", NoOwn: "Es gibt keine.",
	ClientID: "client_id", Redirects: "Adressen, zu denen zurückgeführt wird", RedirectsHelp: "Eine in jeder Zeile, Zeichen für Zeichen: https, http auf 127.0.0.1 oder [::1] mit beliebigem Port, oder ein Schema wie org.example.app:/back.",
	Kind: "Art", Confidential: "Vertraulich: läuft auf einem Server, der ein Geheimnis hütet", Public: "Öffentlich: läuft auf dem Rechner oder im Browser der Person, ohne Geheimnis",
	NewSecret: "Neues Geheimnis…", NewSecretText: "Das alte Geheimnis wird sofort abgewiesen.", NewSecretNamed: "Neues Geheimnis für %s machen",
	Delete: "Löschen…", DeleteText: "Sie wird von allen getrennt, die sie benutzen, und ihre client_id wird nicht wieder vergeben.", DeleteNamed: "%s löschen",
	NewApplication: "Eine Anwendung anmelden", AppName: "Name der Anwendung", AppNameHelp: "Unter diesem Namen wird gefragt.",
	Register: "Anwendung anmelden", Registered: "Die Anwendung wurde angemeldet", SecretMade: "Die Anwendung hat ein neues Geheimnis",
	ApplicationDeleted: "Die Anwendung wurde gelöscht.", ApplicationsMany: "Es gibt so viele Anwendungen, wie ein Konto haben darf. Löschen Sie eine, die nicht in Gebrauch ist.",
	RedirectMissing: "Die Adresse fehlt", RedirectsMany: "Es dürfen %s Adressen sein",
	RedirectForm: "Das ist keine ganze Adresse: %s", RedirectPart: "Eine Adresse hat kein Fragment, keinen Benutzernamen, keinen Rückstrich, keinen Stern und keine Schritte aus Punkten: %s",
	RedirectInsecure: "http ist nur für den Rechner der Person, 127.0.0.1 oder [::1]: %s", RedirectScheme: "Ein eigenes Schema ist eine Domain rückwärts, mit einem Schrägstrich hinter dem Doppelpunkt: %s",

	Authorize: "Einer Anwendung etwas erlauben", Asks: "%s möchte für Sie handeln", RegisteredBy: "Angemeldet hat sie %s.", LeadsTo: "Sie werden zurückgeführt zu %s.",
	AskedAs: "Sie sind angemeldet als %s.", ItMay: "Sie dürfte", CanBeEnded: "Das endet nach einem Jahr, wenn die Anwendung es 90 Tage nicht benutzt hat, und wenn Sie die Anwendung unter Anwendungen und Token trennen.",
	Allow: "%s erlauben", Refuse: "Ablehnen",
	MayRead: "alles lesen, was Sie hier lesen dürfen, auch was nicht öffentlich ist", MayNotChange: "nichts ändern", MayUpload: "Entwürfe anlegen und ändern und Dateien hochladen",
	MayNotPublish: "nichts veröffentlichen, löschen oder teilen", MayAll: "hier alles tun, was Sie dürfen, als wären Sie es",
	AuthorizeRefused: "Dieser Anfrage ist nicht zu trauen", NothingGranted: "Es wurde nichts erlaubt. Wer die Anwendung betreibt, muss das in Ordnung bringen.",
	UnknownApplication: "Hier ist keine Anwendung mit dieser client_id angemeldet.", UnknownRedirect: "Die Anwendung will Sie zu einer Adresse führen, die sie nicht angemeldet hat.",
}
