package record

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// The rules of a body that starts a file.
func TestFileBodyCheck(t *testing.T) {
	long := func(n int) string { return strings.Repeat("n", n) }
	upload := func(more string) string { return `{"name":"a.csv","size":5` + more + `}` }
	link := func(address string) string { return `{"link":"` + address + `"}` }
	tests := []struct{ body, field string }{ // no field: accepted
		{upload(""), ""}, {`{"name":"a","size":0}`, ""}, {`{"name":"../a/b\\c","size":0}`, ""}, {`{"name":"日本 \n","size":1}`, ""},
		{`{}`, "name"}, {`{"size":5}`, "name"}, {`{"name":null,"size":5}`, "name"}, {`{"name":"","size":5}`, "name"},
		{`{"name":"a"}`, "size"}, {`{"name":"a","size":-1}`, "size"}, {`{"name":"a","size":null}`, ""},
		{`{"name":"` + long(4096) + `","size":1}`, ""}, {`{"name":"` + long(4097) + `","size":1}`, "name"},
		{upload(`,"md5":"d41d8cd98f00b204e9800998ecf8427e"`), ""}, {upload(`,"md5":"D41D8CD98F00B204E9800998ECF8427E"`), ""},
		{upload(`,"md5":null`), ""}, {upload(`,"md5":""`), ""}, {upload(`,"md5":"d41d"`), "md5"},
		{upload(`,"md5":"g41d8cd98f00b204e9800998ecf8427e"`), "md5"}, {upload(`,"md5":"d41d8cd98f00b204e9800998ecf8427e\n"`), "md5"},
		{upload(`,"folder_path":"/a/b"`), ""}, {upload(`,"folder_path":"a/b/"`), ""}, {upload(`,"folder_path":""`), ""},
		{upload(`,"folder_path":null`), ""}, {upload(`,"folder_path":"a..b/...c/.d"`), ""},
		{upload(`,"folder_path":"a/../b"`), "folder_path"}, {upload(`,"folder_path":".."`), "folder_path"},
		{upload(`,"folder_path":"./a"`), "folder_path"}, {upload(`,"folder_path":"a\\b"`), "folder_path"},
		{upload(`,"folder_path":"` + long(4096) + `"`), ""}, {upload(`,"folder_path":"` + long(4097) + `"`), "folder_path"},
		{upload(`,"link":""`), ""}, {upload(`,"link":null`), ""},

		{link("https://a.example"), ""}, {link("http://a.example:8080/b?c=d#e"), ""}, {link("HTTPS://A.example/"), ""},
		{link("https://[2001:db8::1]/x"), ""}, {link("https://例え.example/日本"), ""}, {link("https://a.example/a b"), ""},
		{link("ftp://a.example/x"), "link"}, {link("javascript:alert(1)"), "link"}, {link("data:text/html,x"), "link"}, {link("file:///etc/passwd"), "link"},
		{link("//a.example/x"), "link"}, {link("a.example"), "link"}, {link("/files/1"), "link"}, {link("https:///x"), "link"},
		{link("https:a.example"), "link"}, {link("https://:443/x"), "link"}, {link("https://user@a.example/"), "link"},
		{link("https://user:secret@a.example/"), "link"}, {link(`https://a.example\\@b.example/`), "link"},
		{link(`https://a.example/\r\nSet-Cookie: x`), "link"}, {link(`https://a.example/\u007f`), "link"}, {link(` https://a.example`), "link"},
		{link(`java\tscript:x`), "link"}, {link("https://a.example:port/"), "link"}, {link("https://a.example/%zz"), "link"},
		{link("https://a.example/" + long(maxLink-18)), ""}, {link("https://a.example/" + long(maxLink-17)), "link"},
		{`{"link":"https://a.example","folder_path":".."}`, "folder_path"},
		{`{"link":"https://a.example","name":"a"}`, "name"}, {`{"link":"https://a.example","name":"","md5":"","size":null}`, ""},
		{`{"link":"https://a.example","size":5}`, "size"}, {`{"link":"https://a.example","md5":"d41d8cd98f00b204e9800998ecf8427e"}`, "md5"},
		{`{"link":"https://a.example","name":"` + long(4097) + `"}`, "name"},
	}
	for _, test := range tests {
		err := mustBind[FileBody](t, test.body).Check()
		if test.field == "" {
			if err != nil {
				t.Errorf("%.80s: %v", test.body, err)
			}
			continue
		}
		refusal(t, test.body[:min(80, len(test.body))], err, Invalid, "InvalidValue")
		if e, ok := err.(*Error); ok && e.Data["field"] != test.field {
			t.Errorf("%.80s: %v", test.body, e.Data)
		}
	}
}

