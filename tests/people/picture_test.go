package people

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"testing"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// The public description, POST /account/profile/{user_id}/picture: a person gives its own profile a
// picture. A small copy is kept, and shown of people who are named in something public.
func TestProfilePicture(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	const field = "profile_picture"
	ada := s.Ada.UserID()
	at, shown := fmt.Sprintf("/v2/account/profile/%d/picture", ada), fmt.Sprintf("/v2/profiles/%d/picture", ada)
	large := string(disk.Picture(1000, 500, color.NRGBA{200, 30, 30, 255}))
	s.Ada.Get(shown).Refuses(404, "Picture not found")

	before := s.Sequence()
	s.Anon.Form(at, field, large).Refuses(401, "Missing OAuth token")
	s.Ben.Form(at, field, large).Refuses(403, "Only the person itself")
	s.Root.Form(at, field, large).Refuses(403, "Only the person itself")
	s.Ada.Form("/v2/account/profile/987654/picture", field, large).Refuses(404, "Profile not found")
	s.Ada.Send("POST", at, `{}`).Refuses(400, field)
	s.Ada.Form(at, "picture", large).Refuses(400, field)
	for name, file := range map[string]string{"text": "no picture", "cut": large[:100]} {
		if r := s.Ada.Form(at, field, file); r.StatusCode != 400 || r.Object()["code"] != "FileUnreadable" {
			t.Errorf("%s: %d %s", name, r.StatusCode, r.Bytes)
		}
	}
	s.Ada.Form(at, field, string(disk.PNGBomb())).Refuses(400, "too many pixels")
	if s.Sequence() != before {
		t.Error("a refusal changed something")
	}

	if got := s.Ada.Form(at, field, large).Is(200).Object(); got["code"] != 200.0 || got["message"] != "OK" {
		t.Errorf("%v", got)
	}
	own := s.Ada.Get(shown).Is(200)
	if cc := own.Header.Get("Cache-Control"); cc != "private, no-cache" {
		t.Errorf("a private picture has Cache-Control %q", cc)
	}
	img, err := png.Decode(bytes.NewReader(own.Bytes))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != 256 || b.Dy() != 128 {
		t.Errorf("the picture has %v", b)
	}
	none := s.Anon.Get("/v2/profiles/987654/picture").Refuses(404, "Picture not found")
	for _, who := range []world.Client{s.Anon, s.Ben, s.Root} {
		r := who.Get(shown).Refuses(404, "Picture not found")
		world.SameHeaders(t, "a private picture", r.Header, none.Header)
	}

	item := s.Ada.Article(fmt.Sprintf(`{"title": "By Ada", "authors": [{"id": %d}]}`, ada))
	s.Ada.Do("POST", item+"/publish", nil).Is(201)
	r := s.Anon.Get(shown).Is(200)
	for name, want := range map[string]string{
		"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Cache-Control": "public, no-cache", "ETag": own.Header.Get("ETag"),
		"Cross-Origin-Resource-Policy": "cross-origin", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	s.Anon.Get(shown, "If-None-Match", r.Header.Get("ETag")).Is(304)

	// The next one replaces it, and it stays through a restart.
	s.Ada.Form(at, field, string(disk.Picture(3, 2, color.Black))).Is(200)
	second := s.Anon.Get(shown).Is(200)
	s.Restart()
	if again := s.Anon.Get(shown).Is(200); !bytes.Equal(again.Bytes, second.Bytes) || bytes.Equal(again.Bytes, r.Bytes) {
		t.Error("another picture after a restart")
	}
	s.Alter(func(tx *bucket.Tx) error {
		if !users.Pictures.Has(tx, ada) {
			t.Error("the picture has no record")
		}
		return nil
	})
}
