package formats

import "strings"

// coar is the access right in COAR's vocabulary.
func (it *Item) coar() string {
	return "http://purl.org/coar/access_right/" + [...]string{"c_abf2", "c_f1cf", "c_16ec", "c_14cb"}[it.Access]
}

// coarLabel is its name there.
func (it *Item) coarLabel() string {
	return [...]string{"open access", "embargoed access", "restricted access", "metadata only access"}[it.Access]
}

// spdx is the identifier of the licence in SPDX's list, empty for one that is not in it or does not say its
// version.
func (it *Item) spdx() string {
	_, path, _ := strings.Cut(it.LicenseURL, "://")
	path = strings.TrimPrefix(strings.TrimSuffix(path, "/"), "www.")
	if of, ok := strings.CutPrefix(path, "creativecommons.org/licenses/"); ok {
		name, version, _ := strings.Cut(of, "/")
		switch name {
		case "by", "by-sa", "by-nd", "by-nc", "by-nc-sa", "by-nc-nd":
			switch version {
			case "1.0", "2.0", "2.5", "3.0", "4.0":
				return "CC-" + strings.ToUpper(name) + "-" + version
			}
		}
		return ""
	}
	return map[string]string{
		"creativecommons.org/publicdomain/zero/1.0":  "CC0-1.0",
		"opensource.org/licenses/MIT":                "MIT",
		"apache.org/licenses/LICENSE-2.0":            "Apache-2.0",
		"gnu.org/licenses/old-licenses/gpl-2.0.html": "GPL-2.0-or-later",
		"gnu.org/licenses/gpl-3.0.html":              "GPL-3.0-or-later",
	}[path]
}

// licenseAddress is where the licence is told: at SPDX if it is in its list.
func (it *Item) licenseAddress() string {
	if id := it.spdx(); id != "" {
		return "https://spdx.org/licenses/" + id
	}
	return it.LicenseURL
}
