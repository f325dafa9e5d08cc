package cli

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"alcove/cli/certs"
	"alcove/cli/command"
	"alcove/config"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
)

func serveCommand(router Router) func(context.Context, *command.Command, []string) error {
	return func(ctx context.Context, c *command.Command, args []string) error {
		fs := c.Flags()
		load := command.Settings(fs)
		if err := c.Parse(fs, args, 0); err != nil {
			return err
		}
		cfg, err := load()
		if err != nil {
			return err
		}
		log, level := newLeveledLog(cfg, os.Stderr)
		slog.SetDefault(log) // of what certs has to say
		defer startCollector(os.Getenv)()
		s, err := StartServer(cfg, router, log)
		if err != nil {
			return err
		}
		if s.CAPath != "" {
			log.Info("clients must trust the certificate authority of this server", "ca", s.CAPath)
		}
		if err := s.printFirst(); err != nil {
			s.Stop()
			return err
		}
		where := []any{"address", s.Config.BaseURL, "listen", s.Address()}
		if s.metrics != nil {
			where = append(where, "metrics", s.Config.MetricsListen)
		}
		if err := notify("READY=1"); err != nil {
			log.Warn("the service manager does not learn that this server is ready", "error", err)
		}
		log.Info("serving", append(where, "data", cfg.Data, "version", version())...)
		return s.until(ctx, hangups, func() { s.readAgain(load, level) })
	}
}

// printFirst prints the address at which the first administrator is made, where there is none. It is a
// secret, so the log tells only that it was printed.
func (s *Server) printFirst() error {
	address, err := s.api.FirstAddress()
	if err != nil || address == "" {
		return err
	}
	fmt.Printf("There is no administrator. Make the first one here, within a day:\n%s\n", address)
	s.log.Info("there is no administrator: standard output has an address at which to make one")
	return nil
}

// until serves until the context ends, which is the way to stop, or serving fails. It calls hungUp
// at each hangup meanwhile.
func (s *Server) until(ctx context.Context, hangups <-chan os.Signal, hungUp func()) error {
	for {
		select {
		case <-hangups:
			hungUp()
		case <-ctx.Done():
			s.log.Info("stopping")
			_ = notify("STOPPING=1") // it is the one that asked
			s.Stop()
			return nil
		case err := <-s.failed:
			s.log.Error("stopping because serving failed", "error", err)
			s.Stop()
			return err
		}
	}
}

// Version is the version of a release, set by the linker.
var Version string

// notify tells the service manager a state, such as READY=1, where it has asked for that
// (sd_notify(3)): in NOTIFY_SOCKET it gives the path of a datagram socket, or a name that begins
// with @. Elsewhere it does nothing.
func notify(state string) error {
	name := os.Getenv("NOTIFY_SOCKET")
	if name == "" {
		return nil
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("cannot tell the service manager: %w", err)
	}
	defer c.Close()
	if _, err := c.Write([]byte(state)); err != nil {
		return fmt.Errorf("cannot tell the service manager: %w", err)
	}
	return nil
}

// hangups are the signals by which an operator asks a server to read its settings and certificates again. They
// are caught as long as the process lives: one that comes while it starts waits, one that comes while it stops
// does nothing, and none ends it.
var hangups = make(chan os.Signal, 1)

// catchHangups begins that before anything else is done, where a server is what is to be run. Other commands end
// when their terminal does.
func catchHangups(args []string) {
	if len(args) > 0 && args[0] == "serve" {
		signal.Notify(hangups, syscall.SIGHUP)
	}
}

// readAgain reads again what can change while the server runs: settings (those with Again in config.Settings), the
// files of the certificate, and the texts of the pages. All of it holds afterwards, or none when one thing is wrong.
func (s *Server) readAgain(load func() (config.Config, error), level *slog.LevelVar) {
	wrong := func(err error) {
		s.log.Error("the settings cannot be read again; everything stays as it was", "error", err)
	}
	cfg, err := load()
	if err != nil {
		wrong(err)
		return
	}
	cfg, changed, waiting := s.given.Again(cfg)
	branding, err := readBranding(cfg)
	if err != nil {
		wrong(err)
		return
	}
	if s.files != nil {
		fresh, err := certs.Files(cfg.TLSCert, cfg.TLSKey)
		if err != nil {
			wrong(err)
			return
		}
		s.files.Take(fresh)
	}
	setLevel(level, cfg)
	s.guard.bound(cfg)
	s.api.SetBranding(branding)
	s.api.SetGuards(guards(cfg))
	s.api.Items.SetRoom(room(cfg))
	s.mirrors.setEvery(cfg.MirrorEvery)
	s.given = cfg
	s.log.Info("settings, certificates and texts were read again", "changed", changed)
	if len(waiting) > 0 {
		s.log.Warn("these settings have changed too, and hold from the next start on", "settings", waiting)
	}
}

func guards(c config.Config) endpoint.Guards {
	return endpoint.Guards{
		DiskReserve: c.DiskReserve, RateLimit: c.RateLimit, RateBurst: c.RateBurst, PageRate: c.PageRate, PageBurst: c.PageBurst,
		WrongTokens: c.WrongTokens, WrongPasswords: c.WrongPasswords,
	}
}

func room(c config.Config) items.Room {
	return items.Room{MaxFileSize: c.MaxFileSize, AccountQuota: c.AccountQuota, FilesPerArticle: c.FilesPerArticle}
}
