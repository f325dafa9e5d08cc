package people

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"mime/multipart"
	"net/url"
	"slices"
	"strings"
	"testing"

	"alcove/record"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// several are drafts of a person, with their ids.
func several(t *testing.T, b *world.Browser, n int) (ids []string) {
	t.Helper()
	for i := range n {
		ids = append(ids, fmt.Sprint(world.LastNumber(t, strings.TrimSuffix(madeItem(t, b, fmt.Sprintf("Station %d", i)), "/edit"))))
	}
	return ids
}

// shownForm are the fields of the form of a page that shows what changes.
func shownForm(t *testing.T, r *world.Reply, pairs ...string) url.Values {
	t.Helper()
	page := bytes.Replace(r.Bytes, []byte(`<form method="post"`), []byte(`<form id="shown" method="post"`), 1)
	f := formFields(t, page, "shown")
	for i := 0; i < len(pairs); i += 2 {
		f.Set(pairs[i], pairs[i+1])
	}
	return f
}

// Several items are chosen in the list, get a licence, keywords, a category, a grant, an embargo and a place in a
// collection at once, after a page has shown what changes; one of them that was changed meanwhile is left alone.
func TestBulk(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	me, b := s.Depositor("Lovelace")
	ids := several(t, b, 4)
	me.Send("PATCH", "/v2/account/articles/"+ids[0], `{"tags": ["old", "kept"], "categories": [38]}`).Is(205)
	col := b.Post("/account/collections", form("title", "Weather of the north")).Is(303).Header.Get("Location")
	set := fmt.Sprint(world.LastNumber(t, strings.TrimSuffix(col, "/edit")))
	shows(t, b.Open("/account/items").Is(200), `name="item" value="`+ids[3]+`"`, `action="/account/bulk"`, "Choose all of this page")
	hides(t, b.Open("/account/items"), " checked>")
	shows(t, b.Open("/account/items?all=1").Is(200), `value="`+ids[3]+`" checked>`)
	query := "/account/bulk?item=" + strings.Join(ids[:3], "&item=")
	shows(t, b.Open(query).Is(200), "3 items", "stays as it is", "Weather of the north")
	f := fieldsOf(t, b.Open(query))
	f.Set("do", "find")
	f.Set("sought", "ecology")
	r := b.Post("/account/bulk", f).Is(200)
	shows(t, r, "Ecology")
	f = fieldsOf(t, r)
	for name, value := range map[string]string{"do": "preview", "license": "2", "tags": "rain\r\nsnow", "without": "OLD", "grants": "NSF 123", "funding": "A fund", "categories": "37", "embargo": "file", "until": "2099-01-02", "collection": set} {
		f.Set(name, value)
	}
	before := string(me.Get("/v2/account/articles/" + ids[0]).Bytes)
	r = b.Post("/account/bulk", f).Is(200)
	shows(t, r, "Nothing is changed yet", "Keywords: old; kept → kept; rain; snow", "CC0", "Comes into the collection Weather of the north", "Change 3 items", "The files (2 January 2099)")
	if now := string(me.Get("/v2/account/articles/" + ids[0]).Bytes); now != before {
		t.Errorf("looking at it has changed it: %s", now)
	}
	me.Send("PATCH", "/v2/account/articles/"+ids[1], `{"title": "Changed meanwhile"}`).Is(205)
	r = b.Post("/account/bulk", shownForm(t, r)).Is(200)
	shows(t, r, "2 items were changed", "1 line is not changed", "It was changed meanwhile")
	for i, id := range ids {
		doc := me.Get("/v2/account/articles/" + id).Object()
		if i == 1 || i == 3 {
			if fmt.Sprint(doc["tags"]) != "[]" || doc["is_embargoed"] != false {
				t.Errorf("item %d was changed: %v", i, doc)
			}
			continue
		}
		want := map[int]string{0: "[kept rain snow]", 2: "[rain snow]"}[i]
		if fmt.Sprint(doc["tags"]) != want || doc["license"].(map[string]any)["value"] != 2.0 || doc["embargo_type"] != "file" || doc["funding"] != "A fund" || !strings.Contains(fmt.Sprint(doc["funding_list"]), "NSF 123") || len(doc["categories"].([]any)) != 2-i/2 {
			t.Errorf("item %d is %v", i, doc)
		}
	}
	if n := len(me.Get("/v2/account/collections/" + set + "/articles").List()); n != 2 {
		t.Errorf("the collection has %d items", n)
	}
	f.Set("item", ids[0])
	f.Set("do", "preview")
	shows(t, b.Post("/account/bulk", f).Is(200), "Nothing changes")
}

