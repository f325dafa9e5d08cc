package cli

import (
	"cmp"
	"context"

	"alcove/cli/backup"
)

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
