package record

import "time"

// Login is an identity at another service that an account signs in with; its key in the store is made of issuer and
// subject. Nothing in it is secret.
type Login struct {
	AccountID int64     `json:"account_id"`
	Provider  string    `json:"provider"` // its name in the configuration
	Issuer    string    `json:"issuer"`
	Subject   string    `json:"subject"`
	Shown     string    `json:"shown"` // what the person knows the identity by
	Created   time.Time `json:"created"`
	Used      time.Time `json:"used"`

	// Given to the account by the service, and taken back when it says so no more:
	Admin bool        `json:"admin,omitempty"`
	Roles []GivenRole `json:"roles,omitempty"`
}

// GivenRole is a role in a group.
type GivenRole struct {
	GroupID int64 `json:"group_id"`
	RoleID  int64 `json:"role_id"`
}
