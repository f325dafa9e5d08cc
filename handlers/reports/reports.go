// Package reports answers with numbers of use (COUNTER) and with tables of what there is.
package reports

import "alcove/handlers/endpoint"

// Reports answers with numbers of use and with tables of what there is.
type Reports struct{ *endpoint.Server }