// The file that a checked body makes.
func TestFileBodyApply(t *testing.T) {
	tests := []struct {
		body string
		want File
	}{
		{`{"name":"a/b.csv","size":5,"md5":"D41D8CD98F00B204E9800998ECF8427E","folder_path":"/x/y/"}`,
			File{Name: "a/b.csv", Size: 5, SuppliedMD5: "d41d8cd98f00b204e9800998ecf8427e", Folder: "x/y", Status: FileCreated}},
		{`{"name":"a","size":0,"folder_path":"///","link":null}`, File{Name: "a", Status: FileCreated}},
		{`{"link":"https://a.example/b/c%20d.zip?x=/y#z","folder_path":"x"}`,
			File{Link: "https://a.example/b/c%20d.zip?x=/y#z", Name: "c d.zip", Folder: "x", Status: FileAvailable}},
		{`{"link":"https://a.example/b/","size":null,"md5":""}`,
			File{Link: "https://a.example/b/", Name: "b", Status: FileAvailable}},
		{`{"link":"https://a.example/x/%ff%00"}`, File{Link: "https://a.example/x/%ff%00", Name: "%ff%00", Status: FileAvailable}},
		{`{"link":"https://a.example/x%0Ay"}`, File{Link: "https://a.example/x%0Ay", Name: "x%0Ay", Status: FileAvailable}},
		{`{"link":"https://a.example/%E6%97%A5"}`, File{Link: "https://a.example/%E6%97%A5", Name: "日", Status: FileAvailable}},
		{`{"link":"https://a.example:81/"}`, File{Link: "https://a.example:81/", Name: "a.example:81", Status: FileAvailable}},
		{`{"link":"https://a.example"}`, File{Link: "https://a.example", Name: "a.example", Status: FileAvailable}},
		{`{"link":"https://a.example/b","name":null}`, File{Link: "https://a.example/b", Name: "b", Status: FileAvailable}},
	}
	for _, test := range tests {
		b := mustBind[FileBody](t, test.body)
		if err := b.Check(); err != nil {
			t.Errorf("%s: %v", test.body, err)
		}
		var f File
		if b.Apply(&f); f != test.want {
			t.Errorf("%s: %+v, want %+v", test.body, f, test.want)
		}
		if b.Linked() != f.Linked() || f.Finished() != f.Linked() {
			t.Errorf("%s: linked %v and %v, finished %v", test.body, b.Linked(), f.Linked(), f.Finished())
		}
	}
}

// Only an available file can be published, and the refusal says why another cannot.
func TestFileStatus(t *testing.T) {
	for status, why := range map[FileStatus]string{
		FileCreated: "File a.csv has not been uploaded completely", FileFailed: "File a.csv failed its integrity check",
		FileChecking: "File a.csv is still being checked; try again later", FileMoving: "File a.csv is still being checked; try again later",
		FileAvailable: "",
	} {
		f := &File{ID: 7, Name: "a.csv", Status: status}
		if f.Finished() != (why == "") {
			t.Errorf("%s: finished %v", status, f.Finished())
		}
		if why == "" {
			continue
		}
		e := UnfinishedFile(f)
		refusal(t, string(status), e, Unreadable, "FileNotReady")
		if e.Message != why || e.Data["file_id"] != int64(7) {
			t.Errorf("%s: %q, %v", status, e.Message, e.Data)
		}
	}
	if e := UnfinishedFile(&File{Name: strings.Repeat("é", 4000)}); len([]rune(e.Message)) > 300 {
		t.Errorf("a message of %d bytes", len(e.Message))
	}
}

// A file belongs to the versions from the one that added it up to the one before the one
// without it.
func TestPublicFileIn(t *testing.T) {
	for _, test := range []struct {
		added, removed int
		in             [5]bool // of version 0 to 4
	}{
		{1, 0, [5]bool{false, true, true, true, true}}, {2, 0, [5]bool{false, false, true, true, true}},
		{1, 2, [5]bool{false, true}}, {2, 4, [5]bool{false, false, true, true, false}}, {3, 3, [5]bool{}},
	} {
		for v, want := range test.in {
			if got := (&PublicFile{Added: test.added, Removed: test.removed}).In(v); got != want {
				t.Errorf("added in %d, removed in %d: in %d: %v", test.added, test.removed, v, got)
			}
		}
	}
}

// The public file has everything of the file that it has a field for.
func TestPublicCopiesEveryField(t *testing.T) {
	f := &File{}
	v := reflect.ValueOf(f).Elem()
	for i := range v.NumField() {
		switch field := v.Field(i); field.Kind() {
		case reflect.String:
			field.SetString(v.Type().Field(i).Name)
		case reflect.Int, reflect.Int64:
			field.SetInt(int64(i + 1))
		case reflect.Uint32:
			field.SetUint(uint64(i + 1))
		}
	}
	at := time.Unix(5, 0)
	p := reflect.ValueOf(f.Public(at)).Elem()
	for i := range p.NumField() {
		name := p.Type().Field(i).Name
		want := v.FieldByName(name)
		if name == "Published" {
			want = reflect.ValueOf(at)
		}
		if !p.Field(i).Equal(want) || p.Field(i).IsZero() {
			t.Errorf("%s is %v, want %v", name, p.Field(i), want)
		}
	}
}

// The small rules of articles, people and accounts.
func TestSmallRules(t *testing.T) {
	for status, a := range map[string]Working{"draft": {}, "private": {Saved: true}, "public": {Saved: true, Version: 1}} {
		if a.Status() != status {
			t.Errorf("%+v is %s, want %s", a, a.Status(), status)
		}
	}
	for _, test := range []struct {
		p    Person
		want bool
	}{{Person{CreatedBy: 4}, false}, {Person{CreatedBy: 3}, true}, {Person{Public: true}, true}, {Person{AccountID: 8}, true}} {
		if test.p.VisibleTo(3) != test.want {
			t.Errorf("%+v is visible: %v", test.p, !test.want)
		}
	}
	now := time.Unix(1000, 0)
	for _, test := range []struct {
		a    Account
		want bool
	}{
		{Account{}, true}, {Account{Disabled: true}, false}, {Account{Expires: now}, false},
		{Account{Expires: now.Add(time.Second)}, true}, {Account{Expires: now.Add(time.Second), Disabled: true}, false},
	} {
		if test.a.Active(now) != test.want {
			t.Errorf("%+v is active: %v", test.a, !test.want)
		}
	}
	if FoldEmail(" Ada@Example.ORG\n") != "ada@example.org" || FoldEmail("ÄÖ@x") != "äö@x" {
		t.Error("addresses are not folded")
	}
}
