package own

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/site"
)

// customRow is a custom field in a form.
type customRow struct {
	Name   string
	Values []string
	was    []string
	raw    json.RawMessage // as the item has it
	field  present.CustomField
	def    fieldSettings
}

// fieldSettings are those of a custom field, as the API answers them.
type fieldSettings struct {
	Validations struct {
		MaxLength *int `json:"max_length"`
	} `json:"validations"`
	Placeholder *string  `json:"placeholder"`
	Options     []string `json:"options"`
	Multiple    bool     `json:"is_multiple"`
}

// customRows are the custom fields of an item or a project, as its form shows them.
func customRows(fields []present.CustomField) (rows []customRow) {
	for _, f := range fields {
		row := customRow{Name: f.Name, raw: f.Value, field: f}
		for _, v := range site.FieldValues(f.Value, site.WordsIn("en")) {
			row.Values = append(row.Values, v.Text)
		}
		if row.area() {
			row.Values = []string{unified(strings.Join(row.Values, "\n"))}
		}
		row.was = row.Values
		settings, err := json.Marshal(f.Settings)
		if err == nil {
			err = json.Unmarshal(settings, &row.def)
		}
		if err != nil {
			row.def = fieldSettings{}
		}
		rows = append(rows, row)
	}
	return rows
}

// area reports whether the value of a custom field is a text of several lines.
func (r *customRow) area() bool { return r.field.FieldType == "textarea" }

// several reports whether a custom field takes a line for each value.
func (r *customRow) several() bool {
	return !r.area() && (r.def.Multiple || len(r.was) > 1)
}

// readRows are what was written into the custom fields of a form, which had the rows of is.
func readRows(c *endpoint.Call, is []customRow) (rows []customRow) {
	for i, row := range is {
		name := fmt.Sprintf("custom.%d", i)
		if c.Field(name+".name") == row.Name { // the definitions are still those of the form
			switch {
			case row.area():
				row.Values = []string{unified(c.Field(name))}
			case row.several() && len(row.def.Options) == 0:
				row.Values = lines(c.Field(name))
			default:
				row.Values = nil
				for _, v := range c.Fields(name) {
					row.Values = append(row.Values, lines(v)...)
				}
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// fieldBodies are custom fields in the words of the API, without those that have no value.
func fieldBodies(rows []customRow) []any {
	list := []any{}
	for _, f := range rows {
		if value := f.value(); value != nil {
			list = append(list, map[string]any{"name": f.Name, "value": value})
		}
	}
	return list
}

// value is that of a custom field in a body, as the item has it unless another was written; nil for none.
func (r *customRow) value() any {
	switch {
	case slices.Equal(r.Values, r.was):
		if blank := strings.TrimSpace(string(r.raw)); blank == "null" || blank == "" {
			return nil
		}
		return r.raw
	case len(r.Values) == 0:
		return ""
	case len(r.Values) > 1 || r.def.Multiple:
		return r.Values
	}
	return r.Values[0]
}

// listed is how many options of a custom field a select has room for.
const listed = 500

// fieldControls are the inputs of custom fields.
func fieldControls(w *site.Words, rows []customRow) (list []site.Control) {
	for i, f := range rows {
		k := site.Control{Name: fmt.Sprintf("custom.%d", i), Kind: "line", Label: f.Name, Help: site.Text(f.def.Placeholder), Value: strings.Join(f.Values, "\n"), Most: 10_000, Rows: 3, Key: f.Name, As: "named"}
		if f.field.IsMandatory {
			k.Label += " (" + w.Edit.Needed + ")"
		}
		if most := f.def.Validations.MaxLength; most != nil && *most > 0 {
			k.Most = *most
		}
		switch {
		case len(f.def.Options) > 0 && len(f.def.Options) <= listed && f.def.Multiple:
			k.Kind = "checks"
		case len(f.def.Options) > 0 && len(f.def.Options) <= listed && len(f.Values) < 2:
			k.Kind = "select"
			k.Options = []site.Option{{Words: "–"}}
		case f.several():
			k.Kind, k.Help, k.As = "area", strings.TrimSpace(w.Edit.LineEach+" "+k.Help), "named-lines"
		case f.area():
			k.Kind, k.Rows = "area", 4
		case f.field.FieldType == "date":
			k.Input = "date"
		}
		if k.Kind == "checks" || k.Kind == "select" {
			for _, o := range f.def.Options {
				k.Options = append(k.Options, site.Option{Value: o, Words: o, Chosen: slices.Contains(f.Values, o)})
			}
			for _, value := range f.Values { // that is no option any more
				if !slices.Contains(f.def.Options, value) {
					k.Options = append(k.Options, site.Option{Value: value, Words: value, Chosen: true})
				}
			}
		}
		list = append(list, k)
	}
	return list
}
