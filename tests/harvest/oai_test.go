// Package harvest tests what other systems take from the server.
package harvest

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"alcove/config"
	"alcove/formats"
	"alcove/tests/world"
)

type header struct {
	Status     string   `xml:"status,attr"`
	Identifier string   `xml:"identifier"`
	Datestamp  string   `xml:"datestamp"`
	Sets       []string `xml:"setSpec"`
}

type token struct {
	Text    string `xml:",chardata"`
	Cursor  string `xml:"cursor,attr"`
	Expires string `xml:"expirationDate,attr"`
}

type metadata struct {
	Inner string `xml:",innerxml"`
}

// reply is an answer of OAI-PMH.
type reply struct {
	XMLName  xml.Name `xml:"http://www.openarchives.org/OAI/2.0/ OAI-PMH"`
	Response string   `xml:"responseDate"`
	Request  struct {
		Base  string     `xml:",chardata"`
		Attrs []xml.Attr `xml:",any,attr"`
	} `xml:"request"`
	Errors []struct {
		Code string `xml:"code,attr"`
		Text string `xml:",chardata"`
	} `xml:"error"`
	Identify *struct {
		Name        string   `xml:"repositoryName"`
		Base        string   `xml:"baseURL"`
		Version     string   `xml:"protocolVersion"`
		Mail        string   `xml:"adminEmail"`
		Earliest    string   `xml:"earliestDatestamp"`
		Deleted     string   `xml:"deletedRecord"`
		Granularity string   `xml:"granularity"`
		Description []string `xml:"description"`
	}
	Formats []struct {
		Prefix string `xml:"metadataPrefix"`
		Schema string `xml:"schema"`
		Space  string `xml:"metadataNamespace"`
	} `xml:"ListMetadataFormats>metadataFormat"`
	Sets []struct {
		Spec string `xml:"setSpec"`
		Name string `xml:"setName"`
	} `xml:"ListSets>set"`
	SetToken    *token   `xml:"ListSets>resumptionToken"`
	Headers     []header `xml:"ListIdentifiers>header"`
	HeaderToken *token   `xml:"ListIdentifiers>resumptionToken"`
	Records     []struct {
		Header   header    `xml:"header"`
		Metadata *metadata `xml:"metadata"`
	} `xml:"ListRecords>record"`
	RecordToken *token `xml:"ListRecords>resumptionToken"`
	Record      *struct {
		Header   header    `xml:"header"`
		Metadata *metadata `xml:"metadata"`
	} `xml:"GetRecord>record"`
}

// code is the code of the only error, "" for none.
func (r *reply) code() string {
	if len(r.Errors) == 0 {
		return ""
	}
	return r.Errors[0].Code
}

var kept []string // answers, for the schemas

// ask sends a query string by GET.
func ask(t testing.TB, s *world.Server, query string) *reply {
	t.Helper()
	return read(t, s.Anon.Get("/v2/oai?"+query).Is(200), s.URL+"/v2/oai")
}

func read(t testing.TB, r *world.Reply, base string) *reply {
	t.Helper()
	if r.Header.Get("Content-Type") != "text/xml; charset=utf-8" {
		t.Fatalf("the answer is %q", r.Header.Get("Content-Type"))
	}
	var out reply
	if err := xml.Unmarshal(r.Bytes, &out); err != nil {
		t.Fatalf("%v in\n%s", err, r.Bytes)
	}
	if _, err := time.Parse("2006-01-02T15:04:05Z", out.Response); err != nil || out.Request.Base != base {
		t.Errorf("responseDate %q, request %q in\n%s", out.Response, out.Request.Base, r.Bytes)
	}
	kept = append(kept, string(r.Bytes))
	return &out
}

// publish publishes an article and gives its identifier in OAI-PMH.
func publish(s *world.Server, body string) string {
	s.T.Helper()
	made := s.Ada.Article(body)
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	return fmt.Sprintf("oai:127.0.0.1:article/%d", world.LastNumber(s.T, made))
}

