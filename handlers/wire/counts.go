package wire

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// RequestCount is how many requests a route has answered since the start.
type RequestCount struct {
	Method string // OTHER where there is no route
	Route  string // its pattern; - where there is none, OPTIONS for those
	Class  string // of the status: 2xx to 5xx; cut for connections that ended without one
	Count  uint64
}

var classes = [...]string{"cut", "1xx", "2xx", "3xx", "4xx", "5xx"}

// RequestCounts counts requests. The zero value has none; its methods are safe for concurrent use. Its labels come from the route table, never from a
// client, so it stays small.
type RequestCounts struct{ routes sync.Map } // routeName → *[len(classes)]atomic.Uint64

type routeName struct{ method, pattern string }

// Count notes the answer to a request.
func (n *RequestCounts) Count(method, pattern string, status int) {
	if pattern == "-" { // its method may be any text
		method = "OTHER"
	}
	name := routeName{method, pattern}
	at, ok := n.routes.Load(name)
	if !ok {
		at, _ = n.routes.LoadOrStore(name, new([len(classes)]atomic.Uint64))
	}
	class := status / 100
	if class < 0 || class >= len(classes) {
		class = 0
	}
	at.(*[len(classes)]atomic.Uint64)[class].Add(1)
}

// List tells how many requests were answered, by route, method and class of status;
// those that are not zero.
func (n *RequestCounts) List() (list []RequestCount) {
	n.routes.Range(func(key, value any) bool {
		name := key.(routeName)
		for class := range classes {
			if count := value.(*[len(classes)]atomic.Uint64)[class].Load(); count > 0 {
				list = append(list, RequestCount{name.method, name.pattern, classes[class], count})
			}
		}
		return true
	})
	slices.SortFunc(list, func(a, b RequestCount) int {
		return cmp.Or(cmp.Compare(a.Route, b.Route), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Class, b.Class))
	})
	return list
}
