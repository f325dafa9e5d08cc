package deposit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// wholeLine is how the item of a folder is called in its state file.
const wholeLine = "item"

// unsure returns the error of an item that would be published with less than its metadata say, or with files that the
// tool warns of; nil for one without doubts.
func unsure(doubts, warnings []string) error {
	switch {
	case len(doubts) > 0:
		return fmt.Errorf("not published, and nothing was sent, because of what was not understood: %s; "+
			"correct it, or publish nevertheless with --accept-warnings", shorten(doubts))
	case len(warnings) > 0:
		return fmt.Errorf("not published, and nothing was sent: %s; or publish them with --accept-warnings", shorten(warnings))
	}
	return nil
}

// whole is one item on its way.
type whole struct {
	*depositor
	o         WholeOptions
	line      line
	said      *described
	tree      tree
	warnings  []string
	result    *Result
	publishes bool

	article int64 // 0 as long as there is none
	detail  map[string]json.RawMessage
	plan    comparison
}

// introduce says what was found.
func (w *whole) introduce() {
	say := func(format string, args ...any) { fmt.Fprintf(w.o.Out, format+"\n", args...) }
	from := ""
	if w.said.source != "" {
		from = ", by " + w.said.source
	}
	say("%s: %s, %s; %q%s", w.result.Path, number(len(w.tree.files), "file"), sizeOf(w.tree.bytes), clean(w.said.item.title), from)
	for _, n := range w.said.notes {
		say("  %s", n)
	}
	if len(w.said.left) > 0 {
		say("  not used, as items have no place for it or the repository says it itself: %s", strings.Join(w.said.left, ", "))
	}
	for _, d := range w.said.doubts {
		say("  not understood: %s", d)
	}
	for _, j := range w.warnings {
		w.result.Warnings = append(w.result.Warnings, j)
		say("  warning: %s", j)
	}
	const most = 20
	for i, l := range w.result.LeftOut {
		if i == most && !w.o.DryRun {
			say("  left out: %d more", len(w.result.LeftOut)-most)
			break
		}
		say("  left out: %s (%s)", clean(l.Path), l.Why)
	}
}

