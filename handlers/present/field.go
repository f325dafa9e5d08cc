package present

import (
	"encoding/json"
	"slices"

	"alcove/record"
)

// CustomField is a custom field of an item (api-facts 3.16).
type CustomField struct {
	Name        string          `json:"name"`
	Value       json.RawMessage `json:"value"`
	IsMandatory bool            `json:"is_mandatory"`
	FieldType   string          `json:"field_type"`
	Settings    any             `json:"settings"`
	Order       int             `json:"order"`
}

// ShortCustomField is the definition of a custom field (api-facts 3.16).
type ShortCustomField struct {
	ID          int64         `json:"id"`
	Name        string        `json:"name"`
	IsMandatory bool          `json:"is_mandatory"`
	FieldType   string        `json:"field_type"`
	Settings    fieldSettings `json:"settings"`
	Order       int           `json:"order"`
}

type fieldSettings struct {
	Validations validations `json:"validations"`
	Placeholder *string     `json:"placeholder"`
	Options     []string    `json:"options"`
	IsMultiple  bool        `json:"is_multiple"`
}

// validations are bounds in characters, null where there is none.
type validations struct {
	MinLength *int64 `json:"min_length"`
	MaxLength *int64 `json:"max_length"`
}

func newFieldSettings(f *record.Field) fieldSettings {
	return fieldSettings{
		validations{nullableID(int64(f.MinLength)), nullableID(int64(f.MaxLength))}, nullable(f.Placeholder), list(f.Options), f.Multiple,
	}
}

// ShortCustomFields are definitions of custom fields, in their order.
func ShortCustomFields(fields []record.Field) []ShortCustomField {
	out := []ShortCustomField{}
	for i := range fields {
		f := &fields[i]
		out = append(out, ShortCustomField{f.ID, f.Name, f.Mandatory, string(f.Type), newFieldSettings(f), f.Order})
	}
	return out
}

// customFields are the custom fields of an item: those that are defined in their order,
// then the others as they were sent.
func customFields(values []record.CustomField, defined []record.Field) []CustomField {
	out := []CustomField{}
	for i := range defined {
		f := &defined[i]
		for _, v := range values {
			if v.Name == f.Name {
				out = append(out, CustomField{v.Name, v.Value, f.Mandatory, string(f.Type), newFieldSettings(f), f.Order})
			}
		}
	}
	last := len(defined)
	for _, v := range values {
		if !slices.ContainsFunc(defined, func(f record.Field) bool { return f.Name == v.Name }) {
			last++
			out = append(out, CustomField{Name: v.Name, Value: v.Value, FieldType: string(record.FieldText), Settings: struct{}{}, Order: last})
		}
	}
	return out
}
