package endpoint

import (
	"context"
	"net/http"
	"reflect"
	"slices"

	"alcove/bucket"
	"alcove/record"
)

// Read is an endpoint that reads what the caller may see.
func Read(h func(*Call, *bucket.Tx) (Reply, error)) Endpoint {
	return Endpoint{read: h, run: func(c *Call) (r Reply, err error) {
		err = c.Server.DB.View(func(tx *bucket.Tx) error {
			r, err = h(c, tx)
			return err
		})
		return r, err
	}}
}

// PublicRead is an endpoint that reads public tables only.
func PublicRead(h func(*Call, *bucket.PublicTx) (Reply, error)) Endpoint {
	return Endpoint{run: func(c *Call) (r Reply, err error) {
		err = c.Server.DB.ViewPublic(func(tx *bucket.PublicTx) error {
			r, err = h(c, tx)
			return err
		})
		return r, err
	}}
}

// PublicList is an endpoint that reads public tables only, in transactions that it opens itself. Its
// answers are given again as long as nothing is committed, so they depend on nothing but the
// store, the path, the query and X-Cursor: neither on the time nor on other headers.
func PublicList(h func(*Call) (Reply, error)) Endpoint {
	return Endpoint{cached: true, run: func(c *Call) (Reply, error) { return h(c) }}
}

// Write is an endpoint without a body that changes the store.
func Write(h func(*Call, *bucket.Tx) (Reply, error)) Endpoint {
	return Endpoint{run: func(c *Call) (Reply, error) { return c.Write(h) }}
}

// Writing is the context of the call's writes. A deletion goes on when the disk is full, so that
// there is a way to make room.
func (c *Call) Writing() context.Context {
	if c.Method == http.MethodDelete {
		return bucket.Frees(c.Context)
	}
	return c.Context
}

// Write runs a handler in a write transaction in which the conditions of the request
// hold, and what it wants done after it.
func (c *Call) Write(h func(*Call, *bucket.Tx) (Reply, error)) (r Reply, err error) {
	warned := c.Warned
	err = c.Server.DB.UpdateBy(c.Writing(), c.By(), func(tx *bucket.Tx) error {
		c.Warned = slices.Clone(warned) // it may run twice
		if err := c.Expected(tx); err != nil {
			return err
		}
		if r, err = h(c, tx); err != nil {
			return err
		}
		return c.tellTag(tx, &r)
	})
	if err != nil {
		return Reply{}, err
	}
	if r.After != nil {
		r.After()
	}
	return r, nil
}

// WriteBody is an endpoint that changes the store as a JSON body says. A body with wrong
// values is refused only where there is something that this caller may change (401, 400
// unreadable, 404 and 403, 422), which a read of the address tells.
func WriteBody[B any](h func(*Call, *bucket.Tx, *B) (Reply, error)) Endpoint {
	return writeBody(jsonBody, h)
}

// WriteOptional is WriteBody with a body that may be left out, in which null says
// nothing: generated clients send it for what was not set.
func WriteOptional[B any](h func(*Call, *bucket.Tx, *B) (Reply, error)) Endpoint {
	return writeBody(optionalBody, h)
}

// WriteAfter is WriteBody of which a part is stored first, in commits of its own, so that other
// writers need not wait for all of it. Records that first stores must be of no use before h has run; undo,
// which may be nil, removes it when h fails.
func WriteAfter[B any](first func(*Call, *B) (undo func(), err error), h func(*Call, *bucket.Tx, *B) (Reply, error)) Endpoint {
	e := WriteBody(h)
	e.run = writing(jsonBody, first, h)
	return e
}

func writeBody[B any](kind bodyKind, h func(*Call, *bucket.Tx, *B) (Reply, error)) Endpoint {
	return Endpoint{body: kind, takes: reflect.TypeFor[B](), run: writing(kind, nil, h)}
}

func writing[B any](kind bodyKind, first func(*Call, *B) (func(), error), h func(*Call, *bucket.Tx, *B) (Reply, error)) func(*Call) (Reply, error) {
	return func(c *Call) (Reply, error) {
		if kind == optionalBody {
			c.body = c.body.WithoutNulls()
		}
		body := new(B)
		warnings, bad := c.body.Bind(body)
		if bad != nil {
			return Reply{}, c.badBody(bad)
		}
		var undo func()
		if first != nil {
			var err error
			if undo, err = first(c, body); err != nil {
				return Reply{}, err
			}
		}
		c.Warned = warnings
		r, err := c.Write(func(c *Call, tx *bucket.Tx) (Reply, error) { return h(c, tx, body) })
		if err != nil && undo != nil {
			undo()
		}
		return r, err
	}
}

