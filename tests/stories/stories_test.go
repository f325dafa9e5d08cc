package stories

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// The stories in tests/testdata/stories are conversations with a real server, to be read from
// top to bottom. Blank lines divide them into blocks:
//
//	# Prose, on any number of lines.
//
//	Ada: POST /v2/account/articles
//	{"title": "Pond water"}
//
//	201
//	Location: {base}/v2/account/articles/{article}
//	{"entity_id": {article}}
//
// A request is the caller (Ada and Ben have accounts, Root administers, Anybody has none), a
// method and a path, then headers, then the body. Where the first line ends in "until", the
// request is repeated until the answer is as told.
//
// The answer is a status, then headers, then a body. Of a JSON object the listed keys must be
// there and be equal, further ones may be; lists are whole. Any other body is text, and must be
// equal.
//
// {base} is the address of the server. Any other name in braces is learned from the
// first answer that has it, and stands for what was learned from then on. In JSON
// "{name}", in quotes, learns any value; within a longer text it learns the part up to
// the next slash.
func TestStories(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(disk.Testdata("stories/*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			s := world.StartWithin(t)
			(&story{Server: s, file: f, names: map[string]string{"base": s.URL}}).tell(string(text))
		})
	}
}

// story is a story that is being told.
type story struct {
	*world.Server
	file  string
	names map[string]string
}

// block is one of the blocks of a story.
type block struct {
	line    int // of its first line
	head    string
	headers [][2]string
	body    string
}

var (
	requestLine = regexp.MustCompile(`^(Ada|Ben|Root|Anybody): ([A-Z]+) (/\S*|\{[a-z_]+\}\S*)( until)?$`)
	statusLine  = regexp.MustCompile(`^[2-5][0-9]{2}$`)
	headerLine  = regexp.MustCompile(`^([A-Z][A-Za-z-]+): (.+)$`)
	nameInText  = regexp.MustCompile(`\{([a-z_]+)\}`)
)

// blocks divides a story; prose is left out.
func blocks(text string) (list []block) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		if lines[i] == "" || strings.HasPrefix(lines[i], "#") {
			continue
		}
		b := block{line: i + 1, head: lines[i]}
		for i++; i < len(lines); i++ {
			m := headerLine.FindStringSubmatch(lines[i])
			if m == nil {
				break
			}
			b.headers = append(b.headers, [2]string{m[1], m[2]})
		}
		from := i
		for i < len(lines) && lines[i] != "" {
			i++
		}
		b.body = strings.Join(lines[from:i], "\n")
		list = append(list, b)
	}
	return list
}

func (s *story) tell(text string) {
	s.T.Helper()
	list := blocks(text)
	for i := 0; i < len(list); i += 2 {
		ask := list[i]
		line := requestLine.FindStringSubmatch(ask.head)
		if line == nil || i+1 == len(list) || !statusLine.MatchString(list[i+1].head) {
			s.T.Fatalf("%s:%d: a request and its answer belong here", s.file, ask.line)
		}
		who := map[string]world.Client{"Ada": s.Ada, "Ben": s.Ben, "Root": s.Root, "Anybody": s.Anon}[line[1]]
		var headers []string
		for _, h := range ask.headers {
			headers = append(headers, h[0], s.fill(h[1]))
		}
		deadline := time.Now().Add(20 * time.Second)
		for {
			changed := s.DB().Changed()
			err := s.fits(who.Send(line[2], s.fill(line[3]), s.fill(ask.body), headers...), list[i+1])
			if err == nil {
				break
			}
			if line[4] == "" || time.Now().After(deadline) {
				s.T.Fatalf("%s:%d: %s: %v", s.file, list[i+1].line, ask.head, err)
			}
			select {
			case <-changed:
			case <-time.After(50 * time.Millisecond): // not all that is waited for is in the store
			}
		}
	}
}

// fill puts what was learned into a text.
func (s *story) fill(text string) string {
	return nameInText.ReplaceAllStringFunc(text, func(name string) string {
		if v, ok := s.names[strings.Trim(name, "{}")]; ok {
			return v
		}
		return name
	})
}

// fits compares an answer with what a block tells of it, and learns from it.
func (s *story) fits(got *world.Reply, want block) error {
	if strconv.Itoa(got.StatusCode) != want.head {
		return fmt.Errorf("answered %d: %.600s", got.StatusCode, got.Bytes)
	}
	learned := map[string]string{}
	for _, h := range want.headers {
		if err := s.text(got.Header.Get(h[0]), h[1], learned); err != nil {
			return fmt.Errorf("%s: %w", h[0], err)
		}
	}
	if want.body != "" {
		if err := s.body(string(got.Bytes), want.body, learned); err != nil {
			return fmt.Errorf("%w, in %.1500s", err, got.Bytes)
		}
	}
	for name, value := range learned {
		s.names[name] = value
	}
	return nil
}

