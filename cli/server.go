package cli

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"alcove/auth"
	blobdir "alcove/blobs/dir"
	"alcove/blobs/thumbs"
	"alcove/bucket"
	"alcove/bucket/identity"
	_ "alcove/bucket/tables"
	"alcove/check"
	"alcove/cli/backup"
	"alcove/cli/certs"
	"alcove/config"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/people"
	"alcove/handlers/present"
	"alcove/index"
	"alcove/jobs"
	"alcove/record"
	"alcove/uploads"
)

// Server is a repository that is being served.
type Server struct {
	Config config.Config // with the addresses that the listener gave
	CAPath string        // certificate authority to trust, empty when it is not ours

	log       *slog.Logger
	db        *bucket.DB
	blobs     *blobdir.Store
	uploads   *uploads.Staging
	thumbs    *thumbs.Store
	index     *index.Index
	api       *handlers.API
	http      *http.Server
	tlsConfig *tls.Config // of http, nil where it has none
	admin     *adminSocket
	checker   *check.Checker
	checks    schedule // begins them
	backups   *backup.Keeper
	mirrors   *mirrorJob
	metrics   *metricsListener
	acme      *certs.ACME
	answers   *challengeListener // of ACME
	failed    chan error         // why serving ended by itself
	given     config.Config      // the settings that hold, as they were given
	files     *certs.Source      // the certificate of files, nil for another
	guard     *connections

	branding endpoint.Branding
	loading  *loading // nil when no server runs
	listener net.Listener
	loopback []net.Listener // beside it, over plain HTTP
}

// StartServer opens the data directory and serves it. When it returns, requests are
// answered. The caller ends it with Stop.
func StartServer(cfg config.Config, router Router, log *slog.Logger) (*Server, error) {
	return StartServerAt(cfg, router, log, nil)
}

// StartServerAt is StartServer with a clock of its own for what is stored, nil for the system's.
func StartServerAt(cfg config.Config, router Router, log *slog.Logger, clock func() time.Time) (*Server, error) {
	return startServer(cfg, router, log, clock, nil)
}

