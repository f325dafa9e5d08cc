package cli

import (
	"context"
	"fmt"
	"os"

	format "alcove/blobs/ocfl"
	"alcove/bucket"
	"alcove/cli/command"
	"alcove/jobs/ocfl"
)

// storageRoot is the work with the storage root of the configuration, nil for none.
func (s *Server) storageRoot() *ocfl.Service {
	c := s.Config
	if c.OCFLDir == "" {
		return nil
	}
	name := c.RepositoryName
	if name == "" {
		name = "Alcove"
	}
	return &ocfl.Service{
		DB: s.db, Blobs: s.blobs, Link: s.blobs.Link, Dir: c.OCFLDir, By: format.User{Name: name, Address: c.SiteURL}, Log: s.log,
	}
}

// ocflTask asks how the storage root of OCFL is, or has every object looked at again.
type ocflTask struct {
	Again bool `json:"again"`
}

// ocflReport is what the commands print.
type ocflReport struct {
	Waiting int64          `json:"waiting"` // items
	Failing int64          `json:"failing"` // of them
	Behind  uint64         `json:"behind"`  // changes of the repository that were not looked at
	Halted  string         `json:"halted,omitempty"`
	Dir     string         `json:"dir"`
	List    []ocfl.Failing `json:"list"` // the first that fail
}

// listedObjects is how many of them the report names.
const listedObjects = 50

func (t ocflTask) do(ctx context.Context, db *bucket.DB) (r ocflReport, err error) {
	if t.Again {
		if err := ocfl.Again(ctx, db); err != nil {
			return r, err
		}
	}
	f, err := ocfl.Numbers(db)
	if err != nil {
		return r, err
	}
	r = ocflReport{Waiting: f.Waiting, Failing: f.Failing, Behind: f.Behind, Halted: f.State.Halted, Dir: f.State.Dir}
	r.List, err = ocfl.Failures(db, listedObjects)
	return r, err
}

func ocflStatus(ctx context.Context, c *command.Command, args []string) error {
	return ocflCommand(ctx, c, args, ocflTask{})
}

func ocflAgain(ctx context.Context, c *command.Command, args []string) error {
	return ocflCommand(ctx, c, args, ocflTask{Again: true})
}

func ocflCommand(ctx context.Context, c *command.Command, args []string, t ocflTask) error {
	fs := c.Flags()
	read := command.Settings(fs, "data")
	asJSON := command.JSONFlag(fs)
	if err := c.Parse(fs, args, 0); err != nil {
		return err
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	r, err := ask[ocflReport](ctx, cfg.Data, task{OCFL: &t})
	if err != nil {
		return err
	}
	if *asJSON {
		return command.PrintJSON(r)
	}
	switch {
	case t.Again:
		fmt.Fprintln(os.Stderr, "the server compares every object with its item")
	case r.Halted != "":
		fmt.Fprintf(os.Stderr, "nothing is written: %s\n", r.Halted)
	}
	if err := command.PrintTable([]string{"DIRECTORY", "WAITING", "FAILING", "CHANGES NOT LOOKED AT"}, [][]any{{r.Dir, r.Waiting, r.Failing, r.Behind}}); err != nil || len(r.List) == 0 {
		return err
	}
	var rows [][]any
	for _, one := range r.List {
		rows = append(rows, []any{one.Item, one.Tries, one.Error})
	}
	fmt.Println()
	return command.PrintTable([]string{"ITEM", "TRIES", "LAST ERROR"}, rows)
}

// ocflFigures are the metrics of the storage root of OCFL.
func (s *Server) ocflFigures(t *exposition) error {
	if s.api.OCFL == nil {
		return nil
	}
	f, err := s.api.OCFL.Figures()
	if err != nil {
		return err
	}
	t.family("alcove_ocfl_waiting", "gauge", "Items whose objects in ocfl_dir are to be looked at.")
	t.sample(float64(f.Waiting))
	t.family("alcove_ocfl_failing", "gauge", "Those of which the last try failed, see alcove ocfl status.")
	t.sample(float64(f.Failing))
	t.family("alcove_ocfl_halted", "gauge", "1 while nothing is written to ocfl_dir, as it is not there, full or not ours.")
	t.sample(truth(f.State.Halted != ""))
	t.family("alcove_ocfl_written_total", "counter", "Objects that were made or got versions since the start.")
	t.sample(float64(f.Written))
	t.family("alcove_ocfl_removed_total", "counter", "Objects of withdrawn items that were removed since the start.")
	t.sample(float64(f.Removed))
	t.family("alcove_ocfl_failed_total", "counter", "Tries since the start that failed.")
	t.sample(float64(f.Failed))
	return nil
}
