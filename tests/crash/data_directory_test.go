package crash

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// A data directory of an earlier build gets an identity at its first start, which stays; commands
// that work on it meanwhile and later know it as well.
func TestDirectoryOfEarlierBuild(t *testing.T) {
	t.Parallel()
	m := world.NewMachine(t)
	m.Start()
	id := m.Identity()
	m.Whole()
	m.Stop()
	if strings.Contains(m.Log(), "made a new repository") {
		t.Errorf("the log says that it is new: %s", m.Log())
	}
	m.Args = []string{"--repository", strings.ToUpper(strings.ReplaceAll(id, "-", ""))}
	m.Start()
	m.Whole()
	m.Stop()
	m.Good("check", "--data", m.Data)
	if again := m.Identity(); again != id {
		t.Errorf("the identity was %s and is %s", id, again)
	}
}

// A directory whose database is lost, or is another's, and one whose disk is not mounted are refused
// with what to do, and nothing in them is touched.
func TestDirectoryWithoutItsDatabase(t *testing.T) {
	t.Parallel()
	m, other := world.NewMachine(t), filepath.Join(t.TempDir(), "other")
	m.Start()
	m.Whole()
	m.Stop()
	id := m.Identity()
	o := &world.Machine{Process: world.Process{T: t, Dir: filepath.Dir(other), Port: "0"}, Data: filepath.Join(filepath.Dir(other), "data")}
	o.Harmed = "its database is put elsewhere"
	o.Start()
	o.Stop()
	if first, _, _ := strings.Cut(o.Log(), "\n"); !strings.Contains(first, "made a new repository") || !strings.Contains(first, o.Identity()) {
		t.Errorf("the first line of a new one is %s", first)
	}
	db := filepath.Join(m.Data, "alcove.db")
	before := m.Disk()
	same := func(what string) {
		t.Helper()
		if now := m.Disk(); now != before {
			t.Errorf("%s: there was\n%s\nand is\n%s", what, before, now)
		}
	}
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	move(db, other)
	lost := []string{m.Data, "the database is missing", "blobs", id, "check --rebuild", "alcove restore"}
	for _, c := range [][]string{m.Serving(m.Data), {"account", "list", "--data", m.Data}, {"check", "--data", m.Data}, {"sweep", "allow", "--data", m.Data}} {
		m.Refused(lost, c...)
		same("without a database")
	}
	move(filepath.Join(o.Data, "alcove.db"), db)
	m.Refused([]string{m.Data, "another repository", id, o.Identity(), "check --rebuild"}, m.Serving(m.Data)...)
	m.Refused([]string{id, o.Identity()}, "account", "list", "--data", m.Data)
	same("with another's database")
	move(other, db)

	empty := t.TempDir()
	for _, dir := range []string{empty, filepath.Join(empty, "absent")} {
		m.Refused([]string{dir, "mounted", id}, m.Serving(dir, "--repository", id)...)
	}
	if names, _ := os.ReadDir(empty); len(names) != 0 {
		t.Errorf("the mount point has %v", names)
	}
	m.Refused([]string{m.Data, id, "the setting repository names " + o.Identity()}, m.Serving(m.Data, "--repository", o.Identity())...)
	m.Start()
	m.Whole()
	m.Stop()
}

// A clock that is a year ahead at a start is a pause: what waits waits on, and nothing is swept. One
// that is put back behind that, or is too far ahead, is not gone by, and the log and the metrics
// say so, until the operator says that it is right.
func TestDirectoryWithWrongClock(t *testing.T) {
	t.Parallel()
	const year = 365 * 24 * time.Hour
	m := world.NewMachine(t)
	lost := filepath.Join(m.Data, "blobs", "ab", strings.Repeat("c", 62))
	if err := os.MkdirAll(filepath.Dir(lost), 0o700); err != nil {
		t.Fatal(err)
	}
	disk.WriteFile(t, lost, []byte("named by nothing"))
	m.Args = []string{"--sweep-grace", "1h", "--metrics-listen", "127.0.0.1:0"}
	all := func() {
		t.Helper()
		m.Whole()
		if _, err := os.Stat(lost); err != nil {
			t.Error("it was swept:", err)
		}
	}
	doubted := func(want bool) {
		t.Helper()
		said := m.Good("clock", "status", "--data", m.Data)
		if got := !strings.Contains(said, " ok ") && !strings.Contains(said, "\nok "); got != want {
			t.Errorf("in doubt: %v, want %v: %s", got, want, said)
		}
		if in := strings.Contains(m.Log(), "the clock of this machine is "); in != want {
			t.Errorf("the log tells it: %v, want %v: %s", in, want, m.Log())
		}
	}
	m.Start()
	token := m.Good("token", "add", "--data", m.Data, "--account", "1")
	end := time.Now().Add(450 * 24 * time.Hour).UTC().Format(time.DateOnly)
	m.Want(201, "POST", m.URL+"/v2/account/articles", token, `{"title": "Held", "authors": [{"name": "Ada Earlier"}]}`)
	m.Want(205, "PUT", m.URL+"/v2/account/articles/3/embargo", token, `{"is_embargoed": true, "embargo_type": "article", "embargo_date": "`+end+`"}`)
	m.Want(201, "POST", m.URL+"/v2/account/articles/3/publish", token, "")
	m.Swept(0)
	doubted(false)
	m.Stop()

	m.At(year)
	m.Start()
	m.Swept(year)
	doubted(false)
	all()
	m.Stop()

	m.At(0)
	m.Start()
	doubted(true)
	all()
	m.Good("clock", "accept", "--data", m.Data)
	m.Swept(0)
	all()
	m.Stop()
	m.Start()
	doubted(false)
	m.Stop()

	m.At(500 * 24 * time.Hour) // the embargo would have ended
	m.Start()
	doubted(true)
	m.Want(404, "GET", m.URL+"/v2/articles/3", "", "")
	all()
	m.Good("clock", "accept", "--data", m.Data)
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(50 * time.Millisecond) {
		if status, _ := m.Call(http.MethodGet, m.URL+"/v2/articles/3", "", strings.NewReader("")); status == 200 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the embargo does not end: %s", m.Log())
		}
	}
	m.Swept(500 * 24 * time.Hour)
	all()
	m.Stop()
}
