// Package oai answers OAI-PMH 2.0, by which search engines, aggregators and national services harvest the metadata of a
// repository. It reads public items and the tombstones of those that were, in the orders of bucket/harvest.go:
//
//   - The datestamp of a record is when what readers see of it changed here, in whichever format, its withdrawal too.
//   - A deleted record stays for ever, in the sets that it was in.
//   - A list goes on behind the last record that was given, so a page costs the same wherever it is. A record that
//     changes meanwhile is met again further on; none is lost.
//   - A resumption token holds its whole list, sealed with the secret of the store, so nothing is kept between two calls.
package oai

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/formats"
	"alcove/handlers/items"
	"alcove/handlers/present"
	"alcove/record"
)

// pageSize is how many records, headers or sets a page of a list has.
const pageSize = 100

// Repository is what is harvested.
type Repository struct {
	DB       *bucket.DB
	Items    *items.Service
	Settings present.Settings
	Name     string
	Mail     string // of who runs it
	Domain   string // in the identifiers of records, which it never leaves
	Groups   bool   // whether groups have names for everyone
}

// Media is the media type of all answers, errors too.
const Media = "text/xml; charset=utf-8"

// fault is an error of the protocol.
type fault struct{ code, text string }

func (f fault) Error() string { return f.code + ": " + f.text }

func badArgument(text string) error { return fault{"badArgument", text} }

// request is what is asked for.
type request struct {
	*Repository
	args  url.Values
	base  string
	at    time.Time // of the answer
	tx    *bucket.Tx
	out   *writer
	token *token // nil where none came
}

// verb is a line of the table of verbs.
type verb struct {
	needs, may []string
	resumed    bool // by a token, which then comes alone
	answer     func(*request) error
}

var verbs = map[string]verb{
	"Identify":            {answer: (*request).identify},
	"ListMetadataFormats": {may: []string{"identifier"}, answer: (*request).listFormats},
	"ListSets":            {resumed: true, answer: (*request).listSets},
	"ListIdentifiers":     {needs: []string{"metadataPrefix"}, may: []string{"from", "until", "set"}, resumed: true, answer: (*request).list},
	"ListRecords":         {needs: []string{"metadataPrefix"}, may: []string{"from", "until", "set"}, resumed: true, answer: (*request).list},
	"GetRecord":           {needs: []string{"identifier", "metadataPrefix"}, answer: (*request).getRecord},
}

// Answer answers a query string, or the body of a form, that was sent to an address. Errors of the protocol are answers.
func (r *Repository) Answer(base, query string) ([]byte, error) {
	q := &request{Repository: r, base: base, at: r.DB.SafeTime().Truncate(time.Second), out: &writer{}}
	err := r.DB.View(func(tx *bucket.Tx) error {
		q.tx, q.out = tx, &writer{}
		return q.answer(query)
	})
	var f fault
	if err != nil && !errors.As(err, &f) {
		return nil, err
	}
	w := &writer{}
	w.text(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ` +
		`xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">` + "\n")
	w.leaf("responseDate", stamp(q.at))
	var asked []string
	if f.code != "badVerb" && f.code != "badArgument" {
		for _, name := range slices.Sorted(keys(q.args)) {
			asked = append(asked, name, q.args.Get(name))
		}
	}
	w.leaf("request", base, asked...)
	if err != nil {
		w.leaf("error", f.text, "code", f.code)
	} else {
		name := q.args.Get("verb")
		w.text("<" + name + ">\n" + q.out.b.String() + "</" + name + ">\n")
	}
	w.text("</OAI-PMH>\n")
	return []byte(w.b.String()), nil
}

func keys(args url.Values) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range args {
			if !yield(name) {
				return
			}
		}
	}
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// answer writes what stands in the element of the verb.
func (q *request) answer(query string) (err error) {
	if q.args, err = url.ParseQuery(query); err != nil {
		return badArgument("The query string cannot be read")
	}
	v, ok := verbs[q.args.Get("verb")]
	if !ok || len(q.args["verb"]) != 1 {
		return fault{"badVerb", "The verb is missing, unknown or repeated"}
	}
	for name, values := range q.args {
		switch {
		case len(values) != 1:
			return badArgument(name + " is repeated")
		case name != "verb" && !slices.Contains(v.needs, name) && !slices.Contains(v.may, name) && !(name == "resumptionToken" && v.resumed):
			return badArgument("The verb does not take the argument " + name)
		}
	}
	if text, resumed := q.args["resumptionToken"]; resumed {
		if len(q.args) != 2 {
			return badArgument("resumptionToken takes no other argument beside it")
		}
		if q.token, err = q.openToken(text[0]); err != nil {
			return err
		}
		return v.answer(q)
	}
	for _, name := range v.needs {
		if q.args.Get(name) == "" {
			return badArgument(name + " is missing")
		}
	}
	return v.answer(q)
}

