package words

// Factors are the texts of second factors.
type Factors struct {
	Title, OffText, OnText, Begin              string
	Scan, ByHand, Code, CodeHelp, Use, Picture string
	CodeMissing, CodeWrong                     string
	Recovery, RecoveryText, Renew              string
	RecoveryOne, RecoveryMany                  string
	TurnOff, TurnOffText, TurnedOff            string
	Step, StepText, StepHelp                   string
	WaitOne, WaitMany                          string
}

var englishFactors = Factors{
	Title: "Codes for signing in", OffText: "With codes a password alone no longer opens the account: a program on a telephone shows another code every half minute, which is asked for, too.",
	OnText: "Codes are asked for whenever this account signs in with its password.", Begin: "Set up codes",
	Scan: "Read this picture with an authenticator program, then enter the code that it shows.", ByHand: "Without a camera, enter this secret in the program:", Picture: "The secret as a QR code",
	Code: "Code", CodeHelp: "Six digits", Use: "Use codes",
	CodeMissing: "Enter the code", CodeWrong: "The code is wrong, or was used already",
	Recovery: "Recovery codes", RecoveryText: "Each of these signs in once when the program is lost. They are shown now and never again: print them, or put them where the password is kept.",
	RecoveryOne: "1 recovery code is left.", RecoveryMany: "%d recovery codes are left.", Renew: "Make new recovery codes",
	TurnOff: "Turn codes off", TurnOffText: "Both need the password.", TurnedOff: "Codes are not asked for any more.",
	Step: "Enter the code", StepText: "This account is protected by codes.", StepHelp: "The six digits that the program shows now, or a recovery code",
	WaitOne: "There were too many wrong codes. Try again in a minute.", WaitMany: "There were too many wrong codes. Try again in %d minutes.",
}

var germanFactors = Factors{
	Title: "Codes beim Anmelden", OffText: "Mit Codes öffnet das Passwort allein das Konto nicht mehr: Ein Programm auf dem Telefon zeigt alle halbe Minute einen anderen Code, nach dem ebenfalls gefragt wird.",
	OnText: "Nach Codes wird gefragt, wenn sich dieses Konto mit dem Passwort anmeldet.", Begin: "Codes einrichten",
	Scan: "Lesen Sie dieses Bild mit einer Authenticator-App und geben Sie den Code ein, den sie zeigt.", ByHand: "Ohne Kamera geben Sie diesen Schlüssel in der App ein:", Picture: "Der Schlüssel als QR-Code",
	Code: "Code", CodeHelp: "Sechs Ziffern", Use: "Codes benutzen",
	CodeMissing: "Der Code fehlt", CodeWrong: "Der Code ist falsch oder wurde schon benutzt",
	Recovery: "Notfallcodes", RecoveryText: "Jeder davon gilt einmal zum Anmelden, wenn das Programm verloren ist. Sie werden nur jetzt gezeigt: Drucken Sie sie, oder legen Sie sie dorthin, wo das Passwort liegt.",
	RecoveryOne: "1 Notfallcode ist übrig.", RecoveryMany: "%d Notfallcodes sind übrig.", Renew: "Neue Notfallcodes machen",
	TurnOff: "Codes abschalten", TurnOffText: "Für beides braucht es das Passwort.", TurnedOff: "Nach Codes wird nicht mehr gefragt.",
	Step: "Code eingeben", StepText: "Dieses Konto ist durch Codes geschützt.", StepHelp: "Die sechs Ziffern, die das Programm gerade zeigt, oder ein Notfallcode",
	WaitOne: "Es waren zu viele falsche Codes. In einer Minute geht es weiter.", WaitMany: "Es waren zu viele falsche Codes. In %d Minuten geht es weiter.",
}
