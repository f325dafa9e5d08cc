// Package api is where the client of Alcove's API is put that oapi-codegen makes from
// /v2/openapi.json: a build lays it over this file (see TestGoClient), which names what it needs.
package api

import _ "github.com/oapi-codegen/runtime" // what oapi-codegen makes uses it