// startServer serves some loopback listeners too, over plain HTTP.
func startServer(cfg config.Config, router Router, log *slog.Logger, clock func() time.Time, loopback []net.Listener) (*Server, error) {
	s := &Server{log: log, failed: make(chan error, 6), loopback: loopback}
	if err := s.start(cfg, router, clock); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// tellOpen names a data directory that other users of the machine may read: what is private in it
// is theirs to read then.
func (s *Server) tellOpen(dir string) {
	info, err := os.Stat(dir)
	if err == nil && info.Mode().Perm()&0o007 != 0 && runtime.GOOS != "windows" {
		s.log.Warn("other users of this machine may read the data directory; chmod o= ends that", "data", dir, "mode", info.Mode().Perm().String())
	}
}

func (s *Server) start(cfg config.Config, router Router, clock func() time.Time) (err error) {
	s.given = cfg
	if err := makeData(cfg); err != nil {
		return err
	}
	if s.branding, err = readBranding(cfg); err != nil {
		return err
	}
	fatal := func(err error) { s.failed <- err }
	preparing := func() {
		s.log.Info("another version has written the database: indexes are made again before the first request, which takes a minute or two for a million items")
	}
	slow := func(h bucket.Slow) {
		s.log.Warn("writes held up all others", "took", h.Took, "writes", h.Writes, "longest", h.Longest, "of_account", h.Account, "stored", h.Stored)
	}
	if s.db, err = bucket.Open(cfg.Data, bucket.Options{OnFatal: fatal, OnSlow: slow, Floor: cfg.DiskFloor, Clock: clock, ClockAhead: cfg.ClockAhead, Repository: cfg.Repository, Preparing: preparing}); err != nil {
		return unusable(cfg.Data, err)
	}
	if s.db.Made() {
		s.log.Info("made a new repository", "data", cfg.Data, "repository", s.db.Identity().ID)
	}
	s.tellFree()
	s.tellOpen(cfg.Data)
	s.tellDOIs(cfg)
	if s.blobs, err = blobdir.Open(cfg.Data); err != nil {
		return err
	}
	s.blobs.Clock(s.db.Time)
	if s.uploads, err = uploads.Open(s.blobs); err != nil {
		return err
	}
	if s.thumbs, err = thumbs.Open(cfg.Data); err != nil {
		return err
	}
	if err = s.goOnErasing(cfg); err != nil {
		return err
	}
	if s.index, err = index.Open(cfg.Data, s.db, index.Options{Log: s.log}); err != nil {
		return err
	}
	if s.listener, err = net.Listen("tcp", cfg.Listen); err != nil {
		return fmt.Errorf("cannot listen on %s: %w", cfg.Listen, err)
	}
	s.Config = cfg.Resolve(s.listener.Addr())
	encryption, err := s.encryption()
	if err != nil {
		return err
	}
	options := s.options()
	if options.Countries, err = jobs.OpenCountries(cfg.CountryDatabase); err != nil {
		return err
	}
	if options.SignIns, err = signIns(s.Config); err != nil {
		return err
	}
	s.api = handlers.New(options)
	s.checker = s.newChecker()
	s.guard = newConnections(cfg, s.log)
	s.http = &http.Server{
		Handler:           router(s.api),
		ReadHeaderTimeout: cfg.HeaderTimeout,
		IdleTimeout:       cfg.IdleTimeout,
		MaxHeaderBytes:    int(cfg.MaxHeaderBytes),
		ConnState:         s.guard.changed,
		BaseContext:       s.listenedAt,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	serve := func() error { return s.http.Serve(s.listener) }
	if s.tlsConfig = encryption; encryption != nil {
		s.http.TLSConfig = encryption
		serve = func() error { return s.http.ServeTLS(s.listener, "", "") }
	}
	s.backups = backup.NewKeeper(backup.Source{Dir: cfg.Data, DB: s.db, Blobs: s.blobs}, version(), true, s.log)
	s.backups.Reread = cfg.BackupReread
	s.loading = newLoading()
	s.mirrors = newMirrorJob(s)
	s.mirrors.setEvery(cfg.MirrorEvery)
	if s.admin, err = listenAdmin(opened{cfg.Data, s.db, s.index, s.checker, s.backups, s.Config.SiteURL, cfg.Mail.Server != "", s.api, s.mirrors, s.serveLoad}, s.log); err != nil {
		return err
	}
	if s.metrics, err = listenMetrics(cfg.MetricsListen, s); err != nil {
		return err
	}
	if s.acme != nil {
		if s.answers, err = listenChallenges(cfg.ACME.HTTPListen, s.acme, s.log); err != nil {
			return err
		}
		s.acme.Start()
	}
	s.api.Jobs.Start()
	s.startChecks()
	s.backups.Run(backup.Schedule{Dest: cfg.BackupDir, Every: cfg.BackupEvery, Keep: cfg.BackupKeep},
		backup.Drills{Dir: cmp.Or(cfg.DrillDir, cfg.Data), Every: cfg.DrillEvery, Reserve: cfg.DiskReserve})
	s.mirrors.start()
	s.serve(serve)
	for _, l := range s.loopback {
		s.serve(func() error { return s.http.Serve(l) })
	}
	return nil
}

// listenedAt tells requests by the listener that took them: over plain HTTP that only this machine
// reaches there are other cookies.
func (s *Server) listenedAt(l net.Listener) context.Context {
	alone := s.Config.TLS == "off" && len(s.Config.TrustedProxies) == 0 && strings.HasPrefix(s.Config.SiteURL, "http://")
	if alone || slices.Contains(s.loopback, l) {
		return endpoint.OverPlain(context.Background())
	}
	return context.Background()
}

// serve answers the requests of a listener until Stop closes it.
func (s *Server) serve(accept func() error) {
	go func() { // ends when Stop closes the listener
		if err := accept(); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("cannot go on serving: %w", err)
		}
	}()
}

// makeData makes the data directory when a repository may be made there.
func makeData(cfg config.Config) error {
	if err := identity.Admit(cfg.Data); err != nil && (!errors.Is(err, identity.ErrAbsent) || cfg.Repository != "") {
		return nil // Open says what is wrong
	}
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return fmt.Errorf("cannot make the data directory: %w", err)
	}
	return nil
}

// unusable names the data directory in an error, unless it does so itself.
func unusable(dir string, err error) error {
	for _, of := range []error{identity.ErrAbsent, identity.ErrLost, identity.ErrOther} {
		if errors.Is(err, of) {
			return err
		}
	}
	return fmt.Errorf("cannot use the data directory %s: %w", dir, err)
}

