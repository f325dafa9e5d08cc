package harvest

import (
	"bufio"
	"flag"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"alcove/tests/world"
)

var (
	harvester = flag.String("oai-harvester", "", "perl with HTTP::OAI and Catmandu::OAI, which harvest the server")
	records   = flag.Int("oai-records", 20_000, "how many records it takes")
)

type taken struct {
	datestamp, title string
	deleted          bool
}

// harvest has a program read all records that changed since a time, "" for all, and gives the last that it got of each
// and how many there were.
func harvest(t *testing.T, s *world.Server, program, from string, into map[string]taken) (n int) {
	t.Helper()
	cmd := exec.Command(*harvester, "testdata/"+program, s.URL+"/v2/oai", from)
	var wrong world.LockedBuffer
	cmd.Stderr = &wrong
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); n++ {
		cells := strings.Split(lines.Text(), "\t")
		if len(cells) != 4 {
			t.Fatalf("the line %q", lines.Text())
		}
		into[cells[0]] = taken{cells[1], cells[3], cells[2] == "1"}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, wrong.Bytes())
	}
	return n
}

// Two harvesters that are not ours take everything, one of them while a fortieth of it is changed and some is withdrawn: after
// that and one more harvest of the changes since it began, it has each record as it is.
func TestOAIHarvester(t *testing.T) {
	if *harvester == "" {
		t.Skip("needs -oai-harvester (make check-oai)")
	}
	s := world.Start(t)
	titles, withdrawn := map[int]string{}, map[int]bool{}
	var mu sync.Mutex
	each := func(from, to int, do func(n int)) {
		var wait sync.WaitGroup
		for w := range 8 {
			wait.Add(1)
			go func() {
				defer wait.Done()
				for n := from + w; n < to; n += 8 {
					do(n)
				}
			}()
		}
		wait.Wait()
	}
	began := time.Now()
	each(0, *records, func(n int) {
		made := s.Ada.Article(fmt.Sprintf(`{"title": "Record %d", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}], "categories": [37], "tags": ["rain"]}`, n))
		s.Ada.Do("POST", made+"/publish", nil).Is(201)
		id := int(world.LastNumber(t, made))
		mu.Lock()
		titles[id] = fmt.Sprintf("Record %d", n)
		mu.Unlock()
	})
	t.Logf("%d records were published in %s", *records, time.Since(began).Round(time.Second))
	since := ask(t, s, "verb=Identify").Response
	changes, gone := *records/40, *records/400
	got := map[string]taken{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range changes + gone {
			id := 1 + n*(*records/(changes+gone)) // spread over the whole list
			at := fmt.Sprintf("/v2/account/articles/%d", id)
			if n%11 == 10 {
				s.Ada.Send("POST", at+"/unpublish", `{"reason": "It was wrong"}`).Is(204)
				withdrawn[id] = true
			} else {
				title := fmt.Sprintf("Changed %d", id)
				s.Ada.Send("PATCH", at, `{"title": "`+title+`"}`).Is(205)
				s.Ada.Do("POST", at+"/publish", nil).Is(201)
				titles[id] = title
			}
			time.Sleep(100 * time.Millisecond) // over most of the harvest
		}
	}()
	began = time.Now()
	n := harvest(t, s, "harvest.pl", "", got)
	t.Logf("HTTP::OAI took %d records in %s, while %d changed", n, time.Since(began).Round(time.Second), changes+gone)
	if len(got) != *records {
		t.Errorf("it has %d records of %d", len(got), *records)
	}
	<-done
	n = harvest(t, s, "harvest.pl", since, got)
	t.Logf("then %d that changed", n)
	if n < changes+gone || len(got) != *records {
		t.Errorf("it has %d records of %d, and took %d changes", len(got), *records, n)
	}
	again := map[string]taken{}
	began = time.Now()
	n = harvest(t, s, "catmandu.pl", "", again)
	t.Logf("Catmandu::OAI took %d records in %s", n, time.Since(began).Round(time.Second))
	if n != *records || len(again) != *records {
		t.Errorf("Catmandu::OAI has %d records, %d of them different, want %d", n, len(again), *records)
	}
	for id, title := range titles {
		for name, all := range map[string]map[string]taken{"HTTP::OAI": got, "Catmandu::OAI": again} {
			is, ok := all[fmt.Sprintf("oai:127.0.0.1:article/%d", id)]
			if !ok || is.deleted != withdrawn[id] || !is.deleted && is.title != title {
				t.Errorf("%s: record %d is %+v, want %q, withdrawn %v", name, id, is, title, withdrawn[id])
			}
		}
	}
}