func (q *request) identify() error {
	earliest := q.at
	for _, s := range sources {
		for h := range s.walk(q.tx, bucket.SortKey(""), nil) {
			if h.at.Before(earliest) {
				earliest = h.at
			}
			break
		}
	}
	w := q.out
	w.leaf("repositoryName", q.Name)
	w.leaf("baseURL", q.base)
	w.leaf("protocolVersion", "2.0")
	w.leaf("adminEmail", q.Mail)
	w.leaf("earliestDatestamp", stamp(earliest))
	w.leaf("deletedRecord", "persistent")
	w.leaf("granularity", "YYYY-MM-DDThh:mm:ssZ")
	w.leaf("compression", "gzip")
	if strings.Contains(q.Domain, ".") && !strings.ContainsAny(q.Domain[:1], "0123456789") { // the schema takes no others
		w.text(`<description><oai-identifier xmlns="http://www.openarchives.org/OAI/2.0/oai-identifier" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai-identifier http://www.openarchives.org/OAI/2.0/oai-identifier.xsd">` + "\n")
		w.leaf("scheme", "oai")
		w.leaf("repositoryIdentifier", q.Domain)
		w.leaf("delimiter", ":")
		w.leaf("sampleIdentifier", q.identifier(article, 1))
		w.text("</oai-identifier></description>\n")
	}
	return nil
}

func (q *request) listFormats() error {
	if id, asked := q.args["identifier"]; asked {
		if _, err := q.find(id[0]); err != nil {
			return err
		}
	}
	for _, f := range formats.All() {
		if f.Prefix != "" {
			q.out.text("<metadataFormat>\n")
			q.out.leaf("metadataPrefix", f.Prefix)
			q.out.leaf("schema", f.Schema)
			q.out.leaf("metadataNamespace", f.Space)
			q.out.text("</metadataFormat>\n")
		}
	}
	return nil
}

func (q *request) getRecord() error {
	h, err := q.find(q.args.Get("identifier"))
	if err != nil {
		return err
	}
	f, ok := formats.ByPrefix(q.args.Get("metadataPrefix"))
	if !ok {
		return fault{"cannotDisseminateFormat", "There is no such metadataPrefix"}
	}
	return q.record(h, &f)
}

// Kinds of items in identifiers.
const (
	article    = "article"
	collection = "collection"
)

func (q *request) identifier(kind string, id int64) string {
	return "oai:" + q.Domain + ":" + kind + "/" + strconv.FormatInt(id, 10)
}

// find is the record with an identifier.
func (q *request) find(identifier string) (h hit, err error) {
	unknown := fault{"idDoesNotExist", "There is no record with this identifier"}
	name, ours := strings.CutPrefix(identifier, "oai:"+q.Domain+":")
	kind, number, _ := strings.Cut(name, "/")
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil || !ours || q.identifier(kind, id) != identifier {
		return h, unknown
	}
	for i := range sources {
		s := &sources[i]
		if s.kind != kind {
			continue
		}
		if h, ok, err := s.find(q.tx, id); err != nil || ok {
			return h, err
		}
	}
	return h, unknown
}

// setsOf are the sets of a record.
func (q *request) setsOf(h hit) ([]string, error) {
	switch {
	case h.gone != nil:
		return h.gone.Sets, nil
	case h.source.kind == article:
		head, err := published.Articles.Get(q.tx, h.key.A)
		if err != nil {
			return nil, err
		}
		return head.Sets(), nil
	}
	head, err := published.Collections.Get(q.tx, h.key.A)
	if err != nil {
		return nil, err
	}
	return head.Sets(), nil
}

// header writes the header of a record.
func (q *request) header(h hit) error {
	sets, err := q.setsOf(h)
	if err != nil {
		return err
	}
	if h.gone != nil {
		q.out.text(`<header status="deleted">` + "\n")
	} else {
		q.out.text("<header>\n")
	}
	q.out.leaf("identifier", q.identifier(h.source.kind, h.key.A))
	q.out.leaf("datestamp", stamp(h.at))
	for _, set := range sets {
		q.out.leaf("setSpec", set)
	}
	q.out.text("</header>\n")
	return nil
}

// record writes a record in a format, and only its header where that is nil.
func (q *request) record(h hit, f *formats.Format) error {
	if f == nil {
		return q.header(h)
	}
	q.out.text("<record>\n")
	if err := q.header(h); err != nil {
		return err
	}
	if h.gone == nil {
		it, err := h.source.describe(q, h.key.A)
		if err != nil {
			return err
		}
		q.out.text("<metadata>\n" + f.Element(it) + "</metadata>\n")
	}
	q.out.text("</record>\n")
	return nil
}

// lastTombstone is that of the last withdrawal of an item, nil for none.
func lastTombstone(tx *bucket.Tx, table *bucket.Table[bucket.Pair, record.Tombstone], id int64) (last *record.Tombstone, version int64, err error) {
	for t, err := range table.All(tx, bucket.Prefix(id)) {
		if err != nil {
			return nil, 0, err
		}
		last, version = t.Record, t.Key.B
	}
	return last, version, nil
}
