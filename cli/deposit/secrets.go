package deposit

import (
	"context"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"alcove/record/secrets"
)

// Secret is a file that holds a private key, a token or a password.
type Secret struct {
	Path string `json:"path"` // in the item
	Rule string `json:"rule"` // of record/secrets
}

// secretsError is the error of a deposit that would have sent files with secrets.
type secretsError struct{ list []Secret }

func (e *secretsError) Error() string {
	const most = 50
	var b strings.Builder
	hold := "files hold"
	if len(e.list) == 1 {
		hold = "file holds"
	}
	fmt.Fprintf(&b, "nothing was sent, as %d %s a private key, a token or a password:\n", len(e.list), hold)
	for i, s := range e.list {
		if i == most {
			fmt.Fprintf(&b, "  and %d more\n", len(e.list)-most)
			break
		}
		fmt.Fprintf(&b, "  %s (%s)\n", clean(s.Path), s.Rule)
	}
	b.WriteString("Leave a file out with --exclude NAME, or send it with --allow-secret NAME.")
	return b.String()
}

// ExitStatus returns the exit status of the command.
func (e *secretsError) ExitStatus() int { return exitRefused }

// looked is a file that is looked at for secrets.
type looked struct {
	path string // for Folder.Open
	at   string // in the item
}

// findSecrets returns the files that hold a secret and are not among the allowed, in their order. Files that cannot be read are
// passed over: sending them fails.
func findSecrets(ctx context.Context, dir *Folder, list []looked, allowed []string) []Secret {
	found := make([]string, len(list))
	queue := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.NumCPU(), 8, len(list)) {
		workers.Go(func() {
			for i := range queue {
				found[i] = secretIn(dir, list[i])
			}
		})
	}
	for i := range list {
		if ctx.Err() != nil {
			break
		}
		queue <- i
	}
	close(queue)
	workers.Wait()
	var all []Secret
	for i, rule := range found {
		if rule != "" && !slices.Contains(allowed, list[i].at) {
			all = append(all, Secret{list[i].at, rule})
		}
	}
	return all
}

// secretIn returns the rule that finds a secret in a file, "" for none.
func secretIn(dir *Folder, f looked) string {
	file, err := dir.Open(f.path)
	if err != nil {
		return ""
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return ""
	}
	rule, err := secrets.File(f.at, file, info.Size())
	if err != nil {
		return ""
	}
	return rule
}

// secretsOf looks at all files of a folder.
func (t *tree) secretsOf(ctx context.Context, dir *Folder, allowed []string) []Secret {
	list := make([]looked, len(t.files))
	for i, f := range t.files {
		list[i] = looked{f.path, f.String()}
	}
	return findSecrets(ctx, dir, list, allowed)
}

// secretsOf looks at the files of all lines that are to be deposited.
func (d *depositor) secretsOf(ctx context.Context, todo []line, allowed []string) error {
	var all []Secret
	for _, ln := range todo {
		it, err := d.input.load(ln)
		if err != nil {
			continue // the line fails when it is deposited
		}
		var list []looked
		for _, f := range it.files {
			list = append(list, looked{f.path, path.Join(f.folder, f.name())})
		}
		for _, s := range findSecrets(ctx, d.input.dir, list, allowed) {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	if len(all) > 0 {
		return &secretsError{all}
	}
	return ctx.Err()
}
