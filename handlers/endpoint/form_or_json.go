package endpoint

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"alcove/auth"
	"alcove/handlers/present"
	"alcove/record"
)

// FormOrJSON is an endpoint of OAuth, whose body is the fields of a form or a JSON object. A field without a value
// counts as not sent.
func FormOrJSON[B any](h func(*Call, *B) (Reply, error)) Endpoint {
	return Endpoint{body: formBody, fields: reflect.TypeFor[B](), run: func(c *Call) (r Reply, err error) {
		body := new(B)
		if err = c.readFields(body); err == nil {
			r, err = h(c, body)
		}
		var refused *auth.Refusal
		if errors.As(err, &refused) {
			r, err = Reply{Status: http.StatusBadRequest, Body: present.OAuthRefusal{Error: refused.Code, Description: refused.About}}, nil
		}
		if err == nil {
			r.Header = http.Header{"Cache-Control": {"no-store"}, "Pragma": {"no-cache"}}
		}
		return r, err
	}}
}

// readFields reads the body of a FormOrJSON. The error is an *auth.Refusal.
func (c *Call) readFields(into any) error {
	if len(c.form) > maxFields {
		return record.ErrBodyTooLarge
	}
	text := c.form
	if !bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) {
		fields, err := url.ParseQuery(string(text))
		if err != nil {
			return &auth.Refusal{Code: "invalid_request", About: "The body is neither the fields of a form nor a JSON object"}
		}
		object := map[string]string{}
		for name, values := range fields {
			if len(values) > 1 {
				return &auth.Refusal{Code: "invalid_request", About: "A field was sent more than once"}
			}
			object[name] = values[0]
		}
		if text, err = present.Encode(object); err != nil {
			return err
		}
	}
	body, err := record.ReadBody(text, true)
	if err == nil {
		_, err = body.WithoutNulls().Bind(into)
	}
	if err != nil {
		return &auth.Refusal{Code: "invalid_request", About: "The fields cannot be read: " + printable(err.Error())}
	}
	return nil
}

// PlainForm is Plain with the fields of a form, which the handler reads itself (FormText). A page of another site may send
// them.
func PlainForm(h func(*Call) (Reply, error)) Endpoint {
	e := Plain(h)
	e.body = formBody
	return e
}

// FormText is the body of a PlainForm.
func (c *Call) FormText() ([]byte, error) {
	if len(c.form) > maxFields {
		return nil, record.ErrBodyTooLarge
	}
	return c.form, nil
}

// printable is a text as an error_description may have it (RFC 6749, 5.2).
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '\''
		}
		return r
	}, text)
}
