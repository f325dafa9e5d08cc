package browser

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/world"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var uploadFiles = flag.Int("upload-files", 40, "files of the folder that is uploaded; from 500 on the page is reloaded twice")

// deposit is a person's browser at the page of the files of a new article.
func deposit(t *testing.T, s *world.Server, name string) (b *tab, who world.Client, article string) {
	t.Helper()
	email := s.Member(name)
	var token string
	s.Operate("token", map[string]string{"account": email, "name": "test"}, &token)
	who = world.Client{Server: s, Token: token}
	article = who.Article(`{"title": "Measured in the north", "defined_type": "dataset", "description": "Sums", "tags": ["rain"], "categories": [37], "license": 1, "authors": [{"name": "Grace Hopper"}]}`)
	b = open(t, s.URL)
	b.filesOf(email, article)
	return b, who, article
}

// filesOf signs a person in, and opens the page of the files of an article.
func (b *tab) filesOf(email, article string) {
	b.t.Helper()
	b.at("/sign-in?next=" + fmt.Sprintf("/account/articles/%d/files", world.LastNumber(b.t, article)))
	b.do(chromedp.SendKeys(chromedp.CSS("#email"), email), chromedp.SendKeys(chromedp.CSS("#password"), world.Password))
	b.press(kb.Enter)
	told(b, chromedp.Poll[bool](`!document.querySelector("file-upload").hidden`))
}

// folder writes files with names and contents of many kinds, and answers their MD5s by path.
func folder(t *testing.T, n int) (dir string, sums map[string]string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "Messung é")
	sums = map[string]string{}
	for i := range n {
		name, data := fmt.Sprintf("day %03d.csv", i), []byte(strings.Repeat(fmt.Sprintf("%d,rain,%d\n", i, i*i), 200+i))
		switch {
		case i == 0:
			name, data = "leer.txt", nil
		case i == 1:
			name, data = "large.bin", bytes.Repeat([]byte("0123456789abcdef"), 21<<16) // three parts
		case i == 2:
			name = "日本 + %2F & 'quoted' \"so\".csv"
		case i == 3:
			data = []byte("4,rain\n") // as the next
		case i == 4:
			data = []byte("4,rain\n")
		}
		path := filepath.Join([]string{"", "raw", "raw/deep/er", "ünï"}[i%4], name)
		at := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		disk.WriteFile(t, at, data)
		sums["Messung é/"+path] = sum(data)
	}
	return dir, sums
}

// drop lets go of files and folders over the page.
func (b *tab) drop(paths ...string) {
	b.t.Helper()
	data := &input.DragData{Items: []*input.DragDataItem{}, Files: paths, DragOperationsMask: 1}
	for _, kind := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		send(b, input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: 300, Y: 500, Data: data})
	}
}

// choose chooses files, or one folder.
func (b *tab) choose(selector string, paths ...string) {
	b.t.Helper()
	b.do(chromedp.SetUploadFiles(chromedp.CSS(selector), paths))
}

// net sets whether there is a network, and how many bytes a second it takes, 0 for any number.
func (b *tab) net(on bool, speed float64) {
	b.t.Helper()
	if speed == 0 {
		speed = -1
	}
	conditions := cdp.Command[network.OverrideNetworkStateParams, cdp.Empty]{Method: "Network.emulateNetworkConditions"}
	send(b, conditions, network.OverrideNetworkStateParams{Offline: !on, DownloadThroughput: -1, UploadThroughput: speed})
}

const (
	allRows  = `document.querySelectorAll(".sending li")`
	overRows = `document.querySelectorAll(".sending li:is([data-state=checking], [data-state=stored], [data-state=skipped])")`
	uploadIs = `document.querySelector("file-upload").dataset.state`
)

// until waits for something in the page.
func (b *tab) until(expression string) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Run(ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(5*time.Minute)))
		return err
	})); err != nil {
		b.t.Fatalf("%s: %v\n%s", expression, err, b.text())
	}
}

// sends waits until all is over that something begins, with a state.
func (b *tab) sends(state string, begin func()) {
	b.t.Helper()
	told(b, chromedp.Evaluate[any](uploadIs+` = "", 1`))
	begin()
	b.until(uploadIs + fmt.Sprintf(" === %q", state))
}