// number is how many there are of something.
func number(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// run brings the item to its end.
func (w *whole) run(ctx context.Context) error {
	if err := w.find(ctx); err != nil {
		return err
	}
	if err := w.compare(ctx); err != nil {
		return err
	}
	e := w.state.entry(w.line.id)
	published := e.published || publicVersion(w.detail) > e.version
	metadata := w.changedKeys(e)
	files := w.plan.any()
	w.result.Changed = append(w.result.Changed, metadata...)
	switch {
	case w.article == 0:
	case !files && len(metadata) == 0 && e.done && (published || !w.publishes):
		w.result.Nothing = true
		w.result.Kept = len(w.plan.keep)
		return w.close(e.waits)
	case published && w.o.NewVersion == 0 && (files || len(metadata) > 0):
		return fmt.Errorf("article %d is published, and the folder is not like it any more (%s): a new version takes the changes, with --new-version %d",
			w.article, w.plan.String(metadata), w.article)
	}
	if err := unsure(w.said.doubts, w.warnings); err != nil && w.publishes && !published && !w.accept {
		return err
	}
	if err := w.foreseen(ctx); err != nil {
		return err
	}
	w.tell(metadata)
	if w.o.DryRun {
		return w.foresee()
	}
	if err := w.announce(e, files, metadata); err != nil {
		return err
	}
	return w.finish(ctx)
}

// announce notes, of an article that there is, that more is to be done.
func (w *whole) announce(e entry, files bool, metadata []string) error {
	if w.article == 0 || !files && len(metadata) == 0 || !e.done && e.hash == w.line.hash {
		return nil
	}
	rec := record{Op: opChanged, Line: w.line.id, Hash: w.line.hash, Title: titleHash(w.said.item.title), Version: publicVersion(w.detail)}
	if len(metadata) > 0 {
		rec.Step = stepMetadata
	}
	return w.state.append(rec)
}

const (
	stepKept     = "metadata kept" // they stay as the server has them
	stepMetadata = "metadata"      // of a change: they have changed, too
	stepAuthors  = "authors"       // all of them are there
)

// finish sends what is missing, in an order in which nothing is public before all is there.
func (w *whole) finish(ctx context.Context) error {
	it := w.said.item
	kept := w.state.entry(w.line.id).steps[stepKept]
	if e := it.embargo; !kept && e != nil && !e.until.IsZero() && !e.until.After(w.api.serverTime()) && w.article == 0 {
		return errors.New("the end of the embargo has passed")
	}
	if w.article == 0 {
		article, err := w.create(ctx, w.line, it)
		if err != nil {
			return err
		}
		w.article = article
	} else if !kept {
		at := fmt.Sprintf("/account/articles/%d", w.article)
		err := w.step(ctx, w.line.id, stepHeard, func() (reply, error) { return w.api.call(ctx, http.MethodPatch, at, it.body) })
		if err != nil {
			return err
		}
	}
	w.result.Article = w.article
	if !kept {
		if err := w.authors(ctx, it); err != nil {
			return fmt.Errorf("article %d: %w", w.article, err)
		}
		if err := w.depositor.describe(ctx, w.line, it, w.article); err != nil {
			return fmt.Errorf("article %d: %w", w.article, err)
		}
	}
	if err := w.sendFiles(ctx); err != nil {
		return fmt.Errorf("article %d: %w", w.article, err)
	}
	if err := w.removeFiles(ctx); err != nil {
		return fmt.Errorf("article %d: %w", w.article, err)
	}
	e := w.state.entry(w.line.id)
	if w.publishes && !e.published && publicVersion(w.detail) <= e.version {
		if !kept {
			if err := w.verify(ctx, w.line, it, w.article); err != nil {
				return fmt.Errorf("article %d is there and complete, and not published: %w", w.article, err)
			}
		}
		if err := w.depositor.publish(ctx, w.line.id, w.article, e.version); err != nil {
			return fmt.Errorf("cannot publish article %d: %w", w.article, err)
		}
	}
	e = w.state.entry(w.line.id)
	for _, warning := range e.warnings {
		w.say(w.line, "warning: "+warning)
	}
	if !e.done {
		if err := w.state.append(record{Op: opDone, Line: w.line.id}); err != nil {
			return err
		}
	}
	if err := w.api.get(ctx, fmt.Sprintf("/account/articles/%d", w.article), &w.detail); err != nil {
		return fmt.Errorf("cannot read article %d again: %w", w.article, err)
	}
	return w.close(e.waits)
}

// authors adds those that the body could not hold.
func (w *whole) authors(ctx context.Context, it item) error {
	if len(it.authors) == 0 || w.state.entry(w.line.id).steps[stepAuthors] {
		return nil
	}
	if err := w.addAuthors(ctx, w.article, it.authors); err != nil {
		return err
	}
	return w.state.append(record{Op: opStep, Line: w.line.id, Step: stepAuthors})
}

// close says what the item is now.
func (w *whole) close(waits waiting) error {
	r := w.result
	r.Article = w.article
	e := w.state.entry(w.line.id)
	switch {
	case waits == forReview:
		r.State = "review"
	case waits == underEmbargo:
		r.State = "embargo"
	case e.published || publicVersion(w.detail) > e.version:
		r.State = "public"
	default:
		r.State = "draft"
	}
	text := func(key string) (s string) {
		_ = json.Unmarshal(w.detail[key], &s) // another value is none
		return s
	}
	if r.DOI = text("doi"); r.State == "public" {
		r.Address = text("url_public_html")
	}
	for _, key := range []string{"url_private_html", "url_public_html"} {
		if r.Address == "" {
			r.Address = text(key)
		}
	}
	done := fmt.Sprintf("Article %d has all %d files", w.article, len(w.tree.files))
	if len(w.tree.files) == 1 {
		done = fmt.Sprintf("Article %d has its file", w.article)
	}
	if r.Nothing {
		done = "Nothing to do: article " + strings.TrimPrefix(done, "Article ")
	} else {
		done += fmt.Sprintf(" (%d sent, %s, and %d that were there)", len(r.Sent), sizeOf(w.progress.sent()), r.Kept)
	}
	is := map[string]string{
		"draft":   "It is a draft: publish it in the browser, or with --publish.",
		"public":  "It is public.",
		"review":  "It waits for a review.",
		"embargo": "It is published when its embargo ends.",
	}[r.State]
	if e := w.said.item.embargo; r.State == "public" && e != nil && e.kind == "file" && string(w.detail["is_embargoed"]) == "true" {
		is = "It is public, and its files are withheld until " + e.until.Format(time.DateOnly) + "."
		if e.until.IsZero() {
			is = "It is public, and its files are withheld."
		}
	}
	w.progress.line("%s. %s", done, is)
	for _, s := range []string{r.Address, r.DOI} {
		if s != "" {
			w.progress.line("  %s", s)
		}
	}
	return nil
}
