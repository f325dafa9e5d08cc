package admin

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/record"
	"alcove/site"
)

// Start is the first page: for administrators of the institution how the repository is, for others their people.
func (a *Admin) Start(c *handlers.Call) (handlers.Reply, error) {
	var v *page
	err := a.api.DB.View(func(tx *bucket.Tx) error {
		r, err := a.scope(c, tx)
		if err == nil && r.Whole {
			v = a.begin(c, r, root, site.WordsOf(c).Admin.Title)
		}
		return err
	})
	if err != nil {
		return handlers.Reply{}, err
	}
	if v == nil {
		return site.Onward(peoplePath), nil
	}
	now, err := a.api.Condition()
	if err != nil {
		return handlers.Reply{}, err
	}
	v.Parts = []part{{Heading: v.Admin.Health, Table: healthTable(v, &now)}}
	return a.show(c, http.StatusOK, v)
}

// When something is too old, or too near.
const (
	backupLate   = 8 * 24 * time.Hour
	checkLate    = 45 * 24 * time.Hour
	certificate  = 14 * 24 * time.Hour
	mailLate     = time.Hour
	lagLate      = time.Minute
	roomReserves = 3 // times the reserve
)

// healthTable is a sentence, a state and what to do for each thing that can go wrong.
func healthTable(v *page, now *handlers.Condition) *table {
	w := &v.Admin
	t := &table{Caption: w.Health, Head: []string{w.Thing, w.State, w.Todo}}
	add := func(name string, good bool, says, todo string) {
		s := state{"public", w.Good}
		if !good {
			s = state{"closed", w.Bad}
		} else {
			todo = ""
		}
		t.Rows = append(t.Rows, []cell{{Text: name}, {State: s, Text: says}, {Text: todo}})
	}
	when := func(at time.Time) string {
		if at.IsZero() {
			return w.NeverYet
		}
		return v.Moment(at).Words
	}
	if now.DiskFree >= 0 {
		add(w.Disk, now.DiskFree > roomReserves*now.DiskReserve, put(w.DiskFree, v.Bytes(now.DiskFree), v.Bytes(now.DiskReserve)), w.DiskTodo)
	}
	add(w.StoreName, !now.Stopped, map[bool]string{true: w.StoreStopped, false: w.StoreWrites}[now.Stopped], w.StoreTodo)
	backup := put(w.LastBackup, when(now.BackupSuccess))
	if !now.Backups {
		backup += " " + w.NoBackups
	}
	add(w.Backup, !now.BackupSuccess.IsZero() && now.Now.Sub(now.BackupSuccess) < backupLate && now.BackupWhole && now.BackupError == "", backup, w.BackupTodo)
	add(w.Drill, now.DrillError == "" && (!now.DrillSuccess.IsZero() || now.BackupSuccess.IsZero()), put(w.LastDrill, when(now.DrillSuccess)), w.DrillTodo)
	check := put(w.LastCheck, when(now.CheckSuccess))
	if now.CheckProblems > 0 {
		check = put(w.CheckFound, v.Number(now.CheckProblems)) + " " + check
	}
	if now.CheckRunning {
		check += " " + w.CheckRuns
	}
	add(w.Check, now.CheckProblems == 0 && (!now.CheckSuccess.IsZero() && now.Now.Sub(now.CheckSuccess) < checkLate || now.CheckRunning), check, w.CheckTodo)
	index := put(w.IndexLag, v.Number(int(min(now.LagChanges, 1<<31))), strconv.Itoa(int(now.Lag/time.Second)))
	if now.Building {
		index = w.IndexBuilding
	}
	add(w.Index, now.Failing == "" && (now.Lag < lagLate || now.Building), index, w.IndexTodo)
	if now.TLS && !now.Certificate.IsZero() {
		left := now.Certificate.Sub(now.Now)
		add(w.Certificate, left > certificate, put(w.CertificateEnds, when(now.Certificate), strconv.Itoa(max(0, int(left/(24*time.Hour))))), w.CertificateTodo)
	}
	mail := put(w.MailsWait, v.Number(int(now.Mail.Waiting)))
	add(w.MailQueue, now.Mail.Oldest < mailLate && now.Mail.Dropped == 0, mail, w.MailTodo)
	add(w.OpenUploads, true, v.Number(int(now.Uploads)), "")
	add(w.VersionName, true, now.Version, "")
	return t
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
func (a *Admin) Storage(c *handlers.Call) (handlers.Reply, error) {
	var v *page
	var r *handlers.AdminScope
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
		return handlers.Reply{}, err
	}
	stored, err := a.api.Stored()
	if err != nil {
		return handlers.Reply{}, err
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
