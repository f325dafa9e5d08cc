package handlers

import "alcove/bucket"

// Announcing finds out what is free on the disk before the transaction of an endpoint that
// starts an upload.
func (e Endpoint) Announcing() Endpoint {
	run := e.run
	e.run = func(a *API, c *Call) (r Reply, err error) {
		if c.free, err = a.Uploads.Free(); err != nil {
			return Reply{}, err
		}
		return run(a, c)
	}
	return e
}

// unreservedBytes is how many bytes of the disk are neither used nor announced by an upload.
func (c *Call) unreservedBytes(tx *bucket.Tx) int64 {
	return c.free - c.API.Limits.DiskReserve - bucket.BytesAnnounced.Sum(tx) + bucket.BytesArrived.Sum(tx)
}
