package record

import "testing"

func TestReadORCID(t *testing.T) {
	for text, want := range map[string]string{
		"0000-0002-1825-0097": "0000-0002-1825-0097", "https://orcid.org/0000-0002-1694-233x": "0000-0002-1694-233X", " orcid.org/0000-0001-5109-3700/ ": "0000-0001-5109-3700",
		"0000-0002-1825-0098": "", "0000-0002-1825-009": "", "0000000218250097": "", "0000-0002-1694-X33X": "", "": "", "x": "",
		"https://example.org/0000-0002-1825-0097": "",
	} {
		if got, ok := ReadORCID(text); ok != (want != "") || ok && got != want {
			t.Errorf("%q is %q, %v", text, got, ok)
		}
	}
}

func TestSchemes(t *testing.T) {
	for text, runs := range map[string]bool{
		"javascript:alert(1)": true, " JavaScript:x": true, "java\tscript:x": true, "java\nscript:x": true, "\x01vbscript:x": true, "data:text/html,x": true,
		"file:///etc/passwd": true, "\u200bjavascript:x": true, "javascript\u00a0:x": true,
		"https://example.org/javascript:x": false, "A talk on data: what it is": false, "mailto:a@example.org": false, "10.1234/x": false, "": false, "www.example.org": false,
	} {
		if err := checkSchemes("references", text); (err != nil) != runs {
			t.Errorf("%q: %v", text, err)
		}
	}
}
