package record

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// FieldType is the type of the values of a defined custom field.
type FieldType string

// The types of custom fields.
const (
	FieldText      FieldType = "text"
	FieldTextArea  FieldType = "textarea"
	FieldDropdown  FieldType = "dropdown"
	FieldURL       FieldType = "url"
	FieldEmail     FieldType = "email"
	FieldDate      FieldType = "date"
	FieldLargeList FieldType = "dropdown_large_list"
)

var fieldTypes = []FieldType{FieldText, FieldTextArea, FieldDropdown, FieldURL, FieldEmail, FieldDate, FieldLargeList}

// Field is the definition of a custom field. It holds for the items of its group and of
// the groups below it. An item keeps its values when the definition goes.
type Field struct {
	ID          int64     `json:"id"`
	GroupID     int64     `json:"group_id"`
	Name        string    `json:"name"`
	Type        FieldType `json:"type"`
	Mandatory   bool      `json:"mandatory"`  // items without it are not published
	Order       int       `json:"order"`      // among the fields of a group
	MinLength   int       `json:"min_length"` // characters of a value, 0 for no bound
	MaxLength   int       `json:"max_length"`
	Options     []string  `json:"options"`  // of the two lists
	Multiple    bool      `json:"multiple"` // a list may be chosen from more than once
	Placeholder string    `json:"placeholder"`
	Identifying bool      `json:"identifying,omitempty"` // its values tell who made an item: anonymous links withhold them
	Uploaded    time.Time `json:"uploaded,omitzero"`     // when its options were last replaced by a file
}

// Bounds of definitions.
const (
	maxFieldName = 255
	maxOptions   = 10_000
)

// List reports whether values are chosen from the options.
func (f *Field) List() bool { return f.Type == FieldDropdown || f.Type == FieldLargeList }

// Check refuses a definition that no value could meet, or that says what has no meaning
// for its type.
func (f *Field) Check() error {
	switch {
	case blankText(f.Name):
		return Wrong("name", "must not be blank")
	case longer(f.Name, maxFieldName) || longer(f.Placeholder, maxFieldName):
		return Wrong("name", "and placeholder must have at most 255 characters")
	case !slices.Contains(fieldTypes, f.Type):
		return Wrong("type", "must be text, textarea, dropdown, url, email, date or dropdown_large_list")
	case f.List() && len(f.Options) == 0:
		return Wrong("options", "are needed for a list")
	case !f.List() && (len(f.Options) > 0 || f.Multiple):
		return Wrong("options", "belong to a list")
	case len(f.Options) > maxOptions:
		return Wrong("options", "may be at most 10000")
	case f.MinLength < 0 || f.MaxLength < 0 || f.MaxLength > 0 && f.MaxLength < f.MinLength:
		return Wrong("max_length", "must not be less than min_length")
	case f.List() && f.MinLength+f.MaxLength > 0:
		return Wrong("max_length", "is not for lists")
	}
	seen := map[string]bool{}
	for _, o := range f.Options {
		if blankText(o) || longer(o, maxFieldName) || seen[o] {
			return Wrong("options", "must be different and have 1 to 255 characters")
		}
		seen[o] = true
	}
	return nil
}

// ReadOptions are the options in the first column of a CSV file. Blank lines and a byte order
// mark are left out; Check looks at the rest.
func ReadOptions(file []byte) ([]string, error) {
	rows := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(file, []byte("\ufeff"))))
	rows.FieldsPerRecord = -1
	if !utf8.Valid(file) {
		return nil, Bad("FileUnreadable", "The file must be UTF-8 text")
	}
	var options []string
	for {
		row, err := rows.Read()
		switch {
		case errors.Is(err, io.EOF):
			return options, nil
		case err != nil:
			return nil, err
		case len(options) > maxOptions:
			return nil, Wrong("options", "may be at most 10000")
		}
		if o := strings.TrimSpace(row[0]); o != "" {
			options = append(options, o)
		}
	}
}

// CheckValue refuses a value that the field does not take (422). A blank value is taken:
// what is mandatory is asked for when an item is published.
func (f *Field) CheckValue(value json.RawMessage) error { return f.checkValue(value, f.options()) }

