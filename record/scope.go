package record

import "slices"

// Scope says how much of an account a token opens. Each one opens what those before it do.
type Scope string

// The scopes. A personal token has ScopeAll, stored as "".
const (
	ScopeRead   Scope = "read"   // reading
	ScopeUpload Scope = "upload" // making and changing drafts and their files
	ScopeAll    Scope = "all"
)

// Scopes are all of them, the narrowest first.
var Scopes = []Scope{ScopeRead, ScopeUpload, ScopeAll}

// Opens reports whether the scope is as wide as a call needs.
func (s Scope) Opens(needed Scope) bool {
	return s == "" || slices.Index(Scopes, s) >= slices.Index(Scopes, needed)
}
