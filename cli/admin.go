package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"alcove/bucket"
	"alcove/check"
	"alcove/cli/backup"
	"alcove/cli/erasure"
	"alcove/cli/operate"
	"alcove/cli/sentence"
	"alcove/handlers"
	"alcove/handlers/audit"
	"alcove/handlers/people"
	"alcove/index"
	"alcove/record"
)

// The operator's commands work on the store itself when no server has it open, and
// otherwise through a Unix socket in the data directory that only its owner can reach:
//
//	DIR/alcove.sock        the socket, or
//	DIR/alcove.sock.path   where it is, when its own path would be longer than the system allows
const (
	socketName = "alcove.sock"
	socketNote = "alcove.sock.path"
	maxSocket  = 100 // bytes of a socket's path; systems allow 104 to 108
)

// errNoServer says that no server has the data directory open.
var errNoServer = errors.New("no server runs")

// task is what an operator asks of the store; exactly one field is set. It travels as
// JSON to the server that has the store open.
type task struct {
	Account     *operate.NewAccount   `json:"account"`
	Token       *newToken             `json:"token"`
	Accounts    *struct{}             `json:"accounts"`
	AccountEdit *operate.AccountEdit  `json:"account_edit"`
	Tokens      *tokensOf             `json:"tokens"`
	TokenEnd    *operate.TokenEnd     `json:"token_end"`
	Groups      *struct{}             `json:"groups"`
	Group       *operate.GroupEdit    `json:"group"`
	GroupEnd    *int64                `json:"group_end"`
	Grants      *struct{}             `json:"grants"`
	Role        *operate.RoleEdit     `json:"role"`
	Field       *record.Field         `json:"field"`
	Fields      *fieldsOf             `json:"fields"`
	FieldEnd    *int64                `json:"field_end"`
	Range       *newRange             `json:"range"`
	Ranges      *struct{}             `json:"ranges"`
	RangeEnd    *int64                `json:"range_end"`
	Index       *indexTask            `json:"index"`
	Check       *checkTask            `json:"check"`
	Backup      *backupTask           `json:"backup"`
	Audit       *audit.Query          `json:"audit"`
	Chain       *operate.ChainQuery   `json:"chain"`
	Sweep       *stateTask            `json:"sweep"`
	Clock       *stateTask            `json:"clock"`
	Accesses    *operate.AccessQuery  `json:"accesses"`
	Review      *operate.ReviewQuery  `json:"review"`
	OneTime     *operate.OneTime      `json:"one_time"`
	HandOver    *operate.HandOver     `json:"hand_over"`
	Agreements  *int64                `json:"agreements"`
	Traces      *erasure.Query        `json:"traces"`
	DOIs        *doiTask              `json:"dois"`
	OCFL        *ocflTask             `json:"ocfl"`
	Export      *handlers.ExportQuery `json:"export"`
	People      *operate.People       `json:"people"`
	MirrorEdit  *operate.MirrorEdit   `json:"mirror_edit"`
	Mirrors     *struct{}             `json:"mirrors"`
	MirrorRun   *mirrorTask           `json:"mirror_run"`
}

type fieldsOf struct {
	Group int64 `json:"group"` // 0 for all
}

type newRange struct {
	Name     string `json:"name"`
	Networks string `json:"networks"`
}

type newToken struct {
	Account string `json:"account"`
	Name    string `json:"name"`
}

type tokensOf struct {
	Account string `json:"account"` // empty for all
}

// outcome answers a task: Result is the JSON of what was asked for.
type outcome struct {
	Result json.RawMessage `json:"result"`
	Error  string          `json:"error"`
}

// opened is what a task is carried out on.
type opened struct {
	dir     string
	db      *bucket.DB
	index   *index.Index     // nil when no server runs
	check   *check.Checker   // likewise
	backups *backup.Keeper   // likewise
	site    string           // address of the pages, "" when no server runs
	mails   bool             // they are sent
	api     *handlers.API    // nil when no server runs
	mirrors *mirrorJob       // likewise
	load    http.HandlerFunc // likewise
}

