package admin

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/handlers/accounts"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/people"
	"alcove/record"
	"alcove/site"
)

// HandOverPage has the form to give what an account has to another one, and to merge it into that.
func (a *Admin) HandOverPage(c *endpoint.Call) (endpoint.Reply, error) {
	return a.handOverPage(c, http.StatusOK, nil, "")
}

func handOverAt(id int64) string { return personAt(id) + "/hand-over" }

// handOverPage is the page, with what would go to an account, nil for the form alone.
func (a *Admin) handOverPage(c *endpoint.Call, status int, to *record.Account, wrong string) (endpoint.Reply, error) {
	var v *page
	err := a.api.DB.View(func(tx *bucket.Tx) error {
		if _, err := a.whole(c, tx); err != nil {
			return err
		}
		acc, r, err := people.Administered(c, tx)
		if err != nil {
			return err
		}
		v = a.begin(c, r, peoplePath, site.NameOf(acc))
		w, owned := &v.Admin, items.OwnedBy(tx, acc.ID)
		v.Up, v.Lead = site.Link{Text: site.NameOf(acc), URL: personAt(acc.ID)}, w.HandOverText
		v.Parts = []part{{Heading: w.HandOver, Facts: []fact{
			{v.Mine.Items, []cell{{Text: v.Number(owned.Articles)}}}, {v.Mine.Collections, []cell{{Text: v.Number(owned.Collections)}}},
			{v.Mine.Projects, []cell{{Text: v.Number(owned.Projects)}}}, {w.Kept, []cell{{Text: v.Bytes(acc.Used())}}},
		}}}
		look := do(handOverAt(acc.ID), "look", w.Look)
		look.Controls = []site.Control{{Name: "to", Kind: "line", Label: w.HandOverTo, Help: w.ActorHelp, Value: c.Field("to"), Most: 150, Error: wrong}}
		if wrong != "" {
			v.Form.Fields = []site.Field{{Name: "to", Error: wrong}}
		}
		v.Parts[0].Forms = []action{look}
		if to != nil {
			give, merge := do(handOverAt(acc.ID), "give", w.HandOverButton), do(handOverAt(acc.ID), "merge", w.Merge)
			give.Hidden = []hidden{{"to", strconv.FormatInt(to.ID, 10)}}
			merge.Hidden, merge.Text = give.Hidden, w.MergeText
			v.Parts = append(v.Parts, part{ID: "dry", Heading: put(w.HandOverWho, site.NameOf(acc), site.NameOf(to), to.Email), Text: w.HandOverDry, Forms: []action{give, merge}})
		}
		return nil
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	return a.show(c, status, v)
}

var errNoHeir = errors.New("no account takes the items")

// heir is the account that is to take over, which is active and another one.
func (a *Admin) heir(c *endpoint.Call, tx *bucket.Tx, from *record.Account, text string) (*record.Account, error) {
	to, err := accounts.Find(tx, strings.TrimSpace(text))
	if err != nil || to.ID == from.ID || to.InstitutionID != accounts.InstitutionID || !to.Active(tx.Latest()) {
		return nil, errNoHeir
	}
	return to, nil
}

// handedOver is how many items one request gives away. The rest goes with the next one.
const handedOver = 1000

// HandOver tells what would be handed over, or does it.
func (a *Admin) HandOver(c *endpoint.Call) (endpoint.Reply, error) {
	what, w := c.Field("do"), &site.WordsOf(c).Admin
	var to *record.Account
	step := func(c *endpoint.Call, tx *bucket.Tx, work func(from *record.Account) error) error {
		if _, err := a.whole(c, tx); err != nil {
			return err
		}
		from, _, err := people.Changeable(c, tx)
		if err == nil {
			to, err = a.heir(c, tx, from, c.Field("to"))
		}
		if err == nil && what == "merge" && from.ID == c.Account.ID {
			err = record.ErrOwnAccount
		}
		if err != nil {
			return err
		}
		return work(from)
	}
	err := a.api.DB.View(func(tx *bucket.Tx) error { return step(c, tx, func(*record.Account) error { return nil }) })
	switch text, again := said(site.WordsOf(c), err); {
	case errors.Is(err, errNoHeir):
		return a.handOverPage(c, http.StatusUnprocessableEntity, nil, w.NoHeir)
	case again:
		return a.handOverPage(c, statusOf(err), nil, text)
	case err != nil:
		return endpoint.Reply{}, err
	case what == "look":
		return a.handOverPage(c, http.StatusOK, to, "")
	case what != "give" && what != "merge":
		return endpoint.Reply{}, record.Wrong("do", "is not known")
	}
	more := true
	for n := 0; more && n < handedOver; n++ {
		_, err := a.api.Change(c, nil, "", nil, func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
			return endpoint.Reply{}, step(c, tx, func(from *record.Account) (err error) {
				if more, err = items.HandOver(tx, from, to); more || err != nil || what == "give" {
					return err
				}
				return accounts.Merge(tx, from, to)
			})
		})
		if err != nil {
			return endpoint.Reply{}, err
		}
	}
	if more {
		return site.Onward(handOverAt(c.ID("account_id")) + "?done=part"), nil
	}
	return site.Onward(personAt(c.ID("account_id")) + "?done=" + what), nil
}
