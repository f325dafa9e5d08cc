package cli

import (
	"fmt"

	"alcove/bucket"
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
			{"article", bucket.PublicArticlesNumber.Sum(tx), bucket.ArticlesNumber.Sum(tx)},
			{"collection", bucket.PublicCollectionsNumber.Sum(tx), bucket.CollectionsNumber.Sum(tx)},
			{"project", bucket.PublicProjectsNumber.Sum(tx), bucket.ProjectsNumber.Sum(tx)},
		} {
			t.sample(float64(k.public), "kind", k.kind, "which", "public")
			t.sample(float64(k.all), "kind", k.kind, "which", "all")
		}
		for _, f := range []struct {
			name, help string
			value      int64
		}{
			{"alcove_public_files", "Files that anyone can get, of all versions.", bucket.FilesPublic.Sum(tx)},
			{"alcove_public_bytes", "Their bytes.", bucket.BytesPublic.Sum(tx)},
			{"alcove_item_views", "Views of the items that are public now, ever.", bucket.ViewsCounted.Sum(tx)},
			{"alcove_item_downloads", "Downloads of them.", bucket.DownloadsCounted.Sum(tx)},
			{"alcove_accounts", "Accounts, disabled ones among them.", bucket.AccountsNumber.Sum(tx)},
			{"alcove_accounts_disabled", "Accounts that are disabled.", bucket.AccountsDisabled.Sum(tx)},
			{"alcove_stored_bytes", "What all accounts keep, as it counts against their quotas.", bucket.BytesStored.Sum(tx)},
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
