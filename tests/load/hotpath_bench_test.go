package load

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/published"
	_ "alcove/bucket/tables"
	"alcove/cli"
	"alcove/cli/operate"
	"alcove/config"
	"alcove/handlers"
	"alcove/tests/routes"
)

var (
	hotItems = flag.Int("hot-items", 1000, "public articles of BenchmarkHotPath")
	hotData  = flag.String("hot-data", "", "data directory of BenchmarkHotPath, made where there is none and kept")
	hotAsks  = flag.Int("hot-asks", 8000, "requests to each server in a round of BenchmarkHotPath")
	hotFull  = flag.Bool("hot-headers", false, "let the bare server of BenchmarkHotPath write our headers, too")
	hotOnly  = flag.String("hot-only", "", "the only case of BenchmarkHotPath that runs")
)

// hotURL is where the server of the benchmark says that it is, whatever its port: stored
// documents stay valid.
const hotURL = "http://alcove.example"

// BenchmarkHotPath compares the processor time that reads cost the server, with its whole
// middleware and its log in a file, with that of a server that is net/http and the same
// bytes and nothing else. Both run in processes of their own; an iteration is a round in
// which each answers as many requests, so
//
//	go test -run '^$' -bench HotPath -benchtime 9x .
//
// takes the median of nine. With HOTPATH_PROFILE=FILE the server writes a profile.
func BenchmarkHotPath(b *testing.B) {
	dir := *hotData
	if dir == "" {
		dir = filepath.Join(b.TempDir(), "data")
	}
	if _, err := os.Stat(dir); err != nil {
		fillHot(b, dir, *hotItems)
	}
	ours := startHot(b, "alcove", "serve", "--data", dir, "--tls", "off", "--base-url", hotURL, "--listen")
	awaitIndex(b, ours)
	page, _ := ours.ask(b, hotGet("/v2/articles", ""))
	one, tag := ours.ask(b, hotGet("/v2/articles/7", ""))
	answers := b.TempDir()
	for name, body := range map[string][]byte{"page": page, "one": one} {
		if err := os.WriteFile(filepath.Join(answers, name), body, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	if *hotFull {
		if err := os.WriteFile(filepath.Join(answers, "headers"), ours.headers(b), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	bare := startHot(b, "barehttp", answers)
	const robotAgent = "User-Agent: bot\r\n"
	repeated, conditional, turn := hotGet("/v2/articles", ""), hotGet("/v2/articles/7", "If-None-Match: "+tag+"\r\n"), 0
	another := func() string {
		turn += 7919 // a prime, so the articles come in no order
		return fmt.Sprintf("/v2/articles/%d", 1+turn%*hotItems)
	}
	for _, c := range []struct {
		name, bare string
		next       func() []byte
	}{
		{"list-new", "/page", func() []byte {
			turn++
			day := func(n int) string { return time.Date(1950, 1, 1+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) }
			return hotGet("/v2/articles?page_size=10&published_since="+day(turn%25000)+"&modified_since="+day(turn/25000), "")
		}},
		{"list-again", "/page", func() []byte { return repeated }},
		{"304", "/304", func() []byte { return conditional }},
		{"single", "/one", func() []byte { return hotGet(another(), robotAgent) }},
		// The first visit of a day is counted, and stored.
		{"single-counted", "/one", func() []byte { return hotGet(another(), "") }},
	} {
		if *hotOnly != "" && *hotOnly != c.name {
			continue
		}
		b.Run(c.name, func(b *testing.B) {
			var cpu, floor, ratio []float64
			fixed := hotGet(c.bare, "")
			for b.Loop() {
				us := ours.round(b, *hotAsks, c.next)
				low := bare.round(b, *hotAsks, func() []byte { return fixed })
				cpu, floor, ratio = append(cpu, us), append(floor, low), append(ratio, us/low)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(cpu), "µs/request")
			b.ReportMetric(median(floor), "bare-µs/request")
			b.ReportMetric(median(ratio), "ratio")
			b.ReportMetric(slices.Min(ratio), "ratio-min")
			b.ReportMetric(slices.Max(ratio), "ratio-max")
		})
	}
}

func median(of []float64) float64 {
	of = slices.Sorted(slices.Values(of))
	return of[len(of)/2]
}

// fillHot makes a data directory with public articles: one that was published the usual way, and
// copies of the records of it.
func fillHot(b *testing.B, dir string, items int) {
	b.Helper()
	cfg := config.Default()
	cfg.Data, cfg.Listen, cfg.TLS, cfg.BaseURL = dir, freeAddress(b), "off", hotURL
	s, err := cli.StartServer(cfg, routes.NewRouter, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	if _, err := operate.AddAccount(ctx, s.DB(), operate.NewAccount{Email: "a@example.org", FirstName: "A", LastName: "B"}); err != nil {
		b.Fatal(err)
	}
	token, err := operate.AddToken(ctx, s.DB(), "a@example.org", "bench")
	if err != nil {
		b.Fatal(err)
	}
	at := "http://" + cfg.Listen + "/v2/account/articles"
	benchCall(b, "POST", at, token, `{"title": "Observation 000 of the tide", "description": "High water came late.", "authors": [{"name": "A B"}]}`)
	benchCall(b, "POST", at+"/1/publish", token, "")
	s.Stop()
	db, err := bucket.Open(dir, bucket.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	for from := 2; from <= items; from += 1000 {
		err := db.Update(ctx, 0, func(tx *bucket.Tx) error {
			for id := from; id < from+1000 && id <= items; id++ {
				if err := copyHot(tx, int64(id)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

var hotNames = regexp.MustCompile(`(articles/|"id": )1\b|000`)

// copyHot copies the first article under another id, a second later.
func copyHot(tx *bucket.Tx, id int64) error {
	first, key := bucket.Pair{A: 1, B: 1}, bucket.Pair{A: id, B: 1}
	v, err := published.ArticleVersions.Get(tx, first)
	if err != nil {
		return err
	}
	head, err := published.Articles.Get(tx, 1)
	if err != nil {
		return err
	}
	doc, err := published.ArticleDocs.Get(tx, first)
	if err != nil {
		return err
	}
	number := []byte(strconv.FormatInt(id, 10))
	named := func(text []byte) []byte {
		return hotNames.ReplaceAllFunc(text, func(old []byte) []byte {
			return append(bytes.TrimSuffix(bytes.TrimSuffix(bytes.Clone(old), []byte("000")), []byte("1")), number...)
		})
	}
	later := time.Duration(id) * time.Second
	v.ArticleID, v.Title, v.Published, v.Modified = id, string(named([]byte(v.Title))), v.Published.Add(later), v.Modified.Add(later)
	head.ID, head.Published, head.Modified = id, v.Published, v.Modified
	if err := published.ArticleVersions.Put(tx, key, v); err != nil {
		return err
	}
	if err := published.Articles.Put(tx, id, head); err != nil {
		return err
	}
	doc.List, doc.Full = named(doc.List), named(doc.Full)
	return published.ArticleDocs.Put(tx, key, doc)
}

// awaitIndex waits until searches see everything, so that no round pays for it.
func awaitIndex(b *testing.B, s *hotServer) {
	b.Helper()
	body := `{"search_for": "tide", "page_size": 1}`
	ask := fmt.Appendf(nil, "POST /v2/articles/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	deadline := time.Now().Add(10 * time.Minute)
	for time.Now().Before(deadline) {
		begin := time.Now()
		if got, _ := s.ask(b, ask); bytes.HasPrefix(got, []byte("[{")) && time.Since(begin) < time.Second {
			return
		}
	}
	b.Fatal("the index does not come to an end")
}

// hotServer is a server in a process of its own.
type hotServer struct {
	cmd    *exec.Cmd
	listen string
}

// startHot starts a program with an address to listen at behind its arguments.
func startHot(b *testing.B, program string, args ...string) *hotServer {
	b.Helper()
	s := &hotServer{listen: freeAddress(b)}
	log, err := os.Create(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	s.cmd = exec.Command(program, append(args, s.listen)...)
	s.cmd.Stderr = log
	if err := s.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		s.cmd.Process.Signal(syscall.SIGTERM)
		s.cmd.Wait()
	})
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", s.listen); err == nil {
			c.Close()
			return s
		}
		if time.Now().After(deadline) {
			said, _ := os.ReadFile(log.Name())
			b.Fatalf("%s does not start: %s", program, said)
		}
	}
}

// freeAddress is a loopback address at which no process listens now.
func freeAddress(b *testing.B) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func hotGet(target, header string) []byte {
	return []byte("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n" + header + "\r\n")
}

// ask is the body and the tag of one answer.
func (s *hotServer) ask(b *testing.B, text []byte) (body []byte, tag string) {
	b.Helper()
	c, err := net.Dial("tcp", s.listen)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	c.Write(text)
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	if body, err = io.ReadAll(res.Body); err != nil {
		b.Fatal(err)
	}
	return body, res.Header.Get("ETag")
}

// headers are the header lines of a list, but for those that every server has.
func (s *hotServer) headers(b *testing.B) (lines []byte) {
	b.Helper()
	res, err := http.Get("http://" + s.listen + "/v2/articles")
	if err != nil {
		b.Fatal(err)
	}
	res.Body.Close()
	for name, value := range res.Header {
		if name != "Content-Length" && name != "Content-Type" && name != "Date" {
			lines = fmt.Appendf(lines, "%s: %s\n", name, value[0])
		}
	}
	return lines
}

// round sends n requests through eight connections, and tells how many microseconds of
// processor time each cost the server.
func (s *hotServer) round(b *testing.B, n int, next func() []byte) float64 {
	b.Helper()
	const clients = 8
	asks := make([][]byte, n)
	for i := range asks {
		asks[i] = next()
	}
	before := s.cpu(b)
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			c, err := net.Dial("tcp", s.listen)
			if err != nil {
				b.Error(err)
				return
			}
			defer c.Close()
			in := bufio.NewReaderSize(c, 16<<10)
			for at := i; at < n; at += clients {
				if _, err := c.Write(asks[at]); err != nil {
					b.Error(err)
					return
				}
				if err := skipAnswer(in); err != nil {
					b.Errorf("%s: %v", asks[at], err)
					return
				}
			}
		})
	}
	all.Wait()
	return (s.cpu(b) - before).Seconds() * 1e6 / float64(n)
}

var contentLength = []byte("Content-Length: ")

// skipAnswer reads an answer of 200 or 304 with little work, so that most of the machine
// is the server's.
func skipAnswer(in *bufio.Reader) error {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return err
	}
	if status := string(line[9:12]); status != "200" && status != "304" {
		return fmt.Errorf("the answer is %s", line)
	}
	length := 0
	for len(line) > 2 {
		if line, err = in.ReadSlice('\n'); err != nil {
			return err
		}
		if digits, ok := bytes.CutPrefix(line, contentLength); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(digits))); err != nil {
				return err
			}
		}
	}
	_, err = in.Discard(length)
	return err
}

// cpu is the processor time that the threads of the server have taken, in nanoseconds as
// the scheduler counts them: the first number of /proc/PID/task/TID/schedstat.
func (s *hotServer) cpu(b *testing.B) (sum time.Duration) {
	b.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.cmd.Process.Pid))
	if err != nil || len(threads) == 0 {
		b.Fatalf("the processor time is not told here (%v)", err)
	}
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			b.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseInt(first, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(n)
	}
	return sum
}

// bareServer is net/http and nothing else: it answers with the files of a folder, and
// with an empty 304. Its arguments are the folder and where to listen.
func bareServer(dir, listen string) error {
	mux := http.NewServeMux()
	extra := http.Header{}
	text, _ := os.ReadFile(filepath.Join(dir, "headers")) // where there is none, nothing is added
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		extra[name] = []string{value}
	}
	more := func(h http.Header) {
		for name, value := range extra {
			h[name] = value
		}
	}
	for _, name := range []string{"page", "one"} {
		body, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, _ *http.Request) {
			more(w.Header())
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			w.Write(body)
		})
	}
	mux.HandleFunc("/304", func(w http.ResponseWriter, _ *http.Request) {
		more(w.Header())
		w.WriteHeader(http.StatusNotModified)
	})
	return http.ListenAndServe(listen, mux)
}

