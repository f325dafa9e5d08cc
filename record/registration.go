package record

import "time"

// Registration is what a registrar of DOIs is to know of one, and what it has confirmed.
type Registration struct {
	DOI     string `json:"doi"`     // as the item has it
	Kind    int64  `json:"kind"`    // of the item (KindArticle and so on)
	Item    int64  `json:"item"`    // its id
	Version int    `json:"version"` // that the DOI names, 0 for the item as a whole
	Wanted  string `json:"wanted"`  // the state that it is to have, "" for none: a draft that is not needed any more

	Sent    string    `json:"sent,omitempty"`    // the state that the registrar confirmed, "" for none
	URL     string    `json:"url,omitempty"`     // the address that it leads to since
	Sum     string    `json:"sum,omitempty"`     // hex SHA-256 of what was sent
	First   time.Time `json:"first,omitzero"`    // it was registered
	Begun   bool      `json:"begun,omitempty"`   // a request may have reached the registrar
	Changed bool      `json:"changed,omitempty"` // the item may have changed since it was sent
	Turn    int64     `json:"turn,omitempty"`    // how often it may have

	Tries  int       `json:"tries,omitempty"`  // that failed since the last one that did not
	Due    time.Time `json:"due,omitzero"`     // of the next try
	Error  string    `json:"error,omitempty"`  // of the last try
	Cause  string    `json:"cause,omitempty"`  // of that error, one of those below
	Failed time.Time `json:"failed,omitzero"`  // when that was
	Parked bool      `json:"parked,omitempty"` // it is not tried again before an operator says so
}

// States of a DOI at its registrar.
const (
	DOIDraft    = "draft"      // reserved: known to the registrar alone
	DOIFindable = "findable"   // registered, and found in its search
	DOIHidden   = "registered" // registered, but found no more: the item was withdrawn
)

// Causes for which a try fails. Pages say them in words.
const (
	CauseAccount = "account" // our account is refused, whatever the DOI
	CauseForeign = "foreign" // our account may not have this DOI: its prefix is another one's
	CauseInvalid = "invalid" // what was sent is refused
	CauseTaken   = "taken"   // the registrar has the DOI of another item
	CauseForm    = "form"    // the DOI has characters that the registrar does not take
	CauseItem    = "item"    // the item cannot be read here
	CauseBusy    = "busy"    // the registrar asks to wait, or fails itself
	CauseAway    = "away"    // the registrar cannot be reached, or its answer cannot be read
)

// Waits reports whether the registrar has to be told something.
func (r *Registration) Waits() bool { return !r.Parked && (r.Changed || r.Wanted != r.Sent) }

// Fails reports whether the last try failed, and what it was for is still to be done.
func (r *Registration) Fails() bool { return r.Parked || r.Waits() && r.Error != "" }

// Registered reports whether the DOI leads anywhere.
func (r *Registration) Registered() bool { return r.Sent == DOIFindable || r.Sent == DOIHidden }

// RegistrarState is how far the work with the registrar is.
type RegistrarState struct {
	Sequence uint64    `json:"sequence"`          // of the change log, up to which items were looked at
	SiteURL  string    `json:"site_url"`          // that addresses began with
	Compare  bool      `json:"compare"`           // before anything is sent the registrar is asked what it has
	Compared time.Time `json:"compared,omitzero"` // that was done last
	Success  time.Time `json:"success,omitzero"`  // the registrar confirmed something last
	Halted   string    `json:"halted,omitempty"`  // why nothing is sent, "" for no reason
	Cause    string    `json:"cause,omitempty"`   // of that, as of a Registration
	Resume   time.Time `json:"resume,omitzero"`   // it is tried again
	Turn     int64     `json:"turn,omitempty"`    // how often an operator has said so
}
