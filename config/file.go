package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// maxFile bounds the configuration file, in bytes.
const maxFile = 1 << 20

func (l *loader) file(c *Config, name string) {
	doc, err := readFile(name)
	if err != nil {
		l.errs = append(l.errs, fmt.Errorf("cannot read the configuration file: %w", err))
		return
	}
	l.document(c, name, doc)
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	doc, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(doc) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", name, maxFile)
	}
	return doc, err
}

// document applies a TOML document. It is decoded twice: strictly into a struct
// that has tables alone, which makes the decoder tell the line of every other key, and then
// into a map, which has the values.
func (l *loader) document(c *Config, name string, doc []byte) {
	at := func(line int) string { return name + ":" + strconv.Itoa(line) }

	var tables signInTables
	err := toml.NewDecoder(bytes.NewReader(doc)).DisallowUnknownFields().Decode(&tables)
	var keys *toml.StrictMissingError
	if err != nil && !errors.As(err, &keys) {
		l.tomlFault(name, err)
		return
	}
	var values map[string]any
	if err := toml.Unmarshal(doc, &values); err != nil {
		l.tomlFault(name, err)
		return
	}
	c.SignIn, l.origin["[[oidc]]"] = SignIn(tables), name
	if keys == nil {
		return
	}
	for _, k := range keys.Errors {
		line, _ := k.Position()
		key := strings.Join(k.Key(), ".")
		f, known := l.fields[key]
		if !known {
			l.fault(at(line), "unknown setting %q%s", key, l.hint(key))
			continue
		}
		text, err := f.fromTOML(values[key])
		if err != nil {
			l.fault(at(line), "%s %w", key, err)
			continue
		}
		l.set(f, text, at(line))
	}
}

// tomlFault reports a document that is not TOML.
func (l *loader) tomlFault(name string, err error) {
	var d *toml.DecodeError
	if errors.As(err, &d) {
		line, column := d.Position()
		l.fault(fmt.Sprintf("%s:%d:%d", name, line, column), "%s", strings.TrimPrefix(d.Error(), "toml: "))
		return
	}
	l.fault(name, "%w", err)
}

// hint helps where the name of the flag or the variable was written into the file.
func (l *loader) hint(key string) string {
	likely := strings.TrimPrefix(strings.ReplaceAll(strings.ToLower(key), "-", "_"), "alcove_")
	if _, known := l.fields[likely]; known {
		return "; in this file it is written " + likely
	}
	return ""
}

// fromTOML turns a TOML value of the right type into the text that set parses.
func (f field) fromTOML(value any) (string, error) {
	switch v := value.(type) {
	case string:
		switch f.valueType() {
		case Text, Size, Duration:
			return v, nil
		}
	case int64:
		switch f.valueType() {
		case Number, Size:
			return strconv.FormatInt(v, 10), nil
		}
	case bool:
		if f.valueType() == Switch {
			return strconv.FormatBool(v), nil
		}
	case []any:
		if f.valueType() == Networks || f.valueType() == Names {
			return joinStrings(v, f.valueType())
		}
	}
	return "", f.wrongType()
}

func joinStrings(list []any, kind ValueType) (string, error) {
	what := map[ValueType]string{Networks: "addresses", Names: "names"}[kind]
	entries := make([]string, len(list))
	for i, v := range list {
		s, isString := v.(string)
		if !isString || s == "" || strings.Contains(s, ",") {
			return "", fmt.Errorf("must be a list of single %s in quotes, and entry %d is not one", what, i+1)
		}
		entries[i] = s
	}
	return strings.Join(entries, ","), nil
}

func (f field) wrongType() error {
	switch f.valueType() {
	case Number:
		return errors.New("must be a whole number, without quotes")
	case Size:
		return errors.New(`must be a size in quotes such as "20GiB", or a whole number of bytes`)
	case Switch:
		return errors.New("must be true or false, without quotes")
	case Duration:
		return errors.New(`must be a duration in quotes, such as "30s"`)
	case Networks:
		return errors.New(`must be a list in brackets, such as ["10.0.0.0/8"]`)
	case Names:
		return errors.New(`must be a list in brackets, such as ["data.example.org"]`)
	}
	return errors.New("must be a text in quotes")
}
