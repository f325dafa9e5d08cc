package handlers

import (
	"bytes"
	"errors"
	"io"
	"mime"
	formdata "mime/multipart"

	"alcove/record"
)

// The few operations that take a file beside JSON take it as the public description of the API
// has it: as a part of a form (multipart/form-data, RFC 7578). All others take JSON only.

// formParts is how many parts of a form are looked at.
const formParts = 20

// WithFile is an endpoint whose body is a form with a file in one field. The handler asks for
// the file with formFile, once it knows that this caller may send one.
func WithFile(field string, h func(*Call) (Reply, error)) Endpoint {
	e := Plain(h)
	e.body, e.file = formBody, field
	return e
}

// formFile is the file in a field of a form. It is not larger than max_body.
func (c *Call) formFile(field string) ([]byte, error) {
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

// csvError is the refusal of a file that is no CSV.
func csvError(err error) error {
	var refused *record.Error
	if errors.As(err, &refused) {
		return err
	}
	return record.Bad("FileUnreadable", "The file is not valid CSV: "+err.Error())
}
