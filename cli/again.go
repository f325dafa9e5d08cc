package cli

import (
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"alcove/cli/certs"
	"alcove/config"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
)

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
