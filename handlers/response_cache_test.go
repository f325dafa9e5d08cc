package handlers

import (
	"bytes"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// An answer is cached until the next commit, and no longer than there is memory.
func TestPages(t *testing.T) {
	const most = 4 << 20
	p := newResponseCache(most, 4096)
	found := func(commits uint64, key responseKey) *cachedResponse {
		one, _ := p.find(commits, key)
		return one
	}
	one, two := responseKey{path: "/a"}, responseKey{path: "/a", query: "page=2"}
	made := &cachedResponse{tag: "made"}
	if p.wanted(one) || !p.wanted(one) || p.wanted(two) {
		t.Error("a page is wanted when it is asked for again, and not before")
	}
	p.keep(7, one, made)
	if found(7, one) != made || found(7, two) != nil {
		t.Error("the page is not found, or another is")
	}
	if found(8, one) != nil || found(6, one) != nil {
		t.Error("the page is found after another commit than that it was read at")
	}
	p.keep(8, two, made)
	if found(8, two) != made || len(p.kept) != 1 {
		t.Errorf("%d pages are kept after a commit, want the one that was made since", len(p.kept))
	}
	p.keep(7, one, made) // its reader was slow
	if found(8, one) != nil {
		t.Error("a page that was read before a commit is found after it")
	}
	large := &cachedResponse{reply: Reply{Raw: make([]byte, maxCachedResponse)}}
	p.keep(8, responseKey{path: "/large"}, large)
	if found(8, responseKey{path: "/large"}) != nil {
		t.Error("a page that is too large is kept")
	}
	half := &cachedResponse{reply: Reply{Raw: make([]byte, maxCachedResponse/2)}}
	for i := range 200 {
		p.keep(9, responseKey{path: strings.Repeat("/", i+1)}, half)
		if p.cost > most {
			t.Fatalf("%d bytes are kept, want %d at most", p.cost, most)
		}
	}
}

// A cached answer does not change when the buffer in which it was made is used again.
func TestPageOutlivesItsRoom(t *testing.T) {
	buffer := append(getBuffer(), "[1]"...)
	p, err := newCachedResponse(&Reply{Raw: buffer, Header: http.Header{"X-Cursor": {"c"}}})
	if err != nil {
		t.Fatal(err)
	}
	copy(buffer, "[2]")
	if !bytes.Equal(p.reply.Raw, []byte("[1]")) || p.tag != etag([]byte("[1]")) {
		t.Errorf("the page is %s with the tag %s", p.reply.Raw, p.tag)
	}
}

// Every field that a list or search can be narrowed by changes the key of its cursors.
func TestQueriesDiffer(t *testing.T) {
	seen := map[string]string{}
	note := func(name string, f filter) {
		key := string(f.appendQuery(nil))
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s have the same cursors", name, other)
		}
		seen[key] = name
	}
	note("nothing", filter{order: "views"})
	note("ascending", filter{order: "views", ascending: true})
	note("another order", filter{order: "cites"})
	ordered := map[string]bool{"Order": true, "OrderDirection": true} // said by order and ascending
	for _, at := range reflect.VisibleFields(reflect.TypeFor[ArticleSearch]()) {
		if at.Anonymous || ordered[at.Name] || reflect.TypeFor[Paging]() == at.Type {
			continue
		}
		if _, paging := reflect.TypeFor[Paging]().FieldByName(at.Name); paging {
			continue
		}
		f := filter{order: "views"}
		field := reflect.ValueOf(&f.ArticleSearch).Elem().FieldByIndex(at.Index)
		for _, text := range []string{"", "\x00", "1"} {
			switch field.Interface().(type) {
			case *string:
				field.Set(reflect.ValueOf(&text))
			case *int64:
				n := int64(len(text)) + int64(strings.Count(text, "1"))
				field.Set(reflect.ValueOf(&n))
			default:
				t.Fatalf("%s is neither a text nor a number", at.Name)
			}
			note(at.Name+" "+text, f)
		}
	}
}

// The shortcut of credentials in the address sees them however they are written.
func TestSecretsAreFoundHoweverTheyAreWritten(t *testing.T) {
	for _, tt := range []struct {
		query, kept string
		want        secrets
	}{
		{"page=1", "page=1", secrets{}},
		{"access_token=x&page=1", "page=1", secrets{access: "x"}},
		{"%61ccess_token=x", "", secrets{access: "x"}},
		{"page=1&t%6Fken=x", "page=1", secrets{token: "x"}},
		{"private_%6cink=x&a=b", "a=b", secrets{link: "x"}},
		{"linked=1", "linked=1", secrets{}},
	} {
		r, err := http.NewRequest("GET", "http://h/p?"+tt.query, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := takeSecrets(r); got != tt.want || r.URL.RawQuery != tt.kept {
			t.Errorf("%s: %+v and %q stay, want %+v and %q", tt.query, got, r.URL.RawQuery, tt.want, tt.kept)
		}
	}
}
