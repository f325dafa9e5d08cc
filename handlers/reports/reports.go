// Package reports answers with numbers of use (COUNTER) and with tables of what there is and of what was done.
package reports

import "alcove/handlers/endpoint"

// Reports answers with numbers of use and with tables of what there is.
type Reports struct{ *endpoint.Server }
