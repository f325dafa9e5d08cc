package harvest

import (
	"testing"

	"alcove/tests/world"
)

func TestMain(m *testing.M) { world.Main(m) }
