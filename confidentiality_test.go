package main

import (
	"strings"
	"testing"
)

// The deprecated confidentiality is a permanent embargo on files.
func TestConfidentiality(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Kept to itself", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.upload(at, "canaryname", []byte("canarybytes"))
	open := `{"is_confidential": false, "reason": null}`
	if r := s.Ada.get(at + "/confidentiality").is(200); string(r.body) != open {
		t.Errorf("open is %s", r.body)
	}
	for _, body := range []string{`{}`, `{"reason": null}`, `{"reason": ""}`, `{"reason": 1}`} {
		s.Ada.send("PUT", at+"/confidentiality", body).refuses(422, "reason")
	}
	secret := `{"is_confidential": true, "reason": "Patients"}`
	r := s.Ada.send("PUT", at+"/confidentiality", `{"reason": "Patients"}`).is(205)
	if want := s.URL + at + "/confidentiality"; r.Header.Get("Location") != want {
		t.Errorf("Location %s", r.Header.Get("Location"))
	}
	if r := s.Ada.get(at + "/confidentiality").is(200); string(r.body) != secret {
		t.Errorf("secret is %s", r.body)
	}
	embargo := `"is_embargoed": true, "embargo_date": null, "embargo_type": "file", "embargo_title": null, "embargo_reason": "Patients"`
	for _, path := range []string{at, at + "/embargo"} {
		if r := s.Ada.get(path).is(200); !strings.Contains(string(r.body), embargo) {
			t.Errorf("%s is %s", path, r.body)
		}
	}
	if own := s.Ada.get(at).object(); own["is_confidential"] != true || own["confidential_reason"] != "Patients" {
		t.Errorf("own %v", own)
	}
	s.Ada.do("POST", at+"/publish", nil).is(201)
	s.leaks("canaryname", "canarybytes")
	if got := s.Anon.get("/v2/articles/1").is(200).object(); got["is_confidential"] != true || got["confidential_reason"] != "Patients" || got["is_embargoed"] != true {
		t.Errorf("public %v", got)
	}
	if r := s.Anon.get("/v2/articles/1/versions/1/confidentiality").is(200); string(r.body) != secret {
		t.Errorf("version 1 is %s", r.body)
	}
	s.Anon.get("/v2/articles/1/versions/2/confidentiality").refuses(404, "Version does not exist")

	s.Ada.do("DELETE", at+"/confidentiality", nil).is(204)
	if r := s.Ada.get(at + "/embargo").object(); r["is_embargoed"] != false {
		t.Errorf("lifted: %v", r)
	}
	s.Ada.do("POST", at+"/publish", nil).is(201)
	if r := s.Anon.get("/v2/articles/1/versions/2/confidentiality").is(200); string(r.body) != open {
		t.Errorf("version 2 is %s", r.body)
	}
	s.Anon.get("/files/1").is(200)

	// An embargo with an end is none of its business, and a whole one is not weakened.
	s.Ada.embargo(at, "file", "2999-01-01")
	if r := s.Ada.get(at + "/confidentiality"); string(r.body) != open {
		t.Errorf("a dated embargo is %s", r.body)
	}
	s.Ada.do("DELETE", at+"/confidentiality", nil).is(204)
	if r := s.Ada.get(at + "/embargo").object(); r["is_embargoed"] != true {
		t.Error("DELETE of the confidentiality lifted a dated embargo")
	}
	s.Ada.embargo(at, "article", "2999-01-01")
	// Callers that an embargo lets in are kept out by a confidentiality.
	s.Ada.send("PUT", at+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2099-01-01", "embargo_options": [{"id": 1}]}`).is(205)
	s.Ada.send("PUT", at+"/confidentiality", `{"reason": "r"}`).is(205)
	if options := s.Ada.get(at + "/embargo").is(200).object()["embargo_options"]; len(options.([]any)) != 0 {
		t.Errorf("the confidentiality lets in %v", options)
	}
	s.Ada.send("PUT", at+"/embargo", `{"is_embargoed": true, "embargo_type": "article", "embargo_date": "2099-01-01"}`).is(205)
	s.Ada.send("PUT", at+"/confidentiality", `{"reason": "r"}`).refuses(403, "whole article")
	if r := s.Ada.get(at + "/embargo").object(); r["embargo_type"] != "article" {
		t.Errorf("the embargo is %v", r)
	}
}
