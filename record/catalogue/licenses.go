package catalogue

import "slices"

// License is one licence under which items can be shared.
type License struct {
	// Value is the number that a client writes, and that means the same licence
	// on the public service.
	Value int64
	Name  string
	// URL is the address of the licence's own page, always https.
	URL string
}

var publicLicenses = []License{
	{1, "CC BY 4.0", "https://creativecommons.org/licenses/by/4.0/"},
	{2, "CC0", "https://creativecommons.org/publicdomain/zero/1.0/"},
	{3, "MIT", "https://opensource.org/licenses/MIT"},
	{4, "GPL", "https://www.gnu.org/copyleft/gpl.html"},
	{5, "GPL 2.0+", "https://www.gnu.org/licenses/old-licenses/gpl-2.0.html"},
	{6, "GPL 3.0+", "https://www.gnu.org/licenses/gpl-3.0.html"},
	{7, "Apache 2.0", "https://www.apache.org/licenses/LICENSE-2.0"},
}

var institutionLicenses = []License{
	{8, "CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/"},
	{9, "CC BY-ND 4.0", "https://creativecommons.org/licenses/by-nd/4.0/"},
	{10, "CC BY-NC 4.0", "https://creativecommons.org/licenses/by-nc/4.0/"},
	{11, "CC BY-NC-SA 4.0", "https://creativecommons.org/licenses/by-nc-sa/4.0/"},
	{12, "CC BY-NC-ND 4.0", "https://creativecommons.org/licenses/by-nc-nd/4.0/"},
	{43, "In Copyright", "https://rightsstatements.org/vocab/InC/1.0/"},
}

// PublicLicenses returns the licences that every account may choose, values 1
// to 7 in order. The slice is the caller's own.
func PublicLicenses() []License { return slices.Clone(publicLicenses) }

// InstitutionLicenses returns the further licences that an institution may
// offer to its accounts, by value. The slice is the caller's own.
func InstitutionLicenses() []License { return slices.Clone(institutionLicenses) }

// LicenseByValue returns the licence with that value from either list, or
// false. Whether an account may choose it is for the caller to say.
func LicenseByValue(value int64) (License, bool) {
	for _, list := range [][]License{publicLicenses, institutionLicenses} {
		for _, l := range list {
			if l.Value == value {
				return l, true
			}
		}
	}
	return License{}, false
}
