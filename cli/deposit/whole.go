package deposit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"alcove/cli/sentence"
)

// WholeOptions say what to deposit as whole items: folders, each of which is one, or files that are one together.
type WholeOptions struct {
	Options           // Items is not used
	Paths    []string // folders or files; patterns that match them
	Words    Words
	Metadata string // a file to read instead of the one that would be found

	Exclude    []string // patterns of gitignore(5): what of a folder is not deposited, besides that of its .alcoveignore
	NewDraft   bool     // also where the account has a draft of the folder
	NewVersion int64    // the article to make like the folder, 0 for a new one
	Publish    bool
	DryRun     bool // nothing is sent
	Hidden     bool // deposit hidden files, too
}

// Result is what became of one item, or with DryRun would.
type Result struct {
	Path    string   `json:"path"`
	Title   string   `json:"title"`
	Article int64    `json:"article"` // 0 as long as there is none
	Address string   `json:"address"`
	DOI     string   `json:"doi"`
	State   string   `json:"state"` // draft, public, review, embargo; empty as long as there is none
	Files   int      `json:"files"` // of the folder that are in the item
	Bytes   int64    `json:"bytes"`
	Sent    []string `json:"sent"`       // files that were sent by this run
	Bodies  int64    `json:"sent_bytes"` // of them; parts that had arrived before are not counted
	Kept    int      `json:"kept"`       // files that were there, and equal
	Removed []string `json:"removed"`
	Changed []string `json:"changed"` // keys of the metadata

	Metadata string          `json:"metadata_file"`
	Body     json.RawMessage `json:"metadata"`
	LeftOut  []LeftOut       `json:"left_out"`
	Secrets  []Secret        `json:"secrets"`  // files for which nothing was sent
	NotUsed  []string        `json:"not_used"` // keys of the file of metadata
	Doubts   []string        `json:"not_understood"`
	Warnings []string        `json:"warnings"`
	Nothing  bool            `json:"nothing_to_do"`
	Error    string          `json:"error"`
}

// RunWhole deposits every item of o.Paths of which the server lacks something. An item that fails does not stop
// the others. After an error, or when it was stopped, the same call goes on where this one ended.
func RunWhole(ctx context.Context, o WholeOptions) ([]*Result, error) {
	if o.Parallel < 1 {
		o.Parallel = 4
	}
	if o.Out == nil {
		o.Out = io.Discard
	}
	o.clock = o.clock.orReal()
	list, err := sources(o.Paths, o.Words.Title, o.State)
	switch {
	case err != nil:
		return nil, err
	case len(list) > 1 && o.NewVersion != 0:
		return nil, errors.New("a new version is made of one folder, or of files")
	case len(list) > 1 && o.Words.Title != "":
		return nil, errors.New("--title is for one item: write the titles of several folders into a table (alcove.csv) beside them, or into an alcove.json in each")
	}
	api, err := newClient(o.Options)
	if err != nil {
		return nil, err
	}
	defer api.close()
	if err := api.probe(ctx); err != nil {
		return nil, err
	}
	var results []*Result
	var ready []*prepared
	var secret []Secret
	for _, s := range list {
		r := &Result{Path: s.name, Sent: []string{}, Removed: []string{}, Changed: []string{}, LeftOut: slices.Concat([]LeftOut{}, s.left),
			NotUsed: []string{}, Doubts: []string{}, Warnings: []string{}, Secrets: []Secret{}}
		p := prepare(ctx, o, api, s, r)
		results, ready = append(results, r), append(ready, p)
		for _, found := range r.Secrets {
			if len(list) > 1 {
				found.Path = s.name + ": " + found.Path
			}
			secret = append(secret, found)
		}
	}
	if len(secret) > 0 && ctx.Err() == nil {
		return results, &secretsError{secret}
	}
	var failed []error
	for i, s := range list {
		r := results[i]
		fatal, err := false, ready[i].err
		if err == nil {
			fatal, err = runOne(ctx, o, api, s, r, ready[i])
		}
		if err == nil {
			continue
		}
		r.Error = err.Error()
		if ctx.Err() != nil {
			fmt.Fprintf(o.Out, "Stopped. The same command goes on from here: what is done is kept in %s.\n", s.state)
			return results, ctx.Err()
		}
		failed = append(failed, fmt.Errorf("%s: %w", s.name, err))
		if fatal {
			break
		}
		if len(list) > 1 {
			fmt.Fprintf(o.Out, "%s failed: %s\n", s.name, sentence.Of(err))
		}
	}
	switch len(failed) {
	case 0:
		return results, nil
	case 1:
		return results, failed[0]
	}
	return results, fmt.Errorf("%d of %d items failed", len(failed), len(list))
}

