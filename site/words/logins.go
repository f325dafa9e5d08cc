package words

// Logins are the texts of signing in at other services.
type Logins struct {
	Title, Text, Made, End, EndNamed              string
	Connect, ConnectText, ConnectWith             string
	Connected, Disconnected, Going, GoOn, Again   string
	With, Name                                    string // on the page to sign in
	NoAccount, OtherAccount, LastWay, TooMany     string
	Away, Refused, Answer, Unavailable, Directory string
}

var englishLogins = Logins{
	Title: "Ways to sign in", Text: "Besides its password and its passkeys this account can be signed in to by an account elsewhere.",
	Made: "Connected", End: "Disconnect", EndNamed: "Disconnect %s",
	Connect: "Connect another account", ConnectText: "That account then opens this one, too. It is asked once now.", ConnectWith: "Connect %s",
	Connected: "The account is connected.", Disconnected: "The account is disconnected.", Going: "%s asks whether to tell this repository who you are.", GoOn: "Go on to %s",
	Again: "Sign out and in again first: this is done within 15 minutes after signing in.",
	With:  "Sign in with %s", Name: "Mail address or user name",
	NoAccount: "There is no account here for this identity. Those who run the repository can invite you.", OtherAccount: "Another account of this repository is connected with it already",
	LastWay: "There would be no way left to sign in. Set a password or add a passkey first.", TooMany: "There are as many connected accounts as there may be. Disconnect one first.",
	Away: "This took too long, or began in another browser. Try again.", Refused: "Signing in there was refused or cancelled", Answer: "The answer from there could not be used. Try again; where that does not help, tell those who run the repository.",
	Unavailable: "The service to sign in at does not answer. Try again later.", Directory: "Sign in with the password of your institution, or with the one that you have set here.",
}

var germanLogins = Logins{
	Title: "Wege der Anmeldung", Text: "Neben Passwort und Passkeys kann sich dieses Konto über ein Konto bei einem anderen Dienst anmelden.",
	Made: "Verbunden", End: "Trennen", EndNamed: "%s trennen",
	Connect: "Ein anderes Konto verbinden", ConnectText: "Jenes Konto öffnet dann auch dieses. Es wird jetzt einmal gefragt.", ConnectWith: "%s verbinden",
	Connected: "Das Konto ist verbunden.", Disconnected: "Das Konto ist getrennt.", Going: "%s fragt, ob dieses Repositorium erfahren darf, wer Sie sind.", GoOn: "Weiter zu %s",
	Again: "Melden Sie sich zuerst ab und wieder an: Das geht nur in den ersten 15 Minuten nach der Anmeldung.",
	With:  "Anmelden mit %s", Name: "Mailadresse oder Benutzername",
	NoAccount: "Für diese Identität gibt es hier kein Konto. Wer das Repositorium betreibt, kann Sie einladen.", OtherAccount: "Damit ist schon ein anderes Konto dieses Repositoriums verbunden",
	LastWay: "Es bliebe kein Weg, sich anzumelden. Setzen Sie zuerst ein Passwort, oder fügen Sie einen Passkey hinzu.", TooMany: "Mehr verbundene Konten sind nicht möglich. Trennen Sie zuerst eines.",
	Away: "Das hat zu lange gedauert oder in einem anderen Browser begonnen. Versuchen Sie es noch einmal.", Refused: "Die Anmeldung dort wurde verweigert oder abgebrochen", Answer: "Mit der Antwort von dort ließ sich nichts anfangen. Versuchen Sie es noch einmal; hilft das nicht, sagen Sie es denen, die das Repositorium betreiben.",
	Unavailable: "Der Dienst zum Anmelden antwortet nicht. Versuchen Sie es später noch einmal.", Directory: "Melden Sie sich mit dem Passwort Ihrer Einrichtung an, oder mit dem, das Sie hier gesetzt haben.",
}
