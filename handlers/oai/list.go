package oai

import (
	"iter"
	"strconv"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/formats"
	"alcove/record/catalogue"
)

// span is what a list is asked for.
type span struct {
	prefix, set string
	from, until time.Time // zero for none; both belong to the span
}

// readSpan reads the arguments of a list that begins.
func (q *request) readSpan() (s span, err error) {
	s.prefix, s.set = q.args.Get("metadataPrefix"), q.args.Get("set")
	from, until := q.args.Get("from"), q.args.Get("until")
	if from != "" && until != "" && len(from) != len(until) {
		return s, badArgument("from and until have different granularities")
	}
	if q.args.Has("from") {
		if s.from, err = moment(from, "00:00:00"); err != nil {
			return s, err
		}
	}
	if q.args.Has("until") {
		if s.until, err = moment(until, "23:59:59"); err != nil {
			return s, err
		}
	}
	if !s.from.IsZero() && !s.until.IsZero() && s.from.After(s.until) {
		return s, badArgument("from is after until")
	}
	if q.args.Has("set") && s.set == "" {
		return s, badArgument("set is empty")
	}
	return s, nil
}

// moment is a date, to which a time is added where it has none.
func moment(text, clock string) (time.Time, error) {
	if len(text) == len(time.DateOnly) {
		text += "T" + clock + "Z"
	}
	t, err := time.Parse("2006-01-02T15:04:05Z", text)
	if err != nil || t.Year() < 1 {
		return t, badArgument("Dates are YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ")
	}
	return t, nil
}

// list answers ListIdentifiers and ListRecords.
func (q *request) list() (err error) {
	t := token{Verb: q.args.Get("verb")}
	if q.token != nil {
		t = *q.token
	} else if t.span, err = q.readSpan(); err != nil {
		return err
	}
	f, ok := formats.ByPrefix(t.span.prefix)
	if !ok {
		return fault{"cannotDisseminateFormat", "There is no such metadataPrefix"}
	}
	form := &f
	if t.Verb == "ListIdentifiers" {
		form = nil
	}
	n, more := 0, false
	for h, err := range q.hits(t) {
		if err != nil {
			return err
		}
		if n == pageSize {
			more = true
			break
		}
		if err := q.record(h, form); err != nil {
			return err
		}
		t.last = h.place()
		n++
	}
	if n == 0 {
		return fault{"noRecordsMatch", "No record is asked for by these arguments"}
	}
	cursor := t.cursor
	t.cursor += n
	q.resume(&t, cursor, more, q.token == nil)
	return nil
}

// resume ends a page of a list: with the token of the next one, or, on the last page of several, with an empty one.
func (q *request) resume(t *token, cursor int, more, first bool) {
	switch {
	case more:
		expires := q.at.Add(tokenLife)
		q.out.leaf("resumptionToken", q.sealToken(t, expires), "expirationDate", stamp(expires), "cursor", strconv.Itoa(cursor))
	case !first:
		q.out.text(`<resumptionToken cursor="` + strconv.Itoa(cursor) + `"/>` + "\n")
	}
}

// hits are the records of a list from its place on, by their datestamps and, of one second, by their sources and keys.
func (q *request) hits(t token) iter.Seq2[hit, error] {
	return func(yield func(hit, error) bool) {
		prefix := bucket.SortKey(t.span.set)
		var next [len(sources)]func() (hit, bool)
		var heads [len(sources)]hit
		var waiting [len(sources)]bool
		for i := range sources {
			from := prefix
			switch begin := t.last.at; {
			case t.last.at.IsZero() && !t.span.from.IsZero():
				from = bucket.SortKey(t.span.set, t.span.from)
			case t.last.at.IsZero():
			case i < t.last.source:
				from = bucket.SortKey(t.span.set, begin.Add(time.Second))
			case i == t.last.source:
				from = append(append(bucket.SortKey(t.span.set, begin), sources[i].encode(t.last.key)...), 0)
			default:
				from = bucket.SortKey(t.span.set, begin)
			}
			pull, stop := iter.Pull(sources[i].walk(q.tx, prefix, from))
			defer stop()
			next[i] = pull
			heads[i], waiting[i] = pull()
		}
		for {
			first := -1
			for i := range heads {
				if waiting[i] && (first < 0 || heads[i].at.Before(heads[first].at)) {
					first = i
				}
			}
			if first < 0 || !t.span.until.IsZero() && heads[first].at.After(t.span.until) {
				return
			}
			h := heads[first]
			heads[first], waiting[first] = next[first]()
			h.source, h.number = &sources[first], first
			shown, err := h.source.shown(q.tx, &h)
			if err != nil || shown {
				if !yield(h, err) {
					return
				}
			}
		}
	}
}

// listSets names the sets in which there are records.
func (q *request) listSets() error {
	t := token{Verb: "ListSets"}
	if q.token != nil {
		t = *q.token
	}
	n, more := 0, false
	for {
		name := q.setAfter(t.span.set)
		if name == "" {
			break
		}
		if n == pageSize {
			more = true
			break
		}
		title, err := q.setName(name)
		if err != nil {
			return err
		}
		q.out.text("<set>\n")
		q.out.leaf("setSpec", name)
		q.out.leaf("setName", title)
		q.out.text("</set>\n")
		t.span.set = name
		n++
	}
	if n == 0 {
		if q.token != nil {
			return badToken
		}
		q.out.text("<set>\n") // the answer must have one
		q.out.leaf("setSpec", "collections")
		q.out.leaf("setName", "Collections")
		q.out.text("</set>\n")
	}
	cursor := t.cursor
	t.cursor += n
	q.resume(&t, cursor, more, q.token == nil)
	return nil
}

// setAfter is the set that follows a name, "" for none.
func (q *request) setAfter(name string) (next string) {
	for i := range sources {
		for h := range sources[i].walk(q.tx, nil, append([]byte(name), 1)) {
			if next == "" || h.set < next {
				next = h.set
			}
			break
		}
	}
	return next
}

// setName is a set for people.
func (q *request) setName(set string) (string, error) {
	kind, number := set, ""
	if i := strings.LastIndexByte(set, '_'); i > 0 {
		kind, number = set[:i], set[i+1:]
	}
	id, _ := strconv.ParseInt(number, 10, 64)
	switch {
	case kind == "category":
		if c, ok := catalogue.CategoryByID(id); ok {
			return "Category: " + c.Title, nil
		}
	case kind == "item_type":
		if t, ok := catalogue.ItemTypeByID(id); ok {
			return "Article type: " + t.Name, nil
		}
	case kind == "portal":
		if q.Groups && users.Groups.Has(q.tx, id) {
			g, err := users.Groups.Get(q.tx, id)
			if err != nil {
				return "", err
			}
			if g.Name != "" {
				return "Group: " + g.Name, nil
			}
		}
		return "Group " + number, nil
	case strings.HasPrefix(set, "month_year_"):
		month := strings.TrimPrefix(kind, "month_year_")
		return "Month: " + month + "/" + number, nil
	case set == "collections":
		return "Collections", nil
	}
	return set, nil
}
