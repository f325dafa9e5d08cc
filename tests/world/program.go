package world

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"syscall"
	"time"

	"alcove/cli/operate"
	"alcove/config"
	"alcove/tests/disk"
)

// programDir is a variable with the folder of the program that tests start. Without it the program
// is built once for this checkout, and again when its code has changed.
const programDir = "TEST_PROGRAM"

// raceProgram is a variable that wants the race detector in the program also where the tests have
// none: they only talk to it.
const raceProgram = "TEST_RACE"

// PreviewWall is how long a preview may take (site/preview/sandbox).
func PreviewWall() time.Duration {
	if Raced || os.Getenv(raceProgram) != "" {
		return time.Minute
	}
	return 10 * time.Second
}

// hooks is the build tag of what only tests may do to the program (cli/hooks.go).
const hooks = "hooks"

// buildProgram builds the program for the tests, with the race detector when they have it, and
// returns its folder. Tests of other folders may want it at the same time.
func buildProgram() (dir string, err error) {
	if dir := os.Getenv(programDir); dir != "" {
		return dir, nil
	}
	args := []string{"install", "-buildvcs=false", "-tags", tags}
	name := fmt.Sprintf("alcove-tests-%d-%x", os.Getuid(), sha256.Sum256([]byte(disk.Root()+tags)))[:40]
	if Raced || os.Getenv(raceProgram) != "" {
		args, name = append(args, "-race"), name+"-race"
	}
	dir = filepath.Join(os.TempDir(), name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	lock, err := os.Create(filepath.Join(dir, "lock"))
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	cmd := exec.Command("go", append(args, ".")...)
	cmd.Dir = disk.Root()
	cmd.Env = append(os.Environ(), "GOBIN="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build the program: %w: %s", err, out)
	}
	return dir, nil
}

// program is a server in a process of its own.
type program struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when it has ended
}

var (
	servingLine = regexp.MustCompile(`msg=serving address=(\S+) listen=(\S+)(?: metrics=(\S+))?`)
	trustLine   = regexp.MustCompile(`msg="clients must trust the certificate authority of this server" ca=(\S+)`)
)

// runProgram starts the program as a server and waits until it serves.
func runProgram(s *Server) *program {
	s.T.Helper()
	p := &program{cmd: exec.Command("alcove", append([]string{"serve"}, flagsOf(s.Cfg)...)...), ended: make(chan struct{})}
	p.cmd.Stderr = s.Logs
	if err := p.cmd.Start(); err != nil {
		s.T.Fatal(err)
	}
	go func() { // ends with the process
		p.cmd.Wait()
		close(p.ended)
	}()
	for deadline := time.After(WaitLimit); ; {
		said := s.Logs.Bytes()
		if m := servingLine.FindSubmatch(said); m != nil {
			s.URL, s.listen, s.Metrics = string(m[1]), string(m[2]), string(m[3])
			if m := trustLine.FindSubmatch(said); m != nil {
				s.CA = string(m[1])
			}
			return p
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-p.ended:
			s.T.Fatalf("the server ended with %v: %s", p.cmd.ProcessState, s.Logs)
		case <-deadline:
			p.cmd.Process.Kill()
			s.T.Fatalf("the server does not start: %s", s.Logs)
		}
	}
}

// stop asks the process to end, and waits for it. It must end well, and without a race.
func (p *program) stop(s *Server) {
	s.T.Helper()
	p.cmd.Process.Signal(os.Interrupt)
	select {
	case <-p.ended:
	case <-time.After(WaitLimit):
		p.cmd.Process.Kill()
		<-p.ended
		s.T.Errorf("the server does not stop: %s", s.Logs)
	}
	if said := s.Logs.String(); !p.cmd.ProcessState.Success() || strings.Contains(said, "DATA RACE") {
		s.T.Errorf("the server ended with %v: %s", p.cmd.ProcessState, said)
	}
}

// EndsItself waits until the program has ended without being asked to, and returns its exit code and what it has said.
func (s *Server) EndsItself() (code int, said string) {
	s.T.Helper()
	select {
	case <-s.program.ended:
	case <-time.After(WaitLimit):
		s.T.Fatal("the server does not end")
	}
	code = s.program.cmd.ProcessState.ExitCode()
	s.program = nil
	return code, s.Logs.String()
}

// PID is the number of the server's process, which may be that of the test.
func (s *Server) PID() int {
	if s.program == nil {
		return os.Getpid()
	}
	return s.program.cmd.Process.Pid
}

// words are where a name in Go begins a new word: baseURL has two.
var words = regexp.MustCompile(`([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])`)

// named are the settings whose names in Go are shorter.
var named = map[string]string{
	"wrong-tokens": "max-wrong-tokens", "wrong-passwords": "max-wrong-passwords", "max-per-address": "max-connections-per-address",
	"acme-key-id": "acme-eab-key-id", "acme-key-file": "acme-eab-key-file",
}

// flagsOf are the flags that give the program a configuration: those of the settings that are not
// as they are by default.
func flagsOf(c config.Config) (flags []string) {
	var walk func(prefix string, v, plain reflect.Value)
	walk = func(prefix string, v, plain reflect.Value) {
		for i := range v.NumField() {
			name := prefix + strings.ToLower(words.ReplaceAllString(v.Type().Field(i).Name, "$1$3-$2$4"))
			value, usual := v.Field(i).Interface(), plain.Field(i).Interface()
			if v.Field(i).Kind() == reflect.Struct {
				walk(name+"-", v.Field(i), plain.Field(i))
				continue
			}
			if reflect.DeepEqual(value, usual) {
				continue
			}
			text := fmt.Sprint(value)
			switch list := value.(type) {
			case []string:
				text = strings.Join(list, ",")
			case []netip.Prefix:
				text = strings.ReplaceAll(strings.Trim(text, "[]"), " ", ",")
			}
			flags = append(flags, "--"+cmp.Or(named[name], name)+"="+text)
		}
	}
	walk("", reflect.ValueOf(c), reflect.ValueOf(config.Default()))
	return flags
}

// Operate asks the server for an operator's task by its admin socket, as commands do, and decodes
// its result, unless it is nil.
func (s *Server) Operate(task string, body, result any) {
	s.T.Helper()
	if err := s.TryOperate(task, body, result); err != nil {
		s.T.Fatal(err)
	}
}

// TryOperate is Operate that may be refused.
func (s *Server) TryOperate(task string, body, result any) error {
	s.T.Helper()
	path := filepath.Join(s.Cfg.Data, "alcove.sock")
	if note, err := os.ReadFile(path + ".path"); err == nil {
		path = strings.TrimSpace(string(note))
	}
	b, err := json.Marshal(map[string]any{task: body})
	if err != nil {
		return err
	}
	t := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
	res, err := (&http.Client{Transport: t, Timeout: WaitLimit}).Post("http://alcove/task", "application/json", bytes.NewReader(b))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var answer struct {
		Result json.RawMessage
		Error  string
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return err
	}
	if answer.Error != "" {
		return errors.New(answer.Error)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer.Result, result)
}

// Sequence is the number of the last entry of the change log: it is the same where nothing was changed.
func (s *Server) Sequence() uint64 {
	if s.core != nil {
		return s.core.DB().Sequence()
	}
	s.T.Helper()
	var page operate.ChainPage
	s.Operate("chain", operate.ChainQuery{}, &page)
	if !page.Done {
		s.T.Fatal("the change log is too long to be followed")
	}
	return page.At.Sequence
}
