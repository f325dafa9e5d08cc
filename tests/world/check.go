package world

import (
	"encoding/json"
	"errors"
	"os/exec"
	"testing"
	"time"

	"alcove/check"
)

// Checked runs alcove check on the data of a server, and returns its report and its exit status.
func (s *Server) Checked(args ...string) (report check.Report, status int) {
	s.T.Helper()
	return s.Reported(args...)
}

// Reported runs alcove check, or alcove check status.
func (s *Server) Reported(args ...string) (report check.Report, status int) {
	s.T.Helper()
	command := []string{"check"}
	if len(args) > 0 && args[0] == "status" {
		command, args = append(command, "status"), args[1:]
	}
	out, err := exec.Command("alcove", append(append(command, "--data", s.Cfg.Data, "--json"), args...)...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		s.T.Fatal(err)
	}
	if err := json.Unmarshal(out, &report); err != nil {
		s.T.Fatalf("%v: %s", err, out)
	}
	return report, status
}

// Soon waits until something holds that no change of the store tells.
func (s *Server) Soon(what string, done func() bool) {
	s.T.Helper()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	late := time.After(time.Minute)
	for !done() {
		select {
		case <-again.C:
		case <-late:
			s.T.Fatalf("still not: %s", what)
		}
	}
}

// quietly does not mind an answer that is expected to be 500.
type quietly struct{ testing.TB }

func (quietly) Errorf(string, ...any) {}
