package cli

import (
	"crypto/tls"
	"time"

	"alcove/check"
	"alcove/handlers"
)

// machine is what the pages of the administration tell of the server and its work in the background.
func (s *Server) machine() handlers.Machine {
	m := handlers.Machine{Version: version(), DiskFree: -1, TLS: s.Config.TLS != "off", Certificate: s.certificateEnd(), CheckEvery: s.Config.CheckEvery, Mails: s.api.Mails()}
	if s.Config.BackupDir != "" {
		m.BackupEvery, m.DrillEvery = s.Config.BackupEvery, s.Config.DrillEvery
	}
	if free, err := s.uploads.Free(); err == nil {
		m.DiskFree = free
	}
	r := s.checker.Report()
	m.CheckRunning, m.CheckProblems, m.CheckSuccess = r.State == check.Running, r.Left(), timeOf(r.LastSuccess)
	b, _ := s.backups.Status()
	m.BackupSuccess, m.BackupWhole, m.BackupError = timeOf(b.LastSuccess), b.Complete, b.LastError
	m.DrillSuccess, m.DrillError = timeOf(b.Drill.LastSuccess), b.Drill.LastError
	return m
}

func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// certificateEnd is when the certificate ends that clients of the first address get, the zero time where there is none.
func (s *Server) certificateEnd() time.Time {
	c := s.tlsConfig
	hosts := s.Config.Hosts()
	if c == nil || c.GetCertificate == nil || len(hosts) == 0 {
		return time.Time{}
	}
	cert, err := c.GetCertificate(&tls.ClientHelloInfo{ServerName: hosts[0]})
	if err != nil || cert.Leaf == nil {
		return time.Time{}
	}
	return cert.Leaf.NotAfter
}
