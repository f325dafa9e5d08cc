// Alcove is a research data repository in one process that speaks the public figshare
// API v2.
package main

import (
	"os"

	"alcove/cli"
	"alcove/site/preview/library"
)

func main() {
	library.Main()
	os.Exit(cli.Run(os.Args[1:], newRouter))
}
