package articles

import (
	"strings"
	"testing"

	"alcove/tests/world"
)

// The deprecated confidentiality is a permanent embargo on files.
func TestConfidentiality(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Kept to itself", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.Upload(at, "canaryname", []byte("canarybytes"))
	open := `{"is_confidential": false, "reason": null}`
	if r := s.Ada.Get(at + "/confidentiality").Is(200); string(r.Bytes) != open {
		t.Errorf("open is %s", r.Bytes)
	}
	for _, body := range []string{`{}`, `{"reason": null}`, `{"reason": ""}`, `{"reason": 1}`} {
		s.Ada.Send("PUT", at+"/confidentiality", body).Refuses(422, "reason")
	}
	secret := `{"is_confidential": true, "reason": "Patients"}`
	r := s.Ada.Send("PUT", at+"/confidentiality", `{"reason": "Patients"}`).Is(205)
	if want := s.URL + at + "/confidentiality"; r.Header.Get("Location") != want {
		t.Errorf("Location %s", r.Header.Get("Location"))
	}
	if r := s.Ada.Get(at + "/confidentiality").Is(200); string(r.Bytes) != secret {
		t.Errorf("secret is %s", r.Bytes)
	}
	embargo := `"is_embargoed": true, "embargo_date": null, "embargo_type": "file", "embargo_title": null, "embargo_reason": "Patients"`
	for _, path := range []string{at, at + "/embargo"} {
		if r := s.Ada.Get(path).Is(200); !strings.Contains(string(r.Bytes), embargo) {
			t.Errorf("%s is %s", path, r.Bytes)
		}
	}
	if own := s.Ada.Get(at).Object(); own["is_confidential"] != true || own["confidential_reason"] != "Patients" {
		t.Errorf("own %v", own)
	}
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Leaks("canaryname", "canarybytes")
	if got := s.Anon.Get("/v2/articles/1").Is(200).Object(); got["is_confidential"] != true || got["confidential_reason"] != "Patients" || got["is_embargoed"] != true {
		t.Errorf("public %v", got)
	}
	if r := s.Anon.Get("/v2/articles/1/versions/1/confidentiality").Is(200); string(r.Bytes) != secret {
		t.Errorf("version 1 is %s", r.Bytes)
	}
	s.Anon.Get("/v2/articles/1/versions/2/confidentiality").Refuses(404, "Version does not exist")

	s.Ada.Do("DELETE", at+"/confidentiality", nil).Is(204)
	if r := s.Ada.Get(at + "/embargo").Object(); r["is_embargoed"] != false {
		t.Errorf("lifted: %v", r)
	}
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if r := s.Anon.Get("/v2/articles/1/versions/2/confidentiality").Is(200); string(r.Bytes) != open {
		t.Errorf("version 2 is %s", r.Bytes)
	}
	s.Anon.Get("/files/1").Is(200)

	// An embargo with an end is none of its business, and a whole one is not weakened.
	s.Ada.Embargo(at, "file", "2999-01-01")
	if r := s.Ada.Get(at + "/confidentiality"); string(r.Bytes) != open {
		t.Errorf("a dated embargo is %s", r.Bytes)
	}
	s.Ada.Do("DELETE", at+"/confidentiality", nil).Is(204)
	if r := s.Ada.Get(at + "/embargo").Object(); r["is_embargoed"] != true {
		t.Error("DELETE of the confidentiality lifted a dated embargo")
	}
	s.Ada.Embargo(at, "article", "2999-01-01")
	// Callers that an embargo lets in are kept out by a confidentiality.
	s.Ada.Send("PUT", at+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2099-01-01", "embargo_options": [{"id": 1}]}`).Is(205)
	s.Ada.Send("PUT", at+"/confidentiality", `{"reason": "r"}`).Is(205)
	if options := s.Ada.Get(at + "/embargo").Is(200).Object()["embargo_options"]; len(options.([]any)) != 0 {
		t.Errorf("the confidentiality lets in %v", options)
	}
	s.Ada.Send("PUT", at+"/embargo", `{"is_embargoed": true, "embargo_type": "article", "embargo_date": "2099-01-01"}`).Is(205)
	s.Ada.Send("PUT", at+"/confidentiality", `{"reason": "r"}`).Refuses(403, "whole article")
	if r := s.Ada.Get(at + "/embargo").Object(); r["embargo_type"] != "article" {
		t.Errorf("the embargo is %v", r)
	}
}
