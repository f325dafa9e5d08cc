package load

import (
	"fmt"
	"os"
	"testing"

	"alcove/tests/world"
)

func TestMain(m *testing.M) {
	world.Main(m, map[string]func(){
		"barehttp": func() {
			fmt.Fprintln(os.Stderr, bareServer(os.Args[1], os.Args[2]))
			os.Exit(1)
		},
	})
}
