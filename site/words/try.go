package words

// Try are the texts of the page on which a person tries the API.
type Try struct {
	Title, Text, Call, Choose, Docs          string
	Path, Query, Body, NoFile, Changes       string
	Send, NoScript, Shell, ShellText, Answer string
	Waiting, Bytes, Failed, Missing          string
}

var englishTry = Try{
	Title: "Try the API", Text: "A call is made as you, with what you may do here. Programs use a personal token:", Call: "Call", Choose: "Choose this call",
	Docs: "What it takes and answers", Path: "%s, in the address", Query: "%s, in the query", Body: "Body (JSON)",
	NoFile: "This call takes a file: use the line for a shell.", Changes: "This changes what is stored, as you and for good.",
	Send: "Send %s", NoScript: "Sending needs JavaScript. The line for a shell does the same.",
	Shell: "In a shell", ShellText: "Put a personal token into the variable TOKEN first.", Answer: "Answer",
	Waiting: "Waiting for the answer", Bytes: "It is of the type %s and not shown here.", Failed: "No answer came. Is the server reached?", Missing: "Fill in %s.",
}

var germanTry = Try{
	Title: "API ausprobieren", Text: "Ein Aufruf geschieht in Ihrem Namen, mit Ihren Rechten. Programme benutzen ein persönliches Token:", Call: "Aufruf", Choose: "Diesen Aufruf wählen",
	Docs: "Was er nimmt und antwortet (englisch)", Path: "%s, in der Adresse", Query: "%s, in der Abfrage", Body: "Rumpf (JSON)",
	NoFile: "Dieser Aufruf nimmt eine Datei: Benutzen Sie die Zeile für die Kommandozeile.", Changes: "Das ändert in Ihrem Namen und endgültig, was gespeichert ist.",
	Send: "%s senden", NoScript: "Zum Senden ist JavaScript nötig. Die Zeile für die Kommandozeile tut dasselbe.",
	Shell: "Auf der Kommandozeile", ShellText: "Schreiben Sie zuvor ein persönliches Token in die Variable TOKEN.", Answer: "Antwort",
	Waiting: "Es wird auf die Antwort gewartet", Bytes: "Sie ist vom Typ %s und wird hier nicht gezeigt.", Failed: "Es kam keine Antwort. Ist der Server erreichbar?", Missing: "Füllen Sie %s aus.",
}
