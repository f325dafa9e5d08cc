// Package command is what every command of the alcove program shares: its place in the table, its flags, its help, and how
// it prints tables and JSON.
package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
)

// Line is a line of the table of commands. One without run only holds together those whose names begin with its own.
// Each has an example in examples.go, under its name.
type Line struct {
	Name, Args, Help string
	Group            Group
	Run              func(ctx context.Context, c *Command, args []string) error
}

// Command is a line that is to be run or told about.
type Command struct {
	Line
	Cmd       *cobra.Command
	describes bool       // Parse only takes note of what it is given
	described *described // what it noted, nil before
}

// Group is a heading in the list of commands.
type Group string

const (
	Running    Group = "Run a repository"
	Depositing Group = "Your items, on any server that speaks the API"
	Moving     Group = "Many items at once"
	Persons    Group = "People"
	Care       Group = "Look after a repository"
	More       Group = "More" // of which the list has the names only
)

var ErrUsage = errors.New("wrong call")

// ErrNotChecked is why a check could not be made, or not to its end: exit status 2, as nothing
// is known to be damaged, nor to be whole.
var ErrNotChecked = errors.New("cannot check")
