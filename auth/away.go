package auth

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"time"

	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/users"
	"alcove/record"
)

// AwayLasts is how long a person may take at another service before coming back.
const AwayLasts = 15 * time.Minute

// ErrAway says that a browser comes back from another service without having been sent there, too late, or twice.
var ErrAway = errors.New("the browser was not sent to that service, or came back too late")

// Away is a browser that was sent to another service.
type Away struct {
	Provider string `json:"provider"`
	State    string `json:"state"`    // what the service gives back with its answer
	Nonce    string `json:"nonce"`    // what its token has
	Verifier string `json:"verifier"` // of the code (RFC 7636)
	Next     string `json:"next"`     // where the person goes on then
	Account  int64  `json:"-"`        // that is connected with the identity, 0 for signing in
}

// SendAway stores where a browser was sent, and returns the secret of its cookie.
func (s *Service) SendAway(ctx context.Context, a Away) (secret string, err error) {
	b, err := json.Marshal(a)
	if err != nil {
		return "", err
	}
	secret = newSecret()
	return secret, s.db.UpdateBy(ctx, changelog.By{}, func(tx *bucket.Tx) error {
		if err := makeRoomForChallenge(tx); err != nil {
			return err
		}
		return users.Challenges.Put(tx, keyOf(secret), &record.Challenge{AccountID: a.Account, Away: true, Session: b, Expires: tx.Now().Add(AwayLasts)})
	})
}

// ComeBack uses up what SendAway has stored under the secret of a cookie, when the browser comes from the same service with the
// same state; otherwise the error is ErrAway, and what was stored stays for the answer that belongs to it.
func (s *Service) ComeBack(ctx context.Context, secret, provider, state string) (a Away, err error) {
	err = s.db.UpdateBy(ctx, changelog.By{}, func(tx *bucket.Tx) error {
		a = Away{}
		c, err := users.Challenges.Get(tx, keyOf(secret))
		if errors.Is(err, bucket.ErrNotFound) || err == nil && !c.Away {
			return ErrAway
		}
		if err != nil {
			return err
		}
		if err := json.Unmarshal(c.Session, &a); err != nil {
			return err
		}
		if a.Account = c.AccountID; a.Provider != provider || subtle.ConstantTimeCompare([]byte(a.State), []byte(state)) != 1 || !tx.Latest().Before(c.Expires) {
			return ErrAway
		}
		return users.Challenges.Delete(tx, keyOf(secret))
	})
	return a, err
}
