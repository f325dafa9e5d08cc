package load

import (
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/world"
)

// Records of InvenioRDM and datasets of Dataverse are kept fresh, and not shown below /mirror.
func TestMirrorOtherSystems(t *testing.T) {
	t.Parallel()
	rdm, dv, to := startInvenio(t), startDataverse(t), second(t)
	said, err := mirrors(to, "add", rdm.URL+"/records/101", dv.URL+"/dataset.xhtml?persistentId="+dvName)
	if err != nil || strings.Count(said, "not shown below /mirror") != 2 {
		t.Fatal(err, said)
	}
	reads(to, "2 of 2 mirrors are fresh")
	reads(to, "2 of 2 mirrors are fresh; 0 items were loaded, 2 had not changed, 0 bytes of files were transferred")
	rdm.add(rdmVersion{"103", "Kettles, third", "2023-03-04T05:06:07+00:00", "", "", map[string]string{"a.csv": "minute,celsius\n", "d.txt": "new!!"}})
	reads(to, "2 of 2 mirrors are fresh; 1 items were loaded, 1 had not changed, 5 bytes of files were transferred")
	list := to.Anon.Get("/v2/articles?doi=10.5281/zenodo.103").Is(200).List()
	if len(list) != 1 || list[0]["title"] != "Kettles, third" {
		t.Errorf("%v", list)
	}
	if list := to.Anon.Get("/v2/articles?doi=10.7910/DVN/KETTLE").Is(200).List(); len(list) != 1 {
		t.Errorf("%v", list)
	}
	for _, d := range []*double{rdm.double, dv.double} {
		to.Anon.Get("/mirror/" + strings.TrimPrefix(d.URL, "http://") + "/v2/articles").Is(404)
	}
}

// A server that is killed while it reads a mirror goes on when it is there again, and reads only the files that it lacks.
func TestMirrorKilled(t *testing.T) {
	t.Parallel()
	from, to := world.Start(t), second(t)
	fiveFiles(from)
	proxy, address := heldAt(t, from, 4)
	if said, err := mirrors(to, "add", address+"/v2/articles/1"); err != nil {
		t.Fatal(err, said)
	}
	<-proxy.reached
	server, err := os.FindProcess(to.PID())
	if err == nil {
		err = server.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	to.EndsItself()
	proxy.mu.Lock()
	proxy.holds = 0
	proxy.mu.Unlock()
	to.Boot() // which looks at once, as the look was not ended
	to.Eventually("the mirror is fresh", func() bool {
		said, err := mirrors(to, "list", "--json")
		return err == nil && strings.Contains(said, `"read": "2`)
	})
	for i, want := range []int{1, 1, 1, 2, 1} {
		if got := proxy.files[fmt.Sprintf("/files/%d", i+1)]; got != want {
			t.Errorf("file %d was asked for %d times, want %d", i+1, got, want)
		}
	}
	sameBytes(t, from, to, "/v2/articles/1/versions/1/files", "/v2/articles/2/versions/1/files", "article")
}

// Mirrors, items that are pulled and packages leave disk_reserve free, with a server and without one.
func TestLoadLeavesReserve(t *testing.T) {
	t.Parallel()
	from, to := world.Start(t), second(t, func(c *config.Config) { c.DiskReserve = 1 << 50 })
	fiveFiles(from)
	at := from.URL + "/v2/articles/1"
	if said, err := mirrors(to, "add", at); err != nil {
		t.Fatal(err, said)
	}
	const why = "the disk has no room for its 100000 bytes beside disk_reserve"
	if said, err := mirrors(to, "run"); err == nil || !strings.Contains(said, why) || !strings.Contains(said, "0 of 1 mirrors are fresh") {
		t.Error(err, said)
	}
	if b, err := pullCommand(to, at).CombinedOutput(); err == nil || !strings.Contains(string(b), why) {
		t.Error(err, string(b))
	}
	dir := t.TempDir()
	if said, err := packs(from, dir, "article/1"); err != nil {
		t.Fatal(err, said)
	}
	if said, err := unpackage(to, filepath.Join(dir, "article-1.zip")); err == nil || !strings.Contains(said, why) {
		t.Error(err, said)
	}
	to.Stop()
	const reserve = "--disk-reserve=1024TiB"
	if said, err := mirrors(to, "run", reserve); err == nil || !strings.Contains(said, why) {
		t.Error(err, said)
	}
	if said, err := unpackage(to, reserve, filepath.Join(dir, "article-1.zip")); err == nil || !strings.Contains(said, why) {
		t.Error(err, said)
	}
	to.Boot()
	if list := to.Anon.Get("/v2/articles").Is(200).List(); len(list) != 1 {
		t.Errorf("%d articles are there", len(list))
	}
}

// A server inside whose certificate is of an authority of its own is mirrored when that is named, and its file is read each time.
func TestMirrorAuthority(t *testing.T) {
	t.Parallel()
	_, server := startHostile(t, httptest.NewTLSServer)
	to := second(t)
	at := server.URL + "/v2/articles/1"
	if said, err := mirrors(to, "add", at); err != nil {
		t.Fatal(err, said)
	}
	if said, err := mirrors(to, "run"); err == nil || !strings.Contains(said, "give that with --cacert") {
		t.Error(err, said)
	}
	authority := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(authority, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := mirrors(to, "add", "--cacert", authority, at); err != nil {
		t.Fatal(err, said)
	}
	reads(to, "1 of 1 mirrors are fresh")
	to.Anon.Get("/mirror/" + strings.TrimPrefix(server.URL, "https://") + "/v2/file/download/1").Is(200)
	if err := os.Remove(authority); err != nil {
		t.Fatal(err)
	}
	if said, err := mirrors(to, "run"); err == nil || !strings.Contains(said, "ca.pem") {
		t.Error(err, said)
	}
}
