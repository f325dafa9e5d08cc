package metadata

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// json reads one of the files that are JSON.
func (f *Found) json(text []byte, name string) error {
	var top map[string]any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	err := dec.Decode(&top)
	if err == nil {
		if _, more := dec.Token(); more != io.EOF {
			err = errors.New("something follows the object")
		}
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("bad JSON on line %d: %w", 1+bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte("\n")), err)
	case errors.As(err, &kind), err == nil && top == nil:
		return errors.New("it is not a JSON object")
	case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF:
		return errors.New("bad JSON: the file ends too early")
	case err != nil:
		return fmt.Errorf("bad JSON: %w", err)
	}
	inner := attributes(top)
	switch {
	case name == AlcoveName:
		return f.alcove(text)
	case name == DataciteName:
		return f.datacite(inner)
	case name == CrateName, top["@graph"] != nil:
		return f.crate(top)
	case inner["titles"] != nil || inner["creators"] != nil:
		return f.datacite(inner)
	}
	return f.alcove(text)
}

// alcove reads the body of an article, with the keys of a line of items. The values stay as they are written.
func (f *Found) alcove(text []byte) error {
	// Of a key that stands twice this takes the last; it is refused below.
	var body map[string]json.RawMessage
	if err := json.Unmarshal(text, &body); err != nil {
		return fmt.Errorf("bad JSON: %w", err)
	}
	seen := map[string]bool{}
	dec := json.NewDecoder(bytes.NewReader(text))
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("bad JSON: %w", err)
	}
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err == nil {
			err = dec.Decode(&value)
		}
		if err != nil {
			return fmt.Errorf("bad JSON: %w", err)
		}
		name, _ := key.(string)
		if seen[name] {
			return fmt.Errorf("%q stands twice", name)
		}
		seen[name] = true
	}
	for key, value := range body {
		switch key {
		case "files":
			return errors.New(`"files" has no place here: the files are those of the folder`)
		case "key", "kind", "articles", "versions":
			return fmt.Errorf("%q has no place here", key)
		case "license":
			var named any
			dec := json.NewDecoder(bytes.NewReader(value))
			dec.UseNumber()
			if dec.Decode(&named) == nil && named != nil {
				if s, ok := scalar(named); ok {
					f.Body[key] = strings.TrimSpace(s)
					continue
				}
				return errors.New(`"license" is neither the number nor the name of a licence`)
			}
			continue
		case "categories":
			var ids []any
			dec := json.NewDecoder(bytes.NewReader(value))
			dec.UseNumber()
			if dec.Decode(&ids) != nil {
				return errors.New(`"categories" is not a list`)
			}
			list := []string{}
			for _, v := range ids {
				s, ok := scalar(v)
				if !ok {
					return errors.New(`"categories" has a value that is neither the id nor the name of a category`)
				}
				list = append(list, s)
			}
			f.Body[key] = list
			continue
		}
		f.Body[key] = value
	}
	return nil
}
