package library

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"alcove/site/preview"
)

// languages are those of code, by the ending of the name, as the library calls them.
var languages = map[string]string{
	".py": "python", ".r": "r", ".rmd": "r", ".jl": "julia", ".m": "matlab", ".c": "c", ".h": "c", ".cc": "c++", ".cpp": "c++", ".hpp": "c++",
	".f": "fortran", ".f90": "fortran", ".for": "fortran", ".go": "go", ".rs": "rust", ".java": "java", ".kt": "kotlin", ".scala": "scala",
	".js": "javascript", ".mjs": "javascript", ".ts": "typescript", ".css": "css", ".html": "html", ".htm": "html", ".sql": "sql", ".pl": "perl",
	".rb": "ruby", ".php": "php", ".lua": "lua", ".do": "stata", ".sas": "sas", ".sh": "bash", ".bash": "bash", ".ps1": "powershell", ".bat": "batchfile",
	".tex": "tex", ".bib": "bibtex", ".toml": "toml", ".yaml": "yaml", ".yml": "yaml", ".cff": "yaml", ".ini": "ini", ".cfg": "ini", ".rst": "rst",
}

const spansMost = 20_000 // of a file; one that has more is shown without colours

// code shows a file in colours.
func code(language string) reader {
	return func(f preview.File) (*preview.Preview, error) {
		p, err := preview.Plain(f)
		if err != nil {
			return nil, err
		}
		if spans := coloured(language, p.Text.Lines); spans != nil {
			p.Text.Spans, p.Text.Lines = spans, nil
		}
		return p, nil
	}
}

// coloured are the pieces of lines of code, nil where the library does not know the language or does not
// give back the very text that it got.
func coloured(language string, lines []string) [][]preview.Span {
	lexer := lexers.Get(language)
	if lexer == nil {
		return nil
	}
	tokens, err := lexer.Tokenise(nil, strings.Join(lines, "\n")+"\n")
	if err != nil {
		return nil
	}
	spans, at, count := make([][]preview.Span, len(lines)), 0, 0
	for t := tokens(); t != chroma.EOF; t = tokens() {
		for i, piece := range strings.Split(t.Value, "\n") {
			if i > 0 {
				at++
			}
			if piece == "" {
				continue
			}
			if at >= len(lines) {
				return nil
			}
			class, line := classOf(t.Type), spans[at]
			if n := len(line); n > 0 && line[n-1].Class == class {
				line[n-1].Text += piece
				continue
			}
			if count++; count > spansMost {
				return nil
			}
			spans[at] = append(line, preview.Span{Class: class, Text: piece})
		}
	}
	for i, line := range lines {
		for _, s := range spans[i] {
			rest, ok := strings.CutPrefix(line, s.Text)
			if !ok {
				return nil
			}
			line = rest
		}
		if line != "" {
			return nil
		}
	}
	return spans
}

// classOf is what colour a token has.
func classOf(t chroma.TokenType) string {
	switch {
	case t.InCategory(chroma.Comment):
		return "c"
	case t.InCategory(chroma.Keyword) || t == chroma.OperatorWord:
		return "k"
	case t.InSubCategory(chroma.LiteralNumber):
		return "n"
	case t.InCategory(chroma.Literal):
		return "s"
	}
	switch t {
	case chroma.NameFunction, chroma.NameClass, chroma.NameBuiltin, chroma.NameBuiltinPseudo, chroma.NameTag, chroma.NameAttribute, chroma.NameDecorator, chroma.NameNamespace, chroma.NameException:
		return "f"
	}
	return ""
}
