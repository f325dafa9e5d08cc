package main

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"testing"

	"alcove/bucket"
)

// The public description, POST /account/profile/{user_id}/picture: a person gives its own profile a
// picture. A small copy is kept, and shown of people who are named in something public.
func TestProfilePicture(t *testing.T) {
	t.Parallel()
	s := start(t)
	const field = "profile_picture"
	ada := s.Ada.userID()
	at, shown := fmt.Sprintf("/v2/account/profile/%d/picture", ada), fmt.Sprintf("/v2/profiles/%d/picture", ada)
	large := string(picture(1000, 500, color.NRGBA{200, 30, 30, 255}))
	s.Ada.get(shown).refuses(404, "Picture not found")

	before := s.DB().Sequence()
	s.Anon.form(at, field, large).refuses(401, "Missing OAuth token")
	s.Ben.form(at, field, large).refuses(403, "Only the person itself")
	s.Root.form(at, field, large).refuses(403, "Only the person itself")
	s.Ada.form("/v2/account/profile/987654/picture", field, large).refuses(404, "Profile not found")
	s.Ada.send("POST", at, `{}`).refuses(400, field)
	s.Ada.form(at, "picture", large).refuses(400, field)
	for name, file := range map[string]string{"text": "no picture", "cut": large[:100]} {
		if r := s.Ada.form(at, field, file); r.StatusCode != 400 || r.object()["code"] != "FileUnreadable" {
			t.Errorf("%s: %d %s", name, r.StatusCode, r.body)
		}
	}
	s.Ada.form(at, field, string(pngBomb())).refuses(400, "too many pixels")
	if s.DB().Sequence() != before {
		t.Error("a refusal changed something")
	}

	if got := s.Ada.form(at, field, large).is(200).object(); got["code"] != 200.0 || got["message"] != "OK" {
		t.Errorf("%v", got)
	}
	own := s.Ada.get(shown).is(200)
	if cc := own.Header.Get("Cache-Control"); cc != "private, no-cache" {
		t.Errorf("a private picture has Cache-Control %q", cc)
	}
	img, err := png.Decode(bytes.NewReader(own.body))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != 256 || b.Dy() != 128 {
		t.Errorf("the picture has %v", b)
	}
	none := s.Anon.get("/v2/profiles/987654/picture").refuses(404, "Picture not found")
	for _, who := range []client{s.Anon, s.Ben, s.Root} {
		r := who.get(shown).refuses(404, "Picture not found")
		sameHeaders(t, "a private picture", r.Header, none.Header)
	}

	item := s.Ada.article(fmt.Sprintf(`{"title": "By Ada", "authors": [{"id": %d}]}`, ada))
	s.Ada.do("POST", item+"/publish", nil).is(201)
	r := s.Anon.get(shown).is(200)
	for name, want := range map[string]string{
		"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Cache-Control": "public, no-cache", "ETag": own.Header.Get("ETag"),
		"Cross-Origin-Resource-Policy": "cross-origin", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	s.Anon.get(shown, "If-None-Match", r.Header.Get("ETag")).is(304)

	// The next one replaces it, and it stays through a restart.
	s.Ada.form(at, field, string(picture(3, 2, color.Black))).is(200)
	second := s.Anon.get(shown).is(200)
	s.restart()
	if again := s.Anon.get(shown).is(200); !bytes.Equal(again.body, second.body) || bytes.Equal(again.body, r.body) {
		t.Error("another picture after a restart")
	}
	s.alter(func(tx *bucket.Tx) error {
		if !bucket.Pictures.Has(tx, ada) {
			t.Error("the picture has no record")
		}
		return nil
	})
}
