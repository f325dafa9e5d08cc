package harvest

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alcove/blobs/ocfl"
	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// preserving has everything public kept in a directory.
func preserving(dir string) func(*config.Config) {
	return func(c *config.Config) { c.OCFLDir = dir }
}

// preservation is a server with its storage root.
type preservation struct {
	*world.Server
	dir string
}

func newPreservation(t *testing.T, change ...func(*config.Config)) *preservation {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ocfl")
	return &preservation{world.Start(t, append(change, preserving(dir))...), dir}
}

type ocflState struct {
	Waiting, Failing, Behind int64
	Halted, Dir              string
}

func (p *preservation) state() (r ocflState) {
	p.T.Helper()
	p.Operate("ocfl", struct{}{}, &r)
	return r
}

// followed waits until the storage root is what the repository is, and tests that it is valid.
func (p *preservation) followed() {
	p.T.Helper()
	var r ocflState
	defer func() {
		p.T.Helper()
		if p.T.Failed() {
			p.T.Logf("%+v", r)
		}
	}()
	p.Soon("the storage root follows", func() bool {
		r = p.state()
		return r.Waiting == 0 && r.Behind == 0 && r.Dir == p.dir
	})
	p.valid()
}

func (p *preservation) valid() {
	p.T.Helper()
	root, _, err := ocfl.Open(p.dir)
	if err != nil {
		p.T.Fatal(err)
	}
	defer root.Close()
	if err := root.Validate(p.T.Context(), ocfl.Validation{Found: func(f ocfl.Fault) { p.T.Error(f) }}); err != nil {
		p.T.Error(err)
	}
	err = filepath.WalkDir(p.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, "/content/files/") {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o222 != 0 {
			p.T.Errorf("%s can be written, and is the stored file itself", path)
		}
		return err
	})
	if err != nil {
		p.T.Error(err)
	}
}

// object is the inventory of the object of an item, and where it is; nil for none.
func (p *preservation) object(kind string, id int64) (*ocfl.Inventory, string) {
	p.T.Helper()
	root, mark, err := ocfl.Open(p.dir)
	if err != nil {
		p.T.Fatal(err)
	}
	defer root.Close()
	name := ocfl.ID(mark.Repository, kind, id)
	inv, err := root.Inventory(name)
	if err != nil {
		return nil, ""
	}
	return inv, filepath.Join(p.dir, filepath.FromSlash(ocfl.PathOf(name)))
}

// shows is what each version of an object has besides its metadata: "message: path=text path=text".
func (p *preservation) shows(kind string, id int64) (list []string) {
	p.T.Helper()
	inv, dir := p.object(kind, id)
	if inv == nil {
		return nil
	}
	for n := 1; n <= inv.Last(); n++ {
		v := inv.Versions[fmt.Sprint("v", n)]
		paths, err := v.Paths()
		if err != nil {
			p.T.Fatal(err)
		}
		has := []string{}
		for digest, names := range paths {
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(inv.Manifest[digest][0])))
			if err != nil {
				p.T.Fatal(err)
			}
			for _, name := range names {
				if strings.HasPrefix(name, "files/") {
					has = append(has, name+"="+string(text))
				}
			}
		}
		slices.Sort(has)
		message := strings.Split(v.Message, " on 2")[0]
		list = append(list, strings.TrimSpace(message+" | "+strings.Join(has, " ")))
	}
	return list
}

