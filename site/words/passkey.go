package words

// Passkeys are the texts of passkeys.
type Passkeys struct {
	Title, Text, Made, Name, NameHelp, Rename, Remove, RemoveNamed string
	Add, Added, SignIn, Failed, Refused, TooMany                   string
	NeedsScript, NotHere                                           string
}

var englishPasskeys = Passkeys{
	Title: "Passkeys", Text: "With a passkey this account signs in by fingerprint, face or PIN of a device instead of the password. It cannot be given away on a false page.",
	Made: "Made", Name: "Name", NameHelp: "To know it by, such as the name of the device", Rename: "Change the name", Remove: "Remove", RemoveNamed: "Remove the passkey: %s",
	Add: "Add a passkey", Added: "The passkey was added.", SignIn: "Sign in with a passkey", Failed: "No passkey was given. Try again, or use the password.",
	Refused: "The passkey is not known here", TooMany: "There are as many passkeys as there may be. Remove one first.",
	NeedsScript: "To add a passkey the browser has to run scripts.", NotHere: "At the address of this repository browsers offer no passkeys: they need HTTPS and a host name.",
}

var germanPasskeys = Passkeys{
	Title: "Passkeys", Text: "Mit einem Passkey meldet sich dieses Konto durch Fingerabdruck, Gesicht oder PIN eines Geräts an statt mit dem Passwort. Auf einer falschen Seite lässt er sich nicht verraten.",
	Made: "Angelegt", Name: "Name", NameHelp: "Um ihn wiederzuerkennen, etwa der Name des Geräts", Rename: "Namen ändern", Remove: "Entfernen", RemoveNamed: "Passkey entfernen: %s",
	Add: "Passkey hinzufügen", Added: "Der Passkey wurde hinzugefügt.", SignIn: "Mit Passkey anmelden", Failed: "Es kam kein Passkey. Versuchen Sie es noch einmal, oder nehmen Sie das Passwort.",
	Refused: "Der Passkey ist hier nicht bekannt", TooMany: "Mehr Passkeys sind nicht möglich. Entfernen Sie zuerst einen.",
	NeedsScript: "Um einen Passkey hinzuzufügen, muss der Browser Skripte ausführen.", NotHere: "Unter der Adresse dieses Repositoriums bieten Browser keine Passkeys an: Sie brauchen HTTPS und einen Rechnernamen.",
}
