package load

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// fields are the custom fields of a version.
func fields(doc map[string]any) map[string]string {
	out := map[string]string{}
	for _, f := range doc["custom_fields"].([]any) {
		f := f.(map[string]any)
		out[f["name"].(string)] = fmt.Sprint(f["value"])
	}
	return out
}

// holds are the files of a version: folder and name, and the bytes as a reader gets them.
func holds(s *world.Server, version string) map[string]string {
	out := map[string]string{}
	doc := s.Anon.Get(version).Is(200).Object()
	folders, _ := doc["folder_structure"].(map[string]any)
	for _, f := range s.Anon.Get(version + "/files").Is(200).List() {
		name := f["name"].(string)
		if folder, ok := folders[fmt.Sprintf("%.0f", f["id"].(float64))]; ok {
			name = folder.(string) + "/" + name
		}
		out[name] = string(s.Anon.Get(f["download_url"].(string)).Is(200).Bytes)
	}
	return out
}

func expect(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// A record of InvenioRDM comes with all its versions, by any address, and again only what is new.
func TestPullInvenio(t *testing.T) {
	t.Parallel()
	d, to := startInvenio(t), second(t)
	said, err := pulls(to, d.URL+"/records/101")
	if err != nil || !strings.Contains(said, "1 loaded, 1 of them published, 0 refused") || !strings.Contains(said, "\n22 bytes of files were") {
		t.Fatal(err, said)
	}
	list := to.Anon.Get("/v2/articles?doi=10.5281/zenodo.102").Is(200).List()
	if len(list) != 1 {
		t.Fatalf("%v", list)
	}
	at := fmt.Sprintf("/v2/articles/%.0f", list[0]["id"].(float64))
	first, latest := to.Anon.Get(at+"/versions/1").Is(200).Object(), to.Anon.Get(at).Is(200).Object()
	expect(t, "title", first["title"], "Kettles")
	expect(t, "title", latest["title"], "Kettles, again")
	expect(t, "DOI", first["doi"], "10.5281/zenodo.101")
	expect(t, "DOI", latest["doi"], "10.5281/zenodo.102")
	expect(t, "date", first["published_date"], "2021-03-04T05:06:07Z")
	expect(t, "type", first["defined_type_name"], "figure")
	expect(t, "licence", first["license"].(map[string]any)["name"], "CC0")
	expect(t, "tags", first["tags"], "[kettle Water]")
	expect(t, "description", first["description"], "<p>Read off a <b>thermometer</b>.</p><p><b>Methods</b></p><p>With a spoon.</p>")
	expect(t, "publication", first["timeline"].(map[string]any)["publisherPublication"], "2020-06-01")
	author := first["authors"].([]any)[0].(map[string]any)
	expect(t, "author", fmt.Sprintf("%v %v %v", author["full_name"], author["orcid_id"], first["authors"].([]any)[1].(map[string]any)["full_name"]), "Thomas Collins 0000-0002-1825-0097 The Kettle Group")
	expect(t, "affiliations", author["affiliations"], "[map[name:CERN ror_id:https://ror.org/01ggx4157]]")
	expect(t, "kinds", fmt.Sprint(author["kind"], " ", first["authors"].([]any)[1].(map[string]any)["kind"]), "person organisation")
	related := first["related_materials"].([]any)
	expect(t, "related", fmt.Sprintf("%v %v %d", related[0].(map[string]any)["identifier"], related[0].(map[string]any)["relation"], len(related)), "10.1234/paper IsSupplementTo 2")
	expect(t, "funding", first["funding_list"].([]any)[0].(map[string]any)["title"], "European Commission: Warm water (123)")
	expect(t, "custom fields", fields(latest), map[string]string{"Contributors": "Troy Brown (Editor)", "Publisher": "Zenodo", "Version": "v1.1.0"})
	expect(t, "files", holds(to, at+"/versions/1"), map[string]string{"a.csv": "minute,celsius\n", "raw/b c.txt": "raw"})
	expect(t, "files", holds(to, at+"/versions/2"), map[string]string{"a.csv": "minute,celsius\n", "c.txt": "more"})
	if oai := string(to.Anon.Get("/v2/oai?verb=ListIdentifiers&metadataPrefix=oai_dc").Is(200).Bytes); strings.Count(oai, "<header") != 1 {
		t.Error("an item of another repository is harvested here")
	}

	// Again by the DOI of all versions, and by other addresses.
	d.had("")
	for _, args := range [][]string{{"--server", d.URL, "10.5281/zenodo.100"}, {d.URL + "/api/records/102"}, {d.URL + "/records/100"}, {d.URL + "/doi/10.5281/zenodo.100"}} {
		if said, err := pulls(to, args...); err != nil || !strings.Contains(said, "0 loaded, 0 of them published, 0 refused, 1 loaded before") || !strings.Contains(said, "\n0 bytes") {
			t.Error(args, err, said)
		}
	}
	if n := d.had("/content"); n != 0 {
		t.Errorf("files were asked for %d times", n)
	}
	d.add(rdmVersion{"103", "Kettles, third", "2023-03-04T05:06:07+00:00", "", "", map[string]string{"a.csv": "minute,celsius\n", "d.txt": "new!!"}})
	if said, err := pulls(to, d.URL+"/records/101"); err != nil || !strings.Contains(said, "1 loaded") || !strings.Contains(said, "\n5 bytes") {
		t.Error(err, said)
	}
	expect(t, "files", holds(to, at+"/versions/3"), map[string]string{"a.csv": "minute,celsius\n", "d.txt": "new!!"})
	to.Enter()
	if err := agrees(to, to.Ada.ID()); err != nil {
		t.Error(err)
	}
}

// Thirty versions come in pages; what is not public is named, and taken only when that is accepted.
func TestPullInvenioParts(t *testing.T) {
	t.Parallel()
	d, to := startInvenio(t), second(t)
	d.change(func() { d.versions = nil })
	for i := range 30 {
		d.add(rdmVersion{fmt.Sprint(200 + i), fmt.Sprintf("Version %d", i+1), fmt.Sprintf("2020-01-%02dT00:00:00Z", i+1), "", "", nil})
	}
	d.change(func() {
		d.versions[29].access = `{"record": "public", "files": "restricted", "embargo": {"active": true, "until": "2120-01-01", "reason": "Not yet"}}`
	})
	if said, err := pulls(to, d.URL+"/records/200"); err == nil || !strings.Contains(said, "the files of version 30 are left out") {
		t.Error(err, said)
	}
	if said, err := pulls(to, "--accept-warnings", d.URL+"/records/200"); err != nil {
		t.Fatal(err, said)
	}
	doc := to.Anon.Get("/v2/articles/2").Is(200).Object()
	expect(t, "version", doc["version"], 30)
	expect(t, "embargo", fmt.Sprintf("%v %v %v", doc["is_embargoed"], doc["embargo_date"], doc["embargo_reason"]), "true 2120-01-01T00:00:00 Not yet")
	expect(t, "title", to.Anon.Get("/v2/articles/2/versions/7").Object()["title"], "Version 7")
}

// A dataset of Dataverse comes with its released versions and the files as they were deposited.
func TestPullDataverse(t *testing.T) {
	t.Parallel()
	d, to := startDataverse(t), second(t)
	page := d.URL + "/dataset.xhtml?persistentId=" + dvName
	said, err := pulls(to, page)
	if err != nil || !strings.Contains(said, "1 loaded, 1 of them published, 0 refused") || !strings.Contains(said, "\n20 bytes of files were") {
		t.Fatal(err, said)
	}
	list := to.Anon.Get("/v2/articles?doi=10.7910/DVN/KETTLE").Is(200).List()
	if len(list) != 1 {
		t.Fatalf("%v", list)
	}
	at := fmt.Sprintf("/v2/articles/%.0f", list[0]["id"].(float64))
	first, latest := to.Anon.Get(at+"/versions/1").Is(200).Object(), to.Anon.Get(at).Is(200).Object()
	expect(t, "titles", fmt.Sprint(first["title"], "; ", latest["title"]), "Kettle data; Kettle data, corrected")
	expect(t, "DOI", latest["doi"], "10.7910/DVN/KETTLE")
	expect(t, "dates", fmt.Sprint(first["published_date"], latest["published_date"]), "2019-02-01T00:00:00Z2020-02-01T00:00:00Z")
	expect(t, "licence", latest["license"].(map[string]any)["name"], "CC BY 4.0")
	expect(t, "tags", latest["tags"], "[Physics kettle]")
	expect(t, "description", latest["description"], "Temperatures of a kettle")
	author := latest["authors"].([]any)[0].(map[string]any)
	expect(t, "author", fmt.Sprint(author["full_name"], author["last_name"], author["orcid_id"]), "Mary ExampleExample0000-0002-1825-0097")
	expect(t, "affiliations", author["affiliations"], "[map[name:An Institute ror_id:<nil>]]")
	related := latest["related_materials"].([]any)[0].(map[string]any)
	expect(t, "related", fmt.Sprint(related["identifier"], related["relation"], related["title"]), "10.1234/paperIsSupplementToExample 2018")
	expect(t, "funding", latest["funding_list"].([]any)[0].(map[string]any)["title"], "NSF: 77")
	expect(t, "custom fields", fields(latest), map[string]string{"Version": "1.1", "language": "[English Latvian]", "geographicUnit": "Kitchen"})
	expect(t, "files", holds(to, at+"/versions/1"), map[string]string{"data/table.csv": "a,b\n1,2\n", "README.txt": "read me"})
	expect(t, "files", holds(to, at+"/versions/2"), map[string]string{"data/table.csv": "a,b\n1,2\n", "README.txt": "read me", "later.txt": "later"})
	for _, args := range [][]string{{page}, {"--server", d.URL, "10.7910/DVN/KETTLE"}, {d.URL + "/api/datasets/:persistentId/?persistentId=" + dvName}} {
		if said, err := pulls(to, args...); err != nil || !strings.Contains(said, "1 loaded before") || !strings.Contains(said, "\n0 bytes") {
			t.Error(args, err, said)
		}
	}
	to.Enter()
	if err := agrees(to, to.Ada.ID()); err != nil {
		t.Error(err)
	}
}

// A DOI alone is led to its server by a resolver, which cannot lead inside.
func TestPullResolver(t *testing.T) {
	t.Parallel()
	d, to := startInvenio(t), second(t)
	guide := startDouble(t)
	leads := func(to string) {
		guide.set("/10.5281/zenodo.100", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) })
	}
	guide.answer = http.NotFound
	guide.set("/on", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, d.URL+"/doi/10.5281/zenodo.100", http.StatusFound)
	})
	for _, c := range [][2]string{{"http://10.0.0.1/records/100", "is a private address"}, {"http://169.254.169.254/records/100", "is a link-local address"}, {"/10.5281/zenodo.100", "which is no page of a repository"}, {"file:///etc/passwd", "no address of http"}} {
		leads(c[0])
		if said, err := pulls(to, "--resolver", guide.URL, "10.5281/zenodo.100"); err == nil || !strings.Contains(said, c[1]) {
			t.Errorf("%s: %v %s", c[0], err, said)
		}
	}
	leads("/on")
	if said, err := pulls(to, "--resolver", guide.URL, "10.5281/zenodo.100"); err != nil || !strings.Contains(said, "1 loaded") {
		t.Error(err, said)
	}
}