// A refusal of the API is said of its item, which is not changed at all; items of others do not exist.
func TestBulkRefused(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	me, b := s.Depositor("Lovelace")
	_, other := s.Depositor("Byron")
	foreign := several(t, other, 1)[0]
	ids := several(t, b, 2)
	good := form("do", "preview", "tags", "rain", "embargo", "file", "until", "2001-01-01")
	good["item"] = append(ids, foreign, "x", "-1")
	r := b.Post("/account/bulk", good).Is(200)
	shows(t, r, "3 lines are not changed", "What is held back: An embargo needs a day in the future", "Nothing changes")
	hides(t, r, "Station 0</a></th><td><p><strong>Changed")
	shows(t, b.Post("/account/bulk", good, "Accept-Language", "de").Is(200), "Die Sperrfrist braucht einen Tag in der Zukunft.", "Diesen Eintrag gibt es nicht")
	good.Set("do", "apply")
	shows(t, b.Post("/account/bulk", good).Is(422), "Look at what changes first")
	good.Set("tags", "x=1")
	shows(t, b.Post("/account/bulk", good).Is(422), "Look at what changes first")
	good.Set("do", "preview")
	for name, value := range map[string]string{"license": "999", "group": "999", "categories": "999999"} {
		f := form("do", "preview", "item", ids[0], name, value)
		shows(t, b.Post("/account/bulk", f).Is(200), "1 line is not changed")
	}
	b.Post("/account/bulk", form("do", "preview", "item", ids[0], "collection", "999")).Is(422)
	shows(t, b.Post("/account/bulk", form("do", "preview")).Is(422), "Choose items")
	shows(t, b.Open("/account/bulk?item="+foreign).Is(200), "Choose items")
	many := form("do", "preview")
	for n := range 250 {
		many.Add("item", fmt.Sprint(n+1))
	}
	shows(t, b.Post("/account/bulk", many).Is(422), "At most 200")
	shows(t, b.Post("/account/bulk", form("do", "preview", "item", ids[0], "tags", strings.Repeat("a\r\n", 201))).Is(422), "At most 200 keywords")
	b.Post("/account/bulk", good, "Sec-Fetch-Site", "cross-site").Is(403)
	s.Browser().Post("/account/bulk", good).Is(303)
	for _, id := range ids {
		if doc := me.Get("/v2/account/articles/" + id).Object(); fmt.Sprint(doc["tags"]) != "[]" {
			t.Errorf("%s was changed: %v", id, doc)
		}
	}
}

// sendTable sends a table by its form, or the fields of the page that shows what it changes.
func sendTable(t *testing.T, b *world.Browser, fields url.Values, table string, headers ...string) *world.Reply {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	if fields == nil {
		part, err := w.CreateFormFile("file", "items.csv")
		if err != nil {
			t.Fatal(err)
		}
		part.Write([]byte(table))
	}
	for name, values := range fields {
		for _, value := range values {
			w.WriteField(name, value)
		}
	}
	w.Close()
	if !strings.Contains(strings.Join(headers, ""), "Sec-Fetch-Site") {
		headers = append(headers, "Sec-Fetch-Site", "same-origin")
	}
	return b.Do("POST", "/account/items/import", &body, b.Sent(append([]string{"Content-Type", w.FormDataContentType()}, headers...)...)...)
}

