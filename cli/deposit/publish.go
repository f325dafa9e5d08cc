package deposit

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// publish makes the article public, unless this was done.
func (d *depositor) publish(ctx context.Context, line string, article int64) error {
	path := fmt.Sprintf("/account/articles/%d", article)
	return d.once(ctx, step{
		where: func() (bool, bool) {
			e := d.state.entry(line)
			return e.publishing, e.published
		},
		announce: func() record { return record{Op: opPublish, Line: line, At: d.clock.now().UTC()} },
		do: func(ctx context.Context) (record, error) {
			err := d.api.onceOnly(ctx, func() error {
				_, err := d.api.call(ctx, http.MethodPost, path+"/publish", nil)
				return err
			})
			return record{Op: opPublished, Line: line}, err
		},
		refused: record{Op: opNotPublished, Line: line},
		resolve: func(ctx context.Context) error {
			if err := d.settled(ctx, d.state.entry(line).publishAt); err != nil {
				return err
			}
			var detail map[string]json.RawMessage
			if err := d.api.get(ctx, path, &detail); err != nil {
				return fmt.Errorf("cannot find out whether it is public: %w", err)
			}
			if isPublic(detail) {
				return d.state.append(record{Op: opPublished, Line: line})
			}
			return d.state.append(record{Op: opNotPublished, Line: line})
		},
	})
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
