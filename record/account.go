package record

import "strings"

// FoldEmail is the form in which addresses are compared: without space around them and
// in lower case.
func FoldEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }
