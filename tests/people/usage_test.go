package people

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"alcove/tests/stage"
	"alcove/tests/world"
)

// The use of public items in some months leaves as a table and as COUNTER's dataset report: those that one administers,
// people and programs apart, and nothing of what is not public.
func TestAdminUsage(t *testing.T) {
	t.Parallel()
	s, cyd := stage.NewInstitution(t)
	root, ada := s.Root.SignIn(), s.Ada.SignIn()
	own := s.Ben.Article(`{"title": "=1+1 of <i>ponds</i>", "authors": [{"name": "Grace Hopper"}]}`)
	file := fmt.Sprint("/files/", world.LastNumber(t, s.Ben.Upload(own, "a.csv", []byte("pond"))))
	s.Ben.Do("POST", own+"/publish", nil).Is(201)
	foreign := cyd.Published("Canary of arts")
	gone := cyd.Published("Withdrawn canary")
	const agent, person = "User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	s.Anon.Get(fmt.Sprint("/v2/articles/", world.LastNumber(t, own)), agent, person).Is(200)
	s.Anon.Get(file, agent, person).Is(200)
	s.Anon.Get(file, agent, "curl/8.1").Is(200)
	for _, id := range []int64{foreign, gone} {
		s.Anon.Get(fmt.Sprint("/v2/articles/", id), agent, person).Is(200)
	}
	s.Root.Send("POST", fmt.Sprintf("/v2/account/articles/%d/unpublish", gone), `{"reason": "it was wrong"}`).Is(204)
	month := time.Now().UTC().Format("2006-01")
	at := "/account/admin/usage.csv?from=" + month + "&to=" + month
	rows := func(b *world.Browser, at string) map[string][]string {
		t.Helper()
		all, err := csv.NewReader(bytes.NewReader(b.Open(at).Is(200).Bytes)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		out := map[string][]string{}
		for _, row := range all[1:] {
			out[row[2]] = row
		}
		return out
	}
	const pond = "'=1+1 of <i>ponds</i>"
	world.WaitFor(t, "the use is stored", func() bool { return strings.Join(rows(root, at)[pond], " ") != "" && rows(root, at)[pond][7] == "2" })
	all := rows(root, at)
	if got := strings.Join(all[pond][6:], " "); got != "1 2 0 2 1 1 1 1 1 1 1" {
		t.Errorf("the use is %q", got)
	}
	if len(all) != 2 || all["Canary of arts"] == nil {
		t.Errorf("there are %d items: %v", len(all), all)
	}
	if got := rows(root, "/account/admin/usage.csv?from=2001-01&to=2001-12")[pond]; strings.Join(got[6:], "") != strings.Repeat("0", 11) {
		t.Errorf("in 2001 it is %q", got)
	}
	if part := rows(ada, at); len(part) != 1 || part[pond] == nil {
		t.Errorf("the administrator of a group has %v", part)
	}

	var report struct {
		Header struct {
			ID         string `json:"report-id"`
			Release    string `json:"release"`
			Exceptions []struct {
				Code int `json:"code"`
			} `json:"exceptions"`
		} `json:"report-header"`
		Datasets []struct {
			Title       string `json:"dataset-title"`
			ID          []struct{ Type, Value string }
			URI         string `json:"uri"`
			Performance []struct {
				Period   map[string]string `json:"period"`
				Instance []struct {
					Metric string `json:"metric-type"`
					Method string `json:"access-method"`
					Count  int    `json:"count"`
				} `json:"instance"`
			} `json:"performance"`
		} `json:"report-datasets"`
	}
	r := ada.Open("/account/admin/dataset-report.json").Is(200)
	if err := json.Unmarshal(r.Bytes, &report); err != nil {
		t.Fatalf("%v: %s", err, r.Bytes)
	}
	if h := report.Header; h.ID != "DSR" || h.Release != "rd1" || len(h.Exceptions) != 1 || h.Exceptions[0].Code != 3040 {
		t.Errorf("the head is %+v", h)
	}
	if len(report.Datasets) != 1 || report.Datasets[0].Title != "=1+1 of ponds" || len(report.Datasets[0].Performance) != 1 || !strings.HasPrefix(report.Datasets[0].URI, s.URL+"/articles/") {
		t.Fatalf("the report is %s", r.Bytes)
	}
	p, got := report.Datasets[0].Performance[0], map[string]int{}
	for _, i := range p.Instance {
		got[i.Method+" "+i.Metric] = i.Count
	}
	if want := map[string]int{
		"regular total-dataset-investigations": 2, "regular unique-dataset-investigations": 1, "regular total-dataset-requests": 1, "regular unique-dataset-requests": 1,
		"machine total-dataset-investigations": 1, "machine unique-dataset-investigations": 1, "machine total-dataset-requests": 1, "machine unique-dataset-requests": 1,
	}; p.Period["begin-date"] != month+"-01" || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("in %v it is %v", p.Period, got)
	}
	for _, wrong := range []string{"from=x", "to=2026", "from=2026-02&to=2026-01", "from=1900-01"} {
		root.Open("/account/admin/usage.csv?" + wrong).Is(422)
		root.Open("/account/admin/dataset-report.json?" + wrong).Is(422)
	}
	shows(t, root.Open("/account/admin/export").Is(200), "usage.csv?from="+month[:4]+"-01", "Dataset report of COUNTER for "+month[:4])
}
