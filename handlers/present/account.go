package present

import "alcove/record"

// Account is the caller's own account.
type Account struct {
	ID                  int64   `json:"id"`
	UserID              int64   `json:"user_id"`
	FirstName           *string `json:"first_name"`
	LastName            *string `json:"last_name"`
	Email               string  `json:"email"`
	ORCID               *string `json:"orcid_id"`
	Active              int     `json:"active"`
	InstitutionID       *int64  `json:"institution_id"`
	InstitutionUserID   *string `json:"institution_user_id"`
	SymplecticUserID    *string `json:"symplectic_user_id"`
	GroupID             *int64  `json:"group_id"`
	Quota               int64   `json:"quota"`
	UsedQuota           int64   `json:"used_quota"`
	UsedQuotaPrivate    int64   `json:"used_quota_private"`
	UsedQuotaPublic     int64   `json:"used_quota_public"`
	MaximumFileSize     int64   `json:"maximum_file_size"`
	FilesPerArticle     int     `json:"maximum_files_per_article"` // none of the public API's
	PendingQuotaRequest bool    `json:"pending_quota_request"`
	dates
}

// Account is an account with the quota and the file size that hold for it, in bytes.
func (s Settings) Account(a *record.Account, p *record.Person, quota, maxFile int64) Account {
	return Account{
		ID: a.ID, UserID: a.PersonID, FirstName: s.text(a.FirstName), LastName: s.text(a.LastName), Email: a.Email,
		ORCID: s.text(p.ORCID), Active: 1, InstitutionID: s.id(a.InstitutionID),
		InstitutionUserID: s.text(a.InstitutionUserID), SymplecticUserID: s.text(a.SymplecticUserID), GroupID: s.id(a.GroupID),
		Quota: quota, UsedQuota: a.Used(), UsedQuotaPrivate: a.UsedPrivate,
		UsedQuotaPublic: a.UsedPublic, MaximumFileSize: maxFile, dates: dates{stamp(a.Created), stamp(a.Modified)},
	}
}
