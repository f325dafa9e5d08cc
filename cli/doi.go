package cli

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/cli/command"
	"alcove/config"
	"alcove/jobs/doi"
	"alcove/record"
)

// registrar is the work with the registrar of the configuration, nil for none.
func registrar(c config.Config, db *bucket.DB, log *slog.Logger) *doi.Service {
	if c.DOI.Registrar != "datacite" {
		return nil
	}
	return &doi.Service{
		DB: db, Log: log, SiteURL: c.SiteURL, Prefixes: c.Prefixes(),
		Address: c.RegistrarAddress(), Registrar: doi.NewDataCite(c.RegistrarAddress(), c.DOI.Account, c.DOI.PasswordFile),
	}
}

// tellDOIs names prefixes under which DOIs are given out that lead nowhere, and groups of the configuration that there are
// not: a group can have been removed, so that this is no reason not to start.
func (s *Server) tellDOIs(c config.Config) {
	for _, prefix := range c.Prefixes() {
		if c.DOI.Registrar == "none" && !config.IsTestPrefix(prefix) {
			s.log.Warn("DOIs are given out that nothing registers: they lead nowhere before doi_registrar says who does", "doi_prefix", prefix)
		}
	}
	err := s.db.View(func(tx *bucket.Tx) error {
		for group, prefix := range c.GroupPrefixes() {
			if !users.Groups.Has(tx, group) {
				s.log.Warn("doi_group_prefixes names a group that there is not; alcove group list has them", "group", group, "prefix", prefix)
			}
		}
		return nil
	})
	if err != nil {
		s.log.Error("cannot read the groups of doi_group_prefixes", "error", err)
	}
}

// doiTask asks how the registration of DOIs is, or for something to be done.
type doiTask struct {
	Retry    bool     `json:"retry"`
	DOI      string   `json:"doi"` // of Retry, "" for all
	TakeOver bool     `json:"take_over"`
	Prefixes []string `json:"prefixes"` // everything public whose DOI begins with one of them is registered
	Compare  bool     `json:"compare"`
}

// doiReport is what the commands print.
type doiReport struct {
	Registered int64                 `json:"registered"`
	Waiting    int64                 `json:"waiting"`
	Parked     int64                 `json:"parked"` // wait for an operator
	Halted     string                `json:"halted,omitempty"`
	Resume     time.Time             `json:"resume,omitzero"`
	Compared   time.Time             `json:"compared,omitzero"`
	Done       int                   `json:"done"` // how many DOIs or items the command was for
	List       []record.Registration `json:"list"` // the first of those that are parked or wait
}

// listedDOIs is how many of each the report names.
const listedDOIs = 50

func (t doiTask) do(ctx context.Context, db *bucket.DB) (r doiReport, err error) {
	switch {
	case t.Retry:
		r.Done, err = doi.Retry(ctx, db, t.DOI, t.TakeOver)
		if err == nil && t.DOI != "" && r.Done == 0 {
			err = fmt.Errorf("no item has the DOI %s, or nothing is registered under its prefix", t.DOI)
		}
	case len(t.Prefixes) > 0:
		r.Done, err = (&doi.Service{DB: db, Prefixes: t.Prefixes}).RegisterAll(ctx)
	case t.Compare:
		err = doi.Compare(ctx, db)
	}
	if err != nil {
		return r, err
	}
	f, err := doi.Numbers(db)
	if err != nil {
		return r, err
	}
	r.Registered, r.Waiting, r.Parked, r.Halted, r.Resume, r.Compared = f.Registered, f.Waiting, f.Parked, f.State.Halted, f.State.Resume, f.State.Compared
	r.List, err = doi.Pending(db, listedDOIs)
	return r, err
}

func doiStatus(ctx context.Context, c *command.Command, args []string) error {
	return doiCommand(ctx, c, args, doiTask{}, false, "")
}

func doiCheck(ctx context.Context, c *command.Command, args []string) error {
	return doiCommand(ctx, c, args, doiTask{Compare: true}, false, "the registrar is asked; alcove doi status tells when it was")
}

func doiRetry(ctx context.Context, c *command.Command, args []string) error {
	return doiCommand(ctx, c, args, doiTask{Retry: true}, false, "")
}

func doiRegister(ctx context.Context, c *command.Command, args []string) error {
	return doiCommand(ctx, c, args, doiTask{}, true, "")
}

func doiCommand(ctx context.Context, c *command.Command, args []string, t doiTask, register bool, said string) error {
	fs := c.Flags()
	read := command.Settings(fs, "data", "doi-prefix", "doi-group-prefixes")
	asJSON, all := command.JSONFlag(fs), false
	if register {
		fs.BoolVar(&all, "all", false, "everything that is public")
	}
	if t.Retry {
		fs.StringVar(&t.DOI, "doi", "", "only this one")
		fs.BoolVar(&t.TakeOver, "take-over", false, "the DOI is that of the item here, though the registrar has it already")
	}
	if err := c.Parse(fs, args, 0); err != nil {
		return err
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	if t.TakeOver && t.DOI == "" {
		return fmt.Errorf("%w: --take-over needs --doi", command.ErrUsage)
	}
	if register {
		if !all {
			return fmt.Errorf("%w: --all is needed, so that it is not done by mistake", command.ErrUsage)
		}
		t.Prefixes = cfg.Prefixes()
	}
	r, err := ask[doiReport](ctx, cfg.Data, task{DOIs: &t})
	if err != nil {
		return err
	}
	if *asJSON {
		return command.PrintJSON(r)
	}
	if said != "" {
		fmt.Fprintln(os.Stderr, said)
	}
	if r.Halted != "" {
		fmt.Fprintf(os.Stderr, "nothing is sent before %s: %s\n", r.Resume.Format(time.RFC3339), r.Halted)
	}
	if err := command.PrintTable([]string{"REGISTERED", "WAITING", "PARKED"}, [][]any{{r.Registered, r.Waiting, r.Parked}}); err != nil || len(r.List) == 0 {
		return err
	}
	var rows [][]any
	for _, one := range r.List {
		state := "waits"
		if one.Parked {
			state = "parked"
		}
		rows = append(rows, []any{one.DOI, state, one.Wanted, one.Tries, one.Error})
	}
	fmt.Println()
	return command.PrintTable([]string{"DOI", "STATE", "WANTED", "TRIES", "LAST ERROR"}, rows)
}

// registrarFigures are the metrics of the registration of DOIs.
func (s *Server) registrarFigures(t *exposition) error {
	if s.api.DOIs == nil {
		return nil
	}
	f, err := s.api.DOIs.Figures()
	if err != nil {
		return err
	}
	t.family("alcove_doi_registered", "gauge", "DOIs that the registrar has confirmed.")
	t.sample(float64(f.Registered))
	t.family("alcove_doi_waiting", "gauge", "DOIs of which the registrar is still to be told something.")
	t.sample(float64(f.Waiting))
	t.family("alcove_doi_parked", "gauge", "DOIs that wait for an operator, see alcove doi status.")
	t.sample(float64(f.Parked))
	t.family("alcove_doi_halted", "gauge", "1 while nothing is sent, as the registrar is not there or has refused the account.")
	t.sample(truth(f.State.Halted != ""))
	t.family("alcove_doi_sent_total", "counter", "DOIs that the registrar took since the start.")
	t.sample(float64(f.Sent))
	t.family("alcove_doi_failed_total", "counter", "Tries since the start that failed.")
	t.sample(float64(f.Failed))
	return nil
}
