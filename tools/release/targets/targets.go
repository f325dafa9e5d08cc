// Package targets names the systems that the program is released for.
package targets

// All are systems and processors, as Go names them.
var All = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}
