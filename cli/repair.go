package cli

import (
	"context"
	"fmt"
	"os"

	"alcove/bucket"
	"alcove/check"
)

// repairHere checks a data directory that no server uses, and repairs what it finds: blobs as
// they are found, and then the database, of which a new one is made beside the damaged one when
// something in it is wrong. The report is that of a second check, together with what the first
// one has found and the second one has not.
func repairHere(ctx context.Context, dir string, t checkTask) (check.Report, error) {
	t.Restart = true
	first, err := checkHere(ctx, dir, t)
	if err != nil || first.State != check.Done || !ofDatabase(first) {
		return first, err
	}
	told, err := bucket.RepairFile(ctx, dir)
	for _, line := range told {
		fmt.Fprintln(os.Stderr, line)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return first, nil
	}
	t.Repair, t.From = false, ""
	second, err := checkHere(ctx, dir, t)
	if err != nil {
		return first, err
	}
	return together(first, second), nil
}

// ofDatabase reports whether something in the database is wrong.
func ofDatabase(r check.Report) bool {
	for _, p := range r.Problems {
		switch p.Kind {
		case bucket.OfPage, bucket.OfRecord, bucket.OfDocument, bucket.OfIndex, bucket.OfSetting, bucket.OfLog:
			return true
		}
	}
	return false
}

// together is a second report with what only the first one has: that was repaired.
func together(first, second check.Report) check.Report {
	type what struct{ kind, table, key, sha string }
	of := func(p check.Problem) what { return what{p.Kind, p.Table, p.Key, p.SHA256} }
	still := map[what]bool{}
	for _, p := range second.Problems {
		still[of(p)] = true
	}
	for _, p := range first.Problems {
		if still[of(p)] && p.Page == nil {
			continue
		}
		p.Repaired = true
		second.Problems = append(second.Problems, p)
		second.Found++
		second.Repaired++
	}
	return second
}