// badBody is the refusal of a body with wrong values, or the one that comes before it.
func (c *Call) badBody(bad error) error {
	if c.State == nil {
		return bad
	}
	err := c.Server.DB.View(func(tx *bucket.Tx) error {
		_, err := c.State(c, tx)
		return err
	})
	if comesBefore422(err) {
		return err
	}
	return bad
}

// comesBefore422 reports whether a refusal says less about the body than about the
// caller or the address.
func comesBefore422(err error) bool {
	e, ok := refusal(err)
	return ok && (e.Class == record.NotFound || e.Class == record.Forbidden)
}

// Linked opens an endpoint of own articles or collections also to holders of a private link to
// the item: any link where it reads, one that lets edit where it
// writes. Without a token of its own the caller acts as an account that owns nothing, and in
// the name of the owner.
func Linked(kind string, e Endpoint) Endpoint {
	e.linked = kind
	return e
}

// Free takes what belongs to a page, or is as cheap as a file, out of the rate of pages.
func Free(e Endpoint) Endpoint {
	e.free = true
	return e
}

// AnyHost has an endpoint answer requests for any host: checks of load balancers name none that is configured.
func (e Endpoint) AnyHost() Endpoint {
	e.anyHost = true
	return e
}

// Plain is an endpoint that opens its transactions itself.
func Plain(h func(*Call) (Reply, error)) Endpoint {
	return Endpoint{run: func(c *Call) (Reply, error) { return h(c) }}
}

// PlainBody is Plain with an optional JSON body, that of a search. In it null says nothing:
// generated clients send it for what was not set. Under the profile of the public service pages
// and ids may be texts of digits, as they are in a query (compatibility.md).
func PlainBody[B any](h func(*Call, *B) (Reply, error)) Endpoint {
	return plainBody(optionalBody, h)
}

// PlainRequired is PlainBody with a body that must be there (400).
func PlainRequired[B any](h func(*Call, *B) (Reply, error)) Endpoint {
	return plainBody(jsonBody, h)
}

func plainBody[B any](kind bodyKind, h func(*Call, *B) (Reply, error)) Endpoint {
	return Endpoint{body: kind, takes: reflect.TypeFor[B](), scope: record.ScopeRead, run: func(c *Call) (Reply, error) {
		body := new(B)
		sent := c.body.WithoutNulls()
		if c.Server.Settings.Figshare {
			sent = sent.WithNumbers("page", "page_size", "limit", "offset", "institution", "group", "item_type")
		}
		var err error
		if c.Warned, err = sent.Bind(body); err != nil {
			return Reply{}, c.badBody(err)
		}
		return h(c, body)
	}}
}

// Stream is Plain with a body that the handler reads itself.
func Stream(h func(*Call) (Reply, error)) Endpoint {
	e := Plain(h)
	e.body = streamBody
	return e
}

// Uploads is an endpoint that a token may call which is for making and changing drafts and their files.
func (e Endpoint) Uploads() Endpoint {
	e.scope = record.ScopeUpload
	return e
}

// When puts a refusal before the tests of conditions and of the values of a body, as
// their order demands (401, 400, 404 and 403, 412, 422): without it they come before
// what the handler itself asks of the caller, because it can read the address.
func (e Endpoint) When(may func(*Call, *bucket.Tx) error) Endpoint {
	run := e.run
	e.run = func(c *Call) (Reply, error) {
		if state := c.State; state != nil {
			c.State = func(c *Call, tx *bucket.Tx) (Reply, error) {
				if err := may(c, tx); err != nil {
					return Reply{}, err
				}
				return state(c, tx)
			}
		}
		return run(c)
	}
	return e
}

// Announcing finds out what is free on the disk before the transaction of an endpoint that
// starts an upload.
func (e Endpoint) Announcing() Endpoint {
	run := e.run
	e.run = func(c *Call) (r Reply, err error) {
		if c.Free, err = c.Server.Uploads.Free(); err != nil {
			return Reply{}, err
		}
		return run(c)
	}
	return e
}

// Ahead makes an endpoint run something before its transaction.
func (e Endpoint) Ahead(read func(*Call)) Endpoint {
	run := e.run
	e.run = func(c *Call) (Reply, error) {
		read(c)
		return run(c)
	}
	return e
}

// On makes an endpoint test its conditions on another state than that of the address
// above it.
func (e Endpoint) On(state func(*Call, *bucket.Tx) (Reply, error)) Endpoint {
	run := e.run
	e.run = func(c *Call) (Reply, error) {
		c.State = state
		return run(c)
	}
	return e
}
