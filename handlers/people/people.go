// Package people answers calls about people: their accounts and profiles, how they sign in, and their institution.
package people

import (
	"sync/atomic"
	"time"

	"alcove/handlers/endpoint"
	"alcove/handlers/wire"
)

// People answers what is about people: accounts and persons, how they sign in, and the institution that they are of.
type People struct {
	*endpoint.Server
	Institution Institution
	SignIns     SignIns // elsewhere

	passwordsOf *wire.Rates  // wrong passwords by e-mail address of an account
	codesOf     *wire.Rates  // wrong codes by account
	mailsTo     *wire.Rates  // mails by e-mail address
	exports     atomic.Int32 // of persons that are being written
}

// New prepares it.
func New(s *endpoint.Server, institution Institution, signIns SignIns) *People {
	return &People{
		Server: s, Institution: institution, SignIns: signIns,
		passwordsOf: wire.NewRates(wrongOfAccount/time.Hour.Seconds(), wrongOfAccount),
		codesOf:     wire.NewRates(wrongCodes/time.Hour.Seconds(), wrongCodes),
		mailsTo:     wire.NewRates(mailsAnHour/time.Hour.Seconds(), mailsAnHour),
	}
}
