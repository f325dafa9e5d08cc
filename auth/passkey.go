package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"time"

	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/users"
	"alcove/record"
	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

const (
	passkeysEach    = 20 // that an account may have
	challengeLasts  = 5 * time.Minute
	mostChallenges  = 10_000 // that wait; those that end first go for new ones
	passkeyID       = 16     // characters of the key of a passkey that name it among those of the account
	mostPasskeyName = 100    // characters
)

var (
	// ErrPasskey says that a passkey is unknown, or that what its device has signed is not what was asked for.
	ErrPasskey = errors.New("the passkey is not known here, or was not used as it should be")
	// ErrPasskeys says that an account has as many passkeys as it may have.
	ErrPasskeys = errors.New("the account has too many passkeys")
)

// Passkeys are for the pages at one address: its whole host name.
type passkeys struct {
	service *webauthn.WebAuthn // nil where there are none: the address is a number, or neither HTTPS nor localhost
}

func newPasskeys(site, name string) passkeys {
	u, err := url.Parse(site)
	if err != nil || u.Scheme != "https" && u.Hostname() != "localhost" {
		return passkeys{}
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return passkeys{}
	}
	limit := webauthn.TimeoutConfig{Enforce: true, Timeout: challengeLasts, TimeoutUVD: challengeLasts}
	service, err := webauthn.New(&webauthn.Config{
		RPID: u.Hostname(), RPDisplayName: name, RPOrigins: []string{u.Scheme + "://" + u.Host},
		AuthenticatorSelection: protocol.AuthenticatorSelection{ResidentKey: protocol.ResidentKeyRequirementRequired, UserVerification: protocol.VerificationRequired},
		AttestationPreference:  protocol.PreferNoAttestation,
		Timeouts:               webauthn.TimeoutsConfig{Login: limit, Registration: limit},
	})
	if err != nil {
		return passkeys{}
	}
	return passkeys{service}
}

// TakePasskeys lets people sign in with passkeys, on pages at an address with a name. It comes before everything else.
func (s *Service) TakePasskeys(site, name string) { s.passkeys = newPasskeys(site, name) }

// HasPasskeys reports whether people can sign in with passkeys.
func (s *Service) HasPasskeys() bool { return s.passkeys.service != nil }

// holder is an account as package webauthn sees it.
type holder struct {
	handle      []byte
	email, name string
	credentials []webauthn.Credential
}

func (h *holder) WebAuthnID() []byte                         { return h.handle }
func (h *holder) WebAuthnName() string                       { return h.email }
func (h *holder) WebAuthnDisplayName() string                { return h.name }
func (h *holder) WebAuthnCredentials() []webauthn.Credential { return h.credentials }

// handle is what a device knows an account by: it says nothing to others.
func (s *Service) handle(account int64) []byte {
	mac := hmac.New(sha256.New, s.db.Secret())
	mac.Write(binary.BigEndian.AppendUint64([]byte("passkeys of an account "), uint64(account)))
	return mac.Sum(nil)
}

func (s *Service) holder(tx *bucket.Tx, account int64) (*holder, error) {
	acc, err := users.Accounts.Get(tx, account)
	if err != nil {
		return nil, err
	}
	h := &holder{handle: s.handle(account), email: acc.Email, name: acc.FirstName + " " + acc.LastName}
	for _, key := range bucket.Keys(users.PasskeysByAccount.Ascending(tx, bucket.SortKey(account))) {
		p, err := users.Passkeys.Get(tx, key)
		if err != nil {
			return nil, err
		}
		var c webauthn.Credential
		if err := json.Unmarshal(p.Credential, &c); err != nil {
			return nil, fmt.Errorf("cannot read a passkey: %w", err)
		}
		h.credentials = append(h.credentials, c)
	}
	return h, nil
}

func credentialKey(id []byte) string {
	sum := sha256.Sum256(id)
	return hex.EncodeToString(sum[:])
}

// PasskeyOptions are what a browser is given to make a passkey of an account.
func (s *Service) PasskeyOptions(ctx context.Context, account int64) (options any, err error) {
	err = s.db.UpdateBy(ctx, changelog.By{Account: account}, func(tx *bucket.Tx) error {
		h, err := s.holder(tx, account)
		if err != nil {
			return err
		}
		if len(h.credentials) >= passkeysEach {
			return ErrPasskeys
		}
		creation, session, err := s.passkeys.service.BeginRegistration(h, webauthn.WithExclusions(webauthn.Credentials(h.credentials).CredentialDescriptors()))
		if err != nil {
			return fmt.Errorf("cannot begin a passkey: %w", err)
		}
		options = creation
		return putChallenge(tx, account, session)
	})
	return options, err
}

// SignInOptions are what a browser is given to sign in with a passkey of any account.
func (s *Service) SignInOptions(ctx context.Context) (options any, err error) {
	assertion, session, err := s.passkeys.service.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return nil, fmt.Errorf("cannot begin to sign in with a passkey: %w", err)
	}
	return assertion, s.db.UpdateBy(ctx, changelog.By{}, func(tx *bucket.Tx) error { return putChallenge(tx, 0, session) })
}

// putChallenge stores a challenge.
func putChallenge(tx *bucket.Tx, account int64, session *webauthn.SessionData) error {
	b, err := json.Marshal(session)
	if err != nil {
		return err
	}
	if err := makeRoomForChallenge(tx); err != nil {
		return err
	}
	return users.Challenges.Put(tx, keyOf(session.Challenge), &record.Challenge{AccountID: account, Session: b, Expires: tx.Now().Add(challengeLasts)})
}

