package handlers

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/handlers/accounts"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
)

// feedQuery is what an upload of a feed may say besides the file.
type feedQuery struct {
	DryRun  *bool   `json:"dry_run"`
	Confirm *string `json:"confirm"`
}

// feedShare is the part of the institution's accounts, one in so many, beyond which a feed that
// changes them has to be confirmed.
const feedShare = 10

// FeedUpload makes accounts as a feed of people says (interop F1): those that it names, and no
// others. It is done whole or not at all. With dry_run nothing is done, and the answer has the
// word by which the same feed is confirmed as long as it would do the same.
func (a *API) FeedUpload(c *endpoint.Call) (endpoint.Reply, error) {
	if !c.Account.Admin || c.Account.InstitutionID != accounts.InstitutionID {
		return endpoint.Reply{}, record.ErrNotAdministrator
	}
	word, confirmed := c.Query.Find("confirm")
	dry, asked := c.Query.Find("dry_run")
	if asked && dry != "true" && dry != "false" {
		return endpoint.Reply{}, record.Wrong("dry_run", "must be true or false")
	}
	file, err := c.FormFile("hrfeed")
	if err != nil {
		return endpoint.Reply{}, err
	}
	people, err := record.ReadFeed(file)
	if err != nil {
		return endpoint.Reply{}, feedError(err)
	}
	if dry == "true" {
		var f *feed
		err := a.DB.View(func(tx *bucket.Tx) error {
			f, err = readFeed(c, tx, file, people)
			return err
		})
		if err != nil {
			return endpoint.Reply{}, err
		}
		return f.reply(true), nil
	}
	return c.Write(func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
		f, err := readFeed(c, tx, file, people)
		switch {
		case err != nil:
			return endpoint.Reply{}, err
		case confirmed && word != f.word:
			return endpoint.Reply{}, record.ErrFeedOther
		case !confirmed && f.changed*feedShare > f.accounts:
			return endpoint.Reply{}, record.ErrFeedUnconfirmed.With("changed", f.changed).With("accounts", f.accounts)
		}
		return f.reply(false), f.store(tx)
	})
}

// feedError is the refusal of a feed that cannot be read, or that has a wrong value.
func feedError(err error) error {
	var refused *record.Error
	if errors.As(err, &refused) {
		return err
	}
	return record.Bad("FeedUnreadable", "The feed cannot be read: "+err.Error())
}

// feed is what is to be done for a feed.
type feed struct {
	steps                                []feedStep
	accounts, created, changed, disabled int
	warnings                             []string
	word                                 string // by which it is confirmed
}

type feedStep struct {
	account *record.Account // with the id 0 for a new one
	person  *record.Person
	before  record.Account
}

// says is what the step changes, from what to what: what is confirmed.
func (s *feedStep) says() (texts []string) {
	for _, a := range []*record.Account{&s.before, s.account} {
		texts = append(texts, fmt.Sprint(a.ID, a.GroupID, a.Quota, a.Disabled), a.InstitutionUserID, a.Email, a.FirstName, a.LastName)
	}
	return append(texts, s.person.ORCID)
}

// register is the accounts of the institution by what feeds name them by.
type register struct {
	byID, byEmail  map[string]*record.Account
	groups         map[string]int64 // by their criteria, 0 for several
	administrators map[int64]bool   // who are active
}

func (f *feed) register(tx *bucket.Tx) (*register, error) {
	r := &register{map[string]*record.Account{}, map[string]*record.Account{}, map[string]int64{}, map[int64]bool{}}
	for row, err := range users.Accounts.All(tx, nil) {
		if err != nil {
			return nil, err
		}
		acc := row.Record
		f.accounts++
		r.byEmail[record.FoldEmail(acc.Email)] = acc
		if acc.InstitutionUserID != "" {
			r.byID[acc.InstitutionUserID] = acc
		}
		if acc.Admin && acc.Active(tx.Latest()) {
			r.administrators[acc.ID] = true
		}
	}
	groups, err := accounts.GroupsOf(tx, accounts.InstitutionID)
	for _, g := range groups {
		if _, taken := r.groups[g.AssociationCriteria]; taken {
			r.groups[g.AssociationCriteria] = 0
		} else {
			r.groups[g.AssociationCriteria] = g.ID
		}
	}
	return r, err
}

