package handlers

import (
	"bufio"
	"strings"
	"testing"
)

// The beginning of a form, its file and its end are all of the body, and a file has a name.
func FuzzFormHead(f *testing.F) {
	const head = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"é %22.csv\"\r\n\r\n"
	f.Add("multipart/form-data; boundary=b", head+"bytes\r\n--b--\r\n")
	f.Add("multipart/form-data; boundary=b", "--b\r\n\r\n\r\n--b--\r\n")
	f.Add("multipart/form-data", "--\n\n")
	f.Add("text/plain; boundary=b", head)
	f.Fuzz(func(t *testing.T, kind, body string) {
		r := bufio.NewReaderSize(strings.NewReader(body), maxFormHead)
		name, size, end, err := formHead(r, kind, int64(len(body)))
		if err != nil {
			return
		}
		before, _ := r.Peek(maxFormHead)
		if len(body) <= maxFormHead && int64(len(before)) != size+int64(len(end)) {
			t.Errorf("%d bytes are left, of a file of %d and an end of %d", len(before), size, len(end))
		}
		if name == "" || size < 0 || strings.ContainsAny(name, "\r\n") {
			t.Errorf("a file %q of %d bytes", name, size)
		}
	})
}