// makeRoomForChallenge removes some challenges that have ended, or are too many.
func makeRoomForChallenge(tx *bucket.Tx) error {
	var gone []string
	for hit := range users.ChallengesByEnd.Ascending(tx, nil) {
		if len(gone) == 2 || tx.Latest().Before(bucket.SortedTime(hit.Sort)) && users.ChallengesWaiting.Sum(tx) < mostChallenges {
			break
		}
		gone = append(gone, hit.Key)
	}
	for _, key := range gone {
		if err := users.Challenges.Delete(tx, key); err != nil {
			return err
		}
	}
	return nil
}

// takeChallenge uses up a challenge that an account was given, 0 for one to sign in with.
func takeChallenge(tx *bucket.Tx, account int64, challenge string) (*webauthn.SessionData, error) {
	c, err := users.Challenges.Get(tx, keyOf(challenge))
	if errors.Is(err, bucket.ErrNotFound) || err == nil && c.Away {
		return nil, ErrPasskey
	}
	if err != nil {
		return nil, err
	}
	if err := users.Challenges.Delete(tx, keyOf(challenge)); err != nil {
		return nil, err
	}
	if c.AccountID != account || !tx.Latest().Before(c.Expires) {
		return nil, nil // used up, and of no use
	}
	session := new(webauthn.SessionData)
	return session, json.Unmarshal(c.Session, session)
}

// AddPasskey stores the passkey that a device has made.
func (s *Service) AddPasskey(ctx context.Context, account int64, name string, response []byte) error {
	parsed, err := protocol.ParseCredentialCreationResponseBytes(response)
	if err != nil {
		return ErrPasskey
	}
	refused := false
	err = s.db.UpdateBy(ctx, changelog.By{Account: account}, func(tx *bucket.Tx) error {
		refused = true
		session, err := takeChallenge(tx, account, parsed.Response.CollectedClientData.Challenge)
		if err != nil || session == nil {
			return err
		}
		h, err := s.holder(tx, account)
		if err != nil {
			return err
		}
		if len(h.credentials) >= passkeysEach {
			return ErrPasskeys
		}
		made, err := s.passkeys.service.CreateCredential(h, *session, parsed)
		if err != nil || users.Passkeys.Has(tx, credentialKey(made.ID)) {
			return nil
		}
		b, err := json.Marshal(made)
		if err != nil {
			return err
		}
		refused = false
		return users.Passkeys.Put(tx, credentialKey(made.ID), &record.Passkey{AccountID: account, Name: name, Credential: b, Created: tx.Now()})
	})
	if err == nil && refused {
		err = ErrPasskey
	}
	return err
}

// CheckPasskey is the active account whose passkey has signed a challenge; otherwise the error is ErrPasskey. A device whose
// counter has gone back may have been copied, and is refused.
func (s *Service) CheckPasskey(ctx context.Context, response []byte) (account int64, err error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(response)
	if err != nil {
		return 0, ErrPasskey
	}
	err = s.db.UpdateBy(ctx, changelog.By{}, func(tx *bucket.Tx) error {
		account = 0
		session, err := takeChallenge(tx, 0, parsed.Response.CollectedClientData.Challenge)
		if err != nil || session == nil {
			return err
		}
		key := credentialKey(parsed.RawID)
		p, err := users.Passkeys.Get(tx, key)
		if errors.Is(err, bucket.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		acc, err := users.Accounts.Get(tx, p.AccountID)
		if err != nil || !acc.Active(tx.Latest()) {
			return err
		}
		h, err := s.holder(tx, acc.ID)
		if err != nil {
			return err
		}
		used, err := s.passkeys.service.ValidateDiscoverableLogin(func(_, handle []byte) (webauthn.User, error) {
			if subtle.ConstantTimeCompare(handle, h.handle) != 1 {
				return nil, ErrPasskey
			}
			return h, nil
		}, *session, parsed)
		if err != nil || used.Authenticator.CloneWarning {
			return nil
		}
		if p.Credential, err = json.Marshal(used); err != nil {
			return err
		}
		account, p.Used = acc.ID, tx.Now()
		return users.Passkeys.Put(tx, key, p)
	})
	if err == nil && account == 0 {
		err = ErrPasskey
	}
	return account, err
}

// Passkey is one of an account.
type Passkey struct {
	ID string // names it among those of the account
	record.Passkey
}

// Passkeys are those of an account, the oldest first.
func (s *Service) Passkeys(account int64) (all []Passkey, err error) {
	err = s.db.View(func(tx *bucket.Tx) error {
		all = nil
		for _, key := range bucket.Keys(users.PasskeysByAccount.Ascending(tx, bucket.SortKey(account))) {
			p, err := users.Passkeys.Get(tx, key)
			if err != nil {
				return err
			}
			all = append(all, Passkey{key[:passkeyID], *p})
		}
		return nil
	})
	return all, err
}

// ChangePasskey renames a passkey of an account, or removes it where the name is "". One that is not there is left.
func (s *Service) ChangePasskey(ctx context.Context, account int64, id, name string) error {
	return s.db.UpdateBy(bucket.Frees(ctx), changelog.By{Account: account}, func(tx *bucket.Tx) error {
		for _, key := range bucket.Keys(users.PasskeysByAccount.Ascending(tx, bucket.SortKey(account))) {
			if key[:passkeyID] != id {
				continue
			}
			if name == "" {
				return users.Passkeys.Delete(tx, key)
			}
			p, err := users.Passkeys.Get(tx, key)
			if err != nil {
				return err
			}
			p.Name = name
			return users.Passkeys.Put(tx, key, p)
		}
		return nil
	})
}

// PasskeyName is a name that a person has written, cut to what is kept.
func PasskeyName(name string) string {
	if r := []rune(name); len(r) > mostPasskeyName {
		return string(r[:mostPasskeyName])
	}
	return name
}