// do carries a task out.
func (t task) do(ctx context.Context, o opened) (any, error) {
	db := o.db
	switch {
	case t.Account != nil:
		return operate.AddAccount(ctx, db, *t.Account)
	case t.Token != nil:
		return operate.AddToken(ctx, db, t.Token.Account, t.Token.Name)
	case t.Accounts != nil:
		return operate.ListAccounts(db)
	case t.AccountEdit != nil:
		return operate.ChangeAccount(ctx, db, *t.AccountEdit, o.mails)
	case t.Tokens != nil:
		return operate.ListTokens(db, t.Tokens.Account)
	case t.TokenEnd != nil:
		return operate.RevokeTokens(ctx, db, *t.TokenEnd)
	case t.OneTime != nil:
		if o.mails && !t.OneTime.Print {
			return operate.MailOneTime(ctx, db, *t.OneTime)
		}
		secret, err := operate.MakeOneTime(ctx, db, *t.OneTime)
		return o.site + people.OneTimePath + secret, err
	case t.People != nil:
		return operate.InvitePeople(ctx, db, *t.People, o.mails && !t.People.Print, o.site+people.OneTimePath)
	case t.Export != nil && o.api != nil:
		return o.api.ExportItems(*t.Export)
	case t.HandOver != nil:
		return operate.HandOverAll(ctx, db, *t.HandOver)
	case t.Groups != nil:
		return operate.ListGroups(db)
	case t.Group != nil:
		return operate.StoreGroup(ctx, db, *t.Group)
	case t.GroupEnd != nil:
		return nil, operate.RemoveGroup(ctx, db, *t.GroupEnd)
	case t.Grants != nil:
		return operate.ListGrants(db)
	case t.Role != nil:
		return nil, operate.ChangeRole(ctx, db, *t.Role)
	case t.Field != nil:
		return operate.AddField(ctx, db, *t.Field)
	case t.Fields != nil:
		return operate.ListFields(db, t.Fields.Group)
	case t.FieldEnd != nil:
		return nil, operate.RemoveField(ctx, db, *t.FieldEnd)
	case t.Range != nil:
		return operate.AddRange(ctx, db, t.Range.Name, t.Range.Networks)
	case t.Ranges != nil:
		return operate.ListRanges(db)
	case t.RangeEnd != nil:
		return nil, operate.RemoveRange(ctx, db, *t.RangeEnd)
	case t.Index != nil && o.index != nil:
		return t.Index.do(o.index), nil
	case t.Index != nil:
		return index.Inspect(ctx, o.dir, db), nil
	case t.Audit != nil:
		return audit.Read(db, *t.Audit)
	case t.Review != nil:
		return operate.ListReview(db, *t.Review)
	case t.Traces != nil:
		return erasure.FindTraces(db, *t.Traces)
	case t.Agreements != nil:
		return operate.ListAgreements(db, *t.Agreements)
	case t.Accesses != nil:
		return operate.ReadAccesses(db, *t.Accesses)
	case t.Chain != nil:
		return operate.CheckChain(db, *t.Chain)
	case t.DOIs != nil:
		return t.DOIs.do(ctx, db)
	case t.OCFL != nil:
		return t.OCFL.do(ctx, db)
	case t.Sweep != nil:
		return t.Sweep.sweep(ctx, db)
	case t.Clock != nil:
		return t.Clock.clock(ctx, db)
	case t.Backup != nil && o.backups != nil:
		return t.Backup.do(o.backups)
	case t.MirrorEdit != nil:
		err := operate.ChangeMirrors(ctx, db, *t.MirrorEdit)
		if err == nil && o.mirrors != nil {
			o.mirrors.soon()
		}
		return nil, err
	case t.Mirrors != nil:
		return operate.ListMirrors(db)
	case t.MirrorRun != nil && o.mirrors != nil:
		return t.MirrorRun.do(o.mirrors), nil
	case t.Check != nil && o.check != nil:
		return t.Check.do(o.check), nil
	}
	return nil, errors.New("cannot do an empty task")
}

// encoded is do with the result as JSON, in which documents of items stay as they are: their HTML is not escaped.
func (t task) encoded(ctx context.Context, o opened) (json.RawMessage, error) {
	result, err := t.do(ctx, o)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(result); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// adminSocket serves operators' tasks beside the API.
type adminSocket struct {
	http  *http.Server
	paths []string // to remove at the end
}

func listenAdmin(o opened, log *slog.Logger) (*adminSocket, error) {
	abs, err := filepath.Abs(o.dir)
	if err != nil {
		return nil, fmt.Errorf("cannot listen for operators: %w", err)
	}
	s := &adminSocket{}
	path, note := filepath.Join(abs, socketName), filepath.Join(abs, socketNote)
	// The store is locked, so whatever lies here was left by a server that is gone.
	for _, old := range []string{path, note} {
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("cannot listen for operators: %w", err)
		}
	}
	if len(path) > maxSocket {
		private, err := os.MkdirTemp("", "alcove-") // made with mode 0700
		if err != nil {
			return nil, fmt.Errorf("cannot listen for operators: %w", err)
		}
		path = filepath.Join(private, socketName)
		if err := os.WriteFile(note, []byte(path+"\n"), 0o600); err != nil {
			return nil, fmt.Errorf("cannot listen for operators: %w", err)
		}
		s.paths = []string{note, private}
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("cannot listen for operators: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, fmt.Errorf("cannot listen for operators: %w", err)
	}
	s.http = &http.Server{
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == loadPath {
				o.load(w, r)
				return
			}
			var t task
			var answer outcome
			err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&t)
			if err == nil {
				answer.Result, err = t.encoded(r.Context(), o)
			}
			if err != nil {
				answer.Error = sentence.Of(err)
			}
			e := json.NewEncoder(w)
			e.SetEscapeHTML(false)
			_ = e.Encode(answer) // to a command that has gone away
		}),
	}
	go func() { // ends with close
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Error("cannot go on listening for operators", "error", err)
		}
	}()
	return s, nil
}

func (s *adminSocket) close() {
	s.http.Close()
	for _, p := range s.paths {
		os.RemoveAll(p)
	}
}
