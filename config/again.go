package config

import "reflect"

// Again is what holds for a server that runs with the settings c when its sources say next: the settings that can change
// are next's, the others stay. It names those that have changed, and those that would have.
func (c Config) Again(next Config) (holds Config, changed, waiting []string) {
	holds = c
	now, later := holds.groups(), next.groups()
	for g := range now {
		for i, f := range now[g].fields {
			is, would := reflect.ValueOf(f.at).Elem(), reflect.ValueOf(later[g].fields[i].at).Elem()
			if reflect.DeepEqual(is.Interface(), would.Interface()) {
				continue
			}
			if !f.again {
				waiting = append(waiting, f.key)
				continue
			}
			is.Set(would)
			changed = append(changed, f.key)
		}
	}
	if !reflect.DeepEqual(c.SignIn, next.SignIn) {
		waiting = append(waiting, "[[oidc]], [ldap], [proxy]")
	}
	return holds, changed, waiting
}
