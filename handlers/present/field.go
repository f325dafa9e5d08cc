package present

import (
	"encoding/json"

	"alcove/record"
)

// CustomField is a custom field of an item.
type CustomField struct {
	Name        string          `json:"name"`
	Value       json.RawMessage `json:"value"`
	IsMandatory bool            `json:"is_mandatory"`
	FieldType   string          `json:"field_type"`
	Settings    any             `json:"settings"`
	Order       int             `json:"order"`
}

// ShortCustomField is the definition of a custom field.
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
	MinLength *int `json:"min_length"`
	MaxLength *int `json:"max_length"`
}

func (s Settings) fieldSettings(f *record.Field) fieldSettings {
	return fieldSettings{
		validations{bound(f.MinLength), bound(f.MaxLength)}, s.text(f.Placeholder), list(f.Options), f.Multiple,
	}
}

// ShortCustomFields are definitions of custom fields, in their order.
func (s Settings) ShortCustomFields(fields []record.Field) []ShortCustomField {
	out := []ShortCustomField{}
	for i := range fields {
		f := &fields[i]
		out = append(out, ShortCustomField{f.ID, f.Name, f.Mandatory, string(f.Type), s.fieldSettings(f), f.Order})
	}
	return out
}

// DefinedFields are definitions of custom fields as an item without values has them.
func (s Settings) DefinedFields(fields []record.Field) []CustomField {
	out := []CustomField{}
	for i := range fields {
		f := &fields[i]
		out = append(out, CustomField{f.Name, s.value(&record.CustomField{Value: json.RawMessage("null")}), f.Mandatory, string(f.Type), s.fieldSettings(f), f.Order})
	}
	return out
}

// value is what an item has in a custom field, as it was sent unless it is blank.
func (s Settings) value(f *record.CustomField) json.RawMessage {
	switch {
	case !f.Blank():
		return f.Value
	case s.EmptyBlanks:
		return json.RawMessage(`""`)
	}
	return json.RawMessage("null")
}

// customFields are the custom fields of an item: those that are defined in their order, then the
// rest as they were sent.
func (s Settings) customFields(values []record.CustomField, defined []record.Field) []CustomField {
	out := []CustomField{}
	of := map[string][]int{} // by the name of the field
	for i, v := range values {
		of[v.Name] = append(of[v.Name], i)
	}
	known := map[string]bool{}
	for i := range defined {
		f := &defined[i]
		known[f.Name] = true
		for _, at := range of[f.Name] {
			out = append(out, CustomField{f.Name, s.value(&values[at]), f.Mandatory, string(f.Type), s.fieldSettings(f), f.Order})
		}
	}
	last := len(defined)
	for _, v := range values {
		if !known[v.Name] {
			last++
			out = append(out, CustomField{Name: v.Name, Value: s.value(&v), FieldType: string(record.FieldText), Settings: struct{}{}, Order: last})
		}
	}
	return out
}