// quiet is a ResponseWriter that keeps nothing.
type quiet struct{ header http.Header }

func (q *quiet) Header() http.Header { return q.header }

func (q *quiet) WriteHeader(int) {}

func (q *quiet) Write(b []byte) (int, error) { return len(b), nil }

// BenchmarkHandler times the same reads without a connection: all that is ours, and
// nothing of net/http.
func BenchmarkHandler(b *testing.B) {
	cfg := config.Default()
	cfg.Data, cfg.Listen, cfg.TLS, cfg.BaseURL = filepath.Join(b.TempDir(), "data"), "127.0.0.1:0", "off", hotURL
	fillHot(b, cfg.Data, 1000)
	var handler http.Handler
	s, err := cli.StartServer(cfg, func(h *handlers.API) http.Handler {
		handler = routes.NewRouter(h)
		return handler
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Stop()
	for _, c := range []struct{ name, target string }{
		{"list-new", "/v2/articles"},
		{"list-again", "/v2/articles"},
		{"single-new", "/v2/articles/1"},
		{"single-again", "/v2/articles/7"},
	} {
		b.Run(c.name, func(b *testing.B) {
			r, err := http.NewRequest("GET", hotURL+c.target, nil)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				switch c.name {
				case "list-new":
					r.URL.RawQuery = "page_size=10&published_since=1950-01-01&x=" + strconv.Itoa(n)
				case "single-new":
					r.URL.RawQuery = strconv.Itoa(n)
					r.URL.Path = "/v2/articles/" + strconv.Itoa(1+n*7919%1000)
				}
				handler.ServeHTTP(&quiet{http.Header{}}, r)
			}
		})
	}
}