// tableOf is a table as lines of cells.
func tableOf(t *testing.T, text string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func written(rows [][]string, comma rune) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Comma = comma
	w.WriteAll(rows)
	return b.String()
}

// The table of all items comes back as it went out and changes nothing, whatever it says; cells that were changed
// elsewhere change their items once that is confirmed, and what could be a formula is none.
func TestTable(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	me, b := s.Depositor("Lovelace")
	ids := several(t, b, 3)
	at := "/v2/account/articles/"
	me.Send("PATCH", at+ids[0], `{"title": "=HYPERLINK(\"x\")", "description": "One\r\ntwo, \"three\"; <b>four</b>", "tags": ["a|b", "c\\d", "@e"], "categories": [37, 38], "funding_list": [{"title": "+1"}],
		"authors": [{"name": "Ada Lovelace", "orcid_id": "0000-0002-1825-0097"}, {"name": "Grace Hopper"}], "funding": "'=1"}`).Is(205)
	me.Send("POST", at+ids[0]+"/resource", `{"doi": "10.1234/x", "title": "A paper"}`).Is(205)
	shows(t, b.Open("/account/items/import").Is(200), `type="file"`)
	r := b.Open("/account/items/table").Is(200)
	if got := r.Header.Get("Content-Type") + r.Header.Get("Content-Disposition"); !strings.Contains(got, "text/csv") || !strings.Contains(got, "items.csv") {
		t.Errorf("it is %s", got)
	}
	rows := tableOf(t, string(r.Bytes))
	if len(rows) != 4 || rows[0][0] != "id" || rows[1][1] != `'=HYPERLINK("x")` || rows[1][6] != `a\|b | c\\d | @e` || rows[1][7] != "'+1" || rows[1][8] != "''=1" || rows[1][10] != "Ada Lovelace (0000-0002-1825-0097) | Grace Hopper" {
		t.Fatalf("the table is %q", rows)
	}
	before := ""
	for _, id := range ids {
		before += string(me.Get(at + id).Bytes)
	}
	for _, table := range []string{string(r.Bytes), written(rows, ','), written(rows, ';'), strings.ReplaceAll(string(r.Bytes), "\r\n", "\n")} {
		shows(t, sendTable(t, b, nil, table).Is(200), "Nothing changes", "No change")
	}
	if rows := tableOf(t, string(b.Open("/account/items/table?item="+ids[1]).Is(200).Bytes)); len(rows) != 2 || rows[1][0] != ids[1] {
		t.Errorf("of one item it is %q", rows)
	}

	rows[1][1], rows[1][6], rows[1][10] = "'-5 degrees", "c | d", "Grace Hopper | Ada Lovelace (0000-0002-1825-0097) | New Person"
	rows[2][4], rows[2][5], rows[2][7] = "CC0", "Ecology not elsewhere classified", "DFG 7"
	rows[3][1] = "x"
	shown := sendTable(t, b, nil, written(rows, ',')).Is(200)
	shows(t, shown, "Change 2 items", "-5 degrees", "Title: A title has at least 3 characters", "1 line is not changed", "Line 4")
	after := ""
	for _, id := range ids {
		after += string(me.Get(at + id).Bytes)
	}
	if after != before {
		t.Errorf("showing it has changed something:\n%s\n%s", before, after)
	}
	shows(t, sendTable(t, b, shownForm(t, shown), "").Is(200), "2 items were changed")
	doc := me.Get(at + ids[0]).Object()
	if doc["title"] != "-5 degrees" || fmt.Sprint(doc["tags"]) != "[c d]" || len(doc["authors"].([]any)) != 3 || doc["authors"].([]any)[0].(map[string]any)["full_name"] != "Grace Hopper" || doc["funding"] != "'=1" {
		t.Errorf("it is %v", doc)
	}
	doc = me.Get(at + ids[1]).Object()
	if doc["license"].(map[string]any)["name"] != "CC0" || len(doc["categories"].([]any)) != 1 {
		t.Errorf("it is %v", doc)
	}
	if title := me.Get(at + ids[2]).Object()["title"]; title != "Station 2" {
		t.Errorf("what was refused is %q", title)
	}
	// The table of before is out of date now, unless it does not say of when it is.
	shows(t, sendTable(t, b, nil, string(r.Bytes)).Is(200), "changed after this table was taken out")
	shows(t, sendTable(t, b, nil, "id;title\n"+ids[1]+";Another title\n").Is(200), "Change 1 item", "Station 1 → Another title")
}

