package handlers

import (
	"reflect"
	"slices"
	"sync"

	"alcove/record"
)

// unordered are the routes, by method and pattern, that answer a list and take no order. The
// description of the API tells.
var unordered = sync.OnceValue(func() map[string]bool {
	routes := map[string]bool{}
	for _, in := range operations {
		for _, o := range in.list {
			for _, a := range o.answers {
				if a.Type != nil && a.Type.Kind() == reflect.Slice && !o.ordered() {
					routes[o.route] = true
				}
			}
		}
	}
	return routes
})

// ordered reports whether the query may ask for an order.
func (o *operation) ordered() bool {
	if o.query == nil || slices.Contains(o.unasked, "order") {
		return false
	}
	return slices.ContainsFunc(reflect.VisibleFields(o.query), func(f reflect.StructField) bool { return f.Tag.Get("json") == "order" })
}

// orderRefused refuses any order of a list that has one of its own: an order that is ignored
// misleads.
func (c *Call) orderRefused(r *Route) error {
	if _, asked := c.Query.find("order"); asked && unordered()[r.Method+" "+r.Path] {
		return record.ErrBadOrder
	}
	return nil
}
