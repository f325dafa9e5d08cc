// Package mirrors answers at the addresses of items that have come from other repositories, in the form that those give.
package mirrors

import "alcove/handlers/endpoint"

// Mirrors answers at the addresses of items that have come from other repositories, in the form that those give.
type Mirrors struct {
	*endpoint.Server
	give func(c *endpoint.Call, file int64) (endpoint.Reply, error) // a public file
}

// New prepares it.
func New(s *endpoint.Server, give func(c *endpoint.Call, file int64) (endpoint.Reply, error)) *Mirrors {
	return &Mirrors{s, give}
}
