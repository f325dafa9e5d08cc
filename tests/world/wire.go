package world

import (
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// SendRaw sends text on a connection of its own and returns what comes back until the
// server closes it.
func (s *Server) SendRaw(text string) string {
	s.T.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		s.T.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	go io.WriteString(conn, text) // ends at the latest with the connection
	b, err := io.ReadAll(conn)
	if err != nil && len(b) == 0 {
		s.T.Errorf("no answer to %.60q: %v", text, err)
	}
	return string(b)
}

// SameHeaders compares headers but for those that differ from request to request. The
// date of a change is told as a second earlier while its second is not over.
func SameHeaders(t *testing.T, what string, a, b http.Header) {
	t.Helper()
	for _, pair := range [][2]http.Header{{a, b}, {b, a}} {
		for k, v := range pair[0] {
			if k == "Date" || k == "X-Request-Id" || k == "Last-Modified" && pair[1].Get(k) != "" {
				continue
			}
			if !slices.Equal(v, pair[1][k]) {
				t.Errorf("%s: header %s is %q and %q", what, k, v, pair[1][k])
			}
		}
	}
}

// ErrorHeaders are the headers of an answer that tell something.
func ErrorHeaders(h http.Header) string {
	var lines []string
	for k, v := range h {
		if k != "Date" && k != "X-Request-Id" {
			lines = append(lines, k+": "+strings.Join(v, "|"))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// Download is what a client got of a download, and how it ended: nil for well.
func Download(t *testing.T, how *http.Client, url, ranges string) (status int, got []byte, ended error) {
	t.Helper()
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if ranges != "" {
		req.Header.Set("Range", ranges)
	}
	res, err := how.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	got, ended = io.ReadAll(res.Body)
	return res.StatusCode, got, ended
}

var answeredAt = regexp.MustCompile(`<responseDate>[^<]*</responseDate>`)

// Undated is an answer without when it was made, which OAI-PMH tells: two that say the same differ in it.
func Undated(body []byte) []byte { return answeredAt.ReplaceAll(body, nil) }