func (p *preservation) want(kind string, id int64, want ...string) {
	p.T.Helper()
	p.followed()
	if got := p.shows(kind, id); !slices.Equal(got, want) {
		p.T.Errorf("%s %d has\n%s\nwant\n%s", kind, id, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// An item becomes an object, each public version a version of it, a correction another one; withdrawn it goes, published
// again it comes back.
func TestOCFL(t *testing.T) {
	t.Parallel()
	p := newPreservation(t)
	at := p.Ada.Article(`{"title": "Glacier melt", "authors": [{"name": "A B"}]}`)
	first := p.Ada.Upload(at, "data.csv", []byte("1,2"))
	p.Ada.Send("POST", at+"/publish", "").Is(201)
	id := world.LastNumber(t, at)
	p.want("article", id, "Version 1: published | files/data.csv=1,2")

	p.Ada.Upload(at, "more.txt", []byte("more"))
	p.Ada.Send("POST", at+"/publish", "").Is(201)
	p.want("article", id, "Version 1: published | files/data.csv=1,2", "Version 2: published | files/data.csv=1,2 files/more.txt=more")
	inv, dir := p.object("article", id)
	if _, err := os.Stat(filepath.Join(dir, "v2", "content", "files", "data.csv")); err == nil {
		t.Error("bytes that the object had are stored again")
	}
	blob, err := os.Stat(p.Blob([]byte("more")))
	content, wrong := os.Stat(filepath.Join(dir, "v2", "content", "files", "more.txt"))
	if err != nil || wrong != nil || !os.SameFile(blob, content) {
		t.Errorf("the content is no link to the blob: %v %v", err, wrong)
	}
	item, err := os.ReadFile(filepath.Join(dir, "v2", "content", "metadata", "item.json"))
	var public, kept bytes.Buffer
	public.Write(p.Anon.Get(strings.Replace(at, "/account", "", 1)).Is(200).Bytes)
	kept.Write(item)
	if strip(public.String()) != strip(kept.String()) || err != nil {
		t.Errorf("item.json is %s, and the API says %s", kept.String(), public.String())
	}
	for _, name := range []string{"datacite.xml", "datacite.json"} {
		if b, err := os.ReadFile(filepath.Join(dir, "v2", "content", "metadata", name)); err != nil || !strings.Contains(string(b), "Glacier melt") {
			t.Errorf("%s: %s, %v", name, b, err)
		}
	}

	p.Ada.Send("PATCH", at+"/versions/1", `{"title": "Glacier melt, corrected"}`).Is(205)
	p.want("article", id, "Version 1: published | files/data.csv=1,2", "Version 2: published | files/data.csv=1,2 files/more.txt=more",
		"Version 1: what describes it changed | files/data.csv=1,2", "Version 2: again, as it is the latest | files/data.csv=1,2 files/more.txt=more")
	if now, _ := p.object("article", id); now.ID != inv.ID {
		t.Errorf("the id was %s and is %s", inv.ID, now.ID)
	}

	p.Ada.Send("POST", at+"/unpublish", `{"reason": "a mistake"}`).Is(204)
	p.want("article", id)
	if left := files(t, p.dir, "v1"); len(left) > 0 {
		t.Errorf("after the withdrawal: %v", left)
	}
	p.Ada.Send("DELETE", first, "").Is(204)
	p.Ada.Send("POST", at+"/publish", "").Is(201)
	p.want("article", id, "Version 3: published | files/more.txt=more")
	if r, status := p.Checked(); status != 0 {
		t.Errorf("the check: %+v", r.Problems)
	}
}

// strip is JSON without white space.
func strip(text string) string { return strings.Join(strings.Fields(text), "") }

// files are the paths below a directory that contain an element.
func files(t *testing.T, dir, element string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == element {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Files under an embargo are withheld until it ends, and go when it comes again; what is private is never there.
func TestOCFLEmbargo(t *testing.T) {
	t.Parallel()
	p := newPreservation(t)
	at := p.Ada.Article(`{"title": "Withheld", "authors": [{"name": "A B"}]}`)
	p.Ada.Upload(at, "secret.txt", []byte("serendipity"))
	end, _ := world.InSeconds(3600)
	p.Ada.Embargo(at, "file", end)
	p.Ada.Send("POST", at+"/publish", "").Is(201)
	id := world.LastNumber(t, at)
	whole := p.Ada.Article(`{"title": "All of it withheld", "authors": [{"name": "A B"}]}`)
	p.Ada.Embargo(whole, "article", end)
	p.Ada.Send("POST", whole+"/publish", "").Is(201)
	draft := p.Ada.Article(`{"title": "A draft"}`)
	p.Ada.Upload(draft, "draft.txt", []byte("serendipity, too"))
	p.want("article", id, "Version 1: published |")
	p.want("article", world.LastNumber(t, whole))
	if found := files(t, p.dir, "secret.txt"); len(found) > 0 {
		t.Fatalf("the embargo is broken: %v", found)
	}
	soon, _ := world.InSeconds(2)
	p.Ada.Embargo(at, "file", soon)
	p.Ada.Send("POST", at+"/publish", "").Is(201)
	p.Eventually("the files are public", func() bool {
		return len(p.Anon.Get(fmt.Sprintf("/v2/articles/%d/files", id)).Is(200).List()) == 1
	})
	p.followed()
	got := p.shows("article", id)
	if len(got) < 2 || got[len(got)-1] != "Version 2: its files became public | files/secret.txt=serendipity" {
		t.Errorf("after the embargo: %q", got)
	}
	p.Ada.Send("DELETE", whole+"/embargo", "").Is(204)
	p.want("article", world.LastNumber(t, whole), "Version 1: published |")
}

// Downloads that are switched off take the files out again, of all versions of the object.
func TestOCFLStops(t *testing.T) {
	t.Parallel()
	p := newPreservation(t)
	at := p.Ada.Article(`{"title": "No more", "authors": [{"name": "A B"}]}`)
	p.Ada.Upload(at, "once.txt", []byte("once public"))
	p.Ada.Send("POST", at+"/publish", "").Is(201)
	id := world.LastNumber(t, at)
	p.want("article", id, "Version 1: published | files/once.txt=once public")
	p.Ada.Send("PATCH", at, `{"download_disabled": true}`).Is(205)
	p.Ada.Send("POST", at+"/publish", "").Is(201)
	p.want("article", id, "Version 1: published |", "Version 2: published |")
	if found := files(t, p.dir, "once.txt"); len(found) > 0 {
		t.Errorf("the files are still there: %v", found)
	}
}

// Names are those of the archive: no two are the same on any file system.
func TestOCFLNames(t *testing.T) {
	t.Parallel()
	p := newPreservation(t)
	at := p.Ada.Article(`{"title": "Names", "authors": [{"name": "A B"}]}`)
	for n, name := range []string{"Ünï 冰.txt", "Case.TXT", "case.txt", "100% & <b>.txt"} {
		p.Ada.Upload(at, name, fmt.Appendf(nil, "%d", n))
	}
	p.Ada.Send("POST", at+"/publish", "").Is(201)
	p.want("article", world.LastNumber(t, at),
		"Version 1: published | files/100% & <b>.txt=3 files/Case.TXT=1 files/case (1).txt=2 files/Ünï 冰.txt=0")
}

// A collection becomes an object, with those of its articles that are public.
func TestOCFLCollection(t *testing.T) {
	t.Parallel()
	p := newPreservation(t)
	public := p.Ada.Published("In it")
	private := world.LastNumber(t, p.Ada.Article(`{"title": "Not yet"}`))
	at := p.Ada.NewCollection("Of ice")
	p.Ada.Send("PUT", at, fmt.Sprintf(`{"authors": [{"name": "A B"}], "articles": [%d, %d]}`, public, private)).Is(205)
	p.Ada.Send("POST", at+"/publish", "").Is(201)
	id := world.LastNumber(t, at)
	p.want("collection", id, "Version 1: published |")
	_, dir := p.object("collection", id)
	b, err := os.ReadFile(filepath.Join(dir, "v1", "content", "metadata", "articles.json"))
	if err != nil || !strings.Contains(string(b), fmt.Sprintf(`"id": %d,`, public)) || strings.Contains(string(b), fmt.Sprintf(`"id": %d,`, private)) {
		t.Errorf("%s, %v", b, err)
	}
	p.Ada.Send("DELETE", at, "").Is(204)
	p.want("collection", id)
}

// A directory of another repository, one that lost its file system, and one that is ahead of the store are left alone, and
// the reason is told; damage is found by a check.
func TestOCFLRefused(t *testing.T) {
	t.Parallel()
	p := newPreservation(t)
	id := p.Ada.Published("Here")
	p.want("article", id, "Version 1: published |")
	const stopped = "Nothing is written to ocfl_dir."
	page := func() string { return string(p.Root.SignIn().Open("/account/admin").Is(200).Bytes) }
	if text := page(); !strings.Contains(text, "Copy as OCFL") || strings.Contains(text, stopped) {
		t.Error("the page of the administration does not tell that the copy is kept")
	}
	older := filepath.Join(t.TempDir(), "older")
	p.Stop()
	disk.CopyTree(t, p.Cfg.Data, older)
	p.Boot()
	p.Ada.Published("Later")
	p.followed()
	p.Stop()
	halted := func(p *preservation, why string) {
		t.Helper()
		p.Boot()
		p.Soon(why, func() bool { return strings.Contains(p.state().Halted, why) })
		if !strings.Contains(page(), stopped) {
			t.Error("the page of the administration does not tell that nothing is written")
		}
		p.Stop()
	}
	data := p.Cfg.Data
	p.Cfg.Data = older
	halted(p, "restored from an earlier snapshot")
	p.Cfg.Data = data
	if err := os.Rename(p.dir, p.dir+"-away"); err != nil {
		t.Fatal(err)
	}
	halted(p, "alcove ocfl again")
	if _, err := os.Stat(p.dir); err == nil {
		t.Error("the directory was made again by itself")
	}
	if err := os.Rename(p.dir+"-away", p.dir); err != nil {
		t.Fatal(err)
	}
	p.Boot()
	p.followed()
	_, dir := p.object("article", id)
	blob := filepath.Join(dir, "v1", "content", "metadata", "item.json")
	disk.FlipBit(t, blob, 40)
	if r, status := p.Checked("--restart"); status != 1 || len(r.Problems) != 2 || r.Problems[0].Table != "E092" || r.Problems[1].Table != "E093" {
		t.Errorf("after damage: %d, %+v", status, r.Problems)
	}
	disk.FlipBit(t, blob, 40)

	other := world.Start(t, preserving(p.dir))
	o := &preservation{other, p.dir}
	other.Ada.Published("Elsewhere")
	o.Soon("it is refused", func() bool { return strings.Contains(o.state().Halted, "of the repository") })
	o.Harmed = "its directory is that of another"
	p.valid()
	if err := os.RemoveAll(p.dir); err != nil {
		t.Fatal(err)
	}
	p.Operate("ocfl", map[string]bool{"again": true}, nil)
	p.want("article", id, "Version 1: published |")
}
