package record

import "time"

// Access is a request that an operator may want to look up later: one that was refused, one that
// an administrator's token made, or one that changed something.
type Access struct {
	At      time.Time `json:"at"`
	Method  string    `json:"method"`
	Route   string    `json:"route"`   // the pattern, "-" where no route was found
	IDs     string    `json:"ids"`     // of the path, as "id=7 file_id=9"
	Status  int       `json:"status"`  // of the answer
	Account int64     `json:"account"` // as which the call acted, 0 for none
	Actor   int64     `json:"actor"`   // whose token it was, 0 for none
	Token   string    `json:"token"`   // id of the token, empty for none
	Address string    `json:"address"` // of the client, shortened as the configuration says
	Count   int       `json:"count"`   // requests that this stands for: more than 1 where an address was refused often
}
