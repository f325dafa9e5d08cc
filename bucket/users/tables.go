// Package users has the tables of who uses a repository: accounts and what they sign in with, people, groups and their roles,
// and what an institution has chosen.
package users

import (
	"alcove/bucket"
	"alcove/bucket/facts"
	"alcove/record"
)

// Private tables: reached only through a Tx, by code that checks the caller.
var (
	Accounts = bucket.ByID[record.Account]("accounts")
	Tokens   = bucket.ByName[record.Token]("tokens")
	// TokenUses is keyed as Tokens is. When a token was used changes nothing, so it is not in the change log.
	TokenUses = bucket.ByName[record.TokenUse]("token_uses").Unlogged()
	// Applications is keyed by client_id.
	Applications = bucket.ByName[record.Application]("applications")
	// Authorizations is keyed as its record says. It is not in the change log, as a backup has none that is good: the
	// refresh tokens in it have been replaced.
	Authorizations = bucket.ByName[record.Authorization]("authorizations").Unlogged()
	// Sessions is keyed by the hex SHA-256 of the secret.
	Sessions = bucket.ByName[record.Session]("sessions").Unlogged()
	// OneTimeLinks is keyed by the hex SHA-256 of the secret.
	OneTimeLinks = bucket.ByName[record.OneTimeLink]("one_time_links").Unlogged()
	// SecondFactors is keyed by the id of the account.
	SecondFactors = bucket.ByID[record.SecondFactor]("second_factors").Unlogged()
	// Passkeys is keyed by the hex SHA-256 of the id of the credential.
	Passkeys = bucket.ByName[record.Passkey]("passkeys").Unlogged()
	// Logins is keyed by the hex SHA-256 of issuer and subject.
	Logins = bucket.ByName[record.Login]("logins").Unlogged()
	// Challenges is keyed by the hex SHA-256 of the challenge, or of the secret in a cookie.
	Challenges = bucket.ByName[record.Challenge]("challenges").Unlogged()
	People     = bucket.ByID[record.Person]("people").Flat()

	AccountsByEmail = Accounts.AddIndex("email", 1, func(a *record.Account) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(record.FoldEmail(a.Email))}}
	}).Secret()
	// Administrators has the administrators of an institution.
	Administrators = Accounts.AddIndex("admin", 1, func(a *record.Account) []bucket.IndexEntry {
		if !a.Admin {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(a.InstitutionID)}}
	})
	TokensByAccount = Tokens.AddIndex("account", 1, func(t *record.Token) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(t.AccountID)}}
	})
	// TokensByAuthorization finds the access tokens of an authorization.
	TokensByAuthorization = Tokens.AddIndex("authorization", 1, func(t *record.Token) []bucket.IndexEntry {
		if t.Personal() {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(t.Authorization)}}
	})
	ApplicationsByAccount = Applications.AddIndex("account", 1, func(a *record.Application) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(a.AccountID)}}
	})
	// AuthorizationsByAccount sorts those of an account by application.
	AuthorizationsByAccount = Authorizations.AddIndex("account", 1, func(z *record.Authorization) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(z.AccountID, z.ClientID)}}
	})
	SessionsByAccount = Sessions.AddIndex("account", 1, func(s *record.Session) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(s.AccountID)}}
	})
	OneTimeLinksByEmail = OneTimeLinks.AddIndex("email", 1, func(l *record.OneTimeLink) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(record.FoldEmail(l.Email))}}
	}).Secret()
	// OneTimeLinksByAccount has the links of accounts that there are.
	OneTimeLinksByAccount = OneTimeLinks.AddIndex("account", 1, func(l *record.OneTimeLink) []bucket.IndexEntry {
		if l.AccountID == 0 {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(l.AccountID)}}
	})
	// PasskeysByAccount sorts the passkeys of an account by age.
	PasskeysByAccount = Passkeys.AddIndex("account", 1, func(p *record.Passkey) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(p.AccountID, p.Created)}}
	})
	// LoginsByAccount sorts the logins of an account by age.
	LoginsByAccount = Logins.AddIndex("account", 1, func(l *record.Login) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(l.AccountID, l.Created)}}
	})
	// ChallengesByEnd sorts challenges by when they end.
	ChallengesByEnd = Challenges.AddIndex("end", 1, func(c *record.Challenge) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(c.Expires)}}
	})
	// ChallengesWaiting is how many challenges there are.
	ChallengesWaiting = Challenges.AddNumber("number", 1, nil)

	AccountsNumber   = Accounts.AddNumber("number", 1, nil)
	AccountsDisabled = Accounts.AddNumber("disabled", 1, func(a *record.Account) bool { return a.Disabled })
	// BytesStored is what accounts keep, as it counts against their quotas.
	BytesStored = Accounts.AddTotal("used", 1, func(a *record.Account) int64 { return a.Used() })

	AccountOwners = bucket.AddOwners(Accounts, func(a *record.Account) bucket.Owner {
		return bucket.Owner{Account: a.ID, Institution: a.InstitutionID, Group: a.GroupID}
	})
	FieldOwners = bucket.AddOwners(Fields, func(f *record.Field) bucket.Owner { return bucket.Owner{Group: f.GroupID} })
)

// Tables and indexes of the institution: its groups, and who may do what in them.
var (
	Groups = bucket.ByID[record.Group]("groups")
	// Grants is keyed by account id and group id.
	Grants = bucket.ByPair[record.Grant]("grants")

	// GrantsByGroup finds who has roles in a group.
	GrantsByGroup = Grants.AddIndex("group", 1, func(g *record.Grant) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(g.GroupID)}}
	})
	// AccountsByInstitution sorts an institution's accounts by id; the value holds AccountFacts.
	AccountsByInstitution = Accounts.AddIndex("institution", 2, func(a *record.Account) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(a.InstitutionID), Value: facts.OfAccount(a)}}
	})
	// PeopleSeen has people under the account that may see them, record.Everyone for all; the value
	// says whether something public names them, and whether they have an account (SeenPerson).
	PeopleSeen = People.AddIndex("seen", 2, func(p *record.Person) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(p.SeenBy()), Value: []byte{seenBits(p)}}}
	})
	// PeopleByWord is PeopleSeen with the words of the name and the ORCID iD behind the
	// account, so that what begins alike stands together.
	PeopleByWord = People.AddIndex("word", 1, func(p *record.Person) []bucket.IndexEntry {
		var entries []bucket.IndexEntry
		for _, w := range p.SearchWords() {
			entries = append(entries, bucket.IndexEntry{Sort: bucket.SortKey(p.SeenBy(), w)})
		}
		return entries
	})
)

// Accesses has the requests of the last weeks that operators look up: refused ones, those of
// administrators, and those that changed something. The key is the number of the request, which
// the change log has too and which ascends with the time. It is no change of the repository, and
// addresses do not stay, so it is not in the change log.
var Accesses = bucket.ByID[record.Access]("accesses").Unlogged()

// Pictures has the pictures of profiles; the key is the id of the person.
var Pictures = bucket.ByID[record.Picture]("pictures")

// Choices is keyed by the id of the institution.
var Choices = bucket.ByID[record.Choices]("choices")

var (
	Fields = bucket.ByID[record.Field]("fields")
	// AddressRanges are the networks that embargoes can let in.
	AddressRanges = bucket.ByID[record.AddressRange]("address_ranges")

	// FieldsByGroup has the fields that a group defines, in their order.
	FieldsByGroup = Fields.AddIndex("group", 1, func(f *record.Field) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(f.GroupID, f.Order)}}
	})
)