func (s *story) body(got, want string, learned map[string]string) error {
	var w, g any
	// An id that has just been learned from a header may stand in the body as a number.
	for name, value := range learned {
		want = strings.ReplaceAll(want, "{"+name+"}", value)
	}
	want = s.fill(want)
	if !strings.HasPrefix(want, "{") && !strings.HasPrefix(want, "[") {
		if got != want {
			return fmt.Errorf("the body is not %q", want)
		}
		return nil
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		return fmt.Errorf("the story's JSON: %w", err)
	}
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		return err
	}
	return s.value(g, w, "the body", learned)
}

// value compares a JSON value; at tells where it stands.
func (s *story) value(got, want any, at string, learned map[string]string) error {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is %v, not an object", at, got)
		}
		for key, v := range w {
			have, ok := g[key]
			if !ok {
				return fmt.Errorf("%s has no %s", at, key)
			}
			if err := s.value(have, v, at+"."+key, learned); err != nil {
				return err
			}
		}
		return nil
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Errorf("%s is %v, not a list of %d", at, got, len(w))
		}
		for i, v := range w {
			if err := s.value(g[i], v, fmt.Sprintf("%s[%d]", at, i), learned); err != nil {
				return err
			}
		}
		return nil
	case string:
		if m := nameInText.FindString(w); m != "" && m == w {
			b, err := json.Marshal(got)
			if err != nil {
				return err
			}
			learned[strings.Trim(w, "{}")] = strings.Trim(string(b), `"`)
			return nil
		}
		g, ok := got.(string)
		if !ok {
			return fmt.Errorf("%s is %v, not %q", at, got, w)
		}
		if err := s.text(g, w, learned); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		return nil
	}
	if got != want {
		return fmt.Errorf("%s is %v, not %v", at, got, want)
	}
	return nil
}

// text compares a text, which may have names to learn in it.
func (s *story) text(got, want string, learned map[string]string) error {
	want = s.fill(want)
	names := nameInText.FindAllStringSubmatch(want, -1)
	form := regexp.QuoteMeta(want)
	for _, n := range names {
		form = strings.Replace(form, regexp.QuoteMeta(n[0]), "([^/]+)", 1)
	}
	m := regexp.MustCompile("^(?s:" + form + ")$").FindStringSubmatch(got)
	if m == nil {
		return fmt.Errorf("it is %q, not %q", got, want)
	}
	for i, n := range names {
		learned[n[1]] = m[i+1]
	}
	return nil
}

// A story is divided as the comment on top says.
func TestStoryBlocks(t *testing.T) {
	got := blocks("# Prose\n# more\n\nAda: PUT /x\nRange: bytes=0-1\n{\"a\":\n1}\n\n\n205\n")
	want := []block{{4, "Ada: PUT /x", [][2]string{{"Range", "bytes=0-1"}}, "{\"a\":\n1}"}, {10, "205", nil, ""}}
	if !slices.EqualFunc(got, want, func(a, b block) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
		t.Errorf("blocks %+v", got)
	}
	s := &story{names: map[string]string{"base": "http://x", "id": "7"}}
	learned := map[string]string{}
	for _, c := range []struct {
		got, want string
		fits      bool
	}{
		{`{"id": 7, "more": 1}`, `{"id": {id}}`, true}, {`{"id": 8}`, `{"id": {id}}`, false}, {`{}`, `{"id": {id}}`, false},
		{`[1, 2]`, `[1]`, false}, {`[{"a": 1, "b": 2}]`, `[{"a": 1}]`, true}, {`{"a": null}`, `{"a": null}`, true}, {`{"a": ""}`, `{"a": null}`, false},
		{`{"at": "http://x/5/z"}`, `{"at": "{base}/{five}/z"}`, true}, {`{"at": "http://x/5/6/z"}`, `{"at": "{base}/{no}/z"}`, false},
		{`{"n": 12}`, `{"n": "{twelve}"}`, true}, {"OK", "OK", true}, {"OK!", "OK", false}, {`{"a": "x"}`, `{"a": 1}`, false},
	} {
		if err := s.body(c.got, c.want, learned); (err == nil) != c.fits {
			t.Errorf("%s against %s: %v", c.got, c.want, err)
		}
	}
	if learned["five"] != "5" || learned["twelve"] != "12" || len(learned) != 2 {
		t.Errorf("learned %v", learned)
	}
}
