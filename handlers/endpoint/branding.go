package endpoint

// Branding is what the operator says and shows on every page. The zero value is the usual look.
type Branding struct {
	Text               string // of the first page; "" for the usual one
	Accent, AccentDark string // colours as #0b5c66, both or neither
	Links              []FooterLink
	Logo               []byte // PNG or SVG, nil for none
	LogoType           string // its media type
	Groups             bool   // whether groups have names for everyone
	Embed              bool   // whether pages of other sites may show items in a frame
	// Pages are texts in Markdown by the last part of their address ("about") and then by the
	// language ("", "de"); "" is for readers of all other languages.
	Pages map[string]map[string]string
}

// FooterLink is a link at the foot of every page.
type FooterLink struct{ Words, URL string }

// OwnPages are the addresses at which an operator's texts may stand.
var OwnPages = []string{"about", "terms", "privacy", "accessibility", AgreementPage}

// AgreementPage is the name of the operator's text that depositors are asked to accept.
const AgreementPage = "agreement"

// Branding is what the operator says and shows on every page now.
func (a *Server) Branding() *Branding { return a.branded.Load() }

// SetBranding says what that is from now on.
func (a *Server) SetBranding(b Branding) { a.branded.Store(&b) }