// interrupted drops a folder of n files, cuts the network and reloads the page on the way, and waits until all of them
// are stored.
func (b *tab) interrupted(dir string, n int) {
	b.t.Helper()
	b.allow("ERR_INTERNET_DISCONNECTED")
	b.allow("409") // a part that was cut off is locked for a moment
	b.net(true, 8<<20)
	b.drop(dir)
	b.until(fmt.Sprintf(`%s.length === %d && %s.length > %d`, allRows, n, overRows, n/8))
	b.net(false, 0)
	b.until(`document.querySelector(".whole").textContent.includes("No connection")`)
	if get[string](b, uploadIs) == "done" {
		b.t.Fatal("it was over before the network was cut")
	}
	b.net(true, 8<<20)
	share := []int{3}
	if n >= 500 {
		share = []int{3, 2}
	}
	for _, part := range share {
		b.until(fmt.Sprintf(`%s.length > %d && !document.querySelector(".whole").textContent.includes("No connection")`, overRows, n/part))
		if get[string](b, uploadIs) == "done" {
			b.t.Fatal("it was over before the page was reloaded")
		}
		b.do(chromedp.Reload())
		b.until(`!document.querySelector("file-upload").hidden`)
		b.choose("#pick-folder", dir)
		b.until(fmt.Sprintf(`%s.length === %d`, allRows, n))
	}
	b.net(true, 0)
	b.until(uploadIs + ` === "done"`)
	if got := get[int](b, `document.querySelectorAll(".sending [data-state=skipped]").length`); got < n/8 {
		b.t.Errorf("only %d files were recognised", got)
	}
	b.holds(fmt.Sprintf("%d of %d files stored", n, n), "This page may be closed.", "Messung é/", "stored and verified")
}

// A folder is dropped; the network is cut and the page reloaded on the way, another browser finds everything there, and
// an anonymous client downloads from the published item the bytes that were in the folder.
func TestUploadInBrowser(t *testing.T) {
	t.Parallel()
	n := *uploadFiles
	s := world.Start(t, func(c *config.Config) { c.FilesInDetail = max(c.FilesInDetail, n) }) // the download reads all names in one answer
	b, who, article := deposit(t, s, "Lovelace")
	dir, sums := folder(t, n)
	b.interrupted(dir, n)
	b.picture("upload-done")

	other := open(t, s.URL)
	other.filesOf("lovelace@example.org", article)
	other.choose("#pick-folder", dir)
	other.until(uploadIs + ` === "done"`)
	other.holds(fmt.Sprintf("%d were here already", n))

	who.Do("POST", article+"/publish", nil).Is(201)
	downloaded(t, s, world.LastNumber(t, article), sums)
}

// downloaded has an anonymous client download all files of a public article and compare their MD5s, by path.
func downloaded(t *testing.T, s *world.Server, id int64, sums map[string]string) {
	t.Helper()
	item := s.Anon.Get(fmt.Sprint("/v2/articles/", id)).Is(200).Object()
	files, folders := item["files"].([]any), item["folder_structure"].(map[string]any)
	if len(files) != len(sums) {
		t.Errorf("the item has %d files, not %d", len(files), len(sums))
	}
	for _, one := range files {
		f := one.(map[string]any)
		path := f["name"].(string)
		if in, ok := folders[fmt.Sprint(int64(f["id"].(float64)))].(string); ok {
			path = in + "/" + path
		}
		got := sum(s.Anon.Get(strings.TrimPrefix(f["download_url"].(string), s.URL)).Is(200).Bytes)
		if want := sums[path]; got != want || f["computed_md5"] != want {
			t.Errorf("%q has the MD5 %s and says %v, want %q", path, got, f["computed_md5"], want)
		}
	}
}

