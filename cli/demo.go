package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"alcove/bucket/identity"
	"alcove/bucket/lock"
	"alcove/cli/command"
	"alcove/cli/demo"
	"alcove/cli/operate"
	"alcove/config"
	"alcove/handlers/people"
)

const (
	demoData    = "./alcove-demo"
	demoToken   = "demo-token"   // in the data directory: a token of the first account
	demoAddress = "demo-address" // there: the address of a demo that runs
	demoAdmin   = "ada@demo.example"
	demoPort    = 8080 // of the pages, over plain HTTP on loopback
	demoPorts   = 50   // how many ports are tried
)

// demoCommand runs a repository that has something in it. Data of an earlier run stays; the
// sample items are deposited only into a new data directory.
func demoCommand(router Router) func(context.Context, *command.Command, []string) error {
	return func(ctx context.Context, c *command.Command, args []string) error {
		flags := c.Flags()
		load := command.Settings(flags)
		flags.Lookup("data").DefValue, flags.Lookup("log-level").DefValue = demoData, "warn" // as its help tells
		if err := c.Parse(flags, args, 0); err != nil {
			return err
		}
		cfg, err := load()
		if err != nil {
			return err
		}
		usual := config.Default()
		if !flags.Changed("data") && cfg.Data == usual.Data {
			cfg.Data = demoData
		}
		if !flags.Changed("log-level") && cfg.LogLevel == usual.LogLevel {
			cfg.LogLevel = "warn" // the address is the last thing to read
		}
		s, err := makeDemo(ctx, cfg, router)
		if err != nil {
			return err
		}
		printDemo(ctx, s)
		note := filepath.Join(s.Config.Data, demoAddress)
		if err := os.WriteFile(note, []byte(s.Config.BaseURL+"/\n"), 0o600); err != nil {
			s.log.Warn("the address cannot be noted for another demo", "error", err)
		}
		defer os.Remove(note)
		return s.until(ctx, nil, nil)
	}
}

// makeDemo starts the demo, and makes its data directory first when there is none. From the beginning
// until the server has the directory it holds one lock, so that two that are started at once do not
// meet in a directory that is half made.
func makeDemo(ctx context.Context, cfg config.Config, router Router) (*Server, error) {
	name := filepath.Clean(cfg.Data) + ".lock"
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, fmt.Errorf("cannot begin a demo: %w", err)
	}
	unlock, err := lockDemo(name)
	if errors.Is(err, lock.ErrInUse) {
		return nil, fmt.Errorf("another alcove demo is being made in %s: wait until it says where it is ready, or start this one elsewhere with --data DIR", cfg.Data)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot begin a demo: %w", err)
	}
	defer unlock()
	if err := fillDemo(ctx, cfg, router); err != nil {
		return nil, err
	}
	s, err := startDemo(cfg, router)
	if errors.Is(err, lock.ErrInUse) {
		where := "is up already with " + cfg.Data
		if address, err := os.ReadFile(filepath.Join(cfg.Data, demoAddress)); err == nil {
			where = "is up already at " + strings.TrimSpace(string(address)) + " with " + cfg.Data
		}
		return nil, fmt.Errorf("a demo %s: open it there, or stop it (Ctrl-C where it runs), or start another one with --data DIR", where)
	}
	return s, err
}

// lockDemo takes the lock of a demo that is about to begin. The file goes with it, so that nothing lies beside the demo later:
// who has locked one that was removed meanwhile tries again.
func lockDemo(name string) (unlock func(), err error) {
	for {
		lock, err := lock.File(name)
		if err != nil {
			return nil, err
		}
		held, err := lock.Stat()
		if err != nil {
			lock.Close()
			return nil, err
		}
		if there, err := os.Stat(name); err == nil && os.SameFile(held, there) {
			return func() {
				os.Remove(name) // a system that cannot remove what is open leaves it, which does no harm
				lock.Close()
			}, nil
		}
		lock.Close()
	}
}