// options are those of a list, to look values up in.
func (f *Field) options() map[string]bool {
	if !f.List() {
		return nil
	}
	options := make(map[string]bool, len(f.Options))
	for _, o := range f.Options {
		options[o] = true
	}
	return options
}

func (f *Field) checkValue(value json.RawMessage, options map[string]bool) error {
	where := "custom_fields." + f.Name
	values, ok := fieldValues(value)
	if !ok {
		return Wrong(where, "must be a string or a list of strings")
	}
	if len(values) > 1 && !f.Multiple && f.Type != FieldURL && f.Type != FieldEmail {
		return Wrong(where, "takes one value")
	}
	for _, v := range values {
		if reason := f.refuses(v, options); reason != "" {
			return Wrong(where, reason)
		}
	}
	return nil
}

func (f *Field) refuses(v string, options map[string]bool) string {
	switch {
	case f.MinLength > 0 && !longer(v, f.MinLength-1):
		return "must have at least " + strconv.Itoa(f.MinLength) + " characters"
	case f.MaxLength > 0 && longer(v, f.MaxLength):
		return "must have at most " + strconv.Itoa(f.MaxLength) + " characters"
	}
	switch f.Type {
	case FieldDropdown, FieldLargeList:
		if !options[v] {
			return "must be one of the options of the field"
		}
	case FieldURL:
		u, err := url.Parse(v)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return "must be an address that begins with http:// or https://"
		}
	case FieldEmail:
		if a, err := mail.ParseAddress(v); err != nil || a.Address != v {
			return "must be an e-mail address"
		}
	case FieldDate:
		if _, err := time.Parse(time.DateOnly, v); err != nil {
			return "must be a date in the form YYYY-MM-DD"
		}
	}
	return ""
}

// fieldValues are the texts of a value that are not blank: of a string, a list of
// strings, or null.
func fieldValues(value json.RawMessage) (values []string, ok bool) {
	var one *string
	if json.Unmarshal(value, &one) == nil {
		if one != nil {
			values = []string{*one}
		}
	} else if json.Unmarshal(value, &values) != nil {
		return nil, false
	}
	return slices.DeleteFunc(values, func(v string) bool { return strings.TrimSpace(v) == "" }), true
}

// Blank reports whether a value says nothing: null, a blank text, or a list without a text
// that is not blank.
func (c *CustomField) Blank() bool {
	values, ok := fieldValues(c.Value)
	return ok && len(values) == 0
}

// CheckFields refuses values that the definitions do not take, and names the fields that
// none of them defines.
func CheckFields(values []CustomField, defined []Field) (unknown []string, err error) {
	if len(defined) == 0 {
		return nil, nil
	}
	byName, options := make(map[string]*Field, len(defined)), map[string]map[string]bool{}
	for i := range defined {
		if byName[defined[i].Name] == nil {
			byName[defined[i].Name] = &defined[i]
		}
	}
	for _, v := range values {
		f := byName[v.Name]
		if f == nil {
			unknown = append(unknown, shorten(v.Name, 64))
			continue
		}
		if options[f.Name] == nil {
			options[f.Name] = f.options()
		}
		if err := f.checkValue(v.Value, options[f.Name]); err != nil {
			return nil, err
		}
	}
	return unknown, nil
}

// MissingField is the first mandatory field without a value, false when there is none.
func MissingField(values []CustomField, defined []Field) (name string, missing bool) {
	given := map[string]bool{}
	for _, v := range values {
		list, ok := fieldValues(v.Value)
		given[v.Name] = given[v.Name] || !ok || len(list) > 0
	}
	for _, f := range defined {
		if f.Mandatory && !given[f.Name] {
			return f.Name, true
		}
	}
	return "", false
}

// MissingForPublication is the refusal to publish an article without a mandatory field.
func MissingForPublication(name string) *Error {
	return Bad("MissingMandatoryField", "Missing mandatory field for publication - "+shorten(name, 200))
}

// CollectionLacks is the refusal to publish a collection without a mandatory field.
func CollectionLacks(name string) *Error {
	return &Error{Class: MissingStep, Code: "MissingMandatoryFieldException", Message: "Collection has no " + shorten(name, 200)}
}
