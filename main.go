// Alcove is a research data repository in one process that speaks the public figshare
// API v2.
package main

import (
	"os"

	"alcove/cli"
)

func main() { os.Exit(cli.Run(os.Args[1:], newRouter)) }
