package command

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
)

// PrintTable writes rows under a heading, in columns with at least two spaces between
// them. An empty cell is a dash, so that every row has as many fields.
func PrintTable(heading []string, rows [][]any) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(heading, "\t"))
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = Cell(v)
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("cannot print: %w", err)
	}
	return nil
}

// Cell is a value as a table shows it: times in UTC, and nothing that would move the
// cursor of a terminal.
func Cell(v any) string {
	var text string
	switch v := v.(type) {
	case time.Time:
		text = v.UTC().Format(time.RFC3339)
	case *time.Time:
		text = "never"
		if v != nil {
			return Cell(*v)
		}
	case bool:
		text = map[bool]string{true: "yes", false: "no"}[v]
	default:
		text = fmt.Sprint(v)
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return '?'
		}
		return r
	}, text)
	if strings.TrimSpace(text) == "" {
		return "-"
	}
	return text
}

// PrintJSON writes a value as indented JSON.
func PrintJSON(v any) error {
	e := json.NewEncoder(os.Stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("cannot print: %w", err)
	}
	return nil
}