// A table that cannot be read changes nothing and is told why, by its line; so is each line.
func TestTableRefused(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	me, b := s.Depositor("Lovelace")
	_, other := s.Depositor("Byron")
	foreign, id := several(t, other, 1)[0], several(t, b, 1)[0]
	for _, c := range []struct{ table, says string }{
		{"", "Choose a table"}, {"\n\n", "Choose a table"}, {"id,title\n", "Choose a table"}, {"title\nx\n", "id must be one of them"}, {"id,title,title\n1,a,b\n", "title is there twice"},
		{"id,title\n" + id + ",\"broken\n", "cannot be read"}, {"id,title\n" + id + ",\xff\xfe\n", "not in UTF-8"}, {"id,title\n" + strings.Repeat("1,x\n", 1001), "more than 1000 lines"},
		{"id,title\n" + id + "," + strings.Repeat("x", 800_000) + "\n", "750 kB"},
	} {
		shows(t, sendTable(t, b, nil, c.table).Is(422), c.says)
	}
	r := sendTable(t, b, nil, "id,title,colour,license,categories,group\n"+id+",Station 9,red,Nobody's,Alchemy,Nowhere\n"+foreign+",Taken over,,,,\nx,y,,,,\n"+id+",again,,,,\n"+id+",short\n").Is(200)
	shows(t, r, "The column colour is not read", "Choose a licence of the list", "(Alchemy)", "You cannot put items into this group", "The id is not one of an item", "in line 2 already", "another number of cells", "Nothing changes", "5 lines are not changed")
	hides(t, r, "Station 0</a></th><td>No change", "enctype=\"multipart/form-data\"><input type=\"hidden\" name=\"tags\"")
	sendTable(t, b, url.Values{"do": {"apply"}, "table": {"id,title\n" + id + ",Another title\n"}}, "").Is(422)
	shows(t, sendTable(t, b, url.Values{"do": {"apply"}, "shown": {id + "=x"}, "table": {"id,title\n" + id + ",Another title\n"}}, "").Is(200), "It was changed meanwhile")
	sendTable(t, b, nil, "id,title\n"+id+",Another title\n", "Sec-Fetch-Site", "cross-site").Is(403)
	b.Post("/account/items/import", form("do", "apply")).Is(400)
	b.Do("POST", "/account/items/import", strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nid"), b.Sent("Content-Type", "multipart/form-data; boundary=x", "Sec-Fetch-Site", "same-origin")...).Is(400)
	if title := me.Get("/v2/account/articles/" + id).Object()["title"]; title != "Station 0" {
		t.Errorf("the title is %q", title)
	}
	s.Browser().Open("/account/items/table").Is(303)
	if rows := tableOf(t, string(b.Open("/account/items/table?item="+foreign).Is(200).Bytes)); len(rows) != 1 {
		t.Errorf("of an item of another it is %q", rows)
	}
}

// Custom fields of groups are columns of the table; a value that its field does not take, and a field that the group of
// an item does not have, are said of their lines.
func TestTableFields(t *testing.T) {
	t.Parallel()
	s, _ := stage.NewInstitution(t)
	s.Field(record.Field{GroupID: 1, Name: "Lake", Type: record.FieldDropdown, Options: []string{"Ämari", "Bled"}})
	s.Field(record.Field{GroupID: 1, Name: "Tools", Type: record.FieldLargeList, Multiple: true, Options: []string{"net", "rod"}})
	s.Field(record.Field{GroupID: 1, Name: "Diary", Type: record.FieldTextArea})
	me, b := s.Ada, s.Ada.SignIn()
	ids := several(t, b, 2)
	for _, id := range ids {
		me.Send("PATCH", "/v2/account/articles/"+id, `{"group_id": 1}`).Is(205)
	}
	at := "/v2/account/articles/"
	me.Send("PATCH", at+ids[0], `{"custom_fields": {"Lake": "Bled", "Tools": ["rod", "net"], "Diary": "One | 1\nTwo"}}`).Is(205)
	out := string(b.Open("/account/items/table").Is(200).Bytes)
	rows := tableOf(t, out)
	column := func(name string) int {
		t.Helper()
		i := slices.Index(rows[0], "field: "+name)
		if i < 0 {
			t.Fatalf("there is no column %q in %q", name, rows[0])
		}
		return i
	}
	lake, tools := column("Lake"), column("Tools")
	if rows[1][lake] != "Bled" || rows[1][tools] != "rod | net" || rows[2][lake] != "" || rows[1][column("Diary")] != "One | 1\nTwo" || rows[0][len(rows[0])-1] != "state" {
		t.Fatalf("the table is %q", rows)
	}
	shows(t, sendTable(t, b, nil, out).Is(200), "Nothing changes")
	rows[1][lake], rows[2][tools] = "Como", "net"
	shown := sendTable(t, b, nil, written(rows, ',')).Is(200)
	shows(t, shown, "1 line is not changed", "Line 2", "Fields of the group: ", "Change 1 item")
	shows(t, sendTable(t, b, shownForm(t, shown), "").Is(200), "1 item was changed")
	if got := fmt.Sprint(me.Get(at + ids[1]).Object()["custom_fields"]); !strings.Contains(got, "[net]") {
		t.Errorf("it has %s", got)
	}
	shows(t, sendTable(t, b, nil, "id,field: Colour,FIELD: lake\n"+ids[0]+",red,Ämari\n").Is(200), "The group of the item has no such field", "1 line is not changed")
	shows(t, sendTable(t, b, nil, "id,field: Lake,field: lake\n"+ids[0]+",a,b\n").Is(422), "is there twice")
	if got := fmt.Sprint(me.Get(at + ids[0]).Object()["custom_fields"]); !strings.Contains(got, "Bled") {
		t.Errorf("what was refused is now %s", got)
	}
}

// A collection beyond the newest ones is found by its words, and stays chosen.
func TestBulkCollection(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	me, b := s.Depositor("Lovelace")
	old := fmt.Sprint(world.LastNumber(t, me.NewCollection("Pelicans of old")))
	for n := range 51 {
		me.NewCollection(fmt.Sprintf("Newer %d", n))
	}
	id := several(t, b, 1)[0]
	hides(t, b.Open("/account/bulk?item="+id).Is(200), "Pelicans")
	r := b.Post("/account/bulk", form("item", id, "do", "find", "collections", "pelicans")).Is(200)
	shows(t, r, `<option value="`+old+`">Pelicans of old`, `value="pelicans"`)
	hides(t, r, "Newer 50")
	shows(t, b.Post("/account/bulk", form("item", id, "do", "find", "collections", "zzyzx", "collection", old)).Is(200), `<option value="`+old+`" selected>Pelicans of old`, "Nothing of it has these words")
	shows(t, b.Post("/account/bulk", form("item", id, "do", "preview", "collection", old)).Is(200), "Comes into the collection Pelicans of old")
}

// Views and downloads stand beside what is public in the list of own items.
func TestMineUsed(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	me, b := s.Depositor("Lovelace")
	article := me.Article(`{"title": "Seen", "authors": [{"name": "Ada Lovelace"}], "description": "x", "defined_type": "dataset", "tags": ["rain"], "categories": [37], "license": 1}`)
	hides(t, b.Open("/account/items").Is(200), "downloads")
	me.Do("POST", article+"/publish", nil).Is(201)
	s.Plant(record.KindArticle, world.LastNumber(t, article), record.Counts{Views: 106, Downloads: 31})
	shows(t, b.Open("/account/items").Is(200), "106 views, 31 downloads<")
}