func (s *Server) options() handlers.Options {
	c := s.Config
	return handlers.Options{
		Common: endpoint.Options{
			DB: s.db, Blobs: s.blobs, Uploads: s.uploads, Log: s.log, Proxies: c.TrustedProxies, Branding: s.branding, HSTS: s.hsts(), Hosts: c.Hosts(),
			Settings: present.Settings{
				BaseURL: c.BaseURL, SiteURL: c.SiteURL, DownloadURL: c.DownloadBaseURL, UploadURL: c.UploadBaseURL,
				Publisher: c.RepositoryName, EmptyBlanks: c.BlankStrings == "empty", Figshare: c.Profile == "figshare", FilesInDetail: c.FilesInDetail,
			},
			Limits: endpoint.Limits{
				Limits: items.Limits{
					Room: room(c), Lists: lists(c),
					OwnerIsAuthor: c.OwnerIsAuthor, DOIPrefix: c.DOIPrefix, GroupPrefixes: c.GroupPrefixes(), HandlePrefix: c.HandlePrefix,
				},
				Guards:  guards(c),
				MaxBody: c.MaxBody, BodyTimeout: c.ReadTimeout, HeaderTimeout: c.HeaderTimeout, PasswordGrant: c.OAuthPasswords, AgreementNeeded: c.AgreementNeeded, Sessions: auth.Limits{Idle: c.SessionIdle, Absolute: c.SessionEnd},
				StallTimeout: c.StallTimeout, Addresses: endpoint.Addresses(c.AuditAddresses),
				Jobs: jobs.Limits{UploadExpiry: c.UploadExpiry, AccessesKeep: c.AuditKeep, SweepGrace: c.SweepGrace, SweepShare: c.SweepShare},
			},
		},
		Index: s.index, Thumbs: s.thumbs, FromBackups: s.fromBackups, DOIs: registrar(c, s.db, s.log), OCFL: s.storageRoot(),
		Institution: people.Institution{Name: c.InstitutionName, Domain: c.InstitutionDomain},
		Machine:     s.machine,
		SMTP: jobs.SMTP{
			Server: c.Mail.Server, Encryption: c.Mail.TLS, From: c.Mail.From, Name: c.RepositoryName, User: c.Mail.User,
			PasswordFile: c.Mail.PasswordFile, CA: c.Mail.CA,
		},
		Contact: c.Mail.From, OAIDomain: c.OAIDomain,
	}
}

// lists are the bounds of the lists of one item.
func lists(c config.Config) record.Lists {
	return record.Lists{
		Authors: c.AuthorsPerItem, References: c.ReferencesPerItem, Tags: c.TagsPerItem, Funding: c.FundingPerItem,
		Categories: c.CategoriesPerItem, CustomValues: c.CustomValuesPerItem, Members: c.MembersPerProject, Articles: c.ArticlesPerCollection,
	}
}

// Address is where the server listens, whatever clients call it.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Failed tells why the server cannot go on, should that happen.
func (s *Server) Failed() <-chan error { return s.failed }

// DB is the store, for commands that fill it while it is served.
func (s *Server) DB() *bucket.DB { return s.db }

// Stop answers the requests under way, for at most the shutdown timeout, and closes
// everything.
func (s *Server) Stop() {
	patience := s.Config.ShutdownTimeout * 8 / 10 // the rest is for closing
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		s.log.Warn("requests were cut off", "error", err)
		s.http.Close()
	}
	s.close()
}

func (s *Server) close() {
	report := func(what string, err error) {
		if err != nil {
			s.log.Error("cannot close "+what, "error", err)
		}
	}
	if s.listener != nil {
		s.listener.Close() // when serving never began
	}
	for _, l := range s.loopback {
		l.Close()
	}
	if s.loading != nil {
		s.loading.stop() // before the socket, so that commands are told
	}
	if s.admin != nil {
		s.admin.close()
	}
	if s.metrics != nil {
		s.metrics.close()
	}
	if s.acme != nil {
		s.acme.Close()
	}
	if s.answers != nil {
		s.answers.close()
	}
	if s.backups != nil {
		s.backups.Stop()
	}
	if s.checker != nil {
		s.stopChecks()
	}
	if s.mirrors != nil {
		s.mirrors.stop()
	}
	if s.api != nil {
		s.api.Jobs.Close()
	}
	if s.index != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		report("the index", s.index.Close(ctx))
	}
	if s.thumbs != nil {
		report("the thumbnails", s.thumbs.Close())
	}
	if s.uploads != nil {
		report("the uploads", s.uploads.Close())
	}
	if s.blobs != nil {
		report("the blobs", s.blobs.Close())
	}
	if s.db != nil {
		report("the store", s.db.Close())
	}
}
