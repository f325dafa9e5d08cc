package accounts

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/bucket/users"
	"alcove/record"
)

// Guest is a line of a table of people who are to be invited.
type Guest struct {
	Line    int    `json:"line"` // of the table, from 1 on
	Email   string `json:"email"`
	First   string `json:"first_name"`
	Last    string `json:"last_name"`
	Group   string `json:"group"`    // its name or id as it was written, "" for none
	GroupID int64  `json:"group_id"` // what that is
	Known   int64  `json:"account_id"`
	Invited bool   `json:"invited"` // already
	Wrong   string `json:"wrong"`   // why the line cannot be done, "" where it can
	Address string `json:"address"` // of the invitation that was made
}

// The reasons why a line cannot be done.
const (
	WrongMail  = "mail"
	WrongName  = "name"
	WrongGroup = "group"
	WrongTwice = "twice" // the address stands in a line before it
)

const mostGuestName = 100 // characters

// Pending reports whether a guest is to be invited.
func (g *Guest) Pending() bool { return g.Wrong == "" && g.Known == 0 && !g.Invited }

// guestColumns are what the head of a table may name, in the order of a table without one.
var guestColumns = [][]string{{"email", "e_mail", "mail"}, {"first_name", "first"}, {"last_name", "last"}, {"group"}}

// ErrGuestColumn says that the head of a table names a column that is not known, or no email.
var ErrGuestColumn = errors.New("the first line names the columns, and they may be email, first_name, last_name and group, of which email must be there")

// ReadGuests reads a table of address, first name, last name and group, separated by commas, semicolons or tabs: one guest
// more than most at most. A first line without an address is its head: where it names columns they may have any order.
func ReadGuests(text string, most int) (guests []Guest, err error) {
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")
	rows := csv.NewReader(strings.NewReader(text))
	rows.FieldsPerRecord, rows.TrimLeadingSpace = -1, true
	first, _, _ := strings.Cut(text, "\n")
	for _, r := range ";\t" {
		if strings.ContainsRune(first, r) && !strings.Contains(first, ",") {
			rows.Comma = r
		}
	}
	order := []int{0, 1, 2, 3} // the columns of guestColumns
	for n := 0; len(guests) <= most; n++ {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		if n == 0 && !strings.Contains(row[0], "@") && len(row) > 1 {
			if order, err = guestHead(row); err != nil {
				return nil, err
			}
			continue
		}
		if strings.Join(row, "") == "" {
			continue
		}
		at := func(column int) string {
			if i := order[column]; i >= 0 && i < len(row) {
				return row[i]
			}
			return ""
		}
		line, _ := rows.FieldPos(0)
		guests = append(guests, Guest{Line: line, Email: at(0), First: at(1), Last: at(2), Group: at(3)})
	}
	return guests, nil
}

// guestHead is where a head has the columns, -1 for nowhere. One that has none of their names, as it is in another
// language, stands over the usual order.
func guestHead(row []string) ([]int, error) {
	order, known := []int{-1, -1, -1, -1}, 0
	for i, name := range row {
		name = strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(name))
		if at := slices.IndexFunc(guestColumns, func(names []string) bool { return slices.Contains(names, name) }); at >= 0 && order[at] < 0 {
			order[at] = i
			known++
		}
	}
	switch {
	case known == 0:
		return []int{0, 1, 2, 3}, nil
	case known < len(row) || order[0] < 0:
		return nil, ErrGuestColumn
	}
	return order, nil
}

// CheckGuests says what is wrong with each of some lines by itself, and which address stands there twice.
func CheckGuests(guests []Guest) {
	seen := map[string]bool{}
	for i := range guests {
		g := &guests[i]
		folded := record.FoldEmail(g.Email)
		if len([]rune(g.First)) > mostGuestName || len([]rune(g.Last)) > mostGuestName || strings.ContainsFunc(g.First+g.Last, unprintable) {
			g.Wrong = WrongName
		}
		if strings.TrimSpace(g.Email) != g.Email || record.CheckEmail(g.Email) != nil {
			g.Wrong = WrongMail
		}
		if seen[folded] {
			g.Wrong = WrongTwice
		}
		seen[folded] = true
	}
}

func unprintable(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }

// FindGuests looks what there is already of guests that were checked: their groups among those that may be named, their
// accounts, their invitations. none says that they may be in no group.
func FindGuests(tx *bucket.Tx, guests []Guest, may func(group int64) bool, none bool) error {
	groups, err := GroupsOf(tx, InstitutionID)
	if err != nil {
		return err
	}
	waiting, err := invitedByMail(tx)
	if err != nil {
		return err
	}
	for i := range guests {
		g := &guests[i]
		known := false
		if g.GroupID, known = guestGroup(groups, g.Group, may, none); !known && g.Wrong == "" {
			g.Wrong = WrongGroup
		}
		if g.Wrong != "" {
			continue
		}
		if EmailTaken(tx, g.Email) {
			acc, err := Find(tx, g.Email)
			if err != nil {
				return err
			}
			g.Known = acc.ID
		}
		if g.Invited, err = invited(tx, g.Email); err != nil {
			return err
		}
		g.Invited = g.Invited || waiting[record.FoldEmail(g.Email)]
	}
	return nil
}

// guestGroup is the group that a line means by its name or id, 0 for none where that is allowed.
func guestGroup(groups []*record.Group, text string, may func(int64) bool, none bool) (found int64, ok bool) {
	if text == "" || text == "0" {
		return 0, none
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
		return n, may(n)
	}
	for _, g := range groups {
		if strings.EqualFold(g.Name, text) && may(g.ID) {
			if found != 0 {
				return 0, false // which of them is not said
			}
			found = g.ID
		}
	}
	return found, found != 0
}

// invited reports whether an invitation of an e-mail address is good.
func invited(tx *bucket.Tx, email string) (bool, error) {
	for hit := range users.OneTimeLinksByEmail.Ascending(tx, bucket.SortKey(record.FoldEmail(email))) {
		l, err := users.OneTimeLinks.Get(tx, hit.Key)
		if err != nil {
			return false, err
		}
		if l.AccountID == 0 && tx.Latest().Before(l.Expires) {
			return true, nil
		}
	}
	return false, nil
}

// invitedByMail are the e-mail addresses of the invitations that wait to be sent.
func invitedByMail(tx *bucket.Tx) (map[string]bool, error) {
	waiting := map[string]bool{}
	for row, err := range exchange.Outbox.All(tx, nil) {
		if err != nil {
			return nil, fmt.Errorf("cannot read the mails that wait: %w", err)
		}
		if row.Record.Kind == record.MailInvitation {
			waiting[record.FoldEmail(row.Record.To)] = true
		}
	}
	return waiting, nil
}