// fillDemo makes the data directory with the sample items under another name, and gives
// it its own name when it is complete, so that an interruption leaves nothing half done.
func fillDemo(ctx context.Context, cfg config.Config, router Router) error {
	if held, err := identity.Holdings(cfg.Data); err != nil || len(held) > 0 {
		return err
	}
	if _, err := os.Stat(cfg.Data); err == nil { // there, and nothing of ours in it: it gets the samples where it is
		if err := os.Remove(cfg.Data); err != nil {
			return fmt.Errorf("cannot make a demo in %s, which has other things in it: %w", cfg.Data, err)
		}
	}
	fmt.Fprintf(os.Stderr, "Making %s with sample items…\n", cfg.Data)
	final := filepath.Clean(cfg.Data)
	cfg.Data = final + ".new"
	if err := os.RemoveAll(cfg.Data); err != nil {
		return fmt.Errorf("cannot begin a new demo: %w", err)
	}
	cfg.Listen, cfg.TLS, cfg.BaseURL = "127.0.0.1:0", "off", ""
	cfg.SiteURL, cfg.DownloadBaseURL, cfg.UploadBaseURL = "", "", ""
	s, err := StartServer(cfg, router, newLog(cfg, os.Stderr))
	if err != nil {
		return err
	}
	if err := s.fill(ctx); err != nil {
		s.Stop()
		return err
	}
	s.Stop()
	if err := os.Rename(cfg.Data, final); err != nil {
		return fmt.Errorf("cannot finish the demo: %w", err)
	}
	return nil
}

// fill makes the accounts of the demo, and deposits the samples as theirs.
func (s *Server) fill(ctx context.Context) error {
	people := []operate.NewAccount{
		{Email: demoAdmin, FirstName: "Ada", LastName: "Demo", Admin: true},
		{Email: "ben@demo.example", FirstName: "Ben", LastName: "Sample"},
	}
	var tokens []string
	for _, p := range people {
		if _, err := operate.AddAccount(ctx, s.db, p); err != nil {
			return err
		}
		token, err := operate.AddToken(ctx, s.db, p.Email, "demo")
		if err != nil {
			return err
		}
		tokens = append(tokens, token)
	}
	if err := demo.Fill(ctx, s.Config.BaseURL, tokens); err != nil {
		return err
	}
	name := filepath.Join(s.Config.Data, demoToken)
	if err := os.WriteFile(name, []byte(tokens[0]+"\n"), 0o600); err != nil {
		return fmt.Errorf("cannot keep the token of the demo: %w", err)
	}
	return nil
}

// startDemo serves on the configured port, or on the next one that is free, and beside it, over plain
// HTTP, on a port that only this machine reaches: no browser warns of that.
func startDemo(cfg config.Config, router Router) (*Server, error) {
	host, port, err := net.SplitHostPort(cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w", cfg.Listen, err)
	}
	first, err := strconv.Atoi(port)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w", cfg.Listen, err)
	}
	for p := first; p < first+demoPorts; p++ {
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(p)))
		if err != nil {
			continue
		}
		l.Close()
		cfg.Listen = net.JoinHostPort(host, strconv.Itoa(p))
		break
	}
	var loopback []net.Listener
	for p := demoPort; cfg.TLS == "auto" && cfg.BaseURL == "" && p < demoPort+demoPorts; p++ {
		if loopback, err = listenLoopback(p); err == nil {
			cfg.BaseURL = fmt.Sprintf("http://localhost:%d", p)
		}
	}
	return startServer(cfg, router, newLog(cfg, os.Stderr), nil, loopback)
}

// listenLoopback listens on a port of the loopback addresses, of which a machine may have no ::1.
func listenLoopback(port int) ([]net.Listener, error) {
	v4, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, err
	}
	v6, err := net.Listen("tcp", fmt.Sprintf("[::1]:%d", port))
	if errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT) {
		return []net.Listener{v4}, nil
	}
	if err != nil {
		v4.Close()
		return nil, err
	}
	return []net.Listener{v4, v6}, nil
}

// printDemo tells what a newcomer needs; the address comes last, when all is ready.
func printDemo(ctx context.Context, s *Server) {
	file := filepath.Join(s.Config.Data, demoToken)
	fmt.Println("This is a demonstration with invented data.")
	if token, err := os.ReadFile(file); err == nil {
		fmt.Printf("Token of ada@demo.example:  %s   (also in %s)\n", strings.TrimSpace(string(token)), file)
	}
	if secret, err := operate.MakeOneTime(ctx, s.db, operate.OneTime{Email: demoAdmin, Reset: true}); err == nil { // the account may be gone
		fmt.Printf("Sign in as %s, once:  %s%s\n", demoAdmin, s.Config.SiteURL+people.OneTimePath, secret)
	}
	if s.CAPath != "" {
		fmt.Printf("For clients that need HTTPS: https://%s   (curl --cacert %s …)\n", s.Address(), s.CAPath)
	}
	fmt.Printf("Start over:                 stop it, remove %s, run it again\n", s.Config.Data)
	fmt.Printf("Ready at                    %s/\n", s.Config.BaseURL)
}
