package endpoint

import (
	"alcove/handlers/wire"
)

// Guards are limits for single clients that can change while the server runs.
type Guards struct {
	DiskReserve    int64 // bytes of the disk that uploads leave free
	RateLimit      int   // requests a second of an account or address, 0 for none
	RateBurst      int   // at once
	PageRate       int   // pages a second of an address, 0 for none
	PageBurst      int   // at once
	WrongTokens    int   // a minute from one address
	WrongPasswords int   // a minute from one address
}

// guards are those that hold, with what was counted by them.
type guards struct {
	Guards
	rates          *wire.Rates // requests by caller, nil where no rate is set
	pageRates      *wire.Rates // pages by address, nil where no rate is set
	wrong          *wire.Rates // wrong tokens by address
	PasswordsFrom  *wire.Rates // wrong passwords by address
	BeginningsFrom *wire.Rates // beginnings of signing in with a passkey or at another service by address
	MailsFrom      *wire.Rates // mails by the address of the client
}

// Rates are those of now.
func (a *Server) Rates() *guards { return a.guarded.Load() }

// DiskReserve is how many bytes of the disk uploads leave free now.
func (a *Server) DiskReserve() int64 { return a.Rates().DiskReserve }

// SetGuards says what holds from now on. A limit that is as it was goes on counting: no client gets new tries because
// another limit has changed.
func (a *Server) SetGuards(g Guards) {
	next, old := &guards{Guards: g}, a.Rates()
	if old == nil {
		old = &guards{}
	}
	rates := func(was *wire.Rates, same bool, perSecond, burst float64) *wire.Rates {
		if same && was != nil {
			return was
		}
		return wire.NewRates(perSecond, burst)
	}
	if g.RateLimit > 0 {
		next.rates = rates(old.rates, g.RateLimit == old.RateLimit && g.RateBurst == old.RateBurst, float64(g.RateLimit), float64(g.RateBurst))
	}
	if g.PageRate > 0 {
		next.pageRates = rates(old.pageRates, g.PageRate == old.PageRate && g.PageBurst == old.PageBurst, float64(g.PageRate), float64(g.PageBurst))
	}
	next.wrong = rates(old.wrong, g.WrongTokens == old.WrongTokens, float64(g.WrongTokens)/60, float64(g.WrongTokens))
	same, each := g.WrongPasswords == old.WrongPasswords, float64(g.WrongPasswords)
	next.PasswordsFrom = rates(old.PasswordsFrom, same, each/60, each)
	next.BeginningsFrom = rates(old.BeginningsFrom, same, each/60, each)
	next.MailsFrom = rates(old.MailsFrom, same, each/60, each)
	a.guarded.Store(next)
}
