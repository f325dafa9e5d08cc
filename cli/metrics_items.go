package cli

import (
	"cmp"
	"context"
	"fmt"

	"alcove/bucket"
	"alcove/bucket/counting"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/cli/backup"
	"alcove/handlers/wire"
)

// nearQuota is from which share of its quota on an account is counted as near it, in percent.
const nearQuota = 90

// itemFigures are the metrics of items, files and accounts.
func (s *Server) itemFigures(t *exposition) error {
	err := s.db.View(func(tx *bucket.Tx) error {
		t.family("alcove_items", "gauge", "Articles, collections and projects: public ones, and all with their private ones.")
		for _, k := range []struct {
			kind        string
			public, all int64
		}{
			{"article", published.ArticlesNumber.Sum(tx), working.ArticlesNumber.Sum(tx)},
			{"collection", published.CollectionsNumber.Sum(tx), working.CollectionsNumber.Sum(tx)},
			{"project", published.ProjectsNumber.Sum(tx), working.ProjectsNumber.Sum(tx)},
		} {
			t.sample(float64(k.public), "kind", k.kind, "which", "public")
			t.sample(float64(k.all), "kind", k.kind, "which", "all")
		}
		for _, f := range []struct {
			name, help string
			value      int64
		}{
			{"alcove_public_files", "Files that anyone can get, of all versions.", files.PublicNumber.Sum(tx)},
			{"alcove_public_bytes", "Their bytes.", files.PublicBytes.Sum(tx)},
			{"alcove_item_views", "Views of the items that are public now, ever.", counting.ViewsCounted.Sum(tx)},
			{"alcove_item_downloads", "Downloads of them.", counting.DownloadsCounted.Sum(tx)},
			{"alcove_accounts", "Accounts, disabled ones among them.", users.AccountsNumber.Sum(tx)},
			{"alcove_accounts_disabled", "Accounts that are disabled.", users.AccountsDisabled.Sum(tx)},
			{"alcove_stored_bytes", "What all accounts keep, as it counts against their quotas.", users.BytesStored.Sum(tx)},
		} {
			t.family(f.name, "gauge", f.help)
			t.sample(float64(f.value))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("cannot count what is stored: %w", err)
	}
	stored, err := s.api.Stored()
	if err != nil {
		return err
	}
	near := 0
	for _, by := range stored.List {
		if by.Quota > 0 && by.Bytes >= by.Quota/100*nearQuota {
			near++
		}
	}
	t.family("alcove_accounts_near_quota", "gauge", "Accounts that keep 90 percent of their quota or more, as it was within the last five minutes.")
	t.sample(float64(near))
	t.family("alcove_account_quota_bytes", "gauge", "The quota of an account that has none of its own, 0 for none.")
	t.sample(float64(s.api.Items.Room().AccountQuota))
	return nil
}

// roomFigures are the metrics of the room on the disk. Figures that the system does not tell are left out.
func (s *Server) roomFigures(t *exposition) {
	if free, err := s.uploads.Free(); err == nil {
		t.family("alcove_disk_free_bytes", "gauge", "Bytes that are free on the file system of the data directory.")
		t.sample(float64(free))
	}
	t.family("alcove_disk_reserve_bytes", "gauge", "Bytes that uploads leave free (disk_reserve).")
	t.sample(float64(s.api.DiskReserve()))
	t.family("alcove_disk_floor_bytes", "gauge", "Bytes below which nothing is stored any more (disk_floor).")
	t.sample(float64(s.Config.DiskFloor))
}

// requestFigures are the metrics of how long requests take.
func (s *Server) requestFigures(t *exposition) {
	t.family("alcove_http_request_seconds", "histogram", "How long requests took, by kind. Uploads and downloads take as long as their clients do.")
	for i, kind := range wire.RequestKinds {
		t.histogram(s.api.Latencies.Read(i), "kind", kind)
	}
}

// fromBackups looks for a record that is damaged here in the backups: those that the server makes,
// or else those where the last one was made by hand.
func (s *Server) fromBackups(ctx context.Context, table string, key []byte, right func([]byte) bool) ([]byte, string, error) {
	status, _ := s.backups.Status()
	return backup.FindRecord(ctx, cmp.Or(s.Config.BackupDir, status.Dest), table, key, right)
}

// repairFigures are the metrics of what was damaged and put right.
func (s *Server) repairFigures(t *exposition) {
	done, failed := s.api.Jobs.Repairs()
	t.family("alcove_repairs_total", "counter", "Damaged records and documents that were put right since the start.")
	t.sample(float64(done))
	t.family("alcove_repair_failures_total", "counter", "How often that failed: they stay damaged, and the log names them.")
	t.sample(float64(failed))
}

// backupFigures are the metrics of the backups that a server makes.
func (s *Server) backupFigures(t *exposition) {
	status, failed := s.backups.Status()
	last, size := 0.0, int64(0)
	if status.LastSuccess != nil {
		last = seconds(*status.LastSuccess)
	}
	r := s.backups.Report()
	if r.State == backup.Running || r.State == backup.Done {
		size = r.CopiedBytes + r.Database
	}
	t.family("alcove_backup_last_success_seconds", "gauge", "When the last snapshot was finished, in Unix seconds, 0 for never.")
	t.sample(last)
	t.family("alcove_backup_last_duration_seconds", "gauge", "How long making it took.")
	t.sample(status.Seconds)
	t.family("alcove_backup_last_complete", "gauge", "1 when nothing was missing or damaged in it.")
	t.sample(truth(status.Complete))
	oldest := 0.0
	if status.OldestRead != nil {
		oldest = seconds(*status.OldestRead)
	}
	t.family("alcove_backup_reread_files", "gauge", "Files in the backups that making it has read again.")
	t.sample(float64(status.Reread))
	t.family("alcove_backup_oldest_read_seconds", "gauge", "When the file in the backups was read or copied for which that is longest ago, in Unix seconds, 0 for unknown.")
	t.sample(oldest)
	t.family("alcove_backup_damaged", "gauge", "Places in older snapshots that are damaged and could not be repaired.")
	t.sample(float64(status.Damaged))
	drilled := 0.0
	if d := status.Drill.LastSuccess; d != nil {
		drilled = seconds(*d)
	}
	t.family("alcove_backup_drill_last_success_seconds", "gauge", "When the newest backup was last restored into a scratch directory and found whole, in Unix seconds, 0 for never.")
	t.sample(drilled)
	t.family("alcove_backup_drill_failing", "gauge", "1 when the last try to do so failed.")
	t.sample(truth(status.Drill.LastError != ""))
	t.family("alcove_backup_copied_bytes", "gauge", "What the last backup since the start has copied, or the one that is being made until now.")
	t.sample(float64(size))
	t.family("alcove_backup_running", "gauge", "1 while a backup is being made.")
	t.sample(truth(r.State == backup.Running))
	t.family("alcove_backup_failures_total", "counter", "Backups since the start that failed, or in which something is missing.")
	t.sample(float64(failed))
}
