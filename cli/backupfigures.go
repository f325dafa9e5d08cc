package cli

import "alcove/cli/backup"

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
	t.family("alcove_backup_copied_bytes", "gauge", "What the last backup since the start has copied, or the one that is being made until now.")
	t.sample(float64(size))
	t.family("alcove_backup_running", "gauge", "1 while a backup is being made.")
	t.sample(truth(r.State == backup.Running))
	t.family("alcove_backup_failures_total", "counter", "Backups since the start that failed, or in which something is missing.")
	t.sample(float64(failed))
}
