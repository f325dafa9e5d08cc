package words

// Accounts are the texts of the pages of accounts.
type Accounts struct {
	SignIn, SignOut, SignInButton               string
	Email, Password                             string
	EmailMissing, PasswordMissing, SignInWrong  string
	WaitOne, WaitMany                           string
	Wrong                                       string // above the fields that are
	Title, SignedInAs, BackToAccount            string
	Sessions, SessionsText, SessionsLink        string
	Browser, Begun, Used, Ending, This          string
	End, EndNamed, SignOutEverywhere            string
	SignOutEverywhereText, SessionEnded         string
	UnknownBrowser                              string
	ChangePassword, ChangeText, PasswordChanged string
	CurrentPassword, NewPassword, AgainPassword string
	PasswordHelp, PasswordShort, PasswordLong   string
	PasswordDiffers, CurrentWrong               string
	PasswordCommon, EndTokens                   string
	First, FirstText, Invited, InvitedText      string // one-time links
	SetPassword, SetPasswordText, BeginAccount  string
	FirstName, LastName, NameMissing, TooLong   string
	EmailBad, EmailTaken                        string
}

var englishAccounts = Accounts{
	SignIn: "Sign in", SignOut: "Sign out", SignInButton: "Sign in",
	Email: "Mail address", Password: "Password",
	EmailMissing: "Enter a mail address", PasswordMissing: "Enter the password", SignInWrong: "The mail address or the password is wrong",
	WaitOne: "There were too many wrong passwords. Try again in a minute.", WaitMany: "There were too many wrong passwords. Try again in %d minutes.",
	Wrong: "This is not right yet",
	Title: "Account", SignedInAs: "Signed in as %s", BackToAccount: "Account",
	Sessions: "Where you are signed in", SessionsText: "Each browser that is signed in. End what you do not know, and change the password then.", SessionsLink: "See and end sessions",
	Browser: "Browser", Begun: "Signed in", Used: "Last used", Ending: "Ends", This: "this browser",
	End: "End", EndNamed: "End the session: %s", SignOutEverywhere: "Sign out everywhere",
	SignOutEverywhereText: "This ends all sessions, that of this browser too.", SessionEnded: "The session was ended.",
	UnknownBrowser: "Unknown browser",
	ChangePassword: "Change the password", ChangeText: "All other sessions end when the password is changed.", PasswordChanged: "The password was changed, and all other sessions were ended.",
	CurrentPassword: "Current password", NewPassword: "New password", AgainPassword: "New password, once more",
	PasswordHelp: "At least 12 characters. Several words that do not belong together are easy to remember.", PasswordShort: "The password needs at least 12 characters", PasswordLong: "The password is too long",
	PasswordDiffers: "The two new passwords differ", CurrentWrong: "This is not the current password",
	PasswordCommon: "This password is one of those that are tried first", EndTokens: "End my personal tokens, too: programs that use them need new ones",
	First: "The first administrator", FirstText: "This repository has no administrator yet. The account that begins here is one, and can invite others. The address works once.",
	Invited: "Begin an account", InvitedText: "This is an invitation to this repository. The address works once.",
	SetPassword: "Set a new password", SetPasswordText: "All sessions of the account end when the password is set. The address works once.", BeginAccount: "Begin the account",
	FirstName: "First name", LastName: "Last name", NameMissing: "Enter the name", TooLong: "This is too long, or has characters that cannot be shown",
	EmailBad: "This is not a mail address", EmailTaken: "There is an account with this mail address already",
}

var germanAccounts = Accounts{
	SignIn: "Anmelden", SignOut: "Abmelden", SignInButton: "Anmelden",
	Email: "Mailadresse", Password: "Passwort",
	EmailMissing: "Die Mailadresse fehlt", PasswordMissing: "Das Passwort fehlt", SignInWrong: "Mailadresse oder Passwort ist falsch",
	WaitOne: "Es waren zu viele falsche Passwörter. In einer Minute geht es weiter.", WaitMany: "Es waren zu viele falsche Passwörter. In %d Minuten geht es weiter.",
	Wrong: "Das stimmt noch nicht",
	Title: "Konto", SignedInAs: "Angemeldet als %s", BackToAccount: "Konto",
	Sessions: "Wo Sie angemeldet sind", SessionsText: "Jeder Browser, der angemeldet ist. Beenden Sie, was Sie nicht kennen, und ändern Sie dann das Passwort.", SessionsLink: "Sitzungen ansehen und beenden",
	Browser: "Browser", Begun: "Angemeldet", Used: "Zuletzt benutzt", Ending: "Endet", This: "dieser Browser",
	End: "Beenden", EndNamed: "Sitzung beenden: %s", SignOutEverywhere: "Überall abmelden",
	SignOutEverywhereText: "Das beendet alle Sitzungen, auch die dieses Browsers.", SessionEnded: "Die Sitzung wurde beendet.",
	UnknownBrowser: "Unbekannter Browser",
	ChangePassword: "Passwort ändern", ChangeText: "Alle anderen Sitzungen enden, wenn das Passwort geändert wird.", PasswordChanged: "Das Passwort wurde geändert, alle anderen Sitzungen wurden beendet.",
	CurrentPassword: "Bisheriges Passwort", NewPassword: "Neues Passwort", AgainPassword: "Neues Passwort noch einmal",
	PasswordHelp: "Mindestens 12 Zeichen. Mehrere Wörter, die nicht zusammengehören, merkt man sich leicht.", PasswordShort: "Das Passwort braucht mindestens 12 Zeichen", PasswordLong: "Das Passwort ist zu lang",
	PasswordDiffers: "Die beiden neuen Passwörter sind verschieden", CurrentWrong: "Das ist nicht das bisherige Passwort",
	PasswordCommon: "Dieses Passwort gehört zu denen, die zuerst probiert werden", EndTokens: "Auch meine persönlichen Tokens beenden: Programme, die sie benutzen, brauchen neue",
	First: "Die erste Verwaltung", FirstText: "Dieses Repositorium hat noch niemanden, der es verwaltet. Das Konto, das hier entsteht, verwaltet es und kann andere einladen. Die Adresse gilt einmal.",
	Invited: "Ein Konto beginnen", InvitedText: "Dies ist eine Einladung in dieses Repositorium. Die Adresse gilt einmal.",
	SetPassword: "Neues Passwort setzen", SetPasswordText: "Alle Sitzungen des Kontos enden, wenn das Passwort gesetzt wird. Die Adresse gilt einmal.", BeginAccount: "Konto beginnen",
	FirstName: "Vorname", LastName: "Nachname", NameMissing: "Der Name fehlt", TooLong: "Das ist zu lang oder hat Zeichen, die sich nicht zeigen lassen",
	EmailBad: "Das ist keine Mailadresse", EmailTaken: "Es gibt schon ein Konto mit dieser Mailadresse",
}
