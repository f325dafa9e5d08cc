package endpoint

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf16"
)

// warningsHeader has what was ignored of a request, as a JSON list of texts in ASCII: most answers
// have no body, or one without a place for warnings. Those that have one have it there, too.
const warningsHeader = "X-Warnings"

// warningsMost bounds its bytes: proxies give up on answers with a long head.
const warningsMost = 2 << 10

// Warn tells of a key that says nothing where the call has come to.
func (c *Call) Warn(key, why string) {
	c.Warned = append(c.Warned, fmt.Sprintf("%q was ignored: %s", key, why))
}

// setWarnings puts the warnings of a call into the head of its answer.
func (c *Call) setWarnings(h http.Header) {
	if len(c.Warned) > 0 {
		h[warningsHeader] = []string{headerList(c.Warned)}
	}
}

// headerList is a JSON list in ASCII. Of texts that are too many it says how many are left out.
func headerList(texts []string) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, text := range texts {
		one := asciiJSON(text)
		if b.Len()+len(one) > warningsMost {
			one = fmt.Sprintf(`"%d more"`, len(texts)-i)
			texts = texts[:i+1]
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(one)
		if len(texts) == i+1 {
			break
		}
	}
	b.WriteByte(']')
	return b.String()
}

// asciiJSON is a text as JSON without characters that a header line cannot have.
func asciiJSON(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return `""` // texts always encode
	}
	var b strings.Builder
	for _, r := range string(quoted) {
		switch {
		case r < 0x7f:
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		}
	}
	return b.String()
}
