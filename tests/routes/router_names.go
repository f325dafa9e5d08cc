// Package routes is all routes of the server as tests call them: a copy of the program's router, an address and a
// body for each, and the descriptions that answers are held against. It needs no server.
package routes

import (
	"net/http"

	"alcove/handlers"
	"alcove/handlers/endpoint"
)

// The table of routes and the router belong to the program, which no package can import: the
// tests use a copy, router_copy.go, that make router makes and TestRouterCopy compares.

// Route is a line of the table of routes.
type Route = route

// Table is the table of routes over an API.
func Table(h *handlers.API) []Route { return routes(h) }

// NewRouter is the router of the program.
func NewRouter(h *handlers.API) http.Handler { return newRouter(h) }

// ForHandlers is a table as the handlers know it.
func ForHandlers(table []Route) []endpoint.Route { return forHandlers(table) }

// NewMux is a router over a table of a test.
func NewMux(h *handlers.API, table []Route) *mux { return newMux(h, table) }

// Lookup finds the route of a method and a path.
func (m *mux) Lookup(method, path string) (*endpoint.Route, []endpoint.Param) {
	return m.lookup(method, path)
}

// Tidy is a path as the router reads it.
func Tidy(path string) string { return tidy(path) }
