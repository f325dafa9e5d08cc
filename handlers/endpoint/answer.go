package endpoint

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"alcove/bucket"
	"alcove/bucket/kv"
	"alcove/handlers/present"
	"alcove/handlers/wire"
	"alcove/index"
	"alcove/jobs"
	"alcove/record"
	"alcove/uploads"
)

// send writes a reply.
func (a *Server) send(c *Call, w *recorder, r Reply, access Access) error {
	h := w.Header()
	for k, v := range r.Header {
		h[k] = v
	}
	if r.Location != "" {
		h.Set("Location", r.Location)
	}
	if r.Cursor != "" {
		h[CursorHeader] = []string{r.Cursor}
	}
	if r.File != nil {
		return a.sendFile(c, w, r.File)
	}
	c.setWarnings(h)
	if r.Status == 0 {
		r.Status = http.StatusOK
	}
	body, err := r.encoded()
	if err != nil {
		return err
	}
	if body != nil || r.Pieces != nil {
		h["Content-Type"] = r.contentType()
	}
	if r.Name != "" {
		h.Set("Content-Disposition", "attachment; "+wire.FileName(r.Name))
	}
	if h["Cache-Control"] == nil || c.secrets.any() {
		c.cacheHeaders(h, (access == Public || r.Public) && c.person == nil)
	}
	if r.Public && r.Type != "" && !c.secrets.any() && c.person == nil {
		h[anyPage.name] = anyPage.value
	}
	if r.Status == http.StatusOK && (c.Method == http.MethodGet || c.Method == http.MethodHead) {
		tag, err := r.EntityTag()
		if err != nil {
			return err
		}
		h["Etag"] = []string{tag}
		c.setModified(h, r.Modified)
		switch c.notModified(tag, r.Modified) {
		case http.StatusPreconditionFailed:
			return record.ErrStale
		case http.StatusNotModified:
			h.Del("Content-Type")
			h.Del("Content-Disposition")
			a.write(c, w, http.StatusNotModified, nil)
			c.countAgain(r.Count)
			return nil
		}
		c.Count(r.Count)
	}
	if r.Pieces != nil {
		return a.sendPieces(c, w, r.Pieces)
	}
	if r.Status != http.StatusNoContent {
		h["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	a.write(c, w, r.Status, body)
	return nil
}

func (r *Reply) encoded() ([]byte, error) {
	switch {
	case r.Raw != nil:
		return r.Raw, nil
	case r.Body != nil:
		return present.Encode(r.Body)
	}
	return nil, nil
}

var jsonType = []string{"application/json"}

func (r *Reply) contentType() []string {
	if r.Type != "" {
		return []string{r.Type}
	}
	return jsonType
}

var askFirst = []string{"public, no-cache"}

// cacheHeaders lets caches keep public answers if they ask before each use, and keeps
// them away from answers to one account.
func (c *Call) cacheHeaders(h http.Header, public bool) {
	switch {
	case c.secrets.any():
		h.Set("Cache-Control", "private, no-store")
	case public:
		h["Cache-Control"] = askFirst
	default:
		h.Set("Cache-Control", "private, no-cache")
		h.Add("Vary", "Authorization, Cookie")
	}
}

var statuses = map[record.ErrorClass]int{
	record.Unreadable: 400, record.Unauthorized: 401, record.Forbidden: 403, record.NotFound: 404,
	record.NotAllowed: 405, record.NotAcceptable: 406, record.Conflict: 409, record.Stale: 412, record.TooLarge: 413,
	record.RangeUnmet: 416, record.Invalid: 422, record.MissingStep: 428, record.Misdirected: 421, record.TooMany: 429, record.HeaderTooLarge: 431,
	record.Unavailable: 503, record.NoSpace: 507,
}

// refusal is the answer that an error is meant to be; false when it is a fault of ours.
func refusal(err error) (*record.Error, bool) {
	var e *record.Error
	switch {
	case errors.As(err, &e):
		return e, true
	case errors.Is(err, kv.ErrNoSpace):
		return record.ErrDiskFull, true
	case errors.Is(err, kv.ErrReadOnly):
		return record.ErrReadOnly, true
	case errors.Is(err, bucket.ErrBusy):
		return record.ErrBusy, true
	case uploads.IsNoSpace(err):
		return record.ErrNoSpace, true
	case errors.Is(err, bucket.ErrStopped), errors.Is(err, index.ErrDamaged), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return record.ErrUnavailable, true // the answer of a canceled call is not read
	}
	return nil, false
}

// fail writes an error, a body of three fields. Faults of ours say
// nothing but the request id, by which the log tells what happened.
func (a *Server) fail(c *Call, w *recorder, err error) {
	if w.status != 0 {
		return // the reply has begun
	}
	e, ok := refusal(err)
	status := http.StatusInternalServerError
	body := present.Error{Message: "Internal server error", Code: "InternalServerError", Data: map[string]any{"request_id": c.RequestID}}
	if ok {
		status = statuses[e.Class]
		body = present.Error{Message: e.Message, Code: e.Code, Data: e.Data}
		if body.Data == nil {
			body.Data = map[string]any{}
		}
	}
	b, encodeErr := present.Encode(body)
	if c.oauth && status == http.StatusBadRequest {
		b, encodeErr = present.Encode(present.OAuthRefusal{Error: "invalid_request", Description: printable(body.Message)})
	}
	if encodeErr != nil {
		a.Log.Error("cannot encode an error", "error", encodeErr)
		b = []byte(`{"message": "Internal server error", "code": "InternalServerError", "data": {}}`)
		status = http.StatusInternalServerError
	}
	h := w.Header()
	for _, k := range []string{"ETag", "Last-Modified", "Content-Disposition", "Accept-Ranges", "Location", CursorHeader} {
		h.Del(k)
	}
	switch status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", challenge(e))
	case http.StatusForbidden:
		if e.Code == record.ErrScope.Code {
			h.Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="alcove", error="insufficient_scope", scope="%s"`, e.Data["scope"]))
		}
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", "1")
	case http.StatusTooManyRequests:
		h.Set("Retry-After", fmt.Sprint(body.Data["retry_after"]))
	case http.StatusRequestEntityTooLarge:
		h.Set("Connection", "close")
	}
	if !a.failPage(c, w, status, body) {
		h.Set("Content-Type", "application/json")
		a.sendRefusal(c, w, status, b)
	}
}

// challenge says what is wrong with the token of a request (RFC 6750, 3), and nothing where it has none.
func challenge(e *record.Error) string {
	if e.Code == record.ErrTokenInvalid.Code {
		return `Bearer realm="alcove", error="invalid_token"`
	}
	return `Bearer realm="alcove"`
}

func (a *Server) sendRefusal(c *Call, w *recorder, status int, body []byte) {
	h := w.Header()
	h.Set("Cache-Control", "private, no-store")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	dropBody(w)
	a.write(c, w, status, body)
}

// Count counts what the caller is about to get.
func (c *Call) Count(u jobs.Use) {
	if c.Method == http.MethodGet || u.Share {
		c.Server.Jobs.CountUse(c.Start, c.visitor(), u)
	}
}

// countAgain counts what the caller has already, which is no view or download of ours.
func (c *Call) countAgain(u jobs.Use) {
	u.Aside = true
	c.Count(u)
}

func (c *Call) visitor() jobs.Visitor {
	who := jobs.Visitor{Address: c.Server.Remote(c.Request), Agent: c.Header.Get("User-Agent")}
	if c.Account != nil {
		who.Account = c.Account.ID
	} else if c.person != nil {
		who.Account = c.person.ID
	}
	return who
}