// Files are chosen by keyboard, an upload is paused and goes on, names that are taken and content that is there are
// told, a failed file is tried again, and the list changes without leaving the page.
func TestUploadByHand(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	b, who, article := deposit(t, s, "Lovelace")
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		t.Helper()
		at := filepath.Join(dir, name)
		disk.WriteFile(t, at, data)
		return at
	}
	large := bytes.Repeat([]byte("north and south\n"), 3<<20)
	b.at(b.path())
	b.walk("#pick-folder")
	b.walk("#pick-files")
	b.net(true, 4<<20)
	b.allow("409") // a part that was cut off is locked for a moment
	b.choose("#pick-files", put("large.bin", large))
	b.until(`document.querySelector(".sending .how").textContent.includes("%")`)
	b.until(`/\d+ MB\/s.* left/.test(document.querySelector(".whole").textContent)`)
	b.walk(".pause")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(uploadIs + ` === "paused"`)
	b.holds("Paused", "Resume", "Keep this page open")
	b.picture("upload-paused")
	b.net(true, 0)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(uploadIs + ` === "done"`)
	if said := get[string](b, `document.querySelector("file-upload [role=status]").textContent`); !strings.Contains(said, "1 of 1 files stored") {
		t.Errorf("the reader hears %q", said)
	}

	// The same name with other content, and the same content with another name.
	os.Remove(filepath.Join(dir, "large.bin"))
	b.sends("done", func() { b.choose("#pick-files", put("large.bin", []byte("small now")), put("copy.bin", large)) })
	b.holds("another file of this name is in this folder; both are kept", "has the same content as large.bin")
	if got := len(who.Get(article + "/files").Is(200).List()); got != 3 {
		t.Errorf("there are %d files", got)
	}

	// Of a file that another client has begun only the parts that are missing are sent.
	begun := bytes.Repeat([]byte("begun elsewhere\n"), 21<<16)
	part, upload := who.Begin(article, "begun.bin", begun)
	s.Put(upload, 2, begun[world.PartSize:2*world.PartSize]).Is(200)
	b.sends("done", func() { b.choose("#pick-files", put("begun.bin", begun)) })
	who.Until(part, "available")
	token := upload[strings.LastIndexByte(upload, '/')+1:]
	if got := get[string](b, fmt.Sprintf(`performance.getEntriesByType("resource").map(e => e.name.split(%q)[1]).filter(n => n).sort().join(" ")`, token+"/")); got != "1 3" {
		t.Errorf("the parts %q were sent", got)
	}

	// One that a server refuses is told at its place, and can be tried again.
	failed, half := who.Begin(article, "half.txt", []byte("half"))
	s.Put(half, 1, []byte("flah")).Is(200)
	who.Do("POST", failed, nil).Is(202)
	who.Until(failed, "ic_failed")
	b.sends("done", func() { b.choose("#pick-files", put("half.txt", []byte("half"))) })
	who.Get(failed).Is(404)
	bad := filepath.Join(dir, `back\slash`)
	if err := os.Mkdir(bad, 0o700); err != nil {
		t.Fatal(err)
	}
	put(`back\slash/a.txt`, []byte("a"))
	b.allow("422")
	b.sends("failed", func() { b.drop(bad) })
	b.holds("must name folders", "Try again", "1 failed")

	// Deleting and linking leave the page where it is.
	b.do(chromedp.Evaluate[chromedp.Void](`window.stays = true; document.querySelector('#own-files summary[aria-label="Delete copy.bin"]').click()`))
	b.do(chromedp.Click(chromedp.CSS("#own-files details[open] button")))
	b.until(`document.querySelector("#own-files .done")?.textContent.includes("deleted")`)
	b.do(chromedp.SendKeys(chromedp.CSS("#link"), "https://example.org/far.csv"), chromedp.SendKeys(chromedp.CSS("#folder"), "far"))
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector("#own-files .done")?.textContent.includes("linked")`)
	b.holds("far/", "far.csv")
	if !get[bool](b, "window.stays === true") {
		t.Error("the page was left")
	}
}

// A server that asks to wait is waited for; when the session ends the upload halts until the person is signed in again;
// a file that changes while it is sent is told.
func TestUploadTroubles(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.RateLimit, c.RateBurst = 5, 20 }) // slower than any machine sends
	b, who, article := deposit(t, s, "Lovelace")
	dir, sums := folder(t, 30)
	b.allow("429")
	b.allow("401")
	b.allow("409") // a part that was cut off is locked for a moment
	b.allow("ERR_FAILED")
	b.drop(dir)
	b.until(`document.querySelector(".whole").textContent.includes("The server is busy")`)
	post := func(path, fields string) {
		t.Helper()
		if !get[bool](b, fmt.Sprintf(`fetch(%q, {method: "POST", redirect: "manual", body: new URLSearchParams(%q)}).then(() => true)`, path, fields)) {
			t.Fatal(path)
		}
	}
	post("/sign-out", "")
	b.until(`document.querySelector(".whole").textContent.includes("You are signed out")`)
	b.holds("Sign in, in another tab", "Resume")
	post("/sign-in", url.Values{"email": {"lovelace@example.org"}, "password": {world.Password}}.Encode())
	b.do(chromedp.Click(chromedp.CSS(".pause")))
	b.until(uploadIs + ` === "done"`)
	time.Sleep(2 * time.Second) // of the rate
	if got := len(who.Get(article + "/files").Is(200).List()); got != len(sums) {
		t.Errorf("there are %d files", got)
	}

	at := filepath.Join(dir, "changes.bin")
	disk.WriteFile(t, at, make([]byte, 30<<20))
	b.net(true, 4<<20)
	b.sends("failed", func() {
		b.choose("#pick-files", at)
		b.until(`[...document.querySelectorAll(".sending .how")].at(-1).textContent.includes("%")`)
		disk.WriteFile(t, at, []byte("now short"))
		b.net(true, 0)
	})
	b.holds("the file was changed or moved meanwhile", "The files at the top of the list are not here.")
}

// Without a script a file is sent by its form, another is linked, and one is deleted.
func TestUploadWithoutScript(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	b, who, article := deposit(t, s, "Lovelace")
	at := filepath.Join(t.TempDir(), "été \"so\" & more.bin")
	data := bytes.Repeat([]byte("0123456789abcdef"), 11<<16) // two parts
	disk.WriteFile(t, at, data)
	page := b.path()
	b.script(false)
	b.at(page)
	b.choose("#file", at)
	b.follow(".without-script button")
	b.holds("The file was uploaded", filepath.Base(at))
	file := fmt.Sprint(article, "/files/", who.Get(article + "/files").Is(200).List()[0]["id"])
	if f := who.Until(file, "available"); f["computed_md5"] != sum(data) || f["name"] != filepath.Base(at) {
		t.Errorf("the file is %v", f)
	}
	b.do(chromedp.SendKeys(chromedp.CSS("#link"), "https://example.org/far.csv"))
	b.follow("#own-files .form button")
	b.holds("The file was linked", "far.csv")
	b.do(chromedp.Click(chromedp.CSS(`#own-files summary[aria-label="Delete far.csv"]`)))
	b.follow("#own-files details[open] button")
	b.holds("The file was deleted")
	if got := len(who.Get(article + "/files").Is(200).List()); got != 1 {
		t.Errorf("there are %d files", got)
	}
}