// The readers of the other systems refuse what lies or means harm, too.
func TestPullSystemsHostile(t *testing.T) {
	t.Parallel()
	r, d, to := startInvenio(t), startDataverse(t), second(t)
	to.Stop()
	leads := func(to string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
	}
	const record, versions, files, file = "/api/records/101", "/api/records/101/versions", "/api/records/101/files", "/api/records/101/files/a.csv/content"
	const dvVersions, dvFiles, dvFile = "/api/datasets/:persistentId/versions", "/api/datasets/:persistentId/versions/1.0/files", "/api/access/datafile/12"
	own := func(change ...string) func(http.ResponseWriter, *http.Request) {
		return says(strings.NewReplacer(change...).Replace(r.record(r.versions[0], 1)))
	}
	hits := func(ids ...string) func(http.ResponseWriter, *http.Request) {
		var list []string
		for _, id := range ids {
			list = append(list, fmt.Sprintf(`{"id": %q}`, id))
		}
		return says(`{"hits": {"hits": [` + strings.Join(list, ",") + `]}}`)
	}
	entry := func(key, sum string, size int) string {
		return fmt.Sprintf(`{"key": %q, "checksum": %q, "size": %d}`, key, sum, size)
	}
	endless := func(w http.ResponseWriter, _ *http.Request) {
		piece := []byte(strings.Repeat("x", 64<<10))
		for {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	}
	pages := 0
	for _, c := range []struct {
		name, path, why string
		answer          func(http.ResponseWriter, *http.Request)
	}{
		{"a loop", record, "redirects more than 5 times", leads(record)},
		{"a way inside", record, "is a private address", leads("http://10.0.0.1/api/records/1")},
		{"a file inside", file, "is a link-local address", leads("http://169.254.169.254/latest")},
		{"endless", record, "longer than 16 MiB", endless},
		{"an endless file", file, "more than the 15 bytes", endless},
		{"no JSON", record, "not the JSON", says("<html>")},
		{"no parent", record, "says of no item", own(`"id": "100"`, `"id": ""`)},
		{"a way out of a folder", record, "says of no item", own(`"id": "100"`, `"id": "../../x"`)},
		{"another record", record, "answers with", own(`"id": "101"`, `"id": "102"`)},
		{"a version twice", versions, "listed twice", hits("101", "101")},
		{"a version that is a path", versions, "is none", hits("../../account")},
		{"a version of another item", versions, "of the item", hits("101", "900")},
		{"versions without end", versions, "more than 1000 versions", func(w http.ResponseWriter, r *http.Request) {
			var ids []string
			for range 25 {
				pages++
				ids = append(ids, fmt.Sprint(10_000+pages))
			}
			hits(ids...)(w, r)
		}},
		{"no version", versions, "no public version", hits()},
		{"a file twice", files, "listed twice", says(`{"entries": [` + entry("a", "md5:"+md5Of(""), 0) + "," + entry("a", "md5:"+md5Of(""), 0) + `]}`)},
		{"no checksum", files, "checksum", says(`{"entries": [` + entry("a", "crc:123", 3) + `]}`)},
		{"a size below", files, "size of -1 bytes", says(`{"entries": [` + entry("a", "md5:"+md5Of(""), -1) + `]}`)},
		{"a name that leads out", files, "folder_path", says(`{"entries": [` + entry("../../etc/passwd", "md5:"+md5Of(""), 0) + `]}`)},
		{"other bytes", file, "another MD5", says("minute,fahrenht")},
		{"of Dataverse: a way inside", dvVersions, "is a private address", leads("http://192.168.1.1/x")},
		{"of Dataverse: endless", dvVersions, "longer than 16 MiB", endless},
		{"of Dataverse: another dataset", dvVersions, "has one of", says(`{"data": [` + strings.ReplaceAll(d.versions[0], "KETTLE", "OTHER") + `]}`)},
		{"of Dataverse: a version twice", dvVersions, "listed twice", says(`{"data": [` + d.versions[0] + "," + d.versions[0] + `]}`)},
		{"of Dataverse: drafts alone", dvVersions, "no public version", says(`{"data": [` + strings.ReplaceAll(d.versions[0], "RELEASED", "DRAFT") + `]}`)},
		{"of Dataverse: no object", dvVersions, "not the JSON", says(`{"data": "x"}`)},
		{"of Dataverse: a file twice", dvFiles, "listed twice", says(`{"data": [` + d.files["1.0"] + "," + d.files["1.0"] + `]}`)},
		{"of Dataverse: other bytes", dvFile, "another MD5", says("read it")},
		{"of Dataverse: a longer file", dvFile, "8 bytes, and 7 were announced", says("read me!")},
	} {
		other := r.versions
		if c.name == "a version of another item" {
			r.set("/api/records/900", own(`"id": "101"`, `"id": "900"`, `"id": "100"`, `"id": "800"`))
		}
		of, at := r.double, r.URL+"/records/101"
		if strings.HasPrefix(c.name, "of Dataverse") {
			of, at = d.double, d.URL+"/dataset.xhtml?persistentId="+dvName
		}
		paths := []string{c.path}
		if c.path == file { // which both versions have
			paths = append(paths, strings.Replace(file, "101", "102", 1))
		}
		for _, path := range paths {
			of.set(path, c.answer)
		}
		b, err := pullCommand(to, "--silence", "10s", at).CombinedOutput()
		if err == nil || !strings.Contains(string(b), c.why) || !strings.Contains(string(b), "0 loaded, 0 of them published, 1 refused") {
			t.Errorf("%s: %v %s", c.name, err, b)
		}
		for _, path := range paths {
			of.set(path, nil)
		}
		r.versions = other
	}
	to.Boot()
	if n := len(to.Ada.Get("/v2/account/articles").Is(200).List()); n != 1 {
		t.Errorf("%d articles", n)
	}
}

// A download that breaks off goes on where it was, in the same run and in the next one after kill -9.
func TestPullRange(t *testing.T) {
	t.Parallel()
	r, to := startInvenio(t), second(t)
	big := string(disk.Random(20<<20, 7))
	r.versions = r.versions[:1]
	r.versions[0].files = map[string]string{"big.bin": big}
	const file = "/api/records/101/files/big.bin/content"
	var from []string
	reached := make(chan struct{})
	serve := func(w http.ResponseWriter, req *http.Request, end int) {
		at := 0
		fmt.Sscanf(req.Header.Get("Range"), "bytes=%d-", &at)
		from = append(from, req.Header.Get("Range")+" "+req.Header.Get("If-Range"))
		w.Header().Set("ETag", `"one"`)
		w.Header().Set("Content-Length", fmt.Sprint(len(big)-at))
		if at > 0 {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", at, len(big)-1, len(big)))
			w.WriteHeader(http.StatusPartialContent)
		}
		w.Write([]byte(big[at:min(end, len(big))]))
		w.(http.Flusher).Flush()
	}
	requests := 0
	r.set(file, func(w http.ResponseWriter, req *http.Request) {
		switch requests++; requests {
		case 1: // the connection breaks off
			serve(w, req, 10<<20)
			panic(http.ErrAbortHandler)
		case 2: // and later stands still
			serve(w, req, 15<<20)
			close(reached)
			<-req.Context().Done()
		default:
			serve(w, req, len(big))
		}
	})
	to.Stop()
	cmd := pullCommand(to, r.URL+"/records/101")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-reached
	kept := func() int64 { return sizeOf(to, "pull.part") }
	to.Eventually("what arrived is kept", func() bool { return kept() > 14<<20 })
	cmd.Process.Kill()
	cmd.Wait()
	had := kept()
	b, err := pullCommand(to, r.URL+"/records/101").CombinedOutput()
	if err != nil || !strings.Contains(string(b), "1 loaded, 1 of them published") {
		t.Fatal(err, string(b))
	}
	at := 0
	if len(from) != 3 || from[0] != " " || from[1] != fmt.Sprintf(`bytes=%d- "one"`, 10<<20) {
		t.Fatal(from)
	}
	if fmt.Sscanf(from[2], "bytes=%d-", &at); at < 14<<20 || int64(at) > had {
		t.Errorf("the next run began with %q, and %d bytes were kept", from[2], had)
	}
	if !strings.Contains(string(b), fmt.Sprintf("\n%d bytes of files were transferred", len(big)-at)) {
		t.Errorf("%s", b)
	}
	if sizeOf(to, "pull.part") >= 0 {
		t.Error("the part is still there")
	}
	to.Boot()
	if got := holds(to, "/v2/articles/2/versions/1"); got["big.bin"] != big {
		t.Error("other bytes")
	}

	// A part that is of no use does no harm.
	to.Stop()
	name := fmt.Sprintf("%s big2.bin/%s/%d\n", r.URL, md5Of(big[1:]), len(big)-1)
	disk.WriteFile(t, to.Cfg.Data+"/pull.part", append([]byte(name), make([]byte, 9<<20)...))
	r.versions = append(r.versions, rdmVersion{"102", "Again", "2022-01-01T00:00:00Z", "", "", map[string]string{"big2.bin": big[1:]}})
	from, big = nil, big[1:]
	r.set(file, nil)
	r.set("/api/records/102/files/big2.bin/content", func(w http.ResponseWriter, req *http.Request) { serve(w, req, len(big)) })
	if b, err := pullCommand(to, r.URL+"/records/101").CombinedOutput(); err == nil || !strings.Contains(string(b), "another MD5") {
		t.Error(err, string(b))
	}
	if b, err := pullCommand(to, r.URL+"/records/101").CombinedOutput(); err != nil || !slices.Equal(from, []string{fmt.Sprintf("bytes=%d- ", 9<<20), " "}) {
		t.Error(err, string(b), from)
	}
	to.Boot()
}
