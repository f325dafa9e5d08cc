package handlers

import (
	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
)

// Health says that the process answers.
func (a *API) Health(c *Call) (Reply, error) { return Reply{Body: present.State{Status: "ok"}}, nil }

// Ready says that the store can be read and written and the search index works; else
// 503.
func (a *API) Ready(c *Call) (Reply, error) {
	if err := a.DB.View(func(*bucket.Tx) error { return nil }); err != nil || a.DB.Stopped() || !a.Index.Status().Healthy {
		return Reply{}, record.ErrUnavailable
	}
	return Reply{Body: present.State{Status: "ready"}}, nil
}
