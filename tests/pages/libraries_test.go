package pages

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// Formats that a library reads are shown as people read them, and what is in them does nothing.
func TestPreviewsByLibraries(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	text := view(t, s, "README.md", []byte("# Rain\n\nIn *Ny-Ålesund*, see [here](https://example.org/x) or [there](data.csv).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"+
		"![a map](https://example.org/map.png)\n\n<script>alert(1)</script><img src=x onerror=alert(1)>\n\n[bad](javascript:alert(1))\n\n```\nx < y\n```\n"))
	holds(t, text, "<h2>Rain</h2>", "<em>Ny-Ålesund</em>", `<a href="https://example.org/x" rel="nofollow">here</a>`, "there", "<th>a</th>", "<td>2</td>", "a map", "x &lt; y")
	lacks(t, text, "<script>alert", "onerror", "map.png", "javascript:", `href="data.csv"`)
	text = view(t, s, "model.py", []byte("# a model\ndef f(x):\n\treturn \"</code><script>\" + 1.5\n"))
	holds(t, text, `<li><code><span class="code-c"># a model</span></code></li>`, `<span class="code-k">def</span>`, `<span class="code-f">f</span>`,
		`<span class="code-s">&#34;&lt;/code&gt;&lt;script&gt;&#34;</span>`, `<span class="code-n">1.5</span>`)
	lacks(t, text, "style=")
	text = view(t, s, "work.ipynb", notebook(t))
	holds(t, text, "<h3>Steps</h3>", `<span class="code-k">import</span>`, "<td>4.5</td>", `<img src="data:image/png;base64,`, "ZeroDivisionError: division by zero", "a line of output",
		"A result of a kind that is not shown here.")
	lacks(t, text, "<script>", "onclick", "style=", "\x1b", "evil.example")
	text = view(t, s, "rain.xlsx", zipped(t, map[string]string{
		"xl/workbook.xml":          `<workbook xmlns:r="x"><sheets><sheet name="Rain" r:id="a"/></sheets></workbook>`,
		"xl/styles.xml":            `<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
		"xl/sharedStrings.xml":     `<sst><si><t>day</t></si><si><t>&lt;script&gt;</t></si></sst>`,
		"xl/worksheets/sheet1.xml": `<worksheet><sheetData><row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row><row><c s="1"><v>45000</v></c><c><v>0.4</v></c></row></sheetData></worksheet>`,
	}))
	holds(t, text, `<th scope="col">day</th><th scope="col">&lt;script&gt;</th>`, "<td>2023-03-15</td><td>0.4</td>", "<td>date</td>", "1 rows read")
	type row struct {
		Station string
		MM      float64
	}
	var packed bytes.Buffer
	if err := parquet.Write(&packed, []row{{"NYA", 0.4}, {"<script>", 1}}); err != nil {
		t.Fatal(err)
	}
	holds(t, view(t, s, "rain.parquet", packed.Bytes()), `<th scope="col">Station</th><th scope="col">MM</th>`, "<td>NYA</td><td>0.4</td>", "<td>&lt;script&gt;</td>",
		"Schema, of 2 rows in all", `<th scope="row">MM</th><td>DOUBLE</td>`)
	var members, squeezed bytes.Buffer
	in := tar.NewWriter(&members)
	for _, name := range []string{"2025/<b>.csv", "2025/snow.csv"} {
		if err := errors.Join(in.WriteHeader(&tar.Header{Name: name, Size: 1500, Mode: 0o600, Typeflag: tar.TypeReg}), write(in, make([]byte, 1500))); err != nil {
			t.Fatal(err)
		}
	}
	z, err := zstd.NewWriter(&squeezed)
	if err := errors.Join(err, in.Close(), write(z, members.Bytes()), z.Close()); err != nil {
		t.Fatal(err)
	}
	holds(t, view(t, s, "all.tar.zst", squeezed.Bytes()), `<th scope="row">2025/&lt;b&gt;.csv</th><td class="number">1.5 kB</td>`, "2025/snow.csv")
	holds(t, view(t, s, "broken.tar.zst", squeezed.Bytes()[20:]), "cannot be read as what its name says")
	// A format that nothing here reads is named.
	holds(t, view(t, s, "model.h5", []byte("\x89HDF\r\n\x1a\n\x00\x00")), "HDF5")
	// A file that is not of its kind is shown as today.
	holds(t, view(t, s, "broken.ipynb", []byte(`{"cells": "none"}`)), "<b>cells</b>")
	holds(t, view(t, s, "zero.md", []byte("a\x00b")), "cannot be read as what its name says")
}

func write(w io.Writer, b []byte) error {
	_, err := w.Write(b)
	return err
}

// zipped is an archive with these files.
func zipped(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for name, content := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, content)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// notebook is one with every kind of result.
func notebook(t *testing.T) []byte {
	output := func(data map[string]any) map[string]any {
		return map[string]any{"output_type": "display_data", "data": data}
	}
	b, err := json.Marshal(map[string]any{
		"nbformat": 4, "metadata": map[string]any{"language_info": map[string]string{"name": "python"}},
		"cells": []any{
			map[string]any{"cell_type": "markdown", "source": []string{"## Steps\n", "<b onclick='x()'>bold</b>"}},
			map[string]any{"cell_type": "code", "execution_count": 1, "source": "import os\n", "outputs": []any{
				map[string]any{"output_type": "stream", "text": []string{"\x1b[31ma line of output\x1b[0m\n"}},
				output(map[string]any{"text/html": "</div></section><table style='color:red'><tr><td onclick='x()'>4.5</td></tr><script>alert(1)</script><img src='https://evil.example/x'>", "text/plain": "4.5"}),
				output(map[string]any{"image/png": base64.StdEncoding.EncodeToString(disk.OnePixel)}),
				output(map[string]any{"application/javascript": "alert(1)"}),
				map[string]any{"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero", "traceback": []string{"…"}},
			}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Files that bring a library down, or keep it busy for ever, cost one child process once: the page says
// that it failed, shows the text where there is one, and does not try again; the server goes on as it was.
func TestPreviewChildIsHeld(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	const failed = "a preview failed, and is not tried again"
	view(t, s, "warm.py", []byte("pass\n"))
	before := memoryOf(t, s)
	for name, content := range map[string]string{
		"quotes.md":  strings.Repeat("> ", 120_000) + "x\n",
		"links.md":   strings.Repeat("[a](", 60_000),
		"a.parquet":  "PAR1PAR1",
		"unclosed.r": "x <- 'a" + strings.Repeat(strings.Repeat(`\"`, 45)+"\n", 1000),
	} {
		start, logged := time.Now(), strings.Count(s.Logs.String(), failed)
		made := s.Ada.Article(`{"title": "One file", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
		at := fmt.Sprintf("/files/%d/view", world.LastNumber(t, s.Ada.Upload(made, name, []byte(content))))
		s.Ada.Do("POST", made+"/publish", nil).Is(201)
		text := page(t, s.Anon, at, 200)
		if took := time.Since(start); took > 2*world.PreviewWall() {
			t.Errorf("the page of %s took %v", name, took)
		} else {
			t.Logf("%s took %v", name, took)
		}
		holds(t, text, "took too much time or memory")
		if name != "a.parquet" {
			holds(t, text, "It is shown as plain text.", "<li><code>")
		}
		again := time.Now()
		page(t, s.Anon, at, 200)
		if n := strings.Count(s.Logs.String(), failed) - logged; n != 1 || time.Since(again) > time.Second {
			t.Errorf("%s was tried again: %d, %v", name, n, time.Since(again))
		}
	}
	// A file that grows when it is unpacked is read in part.
	bomb := zipped(t, map[string]string{"xl/worksheets/sheet1.xml": strings.Repeat("<row><c><v>1</v></c></row>", 8<<20)})
	if text := view(t, s, "bomb.xlsx", bomb); len(text) > 1<<20 {
		t.Errorf("the page of %d bytes has %d bytes", len(bomb), len(text))
	} else {
		holds(t, text, "This is the beginning of the file", "9,999 rows read")
	}
	if after := memoryOf(t, s); after > before+64<<10 {
		t.Errorf("the server has grown from %d to %d KiB", before, after)
	}
}

// A program that cannot hold a child process back, as this one, shows the text where there is one, and says
// so once to the operator.
func TestPreviewsAreOff(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	holds(t, view(t, s, "a.py", []byte("import os\n")), "This server does not read files of this kind", "It is shown as plain text.", "<li><code>import os</code></li>")
	text := view(t, s, "a.parquet", []byte("PAR1PAR1"))
	holds(t, text, "This server does not read files of this kind")
	lacks(t, text, "plain text")
	if n := strings.Count(s.Logs.String(), "cannot hold a child process back"); n != 1 {
		t.Errorf("it was said %d times", n)
	}
}

// However many ask for files that keep children busy, few children run, and each file is tried as often as
// children may run at once.
func TestPreviewChildrenAreFew(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for name, content := range map[string]string{"quotes.md": strings.Repeat("> ", 120_000), "a.parquet": "PAR1PAR1"} {
		made := s.Ada.Article(`{"title": "One file", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
		at := fmt.Sprintf("/files/%d/view", world.LastNumber(t, s.Ada.Upload(made, name, []byte(content))))
		s.Ada.Do("POST", made+"/publish", nil).Is(201)
		before := strings.Count(s.Logs.String(), "a preview failed, and is not tried again")
		var all sync.WaitGroup
		for range 30 {
			all.Go(func() {
				r := s.Anon.Get(at, "Accept", browser)
				if text := string(r.Bytes); r.StatusCode != 200 || !strings.Contains(text, "Many previews are being made") && !strings.Contains(text, "took too much time or memory") {
					t.Errorf("it answered %d: %.2000s", r.StatusCode, text)
				}
			})
		}
		ended, most := make(chan struct{}), 0
		go func() { all.Wait(); close(ended) }()
		for running := true; running; {
			select {
			case <-ended:
				running = false
			case <-time.After(10 * time.Millisecond):
				most = max(most, childrenOf(t, s.PID()))
			}
		}
		if tried := strings.Count(s.Logs.String(), "a preview failed, and is not tried again") - before; most > 2 || tried < 1 || tried > 2 {
			t.Errorf("%s: %d children at once, tried %d times", name, most, tried)
		}
	}
}

// childrenOf is how many processes a process has begun that have not ended.
func childrenOf(t *testing.T, pid int) (n int) {
	t.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lists {
		b, _ := os.ReadFile(l) // of a thread that has ended is nothing
		n += len(strings.Fields(string(b)))
	}
	return n
}

// memoryOf is the most memory that a server has had, in KiB.
func memoryOf(t *testing.T, s *world.Server) (n int64) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(s.PID()), "status"))
	if err != nil {
		t.Skip(err)
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	if _, err := fmt.Sscan(rest, &n); err != nil {
		t.Fatal(err)
	}
	return n
}