// prepared is an item whose metadata and files are known, and of which nothing was sent.
type prepared struct {
	said     *described
	tree     tree
	warnings []string
	err      error
}

// open opens the folder of the files.
func (s source) open(o WholeOptions) (*Folder, error) {
	if s.dir == "" { // files that were named one by one
		return OpenFolder(".", true)
	}
	return OpenFolder(s.dir, o.FollowOutside)
}

// prepare reads what an item is and which files it has, and looks at the files for secrets.
func prepare(ctx context.Context, o WholeOptions, api *client, s source, r *Result) *prepared {
	p := &prepared{}
	if p.said, p.err = describe(ctx, api, s, o.Metadata, o.Words); p.err != nil {
		return p
	}
	r.Title, r.Metadata, r.Body = p.said.item.title, p.said.source, p.said.text
	r.NotUsed, r.Doubts = append(r.NotUsed, p.said.left...), append(r.Doubts, p.said.doubts...)
	folder, err := s.open(o)
	if err != nil {
		p.err = err
		return p
	}
	defer folder.Close()
	if s.dir != "" {
		skip := map[string]string{ignoreFile: "says what is left out"}
		if p.said.skip != "" {
			skip[p.said.skip] = "says what the item is"
		}
		p.tree, p.err = walkFolder(folder, o.Hidden, skip, o.Exclude)
	} else {
		p.tree, p.err = named(s.files, o.Exclude)
	}
	r.LeftOut, r.Files, r.Bytes = append(r.LeftOut, p.tree.left...), len(p.tree.files), p.tree.bytes
	switch {
	case p.err != nil:
	case len(p.tree.files) == 0:
		p.err = errors.New("there is no file to deposit")
	default:
		r.Secrets = append(r.Secrets, p.tree.secretsOf(ctx, folder, o.AllowSecrets)...)
		p.warnings = slices.Concat(p.tree.leftoversOf(), p.tree.collisions())
	}
	return p
}

// runOne deposits one item. An error that every other one would meet is fatal.
func runOne(ctx context.Context, o WholeOptions, api *client, s source, r *Result, ready *prepared) (fatal bool, err error) {
	said := ready.said
	folder, err := s.open(o)
	if err != nil {
		return false, err
	}
	defer folder.Close()
	var st *state
	if o.DryRun {
		st, err = readState(s.state, api.base)
	} else {
		if _, there := os.Stat(s.state); errors.Is(there, os.ErrNotExist) && o.NewVersion == 0 && o.Publish && !o.AcceptWarnings {
			if err := unsure(said.doubts, ready.warnings); err != nil {
				return false, err // before a state file is made
			}
		}
		st, err = openState(s.state, api.base)
	}
	if err != nil {
		return false, err
	}
	defer st.close()
	ln := line{id: wholeLine, hash: hashOf(said.text)}
	p := &progress{out: o.Out, terminal: o.IsTerminal, clock: o.clock}
	d := &depositor{api: api, state: st, clock: o.clock, parts: make(chan struct{}, o.Parallel), accept: o.AcceptWarnings, progress: p,
		input: &input{dir: folder, lines: []line{ln}, only: &said.item}}
	d.say = func(_ line, what string) {
		if w, ok := strings.CutPrefix(what, "warning: "); ok {
			r.Warnings = append(r.Warnings, w)
		}
		p.line("%s", what)
	}
	w := &whole{depositor: d, o: o, line: ln, said: said, tree: ready.tree, warnings: ready.warnings, result: r, publishes: o.Publish || said.item.publish}
	w.introduce()
	err = w.run(ctx)
	r.Bodies = p.sent()
	return err != nil && d.fatal(ctx, err), err
}
