package deposit

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// waiting is why an article that was published is not public.
type waiting string

const (
	public       waiting = ""
	forReview    waiting = "review"
	underEmbargo waiting = "embargo"
)

// publish makes the article public, or hands it in, unless this was done. The version that was public before is 0
// for none.
func (d *depositor) publish(ctx context.Context, line string, article, before int64) error {
	path := fmt.Sprintf("/account/articles/%d", article)
	return d.once(ctx, step{
		where: func() (bool, bool) {
			e := d.state.entry(line)
			return e.publishing, e.published
		},
		announce: func() record { return record{Op: opPublish, Line: line, At: d.clock.now().UTC()} },
		do: func(ctx context.Context) (record, error) {
			var r reply
			err := d.api.onceOnly(ctx, func() (err error) {
				r, err = d.api.call(ctx, http.MethodPost, path+"/publish", nil)
				return err
			})
			rec := record{Op: opPublished, Line: line}
			if warnings, ok := r.warnings(); err != nil || ok && len(warnings) == 0 {
				return rec, err
			}
			// A server without warnings gives the public address also of what is not public.
			var detail map[string]json.RawMessage
			if err := d.api.get(ctx, path, &detail); err != nil {
				return rec, &networkError{err: err, sent: true} // it may be public: resolve finds out
			}
			rec.Waits = waits(detail, before)
			return rec, nil
		},
		refused: record{Op: opNotPublished, Line: line},
		resolve: func(ctx context.Context) error {
			if err := d.waitUntilListed(ctx, d.state.entry(line).publishAt); err != nil {
				return err
			}
			var detail map[string]json.RawMessage
			if err := d.api.get(ctx, path, &detail); err != nil {
				return fmt.Errorf("cannot find out whether it is public: %w", err)
			}
			w := waits(detail, before)
			if publicVersion(detail) > before || w == forReview { // of an embargo nothing tells; publishing twice does no harm
				return d.state.append(record{Op: opPublished, Line: line, Waits: w})
			}
			return d.state.append(record{Op: opNotPublished, Line: line})
		},
	})
}

// waits tells from an own article that was published what it waits for, beyond a version that was public before.
func waits(detail map[string]json.RawMessage, before int64) waiting {
	var status, kind string
	var embargoed bool
	switch {
	case publicVersion(detail) > before:
		return public
	case json.Unmarshal(detail["curation_status"], &status) == nil && status == "pending":
		return forReview
	case json.Unmarshal(detail["is_embargoed"], &embargoed) == nil && embargoed &&
		json.Unmarshal(detail["embargo_type"], &kind) == nil && kind == "article":
		return underEmbargo
	}
	return public
}

// publicVersion is the number of the public version of an own article, 0 for none, and 1 where a server tells no number.
func publicVersion(detail map[string]json.RawMessage) int64 {
	var version int64
	if json.Unmarshal(detail["version"], &version) == nil && version > 0 {
		return version
	}
	if isPublic(detail) {
		return 1
	}
	return 0
}

// isPublic tells from an own article whether it has a public version.
func isPublic(detail map[string]json.RawMessage) bool {
	var public bool
	var version int64
	var status string
	return json.Unmarshal(detail["is_public"], &public) == nil && public ||
		json.Unmarshal(detail["version"], &version) == nil && version > 0 ||
		json.Unmarshal(detail["status"], &status) == nil && status == "public"
}
