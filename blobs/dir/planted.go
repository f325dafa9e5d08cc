//go:build planted

package dir

import "os"

// plantNoDirSync takes the names of files for durable that are not.
var plantNoDirSync = os.Getenv("TORTURE_PLANT") == "no-dir-sync"
