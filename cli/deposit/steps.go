package deposit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// The steps that the state file names. Each can be taken twice without harm.
const (
	stepHeard        = "heard" // what the server warns of in the body is known
	stepEmbargo      = "embargo"
	stepConfidential = "confidentiality"
	stepResource     = "resource"
	stepLinks        = "private links"
	stepCollection   = "collection %d"
)

// step takes a step, unless it was taken, and keeps what the server warned of.
func (d *depositor) step(ctx context.Context, line, name string, do func() (reply, error)) error {
	if d.state.entry(line).steps[name] {
		return nil
	}
	var r reply
	err := d.api.repeat(ctx, func(int) (err error) {
		r, err = do()
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", strings.ToUpper(name[:1])+name[1:], err)
	}
	warnings, _ := r.warnings()
	return d.state.append(record{Op: opStep, Line: line, Step: name, Warnings: warnings})
}

// describe says of a draft what its body cannot: first of all what is to be withheld.
func (d *depositor) describe(ctx context.Context, ln line, it item, article int64) error {
	send := func(name, method, path string, body []byte) error {
		return d.step(ctx, ln.id, name, func() (reply, error) { return d.api.call(ctx, method, path, body) })
	}
	at := fmt.Sprintf("/account/articles/%d", article)
	if it.embargo != nil {
		if err := send(stepEmbargo, http.MethodPut, at+"/embargo", it.embargo.body); err != nil {
			return err
		}
	}
	if it.reason != nil {
		if err := send(stepConfidential, http.MethodPut, at+"/confidentiality", it.reason); err != nil {
			return err
		}
	}
	if it.resource != nil {
		if err := send(stepResource, http.MethodPost, at+"/resource", it.resource); err != nil {
			return err
		}
	}
	for _, id := range it.collections {
		body := fmt.Appendf(nil, `{"articles":[%d]}`, article)
		if err := send(fmt.Sprintf(stepCollection, id), http.MethodPost, fmt.Sprintf("/account/collections/%d/articles", id), body); err != nil {
			return err
		}
	}
	return d.links(ctx, ln, it, at)
}

// links makes the private links that the article lacks, and shows them: no other output has them.
func (d *depositor) links(ctx context.Context, ln line, it item, article string) error {
	if len(it.links) == 0 || d.state.entry(ln.id).steps[stepLinks] {
		return nil
	}
	var there []struct {
		ID string `json:"id"`
	}
	for try := 0; ; try++ {
		if err := d.api.get(ctx, article+"/private_links", &there); err != nil {
			return fmt.Errorf("cannot read its private links: %w", err)
		}
		if len(there) >= len(it.links) {
			break
		}
		before := len(there)
		err := d.api.onceOnly(ctx, func() error {
			_, err := d.api.call(ctx, http.MethodPost, article+"/private_links", it.links[before])
			return err
		})
		if err == nil {
			try = 0
			continue
		}
		if refused(err) || try == 2 {
			return fmt.Errorf("cannot make its private link: %w", err)
		}
		if err := d.waitUntilListed(ctx, d.clock.now()); err != nil { // then the list tells
			return err
		}
	}
	for _, l := range there {
		d.say(ln, "private link "+clean(l.ID))
	}
	return d.state.append(record{Op: opStep, Line: ln.id, Step: stepLinks})
}

// verify looks, before the article is published, whether the server has kept what the
// line says of what is withheld and under which terms; and stops for what it warned of.
func (d *depositor) verify(ctx context.Context, ln line, it item, article int64) error {
	at := fmt.Sprintf("/account/articles/%d", article)
	if it.embargo != nil {
		var shown json.RawMessage
		if err := d.api.get(ctx, at+"/embargo", &shown); err != nil {
			return fmt.Errorf("cannot read its embargo: %w", err)
		}
		if field := it.embargo.differs(shown); field != "" {
			return fmt.Errorf("the server shows another %s than was said here", field)
		}
	}
	if it.reason != nil {
		var shown struct {
			Is bool `json:"is_confidential"`
		}
		if err := d.api.get(ctx, at+"/confidentiality", &shown); err != nil {
			return fmt.Errorf("cannot read its confidentiality: %w", err)
		}
		if !shown.Is {
			return errors.New("the server does not show it as confidential")
		}
	}
	if terms := it.only("license", "group_id", "download_disabled", "is_metadata_record"); terms != nil {
		var detail map[string]json.RawMessage
		if err := d.api.get(ctx, at, &detail); err != nil {
			return fmt.Errorf("cannot read it again: %w", err)
		}
		if fields := differences(terms, detail); len(fields) > 0 {
			return fmt.Errorf("the server shows another %s than was said here", strings.Join(fields, ", "))
		}
	}
	if d.accept {
		return nil
	}
	// Of a body whose acknowledgement was lost, or had no place for them, the warnings are
	// not known.
	err := d.step(ctx, ln.id, stepHeard, func() (reply, error) {
		return d.api.call(ctx, http.MethodPatch, at, it.without("authors"))
	})
	if err != nil {
		return err
	}
	if warnings := d.state.entry(ln.id).warnings; len(warnings) > 0 {
		return fmt.Errorf("the server warns: %s; with --accept-warnings it is published nevertheless", strings.Join(warnings, "; "))
	}
	return nil
}

// only is the body with some keys alone, nil when it has none of them.
func (it item) only(names ...string) []byte {
	return it.filtered(func(name string) bool {
		for _, n := range names {
			if n == name {
				return true
			}
		}
		return false
	})
}

// without is the body without a key.
func (it item) without(name string) []byte {
	return it.filtered(func(n string) bool { return n != name })
}

func (it item) filtered(keep func(string) bool) []byte {
	fields, err := members(it.body)
	if err != nil {
		return nil // the body was put together of members
	}
	var kept []member
	for _, f := range fields {
		if keep(f.name) && !bytes.Equal(f.value, []byte("null")) {
			kept = append(kept, f)
		}
	}
	if kept == nil {
		return nil
	}
	return joinObject(kept)
}