// Each verb answers as the protocol says, by GET and POST and at both addresses, and each mistake has its error.
func TestOAI(t *testing.T) {
	s := world.Start(t)
	kept = nil
	if r := ask(t, s, "verb=ListRecords&metadataPrefix=oai_dc"); r.code() != "noRecordsMatch" {
		t.Errorf("an empty repository answers %+v", r.Errors)
	}
	id := publish(s, `{"title": "Rain \u0002 & <i>snow</i> ]]>", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}], "categories": [37], "tags": ["🌊", "\u202Ertl"], "description": "<p>Hour by hour</p>"}`)
	made := s.Ada.Wrote("/v2/account/collections", `{"title": "All rain", "authors": [{"name": "Ada Lovelace"}]}`)
	s.Ada.Send("POST", made+"/publish", "").Is(201)
	i := ask(t, s, "verb=Identify").Identify
	if i == nil || i.Base != s.URL+"/v2/oai" || i.Version != "2.0" || i.Deleted != "persistent" || i.Granularity != "YYYY-MM-DDThh:mm:ssZ" || len(i.Description) != 0 ||
		!regexp.MustCompile(`^\w[\w\-.]+@[a-zA-Z0-9\-.]+\.[a-z]{2,}$`).MatchString(i.Mail) || i.Name == "" {
		t.Fatalf("Identify: %+v", i)
	}
	if at := read(t, s.Anon.Get("/oai?verb=Identify").Is(200), s.URL+"/oai").Identify; at == nil || at.Base != s.URL+"/oai" {
		t.Errorf("Identify at /oai: %+v", at)
	}
	form := []string{"Content-Type", "application/x-www-form-urlencoded"}
	post := read(t, s.Anon.Send("POST", "/v2/oai", "verb=GetRecord&metadataPrefix=oai_dc&identifier="+url.QueryEscape(id), form...).Is(200), s.URL+"/v2/oai")
	get := ask(t, s, "verb=GetRecord&metadataPrefix=oai_dc&identifier="+id)
	if post.Record == nil || get.Record == nil || post.Record.Metadata.Inner != get.Record.Metadata.Inner || len(get.Request.Attrs) != 3 {
		t.Errorf("POST gives %+v, GET %+v", post, get)
	}
	if r := read(t, s.Anon.Send("POST", "/oai", "verb=Identify", form...).Is(200), s.URL+"/oai"); r.Identify == nil {
		t.Errorf("POST /oai: %+v", r.Errors)
	}
	if r := read(t, s.Anon.Send("POST", "/v2/oai?verb=Identify", "", form...).Is(200), s.URL+"/v2/oai"); r.code() != "badVerb" {
		t.Errorf("arguments of a POST beside its body: %+v", r.Errors)
	}
	for _, sets := range []string{"category_37", "item_type_3", time.Now().UTC().Format("month_year_1_2006"), "collections"} {
		named := slices.ContainsFunc(ask(t, s, "verb=ListSets").Sets, func(x struct {
			Spec string `xml:"setSpec"`
			Name string `xml:"setName"`
		}) bool {
			return x.Spec == sets && x.Name != ""
		})
		if r := ask(t, s, "verb=ListIdentifiers&metadataPrefix=oai_dc&set="+sets); !named || len(r.Headers) == 0 || !slices.Contains(r.Headers[0].Sets, sets) {
			t.Errorf("set %s: named %v, %+v", sets, named, r.Headers)
		}
	}
	list := ask(t, s, "verb=ListMetadataFormats").Formats
	for _, f := range formats.All() {
		if f.Prefix == "" {
			continue
		}
		told := slices.ContainsFunc(list, func(x struct {
			Prefix string `xml:"metadataPrefix"`
			Schema string `xml:"schema"`
			Space  string `xml:"metadataNamespace"`
		}) bool {
			return x.Prefix == f.Prefix && x.Schema == f.Schema && x.Space == f.Space
		})
		r := ask(t, s, "verb=ListRecords&metadataPrefix="+f.Prefix)
		if !told || len(r.Records) != 2 || r.RecordToken != nil || r.Records[0].Metadata == nil || !strings.Contains(r.Records[0].Metadata.Inner, f.Space) {
			t.Errorf("%s: told %v, %+v", f.Prefix, told, r)
		}
	}
	stamp := get.Record.Header.Datestamp
	day := stamp[:10]
	for query, want := range map[string]string{
		"": "badVerb", "junk": "badVerb", "verb=junk": "badVerb", "verb=Identify&verb=Identify": "badVerb", "verb=": "badVerb", "verb=Identify&junk=1": "badArgument", "verb=Identify&identifier=" + id: "badArgument",
		"verb=GetRecord&metadataPrefix=oai_dc": "badArgument", "verb=GetRecord&identifier=" + id: "badArgument", "verb=GetRecord&identifier=" + id + "&metadataPrefix=junk": "cannotDisseminateFormat",
		`verb=GetRecord&metadataPrefix=oai_dc&identifier=invalid%22id`: "idDoesNotExist", "verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:127.0.0.1:article/999": "idDoesNotExist",
		"verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:127.0.0.1:article/+1": "idDoesNotExist", "verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:127.0.0.1:project/1": "idDoesNotExist",
		"verb=ListIdentifiers&until=junk": "badArgument", "verb=ListIdentifiers&from=junk": "badArgument", "verb=ListIdentifiers&resumptionToken=junk&until=2000-02-05": "badArgument",
		"verb=ListRecords&metadataPrefix=oai_dc&from=junk": "badArgument", "verb=ListRecords&resumptionToken=junk": "badResumptionToken", "verb=ListRecords&metadataPrefix=oai_dc&resumptionToken=junk&until=1990-01-10": "badArgument",
		"verb=ListRecords&metadataPrefix=oai_dc&until=junk": "badArgument", "verb=ListRecords": "badArgument", "verb=ListRecords&metadataPrefix=": "badArgument", "verb=ListSets&resumptionToken=junk": "badResumptionToken",
		"verb=ListRecords&metadataPrefix=oai_dc&from=2001-01-01&until=2002-01-01T00:00:00Z": "badArgument", "verb=ListRecords&metadataPrefix=oai_dc&from=2002-01-01&until=2001-01-01": "badArgument",
		"verb=ListRecords&metadataPrefix=oai_dc&until=1969-01-01": "noRecordsMatch", "verb=ListRecords&metadataPrefix=oai_dc&from=2999-01-01": "noRecordsMatch", "verb=ListRecords&metadataPrefix=oai_dc&set=junk": "noRecordsMatch",
		"verb=ListRecords&metadataPrefix=oai_dc&set=category": "noRecordsMatch", "verb=ListRecords&metadataPrefix=oai_dc&set=": "badArgument", "verb=ListRecords&metadataPrefix=oai_dc&metadataPrefix=oai_dc": "badArgument",
		"verb=ListRecords&metadataPrefix=none": "cannotDisseminateFormat", "verb=ListMetadataFormats&identifier=junk": "idDoesNotExist", "verb=ListRecords&metadataPrefix=oai_dc&from=2001-01": "badArgument",
		"verb=ListRecords&metadataPrefix=oai_dc&from=" + stamp + "&until=" + stamp: "", "verb=ListRecords&metadataPrefix=oai_dc&from=" + day + "&until=" + day: "", "verb=ListMetadataFormats&identifier=" + id: "",
	} {
		r := ask(t, s, query)
		if r.code() != want || want != "" && strings.TrimSpace(r.Errors[0].Text) == "" {
			t.Errorf("%s answers %q, want %q", query, r.code(), want)
		}
		if attrs := len(r.Request.Attrs); (want == "badVerb" || want == "badArgument") != (attrs == 0) {
			t.Errorf("%s: the request has %d attributes", query, attrs)
		}
	}
	s.Anon.Send("PUT", "/v2/oai", "").Is(405)
	schemas(t)
}

