package admin

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/handlers/people"
	"alcove/record"
	"alcove/site"
	"alcove/site/words"
)

// Start is the first page: for administrators of the institution how the repository is, for others their people.
func (a *Admin) Start(c *endpoint.Call) (endpoint.Reply, error) {
	var v *page
	err := a.api.DB.View(func(tx *bucket.Tx) error {
		r, err := a.scope(c, tx)
		if err == nil && r.Whole {
			v = a.begin(c, r, root, site.WordsOf(c).Admin.Title)
		}
		return err
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	if v == nil {
		return site.Onward(peoplePath), nil
	}
	now, err := a.api.Condition()
	if err != nil {
		return endpoint.Reply{}, err
	}
	v.warn(&now.DOIs)
	v.Parts = []part{{Heading: v.Admin.Health, Table: healthTable(v, &now)}}
	return a.show(c, http.StatusOK, v)
}

// When something is too old, or too near.
const (
	backupLate   = 8 * 24 * time.Hour // where the server makes none
	drillLate    = 90 * 24 * time.Hour
	checkLate    = 45 * 24 * time.Hour
	certificate  = 14 * 24 * time.Hour
	mailLate     = time.Hour
	lagLate      = time.Minute
	roomReserves = 3       // times the reserve
	roomLeast    = 1 << 30 // bytes of it, also where none is reserved
)

// health is the table in the making.
type health struct {
	v     *page
	w     *words.Admin
	now   *handlers.Condition
	table *table
}

// healthTable is a sentence, a state and what to do for each thing that can go wrong.
func healthTable(v *page, now *handlers.Condition) *table {
	w := &v.Admin
	h := &health{v, w, now, &table{Caption: w.Health, Head: []string{w.Thing, w.State, w.Todo}}}
	h.disk()
	h.add(w.StoreName, !now.Stopped, map[bool]string{true: w.StoreStopped, false: w.StoreWrites}[now.Stopped], w.StoreTodo)
	h.backup()
	h.drill()
	h.check()
	h.index()
	h.certificate()
	h.mail()
	h.dois()
	if m := now.Mirrors; m.All > 0 {
		h.add(w.Mirrors, m.Failing == 0, put(w.MirrorsNumbers, v.Number(m.All), v.Number(m.Failing)), w.MirrorsTodo)
	}
	h.ocfl()
	h.add(w.OpenUploads, true, v.Number(int(now.Uploads)), "")
	h.add(w.VersionName, true, now.Version, "")
	return h.table
}

// add adds a line. A good one leaves nothing to do.
func (h *health) add(name string, good bool, says, todo string) {
	s := state{"public", h.w.Good}
	if !good {
		s = state{"closed", h.w.Bad}
	} else {
		todo = ""
	}
	h.row(name, s, says, todo)
}

func (h *health) row(name string, s state, says, todo string) {
	h.table.Rows = append(h.table.Rows, []cell{{Text: name}, {State: s, Text: says}, {Text: todo}})
}

// unused adds a line of a thing that is not set up, or not this server's.
func (h *health) unused(name, says, todo string) { h.row(name, state{"draft", h.w.Unused}, says, todo) }

func (h *health) when(at time.Time) string { return h.v.Moment(at).Words }

// late reports whether something that should happen every so often has not for half as long again.
func (h *health) late(last time.Time, every, least time.Duration) bool {
	return h.now.Now.Sub(last) > max(every+every/2, least)
}

func (h *health) disk() {
	w, now := h.w, h.now
	if now.DiskFree < 0 {
		h.add(w.Disk, false, w.DiskUnknown, w.DiskTodo)
		return
	}
	h.add(w.Disk, now.DiskFree > roomReserves*max(now.DiskReserve, roomLeast), put(w.DiskFree, h.v.Bytes(now.DiskFree), h.v.Bytes(now.DiskReserve)), w.DiskTodo)
}

func (h *health) backup() {
	w, now := h.w, h.now
	says, todo, least := put(w.LastBackup, h.when(now.BackupSuccess)), w.BackupTodo, 48*time.Hour
	switch {
	case now.BackupSuccess.IsZero():
		says = w.BackupNever
	case !now.BackupWhole:
		says = put(w.BackupPartly, h.when(now.BackupSuccess))
	}
	if now.BackupError != "" {
		says += " " + w.BackupFailed
	}
	if now.BackupEvery == 0 {
		says, todo, least = says+" "+w.NoBackups, w.BackupSet, backupLate
	}
	good := !now.BackupSuccess.IsZero() && now.BackupWhole && now.BackupError == "" && !h.late(now.BackupSuccess, now.BackupEvery, least)
	h.add(w.Backup, good, says, todo)
}

func (h *health) drill() {
	w, now := h.w, h.now
	says := put(w.LastDrill, h.when(now.DrillSuccess))
	if now.DrillSuccess.IsZero() {
		says = w.DrillNever
	}
	switch {
	case now.BackupSuccess.IsZero():
		h.add(w.Drill, false, w.DrillNothing, w.DrillFirst)
	case now.DrillError != "":
		h.add(w.Drill, false, w.DrillFailed+" "+says, w.DrillTodo)
	case now.DrillEvery == 0:
		h.unused(w.Drill, w.NoDrills+" "+says, w.DrillSet)
	default:
		h.add(w.Drill, !now.DrillSuccess.IsZero() && !h.late(now.DrillSuccess, now.DrillEvery, drillLate), says, w.DrillWait)
	}
}

func (h *health) check() {
	w, now := h.w, h.now
	says := put(w.LastCheck, h.when(now.CheckSuccess))
	if now.CheckSuccess.IsZero() {
		says = w.CheckNever
	}
	if now.CheckProblems > 0 {
		says = put(w.CheckFound, h.v.Number(now.CheckProblems)) + " " + says
	}
	if now.CheckRunning {
		says += " " + w.CheckRuns
	}
	if now.CheckEvery == 0 {
		says += " " + w.NoChecks
	}
	good := now.CheckProblems == 0 && (now.CheckRunning || !now.CheckSuccess.IsZero() && !h.late(now.CheckSuccess, now.CheckEvery, checkLate))
	h.add(w.Check, good, says, w.CheckTodo)
}

func (h *health) index() {
	w, now := h.w, h.now
	says := put(w.IndexLag, h.v.Number(int(min(now.LagChanges, 1<<31))), strconv.Itoa(int(now.Lag/time.Second)))
	switch {
	case now.Failing != "":
		says = w.IndexFails + " " + says
	case now.Building:
		says = w.IndexBuilding
	}
	h.add(w.Index, now.Failing == "" && (now.Lag < lagLate || now.Building), says, w.IndexTodo)
}

func (h *health) certificate() {
	w, now := h.w, h.now
	left := now.Certificate.Sub(now.Now)
	switch {
	case !now.TLS:
		h.unused(w.Certificate, w.CertificateElsewhere, w.CertificateThere)
	case now.Certificate.IsZero():
		h.add(w.Certificate, false, w.CertificateNone, w.CertificateTodo)
	case left <= 0:
		h.add(w.Certificate, false, put(w.CertificateEnded, h.when(now.Certificate)), w.CertificateTodo)
	default:
		h.add(w.Certificate, left > certificate, put(w.CertificateEnds, h.when(now.Certificate), strconv.Itoa(int(left/(24*time.Hour)))), w.CertificateTodo)
	}
}

func (h *health) mail() {
	w, now := h.w, h.now
	if !now.Mails {
		says := w.MailsOff
		if now.Mail.Waiting > 0 {
			says += " " + put(w.MailsWait, h.v.Number(int(now.Mail.Waiting)))
		}
		h.unused(w.MailQueue, says, w.MailsSet)
		return
	}
	says := put(w.MailsWait, h.v.Number(int(now.Mail.Waiting)))
	if now.Mail.Oldest >= mailLate {
		says += " " + put(w.MailsOld, strconv.Itoa(int(now.Mail.Oldest/time.Hour)))
	}
	if now.Mail.Dropped > 0 {
		says += " " + put(w.MailsDropped, h.v.Number(int(now.Mail.Dropped)))
	}
	if now.Mail.Unsaid > 0 {
		says += " " + put(w.MailsUnsaid, h.v.Number(int(now.Mail.Unsaid)))
	}
	h.add(w.MailQueue, now.Mail.Oldest < mailLate && now.Mail.Dropped+now.Mail.Unsaid == 0, says, w.MailTodo)
}

// ocfl adds the line of the copy as OCFL, where one is kept.
func (h *health) ocfl() {
	w, f := h.w, h.now.OCFL
	if f == nil {
		return
	}
	says := put(w.DOIsNumbers, h.v.Number(int(f.Waiting)), h.v.Number(int(f.Failing)))
	if f.State.Halted != "" {
		says = w.OCFLHalted + " " + says
	}
	h.add(w.OCFL, f.State.Halted == "" && f.Failing == 0, says, w.OCFLTodo)
}

// put is a text with values in its gaps, in their order.
func put(text string, values ...string) string {
	for i, value := range values {
		text = strings.Replace(text, "%"+strconv.Itoa(i+1), value, 1)
	}
	return text
}

// shownStored is how many people the page of the storage lists.
const shownStored = 100

// Storage tells who keeps how much, by group and by person.
func (a *Admin) Storage(c *endpoint.Call) (endpoint.Reply, error) {
	var v *page
	var r *people.AdminScope
	var groups map[int64]*record.Group
	err := a.api.DB.View(func(tx *bucket.Tx) (err error) {
		if r, err = a.scope(c, tx); err != nil {
			return err
		}
		v = a.begin(c, r, root+"/storage", site.WordsOf(c).Admin.Storage)
		groups, err = names(tx)
		return err
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	stored, err := a.api.Stored()
	if err != nil {
		return endpoint.Reply{}, err
	}
	w := &v.Admin
	people := &table{Caption: w.ByPerson, Head: []string{w.Name, w.Kept, w.KeptPublic, w.Quota}, None: w.NothingKept}
	by := &table{Caption: w.ByGroup, Head: []string{w.Group, w.Kept, w.PeopleWho}, None: w.NothingKept}
	bytes, who, all := map[int64]int64{}, map[int64]int{}, int64(0)
	for _, s := range stored.List {
		if !r.Includes(s.Group) {
			continue
		}
		bytes[s.Group] += s.Bytes
		who[s.Group]++
		all += s.Bytes
		if len(people.Rows) < shownStored {
			quota := ""
			if s.Quota > 0 {
				quota = v.Bytes(s.Quota)
			}
			people.Rows = append(people.Rows, []cell{{Text: s.Name, URL: personAt(s.Account)}, {Text: v.Bytes(s.Bytes), Label: w.Kept}, {Text: v.Bytes(s.Public), Label: w.KeptPublic}, {Text: quota, Label: w.Quota}})
		}
	}
	row := func(name string, id int64) {
		if who[id] > 0 {
			by.Rows = append(by.Rows, []cell{{Text: name}, {Text: v.Bytes(bytes[id]), Label: w.Kept}, {Text: v.Number(who[id]), Label: w.PeopleWho}})
		}
	}
	for _, p := range placed(groups) {
		row(p.path, p.group.ID)
	}
	row(w.NoGroup, 0)
	v.Lead = put(w.KeptTogether, v.Bytes(all), v.Moment(stored.At).Words)
	v.Parts = []part{{Heading: w.ByGroup, Text: w.ByGroupText, Table: by}, {Heading: w.ByPerson, Table: people}}
	return a.show(c, http.StatusOK, v)
}
