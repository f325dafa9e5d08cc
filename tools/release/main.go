// Command release makes the files of a release from a checkout: for each target an archive with the
// static program and a bill of materials, for Linux a .deb and an .rpm, and the checksums of all.
//
//	go run ./release -version 1.2.3 -from CHECKOUT -to DIRECTORY [SYSTEM/PROCESSOR...]
//
// The same commit and version give the same bytes wherever it runs: times are that of the commit,
// owners are root, and no path of this machine gets in.
package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"alcove/tools/release/targets"
)

// release is what all files of a release have in common.
type release struct {
	version  string
	from, to string
	time     time.Time // of the commit
	manual   []file    // completions and manual pages
}

// file is one that goes into archives and packages.
type file struct {
	name string // with slashes, relative
	data []byte
	mode os.FileMode
}

var versionForm = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$`)

func main() {
	log.SetFlags(0)
	var r release
	flag.StringVar(&r.version, "version", "", "the number of the release, such as 1.2.3 or 1.2.3-rc.1")
	flag.StringVar(&r.from, "from", "", "a clean checkout of the commit")
	flag.StringVar(&r.to, "to", "", "the directory for the files; it must not be there, or be empty")
	flag.Parse()
	list := flag.Args()
	if len(list) == 0 {
		list = targets.All
	}
	if err := r.make(list); err != nil {
		log.Fatal(err)
	}
}

func (r *release) make(list []string) error {
	if !versionForm.MatchString(r.version) {
		return fmt.Errorf("%q is no version; one is 1.2.3 or 1.2.3-rc.1", r.version)
	}
	for _, t := range list {
		if !slices.Contains(targets.All, t) {
			return fmt.Errorf("%q is no target; those are %s", t, strings.Join(targets.All, ", "))
		}
	}
	if err := os.MkdirAll(r.to, 0o755); err != nil {
		return err
	}
	if there, err := os.ReadDir(r.to); err != nil || len(there) > 0 {
		return errors.Join(err, fmt.Errorf("%s is not empty", r.to))
	}
	out, err := r.git("log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(out), 10, 64)
	if err != nil {
		return err
	}
	r.time = time.Unix(seconds, 0).UTC()
	work, err := os.MkdirTemp("", "alcove-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if r.manual, err = r.makeManual(work); err != nil {
		return err
	}
	for _, t := range list {
		if err := r.target(t, work); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	return r.sums()
}

func (r *release) git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stderr = r.from, os.Stderr
	out, err := cmd.Output()
	return string(out), err
}

// build makes the program for a target.
func (r *release) build(target, work string) (string, error) {
	system, processor, _ := strings.Cut(target, "/")
	program := filepath.Join(work, system+"-"+processor, "alcove")
	if system == "windows" {
		program += ".exe"
	}
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=auto", "-ldflags=-s -w -X alcove/cli.Version="+r.version, "-o", program, ".")
	cmd.Dir, cmd.Stderr = r.from, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=")
	return program, cmd.Run()
}

// makeManual has the program itself write its completions and manual pages.
func (r *release) makeManual(work string) ([]file, error) {
	program, err := r.build(runtime.GOOS+"/"+runtime.GOARCH, work)
	if err != nil {
		return nil, err
	}
	var made []file
	for shell, name := range map[string]string{"bash": "completions/alcove.bash", "zsh": "completions/_alcove", "fish": "completions/alcove.fish", "powershell": "completions/alcove.ps1"} {
		text, err := exec.Command(program, "completion", shell).Output()
		if err != nil {
			log.Print("the program makes no completions: the release has none")
			break
		}
		made = append(made, file{name, text, 0o644})
	}
	pages := filepath.Join(work, "man")
	if err := os.Mkdir(pages, 0o755); err != nil {
		return nil, err
	}
	if err := exec.Command(program, "man", pages).Run(); err != nil {
		log.Print("the program makes no manual pages: the release has none")
	}
	err = filepath.WalkDir(pages, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		made = append(made, file{"man/" + d.Name(), text, 0o644})
		return err
	})
	slices.SortFunc(made, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return made, err
}

// target makes all files of one target.
func (r *release) target(target, work string) error {
	system, processor, _ := strings.Cut(target, "/")
	program, err := r.build(target, work)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("alcove_%s_%s_%s", r.version, system, processor)
	bill := exec.Command("go", "run", "./sbom", program)
	bill.Stderr = os.Stderr
	text, err := bill.Output()
	if err != nil {
		return err
	}
	if err := r.write(name+".cdx.json", text); err != nil {
		return err
	}
	documents, err := r.documents()
	if err != nil {
		return err
	}
	all := append([]file{{filepath.Base(program), data, 0o755}}, documents...)
	all = append(all, r.manual...)
	var packed bytes.Buffer
	suffix, pack := ".tar.gz", r.tarball
	if system == "windows" {
		suffix, pack = ".zip", r.zip
	}
	if err := pack(&packed, name, all); err != nil {
		return err
	}
	if err := r.write(name+suffix, packed.Bytes()); err != nil {
		return err
	}
	if system != "linux" {
		return nil
	}
	return r.packages(processor, program, documents, work)
}

// documents are the files of the checkout that a person reads.
func (r *release) documents() ([]file, error) {
	out, err := r.git("ls-files", "LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "config.example.toml", "docs", "packaging")
	if err != nil {
		return nil, err
	}
	var list []file
	for _, name := range strings.Fields(out) {
		if strings.HasSuffix(name, ".go") {
			continue
		}
		path := filepath.Join(r.from, name)
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		mode := os.FileMode(0o644)
		if info, err := os.Stat(path); err == nil && info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		list = append(list, file{name, data, mode})
	}
	return list, nil
}

func (r *release) write(name string, data []byte) error {
	fmt.Println(name)
	return os.WriteFile(filepath.Join(r.to, name), data, 0o644)
}

// sums writes what sha256sum -c reads.
func (r *release) sums() error {
	list, err := os.ReadDir(r.to)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, d := range list {
		f, err := os.Open(filepath.Join(r.to, d.Name()))
		if err != nil {
			return err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", h.Sum(nil), d.Name())
	}
	return r.write("SHA256SUMS", []byte(text.String()))
}
