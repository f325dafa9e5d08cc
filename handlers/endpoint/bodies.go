package endpoint

import (
	"bytes"
	"errors"
	"io"
	"mime"
	formdata "mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"time"

	"alcove/record"
)

// readBody reads and parses a JSON body before any transaction is opened. Bodies are
// JSON whatever the Content-Type says. One that comes too slowly is cut off.
func (c *Call) readBody(kind bodyKind) error {
	if kind == streamBody {
		return nil
	}
	if c.Request.ContentLength == 0 { // there is nothing to wait for
		var err error
		if kind != noBody && kind != formBody {
			c.body, err = record.ReadBody(nil, kind == optionalBody)
		}
		return err
	}
	b, err := c.readBytes()
	if err != nil {
		return err
	}
	if kind == formBody {
		c.form = b
	}
	if kind == noBody || kind == formBody {
		c.body, _ = record.ReadBody(b, true) // the endpoint has no use for it, impersonate may
		return nil
	}
	c.body, err = record.ReadBody(b, kind == optionalBody)
	return err
}

// readBytes reads a body that is not larger than the server takes.
func (c *Call) readBytes() ([]byte, error) {
	a := c.Server
	if c.Request.ContentLength > a.Limits.MaxBody {
		return nil, record.ErrBodyTooLarge
	}
	rc := http.NewResponseController(c.Writer)
	b, err := c.readAll(http.MaxBytesReader(c.Writer, c.steady(c.Request.Body, rc), a.Limits.MaxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, record.ErrBodyTooLarge
	case errors.Is(err, record.ErrUnavailable):
		return nil, err
	case err != nil:
		return nil, record.Bad("BodyUnreadable", "The request body could not be read")
	}
	rc.SetReadDeadline(time.Time{})
	return b, nil
}

// readAll reads to the end, into room that the call holds until it is answered. Where there
// is none left the error is ErrUnavailable.
func (c *Call) readAll(from io.Reader) ([]byte, error) {
	size := int64(512)
	if n := c.Request.ContentLength; n > 0 {
		size = min(n+1, bodyStart) // one more tells the end
	}
	b := make([]byte, 0, size)
	for {
		n, err := from.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if errors.Is(err, io.EOF) {
			return b, nil
		}
		if err != nil {
			return b, err
		}
		if len(b) < cap(b) {
			continue
		}
		larger := min(2*int64(cap(b)), c.Server.Limits.MaxBody+1)
		if more := max(larger-bodyStart, 0) - c.reserved; more > 0 {
			if !c.Server.bodies.take(more) {
				return nil, record.ErrUnavailable
			}
			c.reserved += more
		}
		b = append(make([]byte, 0, larger), b...)
	}
}

// steadyRate is how many bytes of a body must come a second, on average after its beginning.
const steadyRate = 512

// steady is a body that fails when it comes too slowly: it has as long as headers have, a
// second more for each steadyRate bytes that have come, and never longer than the body timeout.
func (c *Call) steady(body io.Reader, control *http.ResponseController) io.ReadCloser {
	l := &c.Server.Limits
	return io.NopCloser(&steadyReader{body: body, control: control, begun: time.Now(), first: l.HeaderTimeout, whole: l.BodyTimeout})
}

type steadyReader struct {
	body         io.Reader
	control      *http.ResponseController
	begun        time.Time
	first, whole time.Duration
	come         int64
}

func (s *steadyReader) Read(b []byte) (int, error) {
	timeout := s.first + time.Duration(s.come)*time.Second/steadyRate
	if s.whole > 0 {
		timeout = min(timeout, s.whole)
	}
	s.control.SetReadDeadline(s.begun.Add(timeout))
	n, err := s.body.Read(b)
	s.come += int64(n)
	return n, err
}

// The few operations that take a file beside JSON take it as the public description of the API
// has it: as a part of a form (multipart/form-data, RFC 7578). All others take JSON only.

// formParts is how many parts of a form are looked at.
const formParts = 20

// WithFile is an endpoint whose body is a form with a file in one field. The handler asks for
// the file with FormFile, once it knows that this caller may send one.
func WithFile(field string, h func(*Call) (Reply, error)) Endpoint {
	e := Plain(h)
	e.body, e.file = formBody, field
	return e
}

// maxFields bounds the bytes of the fields of a form, and maxLong of one that describes an item.
const (
	maxFields = 64 << 10
	maxLong   = 1 << 20
)

// Form is an endpoint of a page whose body is the fields of a form. A page of another site cannot have a
// browser send it (403).
func Form(h func(*Call) (Reply, error)) Endpoint { return formOf(maxFields, h) }

// LongForm is a Form that describes an item.
func LongForm(h func(*Call) (Reply, error)) Endpoint { return formOf(maxLong, h) }

func formOf(most int, h func(*Call) (Reply, error)) Endpoint {
	e := Plain(func(c *Call) (Reply, error) {
		if err := SameOrigin.Check(c.Request); err != nil {
			return Reply{}, record.ErrOtherOrigin
		}
		if len(c.form) > most {
			return Reply{}, record.ErrBodyTooLarge
		}
		kind, _, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
		if len(c.form) > 0 && (err != nil || kind != "application/x-www-form-urlencoded") {
			return Reply{}, record.ErrFormUnreadable
		}
		if c.fields, err = url.ParseQuery(string(c.form)); err != nil { // also for more fields than it reads
			return Reply{}, record.ErrFormUnreadable
		}
		return h(c)
	})
	e.body = formBody
	return e
}

// FileForm is an endpoint of a page whose form has a file beside its fields (multipart/form-data), which is read as a
// field: neither is larger than max_body.
func FileForm(h func(*Call) (Reply, error)) Endpoint {
	e := Plain(func(c *Call) (Reply, error) {
		if err := SameOrigin.Check(c.Request); err != nil {
			return Reply{}, record.ErrOtherOrigin
		}
		if err := c.readParts(); err != nil {
			return Reply{}, err
		}
		return h(c)
	})
	e.body = formBody
	return e
}

// LongOrFileForm is a LongForm that may also come as a FileForm.
func LongOrFileForm(h func(*Call) (Reply, error)) Endpoint {
	e, withFile := LongForm(h), FileForm(h)
	long := e.run
	e.run = func(c *Call) (Reply, error) {
		if kind, _, err := mime.ParseMediaType(c.Header.Get("Content-Type")); err == nil && kind == "multipart/form-data" {
			return withFile.run(c)
		}
		return long(c)
	}
	return e
}

// readParts reads the parts of a form, none of an empty body.
func (c *Call) readParts() error {
	c.fields = url.Values{}
	if len(c.form) == 0 {
		return nil
	}
	kind, parameters, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || parameters["boundary"] == "" {
		return record.ErrPartsUnreadable
	}
	form := formdata.NewReader(bytes.NewReader(c.form), parameters["boundary"])
	for range formParts {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var value []byte
		if err == nil {
			value, err = io.ReadAll(part)
		}
		if err != nil {
			return record.ErrPartsUnreadable
		}
		c.fields.Add(part.FormName(), string(value))
	}
	return record.ErrPartsUnreadable
}

// Sent is what a field of a Form has, byte for byte.
func (c *Call) Sent(name string) string { return c.fields.Get(name) }

// Field is what was written in a field of a Form, without bytes that are no text.
func (c *Call) Field(name string) string { return strings.ToValidUTF8(c.fields.Get(name), "") }

// Fields are the values of a name that a Form may have several times, as Field gives one.
func (c *Call) Fields(name string) (list []string) {
	for _, value := range c.fields[name] {
		list = append(list, strings.ToValidUTF8(value, ""))
	}
	return list
}

// Written reports whether a Form has a field.
func (c *Call) Written(name string) bool { return c.fields.Has(name) }

// FormFile is the file in a field of a form. It is not larger than max_body.
func (c *Call) FormFile(field string) ([]byte, error) {
	missing := record.Bad("FileMissing", "The body must be a form (multipart/form-data) with a file in the field "+field)
	kind, parameters, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || parameters["boundary"] == "" {
		return nil, missing
	}
	form := formdata.NewReader(bytes.NewReader(c.form), parameters["boundary"])
	for range formParts {
		part, err := form.NextPart()
		if err != nil {
			return nil, missing // at the end, or what is no form
		}
		if part.FormName() != field {
			continue
		}
		file, err := io.ReadAll(part)
		if err != nil || len(file) == 0 {
			return nil, missing
		}
		return file, nil
	}
	return nil, missing
}

// CSVError is the refusal of a file that is no CSV.
func CSVError(err error) error {
	var refused *record.Error
	if errors.As(err, &refused) {
		return err
	}
	return record.Bad("FileUnreadable", "The file is not valid CSV: "+err.Error())
}
