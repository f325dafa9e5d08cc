package crash

import (
	"path/filepath"
	"testing"

	"alcove/tests/world"
)

// A restore signs everyone out: a session that was ended since the backup must not come back.
func TestRestoreSignsOut(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	mail := s.Member("Lovelace")
	b := s.SignedIn(mail, world.Password)
	dest := filepath.Join(t.TempDir(), "backups")
	snapshot := s.BackedUp(dest).Snapshot
	b.Open("/account").Is(200)
	s.Stop()
	dir, _, _ := restoreOf(s, dest, snapshot)
	o := servedAt(s, dir)
	there := &world.Browser{Client: o.Anon, Cookies: b.Cookies}
	there.Open("/account").Is(303)
	there.Post("/sign-in", map[string][]string{"email": {mail}, "password": {world.Password}}).Is(303)
	there.Open("/account").Is(200)
}
