package admin

import (
	"net/http"
	"strconv"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/record"
	"alcove/site"
)

const (
	doisPath = root + "/dois"
	doisEach = 50
)

// DOIs tells how the registration of DOIs is, and which of them wait or are refused.
func (a *Admin) DOIs(c *endpoint.Call) (endpoint.Reply, error) {
	at, err := pageOf(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	var v *page
	err = a.api.DB.View(func(tx *bucket.Tx) error {
		r, err := a.whole(c, tx)
		if err == nil {
			v = a.begin(c, r, doisPath, site.WordsOf(c).Admin.DOIs)
		}
		return err
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	work, err := a.api.DOIWork()
	if err != nil {
		return endpoint.Reply{}, err
	}
	list, more, err := a.api.TroubledDOIs((at-1)*doisEach, doisEach)
	if err != nil {
		return endpoint.Reply{}, err
	}
	v.warn(&work)
	v.Parts = []part{{Heading: v.Admin.Registrar, Facts: registrarFacts(v, &work)}, troubledPart(v, &work, list)}
	v.Page = at
	if at > 1 {
		v.Previous = doisAt(at - 1)
	}
	if more && at < mostPages {
		v.Next = doisAt(at + 1)
	}
	return a.show(c, http.StatusOK, v)
}

func doisAt(at int) string {
	if at == 1 {
		return doisPath
	}
	return doisPath + "?page=" + strconv.Itoa(at)
}

// warn says loudly that DOIs are given out which lead nowhere: people print them.
func (v *page) warn(work *handlers.DOIWork) {
	if work.Lost != "" {
		v.Said = put(v.Admin.DOIsLost, work.Lost)
	}
}

// registrarFacts are how the registrar is, and how many DOIs there are of each kind.
func registrarFacts(v *page, work *handlers.DOIWork) []fact {
	w := &v.Admin
	when := func(name string, f record.RegistrarState) fact {
		if f.Success.IsZero() {
			return fact{name, []cell{{Text: w.NotYet}}}
		}
		return fact{name, []cell{{Day: v.Moment(f.Success)}}}
	}
	at, is := cell{Text: work.Registrar}, cell{State: state{"public", w.Good}, Text: w.DOIsSent}
	switch {
	case work.Registrar == "":
		at, is = cell{Text: w.NoRegistrar}, cell{State: state{"draft", w.Unused}}
	case work.State.Halted != "":
		is = cell{State: state{"closed", w.Bad}, Text: w.Causes[work.State.Cause] + " " + put(w.DOIsHalted, v.Moment(work.State.Resume).Words), Small: work.State.Halted}
	case work.State.Compare:
		is.Text = w.DOIsCompared
	}
	number := func(name string, n int64) fact { return fact{name, []cell{{Text: v.Number(int(n))}}} }
	return []fact{
		{w.Registrar, []cell{at}}, {w.State, []cell{is}}, when(w.LastTold, work.State),
		number(w.Registered, work.Registered), number(w.Waiting, work.Waiting), number(w.Refused, work.Parked), number(w.Failing, work.Failing),
	}
}

// troubledPart is the list of what waits or is refused, with the buttons to have it tried now.
func troubledPart(v *page, work *handlers.DOIWork, list []handlers.TroubledDOI) part {
	w := &v.Admin
	t := &table{Caption: w.DOIsTroubled, Head: []string{w.DOI, w.Item, w.ToDo, w.LastError, w.NextTry}, None: w.DOIsQuiet}
	p := part{ID: "waiting", Heading: w.DOIsTroubled, Text: w.DOIsText, Table: t}
	can := work.Registrar != ""
	if can {
		t.Head = append(t.Head, v.Actions)
	}
	for i := range list {
		row := troubledRow(v, work, &list[i])
		if can {
			again := do(doisPath, "retry", w.Again)
			again.Hidden, again.Named = []hidden{{"doi", list[i].DOI}}, w.Again+": "+list[i].DOI
			row = append(row, cell{Form: &again})
		}
		t.Rows = append(t.Rows, row)
	}
	if can && len(list) > 0 {
		p.Forms = []action{do(doisPath, "retry_all", w.AgainAll)}
	}
	return p
}

func troubledRow(v *page, work *handlers.DOIWork, r *handlers.TroubledDOI) []cell {
	w := &v.Admin
	item := cell{Text: r.Title, URL: r.Path, Label: w.Item}
	if item.Text == "" {
		item.Text = put(map[bool]string{true: w.SomeCollection, false: w.SomeArticle}[r.Kind == record.KindCollection], strconv.FormatInt(r.Item, 10))
	}
	failed := cell{Label: w.LastError, Text: w.NoError}
	if r.Error != "" {
		failed.Text, failed.Small = w.Causes[r.Cause], r.Error
	}
	next := cell{Label: w.NextTry, Text: w.TriedSoon, Small: put(w.Tries, strconv.Itoa(r.Tries))}
	switch due := r.Due; {
	case r.Parked:
		next.Text, next.State = w.TriedNever, state{"closed", w.Refused}
	case work.State.Halted != "" && due.Before(work.State.Resume):
		next.Text, next.Day = "", v.Moment(work.State.Resume)
	case !due.IsZero():
		next.Text, next.Day = "", v.Moment(due)
	}
	return []cell{{Text: r.DOI, Code: true}, item, {Text: w.ToDos[toDo(&r.Registration)], Label: w.ToDo}, failed, next}
}

// toDo names what the registrar is to be told.
func toDo(r *record.Registration) string {
	switch {
	case r.Wanted == "":
		return "drop"
	case r.Wanted == record.DOIDraft:
		return "reserve"
	case r.Wanted == record.DOIHidden:
		return "hide"
	case r.Registered():
		return "change"
	}
	return "register"
}

// RetryDOIs has one DOI, or all that wait or are refused, tried again now.
func (a *Admin) RetryDOIs(c *endpoint.Call) (endpoint.Reply, error) {
	if err := a.wholeOnly(c); err != nil {
		return endpoint.Reply{}, err
	}
	name, what := "", c.Field("do")
	switch what {
	case "retry_all":
	case "retry":
		if name = c.Field("doi"); name == "" {
			return endpoint.Reply{}, record.ErrNotFound
		}
	default:
		return endpoint.Reply{}, record.Wrong("do", "is not known")
	}
	if err := a.api.RetryDOIs(c, name); err != nil {
		return endpoint.Reply{}, err
	}
	return site.Onward(doisPath + "?done=" + what), nil
}

// dois adds the line of the registration of DOIs.
func (h *health) dois() {
	w, work := h.w, &h.now.DOIs
	says := put(w.DOIsNumbers, h.v.Number(int(work.Waiting)), h.v.Number(int(work.Failing)))
	switch {
	case work.Lost != "":
		h.add(w.DOIs, false, put(w.DOIsLost, work.Lost), w.DOIsSet)
	case work.Registrar == "":
		h.unused(w.DOIs, w.DOIsTests, w.DOIsSet)
	case work.State.Halted != "":
		h.add(w.DOIs, false, w.Causes[work.State.Cause]+" "+says, w.DOIsTodo)
	default:
		h.add(w.DOIs, work.Failing == 0, says, w.DOIsTodo)
	}
	h.table.Rows[len(h.table.Rows)-1][0].URL = doisPath
}
