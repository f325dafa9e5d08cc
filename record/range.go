package record

import (
	"net/netip"
	"slices"
	"strings"
)

// AddressRange is a place that embargoes can let in, told by its networks, such as a
// campus.
type AddressRange struct {
	ID       int64          `json:"id"`
	Name     string         `json:"name"`
	Networks []netip.Prefix `json:"networks"`
}

// Holds reports whether an address is in one of the networks. An IPv4 address that is
// written as IPv6 counts as IPv4.
func (r *AddressRange) Holds(address netip.Addr) bool {
	return slices.ContainsFunc(r.Networks, func(p netip.Prefix) bool { return p.Contains(address.Unmap().WithZone("")) })
}

// ParseNetworks reads networks and single addresses, separated by commas.
func ParseNetworks(text string) ([]netip.Prefix, error) {
	var networks []netip.Prefix
	for _, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		if a, err := netip.ParseAddr(part); err == nil {
			networks = append(networks, netip.PrefixFrom(a.Unmap().WithZone(""), a.Unmap().BitLen()))
			continue
		}
		p, err := netip.ParsePrefix(part)
		if err != nil || p.Addr().Is4In6() {
			return nil, Wrong("network", "must be networks such as 192.0.2.0/24 or 2001:db8::/32")
		}
		networks = append(networks, p.Masked())
	}
	return networks, nil
}

// Check refuses a range without a name or a network.
func (r *AddressRange) Check() error {
	switch {
	case blankText(r.Name) || longer(r.Name, maxGroupName):
		return Wrong("name", "must have 1 to 255 characters")
	case len(r.Networks) == 0:
		return Wrong("network", "is required")
	}
	return nil
}