// The sum of the worker is MD5, whatever the length.
func TestUploadSums(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	b, _, _ := deposit(t, s, "Lovelace")
	lengths := []int{0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000, 4<<20 - 1, 4 << 20, 4<<20 + 1, 4<<20 + 64, 9_000_001}
	asked, err := json.Marshal(lengths)
	if err != nil {
		t.Fatal(err)
	}
	got := get[[]string](b, fmt.Sprintf(`(async () => {
		const w = new Worker(document.querySelector("file-upload").dataset.worker), sums = [];
		for (const n of %s) {
			const data = new Uint8Array(n);
			for (let i = 0; i < n; i++) data[i] = i * 7 + (i >> 8) * 13;
			w.postMessage({ id: 1, file: new Blob([data]) });
			sums.push(await new Promise((done) => { w.onmessage = (e) => { if (e.data.md5 || e.data.error) done(e.data.md5 || e.data.error); }; }));
		}
		return sums;
	})()`, asked))
	for i, n := range lengths {
		data := make([]byte, n)
		for j := range data {
			data[j] = byte(j*7 + (j>>8)*13)
		}
		if want := md5.Sum(data); i >= len(got) || got[i] != hex.EncodeToString(want[:]) {
			t.Errorf("%d bytes: %v, want %x", n, got, want)
		}
	}
}

// The page of own files, empty and after an upload, keeps all rules of axe and is valid HTML; it fits a narrow window.
func TestUploadPageRules(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	b, _, _ := deposit(t, s, "Lovelace")
	dir, _ := folder(t, 6)
	look := func(state string) {
		t.Helper()
		for _, wide := range []int64{320, 800, 1440} {
			b.width(wide)
			if over := get[int](b, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); over > 0 {
				t.Errorf("%s it is %d pixels too wide at %d", state, over, wide)
			}
			for _, dark := range []bool{false, true} {
				b.dark(dark)
				b.picture(fmt.Sprintf("own-files-%s-%d-%v", state, wide, dark))
				if *axe != "" {
					b.rules(fmt.Sprintf("own files %s at %d, dark %v", state, wide, dark))
				}
			}
		}
	}
	look("empty")
	b.drop(dir)
	b.until(uploadIs + ` === "done"`)
	b.until(`document.querySelectorAll("#own-files tbody tr").length === 6`)
	told(b, chromedp.Evaluate[any](`document.querySelector("#own-files details").open = true; 1`))
	look("done")
	if *vnu != "" {
		page := get[string](b, `fetch(location.pathname, {headers: {Accept: "text/html"}}).then(r => r.text())`)
		d := t.TempDir()
		disk.WriteFile(t, filepath.Join(d, "files.html"), []byte(page))
		validate(t, d)
	}
}