// schemas holds every answer that was kept against the schemas of the protocol and of its formats.
func schemas(t *testing.T) {
	t.Helper()
	lint, err := exec.LookPath("xmllint")
	if err != nil {
		t.Log("the answers are not held against the schemas: ", err)
		return
	}
	driver := "../../../shared/data/xsd/driver.xsd"
	if _, err := os.Stat(driver); err != nil {
		t.Log("the answers are not held against the schemas: ", err)
		return
	}
	dir, n := t.TempDir(), 0
	for i, text := range kept {
		if strings.Contains(text, "<rdf:RDF") {
			continue // there is no schema of RDF
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%05d.xml", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		n++
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.xml"))
	out, err := exec.Command(lint, append([]string{"--noout", "--nonet", "--schema", driver}, files...)...).CombinedOutput()
	if valid := strings.Count(string(out), " validates\n"); err != nil || valid != n || n == 0 {
		t.Errorf("%d of %d answers are valid: %v\n%.5000s", valid, n, err, regexp.MustCompile(`(?m)^.* validates\n`).ReplaceAllString(string(out), ""))
	}
}

// With a name for its identifiers the repository says how they look, and knows no others.
func TestOAIDomain(t *testing.T) {
	s := world.Start(t, func(c *config.Config) { c.OAIDomain = "data.example.org" })
	kept = nil
	id := strings.Replace(publish(s, `{"title": "Rain", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`), "127.0.0.1", "data.example.org", 1)
	if r := ask(t, s, "verb=GetRecord&metadataPrefix=oai_dc&identifier="+id); r.Record == nil || r.Record.Header.Identifier != id {
		t.Errorf("%s: %+v", id, r)
	}
	if i := ask(t, s, "verb=Identify").Identify; len(i.Description) != 1 {
		t.Errorf("Identify: %+v", i)
	}
	if r := ask(t, s, "verb=GetRecord&metadataPrefix=oai_dc&identifier="+strings.Replace(id, "data.", "other.", 1)); r.code() != "idDoesNotExist" {
		t.Errorf("another name: %+v", r)
	}
	schemas(t)
}

// A datestamp is that of the last change, whichever it is; a withdrawn item is a deleted record in the sets that it had,
// until it is public again; and of an item that never was public nothing is known.
func TestOAIChanges(t *testing.T) {
	s := world.Start(t)
	kept = nil
	id := publish(s, `{"title": "Rain", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}], "categories": [37]}`)
	article := "/v2/account/articles/" + id[strings.LastIndexByte(id, '/')+1:]
	record := func() header {
		t.Helper()
		r := ask(t, s, "verb=GetRecord&metadataPrefix=oai_datacite&identifier="+id)
		if r.Record == nil {
			t.Fatalf("there is no record: %+v", r.Errors)
		}
		if deleted := r.Record.Header.Status == "deleted"; deleted != (r.Record.Metadata == nil) {
			t.Errorf("a record with the status %q has %v", r.Record.Header.Status, r.Record.Metadata)
		}
		return r.Record.Header
	}
	before := record()
	later := func() { time.Sleep(1100 * time.Millisecond) } // datestamps are of whole seconds
	later()
	s.Ada.Send("PATCH", article, `{"title": "Rain and snow"}`).Is(205)
	if now := record(); now.Datestamp != before.Datestamp {
		t.Error("a draft changes the datestamp")
	}
	s.Ada.Send("POST", article+"/publish", "").Is(201)
	after := record()
	if after.Datestamp <= before.Datestamp {
		t.Errorf("a new version has the datestamp %s, the one before %s", after.Datestamp, before.Datestamp)
	}
	later()
	s.Ada.Send("POST", article+"/unpublish", `{"reason": "It was wrong"}`).Is(204)
	gone := record()
	if gone.Status != "deleted" || gone.Datestamp <= after.Datestamp || !slices.Equal(gone.Sets, after.Sets) || len(gone.Sets) != 3 {
		t.Errorf("a withdrawn item is %+v, was %+v", gone, after)
	}
	for _, f := range []string{"oai_dc", "datacite", "dcat"} {
		for _, set := range append(gone.Sets, "") {
			query := "verb=ListRecords&metadataPrefix=" + f + "&from=" + gone.Datestamp
			if set != "" {
				query += "&set=" + set
			}
			if r := ask(t, s, query); len(r.Records) != 1 || r.Records[0].Header.Status != "deleted" || r.Records[0].Metadata != nil {
				t.Errorf("%s: %+v", query, r)
			}
		}
	}
	later()
	s.Ada.Send("POST", article+"/publish", "").Is(201)
	if again := record(); again.Status != "" || again.Datestamp <= gone.Datestamp {
		t.Errorf("published again: %+v", again)
	}
	if r := ask(t, s, "verb=ListIdentifiers&metadataPrefix=oai_dc"); len(r.Headers) != 1 {
		t.Errorf("published again it is listed as %+v", r.Headers)
	}
	draft := world.LastNumber(t, s.Ada.Article(`{"title": "A draft"}`))
	whole := s.Ada.Article(`{"title": "Later", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	s.Ada.Embargo(whole, "article", "2999-01-01")
	s.Ada.Send("POST", whole+"/publish", "")
	for _, n := range []int64{draft, world.LastNumber(t, whole), 4711} {
		if r := ask(t, s, fmt.Sprintf("verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:127.0.0.1:article/%d", n)); r.code() != "idDoesNotExist" {
			t.Errorf("article %d: %+v", n, r)
		}
	}
	schemas(t)
}

// A list is read page by page, while records change: each is met, the last time as it is then.
func TestOAIPages(t *testing.T) {
	s := world.Start(t)
	kept = nil
	const total = 260
	for n := range total {
		publish(s, fmt.Sprintf(`{"title": "Item %03d", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`, n))
	}
	seen, pages := map[string]header{}, 0
	query := "verb=ListRecords&metadataPrefix=oai_dc"
	cursor := 0
	for {
		r := ask(t, s, query)
		if again := ask(t, s, query); len(again.Records) != len(r.Records) || len(r.Records) == 0 || again.Records[0].Header.Identifier != r.Records[0].Header.Identifier {
			t.Fatalf("the same token gives %d and %d records: %+v", len(r.Records), len(again.Records), r.Errors)
		}
		for _, x := range r.Records {
			if before, met := seen[x.Header.Identifier]; met && before.Datestamp == x.Header.Datestamp && before.Status == x.Header.Status {
				t.Errorf("%s comes again and has not changed", x.Header.Identifier)
			}
			seen[x.Header.Identifier] = x.Header
		}
		if pages++; pages == 1 {
			if r.RecordToken == nil || r.RecordToken.Text == "" || r.RecordToken.Cursor != "0" || r.RecordToken.Expires == "" {
				t.Fatalf("the first page ends with %+v", r.RecordToken)
			}
			for _, wrong := range []string{"verb=ListIdentifiers&resumptionToken=", "verb=ListSets&resumptionToken="} {
				if other := ask(t, s, wrong+r.RecordToken.Text); other.code() != "badResumptionToken" {
					t.Errorf("%s: %q", wrong, other.code())
				}
			}
			// One that was met changes, and one that was not is withdrawn.
			later := r.Records[0].Header.Identifier
			s.Ada.Send("POST", "/v2/account/articles/"+later[strings.LastIndexByte(later, '/')+1:]+"/publish", "").Is(201)
			s.Ada.Send("POST", "/v2/account/articles/250/unpublish", `{"reason": "It was wrong"}`).Is(204)
		}
		if r.RecordToken == nil {
			t.Fatal("a page after the first has no token")
		}
		if got := fmt.Sprint(cursor); r.RecordToken.Cursor != got {
			t.Errorf("page %d has the cursor %s, want %s", pages, r.RecordToken.Cursor, got)
		}
		cursor += len(r.Records)
		if r.RecordToken.Text == "" {
			break
		}
		query = "verb=ListRecords&resumptionToken=" + r.RecordToken.Text
	}
	if len(seen) != total || pages != 3 {
		t.Errorf("%d records on %d pages, want %d", len(seen), pages, total)
	}
	if seen["oai:127.0.0.1:article/250"].Status != "deleted" {
		t.Errorf("the withdrawn one is %+v", seen["oai:127.0.0.1:article/250"])
	}
	schemas(t)
}
