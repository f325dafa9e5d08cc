//go:build planted

package uploads

import "os"

// plantNoBlobSync acknowledges bytes that are not on the disk.
var plantNoBlobSync = os.Getenv("TORTURE_PLANT") == "no-blob-sync"