// find is the account that a feed means: the one with its id in the institution, or with its
// address and no such id; nil for a new one.
func (r *register) find(p *record.FeedPerson, where string) (*record.Account, error) {
	known := r.byEmail[record.FoldEmail(p.Email)]
	acc := r.byID[p.UniqueID]
	switch {
	case acc == nil && known != nil && known.InstitutionUserID == "":
		return known, nil
	case p.Email != "" && known != nil && known != acc:
		return nil, record.Wrong(where+".Email", "belongs to another account")
	case acc == nil && (p.Email == "" || p.LastName == ""):
		return nil, record.Wrong(where, "names a new person, who needs an Email and a LastName")
	}
	return acc, nil
}

// readFeed says what a feed would do now.
func readFeed(c *endpoint.Call, tx *bucket.Tx, file []byte, people []record.FeedPerson) (*feed, error) {
	f := &feed{warnings: []string{}}
	r, err := f.register(tx)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	sum.Write(file)
	for i := range people {
		where := fmt.Sprintf("records[%d]", i)
		step, changed, err := f.step(tx, r, &people[i], where)
		if err != nil {
			return nil, err
		}
		if !changed {
			continue
		}
		id := step.account.ID
		if step.account.Disabled && (id == c.Account.ID || id == c.Actor) {
			return nil, record.ErrOwnAccount.With("record", where)
		}
		if step.account.Disabled {
			delete(r.administrators, id)
		}
		fmt.Fprintf(sum, "%q\n", step.says())
		f.steps = append(f.steps, step)
	}
	if len(r.administrators) == 0 {
		return nil, record.ErrLastAdministrator
	}
	f.word = hex.EncodeToString(sum.Sum(nil))
	return f, nil
}

// step is what is to be done for one person, and counts it.
func (f *feed) step(tx *bucket.Tx, r *register, p *record.FeedPerson, where string) (feedStep, bool, error) {
	acc, err := r.find(p, where)
	if err != nil {
		return feedStep{}, false, err
	}
	group := int64(0)
	if p.Criteria != "" {
		if group = r.groups[p.Criteria]; group == 0 {
			f.warn(where + ": no single group has these criteria, so the person stays where it is")
		}
	}
	if p.Title+p.Initials+p.Suffix != "" {
		f.warn("Title, Initials and Suffix are not kept")
	}
	if acc == nil {
		step := feedStep{&record.Account{InstitutionID: accounts.InstitutionID}, &record.Person{}, record.Account{}}
		p.Apply(step.account, step.person, group)
		r.byEmail[record.FoldEmail(p.Email)] = step.account
		f.created++
		return step, true, nil
	}
	person, err := users.People.Get(tx, acc.PersonID)
	if err != nil {
		return feedStep{}, false, err
	}
	after := *acc
	changed := p.Apply(&after, person, group)
	if changed {
		f.changed++
	}
	if after.Disabled && !acc.Disabled {
		f.disabled++
	}
	return feedStep{&after, person, *acc}, changed, nil
}

// feedWarnings is how many warnings an answer has.
const feedWarnings = 100

func (f *feed) warn(text string) {
	if len(f.warnings) < feedWarnings && !slices.Contains(f.warnings, text) {
		f.warnings = append(f.warnings, text)
	}
}

// store does what is to be done.
func (f *feed) store(tx *bucket.Tx) error {
	for _, s := range f.steps {
		if err := s.store(tx); err != nil {
			return err
		}
	}
	return nil
}

func (s *feedStep) store(tx *bucket.Tx) error {
	acc, person := s.account, s.person
	if acc.ID != 0 {
		acc.Modified = tx.Now()
		if acc.Disabled {
			if err := auth.EndAccess(tx, acc.ID); err != nil {
				return err
			}
		}
		return errors.Join(users.Accounts.Put(tx, acc.ID, acc), users.People.Put(tx, person.ID, person), accounts.ClaimInvitations(tx, acc))
	}
	if err := accounts.Store(tx, acc); err != nil || person.ORCID == "" {
		return err
	}
	stored, err := users.People.Get(tx, acc.PersonID)
	if err != nil {
		return err
	}
	stored.ORCID = person.ORCID
	return users.People.Put(tx, stored.ID, stored)
}

func (f *feed) reply(dry bool) endpoint.Reply {
	body := present.Feed{Message: "OK", DryRun: dry, Created: f.created, Changed: f.changed, Disabled: f.disabled, Warnings: f.warnings}
	if dry {
		body.Confirm = &f.word
	}
	return endpoint.Reply{Body: body}
}
